//! Tournaments: who meets whom.

pub mod schedule;
