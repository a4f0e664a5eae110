//! The map to explore: its legend, its cursor, and playing on from a position.

use ratatui::layout::Position;
use skirmish_store::Theme;

use super::pictures::{SIX_SIZES, shows_at};
use super::{Arcade, USUAL};
use crate::event::ArcadeEvent;
use crate::look::Look;

#[test]
fn the_map_of_a_game_in_progress() {
    shows_at(&SIX_SIZES, "map", |arcade| {
        arcade.sit_down(2);
        arcade.press("2 2 2 2 1 m");
    });
}

#[test]
fn the_map_of_values_with_both_mixes() {
    shows_at(&SIX_SIZES, "map-values", |arcade| {
        arcade.press("4 m Right Right");
    });
}

#[test]
fn the_map_of_a_game_with_several_units() {
    shows_at(&SIX_SIZES, "map-units", |arcade| {
        arcade.sit_down(1);
        // Player 1 recruits, and Player 2 marches.
        arcade.press("r 0 0 9 m Left");
    });
}

/// Details that do not fit beside the map in a small window.
#[test]
fn the_position_under_the_cursor_in_the_whole_window() {
    shows_at(&SIX_SIZES, "map-position", |arcade| {
        arcade.press("4 m Up Left Up p");
    });
}

/// Base Battle on the longest path.
fn longest() -> Arcade {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("3 Down Down Down Down Down Down");
    for _ in 0..30 {
        arcade.press("PgDn");
    }
    arcade
}

#[test]
fn a_large_map_scrolls_with_its_cursor_and_marks_what_is_hidden() {
    let mut arcade = longest();
    let setup = arcade.picture(80, 24);
    assert!(setup.contains("255"), "{setup}");
    arcade.press("m Tab End");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains('◀') && !picture.contains("▶\n"), "columns on the left: {picture}");
    assert!(picture.contains("254"), "the last column: {picture}");
    for _ in 0..15 {
        arcade.press("Down Down Left Left");
    }
    let picture = arcade.picture(80, 24);
    assert!(picture.contains('▲') && picture.contains('▼'), "rows: {picture}");
    assert!(picture.contains('['), "the cursor: {picture}");
}

/// Regression: the analysis of a long board omitted Player 2.
#[test]
fn a_long_board_shows_both_players_beside_the_analysis() {
    let mut arcade = longest();
    arcade.press("Up Up Up Right Up Left Left Enter a");
    for (width, height) in [(80, 24), (40, 12)] {
        let picture = arcade.picture(width, height);
        let either = |one: &str, other: &str| picture.contains(one) || picture.contains(other);
        assert!(either("P1▶", "Player 1 ▶"), "{picture}");
        assert!(either("Player 2 at 254", " 254"), "{picture}");
    }
}

#[test]
fn the_cursor_stays_on_the_map() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("3 m Home");
    for keys in ["Left Up", "Left Up", "PgDn PgDn End Right Down"] {
        arcade.press(keys);
        assert!(arcade.picture(120, 40).contains('['));
    }
}

#[test]
fn a_position_of_the_map_can_be_played() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    arcade.press("3 3 m Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Play on from here"), "{picture}");
    arcade.press("Enter Esc");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Map of Base Battle"), "back on the map: {picture}");
    arcade.press("Esc");
    assert!(arcade.picture(80, 24).contains("your move"), "back in the game");
}

#[test]
fn a_tile_can_be_clicked() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("3 m");
    let buffer = arcade.draw(120, 40);
    let is_won = |x: &u16, y: &u16| {
        let letter = |x: u16| buffer.cell(Position { x, y: *y }).map_or(" ", |cell| cell.symbol());
        letter(*x) == "W" && letter(x + 1) == "1"
    };
    let places = (0..70).flat_map(|x| (4..40).map(move |y| (x, y)));
    let (column, row) = places.into_iter().find(|(x, y)| is_won(x, y)).expect("there is a W1");
    arcade.take(ArcadeEvent::Click { column, row });
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("[W1]") && picture.contains("win in 1"), "{picture}");
}

/// Regression: the cursor stopped on tiles without a position.
#[test]
fn the_cursor_stands_only_on_positions() {
    for game in 1..=5 {
        let mut arcade = Arcade::open(USUAL);
        arcade.press(&format!("{game} m"));
        let mut keys =
            ["Up", "Left", "PgDn", "Right", "Tab", "Down", "End", "PgUp", "Home", "1", "2"]
                .into_iter()
                .cycle();
        for _ in 0..77 {
            let key = keys.next().expect("they repeat");
            arcade.press(key);
            let picture = arcade.picture(120, 40);
            assert!(picture.contains('[') && !picture.contains("[.]"), "{key}: {picture}");
            assert!(picture.contains(", here "), "the position is drawn, {key}: {picture}");
        }
    }
}

#[test]
fn a_map_can_be_drawn_in_any_window() {
    for way in ["1 m 2 Down", "2 m", "4 m Up Left", "5 m p"] {
        let mut arcade = Arcade::open(USUAL);
        arcade.press(way);
        for width in (40..=130).step_by(9) {
            for height in (12..=42).step_by(3) {
                arcade.draw(width, height);
            }
        }
    }
}

/// Regression: the map of Command Line Conquer showed percentages, and Enter was rejected.
#[test]
fn a_game_with_several_units_can_be_explored_and_played_on() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(1);
    arcade.press("r 0 0 9 m");
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("0,1/8/1, here"), "the position of the game: {picture}");
    arcade.press("Right");
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("0,1/10/1, here"), "Player 2's unit has moved: {picture}");
    arcade.press("1 1 Down");
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("1,2/10/1, here"), "the other unit has moved: {picture}");
    arcade.press("1 Up");
    let picture = arcade.picture(120, 40);
    assert!(picture.contains("1,2,9/10/1, here"), "there is a new unit: {picture}");
    arcade.press("g");
    assert!(arcade.picture(120, 40).contains("0,1/8/1, here"), "back to the game");
    arcade.press("Right Enter");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("From the position 0,1/10/1"), "{picture}");
}

#[test]
fn every_sign_is_in_the_legend_and_in_the_help() {
    for (width, height) in SIX_SIZES {
        let mut arcade = Arcade::open(USUAL);
        arcade.press("2 m");
        let picture = arcade.picture(width, height);
        for sign in ["W3 ", "L2 ", "=! ", "=+ ", "=- ", "# ", ". "] {
            assert!(picture.contains(sign), "{sign} at {width}x{height}: {picture}");
        }
        arcade.press("?");
        let mut help = String::new();
        for _ in 0..40 {
            help += &arcade.picture(width, height);
            arcade.press("Down");
        }
        for words in ["win in 3", "loss in 2", "a mistake", "can steer", "is over", "cannot arise"]
        {
            assert!(help.contains(words), "{words} at {width}x{height}: {help}");
        }
    }
}

#[test]
fn a_position_of_simultaneous_choices_shows_its_payoffs() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("4 m Up Left Up");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("▶\\◀") && picture.contains("special"), "{picture}");
}

/// Regression: the map ignored the high-contrast theme.
#[test]
fn a_map_has_the_colours_of_its_theme() {
    let mut arcade = Arcade::open(Look { theme: Theme::HighContrast, ..USUAL });
    arcade.sit_down(3);
    arcade.press("3 a");
    let analysed = arcade.draw(120, 40);
    arcade.press("m");
    for buffer in [analysed, arcade.draw(120, 40)] {
        let won = buffer.content.windows(2).find(|pair| {
            pair[0].symbol() == "W" && pair[1].symbol().chars().all(|it| it.is_ascii_digit())
        });
        let won = &won.expect("a won position")[0];
        let usual =
            Arcade::open(USUAL).app.context.look.tone(skirmish_present::map::Tone::Win(0.5));
        assert_ne!(Some(won.fg), usual.fg);
    }
}
