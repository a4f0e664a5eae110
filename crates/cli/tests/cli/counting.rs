//! Finished games are counted once each for the person who played.

use std::fs;

use crate::support::{Home, read};

const LINE: [&str; 2] = ["play", "capture-the-line"];

/// The input for a whole game of Capture the Line between two people.
const MOVES: &str = "2\n2\n2\n1\n1\n";

/// The counted results in this home, without the header and the dates.
fn counted(home: &Home) -> Vec<String> {
    let content = read(&home.file("data/skirmish/results.csv"));
    let (head, lines) = content.split_once('\n').expect("there is a head line");
    assert_eq!(head, "date,game,rules,player,opponent,other,turns,accuracy,other_accuracy,result");
    let undated = lines.lines().map(|line| line.split_once(',').expect("a date comes first").1);
    undated.map(str::to_owned).collect()
}

#[test]
fn against_the_computer_the_accuracy_is_known() {
    let home = Home::new();
    let arguments = ["play", "base-battle", "--p1", "perfect", "--first", "p2", "--seed", "1"];
    home.run(&arguments, "1\nresign\n").exits(0);
    let counted = counted(&home);
    let [line] = counted.as_slice() else { panic!("one game is counted: {counted:?}") };
    let columns: Vec<&str> = line.split(',').collect();
    assert_eq!((columns[0], columns[3], columns[8]), ("base-battle", "perfect", "lost"));
    let accuracy: f64 = columns[6].parse().expect("the accuracy is a number");
    assert!((0.0..=100.0).contains(&accuracy), "{line}");
}

#[test]
fn every_game_of_a_match_is_counted() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--match", "2", "--names", "Ann,Bob"];
    home.run(&arguments, format!("{MOVES}resign\n")).exits(0);
    // The seats have been swapped: Ann wins both.
    assert_eq!(
        counted(&home),
        ["capture-the-line,,Ann,human,Bob,5,,,won", "capture-the-line,,Bob,human,Ann,0,,,lost"]
    );
}

#[test]
fn what_did_not_end_or_is_not_saved_or_nobody_played_is_not_counted() {
    let home = Home::new();
    home.run(&LINE, "2\nquit\n").exits(0);
    home.run(&["play", "capture-the-line", "--no-save"], MOVES).exits(0);
    let computers = ["play", "base-battle", "--p1", "expert", "--p2", "novice", "--seed", "1"];
    home.run(&computers, "").exits(0);
    assert!(!home.file("data/skirmish/results.csv").exists());
}

#[test]
#[cfg(unix)]
fn a_game_that_cannot_be_counted_is_told_once_and_ends_as_usual() {
    let home = Home::new();
    fs::create_dir_all(home.file("data/skirmish/results.csv")).expect("a folder can be made");
    let arguments = ["play", "capture-the-line", "--match", "2"];
    let ran = home.run(&arguments, format!("{MOVES}resign\n")).exits(0);
    let told =
        "/results.csv: Is a directory (os error 21); the game is missing from the statistics";
    assert_eq!(ran.err.matches(told).count(), 1, "{}", ran.err);
    assert_eq!(home.saves().len(), 2, "both games are saved");
}
