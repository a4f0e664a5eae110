//! A bot as a player: the command that starts it, the protocol it speaks and the sandbox it runs in. Nothing here
//! starts a program.

use std::fmt;

/// The two ways of talking to a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The Universal Game Interface.
    Ugi,
    /// A line of JSON for every question.
    Json,
}

impl Dialect {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Ugi, Self::Json];

    /// Its name, which can stand before a command: `ugi:./bot`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ugi => "ugi",
            Self::Json => "json",
        }
    }
}

/// What a bot may use up in its sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// The memory of each of its processes, in bytes.
    pub memory: u64,
    /// Its processes and threads.
    pub processes: u32,
}

impl Sandbox {
    /// 1 GiB for each process.
    pub const USUAL_MEMORY: u64 = 1 << 30;
    /// Enough for the runtimes of most languages, which start threads of their own.
    pub const USUAL_PROCESSES: u32 = 32;
}

/// The command that starts a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotCommand {
    /// The command as it was given.
    pub text: String,
    /// What to call the bot.
    pub name: String,
    /// The protocol, where it is fixed.
    pub dialect: Option<Dialect>,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The sandbox it runs in.
    pub sandbox: Option<Sandbox>,
    /// The mark that its processes carry in a tournament.
    pub tournament: Option<String>,
}

impl BotCommand {
    /// A bot that is called `name` and started with `words`.
    #[must_use]
    pub fn new(text: &str, name: String, words: Vec<String>) -> Self {
        let text = text.to_owned();
        Self { text, name, dialect: None, words, sandbox: None, tournament: None }
    }

    /// The same command, with the protocol fixed.
    #[must_use]
    pub fn speaking(self, dialect: Dialect) -> Self {
        Self { dialect: Some(dialect), ..self }
    }

    /// The same command, run in a sandbox if there is one.
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
