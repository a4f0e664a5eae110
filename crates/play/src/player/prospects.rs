//! The games that can follow from a position if one side, or both, play by known probabilities.

use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Cancelled, Side, Watch};
use skirmish_solver::response::Prospect;

use crate::solved::Solved;

/// The number of positions processed between two checks for cancellation.
pub(super) const BATCH: usize = 1 << 12;

/// Visits every unfinished position that can follow from `start`, in the order of discovery, which also numbers the
/// states. Each side plays by its `shares`, or chooses freely if they are `None`. `add` is called with a prospect of
/// `side` for each choice of the free side, or with a single one if both sides have shares.
pub(super) fn explore(
    solved: &Solved,
    start: u32,
    side: Side,
    shares: impl Fn(u32, Side) -> Option<Vec<f64>>,
    watch: &dyn Watch,
    mut add: impl FnMut(Vec<Prospect>),
) -> Result<(), Cancelled> {
    let graph = solved.graph();
    let mut search = Search::from(solved, start);
    let mut expansion = Expansion::default();
    let mut index = 0;
    while let Some(&node) = search.nodes.get(index) {
        index += 1;
        if index % BATCH == 0 {
            watch.check(BATCH as u64)?;
        }
        graph.expand(node, &mut expansion);
        let mixes = |side: Side, count: usize| match shares(node, side) {
            Some(shares) => vec![shares],
            None => (0..count).map(|only| pure(only, count)).collect(),
        };
        let (next, columns) = (&expansion.next, expansion.columns);
        let (rows, columns) = match graph.mover(node) {
            Some(mover) => (mixes(mover, next.len()), vec![vec![1.0]]),
            None => (mixes(Side::One, next.len() / columns), mixes(Side::Two, columns)),
        };
        let mut choices = Vec::new();
        for row in &rows {
            for column in &columns {
                let cells =
                    row.iter().flat_map(|share| column.iter().map(move |other| share * other));
                let mut prospect = Prospect::default();
                for (&next, chance) in next.iter().zip(cells) {
                    search.lead(&mut prospect, next, chance, side);
                }
                choices.push(prospect);
            }
        }
        add(choices);
    }
    Ok(())
}

/// Returns the mix that always plays the action `only`.
fn pure(only: usize, count: usize) -> Vec<f64> {
    (0..count).map(|index| f64::from(u8::from(index == only))).collect()
}

/// Numbers unfinished positions in the order of their discovery.
struct Search<'a> {
    solved: &'a Solved,
    nodes: Vec<u32>,
    /// The number of each node, or `UNSEEN`.
    places: Vec<u32>,
    expansion: Expansion,
}

const UNSEEN: u32 = u32::MAX;

impl<'a> Search<'a> {
    fn from(solved: &'a Solved, start: u32) -> Self {
        let mut places = vec![UNSEEN; solved.graph().size()];
        places[start as usize] = 0;
        Self { solved, nodes: vec![start], places, expansion: Expansion::default() }
    }

    /// Adds the chance of reaching a node to a prospect of `side`.
    fn lead(&mut self, prospect: &mut Prospect, node: u32, chance: f64, side: Side) {
        if chance <= 0.0 {
            return;
        }
        let graph = self.solved.graph();
        let place = &mut self.places[node as usize];
        if *place == UNSEEN {
            if let Node::Over(verdict) = graph.expand(node, &mut self.expansion) {
                match graph.outcome(node, verdict).winner() {
                    None => prospect.draw += chance,
                    Some(winner) if winner == side => prospect.win += chance,
                    Some(_) => prospect.loss += chance,
                }
                return;
            }
            *place = u32::try_from(self.nodes.len()).expect("nodes are 32-bit numbers");
            self.nodes.push(node);
        }
        prospect.next.push((*place, chance));
    }
}
