//! A graph that uses the game's own numbering.

use super::{Expansion, Graph, Index, Node, expand_state, notations};
use crate::catalog::Catalogued;
use crate::notation::PositionError;
use crate::scene::Scene;
use crate::side::{Both, Side};

pub(super) struct Dense<G, I> {
    game: G,
    index: I,
    start: u32,
}

impl<G: Catalogued, I: Index<G::State>> Dense<G, I> {
    pub(super) fn new(game: G, index: I, start: G::State) -> Self {
        let start = index.of(&start).expect("the start has a number");
        Self { game, index, start }
    }

    fn state(&self, node: u32) -> G::State {
        self.index.state(node).expect("the node is not a hole")
    }
}

impl<G: Catalogued, I: Index<G::State>> Graph for Dense<G, I> {
    fn size(&self) -> usize {
        usize::try_from(self.index.size()).expect("the index fits into memory")
    }

    fn start(&self) -> u32 {
        self.start
    }

    fn expand(&self, node: u32, into: &mut Expansion) -> Node {
        // Borrow the state in place, because moving it out would cost more than the lookup.
        let found = self.index.state(node);
        let Some(state) = &found else { return Node::Hole };
        expand_state(&self.game, state, into, |after| {
            self.index.of(after).expect("the successors of a numbered position have numbers")
        })
    }

    fn position(&self, node: u32) -> String {
        self.game.position(&self.state(node))
    }

    fn scene(&self, node: u32) -> Scene {
        self.game.scene(&self.state(node))
    }

    fn find(&self, position: &str) -> Result<Option<u32>, PositionError> {
        Ok(self.index.of(&self.game.parse_position(position)?))
    }

    fn actions(&self, node: u32) -> Both<Vec<String>> {
        notations(&self.game, &self.state(node))
    }

    fn mover(&self, node: u32) -> Option<Side> {
        self.game.mover(&self.state(node))
    }
}
