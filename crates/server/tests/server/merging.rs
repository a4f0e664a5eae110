//! Tests of a guest who signs in to an account on one connection while using others.

use serde_json::{Value, json};
use skirmish_server::storage::{Redeemed, Secret, Storage};

use crate::cluster::{Ground, Node};
use crate::nodes::terms;
use crate::support::{Client, Pair, TestServer};

fn token(client: &Client) -> String {
    client.token.clone().expect("a token")
}

/// Reads until the server tells the client to reconnect immediately. No client is told that it is only watching.
fn is_sent_back(client: &mut Client) {
    loop {
        let message = client.next();
        let is_spectator = message["type"] == "snap" && message["you"].is_null();
        assert!(!is_spectator && message["type"] != "rej", "{message}");
        if message["type"] == "restart" {
            assert_eq!(message["seconds"], 0);
            break;
        }
    }
    assert_eq!(client.closed().close, 1012);
}

/// A move message with the given ID.
fn act(pair: &mut Pair, number: u64, id: &str) -> Value {
    let v = pair.version(number);
    pair.about("act", &json!({"id": id, "v": v, "move": "1"}))
}

/// Sends a choice, and returns its acknowledgement.
fn is_acknowledged(client: &mut Client, act: &Value) -> Value {
    client.send(act);
    let answer = client.answer(&act["id"]);
    assert_eq!(answer["type"], "ack", "{answer}");
    answer
}

/// Comes back as Ann, who now has the guest's seat: all earlier choices are acknowledged again as before.
fn comes_back(back: &mut Client, token: &str, code: &str, known: &[(Value, Value)]) {
    assert_eq!(back.hello(&json!({"token": token}))["name"], "Ann");
    back.does(&json!({"type": "join", "code": code}));
    assert_eq!(back.until("snap")["you"], 1);
    for (act, answer) in known {
        assert_eq!(is_acknowledged(back, act), *answer);
    }
}

#[test]
fn the_other_connections_of_a_guest_who_signs_in_come_back_with_their_seat() {
    let server = TestServer::start();
    let (_phone, recovery) = server.member("Ann");
    let mut pair = Pair::new(server.guest("Laptop"), server.guest("Bob"), &terms());
    let guest = token(&pair.one);
    let (mut second, _) = server.back(&guest);
    second.does(&json!({"type": "join", "code": pair.code}));
    let (mut idle, _) = server.back(&guest);
    let first = act(&mut pair, 1, "first");
    let answer = is_acknowledged(&mut pair.one, &first);
    let mut laptop = server.connect();
    let welcome = laptop.hello(&json!({"token": guest, "link": recovery}));
    assert_eq!((&welcome["name"], &welcome["games"]), (&json!("Ann"), &json!([pair.code])));
    for other in [&mut pair.one, &mut second, &mut idle] {
        is_sent_back(other);
    }
    pair.one = server.connect();
    comes_back(&mut pair.one, &guest, &pair.code, &[(first, answer)]);
    pair.act(2, "1");
    pair.act(1, "1");
    laptop.does(&json!({"type": "join", "code": pair.code}));
    assert_eq!(laptop.until("snap")["you"], 1, "this connection was not closed");
}

#[test]
fn a_guest_who_joins_their_own_account_stays_connected() {
    let server = TestServer::start();
    let mut pair = server.pair(&terms());
    pair.one.send(&json!({"type": "link", "id": "l"}));
    let code = pair.one.until("link")["link"].clone();
    let mut again = server.connect();
    assert_eq!(again.hello(&json!({"token": token(&pair.one), "link": code}))["name"], "Ann");
    pair.act(1, "1");
}

/// A guest plays on two nodes and signs in on the first, whether or not the nodes can hear each other.
fn sign_in_on_one_of(nodes: &[Node; 2]) {
    let mut phone = nodes[0].guest("Ann");
    let recovery = phone.register("Ann");
    let mut pair = Pair::new(nodes[1].guest("Laptop"), nodes[0].guest("Bob"), &terms());
    let guest = token(&pair.one);
    let mut second = nodes[0].connect();
    second.hello(&json!({"token": guest}));
    second.does(&json!({"type": "join", "code": pair.code}));
    let first = act(&mut pair, 1, "first");
    let answer = is_acknowledged(&mut pair.one, &first);
    let mut tablet = nodes[0].connect();
    tablet.hello(&json!({"token": guest, "link": recovery}));
    is_sent_back(&mut second);
    // The other node may not have heard of it yet.
    let known = [(first, answer)];
    for node in nodes {
        comes_back(&mut node.connect(), &guest, &pair.code, &known);
    }
    is_sent_back(&mut pair.one);
    pair.one = nodes[0].connect();
    comes_back(&mut pair.one, &guest, &pair.code, &known);
    let choice = act(&mut pair, 2, "second");
    is_acknowledged(&mut pair.two, &choice);
    assert_eq!(pair.one.event("turn")["player"], 2);
    pair.act(1, "1");
}

#[test]
fn a_guest_who_signs_in_has_their_seat_on_all_nodes() {
    let Some(ground) = Ground::new() else { return };
    sign_in_on_one_of(&[0, 1].map(|_| Node::start(&ground)));
}

#[test]
fn a_guest_who_signs_in_has_their_seat_although_the_nodes_cannot_hear_each_other() {
    let Some(ground) = Ground::new() else { return };
    sign_in_on_one_of(&[0, 1].map(|_| Node::start_without_bus(&ground)));
}

#[test]
fn what_a_guest_sends_is_carried_out_whether_or_not_the_nodes_know_that_they_have_signed_in() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let recovery = nodes[0].guest("Ann").register("Ann");
    let mut pair = Pair::new(nodes[0].guest("Laptop"), nodes[1].guest("Bob"), &terms());
    let guest = token(&pair.one);
    let mut second = nodes[1].connect();
    second.hello(&json!({"token": guest}));
    second.does(&json!({"type": "join", "code": pair.code}));
    let first = act(&mut pair, 1, "first");
    let answer = is_acknowledged(&mut pair.one, &first);
    let (_line, url) = ground.database_line();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let storage = Storage::connect(&url).expect("the database is there");
        let (account, _) =
            storage.sign_in(&Secret::parse(&guest)).await.expect("an answer").expect("a guest");
        let (code, token) = (Secret::parse(&recovery), Secret::token());
        // No node is notified: each finds out when it reads the notices in the database.
        let merged = storage.redeem(&code, &token, Some(account.id), 1).await.expect("an answer");
        assert!(matches!(merged, Redeemed::Account(ann) if ann.name == "Ann"));
        storage.close().await;
    });
    // The first node recognises Ann. The other node may not have heard, and still carries out the guest's actions.
    let known = [(first, answer)];
    comes_back(&mut nodes[0].connect(), &guest, &pair.code, &known);
    is_sent_back(&mut pair.one);
    let reply = act(&mut pair, 2, "reply");
    is_acknowledged(&mut pair.two, &reply);
    let v = pair.version(2);
    let next = pair.about("act", &json!({"id": "next", "v": v, "move": "1"}));
    second.send(&next);
    is_sent_back(&mut second);
    pair.one = nodes[1].connect();
    comes_back(&mut pair.one, &guest, &pair.code, &known);
    is_acknowledged(&mut pair.one, &next);
    pair.act(2, "1");
    pair.act(1, "1");
}

#[test]
fn nobody_signs_in_to_the_account_of_their_opponent_during_a_game() {
    let server = TestServer::start();
    let (ann, recovery) = server.member("Ann");
    let mut pair = Pair::new(ann, server.guest("Laptop"), &terms());
    let guest = token(&pair.two);
    let sign_in = || {
        let mut laptop = server.connect();
        let hello = json!({"type": "hello", "proto": 2, "client": "test", "token": guest, "link": recovery});
        laptop.send(&hello);
        laptop.next()
    };
    let refused = sign_in();
    assert_eq!((&refused["type"], &refused["code"]), (&json!("rej"), &json!("account")));
    let text = refused["text"].as_str().expect("a sentence");
    assert!(text.contains(&format!("in game {}. Finish", pair.code)), "{text}");
    // The guest still has the seat.
    pair.act(1, "1");
    pair.act(2, "1");
    pair.does(2, "resign", &json!({}));
    pair.one.event("end");
    pair.settle();
    let welcome = sign_in();
    assert_eq!((&welcome["type"], &welcome["name"]), (&json!("welcome"), &json!("Ann")));
}
