//! The starting point of a game: the rulebook's start, or any other position.

use crate::catalog::{Entry, Setup, SetupError, Tempo};
use crate::settings::Settings;
use crate::side::Side;
use crate::table::Table;

/// The starting point of a game.
///
/// ```
/// use skirmish_rules::{GAMES, Side, StartingPoint};
///
/// let game = GAMES.find("base-battle").unwrap();
/// let at = |position| StartingPoint::at(game, &game.setup().settings, position);
/// let exercise = at("4/6/2")?;
/// assert_eq!((exercise.first, exercise.position.as_deref()), (Side::Two, Some("4/6/2")));
/// assert_eq!(at("0/10/2")?, StartingPoint { first: Side::Two, position: None }, "the rulebook's start");
/// assert_eq!(at("10/4/2").unwrap_err().to_string(), "10/4/2 is not a starting position: the game is over there");
/// # Ok::<(), skirmish_rules::StartError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartingPoint {
    /// The side that makes the first move; Player 1 if both sides act simultaneously.
    pub first: Side,
    /// The position; `None` for the rulebook's start with that player moving first.
    pub position: Option<String>,
}

/// The reasons why a game cannot start at a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The position does not belong to this game.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The game is over in this position.
    #[error("{0} is not a starting position: the game is over there")]
    Over(String),
}

impl StartingPoint {
    /// The starting point at this position, reachable or not. The position determines who moves first.
    ///
    /// # Errors
    /// If `position` does not belong to the game with these rule options, or the game is over in it.
    pub fn at(entry: &Entry, settings: &Settings, position: &str) -> Result<Self, StartError> {
        let open = |first, position| {
            entry.open(Setup { settings: settings.clone(), first, position, ..entry.setup() })
        };
        let table = open(Side::One, Some(position.to_owned()))?;
        let position = table.position();
        if table.outcome().is_some() {
            return Err(StartError::Over(position));
        }
        let first = match entry.tempo() {
            Tempo::Alternating => table.turn()[0],
            Tempo::Simultaneous => Side::One,
        };
        let is_start = open(first, None)?.position() == position;
        Ok(Self { first, position: (!is_start).then_some(position) })
    }

    /// The starting point of the game on a table. The game may already be over at that position.
    pub(crate) fn of(table: &dyn Table) -> Self {
        let given = Self { first: table.first(), position: table.setup().position.clone() };
        let position = given.position.as_deref();
        let start = position.and_then(|at| Self::at(table.entry(), table.settings(), at).ok());
        start.unwrap_or(given)
    }
}
