//! Tracks files that must not outlive the program: drafts, lock files, and saves of games without a turn.
//!
//! The owner of each file normally removes it. Because a signal ends the program without running destructors, the
//! signal-handling thread calls [`remove_leftovers`] first.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static REGISTERED: Mutex<Vec<(u64, PathBuf)>> = Mutex::new(Vec::new());

/// A file to remove if a signal ends the program. Dropping this value deregisters the file without removing it.
#[derive(Debug)]
pub struct Leftover(u64);

impl Leftover {
    /// Registers a file that must not outlive the program.
    #[must_use]
    pub fn register(path: &Path) -> Self {
        let mut registered = registered();
        let id = registered.last().map_or(0, |(id, _)| id + 1);
        registered.push((id, path.to_owned()));
        Self(id)
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        registered().retain(|(id, _)| *id != self.0);
    }
}

/// Removes all registered files. Call this right before ending the program without running destructors.
pub fn remove_leftovers() {
    for (_, path) in registered().drain(..) {
        // A file that is already gone or cannot be removed is harmless.
        drop(fs::remove_file(path));
    }
}

fn registered() -> MutexGuard<'static, Vec<(u64, PathBuf)>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}
