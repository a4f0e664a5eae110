//! Storage metrics.

use std::time::Instant;

use skirmish_room::{Logged, RoomEvent};

use super::StorageError;
use crate::metrics::{Counter, Histogram, Sizes, Times};

/// Storage metrics, shared between threads.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Number of events made durable.
    pub(crate) events: Counter,
    /// Number of moves made durable.
    pub(crate) moves: Counter,
    /// Number of games lost on time.
    pub(crate) flags: Counter,
    /// Number of jobs per committed transaction.
    pub(crate) commits: Histogram<Sizes>,
    /// Time from an append to its commit.
    pub(crate) appends: Histogram<Times>,
    /// Failed appends, by kind of error.
    pub(crate) conflicts: Counter,
    pub(crate) stale: Counter,
    pub(crate) unavailable: Counter,
    pub(crate) failures: Counter,
}

/// The measurements of an append in progress.
pub(super) struct Appending {
    begun: Instant,
    events: u64,
    moves: u64,
    flags: u64,
}

impl Appending {
    pub(super) fn begin(events: &[Logged]) -> Self {
        let count = |is: fn(&RoomEvent) -> bool| {
            events.iter().filter(|logged| is(&logged.event)).count() as u64
        };
        Self {
            begun: Instant::now(),
            events: events.len() as u64,
            moves: count(|event| matches!(event, RoomEvent::Chose { .. })),
            flags: count(|event| matches!(event, RoomEvent::Flagged { .. })),
        }
    }
}

impl Meter {
    /// Records a committed transaction with this number of jobs.
    pub(super) fn committed(&self, jobs: usize) {
        self.commits.observe(jobs as u64);
    }

    /// Records the result of an append.
    pub(super) fn appended(&self, appending: &Appending, error: Option<&StorageError>) {
        match error {
            None => {
                self.appends.observe_time(appending.begun.elapsed());
                self.events.add(appending.events);
                self.moves.add(appending.moves);
                self.flags.add(appending.flags);
            }
            Some(StorageError::Conflict(_)) => self.conflicts.increase(),
            Some(StorageError::Stale) => self.stale.increase(),
            Some(StorageError::Unavailable(_)) => self.unavailable.increase(),
            Some(_) => self.failures.increase(),
        }
    }
}
