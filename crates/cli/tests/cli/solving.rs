//! `analyze`, `solve` and `lab`.

use serde_json::{Value, json};

use crate::support::{Home, read, run, skirmish};

fn object(arguments: &[&str]) -> Value {
    serde_json::from_str(&skirmish(arguments, "").exits(0).out).expect("the output is JSON")
}

#[test]
fn analyze_adds_the_value_of_every_move() {
    let found = object(&["analyze", "base-battle", "--json"]);
    assert_eq!((&found["value"], &found["plies"]), (&json!("win"), &json!(7)));
    assert_eq!(
        found["moves"],
        json!([
            {"move": "1", "position": "1/10/2", "value": "loss", "plies": 8},
            {"move": "2", "position": "2/10/2", "value": "win", "plies": 9},
            {"move": "3", "position": "3/10/2", "value": "win", "plies": 7},
        ])
    );
    assert_eq!((&found["position"], &found["turn"]), (&json!("0/10/1"), &json!([1])));
}

#[test]
fn analyze_gives_a_mix_where_both_choose_at_once() {
    let found = object(&["analyze", "command-clash", "--position", "3/1", "--json"]);
    let value = found["value"].as_f64().expect("a number");
    let error = found["error"].as_f64().expect("a number");
    assert!((value - 2.0 * (3.0 * std::f64::consts::PI / 7.0).cos()).abs() <= error);
    assert!(error < 1e-9);
    for player in ["1", "2"] {
        let mix = found["strategy"][player].as_object().expect("a mix");
        let total: f64 = mix.values().filter_map(Value::as_f64).sum();
        assert!((total - 1.0).abs() < 1e-12, "{mix:?}");
    }
}

#[test]
fn a_finished_position_has_its_result() {
    let found = object(&["analyze", "capture-and-conquer", "--position", "10/4/2", "--json"]);
    assert_eq!((&found["value"], &found["plies"]), (&json!("loss"), &json!(0)));
    assert_eq!((&found["moves"], &found["outcome"]), (&json!([]), &json!({"winner": 1})));
}

#[test]
fn a_position_that_cannot_arise_is_analysed_all_the_same() {
    let found = object(&["analyze", "command-line-conquer", "--position", "5/3/1", "--json"]);
    assert_eq!((&found["value"], &found["reachable"]), (&json!("loss"), &json!(false)));
    let text = skirmish(&["analyze", "command-line-conquer", "--position", "5/3/1"], "").exits(0);
    text.says(&["This position cannot arise in play.\n"]);
}

#[test]
fn solve_prints_what_other_programs_rely_on() {
    let mut found = object(&["solve", "capture-and-conquer", "--json"]);
    assert!(found["seconds"].is_number());
    found["seconds"] = json!(0);
    let expected = json!({
        "game": "capture-and-conquer", "rules": {"positions": 11, "steps": 2}, "first": 1,
        "states": 181, "value": "endless", "plies": null, "wins": 54, "losses": 46, "draws": 0,
        "endless": 81, "longest": 5, "seconds": 0,
    });
    assert_eq!(found, expected);
}

#[test]
fn solve_writes_every_position_to_a_table() {
    let home = Home::new();
    home.run(&["solve", "capture-the-line", "--table", "x.csv", "--verify"], "").exits(0);
    let table = read(&home.file("x.csv"));
    assert_eq!(table.lines().next(), Some("position,value,plies,best,winning"));
    assert_eq!(table.lines().count(), 31);
    for line in ["1/11/1,win,5,1;2,1;2", "5/7/1,win,1,1,1", "6/7/2,loss,0,,"] {
        assert!(table.lines().any(|row| row == line), "{line} is missing:\n{table}");
    }
    home.run(&["solve", "command-clash", "--table", "y.csv"], "").exits(0);
    let table = read(&home.file("y.csv"));
    assert_eq!(table.lines().next(), Some("position,value,p1,p2"));
    assert!(table.lines().any(|row| row == "5/0,1,,"), "{table}");
}

#[test]
fn a_board_that_is_too_large_is_refused_with_an_estimate() {
    let arguments =
        ["solve", "command-line-conquer", "--rule", "positions=60", "--rule", "units=8"];
    let ran = skirmish(&arguments, "").exits(1);
    assert!(ran.err.contains("positions and would need"), "{}", ran.err);
}

#[test]
fn the_laboratory_tabulates_variants() {
    let arguments = ["lab", "base-battle", "--vary", "positions=10..11", "--csv"];
    let table = skirmish(&arguments, "").exits(0).out;
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(
        rows[0],
        "positions,steps,push,states,value,plies,won,lost,endless,choices,edge,draws,drawn"
    );
    assert!(rows[2].starts_with("11,3,facing,116,win,7,"), "{table}");
    assert_eq!(rows.len(), 3);
}

/// The starting side always arrives first, so no options make Capture the Line fair.
#[test]
fn the_laboratory_finds_no_fair_capture_the_line_and_a_fair_preset_elsewhere() {
    let line = ["lab", "capture-the-line", "--vary", "positions=3..31", "--vary", "steps=1..9"];
    let all = skirmish(&[&line[..], &["--csv"]].concat(), "").exits(0).out;
    assert!(all.lines().skip(1).all(|row| row.split(',').nth(3) == Some("win")), "{all}");
    let fair = skirmish(&[&line[..], &["--csv", "--fair"]].concat(), "").exits(0).out;
    assert_eq!(fair.lines().count(), 1, "{fair}");
    for game in ["command-line-conquer", "capture-and-conquer", "base-battle", "command-clash"] {
        let found = object(&["lab", game, "--preset", "fair", "--json"]);
        assert_eq!(found[0]["fair"], json!(true), "{game}");
    }
    skirmish(&["play", "capture-the-line", "--preset", "fair"], "").exits(2);
}

#[test]
fn the_levels_are_listed_with_their_exact_scores() {
    let found = object(&["lab", "capture-the-line", "--levels", "--json"]);
    let score = found[0]["scores"]["perfect"]["novice"].as_f64().expect("a number");
    assert!((0.69..0.71).contains(&score), "{score}");
    assert_eq!(found[0]["best"]["perfect"], json!(0.5));
}

#[test]
#[cfg(target_os = "linux")]
fn a_board_beyond_the_limit_of_the_process_is_refused() {
    let home = Home::new();
    for limit in ["ulimit -v 400000", "ulimit -d 300000"] {
        let script = format!("{limit}; exec \"$@\"");
        let solve = ["-c", &script, "sh", env!("CARGO_BIN_EXE_skirmish"), "solve"];
        let board = ["command-line-conquer", "--rule", "positions=17", "--rule", "units=5"];
        let ran = run(home.command_of("sh", &[&solve[..], &board].concat()), "").exits(1);
        assert!(ran.err.contains("would need about"), "{limit}: {}", ran.err);
    }
}
