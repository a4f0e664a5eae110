//! Other files are replaced only if the player agrees.

use std::fs;

use crate::support::{Home, read};
#[cfg(unix)]
use crate::terminal::Terminal;

const LINE: [&str; 2] = ["play", "capture-the-line"];

const DIARY: &str = "Dear diary\n";

/// Asserts that a command leaves a file alone and says how to replace it, and that `--force` replaces it.
#[track_caller]
fn assert_asks_for_force(home: &Home, file: &str, arguments: &[&str], input: &str) {
    let before = read(&home.file(file));
    let ran = home.run(arguments, input).exits(1);
    assert_eq!(read(&home.file(file)), before, "{arguments:?}");
    let told = format!("{file} exists already: choose another name, or use --force to replace it");
    assert!(ran.err.contains(&told), "{}", ran.err);
    assert_eq!(ran.out, "", "nothing has been done yet");
    let forced = home.run(&[arguments, &["--force"]].concat(), input);
    assert!(matches!(forced.code, Some(0 | 3)), "{forced:?}");
    assert_ne!(read(&home.file(file)), before, "{arguments:?}");
}

#[test]
fn no_option_replaces_a_file_without_force() {
    let home = Home::new();
    home.write("x.skr", "[Game \"base-battle\"]\n\n3 2\n");
    for arguments in [
        &["play", "capture-the-line", "--record", "diary.txt"][..],
        &["review", "x.skr", "--annotate", "diary.txt"],
        &["solve", "capture-the-line", "--table", "diary.txt"],
        &["map", "capture-the-line", "--svg", "diary.txt"],
        &["find", "capture-the-line", "win", "--svg", "diary.txt"],
    ] {
        home.write("diary.txt", DIARY);
        assert_asks_for_force(&home, "diary.txt", arguments, "2\n");
    }
}

#[test]
fn another_games_record_is_not_replaced() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--record", "club.skr"];
    home.run(&arguments, "2\n1\n").exits(3);
    assert_asks_for_force(&home, "club.skr", &arguments, "1\n2\n");
    // Nor is a record whose turns are the beginning of this game.
    assert_asks_for_force(&home, "club.skr", &arguments, "1\n2\n1\n");
    let before = read(&home.file("club.skr"));
    let ran = home.run(&LINE, "1\n2\n1\n1\nsave club.skr\nquit\n").exits(0);
    ran.says(&["Not saved: ", "club.skr exists already"]);
    assert_eq!(read(&home.file("club.skr")), before);
}

/// The conflict with the second game's file was once found only after the first game.
#[test]
fn all_files_of_a_match_are_looked_at_before_it_begins() {
    let home = Home::new();
    home.write("x-3.skr", DIARY);
    let arguments = ["play", "capture-the-line", "--match", "3", "--record", "x.skr"];
    let ran = home.run(&arguments, "resign\nresign\nresign\n").exits(1);
    assert!(ran.err.contains("x-3.skr exists already"), "{}", ran.err);
    assert!(ran.out.is_empty() && !home.file("x.skr").exists(), "{}", ran.out);
}

/// The file that the game was resumed from may be replaced, however it is formatted.
#[test]
fn the_file_that_a_game_comes_from_is_its_own() {
    let home = Home::new();
    home.write("x.skr", "[Game \"base-battle\"]\n\n3 2\n");
    let arguments = ["play", "--resume", "x.skr", "--no-save", "--record", "x.skr"];
    home.run(&arguments, "1\n").exits(3);
    assert!(read(&home.file("x.skr")).ends_with("1. 3\n2. 2\n3. 1\n"));
    let copied = ["play", "--resume", "x.skr", "--copy", "--record", "x.skr"];
    home.run(&copied, "1\n").exits(1);
}

#[test]
fn playing_a_copy_leaves_the_original_as_it_is() {
    let home = Home::new();
    home.run(&["play", "capture-the-line", "--record", "ra.skr"], "1\n2\n").exits(3);
    let original = read(&home.file("ra.skr"));
    let ran =
        home.run(&["play", "--resume", "ra.skr", "--copy"], "1\nsave ra.skr\nquit\n").exits(0);
    ran.says(&["Not saved: ", "ra.skr exists already"]);
    assert_eq!(read(&home.file("ra.skr")), original);
    let arguments = ["play", "--resume", "ra.skr", "--copy", "--record", "ra.skr"];
    assert_asks_for_force(&home, "ra.skr", &arguments, "1\n");
}

/// The next game of a match once replaced the record of the previous one.
#[test]
fn the_record_of_a_finished_game_is_not_the_next_games_own() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--match", "3", "--record", "m.skr"];
    home.run(&arguments, "resign\n").exits(3);
    std::fs::remove_file(home.file("m-2.skr")).expect("the next game has begun");
    assert_asks_for_force(
        &home,
        "m.skr",
        &["play", "--resume", "m.skr", "--record", "m.skr"],
        "2\n",
    );
}

#[test]
fn save_replaces_only_what_this_game_has_written() {
    let home = Home::new();
    home.write("diary.txt", DIARY);
    let input = "2\nsave diary.txt\nsave mine.skr\n1\nsave mine.skr\nundo\nsave mine.skr\nquit\n";
    let ran = home.run(&LINE, input).exits(0);
    let shown = home.file("diary.txt").display().to_string();
    ran.says(&[
        &format!(
            "Not saved: {shown} exists already and is not a record of this game. Enter save! FILE"
        ),
        "Saved in",
        "Saved in",
        "Saved in",
    ]);
    assert_eq!(read(&home.file("diary.txt")), DIARY);
    assert!(read(&home.file("mine.skr")).ends_with("\n\n1. 2\n"));
    home.run(&LINE, "2\nsave! diary.txt\nquit\n").exits(0).says(&["Saved in"]);
    assert!(read(&home.file("diary.txt")).ends_with("\n\n1. 2\n"));
}

#[test]
fn programs_are_refused_and_told_the_word() {
    let home = Home::new();
    home.write("diary.txt", DIARY);
    let ran = home.run(&["play", "capture-the-line", "--json"], "save diary.txt\nquit\n").exits(0);
    ran.says(&["{\"event\":\"error\",\"text\":\"Not saved: ", "save! FILE"]);
    assert_eq!(read(&home.file("diary.txt")), DIARY);
}

#[test]
#[cfg(unix)]
fn on_a_terminal_the_player_is_asked() {
    let home = Home::new();
    home.write("diary.txt", DIARY);
    let mut terminal = Terminal::open(&home, &LINE);
    for (answer, told) in [("no", "Not saved."), ("yes", "Saved in ")] {
        terminal.see_prompt("that many points):");
        terminal.enter("save diary.txt");
        terminal.see_prompt("exists already. Replace it (yes or no)?");
        terminal.enter(answer);
        terminal.see(told);
    }
    terminal.see_prompt("that many points):");
    terminal.enter("quit");
    terminal.ends(0);
    assert!(fs::read(home.file("diary.txt")).is_ok_and(|it| it.starts_with(b"[Game ")));
}
