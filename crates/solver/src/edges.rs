//! The turns of a game, stored compactly: the successors of each position.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_rules::graph::{Expansion, Graph, Node, NodeOutcome};
use skirmish_rules::{Cancelled, MAX_ACTIONS, Tempo, Watch};

use crate::parallel;
use crate::retrograde::Unsolved;
use crate::value::{Bits, number};

/// The number of positions per block. The offset of a position's turns within its block must fit into 16 bits, so
/// blocks of matrices are smaller.
const BLOCK: usize = 4096;
const MATRIX_BLOCK: usize = 512;

const _: () = {
    let most_turns = MAX_ACTIONS * MAX_ACTIONS;
    assert!(most_turns <= u8::MAX as usize, "the turns of a position are counted in a byte");
    assert!(BLOCK * MAX_ACTIONS <= u16::MAX as usize, "a block fits");
    assert!(MATRIX_BLOCK * most_turns <= u16::MAX as usize, "a block of the largest matrices fits");
};

/// The number of turns by which a block grows. Doubling, the default, would waste a lot of memory.
const MORE_TURNS: usize = 1024;

const WORD: usize = u64::BITS as usize;

/// The number of positions that share one base in [`Back`].
const GROUP: usize = 4096;

/// The successors of each position. Data per position is stored in one array for all blocks, because dropping a large
/// array returns its memory to the system.
#[derive(Debug)]
pub struct Edges {
    /// The expanded positions.
    seen: Bits,
    /// For each position, the offset of its successors within its block, and their number.
    begins: Vec<u16>,
    counts: Vec<u8>,
    blocks: Vec<EdgeBlock>,
    /// The number of positions per block.
    length: usize,
}

#[derive(Debug, Default)]
struct EdgeBlock {
    next: Vec<u32>,
    over: Vec<(u32, NodeOutcome)>,
    /// The positions with a turn that leaves the set; see [`Edges::among`].
    leaving: Vec<u32>,
    most_choices: usize,
}

impl Edges {
    /// Follows every turn from the start of the game, on all cores.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn explore(graph: &dyn Graph, watch: &dyn Watch) -> Result<Self, Cancelled> {
        let mut edges = Self::none(graph);
        let found = (0..graph.size().div_ceil(WORD)).map(|_| AtomicU64::new(0)).collect();
        let search = EdgeSearch { graph, found };
        search.find(graph.start());
        loop {
            // Each pass visits nodes in ascending order: neighbouring nodes are close in memory, and most nodes found
            // during a pass are expanded in the same pass.
            let expanded = parallel::try_map(edges.parts(), |mut part| {
                let expanded = search.expand_found(&mut part);
                if expanded > 0 {
                    watch.check(expanded)?;
                }
                Ok(expanded)
            })?;
            if expanded.iter().sum::<u64>() == 0 {
                return Ok(edges);
            }
        }
    }

    /// Keeps only the turns between positions in a set.
    pub(crate) fn among(
        graph: &dyn Graph,
        members: &Bits,
        watch: &dyn Watch,
    ) -> Result<Self, Cancelled> {
        let mut edges = Self::none(graph);
        parallel::try_map(edges.parts(), |mut part| {
            let mut expansion = Expansion::default();
            let words = part.first / WORD..(part.first + part.counts.len()).div_ceil(WORD);
            let mut expanded = 0;
            for node in members.within(words) {
                expanded += 1;
                let place = node as usize - part.first;
                part.seen[place / WORD] |= 1 << (place % WORD);
                let kind = graph.expand(node, &mut expansion);
                let all = expansion.next.len();
                expansion.next.retain(|next| members.contains(*next));
                if expansion.next.len() < all {
                    part.block.leaving.push(node);
                }
                part.add(place, kind, &expansion);
            }
            if expanded > 0 { watch.check(expanded) } else { Ok(()) }
        })?;
        Ok(edges)
    }

    /// Creates edges without any turns.
    fn none(graph: &dyn Graph) -> Self {
        let size = graph.size();
        let length = match graph.tempo() {
            Tempo::Alternating => BLOCK,
            Tempo::Simultaneous => MATRIX_BLOCK,
        };
        Self {
            seen: Bits::new(size),
            begins: vec![0; size],
            counts: vec![0; size],
            blocks: (0..size.div_ceil(length)).map(|_| EdgeBlock::default()).collect(),
            length,
        }
    }

    /// The blocks, each with its slice of the arrays.
    fn parts(&mut self) -> impl Iterator<Item = EdgePart<'_>> {
        let length = self.length;
        let seen = self.seen.words_mut().chunks_mut(length / WORD);
        let begins = self.begins.chunks_mut(length);
        let counts = self.counts.chunks_mut(length);
        let arrays = seen.zip(begins.zip(counts)).zip(&mut self.blocks);
        arrays.enumerate().map(move |(index, ((seen, (begins, counts)), block))| EdgePart {
            first: index * length,
            seen,
            begins,
            counts,
            block,
        })
    }

    /// The finished positions, with their outcomes.
    pub fn over(&self) -> impl Iterator<Item = (u32, NodeOutcome)> {
        self.blocks.iter().flat_map(|block| block.over.iter().copied())
    }

    /// The positions with a turn that leaves the set; see [`Edges::among`].
    pub(crate) fn leaving(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().flat_map(|block| block.leaving.iter().copied())
    }

    /// The number of turns in a position.
    #[must_use]
    pub fn choices(&self, node: usize) -> u8 {
        self.counts[node]
    }

    /// The largest number of turns in any position.
    #[must_use]
    pub fn most_choices(&self) -> usize {
        self.blocks.iter().map(|block| block.most_choices).max().unwrap_or(0)
    }

    /// The total number of turns.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.blocks.iter().map(|block| block.next.len()).sum()
    }

    /// The number of nodes, including unreachable ones.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.counts.len()
    }

    /// The reachable positions.
    #[must_use]
    pub const fn reached(&self) -> &Bits {
        &self.seen
    }

    /// Reverses all turns: the predecessors of each position. Every core reads all turns but processes only those into
    /// its own range of positions, so that no core waits for another.
    pub(crate) fn reverse(self, watch: &dyn Watch) -> Result<Back, Unsolved> {
        let size = self.size();
        // Parts consist of whole groups.
        let part = size.div_ceil(parallel::threads()).max(1).next_multiple_of(GROUP);
        let mut offsets = vec![0_u32; size + 1];
        parallel::try_map(offsets[..size].chunks_mut(part).enumerate(), |(index, counts)| {
            let first = index * part;
            self.for_each(watch, |_, next| {
                if let Some(count) =
                    (next as usize).checked_sub(first).and_then(|at| counts.get_mut(at))
                {
                    *count = count.wrapping_add(1);
                }
            })
        })?;
        // If a count wrapped around, the total is too small.
        let (bases, total) = add_up(&mut offsets)
            .filter(|(_, total)| *total == self.turns())
            .ok_or(Unsolved::TooManyMoves(self.turns()))?;
        let mut before = vec![0_u32; total];
        let mut rest = before.as_mut_slice();
        let mut parts = Vec::new();
        for (index, ends) in offsets[..size].chunks_mut(part).enumerate() {
            let first = index * part;
            let begin = total - rest.len();
            let end = if first + part < size { bases[(first + part) / GROUP] } else { total };
            let (mine, others) = rest.split_at_mut(end - begin);
            parts.push((first, ends, begin, mine));
            rest = others;
        }
        // Fill each list from its end, so that each offset finally points to the beginning of its list.
        parallel::try_map(parts, |(first, ends, begin, mine)| {
            self.for_each(watch, |node, next| {
                let place = (next as usize).checked_sub(first);
                if let Some(end) = place.and_then(|at| ends.get_mut(at)) {
                    *end -= 1;
                    mine[bases[next as usize / GROUP] + *end as usize - begin] = node;
                }
            })
        })?;
        Ok(Back { bases, offsets, before })
    }

    /// Calls `visit` with every turn.
    fn for_each(
        &self,
        watch: &dyn Watch,
        mut visit: impl FnMut(u32, u32),
    ) -> Result<(), Cancelled> {
        let places = self.begins.chunks(self.length).zip(self.counts.chunks(self.length));
        for (index, (block, (begins, counts))) in self.blocks.iter().zip(places).enumerate() {
            watch.check(0)?;
            if block.next.is_empty() {
                continue;
            }
            for (place, (&begin, &count)) in begins.iter().zip(counts).enumerate() {
                let node = number(index * self.length + place);
                let begin = usize::from(begin);
                for &next in &block.next[begin..begin + usize::from(count)] {
                    visit(node, next);
                }
            }
        }
        Ok(())
    }
}

struct EdgeSearch<'a> {
    graph: &'a dyn Graph,
    /// The positions found so far, as a bitmap.
    found: Vec<AtomicU64>,
}

impl EdgeSearch<'_> {
    /// Marks a position as found.
    #[inline]
    fn find(&self, node: u32) {
        let word = &self.found[node as usize / WORD];
        let bit = 1 << (node as usize % WORD);
        // Most positions are already marked, and a plain load is cheaper than a locked instruction.
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    /// Expands the positions found in a block, including those found in the process. Returns their number.
    fn expand_found(&self, part: &mut EdgePart) -> u64 {
        let words = &self.found[part.first / WORD..][..part.seen.len()];
        let mut expansion = Expansion::default();
        let mut expanded = 0;
        for (offset, word) in words.iter().enumerate() {
            loop {
                let mut bits = word.load(Relaxed) & !part.seen[offset];
                if bits == 0 {
                    break;
                }
                part.seen[offset] |= bits;
                expanded += u64::from(bits.count_ones());
                while bits != 0 {
                    let place = offset * WORD + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let kind = self.graph.expand(number(part.first + place), &mut expansion);
                    part.add(place, kind, &expansion);
                    if kind == Node::Open {
                        expansion.next.iter().for_each(|&next| self.find(next));
                    }
                }
            }
        }
        expanded
    }
}

/// A block with its slice of the arrays.
struct EdgePart<'a> {
    /// The first node of the block.
    first: usize,
    seen: &'a mut [u64],
    begins: &'a mut [u16],
    counts: &'a mut [u8],
    block: &'a mut EdgeBlock,
}

impl EdgePart<'_> {
    fn add(&mut self, place: usize, kind: Node, expansion: &Expansion) {
        let EdgeBlock { next, over, most_choices, .. } = &mut *self.block;
        match kind {
            Node::Open => {
                self.begins[place] = u16::try_from(next.len()).expect("a block has few turns");
                self.counts[place] =
                    u8::try_from(expansion.next.len()).expect("there are few choices");
                if next.capacity() - next.len() < expansion.next.len() {
                    next.reserve_exact(MORE_TURNS);
                }
                next.extend(&expansion.next);
                *most_choices = (*most_choices).max(expansion.next.len());
            }
            Node::Over(verdict) => over.push((number(self.first + place), verdict)),
            Node::Hole => unreachable!("a successor is never a hole"),
        }
    }
}

/// The reversed turns.
pub(crate) struct Back {
    /// The index of the first turn into each group of positions. There may be more than 2^32 turns.
    bases: Vec<usize>,
    /// The index of the first turn into each position, relative to its group.
    offsets: Vec<u32>,
    before: Vec<u32>,
}

impl Back {
    /// The predecessors of `node`.
    pub(crate) fn before(&self, node: u32) -> &[u32] {
        let begin = |node: usize| self.bases[node / GROUP] + self.offsets[node] as usize;
        &self.before[begin(node as usize)..begin(node as usize + 1)]
    }
}

/// Replaces counts with their prefix sums within each group, and returns the first index of each group and the total.
/// `None` if there are more than 2^32 turns into a group.
fn add_up(counts: &mut [u32]) -> Option<(Vec<usize>, usize)> {
    let mut total = 0_usize;
    let bases = counts.chunks_mut(GROUP).map(|group| {
        let mut sum = 0_u32;
        for count in group {
            sum = sum.checked_add(*count)?;
            *count = sum;
        }
        let base = total;
        total = total.checked_add(sum as usize)?;
        Some(base)
    });
    let bases: Vec<usize> = bases.collect::<Option<_>>()?;
    Some((bases, total))
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{GAMES, Settings, Side, Unwatched};

    use super::*;

    /// Regression: the total number of turns was limited to 32 bits.
    #[test]
    fn more_than_2_to_the_32_turns_are_numbered() {
        let mut counts = vec![0; 3 * GROUP + 1];
        for group in 0..3 {
            (counts[group * GROUP], counts[group * GROUP + 1]) = (3_000_000_000, 1_000_000_000);
        }
        counts[3 * GROUP] = 7;
        let (bases, total) = add_up(&mut counts).expect("no group has too many");
        assert_eq!(bases, [0, 4_000_000_000, 8_000_000_000, 12_000_000_000]);
        assert_eq!(total, 12_000_000_007);
        assert_eq!(counts[GROUP..GROUP + 2], [3_000_000_000, 4_000_000_000]);
        assert_eq!(counts[2 * GROUP - 1], 4_000_000_000);
        let mut counts = vec![1; GROUP];
        counts[7] = u32::MAX;
        assert_eq!(add_up(&mut counts), None, "too many turns into one group are refused");
    }

    #[test]
    fn every_turn_is_reversed() {
        let entry = GAMES.find("command-line-conquer").expect("the game exists");
        let settings = Settings::defaults(entry.options);
        let graph =
            entry.survey(&settings, Side::One, 1_000_000, &Unwatched).expect("a small board");
        assert!(graph.size() > 2 * GROUP, "several groups");
        let edges = Edges::explore(&*graph, &Unwatched).expect("nobody cancels");
        let mut expected: Vec<Vec<u32>> = vec![Vec::new(); graph.size()];
        let note = |node, next: u32| expected[next as usize].push(node);
        edges.for_each(&Unwatched, note).expect("nobody cancels");
        let back = edges.reverse(&Unwatched).expect("nobody cancels");
        for (node, expected) in (0..).zip(&expected) {
            let mut found = back.before(node).to_vec();
            found.sort_unstable();
            assert_eq!(found, *expected, "{node}");
        }
    }
}
