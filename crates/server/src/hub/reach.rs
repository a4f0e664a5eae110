//! When the database could be reached, as far as this node knows.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use skirmish_room::{LEASE, Millis, Outage, Room};

use crate::lock::lock;

/// When the database could be reached.
pub(crate) struct Reach {
    /// When it was last known to be there.
    stored: AtomicU64,
    /// Rooms that wait for it have a copy.
    waiting: Arc<()>,
    /// When it was reached before it was away the last time, when that failed first, and when it was back.
    outage: Mutex<Option<(Millis, Millis, Millis)>>,
}

impl Reach {
    pub(crate) fn at(now: Millis) -> Self {
        let (waiting, outage) = (Arc::default(), Mutex::default());
        Self { stored: AtomicU64::new(now), waiting, outage }
    }

    /// Notes that the database is there.
    pub(crate) fn note(&self, now: Millis) {
        self.stored.store(now, Relaxed);
    }

    /// When the database was last known to be there.
    pub(crate) fn last(&self) -> Millis {
        self.stored.load(Relaxed)
    }

    /// Notes that the database is back.
    pub(crate) fn note_outage(&self, reached: Millis, failed: Millis, back: Millis) {
        *lock(&self.outage) = Some((reached, failed, back));
    }

    /// Whether the database has been back for so long that other nodes have noted that they are alive. Before that, one that
    /// could not reach it either looks dead.
    pub(crate) fn is_settled(&self, now: Millis) -> bool {
        lock(&self.outage).is_none_or(|(_, _, back)| now.saturating_sub(back) > LEASE)
    }

    /// What the last time without a database means for a room.
    pub(crate) fn outage(&self, room: &Room) -> Option<Outage> {
        let (reached, failed, back) = (*lock(&self.outage))?;
        Outage::noted(room, reached, failed, back)
    }

    /// Counts a room that waits for the database, as long as it has this.
    pub(crate) fn wait(&self) -> Arc<()> {
        Arc::clone(&self.waiting)
    }

    /// Whether rooms wait for the database.
    pub(crate) fn has_waiting(&self) -> bool {
        Arc::strong_count(&self.waiting) > 1
    }
}
