//! Tournaments: who meets whom, and what their games say about their strength.

pub mod rating;
pub mod schedule;
pub mod sprt;
pub mod tally;

#[cfg(test)]
mod simulated;
