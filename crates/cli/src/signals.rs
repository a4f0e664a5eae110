//! Clean shutdown on a signal: saves the game, ends the bots, restores the terminal and prints how to resume.

use std::io;
use std::thread;

use skirmish_arena::bot;
use skirmish_store::{ExitHook, remove_leftovers};
use skirmish_system::Signal;
use skirmish_system::signals::Signals;
use skirmish_system::terminal::TerminalSettings;

use crate::exit::Exit;
use crate::output;

/// Starts the thread that waits for termination signals.
pub(crate) fn watch(exit_hook: ExitHook) -> io::Result<()> {
    watch_and(exit_hook, || {})
}

/// Like [`watch`], but calls `finish` before the program ends.
pub(crate) fn watch_and(
    exit_hook: ExitHook,
    finish: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let settings = TerminalSettings::now();
    let mut signals = Signals::ending()?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let ending = |signal| match signal {
            Signal::End(number) => Some(number),
            Signal::Suspend => None,
        };
        let Some(number) = signals.find_map(ending) else { return };
        // Block saving first: the game loop must not record the end of its bots as their fault.
        let message = exit_hook.end();
        // Bots have their own sessions, so the terminal's signals do not reach them.
        bot::end_all();
        remove_leftovers();
        finish();
        settings.iter().for_each(TerminalSettings::apply);
        if let Some(message) = message {
            output::eprint_line(format_args!("\n{message}"));
        }
        std::process::exit(Exit::Signal(number).code().into());
    })?;
    Ok(())
}
