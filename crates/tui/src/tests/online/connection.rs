//! Clocks, pauses, and lost connections.

use std::time::Duration;

use skirmish_room::wire::{ClockView, Rej, ServerMessage};
use skirmish_room::{HostInput, RejectionCode, Terms, TimeControl};
use skirmish_rules::Both;

use super::super::USUAL;
use super::club::{Club, goal};
use super::{CODE, terms};
use crate::Closed;
use crate::online::{LinkEvent, OnlineGoal};

#[test]
fn a_move_during_a_pause_is_to_be_entered_again() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.input(CODE, HostInput::Pause);
    club.sees(0, "Paused");
    club.sees(0, "· The game is paused, and no clock runs.");
    for guest in [0, 1] {
        club.word(guest, "2");
        club.sees(guest, "The game is paused; enter it again when the server is back.");
    }
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.input(CODE, HostInput::Pause);
    club.press(0, "2");
    club.sees(0, "The game is paused; enter it again");
    assert!(club.acts.is_empty());
}

/// A notice from the server to followers of the game while its database is unavailable.
fn notice(text: &str) -> Rej {
    Rej::about(CODE, RejectionCode::Storage, text)
}

fn notify(club: &mut Club, guest: usize, notice: Rej) {
    club.tell(guest, LinkEvent::Message(ServerMessage::Rej(notice)));
}

#[test]
fn an_apology_of_the_server_goes_away_when_the_game_goes_on() {
    let mut club = Club::sit_down(USUAL, terms("command-clash"));
    notify(&mut club, 0, notice("The server cannot reach its database."));
    club.sees(0, "The server cannot reach its database.");
    club.press(1, "1");
    club.misses(0, "The server cannot reach its database.");
    // A notice from the server has the same effect.
    notify(&mut club, 0, notice("The server cannot reach its database."));
    notify(&mut club, 0, notice("It reaches its database again.").as_over());
    club.misses(0, "The server cannot reach its database.");
    club.sees(0, "It reaches its database again.");
    // A new connection may lead to another server.
    notify(&mut club, 0, notice("The server cannot reach its database."));
    club.disconnect(0);
    club.sees(0, "The server cannot reach its database.");
    club.connect(0);
    club.misses(0, "The server cannot reach its database.");
}

/// Regression: a player who moved during an outage saw only whom the game was waiting for.
#[test]
fn an_apology_stays_while_the_player_goes_on_playing() {
    let apology = "The server cannot reach its database.";
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    notify(&mut club, 0, notice(apology));
    // The server does not answer.
    club.guests[0].arcade.press("2");
    club.sees(0, "Waiting for Bob");
    club.sees(0, apology);
    club.guests[0].arcade.press(":");
    club.guests[0].arcade.write("say nonsense");
    club.guests[0].arcade.press("Enter");
    club.sees(0, "You can say");
    club.sees(0, apology);
    let small = club.guests[0].arcade.picture(40, 12);
    assert!(small.contains("The server cannot reach"), "{small}");
    club.settle();
    club.sees(0, "turn 2");
    club.misses(0, apology);
}

#[test]
fn an_apology_stays_on_the_screen_after_a_game() {
    let apology = "The server cannot reach its database.";
    let mut club = Club::sit_down(USUAL, terms("capture-the-line"));
    super::play_out(&mut club);
    notify(&mut club, 0, notice(apology));
    club.press(0, "Enter");
    club.sees(0, apology);
    club.press(0, "Down");
    club.sees(0, apology);
    notify(&mut club, 0, notice("It reaches its database again.").as_over());
    club.misses(0, apology);
    club.sees(0, "It reaches its database again.");
    notify(&mut club, 1, notice(apology));
    club.press(1, "Enter");
    club.disconnect(1);
    club.connect(1);
    club.misses(1, apology);
}

#[test]
fn an_apology_before_the_game_is_known_refuses_nothing() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    let carol = club.arrive("Carol", USUAL, goal(CODE));
    club.sees(carol, "Asking the server…");
    notify(&mut club, carol, notice("The server cannot reach its database."));
    club.sees(carol, "The server cannot reach its database.");
    club.misses(carol, "Esc goes back to the lobby.");
    club.settle();
    club.misses(carol, "The server cannot reach its database.");
    club.sees(carol, "Ann against Bob");
}

#[test]
fn clocks_stand_still_while_a_notice_says_so() {
    let clock = TimeControl::Game { seconds: 300, increment: 3 };
    let mut club = Club::sit_down(USUAL, Terms { clock, ..terms("base-battle") });
    club.press(0, "2");
    club.press(1, "2");
    club.pass(Duration::from_secs(10));
    club.sees(0, "▶ 4:53 ◀ 5:03");
    let left = Both::new(293_000, 303_000).into();
    let stopped = ClockView { left, running: Vec::new(), abort: None };
    let running = ClockView { running: vec![1], ..stopped.clone() };
    notify(&mut club, 0, notice("Wait.").with_clock(Some(stopped)));
    assert!(club.guests[0].arcade.app.due().is_none(), "no clock runs");
    // The other player's node does not know whether the clocks are running.
    notify(&mut club, 1, notice("Moves may be late."));
    club.pass(Duration::from_secs(20));
    club.sees(0, "▶ 4:53 ◀ 5:03");
    club.sees(1, "▶ 4:33 ◀ 5:03");
    notify(&mut club, 0, notice("Go on.").with_clock(Some(running)).as_over());
    club.pass(Duration::from_secs(5));
    club.sees(0, "▶ 4:48 ◀ 5:03");
}

#[test]
fn a_lost_connection_keeps_the_screen_and_sends_the_move_once() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.disconnect(0);
    club.sees(0, "connection lost, trying again");
    club.sees(0, "Your move");
    club.sees(1, "Ann is not connected. After 10 minutes of absence you can enter :claim.");
    club.press(0, "2");
    club.sees(0, "What you entered is sent as soon as the connection is back.");
    club.misses(0, "Your move");
    assert!(club.acts.is_empty());
    club.connect(0);
    assert_eq!(club.acts, ["2"]);
    club.sees(0, "connected");
    club.sees(0, "turn 2");
    club.sees(1, "Ann is connected.");
    // Notices sent while a player is disconnected arrive on reconnection.
    club.disconnect(0);
    club.press(1, "3");
    club.connect(0);
    club.sees(0, "turn 3");
    assert_eq!(club.room(CODE).table().expect("a game").turns_played(), 2);
}

#[test]
fn clocks_count_down_every_second_and_only_while_they_run() {
    let clock = TimeControl::Game { seconds: 300, increment: 3 };
    let mut club = Club::sit_down(USUAL, Terms { clock, ..terms("base-battle") });
    club.sees(0, "▶ 5:00 ◀ 5:00");
    club.sees(0, "first move in 0:30");
    club.pass(Duration::from_millis(1500));
    club.sees(0, "first move in 0:29");
    club.sees(0, "Make your first move in 0:29, or the game is aborted.");
    club.misses(1, "Make your first move");
    club.press(0, "2");
    club.misses(0, "Make your first move");
    club.sees(1, "Make your first move in 0:30, or the game is aborted.");
    club.press(1, "2");
    club.pass(Duration::from_secs(1));
    club.misses(0, "first move");
    club.sees(0, "▶ 5:02 ◀ 5:03");
    club.pass(Duration::from_millis(60_500));
    for guest in [0, 1] {
        club.sees(guest, "▶ 4:02 ◀ 5:03");
    }
    club.press(0, "2");
    club.sees(1, "▶ 4:05 ◀ 5:03");
    club.pass(Duration::from_secs(310));
    club.sees(0, "Bob's time is up. You win the game!");
    club.sees(0, "turn 3");
    assert!(club.guests[0].arcade.app.due().is_none(), "no clock runs after the end");
}

#[test]
fn two_players_can_run_out_of_time_together() {
    let clock = TimeControl::Game { seconds: 60, increment: 0 };
    let mut club = Club::sit_down(USUAL, Terms { clock, ..terms("command-clash") });
    for _ in 0..2 {
        club.press(0, "1");
        club.press(1, "1");
    }
    club.pass(Duration::from_secs(100));
    for guest in [0, 1] {
        club.sees(guest, "Both players' time is up: the game is a draw.");
        club.sees(guest, "turn 2");
    }
}

#[test]
fn a_claim_is_refused_with_the_time_that_is_left() {
    let clock = TimeControl::Game { seconds: 300, increment: 0 };
    let mut club = Club::sit_down(USUAL, Terms { clock, ..terms("base-battle") });
    // End plays nothing; the key only ends the pause in which Ann reads her own turn.
    club.press(0, "2");
    club.press(1, "2");
    club.press(0, "End 2");
    club.disconnect(1);
    club.pass(Duration::from_secs(20));
    club.word(0, "claim");
    club.sees(0, "You can claim the game in 40 seconds.");
    club.pass(Duration::from_secs(41));
    club.word(0, "claim");
    club.sees(0, "You win the game!");
}

#[test]
fn the_server_has_the_last_word_on_the_connection() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    club.tell(0, LinkEvent::Message(ServerMessage::Restart { seconds: 5 }));
    // The server is stopping, or handing its games to other nodes.
    club.sees(0, "Reconnecting at the server's request. Nothing is lost.");
    club.disconnect(0);
    club.sees(0, "Reconnecting at the server's request. Nothing is lost.");
    club.connect(0);
    club.misses(0, "Reconnecting");
    // With `seconds: 0`, the server keeps running.
    club.tell(0, LinkEvent::Message(ServerMessage::Restart { seconds: 0 }));
    club.misses(0, "Reconnecting");
    club.disconnect(0);
    club.connect(0);
    let ann = club.enter("Ann", USUAL, OnlineGoal::Lobby);
    club.tell(ann, LinkEvent::Failed { text: "The server speaks another protocol.".to_owned() });
    club.sees(ann, "not connected");
    club.sees(ann, "The server speaks another protocol.");
}

#[test]
fn leaving_asks_only_while_one_plays() {
    let mut club = Club::sit_down(USUAL, terms("base-battle"));
    assert_eq!(club.guests[0].arcade.press("q"), None);
    club.sees(0, "The game goes on without you.");
    assert_eq!(club.guests[0].arcade.press("y"), Some(Closed::Left));
    let carol = club.enter("Carol", USUAL, goal(CODE));
    assert_eq!(club.guests[carol].arcade.press("q"), Some(Closed::Left));
}
