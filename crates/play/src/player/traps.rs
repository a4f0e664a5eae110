//! Traps: among positions that nobody can force a win from, those in which a fallible opponent is most likely to go
//! wrong.

use std::ops::Range;

use skirmish_rules::graph::{Expansion, Graph};
use skirmish_rules::{Cancelled, Watch};
use skirmish_solver::parallel;
use skirmish_solver::retrograde::Solution;

/// The discount factor of mistakes per turn: earlier mistakes count more.
const PATIENCE: f32 = 0.97;

/// The promises have converged once they change by less than this.
const SETTLED: f32 = 1e-6;

const MOST_ROUNDS: usize = 1_000;

/// The number of positions processed between two checks for cancellation: a few milliseconds of work.
const BATCH: usize = 1 << 14;

/// The promise of every undecided position with the opponent to move: the discounted probability that the opponent goes
/// wrong if we only play moves that give nothing away.
#[derive(Default)]
pub(crate) struct Traps {
    nodes: Vec<u32>,
    promise: Vec<f32>,
}

/// The moves that give nothing away, for all positions.
struct Keeping {
    /// The index in `next` of each position's first move, followed by the length of `next`.
    begins: Vec<u32>,
    /// The resulting positions, as indices into the list of positions.
    next: Vec<u32>,
    /// For each position, the opponent's probability of playing any one of these moves.
    share: Vec<f32>,
    /// For each position, the opponent's probability of playing a losing move.
    error: Vec<f32>,
}

impl Keeping {
    /// Collects the moves of an opponent who plays a random move with probability `slips`, and otherwise a random one
    /// of those that give nothing away.
    fn of(
        slips: f32,
        graph: &dyn Graph,
        nodes: &[u32],
        watch: &dyn Watch,
    ) -> Result<Self, Cancelled> {
        // The index of every position in the list. Searching the list for each move would dominate the run time.
        let mut places = vec![u32::MAX; graph.size()];
        for (place, &node) in (0..).zip(nodes) {
            places[node as usize] = place;
        }
        let mut keeping =
            Self { begins: vec![0], next: Vec::new(), share: Vec::new(), error: Vec::new() };
        let mut expansion = Expansion::default();
        for (place, &node) in nodes.iter().enumerate() {
            if place % BATCH == 0 {
                watch.check(0)?;
            }
            graph.expand(node, &mut expansion);
            let begin = keeping.next.len();
            let next = expansion.next.iter().map(|&next| places[next as usize]);
            keeping.next.extend(next.filter(|&place| place != u32::MAX));
            let (all, kept) = (expansion.next.len(), keeping.next.len() - begin);
            // A drawn finished game has no moves.
            let any = slips / few(all.max(1));
            keeping.share.push((1.0 - slips) / few(kept.max(1)) + any);
            keeping.error.push(any * few(all - kept));
            keeping.begins.push(u32::try_from(keeping.next.len()).expect("fewer than 2^32 moves"));
        }
        Ok(keeping)
    }

    fn moves(&self, place: usize) -> Range<usize> {
        self.begins[place] as usize..self.begins[place + 1] as usize
    }

    /// Returns the promises of a position's successors.
    fn following<'a>(&'a self, place: usize, promises: &'a [f32]) -> impl Iterator<Item = f32> {
        self.next[self.moves(place)].iter().map(|&next| promises[next as usize])
    }
}

impl Traps {
    /// Computes the traps for an opponent who plays a random move with probability `slips`.
    pub(super) fn against(
        slips: f64,
        graph: &dyn Graph,
        solution: &Solution,
        watch: &dyn Watch,
    ) -> Result<Self, Cancelled> {
        watch.check(0)?;
        let nodes: Vec<u32> = solution.even().iter().collect();
        let keeping = Keeping::of(narrow(slips), graph, &nodes, watch)?;
        // `mine` holds the promises where we are to move, `theirs` those where the opponent is.
        let mut mine = vec![0.0_f32; nodes.len()];
        let mut theirs = vec![0.0_f32; nodes.len()];
        for _ in 0..MOST_ROUNDS {
            let step = improve(&mut theirs, watch, |place| {
                let kept: f32 = keeping.following(place, &mine).sum();
                keeping.error[place] + PATIENCE * keeping.share[place] * kept
            })?;
            improve(&mut mine, watch, |place| {
                keeping.following(place, &theirs).fold(0.0, f32::max)
            })?;
            if step < SETTLED {
                break;
            }
        }
        Ok(Self { nodes, promise: theirs })
    }

    /// Returns the memory in use, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.nodes.len() as u64 * 8
    }

    /// Returns the peak memory of [`Traps::against`] in bytes, in addition to the solution.
    pub(super) fn bytes_needed(solution: &Solution) -> u64 {
        let (turns, size) = (solution.turns() as u64, solution.size() as u64);
        if turns > u64::from(u32::MAX) {
            return u64::MAX; // Indices into the list of moves have 32 bits.
        }
        // The list of moves doubles its capacity as it grows.
        turns * 4 * 3 / 2 + size * 4 + solution.even().count() as u64 * 6 * 4
    }

    /// Returns the promise of leaving the opponent in a position; 0 if the game is decided.
    pub(super) fn promise(&self, node: u32) -> f32 {
        self.nodes.binary_search(&node).map_or(0.0, |place| self.promise[place])
    }
}

/// Replaces each promise by `better(place)` and returns the largest change.
fn improve(
    promises: &mut [f32],
    watch: &dyn Watch,
    better: impl Fn(usize) -> f32 + Sync,
) -> Result<f32, Cancelled> {
    let parts = promises.chunks_mut(BATCH).enumerate();
    let steps = parallel::try_map(parts, |(part, promises)| {
        watch.check(0)?;
        let mut largest = 0.0_f32;
        for (promise, place) in promises.iter_mut().zip(part * BATCH..) {
            let better = better(place);
            largest = largest.max((better - *promise).abs());
            *promise = better;
        }
        Ok(largest)
    })?;
    Ok(steps.into_iter().fold(0.0, f32::max))
}

#[allow(clippy::cast_possible_truncation)] // promises are compared, not added up
const fn narrow(share: f64) -> f32 {
    share as f32
}

fn few(count: usize) -> f32 {
    f32::from(u8::try_from(count).expect("a side has few actions"))
}
