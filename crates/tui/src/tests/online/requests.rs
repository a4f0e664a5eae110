//! What arcades on a server ask of the terminal.

use super::super::requests::{copy, requested};
use super::super::{ArcadeEvent, USUAL};
use super::club::Club;
use super::{CODE, terms};
use crate::TerminalRequest;

#[test]
fn a_player_who_looks_elsewhere_is_told_of_their_turn_once() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let told = |club: &mut Club| club.guests[1].arcade.app.requests();
    club.press(0, "2");
    assert_eq!(told(&mut club), [], "Bob is looking");
    club.press(1, "2");
    club.guests[1].arcade.take(ArcadeEvent::Focus(false));
    assert_eq!(told(&mut club), [], "it is Ann's turn");
    club.press(0, "1");
    assert_eq!(told(&mut club), [TerminalRequest::Bell]);
    club.guests[1].arcade.take(ArcadeEvent::Focus(true));
    assert_eq!(told(&mut club), []);
    assert_eq!(club.guests[0].arcade.app.requests(), [], "Ann was looking");
}

#[test]
fn the_invitation_to_a_game_is_requested() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let address = format!("https://play.example.org/g/{CODE}");
    assert_eq!(requested(&mut club.guests[0].arcade, "copy code"), copy(&address));
}
