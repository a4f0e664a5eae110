#![doc = include_str!("../README.md")]

pub mod glyphs;
pub mod json;
pub mod map;
pub mod puzzle;
pub mod review;
pub mod speech;
pub mod study;
pub mod words;

/// A test-only game that exercises every part of the program.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;
#[cfg(test)]
mod tests;

/// The way in which line mode shows a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Boards as pictures, and line editing.
    Usual,
    /// Boards as pictures; no cursor movement.
    Plain,
    /// Boards as sentences; no cursor movement.
    Spoken,
}
