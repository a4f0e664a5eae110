//! Dates and times as shown to people, in UTC.

use std::time::{Duration, SystemTime};

use skirmish_play::Day;
use skirmish_rules::counted;

const DAY: u64 = 86_400;

/// Today's date.
#[must_use]
pub fn current_day() -> Day {
    day_of(since_1970())
}

fn day_of(since_1970: Duration) -> Day {
    Day::since_1970(u32::try_from(since_1970.as_secs() / DAY).unwrap_or(u32::MAX))
}

fn record_date(day: Day) -> String {
    day.to_string().replace('-', ".")
}

/// Today's date in the format of records: `2026.11.15`.
#[must_use]
pub fn today() -> String {
    record_date(current_day())
}

/// The date of a point in time, in the format of records.
#[must_use]
pub fn date_of(time: SystemTime) -> String {
    record_date(day_of(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()))
}

/// The current time to the minute: `2026-11-15 17:40 UTC`.
pub(crate) fn now() -> String {
    let minutes = since_1970().as_secs() % DAY / 60;
    format!("{} {:02}:{:02} UTC", current_day(), minutes / 60, minutes % 60)
}

/// How long ago something happened, such as `2 hours ago`; after a week, its date.
#[must_use]
pub fn ago(then: SystemTime, now: SystemTime) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    let seconds = now.duration_since(then).unwrap_or_default().as_secs();
    let ago = |count: u64, noun: &str| format!("{} ago", counted(count, noun));
    match seconds {
        0..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => ago(seconds / MINUTE, "minute"),
        HOUR..DAY => ago(seconds / HOUR, "hour"),
        DAY..=ONE_WEEK => ago(seconds / DAY, "day"),
        _ => date_of(then),
    }
}

const ONE_WEEK: u64 = 7 * DAY;

fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_while_ago_is_counted_and_long_ago_is_dated() {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(20_772 * DAY);
        for (seconds, expected) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (3599, "59 minutes ago"),
            (7200, "2 hours ago"),
            (DAY, "1 day ago"),
            (7 * DAY, "7 days ago"),
            (8 * DAY, "2026.11.15"),
        ] {
            assert_eq!(ago(then, then + Duration::from_secs(seconds)), expected);
        }
        assert_eq!(ago(then, then - Duration::from_secs(9)), "just now", "a clock was put back");
    }
}
