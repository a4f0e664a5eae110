//! Signals end the program cleanly, wherever it waits: terminal restored, game saved, way back told.

use std::io::{self, IsTerminal, Write};
use std::thread;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use skirmish_arena::bot;
use skirmish_present::Manner;
use skirmish_store::{ExitHook, remove_leftovers};

use crate::exit::Exit;
use crate::output;

/// Watches for SIGINT, SIGTERM and SIGHUP from now on.
pub(crate) fn watch(exit_hook: ExitHook) -> io::Result<()> {
    let terminal = Terminal::remember();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let Some(signal) = signals.forever().next() else { return };
        // From here on nothing is saved: the game loop, which sees its bots end, must not take that for their fault.
        let message = exit_hook.end();
        // They have sessions of their own, so no signal of the terminal reaches them.
        bot::end_all();
        remove_leftovers();
        terminal.restore();
        if let Some(message) = message {
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
