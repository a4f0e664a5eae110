//! Somebody solves a puzzle of a game of turns: moves that keep the win are answered, all others refuted.

use std::sync::Arc;

use skirmish_rules::{Names, Outcome, Refusal, Setup, SetupError, Side, Table};
use skirmish_solver::Value;

use super::line;
use super::{Goal, Puzzle};
use crate::solved::Solved;

/// An attempt at a puzzle of a game of turns.
pub struct Attempt {
    solved: Arc<Solved>,
    puzzle: Puzzle,
    table: Box<dyn Table>,
    mistakes: u32,
    /// The moves of this position that are known to be wrong.
    wrong: Vec<String>,
    is_helped: bool,
    is_given_up: bool,
}

/// What became of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It has won the game.
    Won,
    /// It keeps the win.
    Kept {
        /// The plies left.
        plies: u16,
        /// Whether it was the only move that does.
        is_only: bool,
    },
    /// It gives the win away, and was not played.
    Wrong(Refutation),
}

/// Why a move is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The move, in notation.
    pub notation: String,
    /// Its value for the player.
    pub value: Value,
    /// The opponent's best answer, in notation; `None` if the game is over.
    pub answer: Option<String>,
}

impl Attempt {
    /// Opens a puzzle. The game must be the puzzle's, and the puzzle about a win.
    ///
    /// # Errors
    /// If the position is not one of the game.
    ///
    /// # Panics
    /// If the puzzle is about a mix.
    pub fn new(solved: Arc<Solved>, puzzle: Puzzle, names: Names) -> Result<Self, SetupError> {
        assert!(matches!(puzzle.goal, Goal::Win { .. }), "the puzzle is about a win");
        let settings = solved.settings().clone();
        let position = Some(puzzle.position.clone());
        let setup = Setup { settings, first: puzzle.player, names, position };
        let table = solved.entry().open(setup)?;
        let (is_helped, is_given_up) = (false, false);
        Ok(Self { solved, puzzle, table, mistakes: 0, wrong: Vec::new(), is_helped, is_given_up })
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

    /// Whether the player has won.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.table.outcome() == Some(Outcome::Won(self.puzzle.player))
    }

    /// Whether it is solved, or the solution has been shown.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_given_up || self.is_solved()
    }

    /// Whether nothing went wrong so far: no mistake, no hint, no solution.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.mistakes == 0 && !self.is_helped && !self.is_given_up
    }

    /// How many wrong moves have been tried.
    #[must_use]
    pub const fn mistakes(&self) -> u32 {
        self.mistakes
    }

    /// The plies to the win.
    #[must_use]
    pub fn plies(&self) -> u16 {
        line::solution(&self.solved).value(self.node()).plies().unwrap_or(0)
    }

    /// How many moves keep the win.
    #[must_use]
    pub fn winning_moves(&self) -> usize {
        line::winning_moves(&self.solved, self.node())
    }

    /// Tries a move, as a person types it. It is played if it keeps the win.
    ///
    /// # Errors
    /// If it is not a legal move.
    pub fn submit(&mut self, text: &str) -> Result<Tried, Refusal> {
        let player = self.puzzle.player;
        let is_only = self.winning_moves() == 1;
        let mut after = self.table.fork();
        after.submit(player, text)?;
        let node = self.find(&*after);
        if !line::wins(&self.solved, node) {
            self.mistakes += 1;
            let notation = after.history().pop().unwrap_or_default();
            self.wrong.push(notation.clone());
            return Ok(Tried::Wrong(self.refute(notation, node)));
        }
        self.table = after;
        self.wrong.clear();
        if self.is_solved() {
            return Ok(Tried::Won);
        }
        Ok(Tried::Kept { plies: self.plies(), is_only })
    }

    /// Plays a turn that is not the person's to choose: the opponent's best defence, or a forced pass. Returns whether
    /// there was one.
    ///
    /// # Panics
    /// Never: a move of the graph is legal.
    pub fn advance(&mut self) -> bool {
        let player = self.puzzle.player;
        let is_own = self.table.turn().contains(&player) && !self.table.must_pass(player);
        if is_own || self.is_given_up {
            return false;
        }
        let Some(best) = line::best(&self.solved, self.node()) else { return false };
        let notation = self.notation(self.node(), best.index);
        self.table.play(&notation).expect("a move of the graph is legal");
        true
    }

    /// Another wrong move, and why it is wrong: the one that looks best. `None` if no other move is wrong. Afterwards the
    /// attempt is no longer clean.
    pub fn hint(&mut self) -> Option<Refutation> {
        self.is_helped = true;
        let node = self.node();
        let next = line::successors(&self.solved, node).into_iter().enumerate();
        let is_known = |index: usize| self.wrong.contains(&self.notation(node, index));
        let wrong =
            next.filter(|&(index, next)| !line::wins(&self.solved, next) && !is_known(index));
        let rank = |next: u32| line::solution(&self.solved).value(next).before().rank();
        let (index, next) = wrong.max_by_key(|&(_, next)| rank(next))?;
        let refutation = self.refute(self.notation(node, index), next);
        self.wrong.push(refutation.notation.clone());
        Some(refutation)
    }

    /// The best play from here to the end, in notation. Ends the attempt.
    pub fn give_up(&mut self) -> Vec<String> {
        self.is_given_up = true;
        let positions: Vec<u32> = line::positions(&self.solved, self.node()).collect();
        let best = |&node: &u32| Some((node, line::best(&self.solved, node)?.index));
        positions.iter().filter_map(best).map(|(node, index)| self.notation(node, index)).collect()
    }

    fn refute(&self, notation: String, next: u32) -> Refutation {
        let value = line::solution(&self.solved).value(next).before();
        let best = line::best(&self.solved, next);
        let answer = best.map(|best| self.notation(next, best.index));
        Refutation { notation, value, answer }
    }

    fn notation(&self, node: u32, index: usize) -> String {
        let graph = self.solved.graph();
        let side = graph.mover(node).unwrap_or(Side::One);
        graph.actions(node)[side][index].clone()
    }

    fn node(&self) -> u32 {
        self.find(&*self.table)
    }

    fn find(&self, table: &dyn Table) -> u32 {
        let node = self.solved.graph().find(&table.position());
        node.ok().flatten().expect("what follows from a position of the graph is in it")
    }
}
