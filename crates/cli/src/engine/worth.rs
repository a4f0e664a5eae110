//! Formats values of positions and choices for the protocol.

use skirmish_play::{Answer, Judgement, Solved};
use skirmish_present::json::{self, WordOr};
use skirmish_rules::Side;
use skirmish_rules::graph::Expansion;
use skirmish_solver::Value;

/// The value of a position, as in `analyze`, in one or two words.
pub(super) fn of_position(solved: &Solved, node: u32) -> String {
    match json::value(solved, node) {
        (WordOr::Word(word), Some(plies)) => format!("{word} {plies}"),
        (WordOr::Word(word), None) => word.to_owned(),
        (WordOr::Number(value), _) => json::text(&value),
    }
}

/// The value of a choice for the side that makes it; in a simultaneous game, its expected value.
pub(super) fn of_choice(solved: &Solved, node: u32, side: Side, choice: &str) -> String {
    let actions = &solved.graph().actions(node)[side];
    let index = actions.iter().position(|action| action == choice).expect("it is legal");
    match solved.answer() {
        Answer::Alternating(solution) => {
            let mut expansion = Expansion::default();
            solved.graph().expand(node, &mut expansion);
            match solution.value(expansion.next[index]).before() {
                Value::Win(plies) => format!("depth {plies} score mate {plies}"),
                Value::Loss(plies) => format!("depth {plies} score mate -{plies}"),
                Value::Draw(plies) => format!("depth {plies} score cp 0"),
                Value::Endless => "score cp 0".to_owned(),
            }
        }
        Answer::Simultaneous { .. } => {
            let Judgement::Simultaneous { worth, .. } = solved.judge(node) else {
                unreachable!("the answer is of that kind");
            };
            format!("score cp {:.0}", 0.0 + (worth[side][index] * 100.0).round())
        }
    }
}
