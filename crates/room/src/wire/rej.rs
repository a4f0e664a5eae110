//! Refusals, and notices, which answer nothing.

use serde::{Deserialize, Serialize};

use super::{ClockView, MessageId};
use crate::rejection::{Rejection, RejectionCode};

/// A refusal, or a notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rej {
    /// The refused message's id, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    /// Why, for programs.
    pub code: RejectionCode,
    /// Why, and what is possible, for people.
    pub text: String,
    /// The legal choices, if the message was a choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legal: Vec<String>,
    /// When to try again, in seconds, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// What it is about, if it is a notice and answers nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<About>,
}

/// What a notice is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The game.
    pub code: String,
    /// Whether an earlier notice no longer applies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
    /// The clocks, in place of those shown, if they stand still or run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockView>,
}

impl Rej {
    /// A refusal of a message without more to say.
    #[must_use]
    pub fn of(id: Option<MessageId>, code: RejectionCode, text: impl Into<String>) -> Self {
        Self::new(id, Rejection::new(code, text))
    }

    /// Something that nobody has asked for, about a game.
    #[must_use]
    pub fn about(game: &str, code: RejectionCode, text: &str) -> Self {
        let notice = Some(About { code: game.to_owned(), over: false, clock: None });
        Self { notice, ..Self::of(None, code, text) }
    }

    /// The notice with these clocks, or without any.
    #[must_use]
    pub fn with_clock(mut self, clock: Option<ClockView>) -> Self {
        if let Some(notice) = &mut self.notice {
            notice.clock = clock;
        }
        self
    }

    /// The notice as one that says that an earlier one no longer applies.
    #[must_use]
    pub const fn as_over(mut self) -> Self {
        if let Some(notice) = &mut self.notice {
            notice.over = true;
        }
        self
    }

    /// Whether it is told to everybody in a game without being asked: the computer or the server cannot go on at the
    /// moment, or can again.
    pub(crate) const fn is_notice(&self) -> bool {
        self.notice.is_some()
    }

    /// Whether it may answer a message without an id.
    #[must_use]
    pub const fn may_answer(&self) -> bool {
        self.id.is_none() && self.notice.is_none()
    }

    /// A refusal of a message, with its id if it had one.
    #[must_use]
    pub fn new(id: Option<MessageId>, rejection: Rejection) -> Self {
        let Rejection { code, text, legal, seconds } = rejection;
        Self { id, code, text, legal, seconds, notice: None }
    }
}
