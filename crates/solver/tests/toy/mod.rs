//! Small graphs for tests.

use skirmish_rules::graph::{Expansion, Graph, Node, NodeOutcome};
use skirmish_rules::{Both, PositionError, Scene, Side};

/// A graph given as a list of positions. The game starts from the first one.
pub(crate) struct Toy {
    pub(crate) stages: Vec<Stage>,
    /// The number of Player 2's choices; 1 in an alternating game.
    pub(crate) columns: usize,
}

/// A position.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// The game is over, with this outcome for the side to move.
    Over(NodeOutcome),
    /// The successors.
    Open(Vec<u32>),
}

impl Graph for Toy {
    fn size(&self) -> usize {
        self.stages.len()
    }

    fn start(&self) -> u32 {
        0
    }

    fn expand(&self, node: u32, into: &mut Expansion) -> Node {
        into.next.clear();
        into.columns = self.columns;
        match &self.stages[node as usize] {
            Stage::Over(verdict) => Node::Over(*verdict),
            Stage::Open(next) => {
                into.next = next.iter().copied().collect();
                Node::Open
            }
        }
    }

    fn position(&self, node: u32) -> String {
        node.to_string()
    }

    fn scene(&self, _node: u32) -> Scene {
        Scene { track: None, pieces: Vec::new(), gauges: None }
    }

    fn find(&self, position: &str) -> Result<Option<u32>, PositionError> {
        Ok(position.parse().ok())
    }

    fn actions(&self, _node: u32) -> Both<Vec<String>> {
        Both::default()
    }

    fn mover(&self, _node: u32) -> Option<Side> {
        (self.columns == 1).then_some(Side::One)
    }
}

/// Reproducible pseudo-random numbers (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from((self.0 >> 33) % u64::from(end)).expect("it is below")
    }
}

/// A random alternating game: about `over` of ten positions are finished; the others have up to three moves.
pub(crate) fn random(seed: u64, size: u32, over: u32) -> Toy {
    let mut dice = Dice::new(seed);
    let stage = |at: u32| {
        if at > 0 && dice.below(10) < over {
            let verdicts =
                [NodeOutcome::Lost, NodeOutcome::Lost, NodeOutcome::Won, NodeOutcome::Drawn];
            return Stage::Over(verdicts[dice.below(4) as usize]);
        }
        Stage::Open((0..=dice.below(3)).map(|_| dice.below(size)).collect())
    };
    Toy { stages: (0..size).map(stage).collect(), columns: 1 }
}
