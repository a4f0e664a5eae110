//! Whole games, from the home screen to the rematch.

use super::{HOME, LANG, ONE_MOVES, SIZE, TERM, TWO_MOVES, arcade, leave};
use crate::support::{Home, undated};
use crate::terminal::{DOWN, LEFT, RIGHT, Terminal};

const LIFT: &str = "Enter lifts the curtain.";

/// Opens a game between two people from the home screen; Player 1 starts.
fn open(home: &Home, arguments: &[&str], number: &str) -> Terminal {
    let mut terminal = arcade(home, arguments);
    terminal.see(HOME);
    terminal.press(number);
    terminal.see("Set up the game");
    let screen = terminal.settle();
    terminal.press(&[DOWN, DOWN, LEFT, LEFT].concat());
    terminal.wait("two people", |screen| screen.matches("‹ human ›").count() == 2);
    if screen.contains("Who starts") {
        terminal.press(&[DOWN, RIGHT].concat());
        terminal.see("Who starts    ‹ Player 1 ›");
    }
    terminal.press("\r");
    terminal
}

/// Plays a game to its end, checks the screens after it, and begins the rematch.
#[track_caller]
fn plays_to_the_end(mut terminal: Terminal, name: &str, keys: &str, end: &str, again: &str) {
    terminal.press(keys);
    terminal.see("Game over");
    terminal.see(end);
    terminal.press("\r");
    terminal.see(&format!("{name}: the game is over"));
    terminal.see("accuracy");
    let screen = terminal.settle();
    assert!(screen.contains(end), "{screen}");
    assert!(screen.contains("Rematch, seats swapped"), "{screen}");
    terminal.press("r");
    terminal.see(again);
    terminal.see("turn 1 ");
    leave(terminal);
}

#[test]
fn capture_the_line_is_played_to_its_end() {
    let home = Home::new();
    let terminal = open(&home, &["--no-motion"], "5");
    let end = "Player 1 wins";
    plays_to_the_end(terminal, "Capture the Line", "22211", end, ONE_MOVES);
}

#[test]
fn a_record_is_watched_again() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--record", "game.skr"];
    home.run(&arguments, "2\n2\n2\n1\n1\n").exits(0);
    let mut terminal = arcade(&home, &["replay", "game.skr", "--tui", "--no-motion"]);
    terminal.see("Capture the Line: Player 1 against Player 2");
    terminal.press(RIGHT);
    terminal.see("Turn 1 of 5");
    terminal.press("G");
    terminal.see("Turn 5 of 5");
    terminal.press("g");
    terminal.see("Turn 0 of 5");
    leave(terminal);
}

const ACTIONS: [&str; 4] = ["Charge", "Attack", "Special", "Shield"];

/// The rows of the screen with their styles after a redraw, which makes cells that were once covered equal to unused
/// ones.
fn drawn_again(terminal: &mut Terminal) -> Vec<String> {
    terminal.redraw();
    terminal.picture().rows_formatted(0, SIZE.0).collect()
}

/// Plays up to Player 2's choice. Returns the screens of the curtain and of the choices, and the save.
fn secret(first: &str) -> (Vec<String>, Vec<String>, String) {
    let home = Home::new();
    let arguments = ["play", "command-clash", "--tui", "--no-motion"];
    let mut terminal = Terminal::sized(&home, &arguments, SIZE, &[TERM, LANG]);
    let screen = terminal.see(LIFT);
    assert!(screen.contains("Player 1 chooses.") && screen.contains("Player 2, look away."));
    assert!(!screen.contains("Special Attack"), "the choices are behind the curtain\n{screen}");
    terminal.press("\r");
    terminal.see(ONE_MOVES);
    terminal.see("Special Attack");
    terminal.settle();
    let before = terminal.written();
    terminal.press(first);
    terminal.see("Player 2 chooses.");
    terminal.settle();
    let raw = terminal.raw_since(before);
    // The palette lists every choice, whichever is typed, so only the screens can be compared.
    let actions = if first.starts_with(':') { &[][..] } else { &ACTIONS[..] };
    for action in actions {
        let told = raw.to_lowercase().contains(&action.to_lowercase());
        assert!(!told, "{action} after {first:?}: {raw:?}");
    }
    let curtain = drawn_again(&mut terminal);
    let save = undated(&home.save());
    terminal.press("\r");
    terminal.see(TWO_MOVES);
    terminal.see("Special Attack");
    let choices = drawn_again(&mut terminal);
    terminal.press("1");
    let screen = terminal.see(LIFT);
    assert!(screen.contains("turn 2 "), "{screen}");
    (curtain, choices, save)
}

/// R-CL-6: neither player may see the other's choice before both have chosen.
#[test]
fn nothing_depends_on_the_first_choice_until_both_are_in() {
    let expected = secret("c");
    for first in ["2", "3", "4", ":special\r", ":shield\r"] {
        assert_eq!(secret(first), expected, "{first:?}");
    }
}
