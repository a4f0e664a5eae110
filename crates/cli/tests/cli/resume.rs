//! Resuming a saved game exactly where it was left.

use std::fs;

use crate::support::{Home, read, undated};

/// A command whose settings must all be restored from the save.
const LINE: [&str; 11] = [
    "play",
    "capture-the-line",
    "--match",
    "3",
    "--names",
    "Ann,Bob",
    "--max-turns",
    "50",
    "--rule",
    "positions=13",
    "--seed=9",
];

#[test]
fn a_game_in_two_sittings_is_the_game_in_one() {
    let (once, twice) = (Home::new(), Home::new());
    let whole = once.run(&LINE, "2\n1\n2\nquit\n").exits(0);
    let first = twice.run(&LINE, "2\n1\n").exits(3);
    let second = twice.run(&["play", "--resume"], "2\nquit\n").exits(0);
    let (twice, once) = (undated(&twice.save()), undated(&once.save()));
    assert_eq!(twice, once, "the record is the same, tags and all");

    let left_at = "It's Ann's turn.\nCurrent Positions: Ann at Point 3";
    let rest = |out: &str| out.split_once(left_at).map(|(_, rest)| rest.to_owned());
    assert_eq!(rest(&second.out), rest(&whole.out), "{}", second.out);
    assert!(rest(&first.out).is_some(), "it was left at this prompt");
    second.says(&["Game 1 of 3\n\nGoing on with Capture the Line after turn 2.\n\n"]);
}

#[test]
fn the_save_holds_everything_the_game_depends_on() {
    let home = Home::new();
    home.run(&LINE, "2\n1\n").exits(3);
    let save = home.save();
    let (tags, turns) = save.split_once("\n\n").expect("a blank line before the turns");
    let tags: Vec<&str> = tags.lines().filter(|tag| !tag.starts_with("[Date ")).collect();
    assert_eq!(
        tags,
        [
            "[Game \"capture-the-line\"]",
            "[Rules \"positions=13\"]",
            "[Player1 \"Ann\"]",
            "[Player2 \"Bob\"]",
            "[First \"p1\"]",
            "[Match \"game 1 of 3, score 0-0\"]",
            "[Seed \"9\"]",
            "[TurnLimit \"50\"]",
            "[Result \"*\"]",
            "[Termination \"unfinished\"]",
        ]
    );
    assert_eq!(turns, "1. 2\n2. 1\n");
}

#[test]
#[cfg(unix)]
fn the_command_that_is_told_works_in_a_shell() {
    let home = Home::new();
    let odd = home.file("it's mine, all of it");
    let mut command = home.command(&["play", "capture-the-line"]);
    command.env("XDG_DATA_HOME", &odd);
    let told = crate::support::run(command, "2\n").exits(3).err;
    let command = told.split_once("skirmish ").expect("the command is told").1.trim();
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(format!("\"$0\" {command}")).arg(crate::support::SKIRMISH);
    shell.env_clear().envs(crate::support::environment(home.path()));
    let ran = crate::support::run(shell, "quit\n").exits(0);
    ran.says(&["Going on with Capture the Line after turn 1.\n"]);
}

#[test]
fn without_a_file_the_last_unfinished_game_is_taken() {
    let home = Home::new();
    home.run(&["play", "capture-the-line"], "2\n").exits(3);
    home.run(&["play", "base-battle", "--first", "p1"], "2\nresign\n").exits(0);
    home.write("data/skirmish/games/zzz-notes.txt", "[Game \"base-battle\"]\n");
    let ran = home.run(&["play", "--resume"], "").exits(3);
    ran.says(&["Going on with Capture the Line after turn 1.\n"]);
}

#[test]
fn a_file_anywhere_is_gone_on_with_in_place() {
    let home = Home::new();
    let file =
        home.write("club.skr", "[Game \"base-battle\"]\n[Event \"club night\"]\n\n3 {bold} 2\n");
    let ran = home.run(&["play", "--resume", "club.skr"], "1\n").exits(3);
    assert!(ran.err.contains(&file.display().to_string()), "{}", ran.err);
    let save = read(&file);
    assert!(save.contains("[Event \"club night\"]"), "tags we do not know are kept: {save}");
    assert!(save.ends_with("1. 3 {bold}\n2. 2\n3. 1\n"), "{save}");
    assert_eq!(home.saves().len(), 0, "no second copy");
}

/// The next game of a match starts even though it was never saved.
#[test]
fn a_finished_game_of_a_running_match_goes_on_with_the_next_one() {
    let home = Home::new();
    home.run(&LINE, "resign\n").exits(3);
    let saves = home.saves();
    fs::remove_file(&saves[1]).expect("the second game's save is there");
    let file = saves[0].display().to_string();
    let ran = home.run(&["play", "--resume", &file], "").exits(3);
    ran.says(&[
        "Game 2 of 3\nThe players swap seats: Bob is P1 now, and Ann is P2.\n\nWelcome",
        "Current Positions: Bob at Point 1, Ann at Point 13.\n",
    ]);
    assert!(read(&home.saves()[1]).contains("[Match \"game 2 of 3, score 1-0\"]"));
    assert!(read(&saves[0]).contains("[Result \"0-1\"]"), "the finished game stays as it was");
}

#[test]
fn a_finished_game_cannot_be_gone_on_with() {
    let home = Home::new();
    home.run(&["play", "capture-the-line"], "resign\n").exits(0);
    let file = home.saves().remove(0).display().to_string();
    let ran = home.run(&["play", "--resume", &file], "").exits(1);
    ran.complains(&format!(
        "error: {file}: this game is over (resigned); to see it again: skirmish replay {file}"
    ));
    let ran = home.run(&["play", "--resume"], "").exits(1);
    ran.complains(&format!(
        "error: there is no saved game to go on with in {}",
        home.games().display()
    ));
}
