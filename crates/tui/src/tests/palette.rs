//! Tests of the command palette.

use super::pictures::{SIX_SIZES, shows_at};
use super::{Arcade, USUAL};
use crate::Closed;

#[test]
fn everything_that_is_possible_in_a_game() {
    shows_at(&SIX_SIZES, "palette", |arcade| {
        arcade.sit_down(1);
        arcade.press(":");
    });
}

#[test]
fn what_matches_a_few_letters() {
    shows_at(&SIX_SIZES, "palette-found", |arcade| {
        arcade.press(":");
        arcade.write("base");
        arcade.press("Down Down");
    });
}

fn typed(arcade: &mut Arcade, text: &str) {
    arcade.press(":");
    arcade.write(text);
}

#[test]
fn it_opens_on_every_screen_and_esc_closes_it() {
    let ways = ["", "1", "Down r", "Down t", "Up Up Enter", "Up Up Up Enter", "3 m", "2 Enter"];
    for way in ways {
        let mut arcade = Arcade::open(USUAL);
        arcade.press(way);
        let before = arcade.picture(80, 24);
        arcade.press(":");
        assert!(arcade.picture(80, 24).contains("What is possible here"), "{way}");
        arcade.press("Esc");
        assert_eq!(arcade.picture(80, 24), before, "{way}");
    }
}

#[test]
fn tab_completes_and_enter_runs() {
    let mut arcade = Arcade::open(USUAL);
    typed(&mut arcade, "rules cap");
    arcade.press("Tab");
    assert!(arcade.picture(80, 24).contains(":rules capture-and-conquer"));
    arcade.press("Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Capture and Conquer"), "{picture}");
    typed(&mut arcade, "home");
    arcade.press("Enter");
    assert!(arcade.picture(80, 24).contains("What shall we play?"));
    typed(&mut arcade, "quit");
    assert_eq!(arcade.press("Enter"), Some(Closed::Left));
}

#[test]
fn a_move_is_typed_in_full_or_selected() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(1);
    typed(&mut arcade, "move 0");
    arcade.press("Enter");
    assert!(arcade.picture(80, 24).contains("turn 2"), "typed in full");
    // An illegal move must not be replaced by a legal move that begins alike.
    typed(&mut arcade, "move 1");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("move 10"), "{picture}");
    arcade.press("Enter");
    let picture = arcade.picture(120, 30);
    assert!(picture.contains("turn 2") && picture.contains("position 1"), "{picture}");
    arcade.press(": Down Enter");
    assert!(arcade.picture(80, 24).contains("turn 3"), "selected");
}

#[test]
fn a_refusal_says_what_is_possible() {
    let mut arcade = Arcade::open(USUAL);
    typed(&mut arcade, "xyzzy");
    arcade.press("Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("\"xyzzy\" is not possible here. Try"), "{picture}");
    arcade.sit_down(3);
    typed(&mut arcade, "7");
    arcade.press("Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("\"7\" is not a move here"), "{picture}");
}

/// Regression: the settings screen took back a theme typed on it with the next change.
#[test]
fn a_theme_can_be_typed() {
    let mut arcade = Arcade::open(USUAL);
    for line in ["settings", "theme light"] {
        typed(&mut arcade, line);
        arcade.press("Enter");
    }
    let kept = |arcade: &Arcade| {
        std::fs::read_to_string(arcade.home.path().join("settings.toml")).expect("kept")
    };
    assert!(kept(&arcade).contains("theme = \"light\""), "{}", kept(&arcade));
    arcade.press("Down Enter");
    let both = ["theme = \"light\"", "ascii = true"];
    assert!(both.iter().all(|line| kept(&arcade).contains(line)), "{}", kept(&arcade));
}

#[test]
fn a_secret_choice_is_not_given_away_by_the_list() {
    let mut seen = Vec::new();
    for word in ["attack", "shield", "charge"] {
        let mut arcade = Arcade::open(USUAL);
        arcade.sit_down(4);
        arcade.press(":");
        arcade.write(&word[..6]);
        seen.push(arcade.draw(80, 24));
    }
    assert!(seen.iter().all(|picture| *picture == seen[0]));
}

#[test]
fn a_question_is_answered_before_anything_else() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    typed(&mut arcade, "resign");
    arcade.press("Enter :");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("do you resign?") && !picture.contains("possible here"), "{picture}");
}

/// Regression: `:draw` ended a game against a level as a draw at once.
#[test]
fn nothing_that_is_typed_ends_a_game_against_a_level_unasked() {
    const DRAW: &str = "Do you offer a draw?";
    const RESIGN: &str = "Do you resign?";
    let mut arcade = Arcade::open(USUAL);
    arcade.press("3 Enter Wait");
    for (word, question) in [("d", DRAW), ("draw", DRAW), ("res", RESIGN), ("resign", RESIGN)] {
        typed(&mut arcade, word);
        arcade.press("Enter");
        let picture = arcade.picture(160, 40);
        assert!(picture.contains(question) && !picture.contains("Game over"), "{picture}");
        arcade.press("n");
        let picture = arcade.picture(160, 40);
        assert!(!picture.contains(question) && picture.contains("Your move"), "{picture}");
    }
    typed(&mut arcade, "resign");
    arcade.press("Enter y");
    let picture = arcade.picture(160, 40);
    assert!(picture.contains("Game over") && picture.contains("Casual wins"), "{picture}");
}

/// Regression: letters scattered over a name ran the command: `:tourn` opened the tutorial of Capture and Conquer.
#[test]
fn what_is_only_similar_must_be_selected() {
    let mut arcade = Arcade::open(USUAL);
    typed(&mut arcade, "tcnq");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("tutorial capture-and-conquer"), "it is listed: {picture}");
    assert!(picture.contains("Similar: ↓ selects"), "{picture}");
    arcade.press("Enter");
    let picture = arcade.picture(120, 30);
    assert!(picture.contains("Did you mean tutorial command-line-conquer?"), "{picture}");
    assert!(picture.contains("What shall we play?"), "nothing has happened: {picture}");
    typed(&mut arcade, "tcnq");
    arcade.press("Down Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Lesson 1"), "selected: {picture}");
    typed(&mut arcade, "tourn");
    arcade.press("Enter");
    assert!(arcade.picture(80, 24).contains("Tournament"), "the beginning of a name is enough");
}

/// Regression: `:ma` preferred the map of another game.
#[test]
fn the_things_of_this_game_come_first() {
    for (way, name) in [("3", "Base Battle"), ("5", "Capture the Line"), ("3 r", "Base Battle")] {
        let mut arcade = Arcade::open(USUAL);
        arcade.press(way);
        typed(&mut arcade, "ma");
        arcade.press("Enter");
        let picture = arcade.picture(80, 24);
        assert!(picture.contains(&format!("Map of {name}")), "{way}: {picture}");
    }
    let mut arcade = Arcade::open(USUAL);
    arcade.press("Down Down");
    typed(&mut arcade, "tut");
    arcade.press("Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Lesson 1") && picture.contains("Base Battle"), "{picture}");
}

#[test]
fn help_can_be_typed_on_every_screen() {
    for way in ["", "1", "Down r", "3 m", "2 Enter", "Up Up Enter"] {
        let mut arcade = Arcade::open(USUAL);
        arcade.press(way);
        typed(&mut arcade, "help");
        arcade.press("Enter");
        let picture = arcade.picture(80, 24);
        assert!(
            picture.contains("Keys: ") || picture.contains("Words to type"),
            "{way}: {picture}"
        );
    }
}
