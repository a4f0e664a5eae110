//! What a client sends.

use std::ops::Range;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::MessageId;
use crate::room::Request;
use crate::terms::Terms;

/// What a client sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "type", rename_all = "lowercase")]
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
    /// Asks something of a game. The type of the message is that of the request.
    #[serde(skip)]
    Request(RoomRequest),
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
    /// Those of them that are requests to a game.
    const REQUESTS: Range<usize> = 4..10;

    /// The id, if the message has one.
    #[must_use]
    pub const fn id(&self) -> Option<&MessageId> {
        match self {
            Self::Create { id, .. }
            | Self::Seek { id, .. }
            | Self::Request(RoomRequest { id, .. })
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
            Self::Hello(_) | Self::Request(_) | Self::Leave { .. } | Self::Ping => 1,
        }
    }
}

impl Serialize for ClientMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Request(request) => request.serialize(serializer),
            // `remote` derives a function of this name that is not the trait's.
            other => Self::serialize(other, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ClientMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let message = Value::deserialize(deserializer)?;
        let kind = message["type"].as_str();
        let read = if kind.is_some_and(|kind| Self::TYPES[Self::REQUESTS].contains(&kind)) {
            RoomRequest::read(&message).map(Self::Request)
        } else {
            // `remote` derives a function of this name that is not the trait's.
            Self::deserialize(message)
        };
        read.map_err(D::Error::custom)
    }
}

/// A request to a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoomRequest {
    /// What is asked for.
    #[serde(flatten)]
    pub request: Request,
    /// The message's id.
    pub id: MessageId,
    /// The game.
    pub code: String,
    /// The version that the client has seen. If the request was about something else then than it would be now (another
    /// game of the room, another offer, another move to be taken back), it is refused.
    #[serde(rename = "v", skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
}

impl RoomRequest {
    /// A request from a client that has seen a version. A choice has a version of its own, and a phrase needs none.
    #[must_use]
    pub fn new(id: MessageId, code: String, seen: Option<u64>, request: Request) -> Self {
        let needs_none = matches!(request, Request::Act { .. } | Request::Say { .. });
        Self { request, id, code, seen: seen.filter(|_| !needs_none) }
    }

    fn read(message: &Value) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Address {
            id: MessageId,
            code: String,
            v: Option<u64>,
        }
        let Address { id, code, v } = Address::deserialize(message)?;
        Ok(Self::new(id, code, v, Request::deserialize(message)?))
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
