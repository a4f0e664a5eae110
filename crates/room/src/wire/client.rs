//! What a client sends.

use serde::{Deserialize, Serialize};

use super::{MessageId, Offer, Phrase};
use crate::terms::Terms;

/// What a client sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ClientMessage {
    /// The first message.
    Hello(Hello),
    /// Creates a game and takes a seat.
    Create {
        /// The message's id.
        id: MessageId,
        /// What is to be played.
        #[serde(flatten)]
        terms: Terms,
    },
    /// Joins a public game on the same terms, or creates one.
    Seek {
        /// The message's id.
        id: MessageId,
        /// What is to be played.
        #[serde(flatten)]
        terms: Terms,
    },
    /// Takes the free seat of a game, returns to one's own, or watches.
    Join {
        /// The message's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<MessageId>,
        /// The game.
        code: String,
        /// The version that the client has seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        have: Option<u64>,
        /// Whether to watch even though a seat is free.
        #[serde(default)]
        watch: bool,
    },
    /// Makes a choice.
    Act {
        /// The message's id.
        id: MessageId,
        /// The game.
        code: String,
        /// The version on which the choice is based.
        v: u64,
        /// The choice, as a player types it or in notation.
        #[serde(rename = "move")]
        choice: String,
    },
    /// Offers something.
    Offer {
        /// The message's id.
        id: MessageId,
        /// The game.
        code: String,
        /// The version that the client has seen. If the room has gone on to another game since, or the move to be taken
        /// back is another one now, the message is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        v: Option<u64>,
        /// What is offered.
        what: Offer,
    },
    /// Answers the opponent's offer.
    Answer {
        /// The message's id.
        id: MessageId,
        /// The game.
        code: String,
        /// The version that the client has seen. If the offer was made after it, the message is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        v: Option<u64>,
        /// What was offered.
        what: Offer,
        /// Whether it is accepted.
        yes: bool,
    },
    /// Resigns; before both players' first moves it aborts the game.
    Resign {
        /// The message's id.
        id: MessageId,
        /// The game.
        code: String,
        /// The version that the client has seen. If the room has gone on to another game since, the message is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        v: Option<u64>,
    },
    /// Claims the game after the opponent has been gone for long.
    Claim {
        /// The message's id.
        id: MessageId,
        /// The game.
        code: String,
        /// The version that the client has seen. If the room has gone on to another game since, the message is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        v: Option<u64>,
    },
    /// Says a set phrase.
    Say {
        /// The message's id.
        id: MessageId,
        /// The game.
        code: String,
        /// The phrase.
        phrase: Phrase,
    },
    /// Stops following a game. Closes a game that nobody has joined.
    Leave {
        /// The game.
        code: String,
    },
    /// Asks for the lobby: open games, live games and one's own.
    Lobby,
    /// Asks for the leaderboard of a game.
    Leaders {
        /// The game's id.
        game: String,
    },
    /// Asks for one's finished games.
    History,
    /// Turns a guest into an account with a unique name.
    Register {
        /// The message's id.
        id: MessageId,
        /// The name.
        name: String,
    },
    /// Asks for a code with which another device can join the account.
    Link {
        /// The message's id.
        id: MessageId,
    },
    /// Asks for a `pong`.
    Ping,
}

impl ClientMessage {
    /// The types of messages.
    pub const TYPES: [&str; 17] = [
        "hello", "create", "seek", "join", "act", "offer", "answer", "resign", "claim", "say",
        "leave", "lobby", "leaders", "history", "register", "link", "ping",
    ];

    /// The id, if the message has one.
    #[must_use]
    pub const fn id(&self) -> Option<&MessageId> {
        match self {
            Self::Create { id, .. }
            | Self::Seek { id, .. }
            | Self::Act { id, .. }
            | Self::Offer { id, .. }
            | Self::Answer { id, .. }
            | Self::Resign { id, .. }
            | Self::Claim { id, .. }
            | Self::Say { id, .. }
            | Self::Register { id, .. }
            | Self::Link { id } => Some(id),
            Self::Join { id, .. } => id.as_ref(),
            Self::Hello(_)
            | Self::Leave { .. }
            | Self::Lobby
            | Self::Leaders { .. }
            | Self::History
            | Self::Ping => None,
        }
    }

    /// How many credits the message takes. Clients pace themselves by it.
    #[must_use]
    pub const fn cost(&self) -> u32 {
        match self {
            Self::Create { .. } | Self::Seek { .. } | Self::Register { .. } | Self::Link { .. } => {
                5
            }
            Self::Lobby | Self::Leaders { .. } | Self::History => 3,
            Self::Join { .. } => 2,
            Self::Hello(_)
            | Self::Act { .. }
            | Self::Offer { .. }
            | Self::Answer { .. }
            | Self::Resign { .. }
            | Self::Claim { .. }
            | Self::Say { .. }
            | Self::Leave { .. }
            | Self::Ping => 1,
        }
    }
}

/// The first message of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol.
    pub proto: u32,
    /// The token of the account; none for a new guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The name and version of the client.
    pub client: String,
    /// The name a guest wants to be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A random text that the client keeps on its device, whichever account it uses there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// A code from `link`, or the recovery code of an account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}
