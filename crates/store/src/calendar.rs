//! Dates and times for people, in UTC.

use std::time::{Duration, SystemTime};

use skirmish_play::Day;

const DAY: u64 = 86_400;

/// Today.
#[must_use]
pub fn current_day() -> Day {
    Day::since_1970(u32::try_from(since_1970().as_secs() / DAY).unwrap_or(u32::MAX))
}

/// Today's date in the format of records: `2026.11.15`.
#[must_use]
pub fn today() -> String {
    current_day().to_string().replace('-', ".")
}

/// The time to the minute: `2026-11-15 17:40 UTC`.
pub(crate) fn now() -> String {
    let minutes = since_1970().as_secs() % DAY / 60;
    format!("{} {:02}:{:02} UTC", current_day(), minutes / 60, minutes % 60)
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
