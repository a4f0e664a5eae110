//! The five levels of computer players.

use std::fmt;

/// The strength of a computer player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Plays a random move nine times in ten.
    Novice,
    /// Plays a random move more than half the time.
    Casual,
    /// Plays a random move about once in three turns.
    Skilled,
    /// Rarely plays a random move.
    Expert,
    /// Knows the game completely.
    Perfect,
}

impl Level {
    /// All levels, weakest first.
    pub const ALL: [Self; 5] =
        [Self::Novice, Self::Casual, Self::Skilled, Self::Expert, Self::Perfect];

    /// Returns the level's name, as in `--p1 NAME`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Novice => "novice",
            Self::Casual => "casual",
            Self::Skilled => "skilled",
            Self::Expert => "expert",
            Self::Perfect => "perfect",
        }
    }

    /// Returns a short description of how the level plays.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Novice => "mostly plays whatever comes to mind",
            Self::Casual => "looks before it moves less than half the time",
            Self::Skilled => "plays well and slips about once in three turns",
            Self::Expert => "plays very well and slips rarely",
            Self::Perfect => "knows the game completely, and sets traps",
        }
    }

    /// Returns the level with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// Returns the probability of playing a random legal move instead of the perfect player's move.
    #[must_use]
    pub const fn slips(self) -> f64 {
        match self {
            Self::Novice => 0.9,
            Self::Casual => 0.6,
            Self::Skilled => 0.35,
            Self::Expert => 0.15,
            Self::Perfect => 0.0,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
