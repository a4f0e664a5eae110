//! Messages from a client.

use std::ops::Range;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::MessageId;
use crate::room::Request;
use crate::terms::Terms;

/// A message from a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "type", rename_all = "lowercase")]
pub enum ClientMessage {
    /// The first message of a connection.
    Hello(Hello),
    /// Creates a game and takes a seat.
    Create {
        /// The message's id.
        id: MessageId,
        /// The terms of the game.
        #[serde(flatten)]
        terms: Terms,
    },
    /// Joins a public game on the same terms, or creates one.
    Seek {
        /// The message's id.
        id: MessageId,
        /// The terms of the game.
        #[serde(flatten)]
        terms: Terms,
    },
    /// Takes the free seat of a game, returns to the player's own seat, or watches.
    Join {
        /// The message's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<MessageId>,
        /// The room code.
        code: String,
        /// The last version the client has seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        have: Option<u64>,
        /// Whether to watch even though a seat is free.
        #[serde(default)]
        watch: bool,
    },
    /// Makes a request to a game. The message type is that of the request.
    #[serde(skip)]
    Request(RoomRequest),
    /// Stops following a game. Closes a game that nobody has joined.
    Leave {
        /// The room code.
        code: String,
    },
    /// Asks for the lobby: open games, live games and the account's own.
    Lobby,
    /// Asks for the leaderboard of a game.
    Leaders {
        /// The game's id.
        game: String,
    },
    /// Asks for the account's finished games.
    History,
    /// Turns a guest into an account with a unique name.
    Register {
        /// The message's id.
        id: MessageId,
        /// The requested name.
        name: String,
    },
    /// Asks for a code that adds another device to the account.
    Link {
        /// The message's id.
        id: MessageId,
    },
    /// Asks for a `pong`.
    Ping,
}

impl ClientMessage {
    /// Parses a message.
    ///
    /// # Errors
    /// If the text is not the JSON of a message.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// All message types.
    pub const TYPES: [&str; 17] = [
        "hello", "create", "seek", "join", "act", "offer", "answer", "resign", "claim", "say",
        "leave", "lobby", "leaders", "history", "register", "link", "ping",
    ];
    /// The indices of the types that are requests to a game.
    const REQUESTS: Range<usize> = 4..10;

    /// Returns the message's id, if it has one.
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

    /// Returns the message's cost in credits. Clients pace themselves by it.
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
            // `remote` derives an inherent function of this name, which is not the trait's.
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
            // `remote` derives an inherent function of this name, which is not the trait's.
            Self::deserialize(message)
        };
        read.map_err(D::Error::custom)
    }
}

/// A request to a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoomRequest {
    /// The requested action.
    #[serde(flatten)]
    pub request: Request,
    /// The message's id.
    pub id: MessageId,
    /// The room code.
    pub code: String,
    /// The last version the client has seen. The request is refused if its subject has changed since: an earlier game of
    /// the room, another offer, or another move to take back.
    #[serde(rename = "v", skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
}

impl RoomRequest {
    /// Creates a request from a client that has seen version `seen`. Choices carry their own version, and phrases need
    /// none.
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
    /// The account's token; `None` for a new guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The name and version of the client.
    pub client: String,
    /// The name that a guest would like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A random text that identifies the device and is the same for all accounts used there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// A code from `link`, or the recovery code of an account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}
