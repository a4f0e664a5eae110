//! What can happen in a turn of Capture the Line.

use crate::event::Narrate;
use crate::scene::Change;
use crate::side::{Names, Side};
use crate::text::counted;
use crate::tokens::token;

/// One step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Too long a move was shortened (R-CTL-1).
    Adjusted {
        /// Who asked for it.
        side: Side,
        /// How far it should have gone.
        wanted: u8,
        /// How far it goes.
        played: u8,
        /// What was in the way.
        obstacle: Obstacle,
    },
    /// A marker went forward.
    Moved {
        /// Whose marker.
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
    /// A marker landed on the centre.
    Won {
        /// The winner.
        side: Side,
    },
}

/// What forbids a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It would land on the opponent or beyond.
    Opponent,
    /// It would go beyond the centre, which is this point.
    Centre(u8),
}

impl Obstacle {
    /// The sentence that tells `side` why a move of that many points is not possible.
    pub(super) fn sentence(self, side: Side, steps: u8, names: &Names) -> String {
        let points = counted(steps, "point");
        match self {
            Self::Opponent => {
                format!("Cannot move {points}; this would pass {}'s position.", names[side.other()])
            }
            Self::Centre(centre) => {
                format!("Cannot move {points}; this would go beyond Point {centre}.")
            }
        }
    }
}

impl Narrate for Event {
    fn kind(&self) -> &'static str {
        match self {
            Self::Adjusted { .. } => "adjust",
            Self::Moved { .. } => "move",
            Self::Passed { .. } => "pass",
            Self::Won { .. } => "win",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Adjusted { side, wanted, played, obstacle } => format!(
                "{}\nAdjusted move to {}.",
                obstacle.sentence(side, wanted, names),
                counted(played, "point")
            ),
            Self::Moved { side, to, .. } => format!("{} moves to Point {to}.", names[side]),
            Self::Passed { side } => format!("{} cannot move and loses their turn.", names[side]),
            Self::Won { side } => {
                format!("{0} has reached the center point!\n{0} wins the game!", names[side])
            }
        }
    }

    fn changes(&self) -> Vec<Change> {
        match *self {
            Self::Moved { side, from, to } => vec![Change::Moves { piece: token(side, from), to }],
            Self::Adjusted { .. } | Self::Passed { .. } | Self::Won { .. } => Vec::new(),
        }
    }
}
