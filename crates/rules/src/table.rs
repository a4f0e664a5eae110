//! A game in progress: the interface between front ends and the rules, the same for all games.

mod seats;

pub(crate) use seats::Seats;

use crate::catalog::{Entry, Setup, Tempo};
use crate::event::Telling;
use crate::game::Outcome;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::side::{Names, Side};
use crate::text::Prompt;

/// A game in progress.
/// Every table also implements [`Words`], its text for players, and [`History`], its past turns.
///
/// ```
/// use skirmish_rules::{GAMES, Side, Submitted};
///
/// let game = GAMES.find("command-clash").unwrap();
/// let mut table = game.open(game.setup()).unwrap();
/// assert_eq!(table.submit(Side::One, "charge"), Ok(Submitted::Waiting));
/// assert_eq!(table.position(), "5/5", "nothing has happened yet, and nothing reveals the choice");
/// assert_eq!(table.submit(Side::Two, "attack"), Ok(Submitted::Turn));
/// assert_eq!(table.position(), "4/4");
/// ```
pub trait Table: History + Words + Send {
    /// The game's catalogue entry.
    fn entry(&self) -> &'static Entry;
    /// The setup of the game.
    fn setup(&self) -> &Setup;

    /// The position as one token.
    fn position(&self) -> String;
    /// The position as a scene to draw.
    fn scene(&self) -> Scene;
    /// The outcome, once the rules have decided the game.
    fn outcome(&self) -> Option<Outcome>;
    /// The sides whose turn it is, even if they have already chosen.
    fn turn(&self) -> Vec<Side>;
    /// Whether a side has chosen and is waiting for the other side.
    fn has_chosen(&self, side: Side) -> bool;
    /// The legal choices of a side.
    fn choices(&self, side: Side) -> Vec<Choice>;
    /// Every action of the game on this board, whether currently legal or not, always in the same order. Passes are not
    /// included.
    fn vocabulary(&self) -> Vec<Choice>;

    /// Submits a side's choice as typed by a player. The turn is played once all sides have chosen; until then, nothing
    /// reveals the choice.
    ///
    /// # Errors
    /// If `text` is not a legal choice of that side. The table stays unchanged (R-ALL-4).
    fn submit(&mut self, side: Side, text: &str) -> Result<Submitted, Refusal>;
    /// Checks a side's choice as typed by a player, without making it.
    ///
    /// # Errors
    /// If [`Table::submit`] would refuse it.
    fn check(&self, side: Side, text: &str) -> Result<(), Refusal>;
    /// Withdraws a pending choice. Returns whether there was one.
    fn withdraw(&mut self, side: Side) -> bool;
    /// Plays a whole turn from its exact notation, as in records and lists of moves.
    ///
    /// # Errors
    /// If `turn` is not the notation of a legal turn. The table stays unchanged.
    fn play(&mut self, turn: &str) -> Result<(), Refusal>;

    /// A copy of the game for trying out moves. Forking is cheap, because both tables share the turns played so far.
    /// Pending choices are not copied, so a fork cannot reveal them.
    fn fork(&self) -> Box<dyn Table>;
}

/// The past turns of a table.
pub trait History {
    /// The turns played so far, in notation.
    fn history(&self) -> Vec<String>;
    /// The number of turns played.
    fn turns_played(&self) -> usize;
    /// Whether a turn, counted from 0, was just a forced pass.
    fn was_pass(&self, turn: usize) -> bool;
    /// The events of the last turn.
    fn last_turn(&self) -> Vec<Telling>;
    /// The events of the last turn, told with other names.
    fn last_turn_with(&self, names: &Names) -> Vec<Telling>;
    /// Takes back the last turn and any pending choice. Returns whether there was a turn.
    fn undo(&mut self) -> bool;
}

/// A table's text for players, in the rulebook's words.
pub trait Words {
    /// The greeting, without the board.
    fn welcome(&self) -> String;
    /// The board picture, in bands of at most `width` columns.
    fn board(&self, width: usize) -> String;
    /// The prompt for a side.
    fn prompt(&self, side: Side) -> Prompt;
    /// The report on the last turn, and the board after it.
    fn report(&self, width: usize) -> String;
}

/// Methods derived from those of the traits.
impl dyn Table + '_ {
    /// The tempo of the game.
    #[must_use]
    pub fn tempo(&self) -> Tempo {
        self.entry().tempo()
    }

    /// The rule options in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.setup().settings
    }

    /// The side that makes the first move, if the players choose.
    #[must_use]
    pub fn first(&self) -> Side {
        self.setup().first
    }

    /// The players' names.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.setup().names
    }

    /// The sides that have not chosen yet.
    #[must_use]
    pub fn to_act(&self) -> Vec<Side> {
        self.turn().into_iter().filter(|&side| !self.has_chosen(side)).collect()
    }

    /// Whether a side can only pass. Front ends play the pass without asking (R-ALL-3).
    #[must_use]
    pub fn must_pass(&self, side: Side) -> bool {
        self.choices(side).iter().any(|choice| choice.is_pass)
    }
}

/// A legal action of a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The notation: one token.
    pub notation: String,
    /// The words that a player types in full.
    pub words: String,
    /// Whether the choice is the pass, which is legal only if nothing else is (R-ALL-3).
    pub is_pass: bool,
}

/// The effect of submitting a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// The choice is pending until the other side has chosen.
    Waiting,
    /// The turn has been played.
    Turn,
}

/// The reasons why a choice was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The game is over.
    #[error("The game is over.")]
    Over,
    /// It is the other side's turn.
    #[error("It is not {0}'s turn.")]
    NotYourTurn(String),
    /// The side has already chosen.
    #[error("{0} has chosen already.")]
    AlreadyChosen(String),
    /// The text matches none of the game's actions.
    #[error("\"{text}\" is not a move here: enter {possible}.")]
    Unreadable {
        /// The input.
        text: String,
        /// The legal choices.
        possible: String,
    },
    /// The text is a prefix of several actions.
    #[error("\"{text}\" could be {candidates}.")]
    Ambiguous {
        /// The input.
        text: String,
        /// The possible meanings.
        candidates: String,
    },
    /// The action exists, but it is not legal in this position.
    #[error("{why} Enter {possible}.")]
    Illegal {
        /// The reason, as a sentence.
        why: String,
        /// The legal choices.
        possible: String,
    },
}
