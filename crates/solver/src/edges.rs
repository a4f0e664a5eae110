//! The turns of a whole graph, stored compactly: what follows from each position.

use rayon::prelude::*;
use skirmish_rules::graph::{Expansion, Graph, Node, Verdict};

use crate::value::{Bits, number};

/// How many positions share one block; offsets within a block fit into 16 bits.
const BLOCK: usize = 4096;

/// Which positions follow from which.
#[derive(Debug)]
pub struct Edges {
    blocks: Vec<Block>,
    size: usize,
}

#[derive(Debug)]
struct Block {
    /// Where the followers of each position begin, and where the last ones end.
    offsets: Vec<u16>,
    next: Vec<u32>,
    over: Vec<(u32, Verdict)>,
    most_choices: usize,
}

impl Edges {
    /// Expands every position of a graph, on all cores.
    pub fn collect(graph: &dyn Graph, watch: &(dyn Fn(u64) + Sync)) -> Self {
        let size = graph.size();
        let blocks = (0..size.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let range = block * BLOCK..size.min((block + 1) * BLOCK);
                let block = Block::collect(graph, range.clone());
                watch(range.len() as u64);
                block
            })
            .collect();
        Self { blocks, size }
    }

    /// The positions that follow from one. None follow from a finished game or a hole.
    #[must_use]
    pub fn next(&self, node: u32) -> &[u32] {
        let block = &self.blocks[node as usize / BLOCK];
        let at = node as usize % BLOCK;
        &block.next[block.offsets[at].into()..block.offsets[at + 1].into()]
    }

    /// The finished positions.
    pub fn over(&self) -> impl Iterator<Item = (u32, Verdict)> {
        self.blocks.iter().flat_map(|block| block.over.iter().copied())
    }

    /// The largest number of choices in any position.
    #[must_use]
    pub fn most_choices(&self) -> usize {
        self.blocks.iter().map(|block| block.most_choices).max().unwrap_or(0)
    }

    /// How many positions there are, holes included.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Calls `visit` for every turn, from where and to where, on all cores.
    pub fn for_each(&self, visit: impl Fn(u32, u32) + Sync) {
        self.blocks.par_iter().enumerate().for_each(|(index, block)| {
            let first = number(index * BLOCK);
            for (node, bounds) in (first..).zip(block.offsets.windows(2)) {
                for &next in &block.next[bounds[0].into()..bounds[1].into()] {
                    visit(node, next);
                }
            }
        });
    }

    /// Every position that can follow from one, itself included.
    #[must_use]
    pub fn reachable(&self, start: u32) -> Bits {
        let mut seen = Bits::new(self.size);
        seen.insert(start);
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for &next in self.next(node) {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }
}

impl Block {
    fn collect(graph: &dyn Graph, range: std::ops::Range<usize>) -> Self {
        let mut block = Self {
            offsets: Vec::with_capacity(range.len() + 1),
            next: Vec::with_capacity(range.len() * 4),
            over: Vec::new(),
            most_choices: 0,
        };
        let mut expansion = Expansion::default();
        block.offsets.push(0);
        for node in range {
            let node = number(node);
            match graph.expand(node, &mut expansion) {
                Node::Open => {
                    block.next.extend_from_slice(&expansion.next);
                    block.most_choices = block.most_choices.max(expansion.next.len());
                }
                Node::Over(verdict) => block.over.push((node, verdict)),
                Node::Hole => {}
            }
            let end = u16::try_from(block.next.len()).expect("a block has few enough turns");
            block.offsets.push(end);
        }
        block.next.shrink_to_fit();
        block
    }
}
