//! Line mode: a game in lines of text, on a terminal or in a pipe.

mod console;
mod editor;
mod game;
mod input;
mod local;
mod pager;
mod secret;
mod show;

#[cfg(test)]
mod tests;

pub(crate) use console::Console;
pub(crate) use editor::Typed;
pub(crate) use game::{HELP, STUCK, Step, Turns, play};
pub(crate) use input::{InputLine, confirm, read_bounded, read_line};
pub(crate) use local::LocalTurns;
pub(crate) use show::Beginning;
