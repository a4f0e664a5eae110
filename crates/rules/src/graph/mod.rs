//! Games as graphs of numbered positions, with the turns between them.

mod dense;
mod explored;

use std::collections::HashSet;

use dense::Dense;
use explored::Explored;

use crate::catalog::{Catalogued, SurveyError, Tempo};
use crate::game::{Game, MAX_ACTIONS, Outcome};
use crate::inline::InlineVec;
use crate::notation::PositionError;
use crate::scene::Scene;
use crate::side::{Both, Side};
use crate::watch::Watch;

/// A game as a graph of numbered positions: all that a solver needs to see.
pub trait Graph: Send + Sync {
    /// The number of nodes, counted from 0. Some may be holes.
    fn size(&self) -> usize;

    /// The starting node.
    fn start(&self) -> u32;

    /// Finds the successors of a position and overwrites `into` with them.
    fn expand(&self, node: u32, into: &mut Expansion) -> Node;

    /// The position as one token.
    fn position(&self, node: u32) -> String;

    /// The position as a scene to draw.
    fn scene(&self, node: u32) -> Scene;

    /// The node of a position; `None` if the position is not in the graph.
    ///
    /// # Errors
    /// If `position` does not belong to this game.
    fn find(&self, position: &str) -> Result<Option<u32>, PositionError>;

    /// The notation of each side's actions, in the order of the expansion.
    fn actions(&self, node: u32) -> Both<Vec<String>>;

    /// The side to move, or `None` if both sides act simultaneously.
    fn mover(&self, node: u32) -> Option<Side>;
}

impl dyn Graph + '_ {
    /// The tempo of the game.
    #[must_use]
    pub fn tempo(&self) -> Tempo {
        match self.mover(self.start()) {
            Some(_) => Tempo::Alternating,
            None => Tempo::Simultaneous,
        }
    }

    /// The outcome of a finished node.
    #[must_use]
    pub fn outcome(&self, node: u32, verdict: NodeOutcome) -> Outcome {
        let side = self.mover(node).unwrap_or(Side::One);
        match verdict {
            NodeOutcome::Won => Outcome::Won(side),
            NodeOutcome::Lost => Outcome::Won(side.other()),
            NodeOutcome::Drawn => Outcome::Draw,
        }
    }
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A number without a position.
    Hole,
    /// A finished game, from the point of view of the side to move, or of Player 1 if both sides act simultaneously.
    Over(NodeOutcome),
    /// A position in which a side can choose.
    Open,
}

/// The outcome of a finished game from the point of view of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOutcome {
    /// The side has lost.
    Lost,
    /// Nobody has won.
    Drawn,
    /// The side has won.
    Won,
}

impl NodeOutcome {
    /// Converts an outcome to a side's point of view.
    #[must_use]
    pub fn of(outcome: Outcome, side: Side) -> Self {
        match outcome.winner() {
            None => Self::Drawn,
            Some(winner) if winner == side => Self::Won,
            Some(_) => Self::Lost,
        }
    }
}

/// The successors of a position: one row per action of one side, and one column per action of the other side. In an
/// alternating game, there is one column, and the rows are the actions of the side to move.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The number of columns.
    pub columns: usize,
    /// The successors, row by row.
    pub next: InlineVec<u32, { MAX_ACTIONS * MAX_ACTIONS }>,
}

/// A dense numbering of a game's positions, which replaces a hash table of positions.
pub trait Index<S>: Send + Sync {
    /// The number of nodes, counted from 0.
    fn size(&self) -> u64;
    /// The number of a position, if the position is numbered.
    fn of(&self, state: &S) -> Option<u32>;
    /// The position with this number, if there is one.
    fn state(&self, index: u32) -> Option<S>;
}

/// The index type of games without an index.
#[derive(Clone, Copy, Debug)]
pub enum Unnumbered {}

impl<S> Index<S> for Unnumbered {
    fn size(&self) -> u64 {
        match *self {}
    }

    fn of(&self, _state: &S) -> Option<u32> {
        match *self {}
    }

    fn state(&self, _index: u32) -> Option<S> {
        match *self {}
    }
}

/// The maximum number of positions in a graph.
pub const MOST_NODES: u64 = u32::MAX as u64;

/// The game has too many positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at least {found} positions, but the limit is {most}")]
#[non_exhaustive]
pub struct TooMany {
    /// The number of positions, or a lower bound.
    pub found: u64,
    /// The limit.
    pub most: u64,
}

/// The graph of a game: numbered by its own index if it has one, otherwise explored from the start.
///
/// # Errors
/// If there are more than `most` positions, or the work is cancelled.
pub(crate) fn survey<G: Catalogued>(
    game: G,
    first: Side,
    most: u64,
    watch: &dyn Watch,
) -> Result<Box<dyn Graph>, SurveyError> {
    let start = game.start(first);
    let Some(index) = game.index() else { return explore(game, start, most, watch) };
    let most = most.min(MOST_NODES);
    if index.size() > most {
        return Err(TooMany { found: index.size(), most }.into());
    }
    Ok(Box::new(Dense::new(game, index, start)))
}

/// The graph of everything that can follow from a position.
///
/// # Errors
/// If there are more than `most` positions, or the work is cancelled.
pub(crate) fn explore<G: Catalogued>(
    game: G,
    root: G::State,
    most: u64,
    watch: &dyn Watch,
) -> Result<Box<dyn Graph>, SurveyError> {
    Ok(Box::new(Explored::from(game, root, most.min(MOST_NODES), watch)?))
}

/// Lists the successors of a state, numbered by `number`.
fn expand_state<G: Game>(
    game: &G,
    state: &G::State,
    into: &mut Expansion,
    mut number: impl FnMut(&G::State) -> u32,
) -> Node {
    into.next.clear();
    into.columns = 1;
    let over = |side: Side| {
        let outcome = game.outcome(state).expect("if nobody can choose, the game is over");
        Node::Over(NodeOutcome::of(outcome, side))
    };
    if let Some(side) = game.mover(state) {
        let actions = game.actions(state, side);
        if actions.is_empty() {
            return over(side);
        }
        for &action in &actions {
            let turn = Both::seen_from(side, Some(action), None);
            into.next.push(number(&game.resolve(state, turn, |_event| {})));
        }
        return Node::Open;
    }
    let columns = game.actions(state, Side::Two);
    if columns.is_empty() {
        return over(Side::One);
    }
    into.columns = columns.len();
    for &row in &game.actions(state, Side::One) {
        for &column in &columns {
            let turn = Both::new(Some(row), Some(column));
            into.next.push(number(&game.resolve(state, turn, |_event| {})));
        }
    }
    Node::Open
}

fn notations<G: Game>(game: &G, state: &G::State) -> Both<Vec<String>> {
    Both::from_fn(|side| game.actions(state, side).iter().map(G::Action::to_string).collect())
}

/// Every legal turn in a position.
pub fn turns<G: Game>(game: &G, state: &G::State) -> Vec<Both<Option<G::Action>>> {
    let options = |side| {
        let actions = game.actions(state, side);
        if actions.is_empty() { vec![None] } else { actions.iter().copied().map(Some).collect() }
    };
    let Both { one, two } = Both::from_fn(options);
    let pairs =
        one.iter().flat_map(|&first| two.iter().map(move |&second| Both::new(first, second)));
    pairs.filter(|turn| turn.one.is_some() || turn.two.is_some()).collect()
}

/// Every position reachable from the start, including finished ones, nearest first.
pub fn reachable<G: Game>(game: &G, first: Side) -> Vec<G::State> {
    let start = game.start(first);
    let mut seen = HashSet::from([start]);
    let mut found = vec![start];
    let mut next = 0;
    while let Some(&state) = found.get(next) {
        next += 1;
        for turn in turns(game, &state) {
            let after = game.resolve(&state, turn, |_event| {});
            if seen.insert(after) {
                found.push(after);
            }
        }
    }
    found
}
