//! Colours, glyphs, and line mode where the full screen is impossible.

use super::{BATTLE, HOME, LANG, ONE_MOVES, SIZE, TERM, arcade, arcade_with, leave};
use crate::support::Home;
use crate::terminal::Terminal;

/// The parameters of all SGR sequences that a program wrote.
fn renditions(raw: &str) -> Vec<Vec<u16>> {
    let codes = raw.split("\u{1b}[").skip(1).filter_map(|code| code.split_once('m'));
    let numbers = |code: &str| -> Option<Vec<u16>> {
        if code.is_empty() {
            return Some(vec![0]);
        }
        code.split(';').map(|part| part.parse().ok()).collect()
    };
    codes.filter_map(|(code, _)| numbers(code)).collect()
}

/// Whether a parameter sets a colour; 39, 49 and 59 reset it.
const fn is_colour(number: u16) -> bool {
    matches!(number, 30..=38 | 40..=48 | 58 | 90..=97 | 100..=107)
}

/// The raw output of one screen of the arcade. `tui` tests the others.
fn written(variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let home = Home::new();
    let mut terminal = arcade_with(&home, &[&BATTLE, arguments].concat(), variables);
    terminal.see(ONE_MOVES);
    terminal.press("2");
    terminal.see("Player 1 moves 2 positions to position 2.");
    let raw = terminal.raw();
    leave(terminal);
    raw
}

#[test]
fn without_colour_bold_and_reverse_remain() {
    let usual = written(&[], &[]);
    assert!(usual.contains("\u{1b}[38;5;"), "{usual:?}");
    for (variables, arguments) in [
        (&[("NO_COLOR", "1")][..], &[][..]),
        (&[], &["--color", "never"]),
        (&[], &["--theme", "monochrome"]),
    ] {
        let raw = written(variables, arguments);
        let all = renditions(&raw).concat();
        let coloured: Vec<_> = all.iter().filter(|number| is_colour(**number)).collect();
        assert!(coloured.is_empty(), "{variables:?} {arguments:?} {coloured:?}\n{raw:?}");
        assert!(all.contains(&1) && all.contains(&7), "{variables:?} {arguments:?}\n{raw:?}");
    }
}

#[test]
fn where_the_locale_promises_nothing_all_letters_are_ascii() {
    for (variables, arguments) in [
        (&[("LANG", "C")][..], &[][..]),
        (&[("LC_ALL", "POSIX")], &[]),
        (&[("SKIRMISH_ASCII", "1")], &[]),
        (&[], &["--ascii"]),
    ] {
        let raw = written(variables, arguments);
        let other: String = raw.chars().filter(|letter| !letter.is_ascii()).collect();
        assert_eq!(other, "", "{variables:?} {arguments:?}");
    }
    assert!(!written(&[], &[]).is_ascii());
}

/// Whether raw output moves the cursor or clears the screen.
fn moves_the_cursor(raw: &str) -> bool {
    let ends = raw.split("\u{1b}[").skip(1).filter_map(|code| {
        code.find(|letter: char| letter.is_ascii_alphabetic()).map(|at| code.as_bytes()[at])
    });
    ends.into_iter().any(|end| b"ABCDEFGHJdf".contains(&end)) || raw.contains("\u{1b}[?1049")
}

#[test]
fn where_a_full_screen_is_unwanted_there_are_lines() {
    let game = ["play", "base-battle", "--first", "p1"];
    let plain = [&game[..], &["--plain"]].concat();
    let spoken = [&game[..], &["--screen-reader"]].concat();
    for (arguments, variables) in [
        (&game[..], &[("TERM", "dumb"), LANG][..]),
        (&plain, &[TERM, LANG]),
        (&spoken, &[TERM, LANG]),
    ] {
        let home = Home::new();
        let mut terminal = Terminal::sized(&home, arguments, SIZE, variables);
        terminal.see_prompt("Enter your move (1-3):");
        terminal.enter("2");
        terminal.see("Player 1 moves 2 positions to position 2.");
        terminal.see_prompt("Enter your move (1-3):");
        let raw = terminal.raw();
        assert!(!moves_the_cursor(&raw), "{arguments:?} {variables:?}\n{raw:?}");
        let pictured = raw.contains("[  _ ]");
        assert_eq!(pictured, arguments != spoken, "a picture or sentences\n{raw:?}");
        terminal.enter("quit");
        terminal.ends(0);
    }
}

#[test]
fn a_dumb_terminal_has_no_full_screen() {
    let home = Home::new();
    let variables = [("TERM", "dumb"), LANG];
    let terminal = Terminal::sized(&home, &["play", "base-battle", "--tui"], SIZE, &variables);
    terminal.see("error: --tui needs a terminal: TERM=dumb cannot move the cursor.");
    terminal.ends(2);
}

#[test]
fn the_menu_in_lines_moves_no_cursor() {
    for (arguments, variables) in [
        (&[][..], &[("TERM", "dumb"), LANG][..]),
        (&["--plain"], &[TERM, LANG]),
        (&["--screen-reader"], &[TERM, LANG]),
    ] {
        let home = Home::new();
        let mut terminal = Terminal::sized(&home, arguments, SIZE, variables);
        terminal.see_prompt("Enter a number, or q to quit [1]:");
        assert!(!moves_the_cursor(&terminal.raw()), "{arguments:?}\n{:?}", terminal.raw());
        terminal.enter("q");
        terminal.ends(0);
    }
}

#[test]
fn a_screen_reader_is_told_the_board_in_sentences() {
    let home = Home::new();
    let arguments = ["play", "base-battle", "--first", "p1", "--screen-reader"];
    let ran = home.run(&arguments, "2\n").exits(3);
    let ran = ran.says(&[
        "Player 1 has a piece on position 0; the goal is position 10 of 0 to 10.",
        "Player 1 has a piece on position 2; the goal is position 10 of 0 to 10.",
    ]);
    assert!(!ran.out.contains("[  _ ]"), "{}", ran.out);
}

#[test]
fn in_a_pipe_there_is_no_full_screen() {
    let home = Home::new();
    for command in [&["play", "base-battle"][..], &["puzzle"], &["join"]] {
        let ran = home.run(&[command, &["--tui"]].concat(), "2\n").exits(2);
        let told = "error: --tui needs a terminal: standard input or output is not one. \
                    Leave --tui out for plain lines\n";
        assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", told), "{command:?}");
    }
    let ran = home.run(&[], "").exits(2);
    assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
}

#[test]
fn the_whole_terminal_is_taken_and_given_back() {
    let home = Home::new();
    let terminal = arcade(&home, &["--no-motion"]);
    terminal.see(HOME);
    let picture = terminal.picture();
    assert!(picture.alternate_screen() && picture.hide_cursor());
    leave(terminal);
}
