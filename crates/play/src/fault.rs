//! The faults of a bot, described for its author.

use std::fmt;
use std::time::Duration;

use skirmish_rules::{Termination, quotable};

/// A bot's fault. The message completes a sentence that starts with the bot's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The program did not start.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// The machine lacks the resources to start the program, which is not the bot's fault.
    #[error("could not be started because the machine lacks resources: {0}")]
    NoRoom(String),
    /// The program exited or closed its output.
    #[error("{how}{}", in_brackets(.complaint.as_deref()))]
    Ended {
        /// How the program ended.
        how: String,
        /// The last line of the program's standard error.
        complaint: Option<String>,
    },
    /// The bot did not answer in time.
    #[error("gave no {what} within {}{}", Span(*.limit), unfinished_line(.unfinished.as_deref()))]
    Late {
        /// The expected answer.
        what: &'static str,
        /// The time limit.
        limit: Duration,
        /// The beginning of an unfinished line.
        unfinished: Option<String>,
    },
    /// The bot sent too much output without an answer.
    #[error("sent more than {} KiB without an answer", .0 / 1024)]
    Flood(usize),
    /// The bot sent too long a line.
    #[error("sent more than {} KiB without ending the line", .0 / 1024)]
    EndlessLine(usize),
    /// The bot does not read its input.
    #[error("does not read its input")]
    Deaf,
    /// The bot's output is not UTF-8 text.
    #[error("sent bytes that are not UTF-8 text")]
    NotText,
    /// The bot's answer is not a legal move.
    #[error("played \"{said}\": it could play {possible}")]
    Illegal {
        /// The answer.
        said: String,
        /// The legal moves.
        possible: String,
    },
    /// The bot reports that it does not play this game.
    #[error("does not play {game}: it plays {plays}")]
    Unwilling {
        /// The game.
        game: &'static str,
        /// The games that the bot plays.
        plays: String,
    },
}

impl Fault {
    /// Returns the termination of a game that this fault ended.
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

/// Formats a duration as `250 ms`, `2 s` or `1.5 s`.
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

fn in_brackets(complaint: Option<&str>) -> String {
    complaint.map_or(String::new(), |complaint| format!(" ({complaint})"))
}

fn unfinished_line(text: Option<&str>) -> String {
    let describe = |text| format!("; it said \"{}\" without ending the line", quotable(text));
    text.map_or(String::new(), describe)
}
