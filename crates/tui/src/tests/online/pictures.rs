//! The screens of online play as text pictures.

use std::time::Duration;

use skirmish_room::{SideWish, Terms, TimeControl};
use skirmish_rules::GAMES;

use super::super::keys::are_listed_once;
use super::super::pictures::{SIZES, is_golden};
use super::super::themes::keeps_to_its_theme;
use super::super::{Look, PLAIN, USUAL};
use super::club::{Club, goal};
use crate::online::OnlineGoal;

fn terms(id: &str) -> Terms {
    let entry = GAMES.find(id).expect("the game exists");
    let first = (entry.starter == skirmish_rules::Starter::Toss).then_some(SideWish::P1);
    Terms { seat: SideWish::P1, first, ..Terms::new(entry) }
}

/// Compares the first guest's screen with its golden pictures at every size, and once with ASCII glyphs.
#[track_caller]
fn shows(name: &str, scene: impl Fn(Look) -> Club) {
    let mut club = scene(USUAL);
    let mut pictures: Vec<String> = SIZES
        .map(|(width, height)| {
            let picture = club.guests[0].arcade.picture(width, height);
            format!("--- {width}x{height}\n{picture}\n")
        })
        .into();
    let arcade = &mut club.guests[0].arcade;
    keeps_to_its_theme(arcade, name);
    are_listed_once(arcade, name);
    let picture = scene(PLAIN).guests[0].arcade.picture(80, 24);
    assert!(picture.is_ascii(), "{picture}");
    pictures.push(format!("--- 80x24, plain\n{picture}\n"));
    is_golden(name, &pictures.concat());
}

/// A club with games in every group.
fn busy(look: Look) -> Club {
    let mut club = Club::new();
    for name in ["Ann", "Bob", "Carol"] {
        club.enter(name, look, OnlineGoal::Lobby);
    }
    let clock = TimeControl::Game { seconds: 300, increment: 3 };
    let public = |terms: Terms| Terms { public: true, ..terms };
    club.open("AAAAAA", terms("base-battle"), 0);
    club.open("BBBBBB", public(Terms { clock, rated: true, ..terms("command-clash") }), 1);
    club.open("CCCCCC", public(terms("capture-the-line")), 2);
    club.open("DDDDDD", terms("capture-and-conquer"), 1);
    for (guest, code) in [(1, "AAAAAA"), (2, "DDDDDD"), (1, "DDDDDD")] {
        let name = if guest == 1 { "Bob" } else { "Carol" };
        let helper = club.enter(name, look, OnlineGoal::Lobby);
        let person = skirmish_room::Person {
            account: super::club::account(guest),
            name: name.to_owned(),
            registered: true,
            rating: (guest == 1).then_some(1520),
            ..skirmish_room::Person::default()
        };
        let connection = u64::try_from(helper).expect("a small number");
        let attach = skirmish_room::HostInput::Attach {
            connection,
            person,
            id: None,
            have: None,
            watch: false,
        };
        club.input(code, attach);
    }
    club.pass(Duration::from_secs(5));
    club
}

#[test]
fn the_lobby() {
    shows("online-lobby", |look| {
        let mut club = busy(look);
        club.press(0, "Down");
        club
    });
}

#[test]
fn an_empty_lobby() {
    shows("online-empty", |look| {
        let mut club = Club::new();
        club.enter("Ann", look, OnlineGoal::Lobby);
        club
    });
}

#[test]
fn creating_a_game() {
    shows("online-create", |look| {
        let mut club = Club::new();
        club.enter("Ann", look, OnlineGoal::Lobby);
        club.press(0, "c Down Right Right Down Down Right Right");
        club
    });
}

#[test]
fn waiting_for_the_second_player() {
    shows("online-waiting", |look| {
        let mut club = Club::new();
        club.open("K7PQ2M", terms("base-battle"), 0);
        club.enter("Ann", look, goal("K7PQ2M"));
        club
    });
}

#[test]
fn a_game_with_clocks_an_offer_and_a_remark() {
    shows("online-game", |look| {
        let clock = TimeControl::Game { seconds: 300, increment: 3 };
        let mut club = Club::sit_down(look, Terms { clock, ..terms("base-battle") });
        club.press(0, "3");
        club.pass(Duration::from_secs(4));
        club.press(1, "3");
        club.pass(Duration::from_millis(2500));
        club.word(1, "say hello");
        club.word(1, "draw");
        club
    });
}

#[test]
fn a_secret_choice_that_waits() {
    shows("online-chosen", |look| {
        let mut club = Club::sit_down(look, terms("command-clash"));
        club.press(0, "1");
        club
    });
}

#[test]
fn keys_of_a_game_whose_letters_are_partly_taken() {
    shows("online-keys", |look| {
        let mut club = Club::sit_down(look, terms("command-clash"));
        club.press(0, "?");
        club
    });
}

#[test]
fn words_of_a_spectator() {
    shows("online-words", |look| {
        let mut club = Club::new();
        club.enter("Carol", look, OnlineGoal::Lobby);
        club.open("K7PQ2M", terms("base-battle"), 1);
        for name in ["Ann", "Bob"] {
            club.enter(name, look, goal("K7PQ2M"));
        }
        club.press(0, "o");
        club.guests[0].arcade.write("K7PQ2M");
        club.press(0, "Enter");
        club.word(0, "help");
        club
    });
}

#[test]
fn the_first_move_is_to_be_made_in_time() {
    shows("online-first", |look| {
        let clock = TimeControl::Game { seconds: 300, increment: 3 };
        Club::sit_down(look, Terms { clock, games: Some(3), ..terms("base-battle") })
    });
}

#[test]
fn the_opponent_is_away() {
    shows("online-away", |look| {
        let mut club = Club::sit_down(look, terms("capture-the-line"));
        club.press(0, "1");
        club.disconnect(1);
        club
    });
}

#[test]
fn the_connection_is_lost() {
    shows("online-lost", |look| {
        let mut club = Club::sit_down(look, terms("command-line-conquer"));
        club.disconnect(0);
        club
    });
}

#[test]
fn after_a_game_with_a_rematch_offered() {
    shows("online-after", |look| {
        let mut club = Club::sit_down(look, terms("base-battle"));
        for (turn, key) in ["3", "3", "1", "1", "3", "3", "3"].into_iter().enumerate() {
            club.press(turn % 2, key);
        }
        club.press(0, "Enter");
        club.press(1, "r");
        club
    });
}

#[test]
fn the_best_players() {
    shows("online-leaders", |look| {
        let mut club = Club::new();
        club.enter("Ann", look, OnlineGoal::Lobby);
        club.press(0, "b Right Right");
        club
    });
}

#[test]
fn the_finished_games() {
    shows("online-history", |look| {
        let mut club = Club::new();
        club.enter("Ann", look, OnlineGoal::Lobby);
        club.press(0, "f");
        club
    });
}

#[test]
fn the_account() {
    shows("online-account", |look| {
        let mut club = Club::new();
        club.enter("Ann", look, OnlineGoal::Lobby);
        club.press(0, "a Down Enter");
        club
    });
}
