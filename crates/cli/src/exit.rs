//! How the program ends.

use std::process::ExitCode;

/// The exit codes that other programs rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything asked for was done.
    Done,
    /// Something failed.
    Failed,
    /// The command line made no sense.
    Usage,
    /// The input ended in the middle of a game.
    InputEnded,
    /// A signal ended the program.
    Signal(u8),
}

/// What the exit codes mean, for people.
pub(crate) const MEANINGS: [(&str, &str); 7] = [
    ("0", "done"),
    (
        "1",
        "something failed: a file that cannot be read or written, a broken record, a board too large to be solved",
    ),
    ("2", "the command line is not valid"),
    ("3", "the input ended in the middle of a game; it is saved, and the way back has been told"),
    ("129", "ended by SIGHUP, or because the terminal was closed; the game is saved"),
    ("130", "ended by Ctrl-C or SIGINT; the game is saved"),
    ("143", "ended by SIGTERM; the game is saved"),
];

/// What a shell adds to a signal's number.
const SIGNALLED: u8 = 128;

/// Ctrl-C, whether it came as a signal or as a key.
pub(crate) const INTERRUPTED: Exit = Exit::Signal(2);

/// The terminal has gone, whether or not a signal said so.
pub(crate) const HUNG_UP: Exit = Exit::Signal(1);

impl Exit {
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

/// The command line can be parsed but asks for something impossible.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// A usage error made from any other.
pub(crate) fn usage(error: impl std::fmt::Display) -> anyhow::Error {
    UsageError(error.to_string()).into()
}
