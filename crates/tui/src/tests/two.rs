//! Two arcades in one process, as a server would run them.

use std::thread;

use super::{Arcade, PLAIN, USUAL};
use crate::{App, Look};

const fn can_move_to_another_thread<T: Send>() {}

const _: () = can_move_to_another_thread::<App>();

/// Plays a game with these keys, and returns the picture after each key.
fn pictures(mut arcade: Arcade, game: u8, keys: &[&str]) -> Vec<String> {
    arcade.sit_down(game);
    let mut picture = |keys: &&str| {
        arcade.press(keys);
        thread::yield_now();
        arcade.picture(80, 24)
    };
    keys.iter().map(&mut picture).collect()
}

#[test]
fn two_arcades_in_one_process_are_independent() {
    type Visit = (Look, u8, &'static [&'static str]);
    const VISITS: [Visit; 2] = [
        (USUAL, 3, &["2", "3", "u", "1", "a", "?", "Esc", "1", "Esc", "Esc", "s"]),
        (PLAIN, 4, &["Enter", "c", "Enter", "s", "Enter", "c", "Enter", "a", "Esc", "s", "Esc"]),
    ];
    let visit = |(look, game, keys): Visit| pictures(Arcade::open(look), game, keys);
    let alone = VISITS.map(visit);
    let together = thread::scope(|scope| {
        VISITS.map(|visited| scope.spawn(move || visit(visited))).map(|thread| {
            thread.join().expect("an arcade does not panic because there is another one")
        })
    });
    assert_eq!(alone, together);
    assert_ne!(alone[0], alone[1]);
}
