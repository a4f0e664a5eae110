//! The server's clock, which times the games.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use skirmish_room::Millis;

/// Maximum adjustment of the clock when it is compared with the database's. With one comparison per second, the clock runs at
/// most half a percent fast or slow, and corrects a difference of one second within a few minutes.
const STEP: i64 = 5;

/// The difference between clocks, in milliseconds, from which the operator is warned.
const FAR: i64 = 10_000;

/// The server's clock, which starts at the system's time and then runs steadily. It starts after the newest event in the log:
/// if the system's date was set back, deadlines could otherwise be weeks away.
///
/// Nodes start at the database's time and follow the database's clock by the same rules, so that all of them time a game by
/// the same clock:
///
/// - The clock never goes backwards: if it is ahead, it stands still for at most [`STEP`] at a time.
/// - The database reads its clock at some moment between question and answer. Only a deviation that this cannot explain
///   counts as a difference, so a slow network does not move the clock.
/// - The clock never jumps, however large the difference is. A jump forward would be charged to the player to move, who could
///   lose on time because somebody set a calendar, or a machine was suspended. Half a percent of a minute is 0.3 seconds,
///   less than the lag that a move is forgiven. If the clocks are far apart, the operator is told: a restarted server pauses
///   its games, and they resume at the new time without charge.
#[derive(Debug)]
pub(crate) struct Clock {
    boot: Millis,
    /// How far the clock was ahead of the system's time at the start.
    ahead: Millis,
    since: Instant,
    /// Total time skipped, in tests.
    skipped: AtomicU64,
    /// Total adjustment made to follow the database's clock.
    moved: AtomicI64,
    /// The latest time shown.
    shown: AtomicU64,
    /// Whether the clock was far from the database's at the last comparison.
    is_far: AtomicBool,
}

impl Clock {
    /// Starts a clock at `now`, by default the system's time, or just after `happened` if that is later.
    pub(crate) fn start(now: Option<Millis>, happened: Millis) -> Self {
        let calendar = || millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        let now = now.unwrap_or_else(calendar);
        let boot = now.max(happened + 1);
        Self {
            boot,
            ahead: boot - now,
            since: Instant::now(),
            skipped: AtomicU64::new(0),
            moved: AtomicI64::new(0),
            shown: AtomicU64::new(boot),
            is_far: AtomicBool::new(false),
        }
    }

    pub(crate) fn now(&self) -> Millis {
        self.show(self.since.elapsed())
    }

    /// Returns the time `elapsed` after the start. The result never goes backwards.
    fn show(&self, elapsed: Duration) -> Millis {
        let now = self.steady(elapsed) + self.skipped.load(Relaxed);
        self.shown.fetch_max(now, Relaxed).max(now)
    }

    /// Returns the time `elapsed` after the start, without skipped time.
    fn steady(&self, elapsed: Duration) -> Millis {
        (self.boot + millis(elapsed)).saturating_add_signed(self.moved.load(Relaxed))
    }

    /// Returns the time at which the database is asked for its time, for [`Clock::follow`].
    pub(crate) fn asks(&self) -> Millis {
        self.steady(self.since.elapsed())
    }

    /// Follows the database's clock, which showed `time` at some moment between `asked` and now. When the difference becomes
    /// far, returns how far this clock is behind, or ahead if negative.
    pub(crate) fn follow(&self, asked: Millis, time: Millis) -> Option<i64> {
        let behind = behind(asked, self.asks(), time);
        self.moved.fetch_add(behind.clamp(-STEP, STEP), Relaxed);
        let is_far = behind.abs() >= FAR;
        let was_far = self.is_far.swap(is_far, Relaxed);
        (is_far && !was_far).then_some(behind)
    }

    /// Moves forward by `time` at once.
    pub(crate) fn skip(&self, time: Duration) {
        self.skipped.fetch_add(millis(time), Relaxed);
    }

    /// How far the clock was ahead of the system's time at the start, if that is far.
    pub(super) fn ahead(&self) -> Option<Millis> {
        Some(self.ahead).filter(|ahead| *ahead >= FAR.unsigned_abs())
    }

    /// Returns the time at which the server started.
    pub(crate) const fn boot(&self) -> Millis {
        self.boot
    }
}

/// Returns the least amount by which a clock is behind another one, which showed `time` while this one went from `asked` to
/// `answered`. Negative if the clock is ahead.
fn behind(asked: Millis, answered: Millis, time: Millis) -> i64 {
    let distance = |from: Millis| i64::try_from(time.abs_diff(from)).unwrap_or(i64::MAX);
    if time > answered {
        distance(answered)
    } else if time < asked {
        -distance(asked)
    } else {
        0
    }
}

/// Converts a duration to milliseconds.
pub(crate) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Millis = 1_000_000;

    #[test]
    fn only_what_the_way_to_the_database_cannot_explain_is_a_difference() {
        for (time, expected) in [(99, -1), (100, 0), (2_000, 0), (4_100, 0), (4_103, 3)] {
            assert_eq!(behind(100, 4_100, time), expected, "{time}");
        }
        assert_eq!(behind(0, 0, Millis::MAX), i64::MAX);
        assert_eq!(behind(Millis::MAX, Millis::MAX, 0), -i64::MAX);
    }

    /// Simulates a clock that follows another one every second, and samples it twice a second. `own` and `other` give the two
    /// clocks' sources at a time in milliseconds.
    fn run(seconds: u64, own: impl Fn(u64) -> u64, other: impl Fn(u64) -> u64) -> Vec<(u64, u64)> {
        let clock = Clock::start(Some(START), 0);
        let mut shown = Vec::new();
        for time in (0..seconds * 1000).step_by(500) {
            let elapsed = Duration::from_millis(own(time));
            if time % 1000 == 0 {
                let now = clock.steady(elapsed);
                let behind = behind(now - 1, now, other(time));
                clock.moved.fetch_add(behind.clamp(-STEP, STEP), Relaxed);
            }
            shown.push((time, clock.show(elapsed)));
        }
        shown
    }

    /// Asserts that the clock never goes back, and never charges more than half a percent too much.
    fn assert_smooth(shown: &[(u64, u64)], own: impl Fn(u64) -> u64) {
        for pair in shown.windows(2) {
            let [(before, from), (after, to)] = pair else { unreachable!("windows of two") };
            let passed = own(*after) - own(*before);
            assert!(to >= from, "{from} {to}");
            assert!(to - from <= passed + STEP.unsigned_abs(), "{} in {passed}", to - from);
        }
    }

    #[test]
    fn a_clock_that_is_behind_or_ahead_comes_closer_slowly() {
        for database in [START - 3_000, START + 3_000] {
            let shown = run(620, |time| time, |time| database + time);
            assert_smooth(&shown, |time| time);
            let (time, last) = shown.last().copied().expect("times");
            assert!(last.abs_diff(database + time) <= 1, "{last}");
            let (time, middle) = shown[shown.len() / 2];
            assert!((1_000..2_000).contains(&middle.abs_diff(database + time)), "{middle}");
        }
    }

    #[test]
    fn a_clock_that_drifts_stays_close() {
        for drifts in [|time| time - time / 2_000, |time| time + time / 2_000] {
            let shown = run(3_600, drifts, |time| START + time);
            assert_smooth(&shown, drifts);
            for (time, now) in shown {
                assert!(now.abs_diff(START + time) <= 3, "{now} at {time}");
            }
        }
    }

    #[test]
    fn a_calendar_that_is_set_is_not_charged() {
        const HOUR: u64 = 3_600_000;
        let forward = |time| START + time + if time < 60_000 { 0 } else { HOUR };
        let back = |time| START + HOUR + time - if time < 60_000 { 0 } else { HOUR };
        for database in [forward, back] {
            let shown = run(300, |time| time, database);
            assert_smooth(&shown, |time| time);
            let (time, last) = shown.last().copied().expect("times");
            assert!(last.abs_diff(START + time) <= 1_500, "{last}");
        }
    }

    #[test]
    fn the_operator_is_told_once_that_clocks_are_far_apart() {
        let clock = Clock::start(Some(START), 0);
        let differ = |by: i64| {
            let now = clock.asks();
            clock.follow(now, now.saturating_add_signed(by))
        };
        assert_eq!(differ(-9_000), None);
        assert_eq!(differ(-60_000), Some(-60_000));
        assert_eq!(differ(-60_000), None);
        assert_eq!(differ(0), None);
        assert!(differ(3_600_000).is_some());
    }

    #[test]
    fn what_a_test_skips_is_no_difference() {
        let clock = Clock::start(Some(START), 0);
        clock.skip(Duration::from_hours(1));
        assert!(clock.now() >= START + 3_600_000);
        let asked = clock.asks();
        clock.follow(asked, asked);
        assert!(clock.now() >= START + 3_600_000);
        assert_eq!(clock.moved.load(Relaxed), 0);
    }
}
