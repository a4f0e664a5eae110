//! Events of Capture and Conquer.

use crate::event::Narrate;
use crate::line::Shift;
use crate::scene::Change;
use crate::side::{Names, Side};
use crate::tokens::{self, Wording, moves};

/// One step of a turn.
pub type Event = tokens::Event<SentHome>;

/// A unit landed on the enemy unit and sent it home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentHome {
    /// The attacker, who wins.
    pub side: Side,
    /// The place of the battle.
    pub at: u8,
    /// The defender's base.
    pub home: u8,
}

impl Narrate for SentHome {
    fn kind(&self) -> &'static str {
        "battle"
    }

    fn sentence(&self, names: &Names) -> String {
        format!(
            "Battle occurs at position {}!\n{} wins the battle.\n{} unit is sent back to base.",
            self.at,
            names[self.side],
            names.possessive(self.side.other())
        )
    }

    fn changes(&self) -> Vec<Change> {
        moves(Shift { side: self.side.other(), from: self.at, to: self.home })
    }
}

impl Wording for SentHome {
    fn moved(Shift { side, to, .. }: Shift, names: &Names) -> String {
        format!("{} moves to position {to}.", names[side])
    }

    fn won(side: Side, names: &Names) -> String {
        let (winner, loser) = (&names[side], names.possessive(side.other()));
        format!("{winner} has reached {loser} base!\n{winner} wins the game!")
    }
}
