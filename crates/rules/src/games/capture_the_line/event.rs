//! Events of Capture the Line.

use crate::event::Narrate;
use crate::line::Shift;
use crate::scene::Change;
use crate::side::{Names, Side};
use crate::text::counted;
use crate::tokens::{self, Wording};

/// One step of a turn.
pub type Event = tokens::Event<Adjusted>;

/// The event of a move that was too long and has been shortened (R-CTL-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjusted {
    /// The side that made the move.
    pub side: Side,
    /// The requested length.
    pub wanted: u8,
    /// The actual length.
    pub played: u8,
    /// The obstacle.
    pub obstacle: Obstacle,
}

/// An obstacle to a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The opponent: the move would land on or pass it.
    Opponent,
    /// The centre, at this point: the move would go beyond it.
    Centre(u8),
}

impl Obstacle {
    /// Explains to `side` why a move of `steps` is not legal.
    pub(super) fn sentence(self, side: Side, steps: u8, names: &Names) -> String {
        let points = counted(steps, "point");
        match self {
            Self::Opponent => {
                let opponent = names.possessive(side.other());
                format!("Cannot move {points}; this would pass {opponent} position.")
            }
            Self::Centre(centre) => {
                format!("Cannot move {points}; this would go beyond Point {centre}.")
            }
        }
    }
}

impl Narrate for Adjusted {
    fn kind(&self) -> &'static str {
        "adjust"
    }

    fn sentence(&self, names: &Names) -> String {
        let why = self.obstacle.sentence(self.side, self.wanted, names);
        format!("{why}\nAdjusted move to {}.", counted(self.played, "point"))
    }

    fn changes(&self) -> Vec<Change> {
        Vec::new()
    }
}

impl Wording for Adjusted {
    fn moved(Shift { side, to, .. }: Shift, names: &Names) -> String {
        format!("{} moves to Point {to}.", names[side])
    }

    fn passed(side: Side, names: &Names) -> String {
        format!("{} cannot move and loses their turn.", names[side])
    }

    fn won(side: Side, names: &Names) -> String {
        format!("{0} has reached the center point!\n{0} wins the game!", names[side])
    }
}
