//! A level's policy: a known probability distribution over the legal moves in every position.

use std::sync::Arc;

use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Both, Cancelled, Side, Watch};
use skirmish_solver::Value;
use skirmish_solver::retrograde::Solution;

use super::level::Level;
use super::sharp;
use super::traps::Traps;
use crate::solved::{Answer, Solved};

/// A level's play in a solved game.
#[derive(Clone)]
pub struct Policy {
    level: Level,
    solved: Arc<Solved>,
}

/// The perfect player's choice among equally good moves: it prefers positions in which a fallible opponent is most
/// likely to go wrong.
pub(crate) enum Finesse {
    /// In an alternating game, it leaves the opponent the most promising position.
    Traps(Traps),
    /// In a simultaneous game, it plays an equilibrium that sets traps.
    Sharp(Both<Vec<Vec<f64>>>),
}

/// The probability that the assumed opponent plays a random move.
const FALLIBLE: f64 = 0.5;

impl Finesse {
    pub(crate) fn of(solved: &Solved, watch: &dyn Watch) -> Result<Self, Cancelled> {
        Ok(match solved.answer() {
            // Skip the traps if there is not enough memory.
            Answer::Alternating(solution) if Traps::bytes_needed(solution) > solved.room_left() => {
                Self::Traps(Traps::default())
            }
            Answer::Alternating(solution) => {
                Self::Traps(Traps::against(FALLIBLE, solved.graph(), solution, watch)?)
            }
            Answer::Simultaneous { game, solution, .. } => {
                Self::Sharp(sharp::equilibrium(game, solution, FALLIBLE, watch)?)
            }
        })
    }

    /// Returns the memory in use, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Traps(traps) => traps.bytes(),
            Self::Sharp(mixes) => {
                let bytes = |mix: &Vec<f64>| size_of_val(mix) + size_of_val(mix.as_slice());
                mixes.one.iter().chain(&mixes.two).map(bytes).sum::<usize>() as u64
            }
        }
    }
}

impl Policy {
    /// Creates the policy of a level.
    #[must_use]
    pub const fn new(level: Level, solved: Arc<Solved>) -> Self {
        Self { level, solved }
    }

    /// Returns the level.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Returns the solved game.
    #[must_use]
    pub fn solved(&self) -> &Solved {
        &self.solved
    }

    /// Returns the probability of each of a side's actions in a position, in the game's order. Empty if the side has no
    /// action.
    ///
    /// # Panics
    /// If computer players are not prepared: see [`Solved::prepare_players`].
    #[must_use]
    pub fn shares(&self, node: u32, side: Side) -> Vec<f64> {
        match (self.solved.answer(), self.solved.finesse()) {
            (Answer::Alternating(solution), Finesse::Traps(traps)) => {
                let graph = self.solved.graph();
                let mut expansion = Expansion::default();
                if graph.mover(node) != Some(side)
                    || graph.expand(node, &mut expansion) != Node::Open
                {
                    return Vec::new();
                }
                slipping(self.level.slips(), &perfect(solution, traps, &expansion.next))
            }
            (Answer::Simultaneous { .. }, Finesse::Sharp(mixes)) => {
                slipping(self.level.slips(), &mixes[side][node as usize])
            }
            (Answer::Alternating(_), Finesse::Sharp(_))
            | (Answer::Simultaneous { .. }, Finesse::Traps(_)) => {
                unreachable!("the finesse is computed for this answer")
            }
        }
    }
}

/// Returns the perfect player's mix: prefers the best value and distance, then the position in which a fallible
/// opponent is most likely to go wrong.
fn perfect(solution: &Solution, traps: &Traps, next: &[u32]) -> Vec<f64> {
    let values: Vec<Value> = next.iter().map(|&next| solution.value(next).before()).collect();
    let best = values.iter().map(|value| value.rank()).max();
    let is_best = |index: &usize| Some(values[*index].rank()) == best;
    let promise = |index: usize| traps.promise(next[index]);
    let most = (0..next.len()).filter(is_best).map(promise).fold(f32::NEG_INFINITY, f32::max);
    let chosen = |index: &usize| is_best(index) && promise(*index) >= most - EVEN;
    let count = (0..next.len()).filter(chosen).count();
    (0..next.len()).map(|index| if chosen(&index) { share(count) } else { 0.0 }).collect()
}

/// Promises that differ by less than this count as equal.
const EVEN: f32 = 1e-6;

/// Returns a mix that plays a random action with probability `slips`, and otherwise by `optimal`.
fn slipping(slips: f64, optimal: &[f64]) -> Vec<f64> {
    let any = share(optimal.len());
    optimal.iter().map(|share| (1.0 - slips) * share + slips * any).collect()
}

/// Returns one of `count` equal shares.
fn share(count: usize) -> f64 {
    1.0 / f64::from(u32::try_from(count.max(1)).expect("a side has few actions"))
}
