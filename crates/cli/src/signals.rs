//! Signals end the program cleanly, wherever it waits: terminal restored, game saved, way back told.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use skirmish_arena::bot;
use skirmish_store::remove_leftovers;

use crate::exit::Exit;
use crate::output::{self, Manner};

/// How long a signal waits for a file that is being written. Writing takes far less, unless a disk hangs.
const WRITING_TIME: Duration = Duration::from_secs(3);

/// What to tell the player when the program has to end now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Farewell(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    message: Option<String>,
    /// A file is being written.
    is_writing: bool,
    /// A signal is ending the program: nothing more may be written.
    is_ending: bool,
}

impl Farewell {
    /// Sets the message; none while there is nothing to come back to.
    pub(crate) fn set(&self, message: Option<String>) {
        self.state().message = message;
    }

    /// Holds off signals until the guard is dropped, so that a save is not cut short; but not for longer than a few
    /// seconds. Once a signal is ending the program this does not return.
    pub(crate) fn hold(&self) -> Hold<'_> {
        let (_, changed) = &*self.0;
        let busy = |state: &mut State| state.is_writing || state.is_ending;
        let mut state =
            changed.wait_while(self.state(), busy).unwrap_or_else(PoisonError::into_inner);
        state.is_writing = true;
        Hold(self)
    }

    /// Says it.
    pub(crate) fn say(&self) {
        if let Some(message) = &self.state().message {
            output::complain(message);
        }
    }

    /// Waits until nothing is being written, and stops everything from being written from now on. Gives the message.
    fn end(&self) -> Option<String> {
        let (_, changed) = &*self.0;
        let mut state = self.state();
        state.is_ending = true;
        let writing = |state: &mut State| state.is_writing;
        let waited = changed.wait_timeout_while(state, WRITING_TIME, writing);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.message.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While this lives a file is being written.
pub(crate) struct Hold<'a>(&'a Farewell);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.state().is_writing = false;
        self.0.0.1.notify_all();
    }
}

/// Watches for SIGINT, SIGTERM and SIGHUP from now on.
pub(crate) fn watch(farewell: Farewell) -> io::Result<()> {
    let terminal = Terminal::remember();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let Some(signal) = signals.forever().next() else { return };
        // From here on nothing is saved: the game loop, which sees its bots end, must not take that for their fault.
        let message = farewell.end();
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
