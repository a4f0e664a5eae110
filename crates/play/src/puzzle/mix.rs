//! Puzzles of simultaneous games: find a good mix.

use std::sync::Arc;

use skirmish_rules::{
    Choice, Names, SetupError, Side, Understood, alternatives, quotable, understand,
};

use super::{Goal, Progress, Puzzle};
use crate::solved::{Answer, Judgement, Solved, mixes_of, payoffs, seen_by, seen_from};

/// The most that a mix may give away and still count as a solution. Game values lie between −1 and 1.
pub(super) const GOOD_ENOUGH: f64 = 0.05;

/// Shares below this count as zero.
const NO_SHARE: f64 = 0.005;

/// The maximum difference between a share and its display: a percentage with one decimal, adjusted slightly if the
/// displayed shares do not add up to 100.
const SHOWN: f64 = 0.001;

/// The allowed deviation of the sum of percentages from 100, so that three times 33.3 is accepted.
const ROUNDING: f64 = 0.5;

/// Returns the candidates for puzzles: positions and sides whose best mix has several actions and where a careless mix
/// gives something away.
pub(super) fn candidates(solved: &Solved) -> Vec<(u32, Side)> {
    let Answer::Simultaneous { solution, .. } = solved.answer() else { return Vec::new() };
    let is_puzzle = |node: u32, side: Side| {
        let mix = &mixes_of(&solution.mixes, side)[node as usize];
        let is_mixed = mix.iter().filter(|share| **share >= NO_SHARE).count() > 1;
        is_mixed && Matrix::of(solved, node, side).most() > GOOD_ENOUGH
    };
    let all = solved.reached().iter().flat_map(|node| Side::ALL.map(|side| (node, side)));
    all.filter(|&(node, side)| is_puzzle(node, side)).collect()
}

/// One side's payoff matrix of a position: the value of each pair of choices if both play perfectly afterwards.
pub(super) struct Matrix {
    /// One row per action of the side, one column per action of the other side.
    rows: Vec<Vec<f64>>,
    value: f64,
}

impl Matrix {
    /// Returns the matrix of a position from a side's point of view; empty if the game is over.
    pub(super) fn of(solved: &Solved, node: u32, side: Side) -> Self {
        let Answer::Simultaneous { game, solution, .. } = solved.answer() else {
            unreachable!("only simultaneous games have mixes")
        };
        let (value, _) = solution.bounds.value(node as usize);
        let rows = seen_by(side, &payoffs(game, solution, node as usize));
        Self { rows, value: seen_from(side, value) }
    }

    /// Returns the value of a mix against the best answer to it, and the index of that answer.
    fn worst(&self, mix: &[f64]) -> (f64, usize) {
        let columns = self.rows.first().map_or(0, Vec::len);
        let against = |column: usize| -> f64 {
            self.rows.iter().zip(mix).map(|(row, share)| share * row[column]).sum()
        };
        let all = (0..columns).map(|column| (against(column), column));
        all.min_by(|one, two| one.0.total_cmp(&two.0)).unwrap_or((self.value, 0))
    }

    /// Returns the value of the position minus the value of the mix against the best answer to it.
    pub(super) fn given_away(&self, mix: &[f64]) -> f64 {
        (self.value - self.worst(mix).0).max(0.0)
    }

    /// Returns the amount given away by the worst mix, which is always a single action.
    fn most(&self) -> f64 {
        let worst = self.rows.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        (self.value - worst).max(0.0)
    }
}

/// An attempt at a puzzle of a simultaneous game.
pub struct MixAttempt {
    progress: Progress,
    matrix: Matrix,
    error: f64,
    best: Vec<(String, f64)>,
    is_solved: bool,
}

/// The assessment of a guessed mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// The amount that the mix gives away.
    pub given_away: f64,
    /// The opponent's best answer to the mix, in notation.
    pub answer: String,
    /// A score from 0 for the worst mix to 100 for the best mix as displayed, or for a mix that gives away no more than
    /// the solution's error bound.
    pub marks: u8,
    /// Whether the mix solves the puzzle.
    pub is_solved: bool,
}

/// The reason why a text is not a valid mix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// The text contains no action.
    #[error("Enter a mix, such as {0}.")]
    Empty(String),
    /// A word is not an action.
    #[error("\"{word}\" is not an action here: expected {possible}.")]
    NoAction {
        /// The word.
        word: String,
        /// The available actions.
        possible: String,
    },
    /// An action occurs twice.
    #[error("{0} occurs twice.")]
    Twice(String),
    /// An action has no share.
    #[error("{0} needs a share from 0 to 100, such as {0} 50.")]
    NoShare(String),
    /// The shares do not add up to 100.
    #[error("The shares add up to {0}, not to 100.")]
    Sum(String),
}

impl MixAttempt {
    /// Starts an attempt. `solved` must be the puzzle's game, and the puzzle's goal must be a mix.
    ///
    /// # Errors
    /// If the position does not belong to the game.
    ///
    /// # Panics
    /// If the puzzle's goal is a win.
    pub fn new(solved: &Arc<Solved>, puzzle: Puzzle, names: Names) -> Result<Self, SetupError> {
        let Goal::Mix { error, .. } = puzzle.goal else { panic!("the goal is a mix") };
        let player = puzzle.player;
        let progress = Progress::new(solved, puzzle, names)?;
        let position = progress.table().position();
        let node = solved.graph().find(&position)?.expect("a puzzle is in the graph");
        let best = match solved.judge(node) {
            Judgement::Simultaneous { strategy, .. } => strategy[player].clone(),
            Judgement::Alternating { .. } => Vec::new(),
        };
        let matrix = Matrix::of(solved, node, player);
        Ok(Self { progress, matrix, error, best, is_solved: false })
    }

    /// Returns the puzzle, its board and the mistakes.
    #[must_use]
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the player's actions.
    #[must_use]
    pub fn actions(&self) -> Vec<Choice> {
        self.progress.table().choices(self.progress.puzzle().player)
    }

    /// Returns an example of a mix as a player could type it.
    #[must_use]
    pub fn example(&self) -> String {
        example(&self.actions())
    }

    /// Whether a good mix has been found.
    #[must_use]
    pub const fn is_solved(&self) -> bool {
        self.is_solved
    }

    /// Whether the puzzle is solved, or the solution has been shown.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_solved || self.progress.is_given_up()
    }

    /// Judges a mix, given as one share per action. The shares must add up to 1.
    pub fn guess(&mut self, mix: &[f64]) -> Guess {
        let given_away = self.matrix.given_away(mix);
        let (_, answer) = self.matrix.worst(mix);
        let answers = self.progress.table().choices(self.progress.puzzle().player.other());
        let is_solved = given_away <= GOOD_ENOUGH;
        self.is_solved |= is_solved;
        if !is_solved {
            self.progress.add_mistake();
        }
        Guess {
            given_away,
            answer: answers[answer].notation.clone(),
            marks: if self.is_best(mix) { 100 } else { self.marks(given_away) },
            is_solved,
        }
    }

    /// Whether a mix matches the best mix as displayed.
    fn is_best(&self, mix: &[f64]) -> bool {
        self.actions().iter().zip(mix).all(|(choice, share)| {
            let best = self.best.iter().find(|(action, _)| *action == choice.notation);
            (best.map_or(0.0, |(_, share)| *share) - share).abs() <= SHOWN
        })
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to 99
    fn marks(&self, given_away: f64) -> u8 {
        // Rounding errors in the sums of the matrix are far smaller.
        const ROUNDED: f64 = 1e-12;
        if given_away <= self.error + ROUNDED {
            return 100;
        }
        let kept = 1.0 - given_away / self.matrix.most();
        (kept * 100.0).clamp(0.0, 99.0) as u8
    }

    /// Reveals the actions of the best mix. The attempt then no longer counts as clean.
    pub fn hint(&mut self) -> Vec<&str> {
        self.progress.help();
        self.best.iter().map(|(action, _)| action.as_str()).collect()
    }

    /// Ends the attempt, and returns the best mix: the notation of each action and its share.
    pub fn give_up(&mut self) -> &[(String, f64)] {
        self.progress.give_up();
        &self.best
    }

    /// Returns the best mix once the puzzle is over.
    #[must_use]
    pub fn best(&self) -> Option<&[(String, f64)]> {
        self.is_over().then_some(self.best.as_slice())
    }

    /// Parses a mix: actions with their shares in percent, `charge 50 shield 50`. A single action needs no share.
    ///
    /// # Errors
    /// If `text` is not a mix of the player's actions.
    pub fn read(&self, text: &str) -> Result<Vec<f64>, MixError> {
        let actions = self.actions();
        let mut shares: Vec<Option<f64>> = vec![None; actions.len()];
        let tokens = text.split([' ', '\t', ',', ';', '=', ':']).filter(|token| !token.is_empty());
        let mut words: Vec<&str> = Vec::new();
        for token in tokens {
            let Some(share) = percent(token) else {
                words.push(token);
                continue;
            };
            let index = action(&actions, &words)?;
            if !(0.0..=100.0).contains(&share) {
                return Err(MixError::NoShare(actions[index].notation.clone()));
            }
            if shares[index].replace(share).is_some() {
                return Err(MixError::Twice(actions[index].notation.clone()));
            }
            words.clear();
        }
        if !words.is_empty() {
            let index = action(&actions, &words)?;
            if shares.iter().any(Option::is_some) {
                return Err(MixError::NoShare(actions[index].notation.clone()));
            }
            shares[index] = Some(100.0);
        }
        if shares.iter().all(Option::is_none) {
            return Err(MixError::Empty(example(&actions)));
        }
        let sum: f64 = shares.iter().flatten().sum();
        if (sum - 100.0).abs() > ROUNDING {
            return Err(MixError::Sum(format!("{}", (sum * 10.0).round() / 10.0)));
        }
        Ok(shares.into_iter().map(|share| share.unwrap_or(0.0) / sum).collect())
    }
}

/// Returns the index of the action that these words refer to.
fn action(actions: &[Choice], words: &[&str]) -> Result<usize, MixError> {
    if words.is_empty() {
        return Err(MixError::Empty(example(actions)));
    }
    let word = words.join(" ");
    let known = |choice: &Choice| (choice.notation.clone(), choice.words.clone());
    match understand(&word, &actions.iter().map(known).collect::<Vec<_>>()) {
        Understood::One(index) => Ok(index),
        Understood::Many(_) | Understood::Nothing => Err(MixError::NoAction {
            word: quotable(&word.to_lowercase()),
            possible: alternatives(actions.iter().map(|choice| &choice.notation)),
        }),
    }
}

/// Parses a share in percent, with or without the percent sign.
fn percent(token: &str) -> Option<f64> {
    let number = token.strip_suffix('%').unwrap_or(token);
    let is_number =
        number.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter));
    number.parse::<f64>().ok().filter(|share| is_number && share.is_finite())
}

fn example(actions: &[Choice]) -> String {
    let two: Vec<String> =
        actions.iter().take(2).map(|choice| format!("{} 50", choice.notation)).collect();
    two.join(" ")
}
