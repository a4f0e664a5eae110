//! Refusals, and notices sent without a request.

use serde::{Deserialize, Serialize};

use super::{ClockView, MessageId};
use crate::rejection::{Rejection, RejectionCode};

/// A refusal, or a notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rej {
    /// The refused message's id, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    /// The reason, for programs.
    pub code: RejectionCode,
    /// The reason and possible remedies, for people.
    pub text: String,
    /// The legal choices, if the message was a choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legal: Vec<String>,
    /// When to retry, in seconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// The subject of a notice; `None` for a refusal of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<About>,
}

/// The subject of a notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The room code.
    pub code: String,
    /// Whether an earlier notice no longer applies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
    /// The current clocks, if they have stopped or restarted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockView>,
}

impl Rej {
    /// Creates a refusal without choices or a time.
    #[must_use]
    pub fn of(id: Option<MessageId>, code: RejectionCode, text: impl Into<String>) -> Self {
        Self::new(id, Rejection::new(code, text))
    }

    /// Creates a notice about a game.
    #[must_use]
    pub fn about(game: &str, code: RejectionCode, text: &str) -> Self {
        let notice = Some(About { code: game.to_owned(), over: false, clock: None });
        Self { notice, ..Self::of(None, code, text) }
    }

    /// Sets or removes the notice's clocks.
    #[must_use]
    pub fn with_clock(mut self, clock: Option<ClockView>) -> Self {
        if let Some(notice) = &mut self.notice {
            notice.clock = clock;
        }
        self
    }

    /// Marks the notice as saying that an earlier one no longer applies.
    #[must_use]
    pub const fn as_over(mut self) -> Self {
        if let Some(notice) = &mut self.notice {
            notice.over = true;
        }
        self
    }

    /// Whether it is a notice to everybody in a game that the computer or the server cannot continue, or can continue
    /// again.
    pub(crate) const fn is_notice(&self) -> bool {
        self.notice.is_some()
    }

    /// Whether this may answer a message without an id.
    #[must_use]
    pub const fn may_answer(&self) -> bool {
        self.id.is_none() && self.notice.is_none()
    }

    /// Creates a refusal of a message from a room's rejection.
    #[must_use]
    pub fn new(id: Option<MessageId>, rejection: Rejection) -> Self {
        let Rejection { code, text, legal, seconds } = rejection;
        Self { id, code, text, legal, seconds, notice: None }
    }
}
