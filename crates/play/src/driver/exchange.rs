//! What goes into a driver, and what comes out of it.

use skirmish_rules::{Both, Ending, Side};

use super::word::Request;
use crate::fault::Fault;
use crate::player::Player;

/// Who chooses for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A person.
    Person,
    /// A computer player, whose choices the seed determines.
    Computer,
    /// A bot.
    Bot,
}

impl From<&Player> for Seat {
    fn from(player: &Player) -> Self {
        match player {
            Player::Human => Self::Person,
            Player::Computer(_) => Self::Computer,
            Player::Bot(_) | Player::Absent(_) => Self::Bot,
        }
    }
}

/// A question that must be answered before the game continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// This side confirms that it offers a draw to a program, which answers at once.
    Offer(Side),
    /// This side offers a draw; the other one answers.
    Draw(Side),
    /// This side confirms that it resigns.
    Resign(Side),
}

impl Question {
    /// The side that answers.
    #[must_use]
    pub const fn answered_by(self) -> Side {
        match self {
            Self::Draw(side) => side.other(),
            Self::Offer(side) | Self::Resign(side) => side,
        }
    }
}

/// What the game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// [`Input::Pass`]: the side can only pass, and nobody is asked (R-ALL-3).
    Pass(Side),
    /// A person's choice.
    Person(Side),
    /// [`Input::Programs`]: the choices of the programs on these sides, all of which are asked before an answer is used.
    Programs(Both<bool>),
    /// Yes or no.
    Answer(Question),
    /// Nothing: the game is over.
    Nothing(Ending),
}

/// An input from a front end.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// The forced pass.
    Pass,
    /// A line that a side's player typed: a choice, or a word that works at every prompt.
    Line(Side, &'a str),
    /// The choice of a side's player, typed or in notation.
    Choice(Side, &'a str),
    /// A side's answer to the open question.
    Answer(Side, bool),
    /// What the programs that were asked have answered.
    Programs(Answers),
    /// What players who are apart have agreed on, or their clocks decide. No question is asked.
    Decided(Decision),
}

/// A decision that is made outside the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// This side resigns.
    Resign(Side),
    /// The players agree on a draw.
    Draw,
    /// This side takes back its last choice, and everything since.
    TakeBack(Side),
    /// These sides have run out of time; if both have, it is a draw.
    TimeUp(Both<bool>),
}

/// What a typed line means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing: the line is empty.
    Nothing,
    /// A legal choice.
    Choice,
    /// A word that works at every prompt, and whether the whole word was typed.
    Word(Request, bool),
    /// The line is refused, for this reason.
    Refused(String),
    /// The line is refused because it is neither a choice nor a word, for this reason.
    Unknown(String),
}

/// The answers of programs: choices in notation, or what went wrong.
pub type Answers = Both<Option<Result<String, Fault>>>;

/// The effect of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    /// Nothing: the line was empty.
    Nothing,
    /// The side's choice is accepted and waits for the other side's.
    Chosen(Side),
    /// A turn has been played.
    Turn,
    /// One or more turns have been taken back.
    TakenBack,
    /// The input is refused, for this reason.
    Refused(String),
    /// The line is refused because it is neither a choice nor a word, for this reason.
    Unknown(String),
    /// A question is open.
    Asked(Question),
    /// The open question was answered with no.
    Declined(Question),
    /// The game has ended by agreement, resignation or a program's fault.
    Ended,
    /// A program cannot run because the machine has no room. That is nobody's fault, and nothing has changed.
    NoRoom(Fault),
    /// The player requests something from the front end.
    Requested(Request),
}
