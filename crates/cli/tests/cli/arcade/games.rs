//! Whole games, from the home screen to the rematch.

use super::{HOME, ONE_MOVES, arcade, leave};
use crate::support::Home;
use crate::terminal::{DOWN, LEFT, RIGHT, Terminal};

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
    // Until then, keys that may have been meant for the last turn are ignored.
    terminal.see("Enter continue");
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
