//! Saved games with bots: the command in a file is shown, and never run.

use std::fs;
use std::path::Path;

use super::{Arcade, USUAL};

/// A saved game against a bot that would leave a file behind.
fn save(home: &Path, more: &str) {
    let games = home.join("games");
    fs::create_dir_all(&games).expect("a folder can be made");
    let run = home.join("run");
    // In a record a backslash escapes the letter behind it.
    let run = run.display().to_string().replace('\\', "/");
    let bot = format!("[Bot2 \"touch {run}\"]");
    let record = format!("[Game \"capture-the-line\"]\n{bot}\n{more}\n\n1. 2\n");
    fs::write(games.join("2026-11-15-capture-the-line-1.skr"), record).expect("it can be written");
}

/// Opens with these keys what the home screen offers.
fn open(more: &str, offered: &str, keys: &str) {
    let mut arcade = Arcade::furnished(USUAL, |home| save(home, more));
    assert!(arcade.picture(100, 24).contains(offered), "{}", arcade.picture(100, 24));
    arcade.press(keys);
    let picture = arcade.picture(100, 24);
    let told = picture.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(told.contains("found in a file are not run. To go on: skirmish play"), "{picture}");
    assert!(!arcade.home.path().join("run").exists());
}

#[test]
fn a_saved_game_with_a_bot_shows_the_command_that_resumes_it() {
    open("", "Continue at turn 2", "Enter");
    // Up wraps around: from the first item to Quit, the settings, the statistics and the library.
    open("", "Continue at turn 2", "Up Up Up Up Enter c");
}

#[test]
fn the_next_game_of_a_match_with_a_bot_is_not_begun_either() {
    let over = "[Match \"game 1 of 3, score 0-0\"]\n[Result \"1-0\"]\n[Termination \"resigned\"]";
    open(over, "Continue with game 2", "Enter");
}
