//! Tests of boards that the server has to solve, and of the clients that wait for them.

use std::net::TcpStream;

use serde_json::{Value, json};
use skirmish_server::{Limits, Proxy};
use tungstenite::ClientRequestBuilder;

use crate::support::{Client, TestServer, with};

/// A guest who connects from this address through a proxy.
fn guest_from(server: &TestServer, address: &str) -> Client {
    let url = format!("ws://{}/ws", server.address()).parse().expect("an address");
    let request = ClientRequestBuilder::new(url).with_header("X-Forwarded-For", address);
    let stream = TcpStream::connect(server.address()).expect("the server listens");
    let mut client = Client::over(stream, request);
    client.hello(&json!({"name": "Bob"}));
    client
}

/// Requests a game against the computer on a board that takes a while to solve, without waiting for the answer.
fn ask_for_board(client: &mut Client, id: &str, positions: usize) {
    let rules = json!({"positions": positions, "units": 4});
    let terms = json!({"game": "command-line-conquer", "rules": rules, "level": "perfect"});
    client.send(&with(&json!({"type": "create", "id": id}), &terms));
}

#[test]
fn the_computer_moves_while_board_checks_of_many_addresses_wait() {
    let proxies = vec![Proxy::Loopback];
    let server = TestServer::with(Limits { proxies, ..Limits::none() });
    let mut player = guest_from(&server, "192.0.2.100");
    let terms = json!({"type": "create", "game": "base-battle", "first": "p1", "seat": "p1", "level": "perfect"});
    let code = player.does(&terms)["code"].clone();
    let mut others = Vec::new();
    for (number, positions) in (8..=15).rev().enumerate() {
        let mut other = guest_from(&server, &format!("192.0.2.{number}"));
        ask_for_board(&mut other, "board", positions);
        others.push(other);
    }
    let v = player.does(&json!({"type": "say", "code": code, "phrase": "hello"}))["v"].clone();
    player.does(&json!({"type": "act", "code": code, "v": v, "move": "1"}));
    while player.event("turn")["player"] != 2 {}
    let (_, health) = server.get("/health");
    let body = health.split_once("\r\n\r\n").expect("a response has a body").1;
    let games = serde_json::from_str::<Value>(body).expect("JSON")["games"].as_u64();
    assert!(games.is_some_and(|games| games < 8), "all boards were checked first: {body}");
}
