//! Alternating games: win, loss, draw or endless for every position, with the distance to the end.
//!
//! Finished positions are known. A position is a win if some move leads to a loss of the opponent, and a loss if every
//! move leads to a win of the opponent. Working backwards from the end in order of distance finds the shortest way to
//! every win and the longest way to every loss. In all positions that this does not reach, neither side can force a
//! win; `forced.rs` finds the draws among them.

mod verify;

use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_rules::graph::{Graph, NodeOutcome};
use skirmish_rules::{Cancelled, Watch};
pub use verify::Unproven;

use crate::edges::{Back, Edges};
use crate::forced::Forced;
use crate::parallel;
use crate::value::{Bits, UNDECIDED, Value, later};

/// The peak memory per node while solving, in bytes, with about five moves per position and two thirds of the nodes in
/// use.
pub const BYTES_PER_POSITION: u64 = 31;

/// The minimum size of a frontier that is distributed over cores; also the size of its parts.
const WORTH_SHARING: usize = 1 << 14;
const PART: usize = 1 << 12;

/// The value of every position.
#[derive(Debug)]
pub struct Solution {
    codes: Vec<u16>,
    /// The forced draws, in a game that has draws.
    forced: Option<Forced>,
    reached: Bits,
    start: u32,
    most_choices: usize,
    finished: usize,
    turns: usize,
}

/// The reasons why a graph could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsolved {
    /// The watcher cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// Too many of the moves, whose total is given, lead to neighbouring nodes.
    #[error("too many moves: of {0}, more than 2^32 lead to neighbouring positions")]
    TooManyMoves(usize),
}

/// Solves a graph.
///
/// # Errors
/// If `watch` cancels the work, or there are too many moves.
pub fn solve(graph: &dyn Graph, watch: &dyn Watch) -> Result<Solution, Unsolved> {
    let edges = Edges::explore(graph, watch)?;
    let (reached, most_choices) = (edges.reached().clone(), edges.most_choices());
    let turns = edges.turns();
    let over: Vec<(u32, NodeOutcome)> = edges.over().collect();
    let ending = |wanted: NodeOutcome| {
        over.iter().filter(move |(_, verdict)| *verdict == wanted).map(|(node, _)| *node)
    };
    let mut search = RetrogradeSearch::new(edges, watch)?;
    let lost = ending(NodeOutcome::Lost).map(|node| (node, Value::Loss(0)));
    let won = ending(NodeOutcome::Won).map(|node| (node, Value::Win(0)));
    let frontier = lost.chain(won).map(|(node, value)| search.set(node, value)).collect();
    search.spread::<false>(frontier, |_| {}, watch)?;
    let drawn: Vec<u32> = ending(NodeOutcome::Drawn).collect();
    let forced = if drawn.is_empty() { None } else { Some(Forced::of(&search, &drawn, watch)?) };
    Ok(Solution {
        codes: search.finish(forced.as_ref()),
        forced,
        reached,
        start: graph.start(),
        most_choices,
        finished: over.len(),
        turns,
    })
}

/// A search that settles positions backwards from the end.
pub(crate) struct RetrogradeSearch {
    back: Back,
    /// The value of each position or, while it is undecided, the number of moves that do not yet lead to a win of the
    /// opponent. One array stores both, so that settling a position touches only one place in memory.
    codes: Vec<AtomicU16>,
}

/// The impact of settling a position on a predecessor.
enum Impact {
    Nothing,
    OneMoveFewer,
    Settled,
}

impl RetrogradeSearch {
    /// A search in which nothing is decided yet.
    pub(crate) fn new(edges: Edges, watch: &dyn Watch) -> Result<Self, Unsolved> {
        let undecided = |node| AtomicU16::new(UNDECIDED + u16::from(edges.choices(node)));
        let codes = (0..edges.size()).map(undecided).collect();
        Ok(Self { codes, back: edges.reverse(watch)? })
    }

    /// Settles a position whose value is known, and returns the position.
    pub(crate) fn set(&self, node: u32, value: Value) -> u32 {
        self.codes[node as usize].store(value.pack(), Relaxed);
        node
    }

    /// The number of moves of an undecided position that do not lead to a win of the opponent; `None` if the position
    /// is decided.
    pub(crate) fn open_moves(&self, node: u32) -> Option<u16> {
        self.codes[node as usize].load(Relaxed).checked_sub(UNDECIDED)
    }

    /// The predecessors of a position.
    pub(crate) fn before(&self, node: u32) -> &[u32] {
        self.back.before(node)
    }

    /// The number of nodes.
    pub(crate) const fn size(&self) -> usize {
        self.codes.len()
    }

    /// Settles everything that follows from a frontier of newly settled positions, in order of distance, and calls
    /// `settled` for each. If `TOUCHED`, returns the positions that lost a move; some of them may be listed several
    /// times or may have been settled since.
    pub(crate) fn spread<const TOUCHED: bool>(
        &mut self,
        mut frontier: Vec<u32>,
        settled: impl Fn(u32) + Sync,
        watch: &dyn Watch,
    ) -> Result<Vec<u32>, Cancelled> {
        let Self { back, codes } = self;
        let is_alone = parallel::threads() == 1;
        let mut touched = Vec::new();
        let mut plies = 0;
        while !frontier.is_empty() {
            plies = later(plies);
            let parts = frontier.chunks(PART);
            frontier = if is_alone || frontier.len() < WORTH_SHARING {
                let mut found = Vec::new();
                for part in parts {
                    watch.check(0)?;
                    let lists = (&mut found, &mut touched);
                    step::<TOUCHED>(part, plies, back, ExclusiveCodes(codes), &settled, lists);
                }
                found
            } else {
                let lists = parallel::try_map(parts, |part| {
                    watch.check(0)?;
                    let (mut found, mut fewer) = (Vec::new(), Vec::new());
                    let lists = (&mut found, &mut fewer);
                    step::<TOUCHED>(part, plies, back, SharedCodes(codes), &settled, lists);
                    Ok((found, fewer))
                })?;
                let (found, fewer): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
                touched.extend(fewer.concat());
                found.concat()
            };
        }
        Ok(touched)
    }

    /// The packed values. Undecided positions become draws if a draw can be forced, and endless otherwise.
    pub(crate) fn finish(self, forced: Option<&Forced>) -> Vec<u16> {
        let codes =
            self.codes.into_iter().enumerate().map(|(node, code)| match code.into_inner() {
                UNDECIDED.. => forced.map_or(Value::Endless, |forced| forced.value(node)).pack(),
                code => code,
            });
        codes.collect()
    }
}

/// Lists the positions settled by a frontier, and those that lose a move.
fn step<const TOUCHED: bool>(
    frontier: &[u32],
    plies: u16,
    back: &Back,
    mut codes: impl Codes,
    settled: &(impl Fn(u32) + Sync),
    (found, fewer): (&mut Vec<u32>, &mut Vec<u32>),
) {
    for &node in frontier {
        let value = Value::unpack(codes.get(node));
        for &before in back.before(node) {
            match codes.update(before, |code| settle(code, value, plies)) {
                Impact::Settled => {
                    settled(before);
                    found.push(before);
                }
                Impact::OneMoveFewer if TOUCHED => fewer.push(before),
                Impact::OneMoveFewer | Impact::Nothing => {}
            }
        }
    }
}

/// The new code of a position after one of its moves turns out to lead to this value; `None` if the code does not
/// change.
const fn settle(code: u16, value: Value, plies: u16) -> Option<(u16, Impact)> {
    if code < UNDECIDED {
        return None;
    }
    match value {
        Value::Loss(_) => Some((Value::Win(plies).pack(), Impact::Settled)),
        Value::Win(_) if code == UNDECIDED + 1 => {
            Some((Value::Loss(plies).pack(), Impact::Settled))
        }
        Value::Win(_) => Some((code - 1, Impact::OneMoveFewer)),
        Value::Draw(_) | Value::Endless => None,
    }
}

/// Read and write access to the codes of all positions.
trait Codes {
    fn get(&self, node: u32) -> u16;

    /// Replaces a code by the result of `rule`, which may be called several times, and returns the impact.
    fn update(&mut self, node: u32, rule: impl Fn(u16) -> Option<(u16, Impact)>) -> Impact;
}

/// Exclusive access, without atomic instructions.
struct ExclusiveCodes<'a>(&'a mut [AtomicU16]);

/// Access shared between cores.
struct SharedCodes<'a>(&'a [AtomicU16]);

impl Codes for ExclusiveCodes<'_> {
    fn get(&self, node: u32) -> u16 {
        self.0[node as usize].load(Relaxed)
    }

    fn update(&mut self, node: u32, rule: impl Fn(u16) -> Option<(u16, Impact)>) -> Impact {
        let code = self.0[node as usize].get_mut();
        let Some((after, impact)) = rule(*code) else { return Impact::Nothing };
        *code = after;
        impact
    }
}

impl Codes for SharedCodes<'_> {
    fn get(&self, node: u32) -> u16 {
        self.0[node as usize].load(Relaxed)
    }

    fn update(&mut self, node: u32, rule: impl Fn(u16) -> Option<(u16, Impact)>) -> Impact {
        let code = &self.0[node as usize];
        let mut now = code.load(Relaxed);
        while let Some((after, impact)) = rule(now) {
            match code.compare_exchange_weak(now, after, Relaxed, Relaxed) {
                Ok(_) => return impact,
                Err(changed) => now = changed,
            }
        }
        Impact::Nothing
    }
}

impl Solution {
    /// The value of a reachable position for the side to move.
    #[must_use]
    pub fn value(&self, node: u32) -> Value {
        Value::unpack(self.codes[node as usize])
    }

    /// The number of plies in which the side to move can force a draw, and the number for the other side.
    #[must_use]
    pub fn forced_draw(&self, node: u32) -> (Option<u16>, Option<u16>) {
        self.forced.as_ref().map_or((None, None), |forced| forced.plies(node as usize))
    }

    /// The starting position.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// The reachable positions.
    #[must_use]
    pub const fn reached(&self) -> &Bits {
        &self.reached
    }

    /// The reachable positions in which neither side can force a win.
    #[must_use]
    pub fn even(&self) -> Bits {
        let mut even = Bits::new(self.codes.len());
        let words = self.codes.chunks(64).zip(self.reached.words());
        for (even, (codes, reached)) in even.words_mut().iter_mut().zip(words) {
            let is_even = |&code: &u16| u64::from(Value::unpack(code).is_even());
            let bits = codes.iter().map(is_even).zip(0..);
            *even = bits.fold(0, |word, (bit, place)| word | bit << place) & reached;
        }
        even
    }

    /// The largest number of choices in any position.
    #[must_use]
    pub const fn most_choices(&self) -> usize {
        self.most_choices
    }

    /// The number of finished positions.
    #[must_use]
    pub const fn finished(&self) -> usize {
        self.finished
    }

    /// The total number of moves in all positions.
    #[must_use]
    pub const fn turns(&self) -> usize {
        self.turns
    }

    /// The number of nodes of the graph.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.codes.len()
    }

    /// The memory in use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let size = self.codes.len() as u64;
        size * 2 + size / 8 + self.forced.as_ref().map_or(0, Forced::bytes)
    }
}
