//! What can be asked of a room.

use serde::{Deserialize, Serialize};

use crate::event::Person;
use crate::wire::{Offer, Phrase};

/// What somebody asks of a room. Clients send everything but `Sit` and `Close`, in this form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Request {
    /// To take the free seat.
    Sit(Person),
    /// To make a choice.
    Act {
        /// The version that the choice is based on.
        v: u64,
        /// The choice, as a player types it or in notation.
        #[serde(rename = "move")]
        text: String,
    },
    /// To offer something.
    Offer {
        /// What is offered.
        what: Offer,
    },
    /// To answer the opponent's offer.
    Answer {
        /// What was offered.
        what: Offer,
        /// Whether it is accepted.
        yes: bool,
    },
    /// To resign; before both players' first moves this aborts the game.
    Resign,
    /// To claim the game after the opponent has been gone for long.
    Claim,
    /// To say a set phrase.
    Say {
        /// The phrase.
        phrase: Phrase,
    },
    /// To close a room that nobody has joined.
    Close,
}
