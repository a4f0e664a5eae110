//! Laws that every game obeys under every rule option, including a sixth game for tests.

mod catalogue;
mod dice;
mod drawings;
mod exhaustive;
mod playthroughs;
mod position;
mod random;
mod tables;
mod tutorials;

#[path = "../sixth/mod.rs"]
mod sixth;

use sixth::{LastStone, SIX_GAMES};
use skirmish_rules::Catalogued;
use skirmish_rules::games::base_battle::BaseBattle;
use skirmish_rules::games::capture_and_conquer::CaptureAndConquer;
use skirmish_rules::games::capture_the_line::CaptureTheLine;
use skirmish_rules::games::command_clash::CommandClash;
use skirmish_rules::games::command_line_conquer::CommandLineConquer;

/// Generates the tests that depend on a game's types, for every game.
macro_rules! laws_of {
    ($($name:ident: $game:ident,)*) => {
        $(
            mod $name {
                #[test]
                fn obeys_the_laws_in_every_reachable_position() {
                    crate::exhaustive::check::<crate::$game>();
                }

                #[test]
                fn obeys_the_laws_in_random_play_under_random_options() {
                    crate::random::check::<crate::$game>();
                }
            }
        )*

        /// The games for which the laws are checked.
        const LAWFUL: &[&str] = &[$($game::ID,)*];
    };
}

laws_of! {
    command_line_conquer: CommandLineConquer,
    capture_and_conquer: CaptureAndConquer,
    base_battle: BaseBattle,
    command_clash: CommandClash,
    capture_the_line: CaptureTheLine,
    last_stone: LastStone,
}

#[test]
fn no_game_lacks_the_laws() {
    let games: Vec<&str> = SIX_GAMES.iter().map(|entry| entry.id).collect();
    assert_eq!(LAWFUL, games);
}
