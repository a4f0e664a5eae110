//! `analyze` for studying the games: best lines, payoff matrices, and moves against a level.

use serde_json::{Value, json};

use crate::support::skirmish;

fn object(arguments: &[&str]) -> Value {
    let arguments = [&["analyze"], arguments, &["--json"]].concat();
    serde_json::from_str(&skirmish(&arguments, "").exits(0).out).expect("the output is JSON")
}

#[test]
fn an_endless_line_ends_where_it_repeats() {
    let found = object(&["capture-and-conquer", "--line"]);
    let line = found["line"].as_array().expect("a list of moves");
    let moves: Vec<&str> = line.iter().filter_map(Value::as_str).collect();
    let end = object(&["capture-and-conquer", "--moves", &moves.join(" ")]);
    assert_eq!(found["repeats"], end["position"]);
    let text = skirmish(&["analyze", "capture-and-conquer", "--line"], "").exits(0);
    let again = format!("Then the position is {} again", end["position"].as_str().unwrap());
    text.says(&[&again, "forever"]);
    let mixed = object(&["command-clash", "--line"]);
    assert_eq!(mixed["line"], json!(["charge|charge"]));
    assert_eq!(mixed["repeats"], "5/5");
}

#[test]
fn a_matrix_names_what_is_dominated() {
    let found = object(&["command-clash", "--position", "4/1"]);
    assert_eq!(found["matrix"]["1"], found["legal"]["1"]);
    assert_eq!(found["matrix"]["2"], found["legal"]["2"]);
    let rows = found["matrix"]["values"].as_array().expect("rows");
    for (row, one) in rows.iter().zip(found["legal"]["1"].as_array().unwrap()) {
        for (cell, two) in
            row.as_array().unwrap().iter().zip(found["legal"]["2"].as_array().unwrap())
        {
            let turn = format!("{}|{}", one.as_str().unwrap(), two.as_str().unwrap());
            let next = object(&["command-clash", "--position", "4/1", "--moves", &turn]);
            assert_eq!(cell, &next["value"], "{turn}");
        }
    }
    let shield = &found["dominated"]["2"][0];
    assert_eq!((&shield["choice"], &shield["dominance"]), (&json!("shield"), &json!("strict")));
    assert_eq!(shield["by"].as_object().expect("a mix").len(), 2);
    assert_eq!(found["unique"], json!({"1": true, "2": true}));
    let even = object(&["command-clash"]);
    assert_eq!(even["unique"], json!({"1": false, "2": false}));
    let over = object(&["command-clash", "--position", "5/0"]);
    assert_eq!((&over["matrix"], &over["unique"]), (&Value::Null, &Value::Null));
}

#[test]
fn an_unknown_level_is_a_usage_error() {
    let ran = skirmish(&["analyze", "base-battle", "--against", "human"], "").exits(2);
    assert!(ran.err.contains("expected novice, casual, skilled, expert or perfect"), "{}", ran.err);
}

#[test]
fn everything_fits_a_page() {
    let boards: [&[&str]; 3] =
        [&["command-clash", "--position", "4/1"], &["base-battle"], &["command-clash"]];
    for board in boards {
        let arguments = [&["analyze"], board, &["--line", "--against", "skilled"]].concat();
        let text = skirmish(&arguments, "").exits(0).out;
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{text}");
        let arguments = [arguments, vec!["--screen-reader"]].concat();
        let spoken = skirmish(&arguments, "").exits(0).out;
        assert!(spoken.contains("against skilled") && !spoken.contains("  * "), "{spoken}");
    }
}

#[test]
fn a_weakly_dominated_choice_in_a_best_mix_is_explained() {
    let even = skirmish(&["analyze", "command-clash", "--position", "5/5"], "").exits(0).out;
    assert!(even.contains("Player 1's best mix: charge 100.0%\n"), "{even}");
    let why = "Player 1: charge is weakly dominated by shield; a best mix may contain it, as it\n\
               is worse only against special, which is in no best mix of Player 2.\n";
    assert!(even.contains(why), "{even}");
    assert!(even.contains("Player 1: attack is weakly dominated by shield.\n"), "{even}");
    let other = skirmish(&["analyze", "command-clash", "--position", "4/1"], "").exits(0).out;
    assert!(other.contains("weakly dominated") && !other.contains("may contain"), "{other}");
}
