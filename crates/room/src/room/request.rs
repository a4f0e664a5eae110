//! Requests to a room.

use serde::{Deserialize, Serialize};

use crate::event::Person;
use crate::wire::{Offer, Phrase};

/// A request to a room. Clients send every variant except `Sit` and `Close`, in this form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Request {
    /// Take the free seat.
    Sit(Person),
    /// Make a choice.
    Act {
        /// The version that the choice is based on.
        v: u64,
        /// The choice, as the player typed it or in notation.
        #[serde(rename = "move")]
        text: String,
    },
    /// Make an offer.
    Offer {
        /// The offer.
        what: Offer,
    },
    /// Answer the opponent's offer.
    Answer {
        /// The opponent's offer.
        what: Offer,
        /// Whether the player accepts.
        yes: bool,
    },
    /// Resign. Before both players' first moves, this aborts the game.
    Resign,
    /// Claim the game after the opponent's long absence.
    Claim,
    /// Say a set phrase.
    Say {
        /// The phrase.
        phrase: Phrase,
    },
    /// Close a room that nobody has joined.
    Close,
}
