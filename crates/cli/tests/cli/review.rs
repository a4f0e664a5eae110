//! `skirmish review`: mistakes as text, as JSON and as comments.

use serde_json::{Value, json};

use crate::support::{Home, not_found, read};

const BLUNDER: &str = "\
[Game \"base-battle\"]
[Player1 \"Ann\"]
[Player2 \"Bob }:{\"]
[First \"p1\"]
[Result \"0-1\"]
[Termination \"resigned\"]

1. 2 {bold}
2. 2
3. 1 {hm}
4. 3
";

const CLASH: &str = "\
[Game \"command-clash\"]

1. charge|special
2. charge|shield
3. charge|charge
4. shield|attack
";

fn home(record: &str) -> Home {
    let home = Home::new();
    home.write("x.skr", record);
    home
}

#[test]
fn every_choice_is_told_with_its_worth_and_every_mistake_with_what_would_have_kept_it() {
    let ran = home(BLUNDER).run(&["review", "x.skr"], "").exits(0);
    assert_eq!(
        ran.out,
        "\
Base Battle: Ann against Bob }:{

1. Ann      2     win in 9 (best: 3, win in 7)
2. Bob }:{  2     loss in 6 (best: 1, loss in 8)
3. Ann      1 ??  loss in 6
4. Bob }:{  3 !   win in 5

Turn 3, Ann played 1: win in 5 became loss in 6; 3 would have kept it.

Accuracy of Ann: 50.0% of all that was at stake
Accuracy of Bob }:{: 100.0% of all that was at stake
Turning point: turn 3, Ann played 1.
Ann resigns. Bob }:{ wins the game!
"
    );
    assert_eq!(ran.err, "");
}

#[test]
fn as_json_it_is_one_object() {
    let ran = home(BLUNDER).run(&["review", "x.skr", "--json"], "").exits(0);
    assert_eq!(ran.out.lines().count(), 1);
    let object: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(
        object["choices"][2],
        json!({
            "turn": 3, "player": 1, "position": "2/8/1", "played": "1", "forced": false,
            "verdict": "gave-away", "mark": "??",
            "worth": { "value": "loss", "plies": 6 }, "best": { "value": "win", "plies": 5 },
            "best_moves": ["3"], "keeping": ["3"],
            "given_away": 2.0, "at_stake": 2.0,
        })
    );
    assert_eq!(object["accuracy"], json!({ "1": 50.0, "2": 100.0 }));
    assert_eq!(object["turning_point"], json!({ "turn": 3, "player": 1 }));
    assert_eq!(object["outcome"], json!({ "winner": 2 }));
    assert_eq!(object["termination"], "resigned");

    let ran = home(CLASH).run(&["review", "x.skr", "--json"], "").exits(0);
    let object: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let attack = &object["choices"][7];
    assert_eq!((&attack["verdict"], &attack["given_away"]), (&json!("best"), &json!(0.0)));
    assert!(attack["strategy"]["attack"].as_f64().is_some_and(|share| share > 0.35), "{attack}");
    assert_eq!(object["outcome"], Value::Null);
    assert!(!ran.out.contains("-0.0,") && !ran.out.contains("-0.0}"), "{}", ran.out);
}

#[test]
fn opening_turns_are_the_tournaments() {
    let record = BLUNDER.replace("[Result", "[Opening \"3\"]\n[Result");
    let home = home(&record);
    let ran = home.run(&["review", "x.skr"], "").exits(0);
    assert_eq!(
        ran.out,
        "\
Base Battle: Ann against Bob }:{

1. Ann      2     opening, chosen by the tournament
2. Bob }:{  2     opening, chosen by the tournament
3. Ann      1     opening, chosen by the tournament
4. Bob }:{  3 !   win in 5

Nobody gave away a result. A slower win does not count as a mistake.

The tournament chose turns 1 to 3 at random. They are not judged.

Accuracy of Ann: no turns of their own
Accuracy of Bob }:{: 100.0% of all that was at stake
Ann resigns. Bob }:{ wins the game!
"
    );
    let ran = home.run(&["review", "x.skr", "--json"], "").exits(0);
    let object: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let choices = object["choices"].as_array().expect("a list");
    let verdicts: Vec<&Value> = choices.iter().map(|choice| &choice["verdict"]).collect();
    assert_eq!(verdicts, ["opening", "opening", "opening", "best"]);
    assert_eq!(object["accuracy"], json!({ "1": null, "2": 100.0 }));

    home.run(&["review", "x.skr", "--annotate", "y.skr"], "").exits(0);
    assert_eq!(read(&home.file("y.skr")), record.replace("4. 3", "4. 3 {!}"));
    let ran = home.run(&["replay", "x.skr"], "").exits(0);
    ran.says(&["\nTurn 3: 1  (opening, chosen by the tournament)  {hm}\n", "\nTurn 4: 3\n"]);
    let ran = home.run(&["replay", "x.skr", "--json"], "").exits(0);
    let lines = ran.out.lines().map(|line| line.contains("\"opening\":true"));
    assert_eq!(lines.collect::<Vec<bool>>(), [false, true, true, true, false, false]);
}

#[test]
fn an_annotated_record_keeps_its_comments_and_replays() {
    let home = home(BLUNDER);
    home.run(&["review", "x.skr", "--annotate", "y.skr"], "").exits(0);
    let marked = BLUNDER
        .replace("4. 3", "4. 3 {!}")
        .replace("{hm}", "{hm | ?? win in 5 became loss in 6; 3 would have kept it}");
    assert_eq!(read(&home.file("y.skr")), marked);
    assert_eq!(read(&home.file("x.skr")), BLUNDER, "the record itself is as it was");
    home.run(&["replay", "y.skr"], "").exits(0).says(&["Turn 4: 3  {!}\n"]);

    home.run(&["review", "y.skr", "--annotate", "y.skr"], "").exits(0);
    assert_eq!(read(&home.file("y.skr")), marked, "once more adds nothing");
}

#[test]
fn both_players_marks_of_one_turn_stand_in_one_comment() {
    let home = home("[Game \"command-clash\"]\n\ncharge|special shield|shield\n");
    home.run(&["review", "x.skr", "--annotate", "y.skr"], "").exits(0);
    let said = "? 0 became -0.45; charge or attack would have kept it";
    let turn = format!("2. shield|shield {{Player 1: {said} | Player 2: {said}}}\n");
    assert!(read(&home.file("y.skr")).ends_with(&turn), "{}", read(&home.file("y.skr")));
    home.run(&["replay", "y.skr"], "").exits(0);
}

#[test]
fn a_record_that_cannot_be_annotated_fails_and_says_why() {
    let ran = home(BLUNDER).run(&["review", "x.skr", "--annotate", "no/y.skr"], "").exits(1);
    let told = format!("error: cannot write no/y.skr: {}", not_found());
    assert!(ran.err.starts_with(&told), "{}", ran.err);
    assert_eq!(ran.out, "");
}

#[test]
fn a_game_played_at_the_prompt_can_be_reviewed() {
    let home = Home::new();
    let arguments = ["play", "capture-the-line", "--rule", "positions=9", "--record", "x.skr"];
    home.run(&arguments, "2\n1\n1\nresign\n").exits(0);
    let ran = home.run(&["review", "x.skr"], "").exits(0);
    ran.says(&["Capture the Line (positions=9): ", "Accuracy of Player 1: ", "resigns. Player "]);
}

#[test]
fn a_board_too_large_to_solve_is_refused_with_the_estimate() {
    let large = "[Game \"command-line-conquer\"]\n[Rules \"positions=60 units=8\"]\n\nr\n";
    let ran = home(large).run(&["review", "x.skr"], "").exits(1);
    assert!(ran.err.starts_with("error: this board has "), "{}", ran.err);
    assert_eq!(ran.out, "");
}

#[test]
fn a_record_that_belongs_to_other_rules_is_said_to() {
    let ran = home("[Game \"capture-and-conquer\"]\n\n1 3\n").run(&["review", "x.skr"], "");
    ran.exits(1).complains(
        "error: x.skr, line 3: turn 2: \"3\" is not a move here: enter 1 or 2. \
         (it may have been played under other rules: it is valid with steps=3)",
    );
}
