//! Finding and deleting saved games.

use std::fs;
use std::path::Path;

use skirmish_store::Save;

use super::pictures::{SIX_SIZES, furnish, saved_hours_ago, shows_at};
use super::{Arcade, USUAL};

const OTHER: &str = "\
[Game \"capture-the-line\"]
[Player1 \"Zoe\"]
[Player2 \"Bob\"]
[First \"p1\"]
[Date \"2026.01.03\"]

1. 2
2. 1
";

fn two_games(home: &Path) {
    furnish(home);
    let path = home.join("games/2026-01-03-capture-the-line-1.skr");
    fs::write(&path, OTHER).expect("the test's own folder");
    saved_hours_ago(&path, 30);
}

fn library(home: impl FnOnce(&Path)) -> Arcade {
    let mut arcade = Arcade::furnished(USUAL, home);
    arcade.press("Up Up Up Up Enter");
    arcade
}

#[test]
fn a_game_is_found_by_a_few_letters() {
    let mut arcade = library(two_games);
    arcade.press("/");
    arcade.write("ann");
    let picture = arcade.picture(100, 30);
    assert!(picture.contains("1 of 2") && !picture.contains("Zoe"), "{picture}");
    arcade.press("Enter Enter");
    let picture = arcade.picture(100, 30);
    assert!(picture.contains("Ann against Bob") && picture.contains("Turn 0 of 7"), "{picture}");
    arcade.press("Esc Esc");
    let picture = arcade.picture(100, 30);
    assert!(picture.contains("Zoe"), "Esc lists all games again: {picture}");
}

/// Regression: in a narrow window, a line showed neither.
#[test]
fn every_window_shows_who_played_and_when() {
    for (width, height) in SIX_SIZES {
        let mut arcade = library(two_games);
        let picture = arcade.picture(width, height);
        for (names, when) in [("Ann – Bob", "2 hours ago"), ("Zoe – Bob", "1 day ago")] {
            let line = picture.lines().find(|line| line.contains(names));
            assert!(line.is_some_and(|line| line.contains(when)), "{names}: {picture}");
        }
    }
}

/// Regression: a column without room was drawn as dots.
#[test]
fn a_column_without_room_leaves_nothing_behind() {
    let crowd = |home: &Path| {
        two_games(home);
        let long = OTHER.replace("Zoe", "A Player of Renown").replace("Bob", "Another Player");
        let path = home.join("games/2026-01-04-capture-the-line-1.skr");
        fs::write(&path, long).expect("the test's own folder");
        saved_hours_ago(&path, 40);
    };
    for (width, height) in SIX_SIZES {
        let picture = library(crowd).picture(width, height);
        assert!(!picture.contains("……"), "{picture}");
    }
}

/// The game's only turn was taken back; the game can still be resumed.
#[test]
fn a_game_without_turns_is_listed() {
    let mut arcade = library(|home| {
        two_games(home);
        let path = home.join("games/2026-01-04-capture-the-line-1.skr");
        let (head, _) = OTHER.split_once("1. 2").expect("it has turns");
        fs::write(&path, head.replace("Zoe", "Eve")).expect("the test's own folder");
        saved_hours_ago(&path, 40);
    });
    let picture = arcade.picture(100, 30);
    let line = picture.lines().find(|line| line.contains("Eve – Bob")).expect("it is listed");
    assert!(line.contains("0 turns") && line.contains("unfinished"), "{picture}");
    arcade.press("End c");
    assert!(arcade.picture(100, 30).contains("Eve"), "it goes on");
}

#[test]
fn nothing_is_found() {
    let mut arcade = library(two_games);
    arcade.press("/");
    arcade.write("nobody");
    assert!(arcade.picture(80, 24).contains("No saved game matches \"nobody\"."));
    arcade.press("Enter Enter d c p");
}

#[test]
fn deleting_asks_first() {
    shows_at(&SIX_SIZES, "library-delete", |arcade| {
        arcade.press("Up Up Up Up Enter d");
    });
    let mut arcade = library(two_games);
    let games = arcade.home.path().join("games");
    let count = || fs::read_dir(&games).expect("the games").count();
    arcade.press("d n");
    assert!(arcade.picture(80, 24).contains("The game is kept."));
    assert_eq!(count(), 2);
    arcade.press("d x y");
    let picture = arcade.picture(100, 30);
    assert!(picture.contains("The game is deleted.") && !picture.contains("Ann"), "{picture}");
    assert!(!games.join("2026-01-02-base-battle-1.skr").exists());
}

#[test]
fn a_game_that_is_being_played_is_not_deleted() {
    let mut arcade = library(two_games);
    let file = arcade.home.path().join("games/2026-01-03-capture-the-line-1.skr");
    let _playing = Save::resume(&file).expect("nobody plays it yet");
    arcade.press("End d y");
    let picture = arcade.picture(120, 30);
    assert!(picture.contains("Not deleted:") && file.exists(), "{picture}");
}
