//! What can happen in a turn of Base Battle.

use crate::event::Narrate;
use crate::scene::Change;
use crate::side::{Names, Side};
use crate::text::counted;
use crate::tokens::token;

/// One step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A token went forward.
    Moved {
        /// Whose token.
        side: Side,
        /// Where it stood.
        from: u8,
        /// Where it stands.
        to: u8,
    },
    /// A token was pushed.
    Pushed {
        /// Whose token.
        side: Side,
        /// Where it stood.
        from: u8,
        /// Where it stands.
        to: u8,
    },
    /// A side could not move.
    Passed {
        /// Which.
        side: Side,
    },
    /// A token reached the opponent's base.
    Won {
        /// The winner.
        side: Side,
    },
}

impl Narrate for Event {
    fn kind(&self) -> &'static str {
        match self {
            Self::Moved { .. } => "move",
            Self::Pushed { .. } => "push",
            Self::Passed { .. } => "pass",
            Self::Won { .. } => "win",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Moved { side, from, to } => format!(
                "{} moves {} to position {to}.",
                names[side],
                counted(from.abs_diff(to), "position")
            ),
            Self::Pushed { side, to, .. } => {
                format!("{} is pushed back to position {to}.", names[side])
            }
            Self::Passed { side } => {
                format!(
                    "{} has no valid move: the turn passes to {}.",
                    names[side],
                    names[side.other()]
                )
            }
            Self::Won { side } => {
                format!("{} reaches the opponent's base and wins the game.", names[side])
            }
        }
    }

    fn changes(&self) -> Vec<Change> {
        match *self {
            Self::Moved { side, from, to } | Self::Pushed { side, from, to } => {
                vec![Change::Moves { piece: token(side, from), to }]
            }
            Self::Passed { .. } | Self::Won { .. } => Vec::new(),
        }
    }
}
