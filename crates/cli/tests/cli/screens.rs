//! Real terminals: prompts, keys, colour, widths, the menu.

use skirmish_rules::GAMES;

use crate::support::Home;
use crate::terminal::{CTRL_C, CTRL_D, Terminal, UP, assert_tells};

const BATTLE: [&str; 4] = ["play", "base-battle", "--first", "p1"];
const ASK: &str = "Enter your move (1-3):";
const CHOOSE: &str = "Enter a number, or q to quit [1]:";

#[test]
fn a_game_is_played_at_the_prompt() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &BATTLE);
    let screen = terminal.see_prompt(ASK);
    let introduced =
        "\"help\" to list everything you can enter.\n\nPlayer 1, you are at position 0.";
    assert!(screen.contains(introduced), "{screen}");
    terminal.enter("2");
    let screen = terminal.see("Player 2, you are at position 10.");
    assert!(screen.contains("Enter your move (1-3): 2\n\nPlayer 1 moves 2 positions"), "{screen}");
    terminal.see_prompt(ASK);
    terminal.enter("# no comment");
    terminal.see("\"# no comment\" is not a move here: enter 1, 2 or 3.");
    terminal.see_prompt(ASK);
    terminal.enter("");
    terminal.wait("the question again", |screen| screen.contains(&format!("{ASK} \n{ASK}")));
    terminal.enter("quit");
    let screen = terminal.ends(0);
    assert_tells(&screen, "To go on: skirmish play --resume ");
}

#[test]
fn ctrl_c_at_the_visible_prompt_keeps_the_save_and_tells_the_way_back() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &BATTLE);
    terminal.see_prompt(ASK);
    terminal.enter("2");
    terminal.see("Player 2, you are at position 10.");
    terminal.see_prompt(ASK);
    terminal.press("1");
    terminal.press(CTRL_C);
    let screen = terminal.ends(130);
    assert_tells(&screen, "The game is saved. To go on: skirmish");
    assert!(home.save().ends_with("\n\n1. 2\n"), "what was half typed is not played");
}

#[test]
fn ctrl_d_is_the_end_of_the_input() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &BATTLE);
    terminal.see_prompt(ASK);
    terminal.enter("2");
    terminal.see("Player 2, you are");
    terminal.see_prompt(ASK);
    terminal.press(CTRL_D);
    let screen = terminal.ends(3);
    assert_tells(&screen, "The game is saved. To go on: skirmish");
}

#[test]
fn the_up_key_brings_back_what_was_typed() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &BATTLE);
    terminal.see_prompt(ASK);
    terminal.enter("3");
    terminal.see("Player 2, you are at position 10.");
    terminal.see_prompt(ASK);
    terminal.press(UP);
    terminal.see_prompt("Enter your move (1-3): 3");
    terminal.press("\u{7f}2\r");
    terminal.see("Player 2 moves 2 positions to position 8.");
}

#[test]
fn a_resize_in_the_middle_of_a_prompt_changes_nothing() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &BATTLE);
    terminal.see_prompt(ASK);
    terminal.press("2");
    terminal.see_prompt("Enter your move (1-3): 2");
    terminal.resize(70);
    terminal.resize(90);
    terminal.enter("");
    terminal.see("Player 1 moves 2 positions to position 2.");
    terminal.see_prompt(ASK);
    terminal.enter("quit");
    terminal.ends(0);
}

#[test]
fn in_a_narrow_window_sentences_break_at_words_and_a_command_stays_whole() {
    let home = Home::new();
    let narrow = |arguments: &[&str]| Terminal::with(&home, arguments, 40, &[]);
    let mut puzzle = narrow(&["puzzle", "base-battle", "--seed", "1"]);
    puzzle.see("Player 1 to move and win in 5: find the\nonly move.\n");
    puzzle.see_prompt(ASK);
    puzzle.press(CTRL_D);
    let screen = puzzle.ends(3);
    let told = "The same puzzle again:\nskirmish puzzle base-battle --seed 1\n";
    assert!(screen.contains(told), "{screen}");
    let mut mix = narrow(&["puzzle", "command-clash", "--seed", "20261116"]);
    mix.see("Player 2's mix in percent, such as\ncharge 50 attack 50:");
    mix.enter("solution");
    mix.ends(0);
    let found = narrow(&["find", "base-battle", "win"]).ends(0);
    assert!(found.contains("and 47 more:\n--limit 0 shows all.\n"), "{found}");
    let refused = narrow(&["show", "base-battle", "--position", "99/1/1"]).ends(2);
    let why = "error: 99/1/1 is not a legal position:\nthe board goes from 0 to 10\n";
    assert!(refused.contains(why), "{refused}");
}

#[test]
fn in_a_narrow_window_glyphs_as_ascii_fit_and_rows_break_at_words() {
    let home = Home::new();
    let shown = |arguments: &[&str], columns: u16| {
        Terminal::sized(&home, arguments, (columns, 400), &[]).ends(0)
    };
    let found = shown(&["find", "base-battle", "win", "--ascii"], 36);
    assert!(found.contains("... and 47\nmore: --limit 0 shows all.\n"), "{found}");
    let values = shown(&["analyze", "base-battle"], 24);
    assert!(values.contains("  * 3     to 3/10/2\n    win in 7\n"), "{values}");
    let rules = |game: &str, columns: u16| {
        let mut terminal = Terminal::sized(&home, &["rules", game], (columns, 400), &[]);
        terminal.see("Press Enter for more");
        terminal.enter("");
        terminal.ends(0)
    };
    let page = rules("capture-the-line", 60);
    let goal = "of a line towards its middle.\nThe first to reach the centre wins.\n\n## Goal";
    assert!(page.contains(goal), "{page}");
    let page = rules("base-battle", 40);
    let board = "  [  _ ][ P1 ][  _ ][ P2 ][  _ ]\n      6     7     8     9     10\n";
    assert!(page.contains(board), "{page}");
}

#[test]
fn a_dumb_terminal_gets_plain_text_and_can_be_left_with_ctrl_c() {
    let home = Home::new();
    let mut terminal = Terminal::with(&home, &BATTLE, 100, &[("TERM", "dumb")]);
    terminal.see_prompt(ASK);
    terminal.enter("2");
    terminal.see("Player 1 moves 2 positions to position 2.");
    terminal.see_prompt(ASK);
    assert!(!terminal.raw().contains('\u{1b}'), "{:?}", terminal.raw());
    terminal.press(CTRL_C);
    let screen = terminal.ends(130);
    assert_tells(&screen, "The game is saved. To go on: skirmish");
}

/// The number of escape codes that set a colour.
fn colours(terminal: &Terminal) -> usize {
    let raw = terminal.raw();
    let codes = raw.split("\u{1b}[").skip(1).filter_map(|code| code.split_once('m'));
    codes.filter(|(code, _)| code.split(';').any(|part| part.len() == 2)).count()
}

#[test]
fn the_players_have_colours_unless_they_are_unwanted() {
    let usual = ("TERM", "xterm-256color");
    let never = [&BATTLE[..], &["--color", "never"]].concat();
    let always = [&BATTLE[..], &["--color", "always"]].concat();
    for (arguments, variables, coloured) in [
        (&BATTLE[..], &[usual][..], true),
        (&BATTLE, &[usual, ("NO_COLOR", "1")], false),
        (&BATTLE, &[("TERM", "dumb")], false),
        (&never, &[usual], false),
        (&always, &[usual, ("NO_COLOR", "1")], true),
    ] {
        let home = Home::new();
        let terminal = Terminal::with(&home, arguments, 100, variables);
        terminal.see_prompt(ASK);
        let raw = terminal.raw();
        assert_eq!(colours(&terminal) > 0, coloured, "{arguments:?} {variables:?}\n{raw:?}");
    }
}

#[test]
fn in_a_pipe_colour_has_to_be_asked_for() {
    let home = Home::new();
    let plain = home.run(&BATTLE, "").exits(3).out;
    assert!(!plain.contains('\u{1b}'));
    let mut forced = home.command(&BATTLE);
    forced.env("CLICOLOR_FORCE", "1");
    let forced = crate::support::run(forced, "").exits(3).out;
    assert!(forced.contains("\u{1b}["), "{forced:?}");
    let always = home.run(&["--color", "always", "show", "base-battle"], "").exits(0).out;
    assert!(always.contains("\u{1b}["), "{always:?}");
}

#[test]
fn a_narrow_window_breaks_the_board_into_bands() {
    let home = Home::new();
    let terminal = Terminal::with(&home, &BATTLE, 40, &[("TERM", "dumb")]);
    let screen = terminal.see_prompt(ASK);
    let bands = "
[ P1 ][  _ ][  _ ][  _ ][  _ ][  _ ]
  0     1     2     3     4     5

[  _ ][  _ ][  _ ][  _ ][ P2 ]
  6     7     8     9     10
";
    assert!(screen.contains(bands), "{screen}");

    let home = Home::new();
    let arguments = ["play", "command-line-conquer"];
    let terminal = Terminal::with(&home, &arguments, 40, &[("TERM", "dumb")]);
    let screen = terminal.see_prompt("recruit):");
    let bands = "
Positions: 0     1     2     3     4
Units:     P1(1)

           5     6     7     8     9


           10
           P2(1)
";
    assert!(screen.contains(bands), "{screen}");
}

#[test]
fn the_menu_leads_to_a_game() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["play"]);
    let screen = terminal.see_prompt(CHOOSE);
    assert!(screen.contains("  3  Base Battle "), "{screen}");
    assert!(!screen.contains("Go on with"), "nothing is saved yet");
    let games: Vec<String> = (1..=GAMES.iter().count()).map(|number| number.to_string()).collect();
    let (last, others) = games.split_last().expect("there are games");
    terminal.enter("99");
    terminal.see(&format!("Enter {} or {last}.", others.join(", ")));
    terminal.see_prompt(CHOOSE);
    terminal.enter("3");
    terminal.see("Against whom?");
    terminal.see_prompt(CHOOSE);
    terminal.enter("");
    terminal.see("Who starts?");
    terminal.see_prompt(CHOOSE);
    terminal.enter("3");
    terminal.see("Player 2, you are at position 10.");
    terminal.see_prompt(ASK);
    terminal.enter("quit");
    terminal.ends(0);
}

#[test]
fn the_menu_offers_the_saved_game() {
    let home = Home::new();
    home.run(&["play", "capture-the-line"], "2\n").exits(3);
    let mut terminal = Terminal::open(&home, &["--plain"]);
    let after_the_games = GAMES.iter().count() + 1;
    terminal.see(&format!("  {after_the_games}  Go on with Capture the Line, saved after turn 1"));
    terminal.see_prompt(CHOOSE);
    terminal.enter(&after_the_games.to_string());
    terminal.see("It's Player 2's turn.");
    terminal.see_prompt("that many points):");
    terminal.press(CTRL_C);
    terminal.ends(130);
}

#[test]
fn the_menu_can_be_left() {
    for (keys, code) in [("q\r", 0), (CTRL_D, 0), (CTRL_C, 130)] {
        let home = Home::new();
        let mut terminal = Terminal::open(&home, &["--plain"]);
        terminal.see_prompt(CHOOSE);
        terminal.press(keys);
        terminal.ends(code);
        assert_eq!(home.saves().len(), 0);
    }
}
