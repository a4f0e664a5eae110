//! An attempt at any puzzle.

use std::sync::Arc;

use skirmish_rules::{Names, SetupError, Table};

use super::{Attempt, Goal, MixAttempt, Puzzle};
use crate::solved::Solved;

/// An attempt at any puzzle.
pub enum Trial {
    /// At a win.
    Win(Attempt),
    /// At a mix.
    Mix(MixAttempt),
}

impl Trial {
    /// Opens a puzzle. The game must be the puzzle's.
    ///
    /// # Errors
    /// If the position is not one of the game.
    pub fn new(solved: &Arc<Solved>, puzzle: Puzzle, names: Names) -> Result<Self, SetupError> {
        Ok(match puzzle.goal {
            Goal::Win { .. } => Self::Win(Attempt::new(Arc::clone(solved), puzzle, names)?),
            Goal::Mix { .. } => Self::Mix(MixAttempt::new(solved, puzzle, names)?),
        })
    }

    /// The puzzle.
    #[must_use]
    pub const fn puzzle(&self) -> &Puzzle {
        match self {
            Self::Win(attempt) => attempt.puzzle(),
            Self::Mix(attempt) => attempt.puzzle(),
        }
    }

    /// The board.
    #[must_use]
    pub fn table(&self) -> &dyn Table {
        match self {
            Self::Win(attempt) => attempt.table(),
            Self::Mix(attempt) => attempt.table(),
        }
    }

    /// Whether it is solved.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        match self {
            Self::Win(attempt) => attempt.is_solved(),
            Self::Mix(attempt) => attempt.is_solved(),
        }
    }

    /// Whether it is solved, or the solution has been shown.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self {
            Self::Win(attempt) => attempt.is_over(),
            Self::Mix(attempt) => attempt.is_over(),
        }
    }

    /// Whether nothing went wrong so far: no mistake, no hint, no solution.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        match self {
            Self::Win(attempt) => attempt.is_clean(),
            Self::Mix(attempt) => attempt.is_clean(),
        }
    }

    /// How many wrong answers were given.
    #[must_use]
    pub const fn mistakes(&self) -> u32 {
        match self {
            Self::Win(attempt) => attempt.mistakes(),
            Self::Mix(attempt) => attempt.mistakes(),
        }
    }
}
