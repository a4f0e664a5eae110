//! A game in progress belongs to one program, and other files in the folder of saved games are reported.

use std::fs;

use crate::support::{Home, Talk, read};
#[cfg(unix)]
use crate::terminal::Terminal;

const LINE: [&str; 2] = ["play", "capture-the-line"];

/// Starts a game and plays one turn; returns the running program and the game's file.
fn playing(home: &Home) -> (Talk, String) {
    let mut talk = home.talk(&LINE);
    talk.say("2\n");
    talk.hear("Current Positions: Player 2 at Point 11, Player 1 at Point 3.\nChoose");
    let save = home.saves().pop().expect("it is saved");
    (talk, save.display().to_string())
}

/// Both programs once said "saved", and one of them lost its turns.
#[test]
fn a_second_program_is_told_who_plays_and_changes_nothing() {
    let home = Home::new();
    let (mut talk, file) = playing(&home);
    let before = read(file.as_ref());
    let ran = home.run(&["play", "--resume", &file], "1\n").exits(1);
    let told = format!("error: {file} is being played by process {}", talk.process());
    assert!(ran.err.starts_with(&told), "{}", ran.err);
    for way in ["skirmish replay ", "--copy"] {
        assert!(ran.err.contains(way), "{}", ran.err);
    }
    assert_eq!((ran.out.as_str(), read(file.as_ref())), ("", before));
    home.run(&["replay", &file], "").exits(0).says(&["Turn 1: 2"]);

    talk.say("1\n");
    talk.hear("Player 2 moves to Point 10.");
    talk.end().exits(3);
    assert!(read(file.as_ref()).ends_with("1. 2\n2. 1\n"));
    home.run(&["play", "--resume", &file], "1\n").exits(3).says(&["after turn 2.\n"]);
    let left = fs::read_dir(home.games()).expect("the folder is there").count();
    assert_eq!(left, 1, "no lock file is left");
}

#[test]
fn a_copy_can_be_played() {
    let home = Home::new();
    let (talk, file) = playing(&home);
    home.run(&["play", "--resume", &file, "--copy"], "2\n").exits(3).says(&["after turn 1.\n"]);
    talk.end().exits(3);
    let saves = home.saves();
    assert_eq!(saves.len(), 2, "{saves:?}");
    assert!(read(file.as_ref()).ends_with("\n\n1. 2\n"), "the game stays as it is");
    assert!(read(&saves[1]).ends_with("\n\n1. 2\n2. 2\n"), "the copy has a file of its own");
}

#[test]
#[cfg(unix)]
fn on_a_terminal_a_copy_is_offered() {
    let home = Home::new();
    let (talk, file) = playing(&home);
    let mut terminal = Terminal::open(&home, &["play", "--resume", &file]);
    terminal.see_prompt("Play a copy of it (yes or no)?");
    terminal.enter("no");
    terminal.ends(0);
    let mut terminal = Terminal::open(&home, &["play", "--resume", &file]);
    terminal.see_prompt("Play a copy of it (yes or no)?");
    terminal.enter("yes");
    terminal.see("Going on with Capture the Line after turn 1.");
    terminal.see_prompt("that many points):");
    terminal.enter("quit");
    let screen = terminal.ends(0);
    assert!(!screen.contains(&format!("--resume {file}\n")), "in a file of its own\n{screen}");
    talk.end().exits(3);
}

#[test]
fn a_record_that_is_being_written_is_locked_too() {
    let home = Home::new();
    let mut talk = home.talk(&["play", "capture-the-line", "--record", "our.skr", "--no-save"]);
    talk.say("2\n");
    talk.hear("Current Positions: Player 2 at Point 11, Player 1 at Point 3.\nChoose");
    let ran = home.run(&["play", "--resume", "our.skr"], "1\n").exits(1);
    assert!(ran.err.contains("is being played by process"), "{}", ran.err);
    home.run(&LINE, "2\nsave! our.skr\nquit\n").exits(0).says(&["is being played by process"]);
    talk.say("1\n");
    talk.hear("Player 2 moves to Point 10.");
    talk.end().exits(3);
    assert!(read(&home.file("our.skr")).ends_with("1. 2\n2. 1\n"));
}

/// Where nothing is saved there is nothing to lock.
#[test]
fn without_saving_a_game_that_is_being_played_can_be_tried() {
    let home = Home::new();
    let (talk, file) = playing(&home);
    home.run(&["play", "--resume", &file, "--no-save"], "2\n").exits(3).says(&["after turn 1.\n"]);
    talk.end().exits(3);
}

/// A damaged newest save was once silently skipped, and another game opened in its place.
#[test]
#[cfg(unix)]
fn a_damaged_newest_save_is_named_and_no_other_game_opened_in_its_place() {
    let home = Home::new();
    home.run(&LINE, "2\n").exits(3);
    let good = home.saves().remove(0).display().to_string();
    home.write("data/skirmish/games/zzz.skr", "[Game \"base-battle\"]\n\n1. 9\n");
    let ran = home.run(&["play", "--resume"], "").exits(1);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("zzz.skr, line 3: turn 1: "), "{}", ran.err);
    assert!(ran.err.trim_end().ends_with(&format!("skirmish play --resume {good}")), "{}", ran.err);

    let mut terminal = Terminal::open(&home, &["play", "--resume"]);
    terminal.see_prompt("Go on with Capture the Line after turn 1 instead (yes or no)?");
    terminal.enter("yes");
    terminal.see("Going on with Capture the Line after turn 1.");
    terminal.see_prompt("that many points):");
    terminal.enter("quit");
    terminal.ends(0);
}

#[test]
fn a_damaged_save_older_than_the_game_is_none_of_its_business() {
    let home = Home::new();
    fs::create_dir_all(home.games()).expect("the home can be written");
    let old = home.write("data/skirmish/games/aaa.skr", "not a record");
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_hours(24);
    let old = fs::File::options().write(true).open(old).expect("it is ours");
    old.set_modified(yesterday).expect("it is ours");
    home.run(&LINE, "2\n").exits(3);
    let ran = home.run(&["play", "--resume"], "").exits(3);
    assert!(!ran.err.contains("damaged"), "{}", ran.err);
}
