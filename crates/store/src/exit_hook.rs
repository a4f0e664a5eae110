//! What happens when the program has to end at once: a file that is being written is finished, and nothing after it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a signal waits for a file that is being written. Writing takes far less, unless a disk hangs.
const WRITING_TIME: Duration = Duration::from_secs(3);

/// What to tell the player when the program has to end now.
#[derive(Clone, Debug, Default)]
pub struct ExitHook(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    message: Option<String>,
    /// A file is being written.
    is_writing: bool,
    /// A signal is ending the program: nothing more may be written.
    is_ending: bool,
}

impl ExitHook {
    /// Sets the message; none while there is nothing to come back to.
    pub fn set(&self, message: Option<String>) {
        self.state().message = message;
    }

    /// Holds off signals until the guard is dropped, so that a save is not cut short; but not for longer than a few
    /// seconds. Once a signal is ending the program this does not return.
    pub fn hold(&self) -> Hold<'_> {
        let (_, changed) = &*self.0;
        let busy = |state: &mut State| state.is_writing || state.is_ending;
        let mut state =
            changed.wait_while(self.state(), busy).unwrap_or_else(PoisonError::into_inner);
        state.is_writing = true;
        Hold(self)
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.state().message.clone()
    }

    /// Waits until nothing is being written, and stops everything from being written from now on. Gives the message.
    #[must_use]
    pub fn end(&self) -> Option<String> {
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
pub struct Hold<'a>(&'a ExitHook);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.state().is_writing = false;
        self.0.0.1.notify_all();
    }
}
