//! Every printed object has exactly the fields of its type, from which docs/json.md is generated.

use serde_json::Value;
use skirmish_present::json::*;

use crate::support::{Home, skirmish};

/// The names of an object's own fields, in the order of the JSON text.
fn names(text: &str) -> Vec<&str> {
    let (mut names, mut depth, mut opened) = (Vec::new(), 0, None);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (opened, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(start), '"') => {
                opened = None;
                if depth == 1 && text[at + 1..].starts_with(':') {
                    names.push(&text[start + 1..at]);
                }
            }
            (None, '"') => opened = Some(at),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth -= 1,
            _ => {}
        }
    }
    names
}

/// Asserts that a line is an object with these fields in order; optional ones may be missing.
#[track_caller]
fn line(text: &str, object: Description, missing: &[&str]) -> Value {
    let mut expected = object.names();
    expected.retain(|name| !missing.contains(name));
    assert_eq!(names(text), expected, "{}: {text}", object.name);
    serde_json::from_str(text).expect("it is JSON")
}

/// Asserts that a part of an object has these fields.
#[track_caller]
fn part(value: &Value, object: Description, missing: &[&str]) {
    let mut names: Vec<&str> = object.names();
    names.retain(|name| !missing.contains(name));
    names.sort_unstable();
    let mut fields: Vec<&String> = value.as_object().expect(object.name).keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, names, "{}: {value}", object.name);
}

fn printed(arguments: &[&str]) -> String {
    skirmish(&[arguments, &["--json"]].concat(), "").exits(0).out
}

#[test]
fn positions_and_their_values() {
    line(&printed(&["show", "base-battle"]), PositionObject::DESCRIPTION, &[]);
    let endless = printed(&["analyze", "capture-and-conquer", "--position", "4/6/1"]);
    let missing = ["forced", "line", "repeats"];
    let analysis = line(&endless, AnalysisOfTurnsObject::DESCRIPTION, &missing);
    part(&analysis["moves"][0], RatedMoveObject::DESCRIPTION, &["against"]);
    part(&analysis["draw"], PressureObject::DESCRIPTION, &[]);
    let mixes = printed(&["analyze", "command-clash"]);
    line(&mixes, AnalysisOfMixesObject::DESCRIPTION, &["line", "repeats", "against"]);
    let more = ["--line", "--against", "casual"];
    let studied = printed(&[&["analyze", "capture-and-conquer"], &more[..]].concat());
    let studied = line(&studied, AnalysisOfTurnsObject::DESCRIPTION, &["forced"]);
    part(&studied["moves"][0], RatedMoveObject::DESCRIPTION, &[]);
    part(&studied["moves"][0]["against"], ForecastObject::DESCRIPTION, &[]);
    let mixes = printed(&[&["analyze", "command-clash"], &more[..]].concat());
    let mixes = line(&mixes, AnalysisOfMixesObject::DESCRIPTION, &[]);
    part(&mixes["dominated"]["1"][0], DominatedObject::DESCRIPTION, &[]);
    part(&mixes["against"]["2"]["charge"], ForecastObject::DESCRIPTION, &[]);
    line(&printed(&["solve", "base-battle"]), SolutionObject::DESCRIPTION, &["verified"]);
    line(&printed(&["solve", "base-battle", "--verify"]), SolutionObject::DESCRIPTION, &[]);
}

#[test]
fn maps() {
    let outcomes = line(&printed(&["map", "base-battle"]), OutcomesObject::DESCRIPTION, &[]);
    part(&outcomes["axes"]["1"], AxisObject::DESCRIPTION, &[]);
    part(&outcomes["cells"][0], OutcomeCellObject::DESCRIPTION, &[]);
    let values = line(&printed(&["map", "command-clash"]), ValuesObject::DESCRIPTION, &[]);
    part(&values["cells"][0], ValueCellObject::DESCRIPTION, &[]);
    let small = ["map", "command-line-conquer", "--rule", "positions=5"];
    let census = line(&printed(&small), CensusObject::DESCRIPTION, &[]);
    part(&census["by_units"][0], TallyObject::DESCRIPTION, &[]);
    part(&census["by_steps_left"][0], TallyObject::DESCRIPTION, &[]);
    part(&census["by_plies"][0], PliesObject::DESCRIPTION, &[]);
}

#[test]
fn found_positions_and_saved_games() {
    let found = line(&printed(&["find", "base-battle", "win"]), FoundObject::DESCRIPTION, &[]);
    part(&found["positions"][0], FoundTurnObject::DESCRIPTION, &[]);
    let mixes =
        line(&printed(&["find", "command-clash", "not over"]), FoundObject::DESCRIPTION, &[]);
    part(&mixes["positions"][0], FoundMixObject::DESCRIPTION, &[]);
    let home = Home::new();
    home.run(&["play", "capture-the-line"], "2\n").exits(3);
    let saves = home.run(&["saves", "--json"], "").exits(0).out;
    let saves: Value = serde_json::from_str(&saves).expect("it is JSON");
    part(&saves[0], SavedGameObject::DESCRIPTION, &[]);
}

#[test]
fn puzzles() {
    line(&printed(&["puzzle", "base-battle", "--seed", "1"]), WinPuzzleObject::DESCRIPTION, &[]);
    line(&printed(&["puzzle", "command-clash", "--seed", "1"]), MixPuzzleObject::DESCRIPTION, &[]);
}

#[test]
fn the_catalogue_and_the_laboratory() {
    let game = line(&printed(&["rules", "base-battle"]), RulesObject::DESCRIPTION, &[]);
    part(&game["options"][0], OptionObject::DESCRIPTION, &["values", "meanings"]);
    part(&game["options"][2], OptionObject::DESCRIPTION, &["min", "max", "odd"]);
    part(&game["presets"][0], PresetObject::DESCRIPTION, &[]);
    let array = |arguments: &[&str]| -> Value {
        serde_json::from_str(&printed(arguments)).expect("it is JSON")
    };
    part(&array(&["games"])[4], GameObject::DESCRIPTION, &[]);
    let variant = &array(&["lab", "base-battle", "--vary", "steps=2"])[0];
    part(variant, FindingObject::DESCRIPTION, &[]);
    part(&array(&["lab", "--levels", "base-battle"])[0], LevelsObject::DESCRIPTION, &[]);
}

/// Asserts that an event has the fields of its kind, or those of a turn's events.
#[track_caller]
fn event(text: &str) -> Value {
    let event: Value = serde_json::from_str(text).expect("it is JSON");
    let kinds = EventObject::KINDS.iter();
    let kind = kinds.into_iter().find(|kind| kind.name.to_lowercase() == event["event"]);
    match kind {
        Some(kind) => {
            let mut expected = kind.names();
            expected.insert(0, "event");
            assert_eq!(names(text), expected, "{text}");
        }
        None => drop(line(text, TurnEventObject::DESCRIPTION, &["you"])),
    }
    for change in event["changes"].as_array().into_iter().flatten() {
        let kinds = ChangeObject::KINDS.iter();
        let kind = kinds.into_iter().find(|kind| !change[kind.name.to_lowercase()].is_null());
        let kind = kind.unwrap_or_else(|| panic!("{change}"));
        part(change, *kind, &[]);
        let piece = &change[kind.name.to_lowercase()];
        if piece.is_object() {
            part(piece, PieceObject::DESCRIPTION, &[]);
        }
    }
    event
}

#[test]
fn events_of_a_game() {
    let home = Home::new();
    let mut seen = Vec::new();
    let mut play = |arguments: &[&str], input: &str, code: i32| {
        let arguments = [arguments, &["--json"]].concat();
        let ran = home.run(&arguments, input).exits(code);
        let events: Vec<Value> = ran.out.lines().map(event).collect();
        seen.extend(events.iter().map(|event| event["event"].as_str().unwrap().to_owned()));
        events
    };
    let input = "fly\nhelp\nr\nm10\nundo\nquit\n";
    play(&["play", "command-line-conquer", "--p2", "novice", "--seed", "1"], input, 0);
    play(&["play", "command-clash"], "charge\nattack\n", 3);
    play(&["play", "--resume"], "quit\n", 0);
    let events = play(&["play", "base-battle", "--match", "2"], "draw\nyes\nresign\n", 0);
    part(&events[0]["match"], MatchObject::DESCRIPTION, &[]);
    play(&["host", "base-battle", "--listen", "127.0.0.1:0"], "quit\n", 0);
    for kind in EventObject::KINDS {
        let name = kind.name.to_lowercase();
        assert!(seen.contains(&name), "{name} was never sent");
    }
}

#[test]
fn records() {
    let home = Home::new();
    home.write("x.skr", "[Game \"base-battle\"]\n[First \"p1\"]\n\n1. 2\n2. 2\n3. 1\n4. 3\n");
    home.write("clash.skr", "[Game \"command-clash\"]\n\n1. charge|special\n");
    let replay = home.run(&["replay", "x.skr", "--json"], "").exits(0).out;
    let mut lines: Vec<&str> = replay.lines().collect();
    line(lines.pop().unwrap(), EndingObject::DESCRIPTION, &[]);
    for text in lines {
        let turn = line(text, ReplayedTurnObject::DESCRIPTION, &[]);
        for told in turn["events"].as_array().unwrap() {
            part(told, TurnEventObject::DESCRIPTION, &["you"]);
        }
    }
    let review = |name: &str, missing: [&[&str]; 2]| {
        let ran = home.run(&["review", name, "--json"], "").exits(0);
        let object = line(&ran.out, ReviewObject::DESCRIPTION, &[]);
        part(&object["choices"][0], ReviewedChoiceObject::DESCRIPTION, missing[0]);
        part(&object["choices"][0]["worth"], WorthObject::DESCRIPTION, missing[1]);
        object
    };
    let object = review("x.skr", [&["strategy"], &[]]);
    part(&object["turning_point"], TurningPointObject::DESCRIPTION, &[]);
    review("clash.skr", [&[], &["plies"]]);
}

#[cfg(unix)]
#[test]
fn bots_and_tournaments() {
    let home = Home::new();
    let bot = "json: sh -c 'while read -r line; do echo \"$line\" >> asked; echo 7; done'";
    let check = home.run(&["bot", "check", bot, "--game", "base-battle", "--json"], "").exits(1);
    let check = line(&check.out, CheckObject::DESCRIPTION, &[]);
    part(&check["steps"][0], StepObject::DESCRIPTION, &[]);
    let asked = std::fs::read_to_string(home.file("asked")).expect("it was asked");
    line(asked.lines().next().unwrap(), QuestionObject::DESCRIPTION, &[]);
    let arguments = ["tournament", "base-battle", bot, "novice", "--games", "2", "--sprt", "0,50"];
    let ran = home.run(&[&arguments[..], &["--json"]].concat(), "").exits(0);
    let object = line(&ran.out, TournamentObject::DESCRIPTION, &[]);
    part(&object["standings"][0], StandingObject::DESCRIPTION, &[]);
    part(&object["standings"][1]["reasons"][0], ReasonObject::DESCRIPTION, &[]);
    part(&object["encounters"][0], EncounterObject::DESCRIPTION, &[]);
    part(&object["sprt"], SprtObject::DESCRIPTION, &[]);
}
