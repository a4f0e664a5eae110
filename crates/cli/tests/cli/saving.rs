//! Saving: after every turn, atomically, without losing the last good save.

use std::fs;

use crate::support::{Home, Talk, not_found, read, send};
#[cfg(unix)]
use crate::terminal::{Terminal, tells};

const LINE: [&str; 2] = ["play", "capture-the-line"];

#[test]
fn after_every_turn_the_save_is_a_valid_record_of_all_turns() {
    let home = Home::new();
    let mut talk = home.talk(&LINE);
    let moves = ["2", "1", "2"];
    for (index, typed) in moves.iter().enumerate() {
        talk.hear(&prompts(index));
        talk.say(format!("{typed}\n"));
        talk.hear(&prompts(index + 1));
        let save = home.saves().remove(0).display().to_string();
        let shown = home.run(&["replay", &save, "--json"], "").exits(0);
        let turns = shown.out.lines().filter(|line| line.contains("\"played\":\"")).count();
        assert_eq!(turns, index + 1);
    }
    assert_eq!(home.saves().len(), 1, "no temporary files are left");
    talk.end().exits(3);
}

/// The output up to the prompt after this many turns.
fn prompts(turns: usize) -> String {
    let positions = ["1, Player 2 at Point 11", "11, Player 1 at Point 3"];
    let later = ["3, Player 2 at Point 10", "10, Player 1 at Point 5"];
    let positions = [positions, later].concat();
    format!("at Point {}.\nChoose your move (enter 1 or 2 to", positions[turns])
}

#[test]
fn a_save_exists_from_the_first_prompt_on() {
    let home = Home::new();
    let talk = home.talk(&LINE);
    talk.hear("Choose your move");
    assert!(home.save().contains("[Result \"*\"]"));
    talk.end().exits(3);
}

#[test]
fn a_finished_game_is_kept_as_its_record() {
    let home = Home::new();
    let ran = home.run(&LINE, "2\n2\n2\n1\n1\n").exits(0);
    let record = home.saves().remove(0);
    let review = format!("skirmish review {}", record.display());
    ran.complains(&format!("The game is recorded. To review it: {review}"));
    assert!(home.save().contains("[Result \"1-0\"]\n[Termination \"rules\"]\n\n1. 2\n2. 2\n"));
}

#[test]
fn a_record_can_be_asked_for_beside_the_save() {
    let home = Home::new();
    home.run(&["play", "capture-the-line", "--record", "our.skr"], "2\n").exits(3);
    assert_eq!(read(&home.file("our.skr")), home.save());
    let unsaved = ["play", "capture-the-line", "--record", "other.skr", "--no-save"];
    home.run(&unsaved, "2\n").exits(3);
    assert!(read(&home.file("other.skr")).ends_with("1. 2\n"));
    assert_eq!(home.saves().len(), 1);
}

#[test]
fn a_record_that_cannot_be_written_is_told_before_the_game_begins() {
    let home = Home::new();
    let ran = home.run(&["play", "capture-the-line", "--record", "no/such.skr"], "2\n").exits(1);
    assert_eq!(ran.out, "");
    ran.complains(&format!("error: cannot write no/such.skr: {}", not_found()));
}

/// A home that cannot be written: a file in place of the data folder, which stops even root.
#[test]
#[cfg(unix)]
fn in_a_home_that_cannot_be_written_the_game_is_played_and_the_player_told() {
    let home = Home::new();
    home.write("data", "a file, not a folder");
    let ran = home.run(&LINE, "2\n1\n2\nquit\n").exits(0);
    let folder = home.games();
    let told: Vec<&str> = ran.err.lines().collect();
    let warning = format!("warning: cannot save in {}: Not a directory", folder.display());
    assert!(told[0].starts_with(&warning) && told[0].contains("--no-save"), "{}", ran.err);
    assert_eq!(told[1..], ["The game is not saved."], "{}", ran.err);
    ran.says(&["Current Positions: Player 2 at Point 10, Player 1 at Point 5."]);

    let ran = home.run(&["play", "capture-the-line", "--no-save"], "2\nquit\n").exits(0);
    assert_eq!(ran.err, "The game is not saved, as you asked.\n");
}

#[test]
#[cfg(unix)]
fn on_a_terminal_leaving_a_game_that_is_not_saved_is_worth_a_question() {
    let home = Home::new();
    home.write("data", "a file, not a folder");
    let mut terminal = Terminal::open(&home, &LINE);
    let warning = "the game goes on without being saved";
    terminal.wait("the warning", |screen| tells(screen, warning));
    terminal.see_prompt("that many points):");
    terminal.enter("2");
    terminal.see("It's Player 2's turn.");
    terminal.see_prompt("that many points):");
    terminal.enter("quit");
    terminal.see_prompt("The game is not saved. Leave anyway (yes or no)?");
    terminal.enter("no");
    terminal.see_prompt("that many points):");
    terminal.enter("quit");
    terminal.see_prompt("Leave anyway (yes or no)?");
    terminal.enter("yes");
    let screen = terminal.ends(0);
    assert!(screen.contains("\nThe game is not saved."), "{screen}");
}

/// A file named by the player does not depend on the folder of saved games.
#[test]
fn a_game_without_a_folder_is_kept_in_the_file_that_was_asked_for() {
    let home = Home::new();
    home.write("data", "a file, not a folder");
    let arguments = ["play", "capture-the-line", "--record", "our.skr"];
    let ran = home.run(&arguments, "2\nquit\n").exits(0);
    let way = format!("To go on: skirmish play --resume {}\n", home.file("our.skr").display());
    assert!(ran.err.ends_with(&way), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn a_game_in_which_nothing_was_played_leaves_nothing_behind() {
    let home = Home::new();
    let ran = home.run(&LINE, "board\nquit\n").exits(0);
    ran.complains("No turn was played, so nothing is saved.");
    assert!(home.saves().is_empty(), "{:?}", home.saves());
    let talk = home.talk(&LINE);
    talk.hear("Choose your move");
    send("TERM", talk.process());
    talk.wait().exits(143);
    let left = fs::read_dir(home.games()).expect("the folder is there").count();
    assert_eq!(left, 0, "a signal leaves neither a save nor a lock file");
}

/// Plays a turn with a working save folder, then replaces the folder with a file.
fn spoil(home: &Home, talk: &mut Talk) {
    talk.say("2\n");
    talk.hear("Choose your move (enter 1 or 2 to move forward that many points): 2\n");
    talk.hear("It's Player 2's turn.");
    fs::rename(home.games(), home.file("kept")).expect("the folder can be moved");
    fs::write(home.games(), "in the way").expect("a file can be put there");
}

#[test]
fn a_save_that_fails_in_the_middle_of_a_game_warns_once_and_the_game_goes_on() {
    let home = Home::new();
    let mut talk = home.talk(&LINE);
    spoil(&home, &mut talk);
    talk.say("1\n2\n1\n1\n");
    let ran = talk.end().exits(0);
    assert_eq!(ran.err.matches("warning: ").count(), 1, "{}", ran.err);
    assert!(ran.err.contains("the game goes on, and the last good save is kept"), "{}", ran.err);
    assert!(!ran.err.contains(" at path "), "no temporary file is named: {}", ran.err);
    ran.says(&["Player 1 wins the game!"]);
    assert_eq!(read(&home.games()), "in the way", "nothing is destroyed");
    let kept = fs::read_dir(home.file("kept")).expect("the folder is there").flatten();
    let kept = kept.filter(|file| file.path().extension().is_some_and(|it| it == "skr"));
    let kept: Vec<String> = kept.map(|file| read(&file.path())).collect();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].ends_with("\n\n1. 2\n"), "the last good save is whole: {}", kept[0]);
}

/// "The game is saved" was once said although the last turns were not.
#[test]
fn leaving_after_a_failed_save_does_not_claim_that_all_is_saved() {
    let home = Home::new();
    let mut talk = home.talk(&LINE);
    spoil(&home, &mut talk);
    talk.say("1\nquit\n");
    let ran = talk.end().exits(0);
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("The last turns are not saved. To go on: skirmish"), "{}", ran.err);
}

#[test]
fn saving_works_again_once_the_folder_is_back() {
    let home = Home::new();
    let mut talk = home.talk(&LINE);
    spoil(&home, &mut talk);
    talk.say("1\n");
    talk.hear("Player 2 moves to Point 10.");
    talk.hear("Current Positions: Player 1 at Point 3, Player 2 at Point 10.");
    fs::remove_file(home.games()).expect("the file can be removed");
    fs::rename(home.file("kept"), home.games()).expect("the folder can be moved back");
    talk.say("2\n");
    let ran = talk.end().exits(3);
    assert!(ran.err.contains("\nThe game is saved. To go on: "), "{}", ran.err);
    assert!(home.save().ends_with("1. 2\n2. 1\n3. 2\n"), "{}", home.save());
}

/// "The game is not saved" was once said after `save FILE`.
#[test]
#[cfg(unix)]
fn a_game_that_was_saved_by_name_is_saved_until_the_next_turn() {
    let home = Home::new();
    home.write("data", "a file, not a folder");
    let unsaved = ["play", "capture-the-line", "--no-save"];
    for arguments in [&LINE[..], &unsaved] {
        let ran = home.run(arguments, "2\nsave! my.skr\nquit\n").exits(0);
        let file = home.file("my.skr").display().to_string();
        let way = format!("The game is saved. To go on: skirmish play --resume {file}\n");
        assert!(ran.err.ends_with(&way), "{}", ran.err);
        let ran = home.run(arguments, "2\nsave! my.skr\n1\nquit\n").exits(0);
        assert!(ran.err.contains("The game is not saved"), "{}", ran.err);
    }
    let mut terminal = Terminal::open(&home, &LINE);
    terminal.see_prompt("that many points):");
    terminal.enter("2");
    terminal.see("It's Player 2's turn.");
    terminal.see_prompt("that many points):");
    terminal.enter("save new.skr");
    terminal.see("Saved in ");
    terminal.see_prompt("that many points):");
    terminal.enter("quit");
    let screen = terminal.ends(0);
    assert!(!screen.contains("Leave anyway"), "{screen}");
}

#[test]
fn a_record_that_fails_is_told_as_such_and_the_game_is_saved() {
    let home = Home::new();
    fs::create_dir(home.file("out")).expect("the home can be written");
    let mut talk = home.talk(&["play", "capture-the-line", "--record", "out/our.skr"]);
    talk.hear("Choose your move");
    home.write("out/our.skr", "Dear diary");
    talk.say("2\n1\nquit\n");
    let ran = talk.end().exits(0);
    assert_eq!(
        ran.err.matches("warning: the record could not be written: ").count(),
        1,
        "{}",
        ran.err
    );
    assert!(ran.err.contains("the game is saved all the same."), "{}", ran.err);
    assert!(!ran.err.contains("without being saved"), "{}", ran.err);
    assert!(ran.err.contains("\nThe game is saved. To go on: "), "{}", ran.err);
}
