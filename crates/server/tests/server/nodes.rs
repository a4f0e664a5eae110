//! People on different nodes of one server play each other, whatever becomes of the nodes, the bus and the database.

use serde_json::{Value, json};

use crate::cluster::{Ground, Node};
use crate::support::{Client, Pair};

/// A long game with clocks.
fn terms() -> Value {
    json!({"game": "capture-the-line", "rules": {"positions": 31}, "clock": "5+3"})
}

/// A move of whoever has the turn, seen by all. They see the same.
fn moves(pair: &mut Pair, number: u64, others: &mut [&mut Client]) -> Value {
    pair.act(number, "1");
    let event = pair.one.event("turn");
    assert_eq!(pair.two.event("turn")["told"], event["told"]);
    for other in others {
        assert_eq!(other.event("turn")["told"], event["told"]);
    }
    event
}

/// What is left on a player's clock.
fn left(event: &Value, number: &str) -> i64 {
    event["clock"]["left"][number].as_i64().expect("a clock")
}

#[test]
fn people_on_different_nodes_play_and_others_watch() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1, 2].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    let mut watcher = nodes[2].guest("Cleo");
    watcher.does(&json!({"type": "join", "code": pair.code, "watch": true}));
    let snap = watcher.until("snap");
    assert_eq!(snap["players"]["1"]["name"], "Ann", "{snap}");
    assert_eq!(snap["players"]["2"]["name"], "Bob", "{snap}");
    let all = json!({"1": true, "2": true});
    if snap["present"] != all {
        while watcher.until("presence")["players"] != all {}
    }
    for number in [1, 2, 1, 2] {
        moves(&mut pair, number, &mut [&mut watcher]);
    }
    pair.does(2, "offer", &json!({"what": "draw"}));
    pair.one.event("offer");
    pair.does(1, "answer", &json!({"what": "draw", "yes": true}));
    for client in [&mut pair.one, &mut pair.two, &mut watcher] {
        assert_eq!(client.event("answer")["end"]["result"], "1/2-1/2");
    }
}

#[test]
fn presence_is_known_on_all_nodes() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    let is_there = |client: &mut Client, number: &str, expected: bool| {
        while client.until("presence")["players"][number] != json!(expected) {}
    };
    let token = pair.two.token.clone().expect("a token");
    pair.two.vanish();
    is_there(&mut pair.one, "2", false);
    let mut back = nodes[1].connect();
    back.hello(&json!({"token": token}));
    back.does(&json!({"type": "join", "code": pair.code}));
    is_there(&mut pair.one, "2", true);
    pair.one.vanish();
    is_there(&mut back, "1", false);
}

#[test]
fn two_who_seek_on_different_nodes_find_each_other() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let seek = json!({"type": "seek", "game": "base-battle"});
    let (mut one, mut two) = (nodes[0].guest("Ann"), nodes[1].guest("Bob"));
    let first = one.does(&seek);
    let second = two.does(&seek);
    assert_eq!(first["code"], second["code"]);
    assert_eq!(one.until("snap")["stage"], "open");
    assert_eq!(one.until("snap")["stage"], "playing");
    assert_eq!(two.until("snap")["stage"], "playing");
}

#[test]
fn an_open_game_is_listed_on_all_nodes() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut one = nodes[0].guest("Ann");
    let created = one.does(&json!({"type": "create", "game": "base-battle", "public": true}));
    let mut two = nodes[1].guest("Bob");
    loop {
        two.send(&json!({"type": "lobby"}));
        let lobby = two.until("lobby");
        if lobby["open"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|game| game["code"] == created["code"])
        {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_node_that_is_cut_off_loses_its_games_to_others_and_cannot_write() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    let mut watcher = nodes[1].guest("Cleo");
    watcher.does(&json!({"type": "join", "code": pair.code, "watch": true}));
    moves(&mut pair, 1, &mut [&mut watcher]);
    // The owner hears and reaches nobody any more, but its players are still there.
    nodes[0].bus.cut();
    nodes[0].database.cut();
    let v = pair.version(2);
    let played = pair.about("act", &json!({"v": v, "move": "1"}));
    pair.two.does(&played);
    watcher.event("turn");
    // What is asked of the old owner waits, and whoever asks is told so.
    pair.one.send(&json!({"type": "say", "id": "wait", "code": pair.code, "phrase": "wait"}));
    let told = loop {
        let next = pair.one.next();
        if next["type"] == "rej" {
            break next;
        }
    };
    assert_eq!(told["code"], "storage", "{told}");
    nodes[0].database.mend();
    nodes[0].bus.mend();
    assert_eq!(turn(&mut pair.one)["told"], turn(&mut pair.two)["told"]);
    assert_eq!(pair.one.answer(&json!("wait"))["type"], "ack");
    assert_eq!(pair.two.event("say")["phrase"], "wait");
    moves(&mut pair, 1, &mut [&mut watcher]);
}

#[test]
fn without_a_bus_moves_arrive_when_the_log_is_read() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    for node in &nodes {
        node.bus.cut();
    }
    for number in [1, 2, 1] {
        let (code, v) = (pair.code.clone(), pair.version(number));
        // A notice that the servers cannot hear each other may come in between.
        pair.player(number).does(&json!({"type": "act", "code": code, "v": v, "move": "1"}));
        for client in [&mut pair.one, &mut pair.two] {
            turn(client);
        }
    }
    for node in &nodes {
        node.bus.mend();
    }
    for number in [2, 1] {
        let (code, v) = (pair.code.clone(), pair.version(number));
        pair.player(number).does(&json!({"type": "act", "code": code, "v": v, "move": "1"}));
        for client in [&mut pair.one, &mut pair.two] {
            turn(client);
        }
    }
}

/// The next turn, whatever notices come before it.
fn turn(client: &mut Client) -> Value {
    loop {
        let next = client.next();
        if next["type"] == "ev" && next["event"] == "turn" {
            return next;
        }
        assert!(next["type"] != "bye", "{next}");
    }
}

#[test]
fn without_a_database_no_move_is_accepted_and_no_clock_runs() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    for number in [1, 2, 1, 2] {
        moves(&mut pair, number, &mut []);
    }
    for node in &nodes {
        node.database.cut();
    }
    let code = pair.code.clone();
    let v = pair.version(1);
    let act = json!({"type": "act", "id": "again", "code": code, "v": v, "move": "1"});
    pair.one.send(&act);
    // Everybody is told, on both nodes.
    for client in [&mut pair.one, &mut pair.two] {
        let told = loop {
            let next = client.next();
            if next["type"] == "rej" {
                break next;
            }
        };
        assert_eq!(told["code"], "storage", "{told}");
        let text = told["text"].as_str().expect("a sentence");
        assert!(text.contains("goes on by itself"), "{text}");
    }
    for node in &nodes {
        node.database.mend();
    }
    // What was asked for is carried out once the database is back, or was refused and can be sent again.
    let one = turn_or_again(&mut pair.one, &act);
    let two = turn(&mut pair.two);
    assert_eq!(one["v"], two["v"]);
    assert!(left(&one, "1") > 290_000, "{one}");
}

fn turn_or_again(client: &mut Client, act: &Value) -> Value {
    loop {
        let next = client.next();
        if next["type"] == "ev" && next["event"] == "turn" {
            return next;
        }
        if next["type"] == "rej" && next["id"] == act["id"] {
            client.send(act);
        }
    }
}

#[test]
fn a_node_that_stops_hands_its_games_over() {
    let Some(ground) = Ground::new() else { return };
    let mut nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    moves(&mut pair, 1, &mut []);
    moves(&mut pair, 2, &mut []);
    let token = pair.one.token.clone().expect("a token");
    nodes[0].stop();
    pair.one = nodes[1].connect();
    pair.one.hello(&json!({"token": token}));
    pair.one.does(&json!({"type": "join", "code": pair.code}));
    pair.one.until("snap");
    moves(&mut pair, 1, &mut []);
}
