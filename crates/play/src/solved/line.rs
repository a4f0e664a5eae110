//! Lines of best play.

use std::collections::HashSet;

use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Both, Outcome, PositionError, Side};
use skirmish_solver::Value;
use skirmish_solver::recursive::MixedSolution;
use skirmish_solver::retrograde::Solution;

use super::{Answer, Solved, mixes_of};

/// A line of best play, to the end of the game or the first repeated position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestLine {
    /// The turns in notation, each with the side that moves unless both choose.
    pub turns: Vec<(Option<Side>, String)>,
    /// The repeated position, if the line does not reach the end of the game.
    pub repeats: Option<String>,
    /// The outcome, if the line reaches the end of the game.
    pub outcome: Option<Outcome>,
}

impl Solved {
    /// Returns the best line from a position; `None` if it is not reachable. Each move is the quickest win, the longest
    /// resistance or the quickest draw; ties go to the first move in the game's order. In a simultaneous game, each
    /// side makes the likeliest choice of its best mix.
    ///
    /// # Errors
    /// If `position` does not belong to the game.
    pub fn line(&self, position: &str) -> Result<Option<BestLine>, PositionError> {
        Ok(self.find(position)?.map(|node| self.line_from(node)))
    }

    /// Returns the best line from a node of the graph.
    pub(crate) fn line_from(&self, start: u32) -> BestLine {
        let (mut turns, mut seen) = (Vec::new(), HashSet::new());
        let mut node = start;
        let mut expansion = Expansion::default();
        loop {
            if let Node::Over(verdict) = self.graph.expand(node, &mut expansion) {
                let outcome = Some(self.graph.outcome(node, verdict));
                return BestLine { turns, repeats: None, outcome };
            }
            if !seen.insert(node) {
                let repeats = Some(self.graph.position(node));
                return BestLine { turns, repeats, outcome: None };
            }
            let actions = self.graph.actions(node);
            let mover = self.graph.mover(node);
            let (chosen, turn) = match (&self.answer, mover) {
                (Answer::Alternating(solution), Some(side)) => {
                    let chosen = best(solution, node, &expansion.next);
                    (chosen, actions[side][chosen].clone())
                }
                (Answer::Simultaneous { solution, .. }, _) => {
                    let Both { one, two } = likeliest(solution, node as usize);
                    let turn = format!("{}|{}", actions.one[one], actions.two[two]);
                    (one * expansion.columns + two, turn)
                }
                (Answer::Alternating(_), None) => unreachable!("somebody moves"),
            };
            turns.push((mover, turn));
            node = expansion.next[chosen];
        }
    }
}

/// Returns the index of the best move; ties go to the first.
fn best(solution: &Solution, node: u32, next: &[u32]) -> usize {
    let value = |index: usize| solution.value(next[index]).before();
    let mine = solution.forced_draw(node).0;
    // A side that can force a draw plays a move that does; other moves draw only if the opponent allows it.
    let quickness = |index: usize| match value(index) {
        Value::Win(_) | Value::Loss(_) => 0,
        Value::Draw(_) | Value::Endless => {
            let plies = match mine {
                Some(_) => solution.forced_draw(next[index]).1,
                None => value(index).plies(),
            };
            -plies.map_or(i32::MAX, i32::from)
        }
    };
    let rank = |index: &usize| (value(*index).rank(), quickness(*index));
    // Reversed, because `max_by_key` returns the last of several maxima.
    (0..next.len()).rev().max_by_key(rank).expect("somebody can move")
}

/// Returns the likeliest choice of each side's best mix; ties go to the first.
fn likeliest(solution: &MixedSolution, node: usize) -> Both<usize> {
    let choice = |mix: &[f64]| {
        let order = |&one: &usize, &two: &usize| mix[one].total_cmp(&mix[two]);
        (0..mix.len()).rev().max_by(order).expect("both can choose")
    };
    Both::from_fn(|side| choice(&mixes_of(&solution.mixes, side)[node]))
}
