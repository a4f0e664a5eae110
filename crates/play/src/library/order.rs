//! An order: the work of solving one game.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use skirmish_rules::Watch;

use super::{Root, Subject, Wish};
use crate::budget::Budget;
use crate::solved::{SolveError, Solved};

/// An order to solve a game. It can run in any thread.
pub struct Order {
    pub(super) wish: Wish,
    /// The solved game, if only further analysis is missing.
    pub(super) solved: Option<Arc<Solved>>,
    /// The overall memory limit in bytes, including an existing solution.
    pub(super) room: u64,
    pub(super) cancel: Arc<AtomicBool>,
}

/// The result of an order.
pub struct Finished {
    /// The cancel flag of the order.
    pub(super) cancel: Arc<AtomicBool>,
    pub(super) result: Result<Arc<Solved>, SolveError>,
}

impl Order {
    /// Solves the game within the rest of the library's budget and within `free`, the memory available now. The library
    /// and `watch` can cancel the work.
    #[must_use = "the library must take the result"]
    pub fn run(self, free: Budget, watch: &dyn Watch) -> Finished {
        let cancel = Arc::clone(&self.cancel);
        // A bug in one game must not stop the work on others.
        let result = catch_unwind(AssertUnwindSafe(|| self.solve(free, watch)));
        Finished { cancel, result: result.unwrap_or(Err(SolveError::Failed)) }
    }

    fn solve(self, free: Budget, watch: &dyn Watch) -> Result<Arc<Solved>, SolveError> {
        let Subject { entry, settings, root } = &self.wish.subject;
        let watch = |positions: u64| {
            if self.cancel.load(Relaxed) {
                return ControlFlow::Break(());
            }
            watch.advance(positions)
        };
        watch.check(0)?;
        let held = self.solved.as_ref().map_or(0, |solved| solved.bytes());
        let budget = Budget { bytes: self.room.min(free.bytes.saturating_add(held)) };
        let solved = match (self.solved, root) {
            (Some(solved), _) => {
                solved.allow(budget);
                solved
            }
            (None, Root::Start(first)) => {
                Arc::new(Solved::of(entry, settings, *first, budget, &watch)?)
            }
            (None, Root::Position(position)) => {
                Arc::new(Solved::from(entry, settings, position, budget, &watch)?)
            }
        };
        if self.wish.pressures {
            solved.prepare_pressures(&watch)?;
        }
        if self.wish.players {
            solved.prepare_players(&watch)?;
        }
        Ok(solved)
    }
}

impl Finished {
    /// Returns the solved game, unless the order failed.
    #[must_use]
    pub fn solved(&self) -> Option<&Arc<Solved>> {
        self.result.as_ref().ok()
    }
}
