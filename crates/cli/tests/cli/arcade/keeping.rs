//! What the arcade stores: results and settings.

use std::fs;
use std::process::Command;

use super::{BATTLE, HOME, ONE_MOVES, TWO_MOVES, arcade, arcade_with, battle, leave};
use crate::support::{Home, output, read};
use crate::terminal::{DOWN, RIGHT, Terminal};

/// The counted results, without the header.
fn results(home: &Home) -> Vec<String> {
    let content = read(&home.file("data/skirmish/results.csv"));
    content.lines().skip(1).map(str::to_owned).collect()
}

/// Moves from the home screen to an item.
fn go_to(terminal: &mut Terminal, item: &str) {
    terminal.see(HOME);
    terminal.click(item);
    terminal.see_chosen(item);
    terminal.press("\r");
    terminal.wait(item, |screen| !screen.contains(HOME));
}

#[test]
fn a_game_that_ends_is_counted_and_shown() {
    let home = Home::new();
    let mut terminal = arcade(&home, &["--no-motion"]);
    go_to(&mut terminal, "Statistics");
    terminal.see("Nothing yet: finish a game, and it counts here.");
    leave(terminal);

    let arguments = ["play", "capture-the-line", "--tui", "--no-motion", "--names", "Ann,Bob"];
    let mut terminal = arcade(&home, &arguments);
    terminal.see("Ann, your move");
    terminal.press("22211");
    terminal.see("Game over");
    let counted = results(&home);
    assert_eq!(counted.len(), 1, "{counted:?}");
    assert!(counted[0].contains(",capture-the-line,,Ann,human,Bob,5,"), "{counted:?}");
    terminal.press("\r");
    terminal.see("Rematch");
    terminal.escape();
    go_to(&mut terminal, "Statistics");
    terminal.see("Capture the Line");
    let screen = terminal.settle();
    for (name, numbers) in [("Ann", ["1", "1", "0", "0"]), ("Bob", ["1", "0", "1", "0"])] {
        let line = screen.lines().find(|line| line.contains(name)).unwrap_or_default();
        let shown: Vec<&str> = line.split_whitespace().skip(2).take(4).collect();
        assert_eq!(shown, numbers, "{screen}");
    }
    leave(terminal);
}

#[test]
fn two_arcades_at_once_both_count() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--tui", "--no-motion"];
    let mut both = [arcade(&home, &arguments), arcade(&home, &arguments)];
    for terminal in &both {
        terminal.see(ONE_MOVES);
    }
    for terminal in &mut both {
        terminal.press("22211");
    }
    for terminal in both {
        terminal.see("Game over");
        leave_after(terminal);
    }
    assert_eq!(results(&home).len(), 2);
    assert_eq!(home.saves().len(), 2, "and both are saved");
}

fn leave_after(mut terminal: Terminal) {
    terminal.press("\r");
    terminal.see("Rematch");
    leave(terminal);
}

/// The settings file.
fn settings(home: &Home) -> String {
    read(&home.file("config/skirmish/settings.toml"))
}

#[test]
fn settings_are_kept_for_the_next_time() {
    let home = Home::new();
    let mut terminal = arcade(&home, &["--no-motion"]);
    go_to(&mut terminal, "Settings");
    terminal.see("‹ Blue and orange ›");
    terminal.press(&RIGHT.repeat(3));
    terminal.see("‹ High contrast ›");
    terminal.press(&[DOWN, RIGHT].concat());
    terminal.see("< on >");
    terminal.press(&[DOWN, DOWN, "\r"].concat());
    terminal.see("Name:");
    terminal.enter("Ann");
    terminal.see("< Ann >");
    leave(terminal);
    let kept = settings(&home);
    for line in ["theme = \"high-contrast\"", "ascii = true", "player1 = \"Ann\""] {
        assert!(kept.contains(line), "{kept}");
    }

    let mut terminal = arcade(&home, &["--no-motion"]);
    terminal.see(HOME);
    let screen = terminal.settle();
    assert!(screen.is_ascii(), "{screen}");
    go_to(&mut terminal, "Settings");
    terminal.see("< High contrast >");
    terminal.see("< Ann >");
    terminal.escape();
    terminal.see(HOME);
    terminal.press("3");
    terminal.see("Set up the game");
    terminal.press("\r");
    terminal.see("Ann");
    leave(terminal);
}

/// The indexed colours that are written by a game with these settings, variables and flags.
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

/// Without motion the home screen's picture stands still.
#[test]
fn a_variable_stops_the_motion() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--tui"];
    let mut terminal = arcade_with(&home, &arguments, &[("SKIRMISH_NO_MOTION", "1")]);
    terminal.see(ONE_MOVES);
    // With motion a space would skip the turn before, and not choose.
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

/// A game that is open in another window cannot be resumed.
#[test]
fn a_game_that_is_being_played_elsewhere_is_watched_and_not_continued() {
    let home = Home::new();
    let playing = battle(&home);
    let mut terminal = arcade(&home, &["--no-motion"]);
    terminal.see(HOME);
    let screen = terminal.settle();
    assert!(!screen.contains("Continue"), "{screen}");
    go_to(&mut terminal, "Replay a game");
    terminal.see("1 turn, being played");
    terminal.press("c");
    terminal.see(&format!("is being played by process {}", playing.process()));
    terminal.press("\r");
    terminal.see("Base Battle: Player 1 against Player 2");
    leave(terminal);
    leave(playing);
    let terminal = arcade(&home, &["--no-motion"]);
    terminal.see("Continue at turn 2");
    leave(terminal);
}

/// The arcade once waited for ever for a pipe in the folder of saved games.
#[test]
fn whatever_lies_in_the_folder_of_saved_games_the_arcade_opens() {
    let home = Home::new();
    fs::create_dir_all(home.games()).expect("a folder can be made");
    let made = output(Command::new("mkfifo").arg(home.games().join("pipe.skr")));
    assert!(made.expect("there is a mkfifo").status.success());
    home.write("data/skirmish/games/bad.skr", "no record");
    let mut terminal = arcade(&home, &["--no-motion"]);
    go_to(&mut terminal, "Replay a game");
    terminal.see("pipe.skr: damaged, it is not a regular file");
    terminal.see("bad.skr: damaged, line 1: ");
    leave(terminal);
}

/// With a file in place of the data folder, not even root can save.
#[test]
fn a_game_that_cannot_be_saved_is_left_only_after_a_question() {
    let home = Home::new();
    home.write("data", "a file, not a folder");
    let mut terminal = arcade(&home, &BATTLE);
    terminal.see("warning: cannot save in ");
    terminal.press("2");
    terminal.see(TWO_MOVES);
    terminal.escape();
    terminal.see("The game is not saved.");
    terminal.press("n");
    terminal.see(TWO_MOVES);
    terminal.escape();
    terminal.see("The game is not saved.");
    terminal.press("y");
    terminal.see(HOME);
    leave(terminal);
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
