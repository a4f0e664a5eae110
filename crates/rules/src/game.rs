//! The trait that every game implements.
//!
//! Every turn is a pair of choices. In an alternating game, the waiting side has nothing to choose. A node of the game
//! graph is therefore always a matrix (1×n, n×1 or m×n), and the simultaneous game needs no special path.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use crate::event::Narrate;
use crate::graph::{Index, Unnumbered};
use crate::inline::InlineVec;
use crate::scene::Scene;
use crate::side::{Both, Side};

/// The maximum number of actions of a side in any position of any game.
pub const MAX_ACTIONS: usize = 10;

/// The notation of a forced pass (R-ALL-3).
pub(crate) const PASS: &str = "pass";

/// The legal actions of one side: distinct, in a fixed order, without allocation.
pub type Actions<A> = InlineVec<A, MAX_ACTIONS>;

/// The outcome of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side won.
    Won(Side),
    /// Nobody won: by the rules, by agreement or by a turn limit. The rules of the five games have no draws (R-ALL-2).
    Draw,
}

impl Outcome {
    /// The winner, if there is one.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Won(side) => Some(side),
            Self::Draw => None,
        }
    }

    /// The score in the notation of records: `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub const fn score(self) -> &'static str {
        match self {
            Self::Won(Side::One) => "1-0",
            Self::Won(Side::Two) => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }

    /// The outcome with this score.
    #[must_use]
    pub fn from_score(score: &str) -> Option<Self> {
        let all = [Self::Won(Side::One), Self::Won(Side::Two), Self::Draw];
        all.into_iter().find(|outcome| outcome.score() == score)
    }
}

/// The rules of one game with one set of rule options. All methods are pure.
///
/// ```
/// use skirmish_rules::games::capture_and_conquer::CaptureAndConquer;
/// use skirmish_rules::{Both, Game, Side};
///
/// let game = CaptureAndConquer::default();
/// let start = game.start(Side::One);
/// let two = game.actions(&start, Side::One)[1];
/// assert!(game.actions(&start, Side::Two).is_empty(), "Player 2 waits");
///
/// let after = game.resolve(&start, Both::new(Some(two), None), |_event| {});
/// assert_eq!(game.actions(&after, Side::Two).len(), 2);
/// ```
pub trait Game {
    /// A position, including the player to move.
    type State: Copy + Eq + Hash + Debug + Send + Sync;
    /// One side's choice. Its `Display` is the notation: one token, lower case.
    type Action: Copy + Eq + Display + Debug + Send + Sync;
    /// One thing that happens in a turn.
    type Event: Narrate + Clone + Debug + Send + Sync;

    /// The pass action, in games that have one (R-ALL-3).
    const PASS: Option<Self::Action> = None;

    /// The position before the first turn. Games whose rulebook determines who starts ignore `first`.
    fn start(&self, first: Side) -> Self::State;

    /// The outcome, once the game is over.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// The legal actions of `side`. There are none while the side waits or once the game is over; a pass is legal only
    /// if nothing else is (R-ALL-3).
    fn actions(&self, state: &Self::State, side: Side) -> Actions<Self::Action>;

    /// Plays one turn. `turn` contains a legal action for every side that has one. `tell` is called with each event in
    /// order.
    fn resolve(
        &self,
        state: &Self::State,
        turn: Both<Option<Self::Action>>,
        tell: impl FnMut(Self::Event),
    ) -> Self::State;

    /// The side to move, or `None` if both sides act simultaneously. In a finished game, the side that would have moved
    /// next.
    fn mover(&self, state: &Self::State) -> Option<Side>;

    /// A dense numbering of the positions, if the game has one. It lets the solver do without a hash table.
    fn index(&self) -> Option<impl Index<Self::State> + 'static> {
        None::<Unnumbered>
    }

    /// The position as a scene to draw.
    fn scene(&self, state: &Self::State) -> Scene;

    /// The same position with the sides swapped. No game favours a side, so the mirror image of every legal turn is
    /// legal and leads to the mirror image of its result.
    fn mirror(&self, state: &Self::State) -> Self::State;

    /// The mirror image of an action: the corresponding action in the mirrored position.
    fn mirror_action(&self, action: Self::Action) -> Self::Action;
}
