//! The lobby: games are created, found, joined and watched.

use std::time::Duration;

use skirmish_room::Terms;
use skirmish_room::wire::{ServerMessage, StageName};

use super::super::{ArcadeEvent, USUAL};
use super::club::{Club, account, goal};
use super::{CODE, terms};
use crate::online::{LinkEvent, OnlineGoal};

#[test]
fn a_game_is_created_joined_left_and_taken_up_again() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    let bob = club.enter("Bob", USUAL, OnlineGoal::Lobby);
    club.sees(ann, "Nobody waits. Press c or s.");
    // Base Battle, public, with Ann in seat 1 and starting.
    club.press(ann, "c Down Right Right Down Down Down Right Down Down Right");
    club.press(ann, "Down Down Down Right Enter");
    club.sees(ann, "Waiting for the second player.");
    club.sees(ann, "https://play.example.org/g/NEW22A");
    club.press(ann, "Esc");
    club.sees(ann, "Your games");
    club.pass(Duration::from_secs(5));
    club.sees(bob, "Ann waits for an opponent: Enter joins.");
    club.press(bob, "Enter");
    club.sees(bob, "Ann against Bob (you)");
    // Ann was waiting in the lobby and is taken to the game.
    club.sees(ann, "Ann (you) against Bob");
    club.press(ann, "2 Esc");
    club.sees(bob, "Ann is not connected.");
    club.press(bob, "2");
    club.pass(Duration::from_secs(5));
    club.sees(ann, "your turn");
    club.press(ann, "Enter");
    club.sees(ann, "turn 3");
    club.press(ann, "2");
    let turns = club.room("NEW22A").table().expect("a game").turns_played();
    assert_eq!(turns, 3, "an id that is used twice gets the first answer again");
}

#[test]
fn a_game_that_nobody_has_joined_can_be_closed() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "c Enter x");
    club.sees(ann, "Lobby");
    club.misses(ann, "Your games");
    assert!(!club.room("NEW22A").is_open());
}

#[test]
fn quick_pairing_brings_two_together() {
    let mut club = Club::new();
    for name in ["Ann", "Bob"] {
        let guest = club.enter(name, USUAL, OnlineGoal::Lobby);
        club.press(guest, "s Enter");
    }
    assert_eq!(club.room("NEW22A").snap(0, club.now).stage, StageName::Playing);
    club.sees(0, "Command Line Conquer: ");
    club.sees(1, "Command Line Conquer: ");
}

#[test]
fn impossible_terms_are_refused_with_the_reason() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    // Create a rated game against the computer.
    club.press(ann, "c Down Down Right Down Down Down Right Enter");
    club.sees(
        ann,
        "Only games between people, by the usual rules and without hints, can be rated.",
    );
}

#[test]
fn a_game_that_does_not_exist_says_so_and_leads_back() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "o");
    club.guests[ann].arcade.write("nonsense");
    club.press(ann, "Enter");
    club.sees(ann, "That is not a code");
    club.press(ann, "o");
    club.guests[ann].arcade.write("https://play.example.org/g/zzzzzz");
    club.press(ann, "Enter");
    club.sees(ann, "There is no game ZZZZZZ: check the code.");
    club.press(ann, "Esc");
    club.sees(ann, "Nobody waits");
}

#[test]
fn the_home_screen_leads_back_to_the_lobby() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "Esc");
    club.sees(ann, "▶ Lobby of the server");
    club.press(ann, "Enter");
    club.sees(ann, "Nobody waits");
}

#[test]
fn who_waits_elsewhere_is_told_that_the_game_begins() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.press(ann, "c Enter Esc b");
    let bob = club.enter("Bob", USUAL, goal("NEW22A"));
    club.sees(bob, "against");
    club.sees(ann, "Somebody has joined your game NEW22A: go to the lobby.");
    club.press(ann, "Esc Enter");
    club.sees(ann, "Ann (you)");
}

#[test]
fn a_refusal_is_forgotten_once_the_server_lets_the_player_in() {
    let mut club = Club::new();
    let ann = club.enter("Ann", USUAL, goal("K7PQ2M"));
    club.sees(ann, "There is no game K7PQ2M: check the code.");
    club.open(CODE, terms("base-battle"), ann);
    club.disconnect(ann);
    club.connect(ann);
    club.sees(ann, "Waiting for the second player.");
}

#[test]
fn a_click_selects_and_a_second_one_opens() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let carol = club.enter("Carol", USUAL, OnlineGoal::Lobby);
    club.open("AAAAAA", Terms { public: true, ..terms("command-clash") }, 0);
    club.pass(Duration::from_secs(5));
    let picture = club.see(carol);
    let row = picture.lines().position(|line| line.contains("AAAAAA")).expect("it is listed");
    for sight in ["Command Clash", "Ann against Carol (you)"] {
        let row = u16::try_from(row).expect("a small number");
        club.guests[carol].arcade.take(ArcadeEvent::Click { column: 5, row });
        club.settle();
        club.sees(carol, sight);
    }
}

#[test]
fn a_game_that_this_program_does_not_know_says_so() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let mut snap = club.room(CODE).snap(account(0), club.now);
    snap.terms.game = "ludo".to_owned();
    snap.code = "LUDO22".to_owned();
    let carol = club.enter("Carol", USUAL, OnlineGoal::Lobby);
    club.press(carol, "o");
    club.guests[carol].arcade.write("ludo22");
    club.press(carol, "Enter");
    club.tell(carol, LinkEvent::Message(ServerMessage::Snap(Box::new(snap))));
    club.sees(carol, "This program cannot show the game ludo");
}

#[test]
fn a_guest_registers_a_name_and_links_a_device() {
    let mut club = Club::new();
    let ann = club.enter("guest-7", USUAL, OnlineGoal::Lobby);
    for (name, answer) in [("Bob", "The name Bob is taken."), ("Ann", "recovery code brings")] {
        club.press(ann, "a Enter");
        club.guests[ann].arcade.write(name);
        club.press(ann, "Enter");
        club.sees(ann, answer);
        club.press(ann, "Esc");
    }
    club.sees(ann, "https://play.example.org: Ann");
    club.misses(ann, "guest");
    club.press(ann, "a Down Enter");
    club.sees(ann, "skirmish join https://play.example.org --link QRST2345");
}
