//! Refusals: a stable code for programs and a sentence for people.

use serde::{Deserialize, Serialize};

/// Why a message is refused or a connection closed. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RejectionCode {
    /// The message is not valid JSON of the protocol.
    Malformed,
    /// There is no message of that type.
    Unknown,
    /// The message is too long.
    TooLong,
    /// The client's protocol version is not supported.
    Proto,
    /// `hello` must come first, and only once.
    Hello,
    /// The token or link code is unknown.
    Token,
    /// There is no such game.
    NotFound,
    /// The terms are invalid.
    Terms,
    /// The board is too large to be solved here.
    TooLarge,
    /// The name is invalid or taken.
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
    /// The sender has already chosen, and cannot change the choice.
    Chosen,
    /// The position has changed since the version that the choice is based on.
    Version,
    /// The game is over.
    Over,
    /// The game is not over.
    NotOver,
    /// The server is stopping.
    Paused,
    /// There is no offer to answer.
    NoOffer,
    /// The offer was recently declined or already made.
    TooSoon,
    /// The sender has no turn to take back.
    NoTurn,
    /// The opponent is connected, or has not been absent long enough.
    NotGone,
    /// The account may not do this.
    Account,
    /// A limit was exceeded.
    Limit,
    /// The receiver did not read fast enough.
    Slow,
    /// The server could not store the change.
    Storage,
    /// The connection was replaced, or idle for too long.
    Gone,
}

/// A rejection by a room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Rejection {
    /// The reason, for programs.
    pub code: RejectionCode,
    /// The reason and possible remedies, for people.
    pub text: String,
    /// The legal choices, if the request was a choice.
    pub legal: Vec<String>,
    /// When to retry, in seconds, if known.
    pub seconds: Option<u32>,
}

impl Rejection {
    /// Creates a rejection without legal choices or a time.
    #[must_use]
    pub fn new(code: RejectionCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), legal: Vec::new(), seconds: None }
    }
}
