//! What can happen in a turn of Capture and Conquer.

use crate::event::Narrate;
use crate::scene::Change;
use crate::side::{Names, Side};
use crate::tokens::token;

/// One step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A unit went forward.
    Moved {
        /// Whose unit.
        side: Side,
        /// Where it stood.
        from: u8,
        /// Where it stands.
        to: u8,
    },
    /// A unit landed on the enemy's and sent it home.
    Battle {
        /// The attacker, who wins.
        side: Side,
        /// Where.
        at: u8,
        /// The defender's base.
        home: u8,
    },
    /// A unit reached the enemy base.
    Won {
        /// The winner.
        side: Side,
    },
}

impl Narrate for Event {
    fn kind(&self) -> &'static str {
        match self {
            Self::Moved { .. } => "move",
            Self::Battle { .. } => "battle",
            Self::Won { .. } => "win",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Moved { side, to, .. } => format!("{} moves to position {to}.", names[side]),
            Self::Battle { side, at, .. } => format!(
                "Battle occurs at position {at}!\n{} wins the battle.\n{}'s unit is sent back to base.",
                names[side],
                names[side.other()]
            ),
            Self::Won { side } => format!(
                "{0} has reached {1}'s base!\n{0} wins the game!",
                names[side],
                names[side.other()]
            ),
        }
    }

    fn changes(&self) -> Vec<Change> {
        match *self {
            Self::Moved { side, from, to } => {
                vec![Change::Moves { piece: token(side, from), to }]
            }
            Self::Battle { side, at, home } => {
                vec![Change::Moves { piece: token(side.other(), at), to: home }]
            }
            Self::Won { .. } => Vec::new(),
        }
    }
}
