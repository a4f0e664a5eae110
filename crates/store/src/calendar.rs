//! Dates and times for people, in UTC.

use std::time::{Duration, SystemTime};

use skirmish_rules::counted;

const DAY: u64 = 86_400;

/// Today's date in the format of records: `2026.11.15`.
#[must_use]
pub fn today() -> String {
    let (year, month, day) = date(since_1970().as_secs() / DAY);
    format!("{year:04}.{month:02}.{day:02}")
}

/// The time to the minute: `2026-11-15 17:40 UTC`.
pub(crate) fn now() -> String {
    let seconds = since_1970().as_secs();
    let (year, month, day) = date(seconds / DAY);
    let minutes = seconds % DAY / 60;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// How long ago something happened: `2 hours ago`; after a week, the date.
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
        _ => {
            let since = then.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let (year, month, day) = date(since.as_secs() / DAY);
            format!("{year:04}.{month:02}.{day:02}")
        }
    }
}

const ONE_WEEK: u64 = 7 * DAY;

fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// The year, month and day of the day numbered from 1 January 1970.
fn date(mut day: u64) -> (u64, usize, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    (year, month + 1, day + 1)
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

    #[test]
    fn dates_follow_the_calendar() {
        for (day, expected) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_772, (2026, 11, 15)),
        ] {
            assert_eq!(date(day), expected);
        }
    }
}
