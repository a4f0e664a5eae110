//! Events of the games with one token per side.

use std::fmt;

use crate::event::Narrate;
use crate::line::Shift;
use crate::scene::{Change, Piece};
use crate::side::{Names, Side};

/// A game's own events, and its wording for the events shared by these games.
pub trait Wording: Narrate + Copy + fmt::Debug + Send + Sync {
    /// A token moved forward.
    fn moved(shift: Shift, names: &Names) -> String;

    /// A side could not move.
    #[must_use]
    fn passed(side: Side, names: &Names) -> String {
        let (name, other) = (&names[side], &names[side.other()]);
        format!("{name} has no valid move: the turn passes to {other}.")
    }

    /// A token reached its goal.
    fn won(side: Side, names: &Names) -> String;
}

/// One step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<E> {
    /// A token moved forward.
    Moved(Shift),
    /// An event specific to this game.
    Own(E),
    /// A side could not move.
    Passed {
        /// The side.
        side: Side,
    },
    /// A token reached its goal.
    Won {
        /// The winner.
        side: Side,
    },
}

impl<E: Wording> Narrate for Event<E> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Moved(_) => "move",
            Self::Own(own) => own.kind(),
            Self::Passed { .. } => "pass",
            Self::Won { .. } => "win",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Moved(shift) => E::moved(shift, names),
            Self::Own(own) => own.sentence(names),
            Self::Passed { side } => E::passed(side, names),
            Self::Won { side } => E::won(side, names),
        }
    }

    fn changes(&self) -> Vec<Change> {
        match self {
            Self::Moved(shift) => moves(*shift),
            Self::Own(own) => own.changes(),
            Self::Passed { .. } | Self::Won { .. } => Vec::new(),
        }
    }
}

/// A token as a piece of a scene.
#[must_use]
pub const fn token(side: Side, at: u8) -> Piece {
    Piece { at, side, strength: None }
}

/// The changes to the scene when a token moves.
pub(crate) fn moves(Shift { side, from, to }: Shift) -> Vec<Change> {
    vec![Change::Moves { piece: token(side, from), to }]
}
