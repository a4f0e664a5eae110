//! Puzzles from solved games: positions with one right answer, graded by how often each level finds it.
//!
//! In an alternating game, the player to move can force a win, and exactly one move keeps it. In a simultaneous game,
//! the answer is a mixed strategy.

mod attempt;
mod daily;
mod line;
mod mix;
mod progress;
mod trial;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use skirmish_rules::{Cancelled, Side, Watch};
use skirmish_solver::Value;

pub use self::attempt::{Attempt, Hint, Refutation, Tried};
pub use self::daily::{PuzzleRequest, daily_game, daily_seed, game_of_seed};
pub use self::mix::{Guess, MixAttempt, MixError};
pub use self::progress::Progress;
pub use self::trial::Trial;
use crate::chance::Chance;
use crate::player::{Level, Policy};
use crate::query::{Amount, Fact, OutcomeKind, Query};
use crate::solved::{Answer, Solved};

/// The minimum number of plies to the win. Shorter wins are obvious.
const FEWEST_PLIES: u8 = 3;

/// A level solves a puzzle if it succeeds at least this often.
const USUALLY: f64 = 0.5;

/// Probabilities that differ by less than this count as equal.
const SLIGHT: f64 = 1e-9;

/// A position and the task to solve in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    /// The position.
    pub position: String,
    /// The player who must solve the puzzle.
    pub player: Side,
    /// The task.
    pub goal: Goal,
    /// The difficulty: the weakest level that solves the puzzle. See [`PuzzleDeck::odds`].
    pub level: Level,
}

impl Puzzle {
    /// Returns a name that is unique among the puzzles of the same board: the position, and for a mix also the player.
    #[must_use]
    pub fn name(&self) -> String {
        match self.goal {
            Goal::Win { .. } => self.position.clone(),
            Goal::Mix { .. } => format!("{} player {}", self.position, self.player.number()),
        }
    }
}

/// The task of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Find the only move that keeps the win, then a winning move in every turn.
    Win {
        /// The number of plies to the win with best play.
        plies: u16,
    },
    /// Find a mix that gives away as little as possible.
    Mix {
        /// The value of the position for Player 1.
        value: f64,
        /// A bound on the error of the value.
        error: f64,
    },
}

/// The puzzles of a solved game, in an order determined by the seed.
pub struct PuzzleDeck {
    solved: Arc<Solved>,
    /// Positions with the side that must solve each. The first `dealt` of them have been drawn.
    cards: Vec<(u32, Side)>,
    dealt: usize,
    chance: Chance,
}

impl PuzzleDeck {
    /// Collects the puzzles of a game and prepares the computer players that grade them.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn of(solved: Arc<Solved>, chance: Chance, watch: &dyn Watch) -> Result<Self, Cancelled> {
        solved.prepare_players(watch)?;
        let cards = match solved.answer() {
            Answer::Alternating(_) => {
                let mover = |node| (node, solved.graph().mover(node).unwrap_or(Side::One));
                only_moves().find(&solved, watch)?.iter().map(mover).collect()
            }
            Answer::Simultaneous { .. } => mix::candidates(&solved),
        };
        Ok(Self { solved, cards, dealt: 0, chance })
    }

    /// Returns the solved game.
    #[must_use]
    pub const fn solved(&self) -> &Arc<Solved> {
        &self.solved
    }

    /// Returns the number of puzzles, including those already drawn.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.cards.len()
    }

    /// Draws the next puzzle, or the next one of a given level; `None` if none is left.
    pub fn draw(&mut self, level: Option<Level>) -> Option<Puzzle> {
        while self.dealt < self.cards.len() {
            let left = self.cards.len() - self.dealt;
            let picked = self.dealt + self.chance.pick(left, 0, self.dealt, Side::One);
            self.cards.swap(self.dealt, picked);
            let (node, side) = self.cards[self.dealt];
            self.dealt += 1;
            let puzzle = self.puzzle(node, side);
            if level.is_none_or(|level| level == puzzle.level) {
                return Some(puzzle);
            }
        }
        None
    }

    fn puzzle(&self, node: u32, player: Side) -> Puzzle {
        let goal = match self.solved.answer() {
            Answer::Alternating(solution) => {
                let Value::Win(plies) = solution.value(node) else {
                    unreachable!("the query finds only wins")
                };
                Goal::Win { plies }
            }
            Answer::Simultaneous { solution, .. } => {
                let (value, error) = solution.bounds.value(node as usize);
                Goal::Mix { value, error }
            }
        };
        let level = Level::ALL.into_iter().find(|&level| self.solves(level, node, player));
        let position = self.solved.graph().position(node);
        Puzzle { position, player, goal, level: level.unwrap_or(Level::Perfect) }
    }

    /// Whether a level solves a puzzle: it must find a win with a probability of at least one half, or play a good
    /// enough mix.
    fn solves(&self, level: Level, node: u32, player: Side) -> bool {
        let policy = Policy::new(level, Arc::clone(&self.solved));
        match self.solved.answer() {
            Answer::Alternating(_) => line::odds(&policy, node, player) >= USUALLY - SLIGHT,
            Answer::Simultaneous { .. } => {
                let matrix = mix::Matrix::of(&self.solved, node, player);
                matrix.given_away(&policy.shares(node, player)) <= mix::GOOD_ENOUGH
            }
        }
    }

    /// Returns the probability that a level solves a puzzle: the product of the probabilities that it plays a winning
    /// move in each of the player's turns. `None` for a mix, or if the position does not belong to this game.
    #[must_use]
    pub fn odds(&self, puzzle: &Puzzle, level: Level) -> Option<f64> {
        let Goal::Win { .. } = puzzle.goal else { return None };
        let node = self.solved.graph().find(&puzzle.position).ok().flatten()?;
        let policy = Policy::new(level, Arc::clone(&self.solved));
        Some(line::odds(&policy, node, puzzle.player))
    }
}

/// Selects the positions in which exactly one of several moves keeps a win that is more than one move away.
fn only_moves() -> Query {
    let far = Amount::AtLeast(f64::from(FEWEST_PLIES));
    Query::All(vec![
        Query::Fact(Fact::Outcome(OutcomeKind::Win, Some(far))),
        Query::Fact(Fact::WinningMoves(Amount::Exactly(1.0))),
        Query::Fact(Fact::Moves(Amount::AtLeast(2.0))),
    ])
}
