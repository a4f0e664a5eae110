//! Exit codes and usage errors.

use std::process::ExitCode;

/// The exit codes that other programs rely on. Returned as an error, an exit code ends the program without a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("exit code {}", self.code())]
pub(crate) enum Exit {
    /// Success.
    Done,
    /// Something failed.
    Failed,
    /// The command line is not valid.
    Usage,
    /// The input ended in the middle of a game.
    InputEnded,
    /// A signal ended the program.
    Signal(u8),
}

/// The exit codes and their meanings, for the manual page.
pub(crate) const MEANINGS: [(&str, &str); 7] = [
    ("0", "success"),
    (
        "1",
        "failure: a file cannot be read or written, a record is invalid, a board is too large to solve",
    ),
    ("2", "the command line is not valid"),
    (
        "3",
        "the input ended in the middle of a game or a puzzle; the game is saved, or stays on its server, and the command to resume it was printed",
    ),
    ("129", "SIGHUP, or the terminal was closed; the game is saved"),
    ("130", "Ctrl-C or SIGINT; the game is saved"),
    ("143", "SIGTERM; the game is saved"),
];

/// Shells report a signal as this plus its number.
const SIGNALLED: u8 = 128;

/// Ctrl-C, as a signal or as a key.
pub(crate) const INTERRUPTED: Exit = Exit::Signal(2);

/// The terminal was closed, with or without a SIGHUP.
pub(crate) const HUNG_UP: Exit = Exit::Signal(1);

impl Exit {
    /// The exit code for an error.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if error.is::<UsageError>() { Self::Usage } else { Self::Failed }
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::InputEnded => 3,
            Self::Signal(number) => SIGNALLED + number,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The command line parses but is not valid.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// Turns any error into a usage error.
pub(crate) fn usage(error: impl std::fmt::Display) -> anyhow::Error {
    UsageError(error.to_string()).into()
}
