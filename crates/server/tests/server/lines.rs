//! Captures the server's log for tests.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use skirmish_server::{Level, Log, LogFormat};

use crate::support::eventually;

/// The lines logged by a server so far.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    /// A log that writes into this list.
    pub(crate) fn log(&self) -> Log {
        let lines = self.clone();
        Log::new(Level::Debug, move |entry| {
            let line = entry.line(LogFormat::Text, SystemTime::UNIX_EPOCH);
            lines.0.lock().expect("no panic").push(line);
        })
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("no panic").clone()
    }

    /// Waits for a log line that contains `word`.
    pub(crate) fn wait_for(&self, word: &str) -> String {
        let mut found = None;
        eventually(word, || {
            found = self.all().into_iter().find(|line| line.split(' ').any(|it| it == word));
            found.is_some()
        });
        found.expect("it was found")
    }
}
