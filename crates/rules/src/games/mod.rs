//! The one list of games. A sixth game is one more folder here and one more line in the list.

pub mod base_battle;
pub mod capture_and_conquer;
pub mod capture_the_line;
pub mod command_clash;
pub mod command_line_conquer;

#[cfg(test)]
mod testing;

use crate::catalog::{Catalog, Entry};

/// All games, in the order in which front ends list them.
pub static GAMES: Catalog = Catalog(&[
    &Entry::of::<command_line_conquer::CommandLineConquer>(),
    &Entry::of::<capture_and_conquer::CaptureAndConquer>(),
    &Entry::of::<base_battle::BaseBattle>(),
    &Entry::of::<command_clash::CommandClash>(),
    &Entry::of::<capture_the_line::CaptureTheLine>(),
]);
