//! The list of games. To add a game, add a folder here and a line to the list.

pub mod base_battle;
pub mod capture_and_conquer;
pub mod capture_the_line;
pub mod command_clash;
pub mod command_line_conquer;

#[cfg(test)]
mod testing;

use crate::catalog::{Catalog, Catalogued};

/// Defines the list of games, and makes each game's default follow its rulebook.
macro_rules! games {
    ($($folder:ident::$game:ident),+ $(,)?) => {
        $(impl Default for $folder::$game {
            fn default() -> Self {
                Self::build(Default::default())
            }
        })+

        /// All games, in the order in which front ends list them.
        pub static GAMES: Catalog = Catalog(&[$($folder::$game::ENTRY),+]);
    };
}

games!(
    command_line_conquer::CommandLineConquer,
    capture_and_conquer::CaptureAndConquer,
    base_battle::BaseBattle,
    command_clash::CommandClash,
    capture_the_line::CaptureTheLine,
);
