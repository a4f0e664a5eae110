//! Events of Base Battle.

use crate::event::Narrate;
use crate::line::Shift;
use crate::scene::Change;
use crate::side::{Names, Side};
use crate::text::counted;
use crate::tokens::{self, Wording, moves};

/// One step of a turn.
pub type Event = tokens::Event<Pushed>;

/// The event of a token being pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pushed(pub Shift);

impl Narrate for Pushed {
    fn kind(&self) -> &'static str {
        "push"
    }

    fn sentence(&self, names: &Names) -> String {
        format!("{} is pushed back to position {}.", names[self.0.side], self.0.to)
    }

    fn changes(&self) -> Vec<Change> {
        moves(self.0)
    }
}

impl Wording for Pushed {
    fn moved(Shift { side, from, to }: Shift, names: &Names) -> String {
        let way = counted(from.abs_diff(to), "position");
        format!("{} moves {way} to position {to}.", names[side])
    }

    fn won(side: Side, names: &Names) -> String {
        format!("{} reaches the opponent's base and wins the game.", names[side])
    }
}
