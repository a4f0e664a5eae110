//! A calendar day.

use std::fmt;
use std::str::FromStr;

/// A day since 1 January 1970, in UTC.
///
/// ```
/// use skirmish_play::Day;
///
/// let day: Day = "2026-11-16".parse()?;
/// assert_eq!((day.date(), day.to_string()), ((2026, 11, 16), "2026-11-16".to_owned()));
/// # Ok::<(), skirmish_play::DayError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(u32);

/// Returned for a text that is not a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a date from 1970 on, such as 2026-11-16")]
pub struct DayError;

/// The last year with four digits.
const LAST_YEAR: u32 = 9999;

impl Day {
    /// Returns the day with this number; 1 January 1970 is day 0.
    #[must_use]
    pub const fn since_1970(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number of days since 1 January 1970.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Returns the day of the week; Monday is 0.
    #[must_use]
    pub const fn weekday(self) -> u32 {
        // Day 0 was a Thursday.
        (self.0 + 3) % 7
    }

    /// Returns the previous day; `None` if that is before 1970.
    #[must_use]
    pub fn before(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }

    /// Returns the year, month and day.
    #[must_use]
    pub fn date(self) -> (u32, u32, u32) {
        let (mut day, mut year) = (self.0, 1970);
        while day >= days_in(year) {
            day -= days_in(year);
            year += 1;
        }
        let mut month = 1;
        for length in months(year) {
            if day < length {
                break;
            }
            day -= length;
            month += 1;
        }
        (year, month, day + 1)
    }
}

const fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn days_in(year: u32) -> u32 {
    if is_leap(year) { 366 } else { 365 }
}

const fn months(year: u32) -> [u32; 12] {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = DayError;

    fn from_str(text: &str) -> Result<Self, DayError> {
        let parts: Vec<&str> = text.trim().split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(DayError) };
        let number = |part: &&str, digits: usize| {
            let is_number = part.len() == digits && part.bytes().all(|it| it.is_ascii_digit());
            part.parse::<u32>().ok().filter(|_| is_number).ok_or(DayError)
        };
        let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
        let is_date = (1970..=LAST_YEAR).contains(&year) && (1..=12).contains(&month);
        if !is_date {
            return Err(DayError);
        }
        let months = months(year);
        let (before, rest) = months.split_at(month as usize - 1);
        if day == 0 || day > rest[0] {
            return Err(DayError);
        }
        let years: u32 = (1970..year).map(days_in).sum();
        Ok(Self(years + before.iter().sum::<u32>() + day - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        for (number, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_772, "2026-11-15"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(Day::since_1970(number).to_string(), date);
        }
        for number in 0..60_000 {
            let day = Day::since_1970(number);
            assert_eq!(day.to_string().parse(), Ok(day));
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "today",
            "2026-11",
            "2026-13-01",
            "2026-02-29",
            "1969-12-31",
            "2026-1-01",
            "2026-11-00",
        ] {
            assert_eq!(text.parse::<Day>(), Err(DayError), "{text}");
        }
    }
}
