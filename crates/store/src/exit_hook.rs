//! Ending the program on a signal: a write in progress is completed, and no other write begins.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a signal waits for a write in progress. Only a hanging disk takes this long.
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);

/// Holds off signals during a write, and holds the message to print when the program is ended.
#[derive(Clone, Debug, Default)]
pub struct ExitHook(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    message: Option<String>,
    /// The same for what runs in the background.
    background: Option<String>,
    /// A file is being written.
    is_writing: bool,
    /// A signal is ending the program: nothing more may be written.
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
    /// Sets the message; `None` while there is no game to resume.
    pub fn set(&self, message: Option<String>) {
        self.state().message = message;
    }

    /// Sets the message about what runs besides the game, such as a tournament.
    pub fn set_background(&self, message: Option<String>) {
        self.state().background = message;
    }

    /// Holds off signals until the guard is dropped, but for a few seconds at most, so that a save is not cut short.
    /// Once a signal is ending the program, this blocks forever.
    pub fn hold(&self) -> Hold<'_> {
        let (_, changed) = &*self.0;
        let busy = |state: &mut State| state.is_writing || state.is_ending;
        let mut state =
            changed.wait_while(self.state(), busy).unwrap_or_else(PoisonError::into_inner);
        state.is_writing = true;
        Hold(self)
    }

    /// The message, or both, each on its line.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.state().message()
    }

    /// Waits for the write in progress, blocks all later ones and returns the message.
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

/// Held while a file is being written.
pub struct Hold<'a>(&'a ExitHook);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.state().is_writing = false;
        self.0.0.1.notify_all();
    }
}
