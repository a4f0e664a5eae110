//! Files that must not outlive the program: drafts, lock files, saves of games in which nothing was played.
//!
//! Each is removed by whatever made it. A signal, however, ends the program without running destructors; the thread
//! that handles signals calls [`remove_leftovers`] first.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static REGISTERED: Mutex<Vec<(u64, PathBuf)>> = Mutex::new(Vec::new());

/// A file that is removed if a signal ends the program while this lives. Dropping it leaves the file alone.
#[derive(Debug)]
pub struct Leftover(u64);

impl Leftover {
    /// Registers a file that must not outlive the program.
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

/// Removes what must not outlive the program. To be called right before the program ends without running destructors.
pub fn remove_leftovers() {
    for (_, path) in registered().drain(..) {
        // A file that is gone already, or cannot be removed, does no harm.
        drop(fs::remove_file(path));
    }
}

fn registered() -> MutexGuard<'static, Vec<(u64, PathBuf)>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}
