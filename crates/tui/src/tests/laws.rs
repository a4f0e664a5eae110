//! Invariants of every screen, for all keys and window sizes.

use std::time::Duration;

use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::KeyCode;
use ratatui::style::{Color, Modifier};
use skirmish_store::Theme;

use super::super::event::ArcadeEvent;
use super::super::look::{Depth, Look};
use super::super::screen::{Press, Way};
use super::{Arcade, PLAIN, USUAL};
use crate::Closed;

/// A deterministic pseudorandom generator.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    pub(super) fn size(&mut self, most: u16) -> u16 {
        u16::try_from(self.below(most.into())).expect("a small number") + 1
    }
}

/// A random key that has an effect on some screen, except quitting.
pub(super) fn any_press(dice: &mut Dice) -> ArcadeEvent {
    const LETTERS: &[u8] = b"1234567890rcpsnuhatbgGovjkl:+-yx ?mdewif.,/";
    const KEYS: [KeyCode; 13] = [
        KeyCode::Enter,
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Backspace,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Tab,
    ];
    match dice.below(8) {
        0..=3 => {
            let at = usize::try_from(dice.below(LETTERS.len() as u64)).expect("a small number");
            ArcadeEvent::Press(Press::letter(char::from(LETTERS[at])))
        }
        4..=5 => {
            let at = usize::try_from(dice.below(KEYS.len() as u64)).expect("a small number");
            ArcadeEvent::Press(Press::Key(KEYS[at]))
        }
        6 if dice.below(4) == 0 => ArcadeEvent::Wheel(Way::Up),
        6 => ArcadeEvent::Click { column: dice.size(120) - 1, row: dice.size(40) - 1 },
        _ => ArcadeEvent::Resized,
    }
}

/// Presses a random key, but never runs a command that was typed at random.
pub(super) fn press_any(arcade: &mut Arcade, dice: &mut Dice) -> Option<Closed> {
    let event = any_press(dice);
    let is_enter = matches!(event, ArcadeEvent::Press(Press::Key(KeyCode::Enter)));
    if is_enter && arcade.picture(80, 24).contains("Command: ") {
        return arcade.press("Esc");
    }
    arcade.take(event)
}

#[test]
fn nothing_panics_whatever_is_pressed_at_any_size() {
    for seed in 1..=4 {
        let mut dice = Dice(seed);
        let motion = seed % 2 == 0;
        let mut arcade = Arcade::open(Look { motion, ..USUAL });
        for _ in 0..1000 {
            if let Some(exit) = press_any(&mut arcade, &mut dice) {
                // `Quit` on the home screen, or a word with the same effect.
                assert_eq!(exit, Closed::Left);
                arcade = Arcade::open(Look { motion, ..USUAL });
            }
            arcade.pass(Duration::from_millis(dice.below(300)));
            let (width, height) =
                if dice.below(3) == 0 { (dice.size(140), dice.size(50)) } else { (80, 24) };
            arcade.draw(width, height);
        }
    }
}

#[test]
fn every_width_and_every_height_can_be_drawn() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(1);
    arcade.press("0 0 a");
    for width in (1..=100).chain([200, 500]) {
        // A quarter of all sizes, covering every width and every height.
        for height in (1..=40).chain([160]).filter(|height| (width + height) % 4 == 0) {
            arcade.draw(width, height);
        }
    }
    arcade.press("Esc");
    arcade.sit_down(4);
    arcade.press("a");
    for (width, height) in [(40, 12), (41, 13), (79, 24), (80, 23), (81, 25), (500, 160)] {
        arcade.draw(width, height);
    }
}

fn cells(buffer: &Buffer) -> impl Iterator<Item = &Cell> {
    buffer.content.iter()
}

#[test]
fn without_colours_there_are_none_but_bold_and_reverse_stay() {
    let looks =
        [Look { depth: Depth::None, ..USUAL }, Look { theme: Theme::Monochrome, ..USUAL }, PLAIN];
    for look in looks {
        let mut arcade = Arcade::open(look);
        arcade.sit_down(2);
        arcade.press("2 2 2 a");
        let buffer = arcade.draw(80, 24);
        assert!(cells(&buffer).all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
        assert!(cells(&buffer).any(|cell| cell.modifier.contains(Modifier::BOLD)));
        assert!(cells(&buffer).any(|cell| cell.modifier.contains(Modifier::REVERSED)));
    }
}

#[test]
fn sixteen_colours_are_enough() {
    let mut arcade = Arcade::open(Look { depth: Depth::Sixteen, ..USUAL });
    arcade.sit_down(2);
    arcade.press("2 2 2 a");
    let buffer = arcade.draw(100, 30);
    let is_basic = |color: Color| !matches!(color, Color::Indexed(_) | Color::Rgb(..));
    assert!(cells(&buffer).all(|cell| is_basic(cell.fg) && is_basic(cell.bg)));
    assert!(cells(&buffer).any(|cell| cell.fg != Color::Reset));
}

#[test]
fn plain_glyphs_are_ascii_everywhere() {
    let ways = [
        "",
        "1",
        "Down r",
        "Down t Enter",
        "Up Up Enter",
        "Up Up Up Enter",
        "2 Enter a",
        "?",
        "Up Up Up Up Up Up Enter 1",
        "Up Up Up Up Up Up Enter g Right",
        "1 m 1 Down",
        "2 m",
        "4 m Up Up p",
    ];
    for way in ways {
        let mut arcade = Arcade::open(PLAIN);
        arcade.press(way);
        let buffer = arcade.draw(100, 30);
        assert!(cells(&buffer).all(|cell| cell.symbol().is_ascii()), "{way}");
    }
}

#[test]
fn the_sides_differ_by_direction_and_have_the_same_weight() {
    let mut arcade = Arcade::open(Look { depth: Depth::None, ..USUAL });
    arcade.sit_down(3);
    let buffer = arcade.draw(80, 24);
    let rows: Vec<&[Cell]> = buffer.content.chunks(80).collect();
    // Skip the first rows: the names also stand above the board.
    let plates = rows.iter().skip(2).find(|row| row.iter().any(|cell| cell.symbol() == "◀"));
    let plates = plates.expect("Player 2 is on the board");
    let plate =
        |glyph: &str| plates.iter().find(|cell| cell.symbol() == glyph).map(|cell| cell.modifier);
    assert!(plate("▶").is_some(), "and Player 1");
    assert_eq!(plate("▶"), plate("◀"));
}

#[test]
fn a_screen_at_rest_waits_for_nothing() {
    let mut arcade = Arcade::open(Look { motion: true, ..USUAL });
    arcade.sit_down(3);
    arcade.press("3");
    assert!(arcade.app.due().is_some(), "a piece is moving");
    arcade.pass(Duration::from_secs(2));
    assert!(arcade.app.due().is_none(), "nothing is moving");
}

#[test]
fn the_demo_on_the_home_screen_comes_to_rest() {
    let mut arcade = Arcade::open(Look { motion: true, ..USUAL });
    let before = arcade.picture(80, 24);
    arcade.pass(Duration::from_secs(5));
    assert_ne!(before, arcade.picture(80, 24), "it moves");
    arcade.pass(Duration::from_mins(2));
    assert!(arcade.app.due().is_none());
}

#[test]
fn no_event_is_shown_for_longer_than_a_fifth_of_a_second() {
    let mut arcade = Arcade::open(Look { motion: true, ..USUAL });
    arcade.sit_down(3);
    // A move with a push, which is two events.
    arcade.press("3");
    arcade.pass(Duration::from_secs(1));
    arcade.press("3");
    arcade.pass(Duration::from_secs(1));
    arcade.press("3");
    arcade.pass(Duration::from_millis(400));
    assert!(arcade.app.due().is_none());
}

#[test]
fn a_key_skips_the_motion_and_still_counts() {
    let mut arcade = Arcade::open(Look { motion: true, ..USUAL });
    arcade.sit_down(3);
    arcade.press("1 1 1");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("turn 4") && picture.contains("Player 2 moves"), "{picture}");
}

#[test]
fn nothing_reveals_a_secret_choice_before_both_are_made() {
    let after = |choice: &&str, has_curtain: bool| {
        let mut arcade = Arcade::open(USUAL);
        if has_curtain {
            arcade.hang_curtain();
        }
        arcade.sit_down(4);
        if has_curtain {
            arcade.press("Enter");
        }
        arcade.press(choice);
        let look_around = ["", "a", "?", "Esc", "a", ":", "h", "Esc", "h", "1", "Enter"];
        look_around.map(|keys| {
            arcade.press(keys);
            arcade.draw(80, 24)
        })
    };
    let ways = [(["1", "2", "3", "4"], true), (["1", "2", "3", "4"], false)];
    for (choices, has_curtain) in ways {
        let seen = choices.each_ref().map(|choice| after(choice, has_curtain));
        assert!(seen.iter().all(|pictures| *pictures == seen[0]), "all choices look alike");
    }
}

#[test]
fn what_is_typed_in_secret_is_not_shown() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(4);
    arcade.press(":");
    arcade.write("shield");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains(":******") && !picture.contains(":shield"), "{picture}");
}

#[test]
fn a_computer_plays_the_sixth_game_too() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("6 Enter Wait");
    let begun = arcade.picture(80, 24);
    assert!(begun.contains("Player 2 (casual)"), "{begun}");
    arcade.press("1 Wait");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("turn 3") || picture.contains("turn 4"), "{picture}");
    let tutorial = {
        arcade.press("Esc Down t");
        arcade.picture(80, 24)
    };
    assert!(tutorial.contains("Lesson 1 of"), "{tutorial}");
}

#[test]
fn a_finished_game_counts_and_its_save_is_kept() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    arcade.press("3 3 1 1 3 3 3");
    let results = std::fs::read_to_string(arcade.home.path().join("results.csv")).expect("counted");
    assert_eq!(results.lines().count(), 2, "a head and a game: {results}");
    let saves = std::fs::read_dir(arcade.home.path().join("games")).expect("saved").count();
    assert_eq!(saves, 1);
}

#[test]
fn a_match_left_between_two_games_can_be_continued() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("5 Down Down Left Left Down Right Enter");
    arcade.press("2 2 2");
    for _ in 0..3 {
        arcade.press("Wait Enter");
        if arcade.picture(80, 24).contains("What next?") {
            break;
        }
    }
    let after = arcade.picture(80, 24);
    assert!(after.contains("Next game of the match") && !after.contains("r rematch"), "{after}");
    arcade.press("Esc Up Down");
    let home = arcade.picture(80, 24);
    assert!(home.contains("Continue with game 2"), "{home}");
}

#[test]
fn a_game_continues_below_another_screen() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("3 Enter :");
    arcade.write("rules");
    arcade.press("Enter Esc Wait");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Your move"), "{picture}");
}

#[test]
fn a_digit_that_is_not_a_choice_counts_as_typed() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(5);
    arcade.press("2 2 2 2 7");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("\"7\" is not a move here"), "{picture}");
    // One point before the centre, a step of two is shortened to one (R-CTL-1).
    arcade.press("2");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("wins") || picture.contains("turn 6"), "{picture}");
}

#[test]
fn a_board_too_large_to_solve_is_reported_at_once() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("1 Down Down Down Down");
    for _ in 0..122 {
        arcade.press("Down Right Up");
    }
    arcade.press("Enter 0");
    let picture = arcade.picture(120, 30);
    assert!(picture.contains("The computer cannot play here"), "{picture}");
}

#[test]
fn a_list_that_does_not_fit_scrolls_with_the_cursor() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("3 Down Down Left Left Down Right Down Down Down Down");
    arcade.press("Right Right Right Right Right Right Enter");
    arcade.press("Down Down Down Down Down Down Down Down");
    for (width, height) in [(80, 24), (40, 12)] {
        let picture = arcade.picture(width, height);
        assert!(picture.contains("9 move 9"), "{picture}");
    }
}

#[test]
fn nothing_is_taken_back_where_only_computers_play() {
    let mut arcade = Arcade::open(Look { motion: true, ..USUAL });
    arcade.press("2 Down Right Enter");
    arcade.pass(Duration::from_secs(2));
    let turns = |picture: &str| -> u32 {
        let (_, after) = picture.split_once(" turn ").expect("the turn is numbered");
        after.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let before = turns(&arcade.picture(80, 24));
    arcade.press("u");
    let after = turns(&arcade.picture(80, 24));
    assert!(before > 1 && after >= before, "turn {before}, then turn {after}");
}

#[test]
fn a_takeback_says_how_many_turns_it_took() {
    let mut arcade = Arcade::open(USUAL);
    // Base Battle against the computer.
    arcade.press("3 Enter Wait 2 Wait u");
    let picture = arcade.picture(100, 24);
    assert!(picture.contains("The last 2 turns have been taken back."), "{picture}");
}

#[test]
fn a_lesson_is_read_first_in_a_small_window() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("Down Down Down t Enter");
    assert!(arcade.picture(40, 12).contains("Try it: attack."));
    arcade.press("Enter");
    let picture = arcade.picture(40, 12);
    assert!(picture.contains("1 Charge") && picture.contains("CP"), "{picture}");
    // The response to a wrong move is visible.
    arcade.press("1");
    let picture = arcade.picture(40, 12);
    assert!(picture.contains("Not that one."), "{picture}");
    arcade.press("Down Down Down");
    let picture = arcade.picture(40, 12);
    assert!(picture.contains("4 Shield"), "{picture}");
}

#[test]
fn leaving_asks_only_in_the_middle_of_a_game() {
    let mut arcade = Arcade::open(USUAL);
    assert_eq!(arcade.press("q"), Some(Closed::Left));
    arcade.sit_down(3);
    assert_eq!(arcade.press("q"), None);
    assert_eq!(arcade.press("Esc"), None, "one can stay");
    assert_eq!(arcade.press("q y"), Some(Closed::Left));
}

#[test]
fn settings_are_kept() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("Up Up Enter Right Down Right");
    let kept = std::fs::read_to_string(arcade.home.path().join("settings.toml")).expect("kept");
    assert!(kept.contains("theme = \"dark\"") && kept.contains("ascii = true"), "{kept}");
}
