//! What a level plays: in every position a known distribution over the legal moves.

use std::sync::{Arc, OnceLock};

use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Both, Side};
use skirmish_solver::Value;
use skirmish_solver::recursive::{self, Recursive};
use skirmish_solver::retrograde::Solution;

use super::level::Level;
use super::sharp;
use super::traps::Traps;
use crate::solved::{Answer, Solved};

/// A level's play in a solved game.
pub struct Policy {
    level: Level,
    solved: Arc<Solved>,
    /// Where a fallible opponent goes wrong most easily.
    traps: OnceLock<Traps>,
    /// An equilibrium that sets such traps in a simultaneous game.
    sharp: OnceLock<Both<Vec<Vec<f64>>>>,
}

/// How often the opponent slips for whom traps are set.
const FALLIBLE: f64 = 0.5;

impl Policy {
    /// The play of a level.
    #[must_use]
    pub const fn new(level: Level, solved: Arc<Solved>) -> Self {
        Self { level, solved, traps: OnceLock::new(), sharp: OnceLock::new() }
    }

    /// The level.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// The game.
    #[must_use]
    pub fn solved(&self) -> &Solved {
        &self.solved
    }

    /// Finds where traps can be set, unless that is known. `watch` is called with the size of each batch of work.
    pub(super) fn prepare(&self, watch: &dyn Fn(u64)) {
        match self.solved.answer() {
            Answer::Alternating(solution) => drop(self.traps(solution, watch)),
            Answer::Simultaneous { game, solution, .. } => drop(self.sharp(game, solution, watch)),
        }
    }

    fn traps(&self, solution: &Solution, watch: &dyn Fn(u64)) -> &Traps {
        self.traps.get_or_init(|| {
            // Without the memory to find them there are none.
            if Traps::bytes_needed(solution) > self.solved.room_left(solution) {
                return Traps::default();
            }
            Traps::against(FALLIBLE, self.solved.graph(), solution, watch)
        })
    }

    fn sharp(
        &self,
        game: &Recursive,
        solution: &recursive::Solution,
        watch: &dyn Fn(u64),
    ) -> &Both<Vec<Vec<f64>>> {
        self.sharp.get_or_init(|| {
            watch(0);
            sharp::equilibrium(game, solution, FALLIBLE)
        })
    }

    /// The chance of each of a side's actions in a position, in the game's order. Empty if it has none.
    #[must_use]
    pub fn shares(&self, node: u32, side: Side) -> Vec<f64> {
        match self.solved.answer() {
            Answer::Alternating(solution) => {
                let graph = self.solved.graph();
                let mut expansion = Expansion::default();
                if graph.mover(node) != Some(side)
                    || graph.expand(node, &mut expansion) != Node::Open
                {
                    return Vec::new();
                }
                slipping(self.level.slips(), &self.perfect(solution, &expansion.next))
            }
            Answer::Simultaneous { game, solution, .. } => {
                let mixes = self.sharp(game, solution, &|_| ());
                slipping(self.level.slips(), &mixes[side][node as usize])
            }
        }
    }

    /// Best by value and distance; among equals, where a fallible opponent is most likely to go wrong.
    fn perfect(&self, solution: &Solution, next: &[u32]) -> Vec<f64> {
        let values: Vec<Value> = next.iter().map(|&next| solution.value(next).before()).collect();
        let best = values.iter().map(|value| value.rank()).max();
        let is_best = |index: &usize| Some(values[*index].rank()) == best;
        let traps = self.traps(solution, &|_| ());
        let promise = |index: usize| traps.promise(next[index]);
        let most = (0..next.len()).filter(is_best).map(promise).fold(f32::NEG_INFINITY, f32::max);
        let chosen = |index: &usize| is_best(index) && promise(*index) >= most - EVEN;
        let count = (0..next.len()).filter(chosen).count();
        (0..next.len()).map(|index| if chosen(&index) { share(count) } else { 0.0 }).collect()
    }
}

/// Promises nearer to each other than this are even.
const EVEN: f32 = 1e-6;

/// A mix that now and then gives way to any action at all.
fn slipping(slips: f64, optimal: &[f64]) -> Vec<f64> {
    let any = share(optimal.len());
    optimal.iter().map(|share| (1.0 - slips) * share + slips * any).collect()
}

/// One of so many equal parts.
fn share(count: usize) -> f64 {
    1.0 / f64::from(u32::try_from(count.max(1)).expect("a side has few actions"))
}
