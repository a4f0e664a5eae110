//! Conditions on numbers: `5`, `3..7`, `at least 2`.

use std::fmt;

/// A condition on a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Exactly this number.
    Exactly(f64),
    /// At least this number.
    AtLeast(f64),
    /// At most this number.
    AtMost(f64),
    /// More than this number.
    MoreThan(f64),
    /// Less than this number.
    LessThan(f64),
    /// From the first number to the second, both included.
    Between(f64, f64),
}

impl Amount {
    /// Whether a number fulfils the condition. Numbers that differ by at most `error` count as equal.
    #[must_use]
    pub fn includes(self, number: f64, error: f64) -> bool {
        match self {
            Self::Exactly(wanted) => (number - wanted).abs() <= error,
            Self::AtLeast(least) => number >= least - error,
            Self::AtMost(most) => number <= most + error,
            Self::MoreThan(bound) => number > bound + error,
            Self::LessThan(bound) => number < bound - error,
            Self::Between(least, most) => number >= least - error && number <= most + error,
        }
    }

    /// Whether any number from `least` to `most` can fulfil the condition.
    pub(super) fn meets(self, least: f64, most: f64) -> bool {
        match self {
            Self::Exactly(wanted) => (least..=most).contains(&wanted),
            Self::AtLeast(bound) => most >= bound,
            Self::AtMost(bound) => least <= bound,
            Self::MoreThan(bound) => most > bound,
            Self::LessThan(bound) => least < bound,
            Self::Between(from, to) => from <= most && to >= least,
        }
    }

    /// Whether a count fulfils the condition.
    pub(super) fn counts(self, number: impl Into<f64>) -> bool {
        self.includes(number.into(), 0.0)
    }

    /// Formats the condition as written after a name: `>= 4`.
    pub(super) fn compared(self) -> String {
        match self {
            Self::Exactly(number) => format!("= {number}"),
            Self::AtLeast(number) => format!(">= {number}"),
            Self::AtMost(number) => format!("<= {number}"),
            Self::MoreThan(number) => format!("> {number}"),
            Self::LessThan(number) => format!("< {number}"),
            Self::Between(least, most) => format!("between {least} and {most}"),
        }
    }

    /// Formats the condition with a noun: `one move`, `at least 2 moves`.
    pub(super) fn of(self, noun: &str) -> String {
        if self == Self::Exactly(0.0) {
            format!("no {noun}")
        } else if self == Self::Exactly(1.0) {
            format!("one {noun}")
        } else {
            format!("{self} {noun}s")
        }
    }
}

/// Formats the condition as written before a noun: `at least 4`.
impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(number) => write!(formatter, "{number}"),
            Self::AtLeast(number) => write!(formatter, "at least {number}"),
            Self::AtMost(number) => write!(formatter, "at most {number}"),
            Self::MoreThan(number) => write!(formatter, "more than {number}"),
            Self::LessThan(number) => write!(formatter, "less than {number}"),
            Self::Between(least, most) => write!(formatter, "{least}..{most}"),
        }
    }
}
