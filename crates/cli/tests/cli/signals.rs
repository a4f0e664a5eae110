//! Signals end a game cleanly: exit code, save, and the command to resume.

use crate::support::{Home, read, send};
use crate::terminal::{Terminal, assert_tells};

const SIGNALS: [(&str, i32); 3] = [("HUP", 129), ("INT", 130), ("TERM", 143)];

#[test]
fn in_a_pipe_a_signal_keeps_the_save_and_tells_the_way_back() {
    for (signal, code) in SIGNALS {
        let home = Home::new();
        let mut talk = home.talk(&["play", "capture-the-line"]);
        talk.say("2\n");
        talk.hear("Current Positions: Player 2 at Point 11, Player 1 at Point 3.\nChoose");
        send(signal, talk.process());
        let ran = talk.wait().exits(code);
        let told = "\nThe game is saved. To go on: skirmish play --resume /";
        assert!(ran.err.starts_with(told), "{}", ran.err);
        home.run(&["play", "--resume"], "").exits(3).says(&["after turn 1.\n"]);
    }
}

/// R-CL-6: a pending choice is never written to a file.
#[test]
fn a_signal_does_not_betray_a_choice_that_waits() {
    let home = Home::new();
    let mut talk = home.talk(&["play", "command-clash"]);
    talk.say("charge\nshield\nsPeCiAl\nboard\n");
    talk.hear("(hidden)");
    talk.hear("board\nPlayer 1  ");
    send("TERM", talk.process());
    let ran = talk.wait().exits(143);
    let all = format!("{}{}{}", ran.out, ran.err, home.save());
    assert!(!all.to_lowercase().replace("special attack,", "").contains("special"), "{all}");
}

#[test]
fn at_the_visible_prompt_of_a_terminal_a_signal_restores_it() {
    for (signal, code) in SIGNALS {
        let home = Home::new();
        let mut terminal = Terminal::open(&home, &["play", "capture-the-line"]);
        terminal.see_prompt("that many points):");
        terminal.enter("2");
        terminal.see("It's Player 2's turn.");
        terminal.see_prompt("that many points):");
        send(signal, terminal.process());
        let screen = terminal.ends(code);
        assert_tells(&screen, "The game is saved. To go on: skirmish");
        assert!(home.save().ends_with("1. 2\n"));
    }
}

#[test]
fn at_the_hidden_prompt_of_a_terminal_a_signal_restores_it() {
    for (signal, code) in SIGNALS {
        let home = Home::new();
        let mut terminal = Terminal::open(&home, &["play", "command-clash"]);
        terminal.see_prompt("Shield):");
        terminal.enter("special");
        terminal.see_prompt("Player 2, press Enter when ready.");
        send(signal, terminal.process());
        let screen = terminal.ends(code);
        assert!(screen.contains("No turn was played, so nothing is saved."), "{screen}");
        assert!(home.saves().is_empty(), "{:?}", home.saves());
        assert!(!screen.contains("special"), "{screen}");
    }
}

/// A failed print once panicked with exit code 101.
#[test]
fn a_closed_window_ends_the_program_as_a_hangup_does() {
    for (arguments, seen, key) in [
        (&["play", "base-battle", "--first", "p1"][..], "Enter your move (1-3):", "2\r"),
        (&["play", "base-battle", "--first", "p1", "--plain"], "Enter your move (1-3):", "2\r"),
        (&["play", "command-clash"], "Shield):", "charge\r"),
        (&["play", "base-battle", "--first", "p1", "--tui"], "Player 1, your move", "2"),
        (&[], "What shall we play?", "j"),
    ] {
        let home = Home::new();
        let file = home.file("code");
        let variables = [("TERM", "xterm-256color"), ("EXIT_FILE", file.to_str().expect("text"))];
        let terminal = Terminal::sized(&home, arguments, (100, 30), &variables);
        terminal.see(seen);
        terminal.close(key);
        assert_eq!(read(&file), "129\n", "{arguments:?}");
    }
}
