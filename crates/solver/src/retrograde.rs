//! Alternating games: win, loss or endless for every position, and how far the end is.
//!
//! Finished positions are known. A position from which some move leads to a loss of the opponent is a
//! win; one from which every move leads to a win of the opponent is a loss. Working backwards from the
//! end in order of distance, every win is found by its shortest way and every loss by its longest. What is
//! never reached so is endless: both sides can keep the game going.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use rayon::prelude::*;
use skirmish_rules::graph::{Expansion, Graph, Node, Verdict};

use crate::edges::{Back, Edges};
use crate::value::{Bits, MOST_PLIES, UNDECIDED, Value};

/// The bytes that solving needs at its peak for each number of the graph, with about five moves in a position
/// and two of three numbers in use.
pub const BYTES_PER_POSITION: u64 = 31;

/// Frontiers of fewer positions than this are not worth the trouble of sharing between cores.
const WORTH_SHARING: usize = 1 << 14;

/// Every position's value.
#[derive(Debug)]
pub struct Solution {
    codes: Vec<u16>,
    reached: Bits,
    start: u32,
    most_choices: usize,
}

/// A wrong value, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("position number {node} is {claimed:?}, but its moves say otherwise")]
pub struct Refuted {
    /// The position.
    pub node: u32,
    /// What it was said to be worth.
    pub claimed: Value,
}

/// Solves a graph. `watch` hears of every batch of positions that has been expanded.
pub fn solve(graph: &dyn Graph, watch: &(dyn Fn(u64) + Sync)) -> Solution {
    let edges = Edges::explore(graph, watch);
    let (start, reached, most_choices) = (graph.start(), edges.reached(), edges.most_choices());
    Solution { codes: label(edges), reached, start, most_choices }
}

/// The packed value of every position.
fn label(edges: Edges) -> Vec<u16> {
    let over: Vec<(u32, Verdict)> = edges.over().collect();
    let size = edges.size();
    let undecided = |node| AtomicU16::new(UNDECIDED + u16::from(edges.choices(node)));
    let codes = (0..size).map(undecided).collect();
    let is_alone = rayon::current_num_threads() == 1;
    let search = Search { codes, back: edges.reverse(), is_alone };
    let mut frontier: Vec<u32> = Vec::new();
    for (node, verdict) in over {
        let value = match verdict {
            Verdict::Lost => Value::Loss(0),
            Verdict::Won => Value::Win(0),
            // A game that the rules end in a draw is worth what an endless one is.
            Verdict::Drawn => continue,
        };
        search.codes[node as usize].store(value.pack(), Relaxed);
        frontier.push(node);
    }
    for plies in 1..=MOST_PLIES {
        if frontier.is_empty() {
            break;
        }
        frontier = search.step(&frontier, plies);
    }
    // What is undecided to the end is endless, however many moves were left.
    let settled = |code: AtomicU16| Value::unpack(code.into_inner()).pack();
    search.codes.into_iter().map(settled).collect()
}

struct Search {
    back: Back,
    /// The value of each position; while it is undecided, how many of its moves do not yet lead to a win of
    /// the opponent, so that settling it looks at one place in memory.
    codes: Vec<AtomicU16>,
    /// Whether no other core works on this, so that nothing needs a lock.
    is_alone: bool,
}

impl Search {
    /// The positions whose end is `plies` away, found from those whose end is one ply nearer.
    fn step(&self, frontier: &[u32], plies: u16) -> Vec<u32> {
        let share = |part: &[u32]| {
            let mut found = Vec::new();
            for &node in part {
                let value = Value::unpack(self.codes[node as usize].load(Relaxed));
                for &before in self.back.before(node) {
                    if self.settle(before, value, plies) {
                        found.push(before);
                    }
                }
            }
            found
        };
        if frontier.len() < WORTH_SHARING {
            return share(frontier);
        }
        frontier.par_chunks(WORTH_SHARING / 4).map(share).flatten_iter().collect()
    }

    /// Notes that a move from `before` leads to a position of that value. Says whether that settles it.
    fn settle(&self, before: u32, value: Value, plies: u16) -> bool {
        let code = &self.codes[before as usize];
        let mut now = code.load(Relaxed);
        while now >= UNDECIDED {
            let (after, is_settled) = match value {
                Value::Loss(_) => (Value::Win(plies).pack(), true),
                Value::Win(_) if now == UNDECIDED + 1 => (Value::Loss(plies).pack(), true),
                Value::Win(_) => (now - 1, false),
                Value::Endless => return false,
            };
            if self.is_alone {
                code.store(after, Relaxed);
                return is_settled;
            }
            match code.compare_exchange_weak(now, after, Relaxed, Relaxed) {
                Ok(_) => return is_settled,
                Err(changed) => now = changed,
            }
        }
        false
    }
}

impl Solution {
    /// What a position that can arise is worth to the side to move.
    #[must_use]
    pub fn value(&self, node: u32) -> Value {
        Value::unpack(self.codes[node as usize])
    }

    /// The position the game starts from.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// The positions that can arise in play.
    #[must_use]
    pub const fn reached(&self) -> &Bits {
        &self.reached
    }

    /// The largest number of choices in any position.
    #[must_use]
    pub const fn most_choices(&self) -> usize {
        self.most_choices
    }

    /// Checks every value against those of the positions one move ahead, which proves them all: wins and
    /// losses by induction on their distance, and what is endless because both sides can keep it so.
    ///
    /// # Errors
    /// When a value does not hold.
    pub fn verify(&self, graph: &dyn Graph) -> Result<(), Refuted> {
        let nodes: Vec<u32> = self.reached.iter().collect();
        nodes.into_par_iter().try_for_each_init(Expansion::default, |expansion, node| {
            let claimed = self.value(node);
            let holds = match graph.expand(node, expansion) {
                Node::Hole | Node::Over(Verdict::Drawn) => claimed == Value::Endless,
                Node::Over(Verdict::Lost) => claimed == Value::Loss(0),
                Node::Over(Verdict::Won) => claimed == Value::Win(0),
                Node::Open => {
                    let moves = expansion.next.iter().map(|&next| self.value(next).before());
                    moves.max_by_key(|value| value.rank()) == Some(claimed)
                }
            };
            if holds { Ok(()) } else { Err(Refuted { node, claimed }) }
        })
    }
}
