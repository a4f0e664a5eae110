//! Where, among endless positions, an opponent who can err is most likely to.

use std::ops::Range;

use skirmish_rules::graph::{Expansion, Graph};
use skirmish_solver::Value;
use skirmish_solver::retrograde::Solution;

use super::policy::fallible;

/// How much an error is worth a turn later: sooner is better.
const PATIENCE: f32 = 0.97;

/// When the promises have settled.
const SETTLED: f32 = 1e-6;

const MOST_ROUNDS: usize = 1_000;

/// How many positions are looked at between two calls of `watch`: a few milliseconds' work.
const BATCH: usize = 1 << 14;

/// For every endless position in which the opponent is to move, the promise it holds: the chance that the
/// opponent goes wrong, sooner rather than later, if we only ever play moves that keep the game endless.
pub(super) struct Traps {
    nodes: Vec<u32>,
    promise: Vec<f32>,
}

/// The moves of all endless positions that keep the game endless, one position after the other.
struct Keeping {
    /// Where the moves of each position begin, and where the last ones end.
    begins: Vec<usize>,
    /// Where they lead, as places in the list of positions.
    next: Vec<u32>,
    /// The opponent's chance of playing them.
    share: Vec<f32>,
    /// For each position, the opponent's chance of playing a losing move.
    error: Vec<f32>,
}

impl Keeping {
    fn of(
        slips: f64,
        graph: &dyn Graph,
        solution: &Solution,
        nodes: &[u32],
        watch: &dyn Fn(u64),
    ) -> Self {
        // The place of every position in the list: a search for each move would take longer than all the rest.
        let mut places = vec![u32::MAX; graph.size()];
        for (place, &node) in (0..).zip(nodes) {
            places[node as usize] = place;
        }
        let mut keeping =
            Self { begins: vec![0], next: Vec::new(), share: Vec::new(), error: Vec::new() };
        let mut expansion = Expansion::default();
        for (place, &node) in nodes.iter().enumerate() {
            if place % BATCH == 0 {
                watch(BATCH as u64);
            }
            graph.expand(node, &mut expansion);
            let shares = fallible(slips, solution, &expansion.next);
            let mut error = 0.0;
            for (&next, share) in expansion.next.iter().zip(shares) {
                let (place, share) = (places[next as usize], narrow(share));
                if place == u32::MAX {
                    error += share;
                } else {
                    keeping.next.push(place);
                    keeping.share.push(share);
                }
            }
            keeping.error.push(error);
            keeping.begins.push(keeping.next.len());
        }
        keeping
    }

    fn moves(&self, place: usize) -> Range<usize> {
        self.begins[place]..self.begins[place + 1]
    }
}

impl Traps {
    /// `watch` is called with the size of each batch of positions.
    pub(super) fn against(
        slips: f64,
        graph: &dyn Graph,
        solution: &Solution,
        watch: &dyn Fn(u64),
    ) -> Self {
        watch(0);
        let nodes: Vec<u32> = solution
            .reached()
            .iter()
            .filter(|&node| solution.value(node) == Value::Endless)
            .collect();
        let keeping = Keeping::of(slips, graph, solution, &nodes, watch);
        // `mine` is the promise where we are to move, `theirs` where the opponent is.
        let mut mine = vec![0.0_f32; nodes.len()];
        let mut theirs = vec![0.0_f32; nodes.len()];
        for _ in 0..MOST_ROUNDS {
            let mut step = 0.0_f32;
            for (place, promise) in theirs.iter_mut().enumerate() {
                if place % BATCH == 0 {
                    watch(BATCH as u64);
                }
                let moves = keeping.moves(place);
                let kept: f32 = keeping.next[moves.clone()]
                    .iter()
                    .zip(&keeping.share[moves])
                    .map(|(&next, share)| share * mine[next as usize])
                    .sum();
                let better = keeping.error[place] + PATIENCE * kept;
                step = step.max((better - *promise).abs());
                *promise = better;
            }
            for (place, promise) in mine.iter_mut().enumerate() {
                let next = keeping.next[keeping.moves(place)].iter();
                *promise = next.map(|&next| theirs[next as usize]).fold(0.0, f32::max);
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
