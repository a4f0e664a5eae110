//! Records of finished games, opened from their list.

use super::super::USUAL;
use super::club::Club;
use crate::online::{LinkEvent, OnlineGoal};

const RECORD: &str =
    "[Game \"base-battle\"]\n[Player1 \"Ann\"]\n[Player2 \"Bob\"]\n[First \"p1\"]\n\n1. 3\n2. 3\n";

/// A club whose first guest has requested the record of the second finished game.
fn asked() -> Club {
    let mut club = Club::new();
    club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(0, "f Down Enter Enter");
    let asked: Vec<(String, u32)> = club.guests[0].fetched.try_iter().collect();
    assert_eq!(asked, [("K7PQ2M".to_owned(), 1)], "once, however often one asks");
    club
}

fn answer(club: &mut Club, text: Result<&str, &str>) {
    let text = text.map(str::to_owned).map_err(str::to_owned);
    club.tell(0, LinkEvent::Record { code: "K7PQ2M".to_owned(), number: 1, text });
}

#[test]
fn a_finished_game_can_be_watched_again() {
    let mut club = asked();
    answer(&mut club, Ok(RECORD));
    club.sees(0, "Ann");
    club.sees(0, "2. ");
    club.press(0, "Esc");
    club.sees(0, "Your finished games");
}

#[test]
fn a_record_that_cannot_be_had_says_why() {
    let mut club = asked();
    answer(&mut club, Err("This room has had 0 games."));
    club.sees(0, "The game cannot be shown: This room has had 0 games.");
    club.press(0, "Enter");
    answer(&mut club, Ok("<html>"));
    club.sees(0, "The game cannot be shown: the server sent a record that cannot be read:");
}

#[test]
fn a_record_that_comes_too_late_disturbs_nobody() {
    let mut club = asked();
    club.press(0, "Esc");
    answer(&mut club, Ok(RECORD));
    club.sees(0, "c creates a game");
}
