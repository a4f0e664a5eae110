//! The common part of all attempts at a puzzle: the board, mistakes and hints.

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

    /// The puzzle.
    #[must_use]
    pub const fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// The board, with the moves played so far.
    #[must_use]
    pub fn table(&self) -> &dyn Table {
        &*self.table
    }

    /// The number of wrong answers.
    #[must_use]
    pub const fn mistakes(&self) -> u32 {
        self.mistakes
    }

    /// Whether there has been no mistake or hint, and the solution has not been shown.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.mistakes == 0 && !self.is_helped && !self.is_given_up
    }

    /// Whether the solution has been shown.
    #[must_use]
    pub const fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Notes a wrong answer.
    pub(super) const fn add_mistake(&mut self) {
        self.mistakes += 1;
    }

    /// Notes a hint.
    pub(super) const fn help(&mut self) {
        self.is_helped = true;
    }

    /// Notes that the solution is shown.
    pub(super) const fn give_up(&mut self) {
        self.is_given_up = true;
    }
}
