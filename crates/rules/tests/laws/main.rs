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

/// Generates the tests that depend on a game's types.
macro_rules! laws {
    ($name:ident: $game:ty) => {
        mod $name {
            #[test]
            fn obeys_the_laws_in_every_reachable_position() {
                crate::exhaustive::check::<$game>();
            }

            #[test]
            fn obeys_the_laws_in_random_play_under_random_options() {
                crate::random::check::<$game>();
            }
        }
    };
}

macro_rules! laws_of_all {
    ($($folder:ident::$game:ident),+ $(,)?) => {
        $(laws!($folder: skirmish_rules::games::$folder::$game);)+
    };
}

skirmish_rules::for_each_game!(laws_of_all);
laws!(last_stone: crate::sixth::LastStone);
