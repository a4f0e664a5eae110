//! What is counted about storage.

use std::time::Instant;

use skirmish_room::{Logged, RoomEvent};

use super::{Result, StorageError};
use crate::metrics::{Counter, Histogram, Sizes, Times};

/// What is counted about storage. Threads share it.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Events that are durable.
    pub(crate) events: Counter,
    /// Moves among them.
    pub(crate) moves: Counter,
    /// Flags that fell.
    pub(crate) flags: Counter,
    /// Jobs of each transaction that was committed.
    pub(crate) commits: Histogram<Sizes>,
    /// From an append to its commit.
    pub(crate) appends: Histogram<Times>,
    /// Appends that failed, by kind.
    pub(crate) conflicts: Counter,
    pub(crate) stale: Counter,
    pub(crate) unavailable: Counter,
    pub(crate) failures: Counter,
}

/// What an append is about, until it is known what became of it.
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
    /// Notes that a transaction with so many jobs was committed.
    pub(super) fn committed(&self, jobs: usize) {
        self.commits.observe(jobs as u64);
    }

    /// Notes what became of an append.
    pub(super) fn appended(&self, appending: &Appending, result: &Result<()>) {
        match result {
            Ok(()) => {
                self.appends.observe_time(appending.begun.elapsed());
                self.events.add(appending.events);
                self.moves.add(appending.moves);
                self.flags.add(appending.flags);
            }
            Err(StorageError::Conflict { .. }) => self.conflicts.increase(),
            Err(StorageError::Stale) => self.stale.increase(),
            Err(StorageError::Unavailable { .. }) => self.unavailable.increase(),
            Err(_) => self.failures.increase(),
        }
    }
}
