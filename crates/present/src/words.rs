//! Describes values, games and endings in words.

mod numbers;

use skirmish_play::{Analysis, Answer, Judgement, MatchState, NoRoom, RatedMove, Score, Solved};
use skirmish_rules::{
    Ending, Entry, Names, Outcome, Settings, Side, Table, Tempo, Termination, alternatives,
};
use skirmish_solver::Value;
use skirmish_solver::pressure::{Pressure, Victim};
use skirmish_solver::recursive::Stage;

pub use self::numbers::{points, signed};
use crate::{Manner, study};

/// The value of a move or a position for the side to move: `win in 7`, `loss in 4`.
#[must_use]
pub fn value(value: Value) -> String {
    match value {
        Value::Win(0) => "won".to_owned(),
        Value::Loss(0) => "lost".to_owned(),
        Value::Draw(0) => "drawn".to_owned(),
        Value::Win(plies) => format!("win in {plies}"),
        Value::Loss(plies) => format!("loss in {plies}"),
        Value::Draw(plies) => format!("draw in {plies}"),
        Value::Endless => "endless if both play well".to_owned(),
    }
}

/// The abbreviated value: `W7`, `L4`, `D2`, `=`.
#[must_use]
pub fn letter(value: Value) -> String {
    match value {
        Value::Win(plies) => format!("W{plies}"),
        Value::Loss(plies) => format!("L{plies}"),
        Value::Draw(plies) => format!("D{plies}"),
        Value::Endless => "=".to_owned(),
    }
}

/// The name of a game with its non-default rule options: `Base Battle (positions=9)`.
#[must_use]
pub fn game(entry: &Entry, settings: &Settings) -> String {
    match settings.changes() {
        changes if changes.is_empty() => entry.name.to_owned(),
        changes => format!("{} ({changes})", entry.name),
    }
}

/// The opening line of a game: the rulebook's greeting or, after a custom start, the starting position.
#[must_use]
pub fn welcome(table: &dyn Table) -> String {
    let Some(position) = &table.setup().position else { return table.welcome() };
    let from = format!("{} from the position {position}.", table.entry().name);
    match table.tempo() {
        Tempo::Alternating => format!("{from} {} moves.", table.names()[table.first()]),
        Tempo::Simultaneous => from,
    }
}

/// The message after taking back `turns` turns; 0 if only a choice was withdrawn.
#[must_use]
pub fn taken_back(turns: usize) -> String {
    match turns {
        0 => "The choice has been taken back.".to_owned(),
        1 => "The last turn has been taken back.".to_owned(),
        _ => format!("The last {turns} turns have been taken back."),
    }
}

/// The result of the coin toss that decides who starts (R-ALL-1).
#[must_use]
pub fn toss(names: &Names, first: Side) -> String {
    format!("The coin toss decides: {} starts.", names[first])
}

/// Reports the score of a match after a game, and its winner once it is over.
#[must_use]
pub fn standing(state: &MatchState) -> String {
    match state {
        MatchState::Next(now, _) => format!("Match: {}", score(now)),
        MatchState::Over(last) => match last.leader() {
            Some(winner) => format!("{} wins the match: {}", last.names[winner], score(last)),
            None => format!("The match is drawn: {}", score(last)),
        },
    }
}

/// The score of a match: `Ann 1½ - ½ Bob`.
#[must_use]
pub fn score(score: &Score) -> String {
    let Names { one, two } = &score.names;
    format!("{one} {} - {} {two}", score.points(Side::One), score.points(Side::Two))
}

/// Describes the end of a game, one sentence per line; `None` if the rules ended it, because the report on the last turn
/// says so in the rulebook's words.
#[must_use]
pub fn ending(ending: Ending, names: &Names, turn_limit: Option<u32>) -> Option<String> {
    Some(match (ending.termination, ending.outcome) {
        (Termination::Rules, _) => return None,
        (Termination::Resigned, Outcome::Won(winner)) => {
            format!("{} resigns.\n{} wins the game!", names[winner.other()], names[winner])
        }
        (Termination::Agreed, _) => "The players agree on a draw.".to_owned(),
        (Termination::TurnLimit, _) => {
            let limit = turn_limit.map_or(String::new(), |turns| format!(" of {turns}"));
            format!("The turn limit{limit} is reached: the game is a draw.")
        }
        (Termination::Time, Outcome::Won(winner)) => {
            format!("{}'s time is up.\n{} wins the game!", names[winner.other()], names[winner])
        }
        (Termination::Time, Outcome::Draw) => {
            "Both players' time is up: the game is a draw.".to_owned()
        }
        (other, Outcome::Won(winner)) => format!("{} wins the game ({other}).", names[winner]),
        (other, Outcome::Draw) => format!("The game is a draw ({other})."),
    })
}

/// Describes a forfeit by a program. Records identify the side at fault by its seat; this text uses its name.
#[must_use]
pub fn forfeit(fault: &str, names: &Names, outcome: Outcome) -> String {
    let Some(winner) = outcome.winner() else {
        return format!("{fault}. The game is a draw.");
    };
    let loser = winner.other();
    let fault = match fault.strip_prefix(&format!("{loser} ")) {
        Some(rest) => format!("{} {rest}", names[loser]),
        None => fault.to_owned(),
    };
    format!("{fault}. {} wins the game!", names[winner])
}

/// The class of a position for the side to move, or for Player 1 in a simultaneous game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A forced win.
    Won,
    /// A forced loss.
    Lost,
    /// A draw can be forced.
    Drawn,
    /// No result can be forced.
    Endless,
}

impl From<Value> for Class {
    fn from(value: Value) -> Self {
        match value {
            Value::Win(_) => Self::Won,
            Value::Loss(_) => Self::Lost,
            Value::Draw(_) => Self::Drawn,
            Value::Endless => Self::Endless,
        }
    }
}

/// The number of positions in each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// The number of won positions.
    pub won: u32,
    /// The number of lost positions.
    pub lost: u32,
    /// The number of drawn positions.
    pub drawn: u32,
    /// The number of endless positions.
    pub endless: u32,
}

impl ClassCounts {
    /// Counts one more position.
    pub const fn add(&mut self, class: Class) {
        *match class {
            Class::Won => &mut self.won,
            Class::Lost => &mut self.lost,
            Class::Drawn => &mut self.drawn,
            Class::Endless => &mut self.endless,
        } += 1;
    }

    /// The total number of positions.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.won + self.lost + self.drawn + self.endless
    }

    /// `, 5 drawn` if there are draws, otherwise empty: most games have none.
    #[must_use]
    pub fn drawn_words(&self) -> String {
        if self.drawn > 0 { format!(", {} drawn", self.drawn) } else { String::new() }
    }
}

/// Classifies a position. In a simultaneous game, only finished games can be draws.
pub fn class(solved: &Solved, node: u32) -> Class {
    match solved.answer() {
        Answer::Alternating(solution) => solution.value(node).into(),
        Answer::Simultaneous { game, solution, .. } => {
            let (value, error) = solution.bounds.value(node as usize);
            match game.nodes[node as usize] {
                _ if value >= 1.0 - error => Class::Won,
                _ if value <= error - 1.0 => Class::Lost,
                Stage::Over(_) => Class::Drawn,
                Stage::Open { .. } => Class::Endless,
            }
        }
    }
}

/// The best moves by value and distance.
#[must_use]
pub fn best(moves: &[RatedMove]) -> Vec<&RatedMove> {
    let best = moves.iter().map(|option| option.value.rank()).max();
    moves.iter().filter(|option| Some(option.value.rank()) == best).collect()
}

/// The moves that keep a win, however long it takes.
#[must_use]
pub fn winning(moves: &[RatedMove]) -> Vec<&RatedMove> {
    moves.iter().filter(|option| matches!(option.value, Value::Win(_))).collect()
}

/// A sentence about the side under pressure in a position that nobody can win by force.
#[must_use]
pub fn pressure(
    pressure: &Result<Option<Pressure>, NoRoom>,
    mover: Side,
    names: &Names,
) -> Option<String> {
    let Pressure { level, on, plies } = match *pressure {
        Ok(pressure) => pressure?,
        Err(error) => return Some(format!("Cannot determine who is under pressure: {error}.")),
    };
    let victim = match on {
        Victim::Mover => mover,
        Victim::Other => mover.other(),
    };
    let (victim, other) = (&names[victim], &names[victim.other()]);
    let mistake = if level == 0 {
        format!("a mistake lets {other} force a win")
    } else {
        format!("a mistake lets {other} build up pressure (level {level})")
    };
    if plies == 0 {
        return Some(format!("Careful: here {mistake}."));
    }
    let plies = plies_word(plies);
    Some(format!("{other} can steer {victim} in {plies} to a position in which {mistake}."))
}

/// One sentence for each move that applies pressure in a position that nobody can win by force.
#[must_use]
pub fn pressing(solved: &Solved, judgement: &Judgement, mover: Side, names: &Names) -> Vec<String> {
    let Judgement::Alternating { value: Value::Endless, moves, .. } = judgement else {
        return Vec::new();
    };
    let other = names.short(mover.other());
    let mut sentences = Vec::new();
    for option in best(moves) {
        let Ok(pressure) = solved.pressure_at(&option.position) else { return Vec::new() };
        let Some(Pressure { level, on, plies }) = pressure else { continue };
        let notation = &option.notation;
        sentences.push(match on {
            Victim::Other => format!("{notation} lets {other} apply pressure to you."),
            Victim::Mover => {
                let gain = if level == 0 { "force a win" } else { "build up more pressure" };
                let where_to = match plies {
                    0 => "a mistake in reply".to_owned(),
                    plies => format!(
                        "you can steer {other} in {} to a position in which a mistake",
                        plies_word(plies)
                    ),
                };
                format!("{notation} applies pressure: {where_to} lets you {gain}.")
            }
        });
    }
    if sentences.is_empty() {
        sentences.push("No move applies pressure.".to_owned());
    }
    sentences
}

/// Sentences about who can force a draw, and in how many plies.
fn forced_draw(
    (mine, theirs): (Option<u16>, Option<u16>),
    mover: Side,
    names: &Names,
) -> Option<String> {
    let forces =
        |who: &str, plies: u16| format!("{who} can force a draw in {}.", plies_word(plies));
    match (mine, theirs) {
        (Some(mine), Some(theirs)) if mine == theirs => Some(forces("Either side", mine)),
        _ => {
            let sides = [(mover, mine), (mover.other(), theirs)];
            let forcing = sides.into_iter().filter_map(|(side, plies)| Some((side, plies?)));
            let sentences = forcing.map(|(side, plies)| forces(&names[side], plies));
            let text = sentences.collect::<Vec<String>>().join(" ");
            (!text.is_empty()).then_some(text)
        }
    }
}

/// Additional sentences about a position: who can force a draw, and who is under pressure.
#[must_use]
pub fn remarks(analysis: &Analysis, mover: Option<Side>, names: &Names) -> Vec<String> {
    let Some(mover) = mover else { return Vec::new() };
    let draw = match &analysis.verdict {
        Judgement::Alternating { moves, forced_draw: plies, .. } if !moves.is_empty() => {
            forced_draw(*plies, mover, names)
        }
        Judgement::Alternating { .. } | Judgement::Simultaneous { .. } => None,
    };
    draw.into_iter().chain(pressure(&analysis.pressure, mover, names)).collect()
}

fn plies_word(plies: u16) -> String {
    if plies == 1 { "1 ply".to_owned() } else { format!("{plies} plies") }
}

/// Describes the analysis of a position.
#[must_use]
pub fn analysis(analysis: &Analysis, mover: Option<Side>, names: &Names, manner: Manner) -> String {
    match &analysis.verdict {
        Judgement::Alternating { value: whole, moves, .. } => {
            let name = mover.map_or("The side to move", |side| &names[side]);
            let mut lines = vec![format!("{name}: {}", value(*whole))];
            let best = best(moves);
            lines.extend(moves.iter().map(|option| rated(option, best.contains(&option), manner)));
            lines.extend(remarks(analysis, mover, names));
            lines.join("\n")
        }
        Judgement::Simultaneous { value, error, strategy, worth: _ } => {
            let value = signed(*value, 9);
            let mut lines =
                vec![format!("Value for {}: {value} (off by less than {error:.0e})", names.one)];
            for side in Side::ALL {
                let mix = &strategy[side];
                if !mix.is_empty() {
                    lines.push(format!("{}'s best mix: {}", names[side], shares(mix)));
                }
            }
            if let Some(payoffs) = &analysis.payoffs {
                lines.push(study::payoffs(payoffs, strategy, names, manner));
            }
            lines.join("\n")
        }
    }
}

/// A move and its value: a line, starred if the move is best, or a sentence.
fn rated(
    RatedMove { notation, position, value: worth, .. }: &RatedMove,
    is_best: bool,
    manner: Manner,
) -> String {
    let worth = value(*worth);
    match manner {
        Manner::Usual | Manner::Plain => {
            let star = if is_best { "*" } else { " " };
            format!("  {star} {notation:<5} to {position:<12} {worth}")
        }
        Manner::Spoken => {
            let best = if is_best { ", the best" } else { "" };
            format!("Move {notation} to {position}: {worth}{best}.")
        }
    }
}

/// A mix in words: `charge 50.0%, shield 50.0%`.
#[must_use]
pub fn shares(mix: &[(String, f64)]) -> String {
    let parts: Vec<String> =
        mix.iter().map(|(action, share)| format!("{action} {}", percent(*share, 1))).collect();
    parts.join(", ")
}

/// Formats a share as a percentage with this many decimals: `35.7%`. Only an impossible choice is `0.0%`, and only a
/// certain one `100.0%`; anything close to these becomes `<0.1%` or `>99.9%`.
#[must_use]
pub fn percent(share: f64, decimals: u8) -> String {
    /// Smaller differences are rounding errors.
    const NOISE: f64 = 1e-9;
    let shown = |percent: f64| format!("{percent:.*}%", usize::from(decimals));
    let (rounded, step) = (shown(share * 100.0), 0.1_f64.powi(decimals.into()));
    if share > NOISE && rounded == shown(0.0) {
        format!("<{}", shown(step))
    } else if share < 1.0 - NOISE && rounded == shown(100.0) {
        format!(">{}", shown(100.0 - step))
    } else {
        rounded
    }
}

/// The best move and its result, in words.
#[must_use]
pub fn hint(judgement: &Judgement, side: Side) -> String {
    match judgement {
        Judgement::Alternating { moves, .. } => {
            let best = best(moves);
            let Some(first) = best.first() else { return "The game is over.".to_owned() };
            let worth = value(first.value);
            if best.iter().all(|option| option.value == first.value) {
                let moves = alternatives(best.iter().map(|option| &option.notation));
                return format!("Best: {moves} ({worth}).");
            }
            // A draw and an endless game have the same rank, but different words.
            let rated =
                |option: &&RatedMove| format!("{} ({})", option.notation, value(option.value));
            format!("Best: {}.", alternatives(best.iter().map(rated)))
        }
        Judgement::Simultaneous { value, strategy, .. } => {
            let mine = points(match side {
                Side::One => *value,
                Side::Two => -value,
            });
            let mix = &strategy[side];
            match mix.as_slice() {
                [(action, _)] => format!("Best: {action} (worth {mine} to you)."),
                _ => format!("Best is a mix: {} (worth {mine} to you).", shares(mix)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::Both;

    use super::*;

    #[test]
    fn a_score_has_names_and_halves() {
        let names = Both::new("Ann".to_owned(), "Bob".to_owned());
        let standing = Score { names, half_points: Both::new(3, 1) };
        assert_eq!(score(&standing), "Ann 1½ - ½ Bob");
        let over = MatchState::Over(standing);
        assert_eq!(super::standing(&over), "Ann wins the match: Ann 1½ - ½ Bob");
    }

    #[test]
    fn a_forfeit_names_the_loser() {
        let names = Both::new("Ann".to_owned(), "Player 2 (mybot.py)".to_owned());
        let text = forfeit("Player 2 gave no move within 30 s", &names, Outcome::Won(Side::One));
        assert_eq!(text, "Player 2 (mybot.py) gave no move within 30 s. Ann wins the game!");
        let both = forfeit("Player 1 ended; Player 2 ended", &names, Outcome::Draw);
        assert_eq!(both, "Player 1 ended; Player 2 ended. The game is a draw.");
    }
}
