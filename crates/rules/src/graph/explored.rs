//! A graph built by following every turn from a position.

use std::collections::HashMap;

use super::{Expansion, Graph, Node, TooMany, expand_state, notations, turns};
use crate::catalog::{Catalogued, SurveyError};
use crate::notation::PositionError;
use crate::scene::Scene;
use crate::side::{Both, Side};
use crate::watch::Watch;

pub(super) struct Explored<G: Catalogued> {
    game: G,
    states: Vec<G::State>,
    numbers: HashMap<G::State, u32>,
}

/// The number of positions expanded between two checks for cancellation: a few milliseconds of work.
const BATCH: usize = 1 << 12;

impl<G: Catalogued> Explored<G> {
    pub(super) fn from(
        game: G,
        root: G::State,
        most: u64,
        watch: &dyn Watch,
    ) -> Result<Self, SurveyError> {
        let mut states = vec![root];
        let mut numbers = HashMap::from([(root, 0)]);
        let mut next = 0;
        while let Some(&state) = states.get(next) {
            next += 1;
            if next % BATCH == 0 {
                watch.check(0)?;
            }
            for turn in turns(&game, &state) {
                let after = game.resolve(&state, turn, |_event| {});
                let number = u32::try_from(states.len()).expect("`most` fits into 32 bits");
                numbers.entry(after).or_insert_with(|| {
                    states.push(after);
                    number
                });
            }
            if states.len() as u64 > most {
                return Err(TooMany { found: states.len() as u64, most }.into());
            }
        }
        Ok(Self { game, states, numbers })
    }
}

impl<G: Catalogued> Graph for Explored<G> {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn start(&self) -> u32 {
        0
    }

    fn expand(&self, node: u32, into: &mut Expansion) -> Node {
        let state = &self.states[node as usize];
        expand_state(&self.game, state, into, |after| self.numbers[after])
    }

    fn position(&self, node: u32) -> String {
        self.game.position(&self.states[node as usize])
    }

    fn scene(&self, node: u32) -> Scene {
        self.game.scene(&self.states[node as usize])
    }

    fn find(&self, position: &str) -> Result<Option<u32>, PositionError> {
        Ok(self.numbers.get(&self.game.parse_position(position)?).copied())
    }

    fn actions(&self, node: u32) -> Both<Vec<String>> {
        notations(&self.game, &self.states[node as usize])
    }

    fn mover(&self, node: u32) -> Option<Side> {
        self.game.mover(&self.states[node as usize])
    }
}
