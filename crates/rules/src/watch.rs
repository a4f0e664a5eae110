//! Progress and cancellation of long computations.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Watches a long computation. Implemented by closures, by [`Unwatched`], and by `AtomicBool`, which cancels the work
/// once it is set.
pub trait Watch: Sync {
    /// Called every few milliseconds, from any thread, with the number of positions expanded since the last call; 0
    /// for work that expands none. Return `Break` to cancel the work.
    fn advance(&self, positions: u64) -> ControlFlow<()>;

    /// [`Watch::advance`] as a result, for `?`.
    ///
    /// # Errors
    /// If the work is cancelled.
    fn check(&self, positions: u64) -> Result<(), Cancelled> {
        match self.advance(positions) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }
}

/// The watcher cancelled the work. No partial result is kept, so the work can be started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// No watcher: the work is never cancelled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn advance(&self, _positions: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Watch for AtomicBool {
    fn advance(&self, _positions: u64) -> ControlFlow<()> {
        if self.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<F: Fn(u64) -> ControlFlow<()> + Sync> Watch for F {
    fn advance(&self, positions: u64) -> ControlFlow<()> {
        self(positions)
    }
}
