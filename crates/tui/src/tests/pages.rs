//! Rules and other pages, the help, the keys and the mouse.

use super::super::event::ArcadeEvent;
use super::super::screen::Way;
use super::pictures::{furnish, is_golden};
use super::playing::words;
use super::{Arcade, PLAIN, USUAL};
use crate::sixth::SIX_GAMES;

const WINDOWS: [(u16, u16); 6] = [(40, 12), (60, 16), (80, 24), (100, 30), (120, 40), (200, 60)];

/// Compares golden pictures after the same steps at every size, and once with ASCII glyphs.
#[track_caller]
fn shows(name: &str, way: impl Fn(&mut Arcade, (u16, u16))) {
    let picture = |look, size: (u16, u16), title: &str| {
        let mut arcade = Arcade::open(look);
        way(&mut arcade, size);
        let (width, height) = size;
        format!("--- {width}x{height}{title}\n{}\n", arcade.picture(width, height))
    };
    let mut pictures = WINDOWS.map(|size| picture(USUAL, size, "")).concat();
    pictures.push_str(&picture(PLAIN, (80, 24), ", plain"));
    is_golden(name, &pictures);
}

impl Arcade {
    /// Draws the screen and clicks the first character of a text.
    #[track_caller]
    fn click(&mut self, text: &str, (width, height): (u16, u16)) {
        let picture = self.picture(width, height);
        let found = (0..).zip(picture.lines()).find_map(|(row, line)| {
            let column = line.find(text)?;
            Some((u16::try_from(line[..column].chars().count()).expect("a small number"), row))
        });
        let (column, row) = found.unwrap_or_else(|| panic!("missing: {text}\n{picture}"));
        self.take(ArcadeEvent::Click { column, row });
    }

    #[track_caller]
    fn shows(&mut self, text: &str) {
        let picture = self.picture(80, 24);
        assert!(picture.contains(text), "missing: {text}\n{picture}");
    }
}

/// Presses keys and draws after each, as in a terminal, because a page learns its length by being drawn.
fn read(arcade: &mut Arcade, (width, height): (u16, u16), keys: &str) {
    for key in keys.split(' ') {
        arcade.press(key);
        arcade.picture(width, height);
    }
}

#[test]
fn rules_with_a_table_and_a_numbered_list() {
    shows("rules-table", |arcade, size| read(arcade, size, "Down Down Down r PgDn Down Down Down"));
}

#[test]
fn rules_with_wide_boards() {
    shows("rules-boards", |arcade, size| read(arcade, size, "r PgDn Right"));
}

#[test]
fn the_end_of_the_rules() {
    shows("rules-end", |arcade, size| read(arcade, size, "Down Down r End"));
}

#[test]
fn words_and_history() {
    shows("page-words", |arcade, size| {
        arcade.sit_down(3);
        arcade.press(":");
        arcade.write("help");
        read(arcade, size, "Enter");
    });
    shows("page-history", |arcade, size| {
        arcade.sit_down(4);
        for _ in 0..12 {
            arcade.press("1 7");
        }
        arcade.press(":");
        arcade.write("history");
        read(arcade, size, "Enter PgDn");
    });
}

#[test]
fn help_in_every_window() {
    shows("help-home", |arcade, size| read(arcade, size, "? End"));
    shows("help-play", |arcade, size| {
        arcade.sit_down(1);
        read(arcade, size, "? PgDn");
    });
    shows("help-rules", |arcade, size| read(arcade, size, "r ?"));
}

#[test]
fn a_page_key_moves_a_page() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("r");
    for (key, seen) in
        [("Space", "20–39 of"), ("PgDn", "39–58 of"), ("PgUp", "20–39 of"), ("Home", "1–20 of")]
    {
        arcade.shows(" of ");
        arcade.press(key);
        arcade.shows(seen);
    }
}

/// Regression: with 2 CP, Special Attack is illegal, and Shield moved to its key.
#[test]
fn a_choice_keeps_its_key() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(4);
    arcade.press("3 7");
    arcade.shows("▶4 ◀0 Shield");
    arcade.press("3");
    let picture = arcade.picture(160, 30);
    assert!(picture.contains("Special Attack costs 3 CP and you have 2."), "{picture}");
    arcade.press("4 7");
    arcade.shows("Player 1 shields!");
}

#[test]
fn a_new_game_can_be_thought_better_of() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(1);
    arcade.press("0 n");
    arcade.shows("Set up the game");
    arcade.press("Esc");
    arcade.shows("Player 2, your move");
    arcade.press("0 n Enter");
    arcade.shows("turn 1");
    arcade.press("Esc");
    arcade.shows("What shall we play?");
    arcade.shows("Continue at turn 3");
}

#[test]
fn arrows_around_a_value_can_be_clicked() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("3");
    let size = (80, 24);
    arcade.click("› ", size);
    arcade.shows("Player 1      ‹ novice ›");
    arcade.click("‹ novice", size);
    arcade.shows("Player 1      ‹ human ›");
    arcade.click("‹ facing", size);
    assert!(!arcade.picture(80, 24).contains("‹ facing ›"));
    arcade.press("End Home");
    arcade.shows("▶ Start the game");
}

/// Regression: the wheel wrapped around from the last item to the first.
#[test]
fn the_wheel_stops_at_the_ends_of_a_list() {
    // The home screen, a setup, the settings, the palette, the help in a small window, and the screen after a game.
    let ending = "3 Down Down Left Left Enter Wait : r e s i g n Enter y Enter";
    for keys in ["", "3", "Up Up Enter", ":", "?", ending] {
        let mut arcade = Arcade::open(USUAL);
        arcade.press(keys);
        let mut turn = |way: Way, count: usize| {
            for _ in 0..count {
                arcade.take(ArcadeEvent::Wheel(way));
                arcade.draw(80, 12);
            }
            arcade.picture(80, 12)
        };
        let last = turn(Way::Down, 80);
        assert_eq!(turn(Way::Down, 1), last, "{keys}");
        let first = turn(Way::Up, 80);
        assert_ne!(first, last, "{keys}");
        assert_eq!(turn(Way::Up, 1), first, "{keys}");
    }
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    arcade.press("q");
    arcade.take(ArcadeEvent::Wheel(Way::Down));
    arcade.shows("Leave?");
}

#[test]
fn popups_can_be_clicked() {
    let mut arcade = Arcade::open(USUAL);
    let size = (80, 24);
    arcade.sit_down(3);
    arcade.press("2 ?");
    arcade.click("u         undo", size);
    arcade.shows("turn 1");
    assert!(!arcade.picture(80, 24).contains("Keys:"), "the help is closed");
    arcade.press("2 ?");
    arcade.click(" SKIRMISH", size);
    arcade.shows("turn 2");
    assert!(!arcade.picture(80, 24).contains("Keys:"), "a click beside it closes it");
    arcade.press("q");
    arcade.click("1 1 step", size);
    assert!(!arcade.picture(80, 24).contains("Leave?"), "a click beside it means no");
    arcade.shows("turn 2");
    arcade.press("q");
    arcade.click("Esc stay", size);
    assert!(!arcade.picture(80, 24).contains("Leave?"));
    arcade.press("q");
    let picture = arcade.picture(80, 24);
    let (row, line) =
        picture.lines().enumerate().find(|(_, line)| line.contains("y leave")).expect("the popup");
    let column = line.chars().collect::<String>().find("y leave").expect("it is there");
    let column = line[..column].chars().count();
    let click = ArcadeEvent::Click {
        column: u16::try_from(column).expect("a small number"),
        row: u16::try_from(row).expect("a small number"),
    };
    assert_eq!(arcade.take(click), Some(crate::Closed::Left));
}

/// Regression (R-CTL-1): the lesson says that 2 is shortened to 1, but ignored the key 2.
#[test]
fn a_lesson_takes_the_shortened_move_that_it_teaches() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("Down Down Down Down t Enter 1 Enter");
    arcade.shows("Lesson 3 of");
    arcade.press("7");
    arcade.shows("\"7\" is not a move here: enter 1.");
    arcade.press("2");
    arcade.shows("Cannot move 2 points; this would go beyond Point 6.");
    arcade.shows("You stand on Point 6 and win.");
    arcade.press("b");
    arcade.press("Enter 2 Enter 1");
    arcade.shows("You stand on Point 6 and win.");
}

#[test]
fn the_cursor_is_on_the_game_that_was_left_or_stays_where_it_was() {
    let mut arcade = Arcade::furnished(USUAL, furnish);
    arcade.press("3 Enter Wait 3 Esc");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("▶   Continue at turn 2"), "{picture}");
    arcade.press("Up Up Enter Esc");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("▶   Settings"), "{picture}");
    // Continue the game, and leave it at another turn.
    arcade.press("Down Down Enter 3 Esc");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("▶   Continue at turn 3"), "{picture}");
    // An unchanged game does not attract the cursor.
    arcade.press("Down Down Enter Esc");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("▶ 2 Capture and Conquer"), "{picture}");
}

#[test]
fn the_setup_suggests_the_last_opponent_and_shows_the_last_result() {
    let mut arcade = Arcade::furnished(USUAL, furnish);
    arcade.press("3");
    arcade.shows("Player 2      ‹ human ›");
    arcade.press("Down Down Right Right Right");
    arcade.shows("Player 2      ‹ skilled ›");
    arcade.shows("★★★☆☆");
    arcade.shows("you lost after 9 turns");
    arcade.press("Down Right Enter Wait 1 Wait Esc 3");
    arcade.shows("Player 2      ‹ skilled ›");
}

/// The home screen with some saved games, at six sizes.
#[test]
fn home_in_every_window() {
    let picture = |look, size: (u16, u16), keys: &str, title: &str| {
        let mut arcade = Arcade::furnished(look, furnish);
        arcade.press(keys);
        let (width, height) = size;
        format!("--- {width}x{height}{title}\n{}\n", arcade.picture(width, height))
    };
    let mut pictures = WINDOWS.map(|size| picture(USUAL, size, "", "")).concat();
    for (keys, title) in [("Up Up Up", ", statistics"), ("Up Up Up Up", ", replay")] {
        pictures.push_str(&picture(USUAL, (40, 12), keys, title));
    }
    pictures.push_str(&picture(PLAIN, (80, 24), "", ", plain"));
    is_golden("home-facts", &pictures);
}

#[test]
fn online_play_starts_from_the_home_screen() {
    let mut arcade = Arcade::open(USUAL);
    arcade.press("Up Up Up Up Up Up Up Up Enter");
    for (width, height) in WINDOWS {
        let picture = words(&arcade.picture(width, height));
        assert!(picture.contains("Address: localhost:7777"), "the last server\n{picture}");
        assert!(picture.contains("skirmish host GAME"), "{picture}");
    }
    arcade.press("Enter");
    arcade.shows("There is no server at localhost:7777.");
    arcade.press("Esc");
    arcade.shows("Play online");
}

#[test]
fn an_empty_home_says_so() {
    let mut arcade = Arcade::open(USUAL);
    arcade.shows("no game counted yet");
    arcade.shows("Last    no finished game yet");
    arcade.sit_down(3);
    arcade.press(":");
    arcade.write("resign");
    arcade.press("Enter y Enter Esc");
    arcade.shows("Last    Base Battle: Player 2 beat Player 1");
}

/// Regression: a lesson ignored digits that are not the key of a legal move.
#[test]
fn a_lesson_answers_every_digit() {
    for (game, entry) in SIX_GAMES.iter().enumerate() {
        let mut lesson = 0;
        loop {
            let open = move || {
                let mut arcade = Arcade::open(USUAL);
                arcade.press(&"Down ".repeat(game));
                arcade.press("t");
                arcade.press(&"n ".repeat(lesson));
                arcade
            };
            let mut arcade = open();
            let before = arcade.picture(80, 24);
            if !before.contains("Lesson ") {
                break;
            }
            lesson += 1;
            if before.contains("next lesson") || before.contains("to a real game") {
                continue;
            }
            for digit in 0..=9 {
                arcade.press(&digit.to_string());
                let after = arcade.picture(80, 24);
                assert_ne!(before, after, "{digit}");
                arcade = open();
            }
        }
        let has_lessons = entry.tutorial.is_some();
        assert_eq!(lesson > 5, has_lessons, "{}: {lesson} lessons", entry.id);
    }
}
