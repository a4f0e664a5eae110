#![doc = include_str!("../README.md")]

pub mod choice;
pub mod glyphs;
pub mod json;
pub mod map;
pub mod puzzle;
pub mod review;
pub mod speech;
pub mod study;
pub mod words;
pub mod you;

/// A test-only game that exercises every part of the program.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;
#[cfg(test)]
mod tests;

/// How line mode shows a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Boards as pictures, with line editing.
    Usual,
    /// Boards as pictures, without cursor movement.
    Plain,
    /// Boards as sentences, without cursor movement.
    Spoken,
}
