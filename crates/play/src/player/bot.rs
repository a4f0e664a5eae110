//! A bot as a player: its command, its protocol and its sandbox. This module starts no processes.

use std::fmt;

/// The two protocols for bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The Universal Game Interface.
    Ugi,
    /// JSON, one line per question and answer.
    Json,
}

impl Dialect {
    /// All protocols.
    pub const ALL: [Self; 2] = [Self::Ugi, Self::Json];

    /// Returns the protocol's name, which can prefix a command: `ugi:./bot`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ugi => "ugi",
            Self::Json => "json",
        }
    }
}

/// The resource limits of a bot in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// The memory per process, in bytes.
    pub memory: u64,
    /// The number of processes and threads.
    pub processes: u32,
}

impl Sandbox {
    /// The default memory limit: 1 GiB per process.
    pub const USUAL_MEMORY: u64 = 1 << 30;
    /// The default process limit. Most language runtimes start threads of their own.
    pub const USUAL_PROCESSES: u32 = 32;
    /// The default limits.
    pub const USUAL: Self = Self { memory: Self::USUAL_MEMORY, processes: Self::USUAL_PROCESSES };
}

/// The command that starts a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotCommand {
    /// The command as the user wrote it.
    pub text: String,
    /// The bot's name.
    pub name: String,
    /// The protocol, if the user chose one.
    pub dialect: Option<Dialect>,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The sandbox around the bot, if any.
    pub sandbox: Option<Sandbox>,
    /// A tag that marks the bot's processes in a tournament.
    pub tournament: Option<String>,
}

impl BotCommand {
    /// Creates the command of a bot called `name`, started by running `words`.
    #[must_use]
    pub fn new(text: &str, name: String, words: Vec<String>) -> Self {
        let text = text.to_owned();
        Self { text, name, dialect: None, words, sandbox: None, tournament: None }
    }

    /// Sets the protocol.
    #[must_use]
    pub fn speaking(self, dialect: Dialect) -> Self {
        Self { dialect: Some(dialect), ..self }
    }

    /// Sets the sandbox, or removes it.
    #[must_use]
    pub fn within(self, sandbox: Option<Sandbox>) -> Self {
        Self { sandbox, ..self }
    }
}

impl fmt::Display for BotCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
