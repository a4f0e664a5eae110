//! What is shown and sent, whoever shows it: words, speech, maps, reviews and JSON. Pure.

pub mod glyphs;
pub mod json;
pub mod map;
pub mod review;
pub mod shell;
pub mod speech;
pub mod words;

/// A game that exists only in the tests: it goes through every part of the program.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;
#[cfg(test)]
mod tests;

/// How conversations are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// With pictures, and lines that can be edited.
    Usual,
    /// Nothing moves the cursor.
    Plain,
    /// Every picture as sentences, and nothing moves the cursor.
    Spoken,
}
