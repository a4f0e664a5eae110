//! The state shared by all kinds of attempts: the board, mistakes and hints.

use skirmish_rules::{Names, Setup, SetupError, Side, Table};

use super::{Goal, Puzzle};
use crate::solved::Solved;

/// The progress of an attempt at a puzzle.
pub struct Progress {
    puzzle: Puzzle,
    pub(super) table: Box<dyn Table>,
    mistakes: u32,
    is_helped: bool,
    is_given_up: bool,
}

impl Progress {
    /// Starts an attempt. `solved` must be the puzzle's game.
    pub(super) fn new(solved: &Solved, puzzle: Puzzle, names: Names) -> Result<Self, SetupError> {
        let first = match puzzle.goal {
            Goal::Win { .. } => puzzle.player,
            Goal::Mix { .. } => Side::One,
        };
        let (settings, position) = (solved.settings().clone(), Some(puzzle.position.clone()));
        let table = solved.entry().open(Setup { settings, first, names, position })?;
        Ok(Self { puzzle, table, mistakes: 0, is_helped: false, is_given_up: false })
    }

    /// Returns the puzzle.
    #[must_use]
    pub const fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// Returns the board, with the moves played so far.
    #[must_use]
    pub fn table(&self) -> &dyn Table {
        &*self.table
    }

    /// Returns the number of wrong answers.
    #[must_use]
    pub const fn mistakes(&self) -> u32 {
        self.mistakes
    }

    /// Whether the attempt had no mistakes and no hints, and the solution has not been shown.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.mistakes == 0 && !self.is_helped && !self.is_given_up
    }

    /// Whether the solution has been shown.
    #[must_use]
    pub const fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Records a wrong answer.
    pub(super) const fn add_mistake(&mut self) {
        self.mistakes += 1;
    }

    /// Records a hint.
    pub(super) const fn help(&mut self) {
        self.is_helped = true;
    }

    /// Records that the solution is shown.
    pub(super) const fn give_up(&mut self) {
        self.is_given_up = true;
    }
}
