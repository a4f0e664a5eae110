//! The mathematics of tournaments: who meets whom, and what results say about strength.

pub mod rating;
pub mod schedule;
pub mod sprt;
pub mod tally;

#[cfg(test)]
mod simulated;
