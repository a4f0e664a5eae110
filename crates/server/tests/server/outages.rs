//! Tests of the notices to players on several nodes while the database or other nodes are unreachable, and afterwards.

use std::time::Instant;

use serde_json::{Value, json};

use crate::cluster::{Ground, Node, mend_all};
use crate::nodes::{left, moves, terms};
use crate::support::{Client, Pair};

/// Starts two nodes, and a game with running clocks between Ann on the first node and Bob on the second.
fn begin(ground: &Ground) -> ([Node; 2], Pair) {
    let nodes = [0, 1].map(|_| Node::start(ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    for number in [1, 2] {
        moves(&mut pair, number, &mut []);
    }
    (nodes, pair)
}

/// Like `begin`, but Ann then resigns.
fn begin_and_end(ground: &Ground) -> ([Node; 2], Pair) {
    let (nodes, mut pair) = begin(ground);
    pair.one.does(&json!({"type": "resign", "code": pair.code}));
    for client in [&mut pair.one, &mut pair.two] {
        client.event("end");
    }
    (nodes, pair)
}

/// The next notice that satisfies `is_it`. It must name the game, and must not answer a request.
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
fn no_clock_runs_while_no_node_reaches_the_database() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    moves(&mut pair, 1, &mut []);
    let began = Instant::now();
    let before = moves(&mut pair, 2, &mut []);
    for node in &nodes {
        node.database.cut();
    }
    // The clock of the player whose turn it is cannot have lost more time than this.
    let played = began.elapsed().as_millis() + 1;
    let least = left(&before, "1") - i64::try_from(played).expect("a short time");
    for number in [1, 2] {
        let told = notice(&mut pair, number, says("no move is accepted"));
        assert_eq!(told["notice"]["clock"]["running"], json!([]), "{told}");
        let range = least..=left(&before, "1");
        assert!(range.contains(&left(&told["notice"], "1")), "{least}, {before}, {told}");
        assert_eq!(left(&told["notice"], "2"), left(&before, "2"), "{told}");
        assert_eq!(told["notice"]["over"], Value::Null, "{told}");
    }
    // A player who makes a request is told again, and the request is carried out later.
    pair.one.send(&json!({"type": "say", "id": "wait", "code": pair.code, "phrase": "wait"}));
    let told = pair.one.until("rej");
    assert_eq!(told["notice"]["clock"]["running"], json!([]), "{told}");
    mend_all(&nodes);
    for client in [&mut pair.one, &mut pair.two] {
        let resumed = client.event("resumed");
        assert_eq!(resumed["clock"]["running"], json!([1]));
        assert!(left(&resumed, "1") >= least, "{least}, {resumed}");
        assert_eq!(client.event("say")["phrase"], "wait");
    }
    moves(&mut pair, 1, &mut []);
}

#[test]
fn whoever_does_not_follow_a_game_is_not_told_its_clocks() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    let code = pair.code.clone();
    let mut stranger = nodes[1].guest("Cleo");
    stranger.register("Cleo");
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
fn players_of_a_node_that_was_cut_off_for_a_moment_are_told_that_it_is_over() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    nodes[1].database.cut();
    let code = pair.code.clone();
    pair.two.send(&json!({"type": "say", "id": "wait", "code": code, "phrase": "wait"}));
    notice(&mut pair, 2, says("no move is accepted"));
    nodes[1].database.mend();
    let told = notice(&mut pair, 2, says("reaches its database again"));
    assert_eq!(told["notice"]["over"], true, "{told}");
    assert_eq!(told["notice"]["clock"]["running"], json!([1]), "{told}");
    assert_eq!(pair.two.answer(&json!("wait"))["type"], "ack");
    pair.one.event("say");
    pair.two.event("say");
    moves(&mut pair, 1, &mut []);
}

/// Regression: as long as the log could be read, the end of the outage was told before each attempt to write.
#[test]
fn players_are_told_once_that_the_database_can_only_be_read() {
    let Some(ground) = Ground::new() else { return };
    let (nodes, mut pair) = begin(&ground);
    ground.forbid_writing();
    let code = pair.code.clone();
    pair.one.send(&json!({"type": "say", "id": "wait", "code": code, "phrase": "wait"}));
    for number in [1, 2] {
        notice(&mut pair, number, says("no move is accepted"));
    }
    for node in &nodes {
        let line = node.log.wait_for("database_unavailable");
        assert!(line.contains("read-only"), "the log says why: {line}");
    }
    ground.allow_writing();
    // There is no other notice.
    for client in [&mut pair.one, &mut pair.two] {
        client.event("resumed");
    }
    assert_eq!(pair.one.answer(&json!("wait"))["type"], "ack");
    moves(&mut pair, 1, &mut []);
}

/// Regression: players whose game was over were told that it would go on.
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
