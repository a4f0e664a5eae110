//! The arcade on real terminals.

mod bots;
mod endings;
mod games;
mod input;
mod keeping;
mod looks;
mod picture;
mod tournaments;

use crate::support::Home;
use crate::terminal::{Size, Terminal};

const SIZE: Size = (100, 30);
const TERM: (&str, &str) = ("TERM", "xterm-256color");
const LANG: (&str, &str) = ("LANG", "C.UTF-8");

/// A text that the home screen always shows.
const HOME: &str = "What shall we play?";

/// The arguments for Base Battle between two people, with the first choice next.
const BATTLE: [&str; 6] = ["play", "base-battle", "--tui", "--no-motion", "--first", "p1"];

const ONE_MOVES: &str = "Player 1, your move";
const TWO_MOVES: &str = "Player 2, your move";

/// Runs the program in a terminal with the usual variables.
fn arcade(home: &Home, arguments: &[&str]) -> Terminal {
    arcade_with(home, arguments, &[])
}

/// Like [`arcade`], with additional or overriding variables.
fn arcade_with(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Terminal {
    Terminal::sized(home, arguments, SIZE, &[&[TERM, LANG], variables].concat())
}

/// Starts Base Battle and plays a turn.
fn battle(home: &Home) -> Terminal {
    let mut terminal = arcade(home, &BATTLE);
    terminal.see(ONE_MOVES);
    terminal.press("2");
    terminal.see(TWO_MOVES);
    terminal
}

/// Returns to the home screen from any other, and leaves the program.
#[track_caller]
fn leave(mut terminal: Terminal) {
    while !terminal.settle().contains(HOME) {
        terminal.escape();
    }
    terminal.press("q");
    terminal.ends(0);
}
