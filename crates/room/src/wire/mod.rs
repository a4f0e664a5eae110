//! The messages of the protocol, version [`PROTO`]: JSON objects that are told apart by their field `type`. Unknown fields
//! are ignored, unknown messages refused. `docs/online.md` describes all of them.

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

/// The oldest version whose clients understand all that is sent to them.
pub const OLDEST_PROTO: u32 = 1;

/// The most bytes in a message from a client.
pub const LONGEST_MESSAGE: usize = 4096;

/// The number or text by which a client recognises the answer to a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected an id that is a whole number or a string")]
pub enum MessageId {
    /// A number.
    Number(u64),
    /// A text of at most [`MessageId::LONGEST`] bytes.
    Text(String),
}

impl MessageId {
    /// The longest text.
    pub const LONGEST: usize = 64;
}

/// What one player can offer the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offer {
    /// A draw.
    Draw,
    /// To take back the offering player's last move.
    Takeback,
    /// Another game, or another match, with the seats swapped.
    Rematch,
}

/// A set phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // `text` has the sentences
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
    /// All phrases with their sentences.
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

    /// The phrase with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let phrase =
            Self::ALL.into_iter().find(|(_, word, _)| word.eq_ignore_ascii_case(name.trim()));
        phrase.map(|(phrase, ..)| phrase)
    }

    /// The sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}
