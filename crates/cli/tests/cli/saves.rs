//! `saves`: the saved games, listed and deleted.

use serde_json::Value;

use crate::support::Home;
#[cfg(unix)]
use crate::terminal::Terminal;

const LINE: [&str; 2] = ["play", "capture-the-line"];

/// A home with an unfinished game and a later, finished one; also returns their names.
fn home() -> (Home, String, String) {
    let home = Home::new();
    home.run(&["play", "base-battle", "--first", "p1", "--p2", "skilled"], "3\n").exits(3);
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let first = name(&home.saves()[0]);
    let earlier = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    let file = std::fs::File::options().write(true).open(&home.saves()[0]).expect("it is ours");
    file.set_modified(earlier).expect("it is ours");
    home.run(&LINE, "2\n2\n2\n1\n1\n").exits(0);
    let second = home.saves().iter().map(|path| name(path)).find(|it| *it != first).unwrap();
    (home, first, second)
}

#[test]
fn saved_games_are_listed_newest_first_with_the_command_for_each() {
    let (home, unfinished, over) = home();
    let listed = home.run(&["saves"], "").exits(0).out;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines[0].ends_with("  Capture the Line, Player 1 against Player 2, 5 turns, Player 1 won")
    );
    assert_eq!(lines[1].trim(), format!("skirmish replay {over}"));
    assert!(lines[2].contains("  Base Battle, Player 1 against Player 2 (skilled), 2 turns"));
    assert!(listed.contains(&format!("  skirmish play --resume {unfinished}\n")), "{listed}");
    assert!(
        listed.contains("\n2 saved games in ")
            && listed.lines().all(|it| it.len() < 81 || it.contains(" saved games in "))
    );
    let filtered = home.run(&["saves", "base-b"], "").exits(0).out;
    assert!(filtered.contains(&unfinished) && !filtered.contains(&over), "{filtered}");
    home.run(&["saves", "command-clash"], "")
        .exits(0)
        .says(&["There are no saved games of Command Clash in "]);
}

#[test]
fn the_commands_that_are_listed_work_from_any_folder() {
    let (home, unfinished, over) = home();
    home.run(&["play", "--resume", &unfinished], "").exits(3).says(&["Player 1"]);
    home.run(&["replay", &over], "").exits(0).says(&["Player 1 wins"]);
    home.run(&["review", over.trim_end_matches(".skr")], "").exits(0);
    home.run(&["replay", "no-such-game.skr"], "").exits(1);
}

#[test]
fn json_has_an_object_for_each_game_even_if_it_is_damaged() {
    let (home, unfinished, _) = home();
    let broken = home.write("data/skirmish/games/broken.skr", "[Game \"base-battle\"]\n\n9 9\n");
    // File timestamps are coarse: otherwise, this file could be as old as the previous game.
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    let broken = std::fs::File::options().write(true).open(broken).expect("it is ours");
    broken.set_modified(later).expect("it is ours");
    let games = home.run(&["saves", "--json"], "").exits(0).out;
    let games: Value = serde_json::from_str(&games).expect("it is JSON");
    let states: Vec<&str> =
        games.as_array().unwrap().iter().filter_map(|it| it["state"].as_str()).collect();
    assert_eq!(states, ["damaged", "over", "unfinished"]);
    assert!(games[0]["error"].is_string() && games[0].get("game").is_none(), "{games}");
    let resume = games[2]["resume"].as_str().expect("a command");
    assert!(
        resume.starts_with("skirmish play --resume ") && resume.contains(&unfinished),
        "{resume}"
    );
    assert_eq!((&games[2]["players"]["2"], &games[2]["turns"]), (&"skilled".into(), &2.into()));
    home.run(&["saves"], "").exits(0).says(&["damaged: ", "skirmish saves --delete broken.skr"]);
}

/// The date was once blank, and the reason truncated.
#[test]
fn a_damaged_file_is_listed_with_its_date_and_the_whole_reason() {
    let home = Home::new();
    let tag = "x".repeat(60);
    std::fs::create_dir_all(home.file("data/skirmish/games")).expect("the test's own folder");
    home.write(
        "data/skirmish/games/broken.skr",
        format!("[Game \"base-battle\"]\n[First \"{tag}\"]\n"),
    );
    let file = home.file("data/skirmish/games/broken.skr");
    let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(24 * 20_772);
    let opened = std::fs::File::options().write(true).open(file).expect("it is ours");
    opened.set_modified(then).expect("it is ours");
    let games: Value =
        serde_json::from_str(&home.run(&["saves", "--json"], "").exits(0).out).expect("JSON");
    let reason = games[0]["error"].as_str().expect("a reason");
    let listed = home.run(&["saves"], "").exits(0).out;
    assert!(listed.starts_with("2026.11.15  damaged: "), "{listed}");
    let words: Vec<&str> = listed.split_whitespace().collect();
    assert!(words.join(" ").contains(&format!("damaged: {reason} skirmish saves")), "{listed}");
}

#[test]
fn a_game_from_a_position_says_so() {
    let home = Home::new();
    home.run(&["play", "base-battle", "--position", "2/6/1"], "3\n").exits(3);
    home.run(&["saves"], "").exits(0).says(&["  Base Battle from 2/6/1, Player 1 against"]);
    let games: Value =
        serde_json::from_str(&home.run(&["saves", "--json"], "").exits(0).out).expect("JSON");
    assert_eq!(games[0]["from"], "2/6/1");
}

#[test]
fn json_lists_what_was_deleted() {
    let (home, unfinished, over) = home();
    let ran = home.run(&["saves", "--delete", &over, "--json"], "").exits(2);
    assert!(ran.err.contains("with --json, --delete needs --force"), "{}", ran.err);
    let delete = ["saves", "--delete", &over, "--delete", &unfinished, "--force", "--json"];
    let ran = home.run(&delete, "").exits(0);
    let games: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let files: Vec<&str> =
        games.as_array().unwrap().iter().filter_map(|it| it["file"].as_str()).collect();
    assert!(files[0].ends_with(&over) && files[1].ends_with(&unfinished), "{games}");
    assert_eq!((&games[1]["resume"], ran.err.as_str()), (&Value::Null, ""));
    assert!(home.saves().is_empty());
}

#[test]
fn a_game_is_deleted_only_by_force_or_after_asking() {
    let (home, unfinished, over) = home();
    let ran = home.run(&["saves", "--delete", &unfinished], "yes\n").exits(2);
    assert!(ran.err.contains("--delete needs --force"), "{}", ran.err);
    assert_eq!(home.saves().len(), 2);
    let name = unfinished.trim_end_matches(".skr");
    let ran = home.run(&["saves", "--delete", name, "--force"], "").exits(0);
    assert_eq!((ran.out.as_str(), ran.err), ("", format!("{unfinished} is deleted.\n")));
    assert_eq!(home.saves().len(), 1);
    // Nothing is deleted if one of the names is wrong, or outside the folder.
    home.write("data/skirmish/outside.skr", "mine");
    for wrong in [&unfinished, "../outside.skr", "../outside", "", ".", ".."] {
        let ran =
            home.run(&["saves", "--delete", &over, "--delete", wrong, "--force"], "").exits(1);
        assert!(ran.err.contains("there is no saved game"), "{wrong}: {}", ran.err);
    }
    assert_eq!(home.saves().len(), 1);
    assert!(home.file("data/skirmish/outside.skr").exists());
}

#[test]
fn a_game_that_is_being_played_is_never_deleted() {
    let home = Home::new();
    let mut talk = home.talk(&LINE);
    talk.hear("Choose your move");
    talk.say("2\n");
    talk.hear("at Point 11, Player 1 at Point 3");
    let path = home.saves().remove(0);
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    home.run(&["saves"], "").exits(0).says(&["being played by"]);
    let ran = home.run(&["saves", "--delete", &name, "--force"], "").exits(1);
    assert!(ran.err.contains("is being played by process "), "{}", ran.err);
    assert!(path.exists());
    talk.end().exits(3);
    home.run(&["saves", "--delete", &name, "--force"], "").exits(0);
    assert!(!path.exists());
}

#[test]
#[cfg(unix)]
fn on_a_terminal_it_asks_before_it_deletes() {
    for (answer, left) in [("no", 2), ("yes", 1)] {
        let (home, unfinished, _) = home();
        let mut terminal = Terminal::open(&home, &["saves", "--delete", &unfinished]);
        terminal.see_prompt("(yes or no)?");
        terminal.enter(answer);
        terminal.ends(0);
        assert_eq!(home.saves().len(), left, "{answer}");
    }
}

/// A game whose turns were all taken back can still be resumed.
#[test]
fn a_game_without_turns_that_can_be_resumed_is_listed() {
    let home = Home::new();
    let played = home.run(&["play", "base-battle", "--first", "p1"], "1\nundo\n").exits(3);
    let name = home.saves()[0].file_name().unwrap().to_string_lossy().into_owned();
    assert!((played.out.clone() + &played.err).contains(&name), "{played:?}");
    home.run(&["saves"], "").exits(0).says(&["0 turns, unfinished", &name, "1 saved game in "]);
    let games = home.run(&["saves", "--json"], "").exits(0).out;
    let games: Vec<Value> = serde_json::from_str(&games).expect("it is JSON");
    assert_eq!((games.len(), &games[0]["state"]), (1, &"unfinished".into()));
    home.run(&["play", "--resume", &name], "").exits(3);
}

#[test]
fn a_folder_that_cannot_be_read_is_an_error() {
    // Windows reports a folder below a file as missing.
    if cfg!(windows) {
        return;
    }
    let home = Home::new();
    home.write("data", "in the way");
    for arguments in [&["saves"][..], &["saves", "--json"]] {
        let ran = home.run(arguments, "").exits(1);
        assert!(ran.out.is_empty() && ran.err.contains("cannot read "), "{}", ran.err);
    }
}
