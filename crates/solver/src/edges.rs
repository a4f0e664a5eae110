//! The turns of a game, stored compactly: which positions follow from each.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;
use skirmish_rules::graph::{Expansion, Graph, Node, Verdict};
use skirmish_rules::{MAX_ACTIONS, Tempo};

use crate::value::{Bits, number};

/// How many positions share a block. Where a position's turns begin within its block fits into 16 bits, so blocks of
/// matrices are smaller.
const BLOCK: usize = 4096;
const MATRIX_BLOCK: usize = 512;

const _: () = {
    let most_turns = MAX_ACTIONS * MAX_ACTIONS;
    assert!(most_turns <= u8::MAX as usize, "the turns of a position are counted in a byte");
    assert!(BLOCK * MAX_ACTIONS <= u16::MAX as usize, "a block fits");
    assert!(MATRIX_BLOCK * most_turns <= u16::MAX as usize, "a block of the largest matrices fits");
};

/// How many turns a block gets room for at a time. Doubling, as lists usually do, would waste much memory.
const MORE_TURNS: usize = 1024;

const WORD: usize = u64::BITS as usize;

/// How many positions share one base in [`Back`].
const GROUP: usize = 4096;

/// Which positions follow from which.
#[derive(Debug)]
pub struct Edges {
    blocks: Vec<Block>,
    /// How many positions each block is for.
    length: usize,
    size: usize,
}

#[derive(Debug)]
struct Block {
    /// The positions that have been expanded.
    seen: Vec<u64>,
    /// Where the followers of each position begin, and how many there are.
    begins: Vec<u16>,
    counts: Vec<u8>,
    next: Vec<u32>,
    over: Vec<(u32, Verdict)>,
    /// The positions with a turn that leaves the set; see [`Edges::among`].
    leaving: Vec<u32>,
    most_choices: usize,
}

impl Edges {
    /// Follows every turn from the start of a game, on all cores. `watch` is called with the size of each batch
    /// of positions.
    pub fn explore(graph: &dyn Graph, watch: &(dyn Fn(u64) + Sync)) -> Self {
        let size = graph.size();
        let found = (0..size.div_ceil(WORD)).map(|_| AtomicU64::new(0)).collect();
        let length = block_length(graph);
        let search = Search { graph, found, length };
        let mut blocks = Block::enough_for(size, length);
        search.find(graph.start());
        loop {
            // A pass in the order of the numbers: positions that are near in number are near in memory, and
            // most of what a pass finds it also expands.
            let expanded: u64 = blocks
                .par_iter_mut()
                .enumerate()
                .map(|(index, block)| {
                    let expanded = search.expand_found(index, block);
                    if expanded > 0 {
                        watch(expanded);
                    }
                    expanded
                })
                .sum();
            if expanded == 0 {
                break;
            }
        }
        Self { blocks, length, size }
    }

    /// The turns from positions of a set to positions of the same set.
    pub(crate) fn among(graph: &dyn Graph, members: &Bits, watch: &(dyn Fn(u64) + Sync)) -> Self {
        let length = block_length(graph);
        let mut blocks = Block::enough_for(graph.size(), length);
        blocks.par_iter_mut().enumerate().for_each(|(index, block)| {
            let mut expansion = Expansion::default();
            let mut expanded = 0;
            let words = members.words(index * length / WORD, length / WORD);
            for (offset, mut bits) in words.enumerate() {
                block.seen[offset] = bits;
                expanded += u64::from(bits.count_ones());
                while bits != 0 {
                    let place = offset * WORD + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let node = number(index * length + place);
                    let kind = graph.expand(node, &mut expansion);
                    let all = expansion.next.len();
                    expansion.next.retain(|next| members.contains(*next));
                    if expansion.next.len() < all {
                        block.leaving.push(node);
                    }
                    block.note(node, place, kind, &expansion);
                }
            }
            if expanded > 0 {
                watch(expanded);
            }
        });
        Self { blocks, length, size: graph.size() }
    }

    /// The finished positions.
    pub fn over(&self) -> impl Iterator<Item = (u32, Verdict)> {
        self.blocks.iter().flat_map(|block| block.over.iter().copied())
    }

    /// The positions with a turn that leaves the set that was asked for.
    pub(crate) fn leaving(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().flat_map(|block| block.leaving.iter().copied())
    }

    /// How many turns there are in a position.
    #[must_use]
    pub fn choices(&self, node: usize) -> u8 {
        let counts = &self.blocks[node / self.length].counts;
        counts.get(node % self.length).copied().unwrap_or(0)
    }

    /// The largest number of turns in any position.
    #[must_use]
    pub fn most_choices(&self) -> usize {
        self.blocks.iter().map(|block| block.most_choices).max().unwrap_or(0)
    }

    /// How many turns there are in all.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.blocks.iter().map(|block| block.next.len()).sum()
    }

    /// How many numbers there are, those of unreachable positions included.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The positions that have been expanded: those that can arise.
    #[must_use]
    pub fn reached(&self) -> Bits {
        let mut reached = Bits::new(self.size);
        reached.fill(self.blocks.iter().flat_map(|block| block.seen.iter().copied()));
        reached
    }

    /// Turns all turns around: from which positions each one can be reached.
    ///
    /// Every core looks at all turns but only minds those into its own part of the positions, so that none
    /// waits for another.
    pub(crate) fn reverse(self) -> Back {
        // Parts are made of whole groups.
        let part = self.size.div_ceil(rayon::current_num_threads()).max(1).next_multiple_of(GROUP);
        let mut offsets = vec![0_u32; self.size + 1];
        offsets[..self.size].par_chunks_mut(part).enumerate().for_each(|(index, counts)| {
            let first = index * part;
            self.for_each(|_, next| {
                if let Some(count) =
                    (next as usize).checked_sub(first).and_then(|at| counts.get_mut(at))
                {
                    *count += 1;
                }
            });
        });
        let (bases, total) = add_up(&mut offsets);
        let mut before = vec![0_u32; total];
        let mut rest = before.as_mut_slice();
        let mut parts = Vec::new();
        let (ends, _) = offsets.split_at_mut(self.size);
        for first in (0..self.size).step_by(part) {
            let begin = total - rest.len();
            let end = if first + part < self.size { bases[(first + part) / GROUP] } else { total };
            let (mine, others) = rest.split_at_mut(end - begin);
            parts.push((begin, mine));
            rest = others;
        }
        // Filled from the back of each list, so that in the end the offsets are where the lists begin.
        ends.par_chunks_mut(part).zip(parts).enumerate().for_each(
            |(index, (ends, (begin, mine)))| {
                let first = index * part;
                self.for_each(|node, next| {
                    let place = (next as usize).checked_sub(first);
                    if let Some(end) = place.and_then(|at| ends.get_mut(at)) {
                        *end -= 1;
                        mine[bases[next as usize / GROUP] + *end as usize - begin] = node;
                    }
                });
            },
        );
        Back { bases, offsets, before }
    }

    fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
        for (index, block) in self.blocks.iter().enumerate() {
            block.for_each(index * self.length, &mut visit);
        }
    }
}

/// How many positions of a graph share a block.
fn block_length(graph: &dyn Graph) -> usize {
    match graph.tempo() {
        Tempo::Alternating => BLOCK,
        Tempo::Simultaneous => MATRIX_BLOCK,
    }
}

struct Search<'a> {
    graph: &'a dyn Graph,
    /// The positions found so far.
    found: Vec<AtomicU64>,
    length: usize,
}

impl Search<'_> {
    /// Notes a position.
    #[inline]
    fn find(&self, node: u32) {
        let word = &self.found[node as usize / WORD];
        let bit = 1 << (node as usize % WORD);
        // Most positions are not new: a plain load spares the cores a locked instruction.
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    /// Expands what has been found in a block, and what that finds in the same block. Returns how much it was.
    fn expand_found(&self, index: usize, block: &mut Block) -> u64 {
        let first = index * self.length / WORD;
        let words = &self.found[first..self.found.len().min(first + self.length / WORD)];
        let mut expansion = Expansion::default();
        let mut expanded = 0;
        for (offset, word) in words.iter().enumerate() {
            loop {
                let mut bits = word.load(Relaxed) & !block.seen[offset];
                if bits == 0 {
                    break;
                }
                block.seen[offset] |= bits;
                expanded += u64::from(bits.count_ones());
                while bits != 0 {
                    let place = offset * WORD + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let node = number(index * self.length + place);
                    let kind = self.graph.expand(node, &mut expansion);
                    block.note(node, place, kind, &expansion);
                    if kind == Node::Open {
                        expansion.next.iter().for_each(|&next| self.find(next));
                    }
                }
            }
        }
        expanded
    }
}

impl Block {
    fn enough_for(size: usize, length: usize) -> Vec<Self> {
        (0..size.div_ceil(length)).map(|_| Self::empty(length)).collect()
    }

    fn empty(length: usize) -> Self {
        Self {
            seen: vec![0; length / WORD],
            begins: Vec::new(),
            counts: Vec::new(),
            next: Vec::new(),
            over: Vec::new(),
            leaving: Vec::new(),
            most_choices: 0,
        }
    }

    fn note(&mut self, node: u32, place: usize, kind: Node, expansion: &Expansion) {
        if self.counts.is_empty() {
            let length = self.seen.len() * WORD;
            self.begins = vec![0; length];
            self.counts = vec![0; length];
        }
        match kind {
            Node::Open => {
                self.begins[place] = u16::try_from(self.next.len()).expect("a block has few turns");
                self.counts[place] =
                    u8::try_from(expansion.next.len()).expect("there are few choices");
                if self.next.capacity() - self.next.len() < expansion.next.len() {
                    self.next.reserve_exact(MORE_TURNS);
                }
                self.next.extend(&expansion.next);
                self.most_choices = self.most_choices.max(expansion.next.len());
            }
            Node::Over(verdict) => self.over.push((node, verdict)),
            Node::Hole => unreachable!("what follows from a position is a position"),
        }
    }

    fn for_each(&self, first: usize, mut visit: impl FnMut(u32, u32)) {
        for (place, (&begin, &count)) in self.begins.iter().zip(&self.counts).enumerate() {
            let node = number(first + place);
            let begin = usize::from(begin);
            for &next in &self.next[begin..begin + usize::from(count)] {
                visit(node, next);
            }
        }
    }
}

/// The turns backwards.
pub(crate) struct Back {
    /// Where the turns into each group of positions begin: there may be more turns than 32 bits count.
    bases: Vec<usize>,
    /// Where the turns into each position begin within those into its group.
    offsets: Vec<u32>,
    before: Vec<u32>,
}

impl Back {
    /// The positions from which one can be reached.
    pub(crate) fn before(&self, node: u32) -> &[u32] {
        let begin = |node: usize| self.bases[node / GROUP] + self.offsets[node] as usize;
        &self.before[begin(node as usize)..begin(node as usize + 1)]
    }
}

/// Turns counts into their sums from the beginning of each group, and tells where the groups begin and the total.
fn add_up(counts: &mut [u32]) -> (Vec<usize>, usize) {
    let mut total = 0;
    let bases = counts.chunks_mut(GROUP).map(|group| {
        let mut sum = 0_u32;
        for count in group {
            sum = sum.checked_add(*count).expect("a position has few predecessors");
            *count = sum;
        }
        let base = total;
        total += sum as usize;
        base
    });
    (bases.collect(), total)
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{GAMES, Settings, Side};

    use super::*;

    /// The number of all turns once had 32 bits.
    #[test]
    fn more_turns_than_32_bits_count_are_told_apart() {
        let mut counts = vec![0; 3 * GROUP + 1];
        for group in 0..3 {
            (counts[group * GROUP], counts[group * GROUP + 1]) = (3_000_000_000, 1_000_000_000);
        }
        counts[3 * GROUP] = 7;
        let (bases, total) = add_up(&mut counts);
        assert_eq!(bases, [0, 4_000_000_000, 8_000_000_000, 12_000_000_000]);
        assert_eq!(total, 12_000_000_007);
        assert_eq!(counts[GROUP..GROUP + 2], [3_000_000_000, 4_000_000_000]);
        assert_eq!(counts[2 * GROUP - 1], 4_000_000_000);
    }

    #[test]
    fn every_turn_is_found_backwards() {
        let entry = GAMES.find("command-line-conquer").expect("the game exists");
        let settings = Settings::defaults(entry.options);
        let graph = entry.survey(&settings, Side::One, 1_000_000).expect("a small board");
        assert!(graph.size() > 2 * GROUP, "several groups");
        let edges = Edges::explore(&*graph, &|_| {});
        let mut expected: Vec<Vec<u32>> = vec![Vec::new(); graph.size()];
        edges.for_each(|node, next| expected[next as usize].push(node));
        let back = edges.reverse();
        for (node, expected) in (0..).zip(&expected) {
            let mut found = back.before(node).to_vec();
            found.sort_unstable();
            assert_eq!(found, *expected, "{node}");
        }
    }
}
