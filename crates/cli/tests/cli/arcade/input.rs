//! Keys, the mouse and words, while a game is played.

use std::thread;
use std::time::Duration;

use super::{BATTLE, HOME, ONE_MOVES, TWO_MOVES, arcade, arcade_with, battle, leave};
use crate::support::Home;
use crate::terminal::{DOWN, Terminal, UP, assert_tells};

/// Enters a word behind the colon.
fn say(terminal: &mut Terminal, words: &str) {
    terminal.press(":");
    terminal.see("close");
    terminal.enter(words);
}

#[test]
fn numbers_arrows_letters_and_the_mouse_choose() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.see("Player 1 moves 2 positions to position 2.");
    terminal.see_chosen("move 1");
    terminal.press(DOWN);
    terminal.see_chosen("move 2");
    terminal.press("\r");
    terminal.see("Player 2 moves 2 positions to position 8.");
    terminal.see_chosen("move 1");
    terminal.press("jj");
    terminal.see_chosen("move 3");
    terminal.press("k");
    terminal.see_chosen("move 2");
    terminal.press(UP);
    terminal.see_chosen("move 1");
    terminal.press(" ");
    terminal.see("Player 1 moves 1 position to position 3.");
    terminal.click("move 3");
    terminal.see("Player 2 moves 3 positions to position 5.");
    leave(terminal);
}

/// Each letter of a pasted text once played a turn.
#[test]
fn pasted_text_plays_nothing() {
    let home = Home::new();
    let mut terminal = battle(&home);
    assert!(terminal.raw().contains("\u{1b}[?2004h"), "the terminal marks pasted text");
    terminal.press("\u{1b}[200~3 2\n1\u{1b}[201~");
    terminal.see("Text can be pasted only where you type.");
    terminal.see(TWO_MOVES);
    leave(terminal);
    assert!(home.save().ends_with("1. 2\n"), "{}", home.save());
}

#[test]
fn letters_choose_where_choices_are_words() {
    let home = Home::new();
    let arguments = ["play", "command-line-conquer", "--tui", "--no-motion"];
    let mut terminal = arcade(&home, &arguments);
    terminal.see(ONE_MOVES);
    terminal.press("r");
    terminal.see("Player 1 recruits a new unit at position 0.");
    terminal.press("0");
    terminal.see("Player 2 moves a unit from position 10 to 9.");
    leave(terminal);
}

#[test]
fn keys_in_the_bottom_line_can_be_clicked() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.click("u undo");
    terminal.see("The last turn has been taken back.");
    terminal.click("? help");
    terminal.see("Keys: Base Battle");
    terminal.press("x");
    terminal.wait("no help", |screen| !screen.contains("Keys: Base Battle"));
    leave(terminal);
}

#[test]
fn words_do_what_they_do_in_line_mode() {
    let home = Home::new();
    let arguments = ["play", "command-line-conquer", "--tui", "--no-motion"];
    let mut terminal = arcade(&home, &arguments);
    terminal.see(ONE_MOVES);
    say(&mut terminal, "move 0");
    terminal.see("Player 1 moves a unit from position 0 to 1.");
    say(&mut terminal, "undo");
    terminal.see("The last turn has been taken back.");
    terminal.see(ONE_MOVES);
    say(&mut terminal, "frobnicate");
    terminal.see("\"frobnicate\" is not");
    say(&mut terminal, "save here.skr");
    terminal.see("Saved");
    assert!(home.file("here.skr").exists());
    say(&mut terminal, "help");
    terminal.see("Words to type behind :");
    terminal.escape();
    terminal.see(ONE_MOVES);
    terminal.press(":recr");
    terminal.see(":recr");
    terminal.escape();
    terminal.wait("no line", |screen| !screen.contains(":recr"));
    for (typed, key) in [("res", "n"), ("resign", "y")] {
        say(&mut terminal, typed);
        terminal.see("Player 1, do you resign? y or n");
        terminal.press(key);
    }
    terminal.see("Player 2 wins the game!");
    terminal.press("\r");
    terminal.see("the game is over");
    leave(terminal);
}

#[test]
fn hints_and_the_analysis_come_when_they_are_asked_for() {
    let home = Home::new();
    let mut terminal = battle(&home);
    // While the game is being solved, the answer is to ask again.
    while !terminal.screen().contains("Best: ") {
        let before = terminal.written();
        terminal.press("h");
        terminal.wait_written(before);
        terminal
            .wait("an answer", |screen| screen.contains("Best: ") || screen.contains("ask again"));
    }
    terminal.press("a");
    terminal.wait("the analysis beside the choices", |screen| !screen.contains("╭ Log"));
    terminal.press("a");
    terminal.see("╭ Log");
    leave(terminal);
}

#[test]
fn undo_and_new() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.press("u");
    terminal.see("The last turn has been taken back.");
    terminal.see(ONE_MOVES);
    terminal.press("u");
    terminal.see("There is no turn to take back.");
    terminal.press("n");
    terminal.see("Set up the game");
    terminal.escape();
    terminal.see(ONE_MOVES);
    leave(terminal);
}

#[test]
fn help_covers_the_screen_until_a_key_is_pressed() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.press("?");
    terminal.see("Keys: Base Battle");
    terminal.see("pause; fg brings it back");
    terminal.press("1");
    terminal.wait("no help", |screen| !screen.contains("Keys: Base Battle"));
    terminal.see(TWO_MOVES);
    leave(terminal);
}

#[test]
fn quitting_in_the_middle_of_a_game_is_worth_a_question() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.press("q");
    terminal.see("Leave?");
    terminal.escape();
    terminal.wait("the game", |screen| !screen.contains("Leave?"));
    terminal.see(TWO_MOVES);
    terminal.press("q");
    terminal.see("Leave?");
    terminal.press("y");
    let screen = terminal.ends(0);
    assert_tells(&screen, "The game is saved. To go on: skirmish play --resume ");
    assert!(screen.replace('\n', "").contains(".skr --tui"), "full screen again: {screen}");
    assert!(home.save().ends_with("1. 2\n"), "{}", home.save());
}

#[test]
fn a_game_that_was_left_is_gone_on_with_from_the_home_screen() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.escape();
    terminal.see(HOME);
    // It is the first of all, and chosen already.
    terminal.click("Continue at turn 2");
    terminal.see(TWO_MOVES);
    terminal.press("1");
    terminal.see("Player 2 moves 1 position to position 9.");
    leave(terminal);
    assert!(home.save().ends_with("1. 2\n2. 1\n"), "{}", home.save());
}

#[test]
fn typing_ahead_loses_nothing() {
    let home = Home::new();
    let mut terminal = arcade(&home, &BATTLE);
    terminal.see(ONE_MOVES);
    terminal.press("21:undo\r3");
    terminal.see("Player 2 moves 3 positions to position 7.");
    leave(terminal);
}

/// The bytes of a key may come apart on a slow link: ESC was once taken for the Escape key, and left the game.
#[test]
fn an_arrow_key_in_pieces_is_not_escape() {
    let home = Home::new();
    // Longer than any pause of this test.
    let mut terminal = arcade_with(&home, &BATTLE, &[("ESCDELAY", "600000")]);
    terminal.see_chosen("move 1");
    for (byte, arrow, chosen) in
        [("\u{1b}", DOWN, "move 2"), ("\u{1b}[", DOWN, "move 3"), ("\u{1b}", UP, "move 2")]
    {
        terminal.press(byte);
        // Another key would be read together with it, so only time tells that the first byte has been read.
        thread::sleep(Duration::from_millis(150));
        terminal.press(&arrow[byte.len()..]);
        terminal.see_chosen(chosen);
    }
    terminal.press("q");
    terminal.see("Leave?");
    terminal.press("y");
    terminal.ends(0);
}

#[test]
fn ctrl_l_draws_everything_again() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.settle();
    let before = terminal.written();
    terminal.redraw();
    assert!(terminal.raw_since(before).contains(TWO_MOVES));
    leave(terminal);
}
