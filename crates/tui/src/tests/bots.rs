//! Saved games with bots: the command in a file is shown but never run.

use std::fs;
use std::path::Path;

use super::{Arcade, USUAL};

/// Writes a saved game against a bot that would leave a file behind if it ran.
fn save(home: &Path, more: &str) {
    let games = home.join("games");
    fs::create_dir_all(&games).expect("a folder can be made");
    let run = home.join("run");
    // In a record, a backslash escapes the next character.
    let run = run.display().to_string().replace('\\', "/");
    let bot = format!("[Bot2 \"touch {run}\"]");
    let record = format!("[Game \"capture-the-line\"]\n{bot}\n{more}\n\n1. 2\n");
    fs::write(games.join("2026-11-15-capture-the-line-1.skr"), record).expect("it can be written");
}

/// Checks that the home screen offers `offered`, and opens it with these keys.
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
    // Up wraps around: from the first item to Quit, the settings, the statistics and the saved games.
    open("", "Continue at turn 2", "Up Up Up Up Enter c");
}

#[test]
fn the_next_game_of_a_match_with_a_bot_is_not_begun_either() {
    let over = "[Match \"game 1 of 3, score 0-0\"]\n[Result \"1-0\"]\n[Termination \"resigned\"]";
    open(over, "Continue with game 2", "Enter");
}

/// A bot that always plays 1.
#[cfg(unix)]
const ONE: &str = "json: sh -c 'while read -r line; do echo 1; done'";

/// Sets up Base Battle against a bot, typing its command.
#[cfg(unix)]
fn play_against(arcade: &mut Arcade, command: &str) {
    // Left from casual to human, then wrapping around to the last entry of the list.
    arcade.press("3 Down Down Left Left Left");
    assert!(arcade.picture(80, 24).contains("another program"), "{}", arcade.picture(80, 24));
    arcade.press("Down Right Up Enter");
    arcade.write(command);
    arcade.press("Enter");
}

#[test]
#[cfg(unix)]
fn a_bot_is_chosen_in_the_setup_and_its_game_can_be_continued_at_once() {
    let mut arcade = Arcade::open(USUAL);
    play_against(&mut arcade, ONE);
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("‹ bot sh ›") && picture.contains("echo 1"), "{picture}");
    arcade.press("Enter Wait 2 Wait");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("turn 3"), "the bot has answered: {picture}");
    arcade.press("Esc");
    assert!(arcade.picture(80, 24).contains("Continue at turn 3"));
    arcade.press("Enter 2 Wait");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("turn 5"), "it goes on: {picture}");

    // Another session shows the command, and offers the bot for new games.
    let Arcade { app, home, .. } = arcade;
    drop(app);
    let (context, heard) = super::context(USUAL, home.path());
    let app = crate::App::new(context, Vec::new());
    let mut arcade = Arcade { app, heard, now: std::time::Instant::now(), home };
    arcade.press("Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("found in a file are not run"), "{picture}");
    arcade.press("Esc 3");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("‹ bot sh ›"), "{picture}");
}

#[test]
#[cfg(unix)]
fn a_command_that_cannot_be_run_is_refused_with_the_reason() {
    let mut arcade = Arcade::open(USUAL);
    play_against(&mut arcade, "./no-bot");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("There is no program \"./no-bot\". Esc goes back."), "{picture}");
    assert!(picture.contains("Command: ./no-bot"), "it can be corrected: {picture}");
    arcade.press("Esc Left");
    assert!(arcade.picture(80, 24).contains("‹ perfect ›"));
}

#[test]
#[cfg(unix)]
fn a_bot_that_does_not_answer_loses_with_the_reason() {
    let mut arcade = Arcade::open(USUAL);
    play_against(&mut arcade, "json: sh -c 'exit 7'");
    arcade.press("Enter Wait 2 Wait");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Player 2 (sh) ended with exit code 7."), "{picture}");
    arcade.press("Enter");
    assert!(arcade.picture(80, 24).contains("New game"), "there is a way back");
}
