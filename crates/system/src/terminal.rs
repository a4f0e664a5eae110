//! The terminal: size, settings, capabilities and hang-ups.

use std::io::{self, IsTerminal};

use crate::family::terminal::{self as family, IS_CAPABLE, IS_UNICODE, Settings};
pub use crate::family::terminal::{name, wait_for_hang_up};

/// The columns and rows of the terminal on standard output.
#[must_use]
pub fn output_size() -> Option<(u16, u16)> {
    family::size(&io::stdout())
}

/// The columns and rows of the terminal on standard error.
#[must_use]
pub fn error_size() -> Option<(u16, u16)> {
    family::size(&io::stderr())
}

/// Whether the terminal lacks cursor movement.
#[must_use]
pub fn is_dumb() -> bool {
    let terminal = std::env::var_os("TERM").filter(|terminal| !terminal.is_empty());
    terminal.map_or(!IS_CAPABLE, |terminal| terminal == "dumb")
}

/// Whether the locale supports Unicode.
#[must_use]
pub fn speaks_unicode() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.map_or(IS_UNICODE, |locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Remembers whether standard input and output were terminals, because `is_terminal` fails after a hang-up.
#[derive(Clone, Copy, Debug)]
pub struct Terminals {
    input: bool,
    output: bool,
}

impl Terminals {
    /// Which of standard input and output are terminals now.
    #[must_use]
    pub fn now() -> Self {
        Self { input: io::stdin().is_terminal(), output: io::stdout().is_terminal() }
    }

    /// Whether one of the remembered terminals has hung up.
    #[must_use]
    pub fn are_hung_up(self) -> bool {
        self.input && family::has_gone(&io::stdin())
            || self.output && family::has_gone(&io::stdout())
    }
}

/// The settings of the terminal on standard input.
#[derive(Clone, Debug)]
pub struct TerminalSettings(Settings);

impl TerminalSettings {
    /// The current settings, if standard input is a terminal.
    #[must_use]
    pub fn now() -> Option<Self> {
        family::settings().ok().map(Self)
    }

    /// Applies these settings. Does nothing after a hang-up.
    pub fn apply(&self) {
        drop(family::apply(&self.0));
    }
}

/// The effect of Ctrl-C while a program reads keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CtrlC {
    /// Ctrl-C sends a signal, even to a busy program.
    Signal,
    /// Ctrl-C is a key like any other.
    Key,
}

/// Lets the program read single keys without echo. Dropping this value restores the settings.
#[derive(Debug)]
pub struct Keys {
    before: TerminalSettings,
    ctrl_c: CtrlC,
}

impl Keys {
    /// Prepares to read keys, if there is a terminal. The terminal stays unchanged until [`Keys::resume`].
    #[must_use]
    pub fn new(ctrl_c: CtrlC) -> Option<Self> {
        Some(Self { before: TerminalSettings::now()?, ctrl_c })
    }

    /// Restores the terminal's settings temporarily.
    pub fn pause(&self) {
        self.before.apply();
    }

    /// Starts reading keys. Does nothing after a hang-up.
    pub fn resume(&self) {
        drop(family::apply(&family::for_keys(&self.before.0, self.ctrl_c)));
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.pause();
    }
}

/// Turns off echo and, on Unix, suspension by Ctrl-Z. Dropping this value restores the settings.
#[derive(Debug)]
pub struct Hidden(TerminalSettings);

impl Hidden {
    /// Turns off echo, if there is a terminal.
    #[must_use]
    pub fn begin() -> Option<Self> {
        let before = TerminalSettings::now()?;
        family::apply(&family::without_echo(&before.0)).ok()?;
        Some(Self(before))
    }

    /// Whether the line break at the end of a hidden line is echoed.
    #[must_use]
    pub const fn shows_line_breaks(&self) -> bool {
        family::ECHOES_LINE_BREAKS
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        self.0.apply();
    }
}
