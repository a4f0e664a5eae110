//! Two people at one keyboard who choose in secret at the same time.

use skirmish_play::Proposal;
use skirmish_rules::Settings;

use super::super::look::Look;
use super::pictures::SIX_SIZES as SIZES;
use super::playing::{entry, playing};
use super::{Arcade, USUAL};

fn clash(look: Look, settings: &[&str]) -> Arcade {
    let entry = entry("command-clash");
    let settings =
        Settings::parse(entry.options, settings.iter().copied()).expect("valid settings");
    let proposal = Proposal { settings, ..Proposal::new(entry) };
    playing(look, proposal.plan(None).expect("two people can play"))
}

#[test]
fn a_turn_is_played_once_both_players_are_ready() {
    for (keys, first, second) in [
        ("1 8", "Player 1: ready", "Player 2: ready"),
        ("8 1", "Player 2: ready", "Player 1: ready"),
    ] {
        let mut arcade = clash(USUAL, &[]);
        for key in keys.split(' ') {
            for (width, height) in SIZES {
                let picture = arcade.picture(width, height);
                assert_eq!(picture.contains(first), key != &keys[..1], "{picture}");
                assert!(!picture.contains(second) && picture.contains("turn 1"), "{picture}");
                assert!(picture.contains("Both choose"), "{picture}");
            }
            arcade.press(key);
        }
        let picture = arcade.picture(120, 40);
        assert!(picture.contains("turn 2") && !picture.contains("ready"), "{picture}");
        assert!(picture.contains("Player 1 charges") && picture.contains("Player 2 attacks"));
    }
}

#[test]
fn an_action_says_what_it_costs_and_does() {
    let mut arcade = clash(USUAL, &[]);
    for (width, height) in SIZES.into_iter().filter(|(width, _)| *width >= 60) {
        let picture = arcade.picture(width, height);
        let told = ["▶2 ◀8 Attack −1: leaves 4, hits for 1", "▶4 ◀0 Shield −1: leaves 4, blocks"];
        assert!(told.iter().all(|told| picture.contains(told)), "{picture}");
        arcade.press("4");
        let ready = arcade.picture(width, height).replace(": ready", "");
        assert!(told.iter().all(|told| ready.contains(told)), "nothing is revealed: {ready}");
        arcade.press("u");
    }
    arcade.press("1 0");
    let picture = arcade.picture(80, 24);
    for told in ["▶1 ◀7 Charge ", "▶2 ◀8 Attack −1, hits for 1", "▶4 ◀0 Shield −1, blocks"]
    {
        assert!(picture.contains(told), "with different points:\n{picture}");
    }
}

#[test]
fn a_player_who_is_ready_can_only_take_the_choice_back() {
    let mut arcade = clash(USUAL, &[]);
    arcade.press("9 7 8 0");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Player 2 is ready; u takes the"), "{picture}");
    arcade.press("u");
    assert!(!arcade.picture(80, 24).contains("ready"));
    arcade.press("0 4");
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("Player 2 shields!") && picture.contains("turn 2"), "{picture}");
}

/// A player without points can only charge: nothing to choose, and nothing to keep secret.
#[test]
fn a_forced_choice_is_not_asked_for() {
    let mut arcade = clash(USUAL, &["points=1", "defeat=damage"]);
    arcade.press("4 7");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Player 1: ready") && picture.contains("turn 2"), "{picture}");
    arcade.press("7");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("turn 3") && !picture.contains("ready"), "{picture}");
}

#[test]
fn behind_the_curtain_a_forced_choice_is_not_asked_for() {
    let mut arcade = clash(USUAL, &["points=1", "defeat=damage"]);
    arcade.hang_curtain();
    arcade.press("4 Enter 1");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Player 2, your move") && picture.contains("turn 2"), "{picture}");
    arcade.press("1");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Player 1 chooses.") && picture.contains("turn 3"), "{picture}");
}

#[test]
fn a_key_that_ends_the_animation_chooses_nothing() {
    let mut arcade = clash(Look { motion: true, ..USUAL }, &[]);
    arcade.press("1 8");
    assert!(!arcade.picture(80, 24).contains("Both choose"), "the turn is shown");
    arcade.press("2");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Both choose") && !picture.contains("ready"), "{picture}");
    arcade.press("2");
    assert!(arcade.picture(80, 24).contains("Player 1: ready"));
}

#[test]
fn the_curtain_is_a_setting() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press(":");
    arcade.write("settings");
    arcade.press("Enter Down Down Down Enter Esc");
    arcade.sit_down(4);
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Enter lifts the curtain."), "{picture}");
}
