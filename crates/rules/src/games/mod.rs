//! The list of games. To add a game, add a folder here, its module, and a line at the end of the list.

pub mod base_battle;
pub mod capture_and_conquer;
pub mod capture_the_line;
pub mod command_clash;
pub mod command_line_conquer;

#[cfg(test)]
mod testing;

use crate::catalog::{Catalog, Catalogued};

/// Passes all games to a macro as `folder::Type, …`, in the order in which front ends list them. The folders are modules of
/// [`games`](crate::games). Only code that depends on a game's types needs this; [`GAMES`] is enough for all other code.
#[macro_export]
macro_rules! for_each_game {
    ($then:ident) => {
        $then! {
            command_line_conquer::CommandLineConquer,
            capture_and_conquer::CaptureAndConquer,
            base_battle::BaseBattle,
            command_clash::CommandClash,
            capture_the_line::CaptureTheLine,
        }
    };
}

/// Defines the catalogue, and makes each game's default follow its rulebook.
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

for_each_game!(games);
