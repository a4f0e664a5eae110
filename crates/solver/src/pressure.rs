//! Positions that nobody can win by force, told apart: who can lead whom to where an error is possible, and how soon.
//!
//! In such a position every move either keeps it so or loses. A position in which a losing move exists is a trap for
//! whoever has to move there. By moves that keep the balance, one side may be able to force the other into a trap;
//! that is again a question of retrograde analysis. Positions that it does not settle get their turn at the next
//! level, where an error is a move that puts oneself under the pressure of an earlier level.
//!
//! All levels together look at every move once. A move from a position that a level has not settled to one that it
//! has settled is such an error: if it put the other side under pressure, the first position would be settled too. So
//! the positions that lost a move and are still undecided are the traps of the next level.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_rules::Watch;
use skirmish_rules::graph::Graph;

use crate::edges::Edges;
use crate::retrograde::{RetrogradeSearch, Solution, Unsolved};
use crate::value::Value;

/// Who is under pressure in a position that nobody can win by force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// How many kinds of error lie between this position and a loss: 0 where the error is a losing move.
    pub level: u8,
    /// Who can be made to face such an error.
    pub on: Victim,
    /// How many plies it takes to get there.
    pub plies: u16,
}

/// The side under pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The side to move is in a trap, or cannot avoid being led into one.
    Mover,
    /// The side to move can lead the other side into a trap.
    Other,
}

/// Who is under pressure, for every position.
#[derive(Debug)]
pub struct Pressures {
    /// The plies: as a loss where the side to move is under pressure, as a win where the other side is.
    codes: Vec<u16>,
    levels: Vec<u8>,
}

impl Pressures {
    /// Finds out about every position of a solved graph.
    ///
    /// # Errors
    /// If `watch` cancels it.
    pub fn of(graph: &dyn Graph, solution: &Solution, watch: &dyn Watch) -> Result<Self, Unsolved> {
        let edges = Edges::among(graph, &solution.even(), watch)?;
        let mut traps: Vec<u32> = edges.leaving().collect();
        let levels: Vec<AtomicU8> = (0..edges.size()).map(|_| AtomicU8::new(0)).collect();
        let mut search = RetrogradeSearch::new(edges, watch)?;
        for level in 0..=u8::MAX {
            // A position may be listed several times, or may have been settled since.
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

    /// The memory it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.codes.len() as u64 * 3
    }

    /// Who is under pressure in a position; nothing where nobody can lead the other anywhere, or where one side wins.
    #[must_use]
    pub fn get(&self, node: u32) -> Option<Pressure> {
        let level = self.levels[node as usize];
        match Value::unpack(self.codes[node as usize]) {
            Value::Loss(plies) => Some(Pressure { level, on: Victim::Mover, plies }),
            Value::Win(plies) => Some(Pressure { level, on: Victim::Other, plies }),
            Value::Draw(_) | Value::Endless => None,
        }
    }

    /// The bytes that [`Pressures::of`] needs at its peak, beside the solution.
    #[must_use]
    pub fn bytes_needed(solution: &Solution) -> u64 {
        // The moves forwards and backwards; for every number where they begin both ways and how many there are, its
        // plies and its level, and its place in the set of even positions.
        let (turns, size) = (solution.turns() as u64, solution.size() as u64);
        turns * 8 + size * (2 + 1 + 4 + 2 + 1 + 1)
    }
}
