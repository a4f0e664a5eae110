//! Signals end the program cleanly, wherever it waits: terminal restored, game saved, way back told.

use std::io::{self, IsTerminal, Write};
use std::thread;

use skirmish_arena::bot;
use skirmish_present::Manner;
use skirmish_store::{ExitHook, remove_leftovers};
use skirmish_system::signals::Signals;
use skirmish_system::terminal::TerminalSettings;
use skirmish_system::{Signal, is_dumb};

use crate::exit::Exit;
use crate::output;

/// Watches for signals that end the program from now on.
pub(crate) fn watch(exit_hook: ExitHook) -> io::Result<()> {
    let settings = TerminalSettings::now();
    let mut signals = Signals::ending()?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let ending = |signal| match signal {
            Signal::End(number) => Some(number),
            Signal::Suspend => None,
        };
        let Some(number) = signals.find_map(ending) else { return };
        // From here on nothing is saved: the game loop, which sees its bots end, must not take that for their fault.
        let message = exit_hook.end();
        // They have sessions of their own, so no signal of the terminal reaches them.
        bot::end_all();
        remove_leftovers();
        restore(settings.as_ref());
        if let Some(message) = message {
            output::complain(format_args!("\n{message}"));
        }
        std::process::exit(Exit::Signal(number).code().into());
    })?;
    Ok(())
}

/// Tells the terminal not to mark what is pasted.
const END_OF_MARKED_PASTE: &str = "\u{1b}[?2004l";

/// Gives the terminal the settings that we found, if there is a terminal.
fn restore(settings: Option<&TerminalSettings>) {
    let Some(settings) = settings else { return };
    settings.apply();
    if io::stdout().is_terminal() && output::manner() == Manner::Usual && !is_dumb() {
        // The line editor marks what is pasted, and has no chance to take that back.
        drop(io::stdout().write_all(END_OF_MARKED_PASTE.as_bytes()));
    }
}
