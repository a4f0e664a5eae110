//! Signals end the program cleanly, wherever it waits: terminal restored, game saved, way back told.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use skirmish_play::bot;

use crate::exit::Exit;
use crate::output::{self, Manner};

/// What to tell the player when the program has to end now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Farewell(Arc<Mutex<Option<String>>>);

impl Farewell {
    /// Sets the message; none while there is nothing to come back to.
    pub(crate) fn set(&self, message: Option<String>) {
        *self.lock() = message;
    }

    /// Holds off signals until the guard is dropped, so that a save is not cut short.
    pub(crate) fn hold(&self) -> MutexGuard<'_, Option<String>> {
        self.lock()
    }

    /// Says it.
    pub(crate) fn say(&self) {
        if let Some(message) = &*self.lock() {
            output::complain(message);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches for SIGINT, SIGTERM and SIGHUP from now on.
pub(crate) fn watch(farewell: Farewell) -> io::Result<()> {
    let terminal = Terminal::remember();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let Some(signal) = signals.forever().next() else { return };
        // Held to the end: the game loop, which sees its bots end, must not take that for their fault and save it.
        let message = farewell.hold();
        // They have sessions of their own, so no signal of the terminal reaches them.
        bot::end_all();
        terminal.restore();
        if let Some(message) = &*message {
            output::complain(format_args!("\n{message}"));
        }
        let number = u8::try_from(signal).unwrap_or(u8::MAX);
        std::process::exit(Exit::Signal(number).code().into());
    })?;
    Ok(())
}

/// Tells the terminal not to mark what is pasted.
const END_OF_MARKED_PASTE: &str = "\u{1b}[?2004l";

/// Whether the terminal can do nothing but print.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|terminal| terminal.is_empty() || terminal == "dumb")
}

/// The terminal's settings as we found them, if there is a terminal.
struct Terminal(Option<Termios>);

impl Terminal {
    fn remember() -> Self {
        Self(tcgetattr(io::stdin()).ok())
    }

    fn restore(&self) {
        if let Self(Some(settings)) = self {
            // If the terminal is gone there is nothing left to restore.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, settings);
            if io::stdout().is_terminal() && output::manner() == Manner::Usual && !is_dumb() {
                // The line editor marks what is pasted, and has no chance to take that back.
                drop(io::stdout().write_all(END_OF_MARKED_PASTE.as_bytes()));
            }
        }
    }
}
