//! Refusals: a stable code for programs and a sentence for people.

use serde::{Deserialize, Serialize};

/// Why a message is refused or a connection closed. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RejectionCode {
    /// The message is not JSON of the protocol.
    Malformed,
    /// There is no message of that type.
    Unknown,
    /// The message is too long.
    TooLong,
    /// The server speaks another version of the protocol.
    Proto,
    /// `hello` comes first, and once.
    Hello,
    /// Nobody has that token or link code.
    Token,
    /// There is no such game.
    NotFound,
    /// The terms are not possible.
    Terms,
    /// The board is too large to be solved here.
    TooLarge,
    /// The name is not valid or taken.
    Name,
    /// Both seats are taken and nobody may watch.
    Full,
    /// The sender does not play in this game.
    NotSeated,
    /// The game has not begun.
    NotBegun,
    /// It is the other player's turn.
    NotYourTurn,
    /// The choice is not legal.
    Illegal,
    /// The choice was made already, and cannot be changed.
    Chosen,
    /// The position has changed since the version that the choice is based on.
    Version,
    /// The game is over.
    Over,
    /// The game is not over.
    NotOver,
    /// The server is stopping.
    Paused,
    /// There is nothing to answer.
    NoOffer,
    /// The offer was declined, or repeated, too recently.
    TooSoon,
    /// There is nothing to take back.
    NoTurn,
    /// The opponent is not gone, or not long enough.
    NotGone,
    /// The account does not allow it.
    Account,
    /// A limit is reached.
    Limit,
    /// The receiver did not read fast enough.
    Slow,
    /// The server could not store it.
    Storage,
    /// The connection was replaced or idle for too long.
    Gone,
}

/// A refusal by a room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Rejection {
    /// Why, for programs.
    pub code: RejectionCode,
    /// Why, and what is possible, for people.
    pub text: String,
    /// The legal choices, if the request was a choice.
    pub legal: Vec<String>,
    /// When to try again, in seconds, if that is known.
    pub seconds: Option<u32>,
}

impl Rejection {
    /// A refusal without choices or a time.
    #[must_use]
    pub fn new(code: RejectionCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), legal: Vec::new(), seconds: None }
    }
}
