//! Exit, suspension, resizing and idling of the arcade.

use super::{BATTLE, HOME, LANG, ONE_MOVES, SIZE, TERM, arcade, battle, leave};
#[cfg(target_os = "linux")]
use crate::bots::eventually;
use crate::support::{Home, send};
use crate::terminal::{CTRL_C, CTRL_Z, Terminal, assert_tells};

const SAVED: &str = "The game is saved. To go on: skirmish play --resume ";

const SIGNALS: [(&str, i32); 3] = [("HUP", 129), ("INT", 130), ("TERM", 143)];

/// Asserts that the program used the full screen and restored the terminal.
fn assert_gave_back(raw: &str) {
    let (taken, given) = (raw.matches("\u{1b}[?1049h"), raw.matches("\u{1b}[?1049l"));
    assert!(taken.count() > 0 && given.count() > 0, "{raw:?}");
    let after = raw.rsplit("\u{1b}[?1049l").next().unwrap_or_default();
    assert!(after.contains("\u{1b}[?25h"), "the cursor is shown\n{raw:?}");
    assert!(raw.contains("\u{1b}[?1000l"), "the mouse is let go\n{raw:?}");
}

#[test]
fn a_signal_at_home_gives_the_terminal_back() {
    for (signal, code) in SIGNALS {
        let home = Home::new();
        let terminal = arcade(&home, &[]);
        terminal.see(HOME);
        send(signal, terminal.process());
        let screen = terminal.ends(code);
        assert!(!screen.contains("To go on"), "there is nothing to go on with\n{screen}");
    }
}

#[test]
fn a_signal_in_a_game_keeps_the_save_and_tells_the_way_back() {
    for (signal, code) in SIGNALS {
        let home = Home::new();
        let terminal = battle(&home);
        send(signal, terminal.process());
        let screen = terminal.wait("the end", |screen| screen.contains("exit="));
        assert_tells(&screen, SAVED);
        assert_gave_back(&terminal.raw());
        terminal.ends(code);
        assert!(home.save().ends_with("1. 2\n"), "{}", home.save());
        home.run(&["play", "--resume"], "").exits(3).says(&["after turn 1.\n"]);
    }
}

#[test]
fn ctrl_c_ends_at_home_and_in_a_game() {
    let home = Home::new();
    let mut terminal = arcade(&home, &["--no-motion"]);
    terminal.see(HOME);
    terminal.press(CTRL_C);
    terminal.ends(130);

    let mut terminal = battle(&home);
    terminal.press(CTRL_C);
    let screen = terminal.ends(130);
    assert_tells(&screen, SAVED);

    let mut terminal = battle(&home);
    terminal.press(":und");
    terminal.see(":und");
    terminal.press(CTRL_C);
    terminal.ends(130);
}

/// R-CL-6: a pending choice is never written to a file.
#[test]
fn a_signal_does_not_betray_a_choice_that_waits() {
    let home = Home::new();
    let mut terminal = arcade(&home, &["play", "command-clash", "--tui", "--no-motion"]);
    terminal.see("Both choose");
    terminal.press("17");
    terminal.see("turn 2 ");
    terminal.press("3");
    terminal.see("Player 1: ready");
    send("TERM", terminal.process());
    let screen = terminal.ends(143);
    assert_tells(&screen, SAVED);
    assert!(!format!("{screen}{}", home.save()).contains("pecial"), "{screen}");
}

#[test]
fn the_game_is_saved_when_its_window_is_closed() {
    let home = Home::new();
    battle(&home).close("j");
    assert!(home.save().ends_with("1. 2\n"), "{}", home.save());
    let terminal = arcade(&home, &["--no-motion"]);
    terminal.see("Continue at turn 2");
    terminal.close("j");
}

/// Waits until the screen shows this many reports of a suspension; earlier reports stay visible.
fn see_suspended(terminal: &Terminal, times: usize) -> String {
    terminal
        .wait("suspended", |screen| screen.matches("suspended: isig icanon echo").count() == times)
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_the_shell_brings_the_game_to_the_foreground() {
    let home = Home::new();
    let mut terminal = Terminal::with_jobs(&home, &BATTLE, SIZE, &[TERM, LANG]);
    terminal.see(ONE_MOVES);
    for (times, turn) in [(1, "2"), (2, "1")] {
        terminal.press(CTRL_Z);
        let suspended = see_suspended(&terminal, times);
        assert!(suspended.contains("isig icanon echo"), "{suspended}");
        terminal.assert_given_back();
        terminal.enter("");
        terminal.see("our move");
        terminal.press(turn);
        terminal.see(&format!("moves {turn} position"));
    }
    // SIGTSTP suspends the program, as the key does.
    send("TSTP", terminal.process());
    see_suspended(&terminal, 3);
    terminal.enter("");
    terminal.see(ONE_MOVES);
    terminal.press(CTRL_C);
    let screen = terminal.ends(130);
    assert_tells(&screen, SAVED);
}

/// A burst of window sizes, from zero to very large.
fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let corners = [(1, 1), (200, 60), (39, 12), (40, 11), (40, 12), (200, 1), (1, 60), (80, 24)];
    corners.into_iter().chain((1..=42).map(|step| (1 + step * 67 % 200, 1 + step * 23 % 60)))
}

#[test]
fn a_storm_of_resizes_harms_nothing() {
    let home = Home::new();
    let mut terminal = battle(&home);
    let mut turns = 1;
    for (number, size) in sizes().enumerate() {
        terminal.resize_to(size);
        if number % 10 == 9 {
            // The game continues however small the window is.
            terminal.press("1");
            turns += 1;
        }
    }
    terminal.resize_to((30, 10));
    terminal.wait("the line that tells what is needed", |screen| {
        let line: Vec<&str> = screen.split_whitespace().collect();
        line.join(" ") == "Skirmish needs 40x12; this window is 30x10."
    });
    terminal.resize_to((40, 12));
    terminal.see("to move");
    terminal.resize_to(SIZE);
    terminal.see(&format!("turn {} ", turns + 1));
    terminal.see("our move");
    terminal.press("u");
    terminal.see("The last turn has been taken back.");
    leave(terminal);
}

/// How often the threads of a process have gone to sleep. A process that stays asleep does not do so again.
#[cfg(target_os = "linux")]
fn naps(process: u32) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("the process lives");
    // A thread may end in the meantime.
    let states =
        tasks.flatten().filter_map(|it| std::fs::read_to_string(it.path().join("status")).ok());
    let naps = |state: String| -> Option<u64> {
        let line = state.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line?.trim().parse().ok()
    };
    states.filter_map(naps).sum()
}

#[cfg(target_os = "linux")]
#[test]
fn a_game_that_waits_costs_nothing() {
    let home = Home::new();
    let terminal = battle(&home);
    let process = terminal.process();
    // The game is first solved in the background, however long that takes on this machine.
    eventually("the waiting game rests", || {
        let before = (terminal.written(), naps(process));
        // This takes many times longer than a frame of the arcade.
        home.run(&["solve", "command-clash"], "").exits(0);
        (terminal.written(), naps(process)) == before
    });
    leave(terminal);
}
