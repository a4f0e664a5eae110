//! Tests of arcades that play each other on a server.

mod club;
mod connection;
mod lobby;
mod pictures;
mod play;
mod records;
mod requests;

use skirmish_room::{SideWish, Terms};
use skirmish_rules::{GAMES, Starter};

use self::club::Club;

const CODE: &str = "K7PQ2M";

/// Terms in which the creator is Player 1 and starts.
fn terms(id: &str) -> Terms {
    let entry = GAMES.find(id).expect("the game exists");
    let is_free = entry.starter == Starter::Toss;
    Terms {
        seat: SideWish::P1,
        first: is_free.then_some(SideWish::P1),
        max_turns: Some(60),
        ..Terms::new(entry)
    }
}

/// Plays on with the first or the last choice until nobody has to choose.
fn play_out(club: &mut Club) {
    for turn in 0..200 {
        let Some((guest, side)) = club.asked(CODE) else { return };
        let choices = club.room(CODE).table().expect("a game").choices(side);
        let choice = &choices[if turn % 3 == 0 { 0 } else { choices.len() - 1 }];
        club.word(guest, &choice.words.clone());
    }
    panic!("the game has a turn limit");
}
