//! Games that start from a position of a replay.

use std::path::Path;

use super::pictures::{SIX_SIZES, save_game, shows_in};
use super::{Arcade, USUAL};

/// Saves a finished game against the computer.
fn furnish(home: &Path) {
    save_game(home, "[Player2 \"Player 2 (skilled)\"]\n[Level2 \"skilled\"]\n");
}

/// The keys from the home screen to the replay of that game, after two turns.
const REPLAY: &str = "Up Up Up Up Enter Enter Right Right";

/// An arcade with the replay of that game, after two turns.
fn replay() -> Arcade {
    let mut arcade = Arcade::furnished(USUAL, furnish);
    arcade.press(REPLAY);
    arcade
}

#[track_caller]
fn shows(arcade: &mut Arcade, text: &str) {
    let picture = arcade.picture(120, 30);
    assert!(picture.contains(text), "{text}\n{picture}");
}

#[track_caller]
fn pictures(name: &str, keys: &str) {
    shows_in(furnish, &SIX_SIZES, name, |arcade| {
        arcade.press(REPLAY);
        arcade.press(keys);
    });
}

#[test]
fn choosing_an_opponent_for_a_position() {
    pictures("exercise", "p Down");
}

#[test]
fn playing_from_a_position() {
    pictures("exercise-play", "p Down Left Left Left Enter 3");
}

#[test]
fn after_a_game_from_a_position() {
    pictures("exercise-after", "p Down Left Left Left Enter 3 1 3 1 1 1 1 Wait Enter");
}

#[test]
fn a_game_goes_on_from_a_replay_and_leads_back_to_it() {
    let mut arcade = replay();
    shows(&mut arcade, "Turn 2 of 7");
    arcade.press("p");
    shows(&mut arcade, "skilled"); // the level that played
    arcade.press("Enter");
    shows(&mut arcade, "Base Battle from 3/7/1");
    arcade.press("1 Esc");
    shows(&mut arcade, "Turn 2 of 7");
    arcade.press("Esc Esc");
    shows(&mut arcade, "▶   Continue at turn 3");
    arcade.press("Enter");
    shows(&mut arcade, "Base Battle from 3/7/1");
}

#[test]
fn undo_stops_at_the_position() {
    let mut arcade = replay();
    arcade.press("p Down Left Left Left Enter 1 u u");
    shows(&mut arcade, "There is no turn to take back.");
    shows(&mut arcade, "Base Battle from 3/7/1");
}

#[test]
fn nothing_follows_a_position_in_which_the_game_is_over() {
    let mut arcade = replay();
    arcade.press("End p");
    shows(&mut arcade, "The game is over here. Go back a turn to play on.");
    arcade.press("Left p");
    shows(&mut arcade, "From the position");
}

#[test]
fn the_same_position_can_be_played_again_and_is_reviewed_like_any_other() {
    let mut arcade = replay();
    arcade.press("p Down Left Left Left Enter 3 1 3 1 1 1 1 Wait Enter");
    shows(&mut arcade, "Again from the same position");
    arcade.press("v");
    shows(&mut arcade, "Turn 0 of 7");
    arcade.press("Esc p");
    shows(&mut arcade, "Base Battle from 3/7/1");
    arcade.press("Esc");
    shows(&mut arcade, "Turn 2 of 7");
    let results = arcade.home.path().join("results.csv");
    assert!(!results.exists(), "an exercise is not counted");
}
