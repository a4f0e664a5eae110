//! R-CL-6: nobody may see the other's choice in Command Clash before both have chosen.

use crate::support::{Home, undated};
use crate::terminal::{CTRL_C, CTRL_D, Terminal};

const ASK_ONE: &str = "Player 1, enter your action (Charge, Attack, Special Attack, Shield):";
const ASK_TWO: &str = "Player 2, enter your action (Charge, Attack, Special Attack, Shield):";
const READY: &str = "Player 2, press Enter when ready.";

/// Plays until Player 2 is asked, after Player 1 made this choice.
fn up_to_player_2(choice: &str) -> (Terminal, Home) {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["play", "command-clash"]);
    terminal.see_prompt(ASK_ONE);
    terminal.enter(choice);
    terminal.see_prompt(READY);
    terminal.enter("");
    terminal.see_prompt(ASK_TWO);
    (terminal, home)
}

#[test]
fn on_a_terminal_nothing_depends_on_the_first_choice_until_both_are_in() {
    let (mut terminal, _home) = up_to_player_2("sPeCiAl");
    let raw = terminal.raw();
    assert!(!raw.contains("sPeCiAl"), "{raw:?}");
    assert_eq!(raw.matches("What you type stays hidden.").count(), 2, "{raw:?}");
    for other in ["charge", "a", "shield"] {
        let (other, _home) = up_to_player_2(other);
        assert_eq!(other.raw(), raw, "the raw output is the same, whatever was typed");
    }
    terminal.enter("sHiElD");
    let screen = terminal.see("Player 2 blocks the Special Attack!");
    assert!(screen.contains("Player 1 uses Special Attack!"), "{screen}");
    assert!(!terminal.raw().contains("sHiElD"), "the second choice is not echoed either");
}

/// A typing error such as "atack" was once echoed where the other player could read it.
#[test]
fn on_a_terminal_a_slip_is_refused_without_being_repeated() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["play", "command-clash"]);
    terminal.see_prompt(ASK_ONE);
    terminal.enter("zpecial");
    terminal.see("That does not name one of your actions: enter Charge, Attack");
    terminal.see_prompt(ASK_ONE);
    terminal.enter("s");
    terminal.wait("two refusals", |screen| screen.matches("That does not name").count() == 2);
    assert!(!terminal.raw().contains("zpecial"), "{:?}", terminal.raw());
    assert!(!terminal.raw().contains("\"s\""), "{:?}", terminal.raw());
}

#[test]
fn typing_ahead_is_not_shown_either() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["play", "command-clash"]);
    terminal.see_prompt(ASK_ONE);
    terminal.press("cHaRgE\r\raTtAcK\r");
    terminal.see("Player 2 attacks! (Cost: 1 CP; Player 2 CP: 4)");
    let raw = terminal.raw();
    assert!(!raw.contains("cHaRgE") && !raw.contains("aTtAcK"), "{raw:?}");
}

/// As in the rulebook, but the first choice stays hidden until the second is made.
#[test]
fn in_a_pipe_a_choice_is_not_printed_before_both_are_in() {
    let home = Home::new();
    let mut talk = home.talk(&["play", "command-clash"]);
    talk.say("sPeCiAl\n");
    talk.hear(ASK_ONE);
    // Once the board is shown again, the first choice has been read.
    talk.say("board\n");
    let out = talk.hear("board\nPlayer 1  [#####] 5 CP\n");
    assert!(!out.contains("sPeCiAl"), "{out}");
    assert!(out.contains(&format!("{ASK_ONE} (hidden)\n{ASK_TWO} board\n")), "{out}");
    talk.say("shield\nChArGe\n");
    talk.hear("Player 2 blocks the Special Attack!");
    assert!(!talk.so_far().contains("ChArGe"), "nor in the next turn");
    talk.say("AtTaCk\n");
    let ask_one = ASK_ONE.replace("Special Attack, ", "");
    talk.hear(&format!("{ask_one} ChArGe\n{ASK_TWO} AtTaCk\n\nActions resolving...\n"));
    talk.end().exits(3);
}

#[test]
fn in_a_pipe_nothing_depends_on_a_choice_that_waits() {
    let left = |choice: &str| {
        let home = Home::new();
        let input = format!("charge\nshield\n{choice}\nhelp\nmoves\n");
        let ran = home.run(&["play", "command-clash"], input).exits(3);
        (ran.out, undated(&home.save()))
    };
    let expected = left("charge");
    for choice in ["attack", "special", "Special Attack", "sh"] {
        assert_eq!(left(choice), expected);
    }
}

#[test]
fn in_a_pipe_a_slip_is_refused_without_being_repeated() {
    let home = Home::new();
    let ran = home.run(&["play", "command-clash"], "zpecial\nquit\n").exits(0);
    assert!(!ran.out.contains("zpecial"), "{}", ran.out);
    ran.says(&["(hidden)\nThat does not name one of your actions: enter Charge, Attack"]);
    let json = home.run(&["play", "command-clash", "--json"], "zpecial\nquit\n").exits(0);
    assert!(!json.out.contains("zpecial"), "{}", json.out);
}

#[test]
fn ctrl_c_at_a_hidden_prompt_restores_the_echo() {
    for choices in [&[][..], &["special"], &["special", ""]] {
        let home = Home::new();
        let mut terminal = Terminal::open(&home, &["play", "command-clash"]);
        let prompts = [ASK_ONE, READY, ASK_TWO];
        for (prompt, choice) in prompts.iter().zip(choices) {
            terminal.see_prompt(prompt);
            terminal.enter(choice);
        }
        terminal.see_prompt(prompts[choices.len()]);
        terminal.press(CTRL_C);
        let screen = terminal.ends(130);
        assert!(screen.contains("No turn was played, so nothing is saved."), "{screen}");
        assert!(home.saves().is_empty(), "{:?}", home.saves());
    }
}

#[test]
fn ctrl_d_at_a_hidden_prompt_is_the_end_of_the_input() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["play", "command-clash"]);
    terminal.see_prompt(ASK_ONE);
    terminal.enter("special");
    terminal.see_prompt(READY);
    terminal.press(CTRL_D);
    let screen = terminal.ends(3);
    assert!(screen.contains("No turn was played, so nothing is saved."), "{screen}");
    assert!(!screen.contains("special"), "{screen}");
}

#[test]
fn echo_is_back_when_the_game_is_over() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["play", "command-clash", "--match", "2"]);
    terminal.see_prompt(ASK_ONE);
    terminal.enter("resign");
    terminal.see_prompt("do you resign (yes or no)?");
    terminal.enter("yes");
    terminal.see("Game 2 of 2");
    terminal.see_prompt(ASK_ONE);
    terminal.enter("special");
    terminal.see_prompt(READY);
    assert!(!terminal.raw().contains("special"), "the second game is as secret as the first");
    terminal.enter("");
    terminal.see_prompt(ASK_TWO);
    terminal.enter("resign");
    terminal.see_prompt("do you resign (yes or no)?");
    terminal.enter("yes");
    terminal.ends(0);
}

#[test]
fn a_dumb_terminal_keeps_secrets_too() {
    let home = Home::new();
    let mut terminal = Terminal::with(&home, &["play", "command-clash"], 100, &[("TERM", "dumb")]);
    terminal.see_prompt(ASK_ONE);
    terminal.enter("sPeCiAl");
    terminal.see_prompt(READY);
    terminal.enter("");
    terminal.see_prompt(ASK_TWO);
    assert!(!terminal.raw().contains("sPeCiAl"));
    assert!(!terminal.raw().contains('\u{1b}'), "{:?}", terminal.raw());
}

/// A shell turns echo on when it suspends a program, and echo once stayed on after `fg`.
#[test]
fn on_a_terminal_the_game_cannot_be_suspended_while_secrets_are_typed() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["play", "command-clash"]);
    terminal.see_prompt(ASK_ONE);
    terminal.press("\u{1a}");
    terminal.enter("charge");
    // The key is then an ordinary character, which makes the line invalid instead of stopping the program.
    terminal.see("That does not name one of your actions");
    terminal.enter("charge");
    terminal.see_prompt(READY);
}
