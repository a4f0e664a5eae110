//! Attempts at puzzles of alternating games: moves that keep the win are answered, and all others are refuted.

use std::sync::Arc;

use skirmish_rules::{Names, Outcome, Refusal, SetupError, Side, Table};
use skirmish_solver::Value;

use super::line;
use super::{Goal, Progress, Puzzle};
use crate::solved::{BestLine, Solved};

/// An attempt at a puzzle of an alternating game.
pub struct Attempt {
    solved: Arc<Solved>,
    progress: Progress,
    /// The wrong moves tried or revealed in this position.
    wrong: Vec<String>,
    /// Whether the consequence of the only wrong move has been revealed, but not the move.
    is_warned: bool,
}

/// The result of trying a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The move won the game.
    Won,
    /// The move keeps the win.
    Kept {
        /// The number of plies remaining to the win.
        plies: u16,
        /// Whether it was the only move that keeps the win.
        is_only: bool,
    },
    /// The move would have given the win away, and was not played.
    Wrong(Refutation),
}

/// Why a move is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The move, in notation.
    pub notation: String,
    /// The value of the move for the player.
    pub value: Value,
    /// The best play after it.
    pub line: BestLine,
}

/// Help with a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The value of the only wrong move, which is not named.
    Consequence(Value),
    /// A wrong move.
    Wrong(Refutation),
}

impl Attempt {
    /// Starts an attempt. `solved` must be the puzzle's game, and the puzzle's goal must be a win.
    ///
    /// # Errors
    /// If the position does not belong to the game.
    ///
    /// # Panics
    /// If the puzzle's goal is a mix.
    pub fn new(solved: Arc<Solved>, puzzle: Puzzle, names: Names) -> Result<Self, SetupError> {
        assert!(matches!(puzzle.goal, Goal::Win { .. }), "the goal is a win");
        let progress = Progress::new(&solved, puzzle, names)?;
        Ok(Self { solved, progress, wrong: Vec::new(), is_warned: false })
    }

    /// Returns the puzzle, its board and the mistakes.
    #[must_use]
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether the player has won.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.progress.table().outcome() == Some(Outcome::Won(self.player()))
    }

    /// Whether the puzzle is solved, or the solution has been shown.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.progress.is_given_up() || self.is_solved()
    }

    /// Returns the number of plies to the win.
    #[must_use]
    pub fn plies(&self) -> u16 {
        line::solution(&self.solved).value(self.node()).plies().unwrap_or(0)
    }

    /// Returns the number of moves that keep the win.
    #[must_use]
    pub fn winning_moves(&self) -> usize {
        line::winning_moves(&self.solved, self.node())
    }

    /// Tries a move as typed by a person. Plays it if it keeps the win.
    ///
    /// # Errors
    /// If `text` is not a legal move.
    pub fn submit(&mut self, text: &str) -> Result<Tried, Refusal> {
        let is_only = self.winning_moves() == 1;
        let mut after = self.progress.table.fork();
        after.submit(self.player(), text)?;
        let node = self.find(&*after);
        if !line::wins(&self.solved, node) {
            self.progress.add_mistake();
            let notation = after.history().pop().unwrap_or_default();
            self.wrong.push(notation.clone());
            return Ok(Tried::Wrong(self.refute(notation, node)));
        }
        self.progress.table = after;
        self.wrong.clear();
        self.is_warned = false;
        if self.is_solved() {
            return Ok(Tried::Won);
        }
        Ok(Tried::Kept { plies: self.plies(), is_only })
    }

    /// Plays a turn that the player does not choose: the opponent's best defence, or a forced pass. Returns whether
    /// there was such a turn.
    ///
    /// # Panics
    /// Never: a move of the graph is legal.
    pub fn advance(&mut self) -> bool {
        let (player, table) = (self.player(), self.progress.table());
        let is_own = table.turn().contains(&player) && !table.must_pass(player);
        if is_own || self.progress.is_given_up() {
            return false;
        }
        let Some(best) = line::best(&self.solved, self.node()) else { return false };
        let notation = self.notation(self.node(), best.index);
        self.progress.table.play(&notation).expect("a move of the graph is legal");
        true
    }

    /// Reveals another wrong move, the most tempting one, with its refutation. If there are only two moves, that would be
    /// the answer, so the first hint does not name the move. `None` if no other move is wrong. The attempt then no longer
    /// counts as clean.
    pub fn hint(&mut self) -> Option<Hint> {
        self.progress.help();
        let node = self.node();
        let all = line::successors(&self.solved, node);
        let is_answer = all.len() == 2 && self.wrong.is_empty();
        let is_known = |index: usize| self.wrong.contains(&self.notation(node, index));
        let wrong = all
            .into_iter()
            .enumerate()
            .filter(|&(index, next)| !line::wins(&self.solved, next) && !is_known(index));
        let rank = |next: u32| line::solution(&self.solved).value(next).before().rank();
        let (index, next) = wrong.max_by_key(|&(_, next)| rank(next))?;
        let refutation = self.refute(self.notation(node, index), next);
        if is_answer && !std::mem::replace(&mut self.is_warned, true) {
            return Some(Hint::Consequence(refutation.value));
        }
        self.wrong.push(refutation.notation.clone());
        Some(Hint::Wrong(refutation))
    }

    /// Ends the attempt, and returns the best play from here to the end, in notation.
    pub fn give_up(&mut self) -> Vec<String> {
        self.progress.give_up();
        let positions: Vec<u32> = line::positions(&self.solved, self.node()).collect();
        let best = |&node: &u32| Some((node, line::best(&self.solved, node)?.index));
        positions.iter().filter_map(best).map(|(node, index)| self.notation(node, index)).collect()
    }

    const fn player(&self) -> Side {
        self.progress.puzzle().player
    }

    fn refute(&self, notation: String, next: u32) -> Refutation {
        let value = line::solution(&self.solved).value(next).before();
        Refutation { notation, value, line: self.solved.line_from(next) }
    }

    fn notation(&self, node: u32, index: usize) -> String {
        let graph = self.solved.graph();
        let side = graph.mover(node).unwrap_or(Side::One);
        graph.actions(node)[side][index].clone()
    }

    fn node(&self) -> u32 {
        self.find(self.progress.table())
    }

    fn find(&self, table: &dyn Table) -> u32 {
        let node = self.solved.graph().find(&table.position());
        node.ok().flatten().expect("what follows from a position of the graph is in it")
    }
}
