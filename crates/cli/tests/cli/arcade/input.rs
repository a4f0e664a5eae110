//! Keys, mouse and typed words during a game.

use super::{BATTLE, ONE_MOVES, TWO_MOVES, arcade, battle, leave};
use crate::support::Home;
use crate::terminal::{DOWN, UP, assert_tells};

#[test]
fn numbers_arrows_letters_and_the_mouse_choose() {
    let home = Home::new();
    let mut terminal = battle(&home);
    terminal.see("Player 1 moves 2 positions to position 2.");
    terminal.see_chosen("1 step");
    terminal.press(DOWN);
    terminal.see_chosen("2 steps");
    terminal.press("\r");
    terminal.see("Player 2 moves 2 positions to position 8.");
    terminal.see_chosen("1 step");
    terminal.press("jj");
    terminal.see_chosen("3 steps");
    terminal.press("k");
    terminal.see_chosen("2 steps");
    terminal.press(UP);
    terminal.see_chosen("1 step");
    terminal.press(" ");
    terminal.see("Player 1 moves 1 position to position 3.");
    terminal.click("3 steps");
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
fn a_player_at_another_window_hears_the_bell_and_the_clipboard_is_set() {
    let home = Home::new();
    let versus = [&BATTLE[..], &["--p2", "casual", "--seed", "1"]].concat();
    let mut terminal = arcade(&home, &versus);
    terminal.see("Your move");
    assert!(terminal.raw().contains("\u{1b}[?1004h"), "the terminal reports the focus");
    let before = terminal.written();
    terminal.press("\u{1b}[O2");
    terminal.see("turn 3");
    terminal.see_raw(before, "\u{7}");
    terminal.press(":copy position\r");
    terminal.see("Copied the position to the clipboard: ");
    terminal.see_raw(before, "\u{1b}]52;c;");
    terminal.press("qy");
    let screen = terminal.ends(0);
    assert_tells(&screen, "The game is saved.");
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
fn typing_ahead_loses_nothing() {
    let home = Home::new();
    let mut terminal = arcade(&home, &BATTLE);
    terminal.see(ONE_MOVES);
    terminal.press("21:undo\r3");
    terminal.see("Player 2 moves 3 positions to position 7.");
    leave(terminal);
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
