//! Matches (R-ALL-5): who starts alternates; where Player 1 always starts, the players swap seats.

use serde_json::{Value, json};

use super::Served;
use crate::support::{Home, Talk};

/// The games that were announced to a program: the names by seat, and who starts.
fn begun(out: &str) -> Vec<Value> {
    let objects = out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    let begun = objects.filter(|object| object["event"] == "start");
    begun.map(|it| json!([it["names"]["1"], it["names"]["2"], it["first"]])).collect()
}

/// Ann, in line mode, and Bob, with a program, play a match in which each resigns once.
fn play(server: &Served, terms: &str) -> (Talk, Talk) {
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, terms);
    let mut bob = server.guest(&bob_home, &code, &["--json"]);
    bob.hear("\"You are Bob (P2).\"");
    // Without a first move by both players, the game would be aborted.
    ann.say("1\n");
    bob.say("1\n");
    ann.hear("Bob moves ");
    ann.say("resign\n");
    bob.hear("\"game\":2,\"of\":2");
    bob.say("2\n");
    ann.say("2\n");
    bob.hear("\"turn\":2,\"text\":\"Ann");
    bob.say("resign\n");
    bob.hear("\"over\":true");
    (ann, bob)
}

#[test]
fn the_players_swap_seats_where_player_1_always_starts() {
    let server = Served::new();
    let (ann, bob) = play(&server, "capture-the-line --seat p1 --match 2");
    let bob = bob.end().exits(0);
    assert_eq!(begun(&bob.out), [json!(["Ann", "Bob", 1]), json!(["Bob", "Ann", 1])]);
    bob.says(&["\"You are Bob (P2).\"", "\"You are Bob (P1).\""]);
    ann.end().exits(0).says(&[
        "Game 1 of 2",
        "You are Ann (P1).",
        "Score: Ann 0, Bob 1",
        "Game 2 of 2\nThe players swap seats: Bob is P1 now, and Ann is P2.",
        "You are Ann (P2).",
        "Final score: Bob 1, Ann 1",
    ]);
}
