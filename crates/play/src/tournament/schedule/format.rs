//! The four formats.

use std::fmt;

/// How a tournament decides who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first entrant meets each of the others.
    Gauntlet,
    /// Whoever loses is out.
    Knockout,
    /// Everybody meets somebody with about as many points, round after round, and nobody twice.
    Swiss,
}

impl Format {
    /// All formats, the usual one first.
    pub const ALL: [Self; 4] = [Self::RoundRobin, Self::Gauntlet, Self::Knockout, Self::Swiss];

    /// Its name, as in `--format NAME`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
            Self::Knockout => "knockout",
            Self::Swiss => "swiss",
        }
    }

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Whether an encounter that ends level should go on, for some more pairs of games, until somebody has won
    /// it. If it still is level after that, the better seed counts as its winner.
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
