//! `skirmish play --json`: one object per event.

use serde_json::{Value, json};

use crate::support::{Home, Ran, skirmish};

fn objects(ran: &Ran) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    ran.out.lines().map(parse).collect()
}

fn events(objects: &[Value]) -> Vec<&str> {
    objects.iter().map(|object| object["event"].as_str().expect("every object has one")).collect()
}

#[test]
fn every_line_is_an_object_with_an_event() {
    let input = "help\nfly\n2\nboard\nsave\ndraw\nno\n2\nundo\n2\n2\n1\n1\n";
    let ran = skirmish(&["play", "capture-the-line", "--json"], input).exits(0);
    let objects = objects(&ran);
    let events = events(&objects);
    assert_eq!(events[..3], ["start", "position", "prompt"]);
    assert_eq!(events[3..8], ["note", "prompt", "error", "prompt", "move"]);
    assert_eq!(events.last(), Some(&"end"));
    assert!(events.contains(&"question"));
}

#[test]
fn the_start_tells_game_rules_names_and_seed() {
    let arguments = ["play", "base-battle", "--json", "--seed", "1", "--match", "3"];
    let ran = skirmish(&arguments, "quit\n").exits(0);
    let objects = objects(&ran);
    assert_eq!(
        objects[0],
        json!({
            "event": "start",
            "game": "base-battle",
            "rules": { "positions": 11, "steps": 3, "push": "facing" },
            "names": { "1": "Player 1", "2": "Player 2" },
            "first": 2,
            "from": null,
            "tossed": true,
            "seed": 1,
            "match": { "game": 1, "of": 3, "score": { "1": 0.0, "2": 0.0 } },
            "turns": [],
        })
    );
    assert_eq!(objects[2]["player"], 2);
    assert_eq!(objects[2]["legal"], json!(["1", "2", "3"]));
    assert_eq!(objects.last(), Some(&json!({ "event": "leave" })));
}

#[test]
fn a_turn_is_its_events_with_their_changes_and_the_position_after_it() {
    let ran = skirmish(&["play", "capture-the-line", "--json"], "2\n").exits(3);
    let objects = objects(&ran);
    assert_eq!(objects[3]["turn"], 1);
    assert_eq!(objects[3]["text"], "Player 1 moves to Point 3.");
    let piece = json!({ "player": 1, "at": 1, "strength": null });
    assert_eq!(objects[3]["changes"], json!([{ "moves": piece, "to": 3 }]));
    assert_eq!(objects[4]["event"], "position");
    assert_eq!(objects[4]["position"], "3/11/2");
}

#[test]
fn the_end_tells_outcome_and_termination() {
    let ran = skirmish(&["play", "capture-the-line", "--json"], "2\n2\n2\n1\n1\n").exits(0);
    let objects = objects(&ran);
    let end = json!({
        "event": "end",
        "outcome": { "winner": 1 },
        "result": "1-0",
        "termination": "rules",
        "turns": 5,
        "fault": null,
    });
    assert_eq!(objects.last(), Some(&end));
    assert_eq!(objects[objects.len() - 2]["outcome"], json!({ "winner": 1 }));
}

/// R-ALL-5: half points are printed as decimal numbers.
#[test]
fn a_match_tells_its_score_after_every_game() {
    let arguments = ["play", "command-clash", "--json", "--match", "2"];
    let ran = skirmish(&arguments, "draw\nyes\nresign\n").exits(0);
    let objects = objects(&ran);
    let scores: Vec<&Value> = objects.iter().filter(|it| it["event"] == "score").collect();
    assert_eq!(scores[0]["score"], json!({ "1": 0.5, "2": 0.5 }));
    assert_eq!((&scores[0]["over"], &scores[1]["over"]), (&json!(false), &json!(true)));
    assert_eq!(scores[1]["score"], json!({ "1": 0.5, "2": 1.5 }));
}

#[test]
fn a_resumed_game_tells_the_turns_so_far() {
    let home = Home::new();
    home.run(&["play", "capture-the-line"], "2\n1\n").exits(3);
    let ran = home.run(&["play", "--resume", "--json"], "").exits(3);
    let objects = objects(&ran);
    assert_eq!(objects[0]["event"], "resume");
    assert_eq!(objects[0]["turns"], json!(["2", "1"]));
    assert_eq!(objects[1]["position"], "3/10/1");
}

/// R-CL-6: the output does not depend on Player 1's choice until both have chosen.
#[test]
fn nothing_is_revealed_before_both_choices_are_in() {
    let mut seen = Vec::new();
    for choice in ["charge", "special"] {
        let home = Home::new();
        let mut talk = home.talk(&["play", "command-clash", "--json"]);
        talk.say(format!("{choice}\n"));
        let out = talk.hear("\"event\":\"prompt\",\"player\":2");
        let out = out.split_inclusive('\n').take(5).collect::<String>();
        assert!(out.contains("{\"event\":\"waiting\",\"player\":1}\n"), "{out}");
        seen.push(out);
        talk.say("shield\n");
        talk.hear(if choice == "charge" {
            "\"event\":\"charge\""
        } else {
            "\"event\":\"special\""
        });
        talk.end().exits(3);
    }
    assert_eq!(seen[0], seen[1]);
}
