//! The best line: how a game goes on if both sides play their best.

use std::collections::HashSet;

use skirmish_rules::graph::{Expansion, Node, NodeOutcome};
use skirmish_rules::{Both, Outcome, PositionError, Side};
use skirmish_solver::Value;
use skirmish_solver::recursive::MixedSolution;
use skirmish_solver::retrograde::Solution;

use super::{Answer, Solved};

/// Turns of best play, to the end of the game or until a position comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The turns, in notation, each with the side that moves, if it is only one.
    pub turns: Vec<(Option<Side>, String)>,
    /// The position that comes back, if the line does not reach the end of the game.
    pub repeats: Option<String>,
    /// How the game ends otherwise.
    pub outcome: Option<Outcome>,
}

impl Solved {
    /// The best line from a position; `None` if it is not reachable. Each move is the shortest win, the longest resistance
    /// or the quickest draw, and of several the first in the game's order. In a simultaneous game each side makes the
    /// likeliest choice of its best mix.
    ///
    /// # Errors
    /// If `position` is not a position of the game.
    pub fn line(&self, position: &str) -> Result<Option<Line>, PositionError> {
        Ok(self.find(position)?.map(|node| self.line_from(node)))
    }

    /// The best line from a position of the graph.
    pub(crate) fn line_from(&self, start: u32) -> Line {
        let (mut turns, mut seen) = (Vec::new(), HashSet::new());
        let mut node = start;
        let mut expansion = Expansion::default();
        loop {
            let kind = self.graph.expand(node, &mut expansion);
            if let Some(outcome) = self.outcome(node, kind) {
                return Line { turns, repeats: None, outcome: Some(outcome) };
            }
            if !seen.insert(node) {
                let repeats = Some(self.graph.position(node));
                return Line { turns, repeats, outcome: None };
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

    /// How the game ended, if it has.
    fn outcome(&self, node: u32, kind: Node) -> Option<Outcome> {
        let Node::Over(verdict) = kind else { return None };
        let side = self.graph.mover(node).unwrap_or(Side::One);
        Some(match verdict {
            NodeOutcome::Won => Outcome::Won(side),
            NodeOutcome::Lost => Outcome::Won(side.other()),
            NodeOutcome::Drawn => Outcome::Draw,
        })
    }
}

/// The first of the best moves.
fn best(solution: &Solution, node: u32, next: &[u32]) -> usize {
    let value = |index: usize| solution.value(next[index]).before();
    let mine = solution.forced_draw(node).0;
    // A side that can force a draw takes the move that does; the others lead to a draw only if the other side likes.
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
    // `max_by_key` returns the last of several.
    (0..next.len()).rev().max_by_key(rank).expect("somebody can move")
}

/// The likeliest choice of each side's best mix, the first of several.
fn likeliest(solution: &MixedSolution, node: usize) -> Both<usize> {
    let choice = |mix: &[f64]| {
        let order = |&one: &usize, &two: &usize| mix[one].total_cmp(&mix[two]);
        (0..mix.len()).rev().max_by(order).expect("both can choose")
    };
    Both::new(choice(&solution.mixes.rows[node]), choice(&solution.mixes.columns[node]))
}
