//! Tests of nodes that stop, cannot reach their database, or receive an operator's command.

use std::net::SocketAddr;

use serde_json::{Value, json};
use skirmish_server::admin::{Admin, Closing};
use skirmish_server::{Database, Shared};

use crate::cluster::{Ground, Node};
use crate::hearing::shows;
use crate::nodes::turn;
use crate::support::{Pair, eventually, get_from};

/// The status of a node's readiness response, and the reason if it is not ready.
fn readiness(node: &Node) -> (u16, Value) {
    let (status, response) = get_from(node.address(), "/health/ready", "");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    let object: Value = serde_json::from_str(body).expect("JSON");
    (status, object["why"].clone())
}

#[test]
fn a_node_that_stops_sends_its_clients_to_another_one_soon() {
    let Some(ground) = Ground::new() else { return };
    let mut nodes = [0, 1].map(|_| Node::start(&ground));
    let mut clients = [0, 1, 2, 3].map(|number| nodes[0].guest(&format!("Guest {number}")));
    shows(&nodes[0], "skirmish_nodes 2");
    nodes[0].stop();
    let mut told = clients.each_mut().map(|client| client.until("restart")["seconds"].clone());
    told.sort_by_key(Value::as_u64);
    assert_eq!(told, [json!(1), json!(1), json!(2), json!(2)], "not all at once");
    assert_eq!(readiness(&nodes[1]), (200, Value::Null));
}

#[test]
fn a_node_without_its_database_is_alive_and_not_ready() {
    let Some(ground) = Ground::new() else { return };
    let node = Node::start(&ground);
    assert_eq!(readiness(&node), (200, Value::Null));
    node.database.cut();
    while readiness(&node) != (503, json!("database")) {}
    assert_eq!(get_from(node.address(), "/health/live", "").0, 200);
    assert_eq!(get_from(node.address(), "/health", "").0, 200);
    node.database.mend();
    while readiness(&node).0 != 200 {}
}

#[test]
fn a_node_that_is_started_before_its_database_waits_for_it() {
    let Some(ground) = Ground::new() else { return };
    let node = Node::start_before_database(&ground);
    assert_eq!(readiness(&node), (200, Value::Null));
    let started = node.log.wait_for("started");
    for part in [&format!(" address={} ", node.address()), " node="] {
        assert!(started.contains(part), "{part}: {started}");
    }
}

/// The status that a client gets when it tries to connect to a node.
pub(crate) fn door(address: SocketAddr) -> u16 {
    let headers = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    get_from(address, "/ws", &format!("{headers}Connection: upgrade\r\n")).0
}

#[test]
fn a_node_that_alone_cannot_reach_the_database_sends_its_clients_to_others() {
    let Some(ground) = Ground::new() else { return };
    let mut nodes = [0, 1].map(|_| Node::start(&ground));
    let terms = json!({"game": "capture-the-line", "rules": {"positions": 31}, "clock": "5+3", "seat": "p1"});
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms);
    let mut visitor = nodes[0].connect();
    visitor.hello(&json!({}));
    let mut before = Value::Null;
    // No clock runs during the first two turns.
    for number in [1, 2, 1] {
        pair.act(number, "1");
        pair.one.event("turn");
        before = pair.two.event("turn");
    }
    nodes[0].database.cut();
    // The player on the first node is told that the database cannot be reached, and makes a request that is not
    // possible now.
    let rematch = json!({"type": "offer", "id": "early", "code": pair.code, "what": "rematch"});
    pair.one.send(&rematch);
    while pair.one.next()["type"] != "rej" {}
    // The game continues on the other node.
    let code = pair.code.clone();
    let v = pair.version(2);
    pair.two.send(&json!({"type": "act", "id": "there", "code": code, "v": v, "move": "1"}));
    let played = turn(&mut pair.two);
    let left =
        |event: &Value, number: &str| event["clock"]["left"][number].as_u64().expect("a clock");
    assert!(left(&played, "2") > left(&before, "2"), "{before} {played}");
    // The player is told to reconnect soon.
    let seconds = loop {
        let next = pair.one.next();
        if next["type"] == "restart" {
            break next["seconds"].as_u64().expect("a number");
        }
    };
    assert!((1..=2).contains(&seconds), "{seconds}");
    // A client without an account is told as well.
    visitor.until("restart");
    assert_eq!((door(nodes[0].address()), readiness(&nodes[0]).0), (503, 503));
    nodes[0].log.wait_for("database_cut_off");
    let token = pair.one.token.clone().expect("a token");
    pair.one = nodes[1].connect();
    pair.one.hello(&json!({"token": token}));
    pair.one.does(&json!({"type": "join", "code": code}));
    pair.one.until("snap");
    // It has been the player's turn all along.
    let resumed = loop {
        let next = pair.one.next();
        if next["event"] == "resumed" {
            break next;
        }
    };
    assert!(left(&resumed, "1") + 1_000 > left(&played, "1"), "{played} {resumed}");
    // A request refused by this node is not carried out by the other one when the database is back.
    pair.one.is_refused(&rematch, "not_over");
    pair.does(1, "resign", &json!({}));
    nodes[1].stop();
    nodes[0].database.mend();
    nodes[0].log.wait_for("database_back");
    // The node refuses clients until it has next compared itself with the others.
    eventually("the node takes clients again", || door(nodes[0].address()) == 101);
    pair.one = nodes[0].connect();
    pair.one.hello(&json!({"token": token}));
    pair.one.does(&json!({"type": "join", "code": code}));
    let snap = pair.one.until("snap");
    assert_eq!((&snap["stage"], &snap["offers"]), (&json!("over"), &json!({"1": null, "2": null})));
}

#[test]
fn a_node_that_reaches_neither_database_nor_bus_sends_its_clients_to_others() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let terms = json!({"game": "capture-the-line"});
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms);
    shows(&nodes[0], "skirmish_nodes 2");
    nodes[0].database.cut();
    nodes[0].bus.cut();
    while pair.one.next()["type"] != "restart" {}
    pair.one.closed();
    nodes[0].log.wait_for("database_cut_off");
    assert_eq!((door(nodes[0].address()), readiness(&nodes[0]).0), (503, 503));
    assert_eq!((door(nodes[1].address()), readiness(&nodes[1]).0), (101, 200));
}

#[test]
fn the_operator_reaches_whichever_node_is_concerned() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let terms = json!({"game": "capture-the-line", "seat": "p1"});
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms);
    pair.act(1, "1");
    let (_line, database) = ground.database_line();
    let database = Database::Postgres(Shared { database, nats: None });
    let admin = Admin::open(&database, skirmish_rules::GAMES).expect("the database opens");
    assert_eq!(admin.holdings().expect("counted").nodes.len(), 2);
    assert_eq!(admin.close(&pair.code).expect("closed"), Closing::Closed);
    // On all nodes, the game ends without a result and is closed for good. No notice asks for any action.
    for client in [&mut pair.one, &mut pair.two] {
        let ended = client.event("end");
        assert_eq!(ended["end"]["result"], "*", "{ended}");
        client.event("closed");
        client.send(&json!({"type": "lobby"}));
        client.until("lobby");
    }
    let (bob, _) =
        admin.find(&format!("{}/2", pair.code).parse().expect("a player")).expect("an account");
    assert_eq!(bob.name, "Bob");
    admin.ban(&bob, "").expect("banned");
    assert_eq!(pair.two.closed().text, "This account has been banned from this server.");
}
