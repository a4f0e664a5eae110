//! What a bot can do wrong, in words that help whoever wrote it.

use std::fmt;
use std::time::Duration;

use skirmish_rules::{Termination, quotable};

/// What a bot did wrong. Its sentence goes on after the bot's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The program does not start.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// The machine has no room for another program, which is nobody's fault.
    #[error("could not be started, because the machine has no room: {0}")]
    NoRoom(String),
    /// The program has ended, or closed its output.
    #[error("{how}{}", behind(.complaint.as_deref()))]
    Ended {
        /// What became of it.
        how: String,
        /// The last thing it wrote to standard error.
        complaint: Option<String>,
    },
    /// No answer came in time.
    #[error("gave no {what} within {}{}", Span(*.limit), unended(.unfinished.as_deref()))]
    Late {
        /// What was awaited.
        what: &'static str,
        /// How long it was awaited.
        limit: Duration,
        /// What came of a line that was never ended.
        unfinished: Option<String>,
    },
    /// Much was said, but not the answer.
    #[error("sent more than {} KiB without an answer", .0 / 1024)]
    Flood(usize),
    /// A line goes on and on.
    #[error("sent more than {} KiB without ending the line", .0 / 1024)]
    EndlessLine(usize),
    /// It answers without reading.
    #[error("does not read what it is asked")]
    Deaf,
    /// What it said is not text.
    #[error("sent bytes that are not UTF-8 text")]
    NotText,
    /// The answer is not a legal move.
    #[error("played \"{said}\": it could play {possible}")]
    Illegal {
        /// The answer.
        said: String,
        /// What was legal.
        possible: String,
    },
    /// The bot says itself that it does not play this game.
    #[error("does not play {game}: it plays {plays}")]
    Unwilling {
        /// The game.
        game: &'static str,
        /// What it plays.
        plays: String,
    },
}

impl Fault {
    /// How a game ends in which this happens.
    #[must_use]
    pub const fn termination(&self) -> Termination {
        match self {
            Self::Late { .. } => Termination::Time,
            Self::NotStarted(_)
            | Self::NoRoom(_)
            | Self::Ended { .. }
            | Self::Flood(_)
            | Self::EndlessLine(_)
            | Self::Deaf
            | Self::NotText
            | Self::Illegal { .. }
            | Self::Unwilling { .. } => Termination::IllegalMove,
        }
    }
}

/// A span of time for people: `250 ms`, `2 s`, `1.5 s`.
#[derive(Clone, Copy, Debug)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0.as_millis();
        match (milliseconds / 1000, milliseconds % 1000) {
            (0, rest) => write!(formatter, "{rest} ms"),
            (seconds, 0) => write!(formatter, "{seconds} s"),
            (_, _) => write!(formatter, "{} s", self.0.as_secs_f64()),
        }
    }
}

fn behind(complaint: Option<&str>) -> String {
    complaint.map_or(String::new(), |complaint| format!(" ({complaint})"))
}

fn unended(unfinished: Option<&str>) -> String {
    let tell = |text| format!("; it said \"{}\" without ending the line", quotable(text));
    unfinished.map_or(String::new(), tell)
}
