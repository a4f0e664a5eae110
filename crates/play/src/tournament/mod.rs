//! Tournaments: what a set of games says about the strength of those who played them.

pub mod rating;
pub mod sprt;
pub mod tally;

#[cfg(test)]
mod simulated;
