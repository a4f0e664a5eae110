//! Where, among endless positions, an opponent who can err is most likely to.

use skirmish_rules::graph::{Expansion, Graph};
use skirmish_solver::Value;
use skirmish_solver::retrograde::Solution;

use super::policy::fallible;

/// How much an error is worth a turn later: sooner is better.
const PATIENCE: f32 = 0.97;

/// When the promises have settled.
const SETTLED: f32 = 1e-6;

const MOST_ROUNDS: usize = 1_000;

/// For every endless position in which the opponent is to move, the promise it holds: the chance that the
/// opponent goes wrong, sooner rather than later, if we only ever play moves that keep the game endless.
pub(super) struct Traps {
    nodes: Vec<u32>,
    promise: Vec<f32>,
}

struct Choice {
    /// Moves that keep the game endless, as places in the list, with the opponent's chance of playing them.
    keeping: Vec<(usize, f32)>,
    /// The opponent's chance of playing a losing move.
    error: f32,
}

impl Traps {
    pub(super) fn against(slips: f64, graph: &dyn Graph, solution: &Solution) -> Self {
        let nodes: Vec<u32> = solution
            .reached()
            .iter()
            .filter(|&node| solution.value(node) == Value::Endless)
            .collect();
        let mut expansion = Expansion::default();
        let choices: Vec<Choice> = nodes
            .iter()
            .map(|&node| {
                graph.expand(node, &mut expansion);
                let shares = fallible(slips, solution, &expansion.next);
                let mut choice = Choice { keeping: Vec::new(), error: 0.0 };
                for (next, share) in expansion.next.iter().zip(shares) {
                    let share = narrow(share);
                    match nodes.binary_search(next) {
                        Ok(place) => choice.keeping.push((place, share)),
                        Err(_) => choice.error += share,
                    }
                }
                choice
            })
            .collect();
        // `mine` is the promise where we are to move, `theirs` where the opponent is.
        let mut mine = vec![0.0_f32; nodes.len()];
        let mut theirs = vec![0.0_f32; nodes.len()];
        for _ in 0..MOST_ROUNDS {
            let mut step = 0.0_f32;
            for (place, choice) in choices.iter().enumerate() {
                let kept: f32 =
                    choice.keeping.iter().map(|&(next, share)| share * mine[next]).sum();
                let promise = choice.error + PATIENCE * kept;
                step = step.max((promise - theirs[place]).abs());
                theirs[place] = promise;
            }
            for (place, choice) in choices.iter().enumerate() {
                mine[place] =
                    choice.keeping.iter().map(|&(next, _)| theirs[next]).fold(0.0, f32::max);
            }
            if step < SETTLED {
                break;
            }
        }
        Self { nodes, promise: theirs }
    }

    /// What it promises to leave the opponent in a position; nothing where the game is decided.
    pub(super) fn promise(&self, node: u32) -> f32 {
        self.nodes.binary_search(&node).map_or(0.0, |place| self.promise[place])
    }
}

#[allow(clippy::cast_possible_truncation)] // promises are compared, not added up
const fn narrow(share: f64) -> f32 {
    share as f32
}
