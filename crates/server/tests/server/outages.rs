//! What players on several nodes are told while the database or other nodes are away, and when that is over.

use std::time::Instant;

use serde_json::{Value, json};

use crate::cluster::{Ground, Node};
use crate::nodes::{left, moves, terms, turn};
use crate::support::{Client, Pair};

/// Two nodes, and a game between Ann on the first one, which owns it, and Bob on the other. Clocks run.
fn begin(ground: &Ground) -> ([Node; 2], Pair) {
    let nodes = [0, 1].map(|_| Node::start(ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    for number in [1, 2] {
        moves(&mut pair, number, &mut []);
    }
    (nodes, pair)
}

/// The same, and Ann resigns.
fn begin_and_end(ground: &Ground) -> ([Node; 2], Pair) {
    let (nodes, mut pair) = begin(ground);
    pair.one.does(&json!({"type": "resign", "code": pair.code}));
    for client in [&mut pair.one, &mut pair.two] {
        client.event("end");
    }
    (nodes, pair)
}

/// Two nodes and a game, and the database goes away for both nodes. Both players are told that no clock runs. Returns what Bob was told
/// of the clocks.
fn begin_and_stop(ground: &Ground) -> ([Node; 2], Pair, Value) {
    let (nodes, mut pair) = begin(ground);
    for node in &nodes {
        node.database.cut();
    }
    let mut told = [1, 2].map(|number| notice(&mut pair, number, says("no move is accepted")));
    for node in &nodes {
        node.log.wait_for("database_away");
    }
    let clock = told[1]["notice"]["clock"].take();
    assert_eq!(clock["running"], json!([]), "{clock}");
    (nodes, pair, clock)
}

/// The next notice of this kind. It names the game, and answers nothing.
fn notice(pair: &mut Pair, number: u64, is_it: impl Fn(&Value) -> bool) -> Value {
    let code = pair.code.clone();
    let client: &mut Client = pair.player(number);
    loop {
        let next = client.next();
        assert!(next["type"] != "bye", "{next}");
        if next["type"] != "rej" {
            continue;
        }
        assert_eq!((&next["id"], &next["code"]), (&Value::Null, &json!("storage")), "{next}");
        assert_eq!(next["notice"]["code"], code, "{next}");
        if is_it(&next) {
            return next;
        }
    }
}

fn says(part: &str) -> impl Fn(&Value) -> bool {
    move |notice| notice["text"].as_str().is_some_and(|text| text.contains(part))
}

#[test]
fn no_clock_runs_on_any_node_while_the_database_is_away() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    moves(&mut pair, 1, &mut []);
    let began = Instant::now();
    let before = moves(&mut pair, 2, &mut []);
    for node in &nodes {
        node.database.cut();
    }
    // What the clock of whoever has the turn shows at least. A node may note a little later that it has reached the database.
    let played = began.elapsed().as_millis() + 500;
    let least = left(&before, "1") - i64::try_from(played).expect("a short time");
    // The other node asks the owner.
    for number in [1, 2] {
        let told = notice(&mut pair, number, says("no move is accepted"));
        assert_eq!(told["notice"]["clock"]["running"], json!([]), "{told}");
        let range = least..=left(&before, "1");
        assert!(range.contains(&left(&told["notice"], "1")), "{least}, {before}, {told}");
        assert_eq!(left(&told["notice"], "2"), left(&before, "2"), "{told}");
        assert_eq!(told["notice"]["over"], Value::Null, "{told}");
    }
    // Whoever asks for something is told again, and it is done later.
    pair.one.send(&json!({"type": "say", "id": "wait", "code": pair.code, "phrase": "wait"}));
    let told = pair.one.until("rej");
    assert_eq!(told["notice"]["clock"]["running"], json!([]), "{told}");
    for node in &nodes {
        node.database.mend();
    }
    for client in [&mut pair.one, &mut pair.two] {
        let resumed = client.event("resumed");
        assert_eq!(resumed["clock"]["running"], json!([1]));
        assert!(left(&resumed, "1") >= least, "{least}, {resumed}");
        assert_eq!(client.event("say")["phrase"], "wait");
    }
    moves(&mut pair, 1, &mut []);
}

#[test]
fn clocks_stand_still_until_the_owner_is_back() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair, clock) = begin_and_stop(&ground);
    nodes[1].database.mend();
    nodes[1].log.wait_for("database_back");
    // Somebody who has seen more has seen it on another node, and the log is read.
    pair.two.send(&json!({"type": "join", "code": pair.code, "have": 1000}));
    let told = notice(&mut pair, 2, |_| true);
    assert_eq!(told["notice"], json!({"code": pair.code, "clock": clock}), "{told}");
    nodes[0].database.mend();
    // No other notice comes before.
    let resumed = pair.two.event("resumed");
    assert_eq!(resumed["clock"]["running"], json!([1]), "{resumed}");
    let stood = clock["left"]["1"].as_i64().expect("a clock");
    assert!(left(&resumed, "1") > stood, "{stood}, {resumed}");
}

#[test]
fn clocks_run_again_where_only_the_owner_is_back() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair, clock) = begin_and_stop(&ground);
    nodes[0].database.mend();
    let resumed = pair.one.event("resumed");
    // The owner reads that for the other node, on which the game goes on as well.
    let there = loop {
        let next = pair.two.next();
        if next["event"] == "resumed" {
            break next;
        }
        assert!(says("moves may have to wait")(&next), "{next}");
        assert_eq!(next["notice"]["clock"]["running"], json!([1]), "{next}");
    };
    assert_eq!((&there["v"], &there["clock"]["running"]), (&resumed["v"], &json!([1])), "{there}");
    let stood = clock["left"]["1"].as_i64().expect("a clock");
    assert!(left(&there, "1") > stood, "{stood}, {there}");
    moves(&mut pair, 1, &mut []);
    moves(&mut pair, 2, &mut []);
}

#[test]
fn after_a_game_a_rematch_is_offered_where_only_the_owner_is_back() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin_and_end(&ground);
    for node in &nodes {
        node.database.cut();
    }
    for number in [1, 2] {
        notice(&mut pair, number, says("what you enter has to wait"));
    }
    nodes[0].database.mend();
    notice(&mut pair, 1, says("reaches its database again"));
    // What happens is seen on both nodes.
    pair.does(1, "offer", &json!({"what": "rematch"}));
    while pair.two.next()["event"] != "offer" {}
    nodes[1].database.mend();
    let told = notice(&mut pair, 2, says("reaches its database again"));
    assert_eq!(told["notice"]["over"], true, "{told}");
}

#[test]
fn whoever_does_not_follow_a_game_is_not_told_its_clocks() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    let code = pair.code.clone();
    let mut stranger = nodes[1].guest("Cleo");
    stranger.does(&json!({"type": "join", "code": code, "watch": true}));
    stranger.until("snap");
    stranger.send(&json!({"type": "leave", "code": code}));
    let say = |id: &str| json!({"type": "say", "id": id, "code": code, "phrase": "wait"});
    stranger.send(&say("before"));
    assert_eq!(stranger.answer(&json!("before"))["code"], "not_seated");
    for node in &nodes {
        node.database.cut();
    }
    stranger.send(&say("first"));
    let told = stranger.next();
    assert_eq!(told["notice"], json!({"code": pair.code}), "{told}");
    let told = notice(&mut pair, 2, says("no move is accepted"));
    assert_eq!(told["notice"]["clock"]["running"], json!([]), "{told}");
    stranger.send(&say("second"));
    let told = stranger.next();
    assert_eq!(told["notice"], json!({"code": pair.code}), "{told}");
    assert!(says("no move is accepted")(&told), "{told}");
    for node in &nodes {
        node.database.mend();
    }
    for id in ["first", "second"] {
        let refused = stranger.next();
        assert_eq!((&refused["type"], &refused["id"]), (&json!("rej"), &json!(id)), "{refused}");
    }
}

#[test]
fn players_of_a_node_that_was_cut_off_are_told_that_it_is_over() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    nodes[1].database.cut();
    let told = notice(&mut pair, 2, says("moves may have to wait"));
    assert_eq!(told["notice"]["clock"], Value::Null, "the owner lets the clocks run: {told}");
    nodes[1].database.mend();
    let told = notice(&mut pair, 2, says("reaches its database again"));
    assert_eq!(told["notice"]["over"], true, "{told}");
    assert_eq!(told["notice"]["clock"]["running"], json!([1]), "{told}");
    moves(&mut pair, 1, &mut []);
}

/// Players there saw stopped clocks while these ran; players on other nodes saw them run before that, while they were stopped.
#[test]
fn players_of_an_owner_that_was_cut_off_go_on_when_another_node_takes_the_game() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    nodes[0].database.cut();
    let told = [1, 2].map(|number| notice(&mut pair, number, |_| true));
    assert!(says("no move is accepted")(&told[0]), "{}", told[0]);
    assert_eq!(told[0]["notice"]["clock"]["running"], json!([]), "{}", told[0]);
    assert_eq!(told[1], told[0]);
    for client in [&mut pair.one, &mut pair.two] {
        let resumed = client.event("resumed");
        assert_eq!(resumed["clock"]["running"], json!([1]), "{resumed}");
    }
    moves(&mut pair, 1, &mut []);
    moves(&mut pair, 2, &mut []);
}

/// They saw the clocks run, and nobody knew whether they did.
#[test]
fn players_of_a_node_that_is_cut_off_are_told_when_the_owner_does_not_answer_either() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair, _) = begin_and_stop(&ground);
    nodes[0].database.mend();
    // The owner reads that for the other node: nobody need know there that the database is away.
    while pair.two.next()["event"] != "resumed" {}
    nodes[0].bus.cut();
    notice(&mut pair, 2, says("moves may have to wait"));
    nodes[1].database.mend();
    let told = notice(&mut pair, 2, says("reaches its database again"));
    assert_eq!(told["notice"]["over"], true, "{told}");
}

/// Whose game was over was told that it goes on.
#[test]
fn whose_game_is_over_is_told_only_that_the_database_is_away_and_back() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin_and_end(&ground);
    for node in &nodes {
        node.database.cut();
    }
    for number in [1, 2] {
        let told = notice(&mut pair, number, says("cannot reach its database"));
        assert_eq!(told["notice"]["clock"], Value::Null, "{told}");
        assert!(!says("the game")(&told) && !says("move")(&told), "{told}");
    }
    for node in &nodes {
        node.database.mend();
    }
    for number in [1, 2] {
        let told = notice(&mut pair, number, says("reaches its database again"));
        assert_eq!(told["text"], "The server reaches its database again.");
        assert_eq!(told["notice"]["over"], true, "{told}");
    }
}

/// A notice replaces the one before it: that moves may be late hid that none was accepted.
#[test]
fn that_nodes_cannot_hear_each_other_does_not_hide_that_the_database_is_away() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    for node in &nodes {
        node.bus.cut();
        node.database.cut();
    }
    for node in &nodes {
        node.log.wait_for("nodes_unheard");
    }
    // What has been told is read in its order.
    let away = notice(&mut pair, 2, |_| true);
    assert!(says("cannot reach its database")(&away), "{away}");
    for node in &nodes {
        node.database.mend();
    }
    let (mut is_back, mut last) = (false, away);
    while !is_back {
        let next = pair.two.next();
        is_back = next["event"] == "resumed" || next["notice"]["over"] == true;
        if next["type"] == "rej" && !is_back {
            last = next;
        }
    }
    assert!(says("cannot reach its database")(&last), "{last}");
    // It is told when it is the worst that there is.
    notice(&mut pair, 2, says("cannot hear each other"));
    for node in &nodes {
        node.bus.mend();
    }
    notice(&mut pair, 2, says("hear each other again"));
}

#[test]
fn players_are_told_that_nodes_hear_each_other_again() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    nodes[1].bus.cut();
    for number in [1, 2] {
        let told = notice(&mut pair, number, says("cannot hear each other"));
        let about = json!({"code": pair.code});
        assert_eq!(told["notice"], about, "clocks run");
    }
    nodes[1].bus.mend();
    for number in [1, 2] {
        let told = notice(&mut pair, number, says("hear each other again"));
        assert_eq!(told["notice"], json!({"code": pair.code, "over": true}));
    }
    let v = pair.version(1);
    pair.one.does(&json!({"type": "act", "code": pair.code, "v": v, "move": "1"}));
    for client in [&mut pair.one, &mut pair.two] {
        turn(client);
    }
}
