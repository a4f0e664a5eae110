//! What can be asked of a room.

use serde::{Deserialize, Serialize};

use crate::event::Person;
use crate::wire::{ClientMessage, MessageId, Offer, Phrase};

/// What somebody asks of a room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// To take the free seat.
    Sit(Person),
    /// To make a choice.
    Act {
        /// The version that the choice is based on.
        v: u64,
        /// The choice.
        text: String,
    },
    /// To offer something.
    Offer(Offer),
    /// To answer the opponent's offer.
    Answer(Offer, bool),
    /// To resign.
    Resign,
    /// To claim the game.
    Claim,
    /// To say something.
    Say(Phrase),
    /// To close a room that nobody has joined.
    Close,
}

/// A request as a client sends it.
#[derive(Clone, Debug, PartialEq)]
pub struct SentRequest {
    /// The message's id.
    pub id: MessageId,
    /// The room.
    pub code: String,
    /// The version that the client has seen.
    pub seen: Option<u64>,
    /// What is asked for.
    pub request: Request,
}

impl TryFrom<ClientMessage> for SentRequest {
    type Error = ClientMessage;

    /// The request in a message; any other message comes back.
    fn try_from(message: ClientMessage) -> Result<Self, ClientMessage> {
        let (id, code, seen, request) = match message {
            ClientMessage::Act { id, code, v, choice } => {
                (id, code, None, Request::Act { v, text: choice })
            }
            ClientMessage::Offer { id, code, v, what } => (id, code, v, Request::Offer(what)),
            ClientMessage::Answer { id, code, v, what, yes } => {
                (id, code, v, Request::Answer(what, yes))
            }
            ClientMessage::Resign { id, code, v } => (id, code, v, Request::Resign),
            ClientMessage::Claim { id, code, v } => (id, code, v, Request::Claim),
            ClientMessage::Say { id, code, phrase } => (id, code, None, Request::Say(phrase)),
            other => return Err(other),
        };
        Ok(Self { id, code, seen, request })
    }
}
