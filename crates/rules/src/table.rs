//! A game in progress, whichever game it is: the interface through which front ends see the rules.

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
///
/// Every table also implements [`Words`], what it shows, and [`History`], what has been played.
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
    /// How the game was set up.
    fn setup(&self) -> &Setup;

    /// The position as one token.
    fn position(&self) -> String;
    /// The position as a picture.
    fn scene(&self) -> Scene;
    /// The result, once the rules have decided.
    fn outcome(&self) -> Option<Outcome>;
    /// The sides whose turn it is, whether or not they have chosen yet.
    fn turn(&self) -> Vec<Side>;
    /// Whether a side's choice is waiting for the other side's.
    fn has_chosen(&self, side: Side) -> bool;
    /// The legal choices of a side.
    fn choices(&self, side: Side) -> Vec<Choice>;
    /// Every action of the game on this board, legal now or not, always in the same order; passes are not among them.
    fn vocabulary(&self) -> Vec<Choice>;

    /// Submits a side's choice as a player types it. The turn is played once all sides have chosen; until then nothing
    /// reveals the choice.
    ///
    /// # Errors
    /// If `text` is not a legal choice of that side. The table stays unchanged (R-ALL-4).
    fn submit(&mut self, side: Side, text: &str) -> Result<Submitted, Refusal>;
    /// Withdraws a choice that is waiting for the other side's. Returns whether there was one.
    fn withdraw(&mut self, side: Side) -> bool;
    /// Plays a whole turn from its exact notation, as in records and lists of moves.
    ///
    /// # Errors
    /// If `turn` is not the notation of a legal turn. The table stays unchanged.
    fn play(&mut self, turn: &str) -> Result<(), Refusal>;

    /// A copy of the game to try moves on. It is cheap, since the two share the turns played. Waiting choices are not
    /// copied, so a fork cannot reveal them.
    fn fork(&self) -> Box<dyn Table>;
}

/// What has been played at a table.
pub trait History {
    /// The turns played so far, in notation.
    fn history(&self) -> Vec<String>;
    /// How many turns have been played.
    fn turns_played(&self) -> usize;
    /// Whether a turn, counted from 0, was a forced pass and nothing else.
    fn was_pass(&self, turn: usize) -> bool;
    /// What happened in the last turn.
    fn last_turn(&self) -> Vec<Telling>;
    /// Takes back the last turn and any waiting choice. Returns whether there was a turn.
    fn undo(&mut self) -> bool;
}

/// What a table shows, in the rulebook's words.
pub trait Words {
    /// The greeting, without the board.
    fn welcome(&self) -> String;
    /// The board picture, in bands of at most `width` columns.
    fn board(&self, width: usize) -> String;
    /// The prompt for a side.
    fn prompt(&self, side: Side) -> Prompt;
    /// What the last turn did, and the board after it.
    fn report(&self, width: usize) -> String;
}

/// What every table can derive from the rest.
impl dyn Table + '_ {
    /// Whether the sides choose in turn.
    #[must_use]
    pub fn tempo(&self) -> Tempo {
        self.entry().tempo()
    }

    /// The rule options in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.setup().settings
    }

    /// Who makes the first move, if the players choose.
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
    /// Its notation: one token.
    pub notation: String,
    /// As a player types it in full.
    pub words: String,
    /// Whether it is the pass, which is legal only if nothing else is (R-ALL-3).
    pub is_pass: bool,
}

/// What a submitted choice led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// It waits for the other side's choice.
    Waiting,
    /// The turn has been played.
    Turn,
}

/// Why a choice was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The game is over.
    #[error("The game is over.")]
    Over,
    /// The side waits for the other one.
    #[error("It is not {0}'s turn.")]
    NotYourTurn(String),
    /// The side has chosen already.
    #[error("{0} has chosen already.")]
    AlreadyChosen(String),
    /// The text matches none of the game's actions.
    #[error("\"{text}\" is not a move here: enter {possible}.")]
    Unreadable {
        /// What was typed.
        text: String,
        /// The legal choices.
        possible: String,
    },
    /// The text is a prefix of several actions.
    #[error("\"{text}\" could be {candidates}.")]
    Ambiguous {
        /// What was typed.
        text: String,
        /// What it could mean.
        candidates: String,
    },
    /// The action exists but is not legal here.
    #[error("{why} Enter {possible}.")]
    Illegal {
        /// The reason, as a sentence.
        why: String,
        /// The legal choices.
        possible: String,
    },
}
