//! Pressure in positions that nobody can win by force: the side that can be steered to a position in which a mistake is
//! possible, and the number of plies.
//!
//! In such a position every move either keeps the balance or loses. A position with a losing move is a trap for the
//! side to move. By moves that keep the balance, one side may be able to force the other into a trap; retrograde
//! analysis finds these positions. The remaining positions are analysed again at the next level, where a mistake is a
//! move that puts its own side under pressure at an earlier level.
//!
//! All levels together process every move once. A move from a position left undecided by a level to a position settled
//! by it is such a mistake: if the move put the other side under pressure, the first position would be settled, too.
//! The traps of the next level are therefore the undecided positions that lost a move.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_rules::Watch;
use skirmish_rules::graph::Graph;

use crate::edges::Edges;
use crate::retrograde::{RetrogradeSearch, Solution, Unsolved};
use crate::value::Value;

/// The pressure in a position that nobody can win by force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// The number of mistakes between this one and the losing move: 0 if the mistake itself loses.
    pub level: u8,
    /// The side that can be forced into a trap.
    pub on: Victim,
    /// The number of plies to the trap.
    pub plies: u16,
}

/// The side under pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The side to move is in a trap or cannot avoid one.
    Mover,
    /// The side to move can force the other side into a trap.
    Other,
}

/// The pressure in every position.
#[derive(Debug)]
pub struct Pressures {
    /// The plies, coded as a loss if the side to move is under pressure and as a win if the other side is.
    codes: Vec<u16>,
    levels: Vec<u8>,
}

impl Pressures {
    /// Analyses every position of a solved graph.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn of(graph: &dyn Graph, solution: &Solution, watch: &dyn Watch) -> Result<Self, Unsolved> {
        let edges = Edges::among(graph, &solution.even(), watch)?;
        let mut traps: Vec<u32> = edges.leaving().collect();
        let levels: Vec<AtomicU8> = (0..edges.size()).map(|_| AtomicU8::new(0)).collect();
        let mut search = RetrogradeSearch::new(edges, watch)?;
        for level in 0..=u8::MAX {
            // A position may be listed several times, or may have been settled in the meantime.
            traps.retain(|&node| {
                let is_new = search.open_moves(node).is_some();
                if is_new {
                    search.set(node, Value::Loss(0));
                    levels[node as usize].store(level, Relaxed);
                }
                is_new
            });
            if traps.is_empty() {
                break;
            }
            let settled = |node: u32| levels[node as usize].store(level, Relaxed);
            traps = search.spread::<true>(traps, settled, watch)?;
        }
        Ok(Self {
            codes: search.finish(None),
            levels: levels.into_iter().map(AtomicU8::into_inner).collect(),
        })
    }

    /// The memory in use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.codes.len() as u64 * 3
    }

    /// The pressure in a position; `None` if neither side can force the other into a trap, or if one side wins.
    #[must_use]
    pub fn get(&self, node: u32) -> Option<Pressure> {
        let level = self.levels[node as usize];
        match Value::unpack(self.codes[node as usize]) {
            Value::Loss(plies) => Some(Pressure { level, on: Victim::Mover, plies }),
            Value::Win(plies) => Some(Pressure { level, on: Victim::Other, plies }),
            Value::Draw(_) | Value::Endless => None,
        }
    }

    /// The peak memory that [`Pressures::of`] needs in bytes, in addition to the solution.
    #[must_use]
    pub fn bytes_needed(solution: &Solution) -> u64 {
        // The moves in both directions. For every node, the two offsets, the number of moves, plies and level, and one
        // bit in the set of even positions.
        let (turns, size) = (solution.turns() as u64, solution.size() as u64);
        turns * 8 + size * (2 + 1 + 4 + 2 + 1 + 1)
    }
}
