//! The mathematics of tournaments: schedules, tallies, ratings and statistical tests.

pub mod rating;
pub mod schedule;
pub mod sprt;
pub mod tally;

#[cfg(test)]
mod simulated;
