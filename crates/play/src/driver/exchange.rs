//! The inputs and outputs of a driver.

use skirmish_rules::{Both, Ending, Side};

use super::word::Request;
use crate::fault::Fault;
use crate::player::Player;

/// The kind of player in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A person.
    Person,
    /// A computer player; the seed determines its choices.
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
    /// This side confirms that it offers a draw to a program, which answers immediately.
    Offer(Side),
    /// This side offers a draw; the other one answers.
    Draw(Side),
    /// This side confirms that it resigns.
    Resign(Side),
}

impl Question {
    /// Returns the side that must answer.
    #[must_use]
    pub const fn answered_by(self) -> Side {
        match self {
            Self::Draw(side) => side.other(),
            Self::Offer(side) | Self::Resign(side) => side,
        }
    }
}

/// The input that the game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// [`Input::Pass`]: the side can only pass, and nobody is asked (R-ALL-3).
    Pass(Side),
    /// A person's choice.
    Person(Side),
    /// [`Input::Programs`]: the choices of the programs on these sides. All of them must choose before any choice is
    /// played.
    Programs(Both<bool>),
    /// A yes or no to this question.
    Answer(Question),
    /// No input: the game is over.
    Nothing(Ending),
}

/// An input from a front end.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// The forced pass.
    Pass,
    /// A line typed by a side's player: a choice, or one of the words that work at every prompt.
    Line(Side, &'a str),
    /// The choice of a side's player, as typed or in notation.
    Choice(Side, &'a str),
    /// A side's answer to the open question.
    Answer(Side, bool),
    /// The programs' answers.
    Programs(Answers),
    /// A decision that needs no question: an agreement between remote players, or a clock that ran out.
    Decided(Decision),
}

/// A decision made outside the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// This side resigns.
    Resign(Side),
    /// The players agree on a draw.
    Draw,
    /// This side takes back its last choice and everything after it.
    TakeBack(Side),
    /// These sides have run out of time; if both have, the game is a draw.
    TimeUp(Both<bool>),
}

/// The meaning of a typed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning<C = ()> {
    /// The line is empty.
    Nothing,
    /// A legal choice, with the effect of making it if it has been made.
    Choice(C),
    /// A request by a word that works at every prompt, and whether the whole word was typed.
    Word(Request, bool),
    /// Refused for this reason.
    Refused(String),
    /// The line is refused because it is neither a choice nor a word, for this reason.
    Unknown(String),
}

/// The answers of programs: choices in notation, or faults.
pub type Answers = Both<Option<Result<String, Fault>>>;

/// The effect of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    /// The line was empty, so nothing happened.
    Nothing,
    /// The side's choice is accepted; the other side's is still missing.
    Chosen(Side),
    /// A turn has been played.
    Turn,
    /// One or more turns have been taken back.
    TakenBack,
    /// The input is refused for this reason.
    Refused(String),
    /// The line is refused because it is neither a choice nor a word, for this reason.
    Unknown(String),
    /// A question is open.
    Asked(Question),
    /// The open question was answered with no.
    Declined(Question),
    /// The game has ended by agreement, resignation or a program's fault.
    Ended,
    /// The machine lacks the resources to run a program. Nobody is at fault, and nothing has changed.
    NoRoom(Fault),
    /// The player requests an action of the front end.
    Requested(Request),
}
