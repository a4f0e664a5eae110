//! Tests of the puzzle screen.

use std::fs;
use std::time::Duration;

use skirmish_play::player::Level;
use skirmish_play::puzzle::PuzzleRequest;
use skirmish_rules::{Settings, Side};

use super::laws::{Dice, press_any};
use super::pictures::{SIX_SIZES, shows_in};
use super::playing::words;
use super::{Arcade, Look, USUAL, today};
use crate::Start;
use crate::sixth::SIX_GAMES;

/// The keys from the home screen to the puzzle of the day: Base Battle from 4/7/2. Player 2 wins with 2, 3 and 3.
const TODAY: &str = "Up Up Up Up Up Up Enter";

fn opened(keys: &str) -> Arcade {
    let mut arcade = Arcade::open(USUAL);
    arcade.press(TODAY);
    arcade.press(keys);
    arcade
}

#[track_caller]
fn shows(arcade: &mut Arcade, text: &str) {
    let picture = arcade.picture(80, 24);
    assert!(picture.contains(text), "{text}\n{picture}");
}

#[track_caller]
fn pictures(name: &str, keys: &str) {
    shows_in(
        |_| {},
        &SIX_SIZES,
        name,
        |arcade| {
            arcade.press(TODAY);
            arcade.press(keys);
        },
    );
}

#[test]
fn todays_puzzle() {
    pictures("puzzle", "");
}

#[test]
fn a_wrong_move() {
    pictures("puzzle-wrong", "1");
}

#[test]
fn the_next_turn_of_a_puzzle() {
    pictures("puzzle-next", "2");
}

#[test]
fn a_solved_puzzle() {
    pictures("puzzle-solved", "2 3 3");
}

#[test]
fn a_mix_to_guess() {
    pictures("puzzle-mix", "g Right Right Right Right Right Right Down Down + + + - Right");
}

#[test]
fn a_guessed_mix() {
    let half = "Right ".repeat(10);
    pictures("puzzle-guessed", &format!("g {half} Down Down {half} Enter"));
}

#[test]
fn no_puzzle_of_a_level() {
    pictures("puzzle-nothing", "d");
}

#[test]
fn solving_todays_puzzle_makes_a_streak() {
    let mut arcade = opened("2 3 3");
    shows(&mut arcade, "Solved.");
    shows(&mut arcade, "Streak: 1 day, the longest so far.");
    let kept = fs::read_to_string(arcade.home.path().join("puzzles.toml")).expect("it is kept");
    let (last, solved) = (format!("last = {}\n", today()), "base-battle = [\"4/7/2\"]\n");
    assert!(kept.contains(&last) && kept.contains(solved), "{kept}");
    arcade.press("Esc");
    shows(&mut arcade, "Base Battle, solved. Streak: 1 day");
    shows(&mut arcade, "●  ·  ·  ·  ·  ·  ·");
}

#[test]
fn a_mistake_a_hint_or_the_solution_spoil_the_streak() {
    for keys in ["1 2 3 3", "h h 2 3 3", "s s", "h s"] {
        let mut arcade = opened(keys);
        shows(&mut arcade, "No streak yet.");
        // Solve it again from the start, without a mistake.
        arcade.press("Esc Enter 2 3 3");
        shows(&mut arcade, "Solved.");
        shows(&mut arcade, "No streak yet.");
    }
}

#[test]
fn what_a_hint_costs_is_said_before_it_is_given() {
    for key in ["h", "s"] {
        for (width, height) in SIX_SIZES {
            let mut arcade = opened(key);
            let picture = arcade.picture(width, height);
            let cost = "today does not count for your streak. Press the key again for it.";
            assert!(words(&picture).contains(cost), "{picture}");
        }
        let mut arcade = opened(&format!("{key} 2 3 3"));
        shows(&mut arcade, "Streak: 1 day");
    }
    let mut arcade = opened("n h");
    assert!(!arcade.picture(80, 24).contains("streak"), "other puzzles have nothing to lose");
}

#[test]
fn a_wrong_move_is_refuted_and_not_played() {
    let mut arcade = opened("1");
    shows(&mut arcade, "1 lets Player 1 win in");
    shows(&mut arcade, "Player 2 to move and win in 5: find the only move.");
    arcade.press("2");
    shows(&mut arcade, "Right: no other move wins.");
    shows(&mut arcade, "Player 2 to move and win in 3");
}

#[test]
fn the_next_puzzle_is_not_the_puzzle_of_the_day() {
    let mut arcade = opened("");
    shows(&mut arcade, "Today's puzzle: Base Battle");
    let mut seen = vec![arcade.picture(80, 24)];
    arcade.press("n");
    shows(&mut arcade, " Puzzle: Base Battle");
    // There are eight puzzles; after the last, they are reshuffled.
    for _ in 0..20 {
        seen.push(arcade.picture(80, 24));
        arcade.press("n");
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 9, "eight puzzles, and the first as that of the day");
    assert!(!arcade.home.path().join("puzzles.toml").exists(), "nothing was tried");
}

#[test]
fn a_level_without_puzzles_says_so_and_the_next_one_is_tried() {
    let mut arcade = opened("d");
    shows(&mut arcade, "Base Battle has no puzzle of the level novice.");
    arcade.press("d");
    shows(&mut arcade, "Only level casual");
    arcade.press("d d d");
    shows(&mut arcade, "no puzzle of the level perfect");
    arcade.press("d");
    shows(&mut arcade, "Today's puzzle: Base Battle");
}

#[test]
fn every_game_has_puzzles_on_the_screen() {
    let mut arcade = opened("");
    for _ in SIX_GAMES.iter() {
        arcade.press("g");
        let picture = arcade.picture(80, 24);
        assert!(picture.contains("find"), "{picture}");
        arcade.press("s s");
        let picture = arcade.picture(80, 24);
        assert!(
            picture.contains("The solution: ") || picture.contains("The best mix: "),
            "{picture}"
        );
        arcade.press("Enter");
    }
    shows(&mut arcade, "Puzzle: Base Battle");
}

#[test]
fn the_shares_of_a_mix_must_add_up() {
    let mut arcade = opened("g Right Enter");
    shows(&mut arcade, "The shares add up to 5, not to 100.");
    arcade.press("s");
    shows(&mut arcade, "The best mix: ");
}

#[test]
fn a_puzzle_can_be_the_first_screen() {
    let entry = SIX_GAMES.find("command-line-conquer").expect("the game exists");
    let settings = Settings::parse(entry.options, ["positions=7"]).expect("valid");
    let level = Some(Level::Skilled);
    let request = PuzzleRequest { entry, settings, first: Side::One, seed: 4, level };
    let mut arcade = Arcade::starting(USUAL, Start::Puzzle(Box::new(request)));
    // No key is pressed, so another event must deliver the solution.
    arcade.take(super::ArcadeEvent::Resized);
    shows(&mut arcade, "Puzzle: Command Line Conquer (positions=7)");
    shows(&mut arcade, "Only level skilled");
}

/// Random keys rarely reach the puzzle screen from home, so it gets its own test.
#[test]
fn nothing_panics_whatever_is_pressed_on_a_puzzle() {
    for seed in 1..=2 {
        let mut dice = Dice(seed);
        let look = Look { motion: seed % 2 == 0, ..USUAL };
        let open = || {
            let mut arcade = Arcade::open(look);
            arcade.press(TODAY);
            arcade
        };
        let mut arcade = open();
        for _ in 0..400 {
            let is_left = press_any(&mut arcade, &mut dice).is_some();
            arcade.pass(Duration::from_millis(dice.below(300)));
            let (width, height) =
                if dice.below(3) == 0 { (dice.size(140), dice.size(50)) } else { (80, 24) };
            arcade.draw(width, height);
            if is_left
                || !arcade.picture(80, 24).lines().next().is_some_and(|it| it.contains("uzzle"))
            {
                arcade = open();
            }
        }
    }
}

#[test]
fn a_puzzle_at_rest_waits_for_nothing() {
    let mut arcade = Arcade::open(Look { motion: true, ..USUAL });
    arcade.press(TODAY);
    assert!(arcade.app.due().is_none());
    arcade.press("2");
    assert!(arcade.app.due().is_some(), "a piece is moving");
    arcade.pass(Duration::from_secs(3));
    assert!(arcade.app.due().is_none());
    shows(&mut arcade, "Player 2 to move and win in 3: find a winning move.");
    // A key skips the animation of both turns and still has its effect.
    arcade.press("3 3");
    arcade.pass(Duration::from_secs(3));
    shows(&mut arcade, "Solved.");
}
