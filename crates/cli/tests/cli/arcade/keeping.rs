//! What the arcade stores: results and settings.

use std::fs;

use super::{BATTLE, HOME, ONE_MOVES, arcade, arcade_with, leave};
use crate::support::{Home, read};
use crate::terminal::DOWN;

/// The settings file.
fn settings(home: &Home) -> String {
    read(&home.file("config/skirmish/settings.toml"))
}

/// The raw output of a game with these variables and flags, and the home's settings.
fn written(home: &Home, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut terminal = arcade_with(home, &[&BATTLE, arguments].concat(), variables);
    terminal.see(ONE_MOVES);
    terminal.press("2");
    terminal.see("Player 1 moves 2 positions to position 2.");
    let raw = terminal.raw();
    leave(terminal);
    raw
}

#[test]
fn flags_and_variables_come_before_the_settings() {
    const BLUE: &str = "38;5;33;";
    const CYAN: &str = "38;5;51;";
    let home = Home::new();
    fs::create_dir_all(home.file("config/skirmish")).expect("a folder can be made");
    home.write("config/skirmish/settings.toml", "theme = \"high-contrast\"\nascii = true\n");
    let raw = written(&home, &[], &[]);
    assert!(raw.contains(CYAN) && !raw.contains(BLUE) && raw.is_ascii(), "{raw:?}");
    let raw = written(&home, &[("SKIRMISH_THEME", "default")], &[]);
    assert!(raw.contains(BLUE) && !raw.contains(CYAN), "{raw:?}");
    let variables = [("SKIRMISH_THEME", "monochrome")];
    let raw = written(&home, &variables, &["--theme", "default"]);
    assert!(raw.contains(BLUE) && !raw.contains(CYAN), "{raw:?}");
    let raw = written(&home, &variables, &[]);
    assert!(!raw.contains("38;5;"), "{raw:?}");
}

/// Without animation, the home screen's picture stands still.
#[test]
fn a_variable_stops_the_motion() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--tui"];
    let mut terminal = arcade_with(&home, &arguments, &[("SKIRMISH_NO_MOTION", "1")]);
    terminal.see(ONE_MOVES);
    // With animation, the space would skip the previous turn's animation instead of choosing.
    terminal.press("2 ");
    terminal.see("Player 2 moves to Point 10.");
    leave(terminal);
}

#[test]
fn broken_settings_are_told_and_left_alone() {
    let home = Home::new();
    fs::create_dir_all(home.file("config/skirmish")).expect("a folder can be made");
    for broken in ["theme = = 1\n", "theme = \"plaid\"\nascii = 3\n"] {
        home.write("config/skirmish/settings.toml", broken);
        let mut terminal = arcade(&home, &["--no-motion"]);
        terminal.see(HOME);
        let screen = terminal.settle();
        let bottom: Vec<&str> = screen.lines().rev().take(2).collect();
        assert!(bottom.iter().any(|line| line.contains("settings.toml")), "{screen}");
        terminal.press(DOWN);
        terminal.see("Enter choose");
        leave(terminal);
        assert_eq!(settings(&home), broken);
    }
}

#[test]
fn the_full_screen_shares_the_terminal_with_no_record() {
    let home = Home::new();
    for screen in ["-", "/dev/tty"] {
        let terminal = arcade(&home, &[&BATTLE[..], &["--record", screen]].concat());
        terminal.see("--record cannot write to the terminal in full-screen mode: name a file");
        terminal.ends(2);
    }
}
