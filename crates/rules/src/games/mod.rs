//! The list of games. To add one, add a folder here and a line to the list.

pub mod base_battle;
pub mod capture_and_conquer;
pub mod capture_the_line;
pub mod command_clash;
pub mod command_line_conquer;

#[cfg(test)]
mod testing;

use crate::catalog::{Catalog, Catalogued};

/// All games, in the order in which front ends list them.
pub static GAMES: Catalog = Catalog(&[
    command_line_conquer::CommandLineConquer::ENTRY,
    capture_and_conquer::CaptureAndConquer::ENTRY,
    base_battle::BaseBattle::ENTRY,
    command_clash::CommandClash::ENTRY,
    capture_the_line::CaptureTheLine::ENTRY,
]);
