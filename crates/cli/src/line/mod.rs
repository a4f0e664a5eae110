//! Line mode: a game in lines of text, on a terminal or in a pipe.

mod front;
mod game;
mod input;
mod objects;
mod pager;
mod transcript;

#[cfg(test)]
mod tests;

pub(crate) use front::FrontEnd;
pub(crate) use game::{Beginning, Opening, play};
pub(crate) use input::{InputLine, LONGEST_LINE, LineReader, confirm, read_bounded};
pub(crate) use objects::Objects;
pub(crate) use pager::show as show_pages;
pub(crate) use transcript::Transcript;
