//! The time by which rooms are run.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use skirmish_room::Millis;

/// The server's time: the calendar's at the start, and steady from then on.
#[derive(Debug)]
pub(crate) struct Clock {
    boot: Millis,
    since: Instant,
    /// How much was skipped.
    skipped: AtomicU64,
}

impl Clock {
    /// A clock that shows the calendar's time, or this.
    pub(super) fn start(now: Option<Millis>) -> Self {
        let calendar = || millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        let boot = now.unwrap_or_else(calendar);
        Self { boot, since: Instant::now(), skipped: AtomicU64::new(0) }
    }

    pub(crate) fn now(&self) -> Millis {
        self.boot + millis(self.since.elapsed()) + self.skipped.load(Relaxed)
    }

    /// Goes forward by this much at once.
    pub(crate) fn skip(&self, time: Duration) {
        self.skipped.fetch_add(millis(time), Relaxed);
    }

    /// When the server started.
    pub(crate) const fn boot(&self) -> Millis {
        self.boot
    }
}

/// A span in milliseconds.
pub(crate) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}
