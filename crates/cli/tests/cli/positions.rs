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
fn a_game_starts_from_a_position_and_goes_back_to_it_and_not_further() {
    let home = Home::new();
    let ran = home.run(&BATTLE, "3\nundo\nundo\n3\nhistory\n1\n3\n").exits(0);
    assert!(
        ran.out.starts_with(
            "Base Battle from the position 4/6/2. Player 2 moves.\n\n\
             [  _ ][  _ ][  _ ][  _ ][ P1 ][  _ ][ P2 ]"
        ),
        "{}",
        ran.out
    );
    ran.says(&["There is no turn to take back.", "history\n1. 3\n", "wins the game"]);
    assert!(!home.file("data/skirmish/results.csv").exists(), "an exercise is not counted");
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
fn the_rulebooks_start_is_an_ordinary_game() {
    let home = Home::new();
    let start = ["play", "base-battle", "--position", "0/10/2", "--record", "x.skr", "--no-save"];
    home.run(&start, "3\nquit\n").exits(0).says(&["Welcome to Base Battle!"]);
    let record = read(&home.file("x.skr"));
    assert!(record.contains("[First \"p2\"]\n") && !record.contains("Position"), "{record}");
}

#[test]
fn a_position_that_cannot_be_played_is_refused_with_the_reason() {
    let home = Home::new();
    for (arguments, why) in [
        (["base-battle", "4/6", "p2"], "\"4/6\" is not a position: write P1/P2/MOVER"),
        (["base-battle", "4/4/1", "p1"], "4/4/1 is not a legal position: "),
        (["base-battle", "10/4/2", "p2"], "10/4/2 is not a starting position: "),
        (["base-battle", "4/6/2", "p1"], "Player 2 moves in the position 4/6/2, not Player 1"),
        (["base-battle", "4/6/2", "toss"], "4/6/2, so there is no coin toss"),
        (["command-clash", "2/3", "p2"], "nobody starts in Command Clash"),
    ] {
        let [game, position, first] = arguments;
        let ran = home.run(&["play", game, "--position", position, "--first", first], "").exits(2);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    let ran = home.run(&["play", "--resume", "x.skr", "--position", "4/6/2"], "").exits(2);
    assert!(ran.err.contains("cannot be used with"), "{}", ran.err);
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

/// R-ALL-5: the sides of a position are not equal, so each player plays both of them.
#[test]
fn the_players_of_a_match_swap_seats_and_start_from_the_position_again() {
    let more = ["--names", "Ann,Bob", "--match", "2"];
    let ran = Home::new().run(&with(&BATTLE, &more), "resign\nresign\n").exits(0);
    ran.says(&[
        "Base Battle from the position 4/6/2. Bob moves.",
        "The players swap seats: Bob is P1 now, and Ann is P2.",
        "Base Battle from the position 4/6/2. Ann moves.",
        "The match is drawn.",
    ]);
}
