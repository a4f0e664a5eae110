//! `play --position`: games that do not start in the rulebook's position.

use serde_json::Value;

use crate::support::{Home, SKIRMISH, read};

/// The arguments for Base Battle in a position in which Player 2 is to move.
const BATTLE: [&str; 4] = ["play", "base-battle", "--position", "4/6/2"];

/// Appends arguments to a command.
fn with<'a>(command: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [command, more].concat()
}

#[test]
fn the_record_names_the_position_and_is_resumed_replayed_and_reviewed() {
    let home = Home::new();
    home.run(&with(&BATTLE, &["--record", "x.skr", "--no-save"]), "3\n1\nquit\n").exits(0);
    let record = read(&home.file("x.skr"));
    assert!(record.contains("[First \"p2\"]\n[Position \"4/6/2\"]\n"), "{record}");
    assert!(record.ends_with("\n1. 3\n2. 1\n"), "{record}");
    let heading = "Base Battle, from 4/6/2: Player 1 against Player 2";
    home.run(&["replay", "x.skr"], "").exits(0).says(&[
        heading,
        "from the position 4/6/2.",
        "Turn 2: 1",
    ]);
    let first = home.run(&["replay", "x.skr", "--json"], "").exits(0).out;
    let first: Value = serde_json::from_str(first.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["position"], "4/6/2");
    home.run(&["review", "x.skr", "--annotate", "y.skr"], "").exits(0).says(&[heading]);
    let annotated = read(&home.file("y.skr"));
    assert!(annotated.contains("[Position \"4/6/2\"]\n"), "{annotated}");
    let resumed = home.run(&["play", "--resume", "x.skr"], "undo\nundo\nundo\nquit\n").exits(0);
    resumed.says(&["Going on with Base Battle after turn 2.", "There is no turn to take back."]);
}

#[test]
fn json_says_where_the_game_starts() {
    let ran = Home::new().run(&with(&BATTLE, &["--json"]), "analyze\nhint\nquit\n").exits(0);
    let events: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&events[0]["from"], &events[0]["first"]), (&"4/6/2".into(), &2.into()));
    assert_eq!(events[1]["position"], "4/6/2");
    let usual = Home::new().run(&["play", "capture-the-line", "--json"], "quit\n").exits(0).out;
    let usual: Value = serde_json::from_str(usual.lines().next().expect("a line")).expect("JSON");
    assert_eq!(usual["from"], Value::Null);
}

#[test]
fn computers_and_engines_play_from_a_position_that_cannot_arise() {
    let home = Home::new();
    let engine = format!("{SKIRMISH} engine --level perfect");
    // A position that cannot arise: Player 1 has moved twice, Player 2 not at all. It is a win in 5.
    for one in ["perfect", engine.as_str()] {
        let arguments = ["play", "base-battle", "--position", "3/10/1", "--p1", one];
        let more = ["--p2", "expert", "--seed", "3", "--record", "x.skr", "--force"];
        home.run(&with(&arguments, &more), "").exits(0);
        let record = read(&home.file("x.skr"));
        assert!(record.contains("[Result \"1-0\"]\n[Termination \"rules\"]"), "{record}");
        assert!(record.contains("\n5. ") && !record.contains("\n6. "), "{record}");
    }
}
