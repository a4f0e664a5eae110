//! Watching two programs play.

use std::time::Duration;

use skirmish_play::player::{Level, Player};
use skirmish_play::{First, Proposal};
use skirmish_rules::{Both, Side};
use skirmish_store::{ExitHook, Keeper};

use super::pictures::{SIX_SIZES, is_golden};
use super::themes::keeps_to_its_theme;
use super::{Arcade, PLAIN, USUAL};
use crate::sixth::SIX_GAMES;
use crate::{Look, Opened, Start};

/// Longer than the pause between two turns.
const A_TURN: Duration = Duration::from_millis(1300);

/// An arcade in which two levels play a reproducible game.
pub(super) fn watch(game: &str, look: Look) -> Arcade {
    watch_match(game, look, None)
}

/// Like [`watch`], optionally in the first game of a match.
fn watch_match(game: &str, look: Look, games: Option<u32>) -> Arcade {
    let entry = SIX_GAMES.find(game).expect("the game exists");
    let levels = Both::new(Level::Skilled, Level::Expert);
    let first = (game == "base-battle").then_some(First::Side(Side::One));
    let players = levels.map(Player::Computer);
    let proposal = Proposal { players, first, games, seed: Some(3), ..Proposal::new(entry) };
    let plan = proposal.plan(None).expect("levels can play");
    let (session, keeper) = (plan.begin(), Keeper::new(None, ExitHook::default()));
    let mut arcade =
        Arcade::starting(look, Start::Play(Box::new(Opened { plan, session, keeper })));
    arcade.take(super::ArcadeEvent::Resized);
    arcade
}

/// The turn number shown in the first row: `turn 2`.
fn turn(arcade: &mut Arcade) -> String {
    let picture = arcade.picture(120, 40);
    let begin = picture.find("turn ").expect("the turn is shown");
    picture[begin..].split([' ', '\n']).take(2).collect::<Vec<&str>>().join(" ")
}

#[test]
fn a_game_between_programs_takes_its_time() {
    let mut arcade = watch("base-battle", USUAL);
    assert!(turn(&mut arcade).starts_with("turn 2"), "the first turn is played at once");
    arcade.pass(A_TURN);
    assert!(turn(&mut arcade).starts_with("turn 3"));
    arcade.press("+ +");
    assert!(arcade.picture(120, 40).contains("speed 5 of 6"));
    arcade.press("+");
    arcade.pass(Duration::from_secs(1));
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("Game over") && !picture.contains("speed "), "{picture}");
}

#[test]
fn a_paused_game_waits_for_nothing_and_goes_on_turn_by_turn() {
    for motion in [false, true] {
        let mut arcade = watch("base-battle", Look { motion, ..USUAL });
        arcade.pass(A_TURN);
        arcade.press("Space");
        arcade.pass(A_TURN);
        assert!(arcade.picture(120, 40).contains("Paused"), "{}", arcade.picture(120, 40));
        assert_eq!(arcade.app.due(), None);
        let before = turn(&mut arcade);
        arcade.pass(10 * A_TURN);
        assert_eq!(turn(&mut arcade), before);
        arcade.press("Right");
        arcade.pass(A_TURN);
        assert_ne!(turn(&mut arcade), before, "a single turn has been played");
        let after = turn(&mut arcade);
        arcade.pass(10 * A_TURN);
        assert_eq!(turn(&mut arcade), after);
        arcade.press("Space");
        arcade.pass(A_TURN);
        assert_ne!(turn(&mut arcade), after);
    }
}

#[test]
fn looking_back_does_not_change_the_game() {
    let mut arcade = watch("base-battle", USUAL);
    arcade.pass(3 * A_TURN);
    arcade.press("Space");
    let live = arcade.picture(120, 40);
    arcade.press("Left");
    let back = arcade.picture(120, 40);
    assert!(back.contains("Looking back") && back != live, "{back}");
    for (width, height) in SIX_SIZES {
        let picture = arcade.picture(width, height);
        let head = picture.lines().nth(1).expect("the facts");
        assert!(head.contains("Looking back") && head.contains("turn 4 of 5"), "{picture}");
    }
    let (told, future) = (" 3. ▶", " 4. ◀");
    assert!(live.contains(future), "{live}");
    assert!(back.contains(told) && !back.contains(future), "the log looks back, too: {back}");
    arcade.press("Home");
    assert!(turn(&mut arcade).starts_with("turn 1"));
    arcade.press("End");
    assert_eq!(arcade.picture(120, 40), live);
    arcade.press("Left Left Right Right");
    assert_eq!(arcade.picture(120, 40), live);
    arcade.press("Left Left Space");
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("speed 3 of 6"), "it goes on from its last turn: {picture}");
}

/// Without room for both, the position takes precedence over the score.
#[test]
fn whoever_watches_a_match_sees_the_score_and_whose_turn_it_is() {
    let mut arcade = watch_match("base-battle", USUAL, Some(3));
    arcade.pass(A_TURN);
    arcade.press("Space");
    let mut has = |what: &str, size: (u16, u16), texts: &[&str]| {
        let picture = arcade.picture(size.0, size.1);
        let top = picture.lines().nth(1).expect("the facts");
        assert!(texts.iter().all(|text| top.contains(text)), "{what}: {picture}");
    };
    has("paused", (40, 12), &["▶ to move", "game 1/3 · 0-0"]);
    has("paused", (60, 16), &["▶ to move", "win in 5", "game 1/3 · 0-0"]);
    arcade.press("Left");
    let picture = arcade.picture(40, 12);
    assert!(picture.contains("turn 2 of 3 · ◀ to move"), "{picture}");
}

#[test]
fn watching_at_every_size() {
    let games = [("watching", "base-battle", 2), ("watching-clash", "command-clash", 0)];
    for (name, game, turns) in games {
        let mut arcade = watch(game, USUAL);
        arcade.pass(turns * A_TURN);
        let mut pictures = Vec::new();
        for (what, keys) in [("", ""), (", back", "Left"), (", back, analysis", "a")] {
            arcade.press(keys);
            keeps_to_its_theme(&mut arcade, what);
            pictures.extend(SIX_SIZES.map(|(width, height)| {
                format!("--- {width}x{height}{what}\n{}\n", arcade.picture(width, height))
            }));
        }
        let mut arcade = watch(game, PLAIN);
        arcade.pass(turns * A_TURN);
        arcade.press("Space");
        pictures.push(format!("--- 80x24, plain, paused\n{}\n", arcade.picture(80, 24)));
        arcade.press("?");
        pictures.push(format!("--- 80x24, plain, help\n{}\n", arcade.picture(80, 24)));
        is_golden(name, &pictures.concat());
    }
}
