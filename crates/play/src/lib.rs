#![doc = include_str!("../README.md")]

mod budget;
mod chance;
mod day;
pub mod driver;
mod fault;
pub mod library;
mod matches;
mod names;
pub mod player;
mod proposal;
pub mod puzzle;
pub mod query;
mod review;
mod session;
mod solved;
pub mod tournament;

/// A sixth game for tests, which exercises every part of the library.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;

pub use budget::Budget;
pub use chance::Chance;
pub use day::{Day, DayError};
pub use fault::{Fault, Span};
pub use matches::{MatchState, Plan, Score, bot_tag, level_tag, points};
pub use names::{LETTERS, LONGEST_NAME, NameError, check_name, check_names, own_name};
pub use proposal::{First, Proposal, ProposalError, starter};
pub use review::{Mark, OPENING, Review, ReviewedChoice, Verdict, Worth, opening_turns, review};
pub use session::{Session, fault_of};
pub use solved::{
    Analysis, Answer, BestLine, Judgement, NoRoom, Payoffs, RatedMove, SolveError, Solved,
    seen_from,
};
