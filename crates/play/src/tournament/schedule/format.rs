//! The four tournament formats.

use std::fmt;

/// The format of a tournament, which determines who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Every entrant meets every other.
    RoundRobin,
    /// The first entrant meets each of the others.
    Gauntlet,
    /// The loser of an encounter is eliminated.
    Knockout,
    /// In every round, entrants with similar points meet; no two entrants meet twice.
    Swiss,
}

impl Format {
    /// All formats, the default first.
    pub const ALL: [Self; 4] = [Self::RoundRobin, Self::Gauntlet, Self::Knockout, Self::Swiss];

    /// Returns the format's name, as in `--format NAME`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
            Self::Knockout => "knockout",
            Self::Swiss => "swiss",
        }
    }

    /// Returns the format with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Whether a tied encounter continues for a few more pairs of games until someone wins. If it remains tied, the
    /// better seed wins.
    #[must_use]
    pub const fn needs_winners(self) -> bool {
        match self {
            Self::Knockout => true,
            Self::RoundRobin | Self::Gauntlet | Self::Swiss => false,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
