//! JSON objects for the positions found by a query.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use skirmish_play::{Judgement, RatedMove, Solved};
use skirmish_rules::Side;
use skirmish_solver::Bits;

use super::object::objects;
use super::types::{JsonType, Named, PerPlayer};
use super::{BoardObject, Mix};
use crate::words;

objects! {
    /// The JSON output of `find`.
    pub struct FoundObject {
        ..board: BoardObject,
        query: String = "the query, as understood by the program",
        states: usize = "the number of reachable positions, as in `solve`",
        found: usize = "the number of positions for which the query is true",
        positions: FoundPositions = "these positions, in the order of `solve --table`; with `--limit N` the first N, with `--count` none",
    }

    /// A found position of an alternating game.
    pub struct FoundTurnObject {
        position: String = "the position",
        turn: Option<u8> = "who is to move",
        value: &'static str = "as in `analyze`",
        plies: Option<u16> = "as in `analyze`",
        best: Vec<String> = "the best moves: those that win soonest, or lose last",
        winning: Vec<String> = "all moves that keep a win",
    }

    /// A found position of a simultaneous game.
    pub struct FoundMixObject {
        position: String = "the position",
        value: f64 = "for Player 1, as in `analyze`",
        strategy: PerPlayer<Mix> = "for each player an optimal mix, as in `analyze`",
        error: f64 = "an upper bound on the error of `value`",
    }
}

/// A list of positions, serialised one at a time so that a long list takes no extra memory.
#[derive(Clone)]
pub struct FoundPositions {
    /// The solved game.
    pub solved: Arc<Solved>,
    /// The positions found.
    pub nodes: Arc<Bits>,
    /// The maximum number of positions to list.
    pub most: usize,
}

impl fmt::Debug for FoundPositions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FoundPositions").field("most", &self.most).finish_non_exhaustive()
    }
}

impl JsonType for FoundPositions {
    fn kind() -> String {
        Vec::<FoundTurnObject>::kind()
    }
}

impl Serialize for FoundPositions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.nodes.iter().take(self.most);
        serializer.collect_seq(nodes.map(|node| FoundPosition::of(&self.solved, node)))
    }
}

/// One found position.
#[derive(Serialize)]
#[serde(untagged)]
enum FoundPosition {
    Turn(FoundTurnObject),
    Mix(FoundMixObject),
}

impl FoundPosition {
    fn of(solved: &Solved, node: u32) -> Self {
        let position = solved.graph().position(node);
        match solved.judge(node) {
            Judgement::Alternating { value, moves, .. } => Self::Turn(FoundTurnObject {
                position,
                turn: solved.graph().mover(node).map(Side::number),
                value: value.word(),
                plies: value.plies(),
                best: notations(words::best(&moves)),
                winning: notations(words::winning(&moves)),
            }),
            Judgement::Simultaneous { value, error, strategy, worth: _ } => {
                let strategy = strategy.map(Named).into();
                Self::Mix(FoundMixObject { position, value, strategy, error })
            }
        }
    }
}

fn notations(moves: Vec<&RatedMove>) -> Vec<String> {
    moves.into_iter().map(|option| option.notation.clone()).collect()
}
