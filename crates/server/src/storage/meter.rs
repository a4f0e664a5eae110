//! What is counted about storage.

use std::time::Instant;

use skirmish_room::{Acquired, Logged, RoomEvent};

use super::error::StorageError;
use crate::metrics::{Counter, Histogram};

/// Upper bounds of times, in microseconds.
pub(crate) const TIMES: [u64; 14] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000,
];

/// Upper bounds of the number of jobs in a transaction.
pub(crate) const SIZES: [u64; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// What is counted about storage. Threads share it.
#[derive(Debug)]
pub(crate) struct Meter {
    /// Events that are durable.
    pub(crate) events: Counter,
    /// Moves among them.
    pub(crate) moves: Counter,
    /// Flags that fell.
    pub(crate) flags: Counter,
    /// Jobs of each transaction that was committed.
    pub(crate) commits: Histogram<{ SIZES.len() }>,
    /// From an append to its commit.
    pub(crate) appends: Histogram<{ TIMES.len() }>,
    /// Appends that failed, by kind.
    pub(crate) conflicts: Counter,
    pub(crate) fenced: Counter,
    pub(crate) away: Counter,
    pub(crate) failures: Counter,
    /// Leases.
    pub(crate) acquired: Counter,
    pub(crate) forced: Counter,
    pub(crate) lost: Counter,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            events: Counter::default(),
            moves: Counter::default(),
            flags: Counter::default(),
            commits: Histogram::new(&SIZES),
            appends: Histogram::new(&TIMES),
            conflicts: Counter::default(),
            fenced: Counter::default(),
            away: Counter::default(),
            failures: Counter::default(),
            acquired: Counter::default(),
            forced: Counter::default(),
            lost: Counter::default(),
        }
    }
}

/// What an append is about, until it is known what became of it.
pub(super) struct Appending {
    begun: Instant,
    events: u64,
    moves: u64,
    flags: u64,
    /// Whether it creates a room that its node owns.
    leases: bool,
}

impl Appending {
    pub(super) fn begin(events: &[Logged], leases: bool) -> Self {
        let count = |is: fn(&RoomEvent) -> bool| {
            events.iter().filter(|logged| is(&logged.event)).count() as u64
        };
        Self {
            begun: Instant::now(),
            events: events.len() as u64,
            moves: count(|event| matches!(event, RoomEvent::Chose { .. })),
            flags: count(|event| matches!(event, RoomEvent::Flagged { .. })),
            leases,
        }
    }
}

impl Meter {
    /// Notes that a transaction with so many jobs was committed.
    pub(super) fn committed(&self, jobs: usize) {
        self.commits.observe(jobs as u64);
    }

    /// Notes what became of an append.
    pub(super) fn appended(&self, appending: &Appending, result: &Result<(), StorageError>) {
        match result {
            Ok(()) => {
                self.appends.observe_time(appending.begun.elapsed());
                self.events.add(appending.events);
                self.moves.add(appending.moves);
                self.flags.add(appending.flags);
                if appending.leases {
                    self.acquired.increase();
                }
            }
            Err(StorageError::Conflict { .. }) => self.conflicts.increase(),
            Err(StorageError::Fenced) => self.fenced.increase(),
            Err(StorageError::Away { .. }) => self.away.increase(),
            Err(_) => self.failures.increase(),
        }
    }

    /// Notes who got a room.
    pub(super) fn leased(&self, acquired: Option<&Acquired>, force: bool) {
        if let Some(Acquired::Mine { beat, .. }) = acquired {
            self.acquired.increase();
            // Nobody had to be forced to give up a lease that was free.
            if force && beat.is_some() {
                self.forced.increase();
            }
        }
    }
}
