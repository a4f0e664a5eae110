//! Puzzles from solved games: a position with one right answer, graded by how often each level finds it.
//!
//! In a game of turns the position is won for the player to move, and exactly one move keeps the win. In a simultaneous
//! game the answer is a mix.

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

pub use self::attempt::{Attempt, Refutation, Tried};
pub use self::daily::{PuzzleRequest, daily_game, daily_seed, game_of_seed};
pub use self::mix::{Guess, MixAttempt, MixError, seen_from};
pub use self::progress::Progress;
pub use self::trial::Trial;
use crate::chance::Chance;
use crate::player::{Level, Policy};
use crate::query::{Amount, Fact, OutcomeKind, Query};
use crate::solved::{Answer, Solved};

/// The fewest plies to the win. A shorter win is seen at once.
const FEWEST_PLIES: u8 = 3;

/// How often a level must solve a puzzle for the puzzle to be of that level.
const USUALLY: f64 = 0.5;

/// Probabilities that differ by less are equal.
const SLIGHT: f64 = 1e-9;

/// A position and what to find there.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    /// The position.
    pub position: String,
    /// Who has to find it.
    pub player: Side,
    /// What to find.
    pub goal: Goal,
    /// How hard it is: the weakest level that solves it. See [`PuzzleDeck::odds`].
    pub level: Level,
}

impl Puzzle {
    /// Its name, which no other puzzle of the same board has: the position, and for a mix the player.
    #[must_use]
    pub fn name(&self) -> String {
        match self.goal {
            Goal::Win { .. } => self.position.clone(),
            Goal::Mix { .. } => format!("{} player {}", self.position, self.player.number()),
        }
    }
}

/// What to find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The only move that keeps the win, and then a winning move in every turn.
    Win {
        /// The plies to the end if both play their best.
        plies: u16,
    },
    /// A mix that gives away as little as possible.
    Mix {
        /// What the position is worth to Player 1.
        value: f64,
        /// A bound on the error of that value.
        error: f64,
    },
}

/// The puzzles of a solved game, in an order that the seed determines.
pub struct PuzzleDeck {
    solved: Arc<Solved>,
    /// Positions, and the side that has to find something there. Those before `dealt` have been drawn.
    cards: Vec<(u32, Side)>,
    dealt: usize,
    chance: Chance,
}

impl PuzzleDeck {
    /// Collects the puzzles of a game and prepares its computer players, which grade them.
    ///
    /// # Errors
    /// If `watch` cancels it.
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

    /// The game.
    #[must_use]
    pub const fn solved(&self) -> &Arc<Solved> {
        &self.solved
    }

    /// How many puzzles there are, drawn ones included.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.cards.len()
    }

    /// Draws the next puzzle, or the next one of a level; `None` if there are no more.
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

    /// Whether a level solves a puzzle: a win with a probability of at least one half, a mix by playing a mix that is
    /// good enough.
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

    /// The probability that a level solves a puzzle of this game: the product, over the player's turns of the solution, of
    /// the probability that it plays a move that keeps the win. `None` for a mix, or if it is no position of this game.
    #[must_use]
    pub fn odds(&self, puzzle: &Puzzle, level: Level) -> Option<f64> {
        let Goal::Win { .. } = puzzle.goal else { return None };
        let node = self.solved.graph().find(&puzzle.position).ok().flatten()?;
        let policy = Policy::new(level, Arc::clone(&self.solved));
        Some(line::odds(&policy, node, puzzle.player))
    }
}

/// The positions in which exactly one of several moves keeps a win that is not near.
fn only_moves() -> Query {
    let far = Amount::AtLeast(f64::from(FEWEST_PLIES));
    Query::All(vec![
        Query::Fact(Fact::Outcome(OutcomeKind::Win, Some(far))),
        Query::Fact(Fact::WinningMoves(Amount::Exactly(1.0))),
        Query::Fact(Fact::Moves(Amount::AtLeast(2.0))),
    ])
}
