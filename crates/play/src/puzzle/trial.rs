//! An attempt at a puzzle of either kind.

use std::sync::Arc;

use skirmish_rules::{Names, SetupError, Table};

use super::{Attempt, Goal, MixAttempt, Progress, Puzzle};
use crate::solved::Solved;

/// An attempt at a puzzle of either kind.
pub enum Trial {
    /// An attempt to find a win.
    Win(Attempt),
    /// An attempt to find a mix.
    Mix(MixAttempt),
}

impl Trial {
    /// Starts an attempt. `solved` must be the puzzle's game.
    ///
    /// # Errors
    /// If the position does not belong to the game.
    pub fn new(solved: &Arc<Solved>, puzzle: Puzzle, names: Names) -> Result<Self, SetupError> {
        Ok(match puzzle.goal {
            Goal::Win { .. } => Self::Win(Attempt::new(Arc::clone(solved), puzzle, names)?),
            Goal::Mix { .. } => Self::Mix(MixAttempt::new(solved, puzzle, names)?),
        })
    }

    /// Returns the puzzle, its board and the mistakes.
    #[must_use]
    pub const fn progress(&self) -> &Progress {
        match self {
            Self::Win(attempt) => attempt.progress(),
            Self::Mix(attempt) => attempt.progress(),
        }
    }

    /// Returns the puzzle.
    #[must_use]
    pub const fn puzzle(&self) -> &Puzzle {
        self.progress().puzzle()
    }

    /// Returns the board.
    #[must_use]
    pub fn table(&self) -> &dyn Table {
        self.progress().table()
    }

    /// Whether the puzzle is solved.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        match self {
            Self::Win(attempt) => attempt.is_solved(),
            Self::Mix(attempt) => attempt.is_solved(),
        }
    }

    /// Whether the puzzle is solved, or the solution has been shown.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_solved() || self.progress().is_given_up()
    }
}
