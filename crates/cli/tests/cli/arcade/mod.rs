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

/// What the home screen says, whatever is chosen on it.
const HOME: &str = "What shall we play?";

/// Base Battle between two people, ready for the first choice.
const BATTLE: [&str; 6] = ["play", "base-battle", "--tui", "--no-motion", "--first", "p1"];

const ONE_MOVES: &str = "Player 1, your move";
const TWO_MOVES: &str = "Player 2, your move";

/// A usual terminal for the arcade.
fn arcade(home: &Home, arguments: &[&str]) -> Terminal {
    arcade_with(home, arguments, &[])
}

/// A usual terminal for the arcade with more variables, or others.
fn arcade_with(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Terminal {
    Terminal::sized(home, arguments, SIZE, &[&[TERM, LANG], variables].concat())
}

/// Base Battle after a turn.
fn battle(home: &Home) -> Terminal {
    let mut terminal = arcade(home, &BATTLE);
    terminal.see(ONE_MOVES);
    terminal.press("2");
    terminal.see(TWO_MOVES);
    terminal
}

/// Leaves whatever is shown for the home screen, and the program from there.
#[track_caller]
fn leave(mut terminal: Terminal) {
    while !terminal.settle().contains(HOME) {
        terminal.escape();
    }
    terminal.press("q");
    terminal.ends(0);
}
