//! The messages of protocol version [`PROTO`]: JSON objects distinguished by their `type` field. Unknown fields are
//! ignored, and unknown messages are refused. `docs/online.md` describes all messages.

mod client;
mod end;
mod rej;
mod server;

use serde::{Deserialize, Serialize};

pub use self::client::{ClientMessage, Hello, RoomRequest};
pub use self::end::End;
pub use self::rej::{About, Rej};
pub use self::server::{
    ClockView, Ev, EventView, Finished, Leader, Lobby, LobbyGame, MatchView, Seated, ServerMessage,
    Snap, StageName, SubmittedTurn, Welcome,
};

/// The version of the protocol.
pub const PROTO: u32 = 2;

/// The oldest protocol version whose clients understand all of the server's messages.
pub const OLDEST_PROTO: u32 = 1;

/// Maximum size in bytes of a message from a client.
pub const LONGEST_MESSAGE: usize = 4096;

/// A number or text that links an answer to the client's message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected an id that is a whole number or a string")]
pub enum MessageId {
    /// A number.
    Number(u64),
    /// A text of at most [`MessageId::LONGEST`] bytes.
    Text(String),
}

impl MessageId {
    /// Maximum length of a text id in bytes.
    pub const LONGEST: usize = 64;
}

/// An offer to the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offer {
    /// A draw.
    Draw,
    /// A takeback of the offering player's last move.
    Takeback,
    /// Another game or match, with the seats swapped.
    Rematch,
}

/// A set phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // `text` returns the sentences
pub enum Phrase {
    Hello,
    Luck,
    Nice,
    Thanks,
    Sorry,
    Wait,
    Oops,
    Bye,
}

impl Phrase {
    /// All phrases with their names and sentences.
    pub const ALL: [(Self, &str, &str); 8] = [
        (Self::Hello, "hello", "Hello!"),
        (Self::Luck, "luck", "Good luck!"),
        (Self::Nice, "nice", "Nice move!"),
        (Self::Thanks, "thanks", "Thank you for the game."),
        (Self::Sorry, "sorry", "Sorry!"),
        (Self::Wait, "wait", "One moment, please."),
        (Self::Oops, "oops", "Oops!"),
        (Self::Bye, "bye", "Goodbye!"),
    ];

    /// Returns the phrase with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let phrase =
            Self::ALL.into_iter().find(|(_, word, _)| word.eq_ignore_ascii_case(name.trim()));
        phrase.map(|(phrase, ..)| phrase)
    }

    /// Returns the phrase as a sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}
