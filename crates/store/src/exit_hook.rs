//! Coordinates writes with signals that end the program: a write in progress completes, and no other write begins.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a signal waits for a write in progress. Only an unresponsive disk takes this long.
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);

/// Holds off signals during a write, and stores the message to print when a signal ends the program.
#[derive(Clone, Debug, Default)]
pub struct ExitHook(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    message: Option<String>,
    /// The message about background work, such as a tournament.
    background: Option<String>,
    /// Whether a file is being written.
    is_writing: bool,
    /// Whether a signal is ending the program: nothing more may be written.
    is_ending: bool,
}

impl State {
    fn message(&self) -> Option<String> {
        let messages: Vec<&str> =
            [&self.message, &self.background].into_iter().flatten().map(String::as_str).collect();
        (!messages.is_empty()).then(|| messages.join("\n"))
    }
}

impl ExitHook {
    /// Sets the message about the game; `None` while there is no game to resume.
    pub fn set(&self, message: Option<String>) {
        self.state().message = message;
    }

    /// Sets the message about background work, such as a tournament.
    pub fn set_background(&self, message: Option<String>) {
        self.state().background = message;
    }

    /// Holds off signals until the guard is dropped, or for a few seconds at most, so that no save is cut short. Blocks
    /// forever once a signal is ending the program.
    pub fn hold(&self) -> Hold<'_> {
        let (_, changed) = &*self.0;
        let busy = |state: &mut State| state.is_writing || state.is_ending;
        let mut state =
            changed.wait_while(self.state(), busy).unwrap_or_else(PoisonError::into_inner);
        state.is_writing = true;
        Hold(self)
    }

    /// The messages about the game and the background work, each on a line of its own, if there are any.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.state().message()
    }

    /// Waits for the write in progress, blocks all later writes and returns the message to print.
    #[must_use]
    pub fn end(&self) -> Option<String> {
        let (_, changed) = &*self.0;
        let mut state = self.state();
        state.is_ending = true;
        let writing = |state: &mut State| state.is_writing;
        let waited = changed.wait_timeout_while(state, WRITE_TIMEOUT, writing);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.message()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guard that holds off signals while a file is being written.
pub struct Hold<'a>(&'a ExitHook);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.state().is_writing = false;
        self.0.0.1.notify_all();
    }
}
