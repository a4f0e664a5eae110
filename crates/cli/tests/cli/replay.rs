//! `skirmish replay`: a recorded game, step by step on a terminal, all at once in a pipe.

use serde_json::{Value, json};

use crate::support::Home;
#[cfg(unix)]
use crate::terminal::Terminal;

const RECORD: &str = "\
[Game \"capture-the-line\"]
[Player1 \"Ann\"]
[Player2 \"Bob\"]
[Date \"2024.02.29\"]
[Result \"1-0\"]
[Termination \"resigned\"]

1. 2 {a bold step}
2. 1
";

fn home() -> Home {
    let home = Home::new();
    home.write("x.skr", RECORD);
    home
}

#[test]
fn in_a_pipe_the_whole_game_is_shown_at_once() {
    let ran = home().run(&["replay", "x.skr"], "").exits(0);
    assert_eq!(
        ran.out,
        "\
Capture the Line: Ann against Bob, 2024.02.29

Welcome to Capture the Line!

Ann starts on Point 1.
Bob starts on Point 11.
Be the first player to land exactly on Point 6!

Ann starts.

Player Positions:
- Ann: Point 1
- Bob: Point 11

[1] - 2 - 3 - 4 - 5 - 6 - 7 - 8 - 9 - 10 - [11]

Turn 1: 2  {a bold step}

Ann moves to Point 3.

Player Positions:
- Ann: Point 3
- Bob: Point 11

1 - 2 - [3] - 4 - 5 - 6 - 7 - 8 - 9 - 10 - [11]

Turn 2: 1

Bob moves to Point 10.

Player Positions:
- Ann: Point 3
- Bob: Point 10

1 - 2 - [3] - 4 - 5 - 6 - 7 - 8 - 9 - [10] - 11

Bob resigns. Ann wins the game!
"
    );
}

#[test]
fn the_result_is_told_whatever_it_is() {
    for (tags, told) in [
        ("", "The game is not finished.\n"),
        ("[Result \"1/2-1/2\"]\n[Termination \"agreed\"]\n", "The players agree on a draw.\n"),
        (
            "[Result \"0-1\"]\n[Termination \"time\"]\n",
            "Player 1's time is up. Player 2 wins the game!\n",
        ),
    ] {
        let home = Home::new();
        home.write("x.skr", format!("[Game \"base-battle\"]\n{tags}\n1\n"));
        let ran = home.run(&["replay", "x.skr"], "").exits(0);
        assert!(ran.out.ends_with(told), "{}", ran.out);
    }
}

#[test]
fn rule_options_are_told() {
    let home = Home::new();
    home.write("x.skr", "[Game \"base-battle\"]\n[Rules \"push=onward\"]\n\n3 2 2 2 2\n");
    let ran = home.run(&["replay", "x.skr"], "").exits(0);
    ran.says(&["Base Battle (push=onward): Player 1 against Player 2\n", "Turn 5: 2\n"]);
}

#[test]
fn as_json_there_is_an_object_per_position_and_the_result() {
    let ran = home().run(&["replay", "x.skr", "--json"], "").exits(0);
    let objects: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let [start, first, second, end] = objects.as_slice() else { panic!("{}", ran.out) };
    assert_eq!((&start["number"], &start["played"]), (&json!(0), &Value::Null));
    assert_eq!(start["position"], "1/11/1");
    assert_eq!((&first["played"], &first["comment"]), (&json!("2"), &json!("a bold step")));
    assert_eq!(first["events"][0]["text"], "Ann moves to Point 3.");
    assert_eq!(second["position"], "3/10/1");
    assert_eq!(*end, json!({ "outcome": { "winner": 1 }, "termination": "resigned" }));
}

#[test]
#[cfg(unix)]
fn on_a_terminal_it_goes_step_by_step_and_back() {
    let home = home();
    let mut terminal = Terminal::open(&home, &["replay", "x.skr"]);
    terminal.see_prompt("[0/2] Enter: next, b: back, q: quit");
    terminal.enter("b");
    terminal.see("This is the start.");
    terminal.see_prompt("[0/2] Enter: next, b: back, q: quit");
    terminal.enter("");
    terminal.see("Ann moves to Point 3.");
    terminal.see_prompt("[1/2] Enter: next, b: back, q: quit");
    terminal.enter("x");
    terminal.see("Press Enter for the next turn, b to go back, q to quit.");
    terminal.see_prompt("[1/2] Enter: next, b: back, q: quit");
    terminal.enter("");
    terminal.see("Bob resigns. Ann wins the game!");
    terminal.see_prompt("[2/2] Enter: next, b: back, q: quit");
    terminal.enter("b");
    terminal
        .wait("the board one turn back", |screen| screen.matches("[1/2] Enter: next").count() == 3);
    terminal.enter("q");
    terminal.ends(0);
}
