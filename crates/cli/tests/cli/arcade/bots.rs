//! Bots in the arcade.

use super::{HOME, arcade, leave};
use crate::bots::{eventually, nobody_sleeps, sleeper};
use crate::support::Home;
use crate::terminal::{CTRL_C, Terminal};

/// Opens Capture the Line with a bot as Player 2.
fn against(home: &Home, bot: &str) -> Terminal {
    arcade(home, &["play", "capture-the-line", "--tui", "--no-motion", "--p2", bot])
}

#[test]
fn a_bot_that_hangs_holds_nothing_up_and_ends_with_its_game() {
    let home = Home::new();
    let mut terminal = against(&home, &sleeper("", "86471"));
    terminal.see("Your move");
    terminal.press("2");
    terminal.see("Player 2 (sh) thinks…");
    eventually("the bot starts", || home.file("started").exists());
    terminal.press("u");
    terminal.see("The last turn has been taken back.");
    nobody_sleeps("86471");
    terminal.press("2");
    terminal.see("Player 2 (sh) thinks…");
    terminal.escape();
    terminal.see(HOME);
    nobody_sleeps("86471");
    terminal.see_chosen("Continue");
    terminal.press("\r");
    // This session started the bot's command, so it may run it again.
    terminal.see("Player 2 (sh) thinks…");
    terminal.escape();
    terminal.see(HOME);
    nobody_sleeps("86471");
    leave(terminal);
}

#[test]
fn ctrl_c_ends_the_bot_too() {
    let home = Home::new();
    let mut terminal = against(&home, &sleeper("json:", "86472"));
    terminal.see("Your move");
    terminal.press("2");
    terminal.see("Player 2 (sh) thinks…");
    eventually("the bot starts", || home.file("started").exists());
    terminal.press(CTRL_C);
    let screen = terminal.ends(130);
    assert!(screen.contains("--p2 'json:sh -c"), "{screen}");
    nobody_sleeps("86472");
}
