//! Notices that a server sends by itself, in line mode.

use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::support::Home;

const CODE: &str = "K7PQ2M";

/// A game that waits for Ann's move, with a minute for each player.
fn snap() -> Value {
    let player = |name: &str| json!({"name": name, "guest": true});
    json!({
        "type": "snap", "code": CODE, "v": 5, "stage": "playing",
        "terms": {"game": "capture-the-line", "seat": "p1", "clock": "1+0"},
        "you": 1, "players": {"1": player("Ann"), "2": player("Bob")}, "number": 1, "first": 1,
        "date": "2026.11.16", "turns": [{"1": "2", "2": null}, {"1": null, "2": "2"}], "undone": 0,
        "chosen": [], "offers": {"1": null, "2": null}, "clock": clock(59_500, &[1]),
        "claim_after": 60, "present": {"1": true, "2": true}, "earlier": [], "end": null,
    })
}

fn clock(left: u64, running: &[u8]) -> Value {
    json!({"left": {"1": left, "2": 60_000}, "running": running})
}

fn notice(text: &str, about: &Value) -> Value {
    json!({"type": "rej", "code": "storage", "text": text, "notice": about})
}

fn tell(socket: &mut WebSocket<TcpStream>, message: &Value) {
    socket.send(Message::text(message.to_string())).expect("the client reads");
}

/// The next message from a client.
fn hear(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        if let Message::Text(text) = socket.read().expect("the client talks") {
            return serde_json::from_str(&text).expect("an object");
        }
    }
}

/// Runs a server whose database fails before the game can be shown, and again during it. Returns its client's output.
fn watch_it(options: &[&str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it listens");
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client connects");
        let socket = &mut tungstenite::accept(stream).expect("a WebSocket");
        assert_eq!(hear(socket)["type"], "hello");
        let (server, games) = ("test", [CODE]);
        tell(
            socket,
            &json!({"type": "welcome", "proto": 2, "server": server, "name": "Ann", "guest": true, "games": games}),
        );
        let join = hear(socket);
        assert_eq!((&join["type"], &join["code"]), (&json!("join"), &json!(CODE)));
        tell(socket, &notice("The database is away.", &json!({"code": CODE})));
        tell(socket, &snap());
        let stopped = json!({"code": CODE, "clock": clock(48_500, &[])});
        tell(socket, &notice("It is away again.", &stopped));
        let act = hear(socket);
        assert_eq!((&act["type"], &act["move"]), (&json!("act"), &json!("1")));
        let runs = json!({"code": CODE, "over": true, "clock": clock(48_500, &[1])});
        tell(socket, &notice("It is back.", &runs));
        tell(socket, &json!({"type": "ack", "id": act["id"], "code": CODE, "v": 6}));
        let end = json!({"result": "1-0", "termination": "resigned"});
        tell(
            socket,
            &json!({"type": "ev", "code": CODE, "v": 6, "event": "turn", "player": 1, "turns": [{"1": "1", "2": null}], "end": end}),
        );
        while socket.read().is_ok() {}
    });
    let home = Home::new();
    let invitation = format!("http://{address}/g/{CODE}");
    let mut talk = home.talk(&[&["join", &invitation], options].concat());
    talk.hear("It is away again.");
    talk.say("1\n");
    let out = talk.end().exits(0).out;
    server.join().expect("the server has heard what it expects");
    out
}

#[track_caller]
fn are_in_order(out: &str, parts: &[&str]) {
    let mut rest = out;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { panic!("{part} is missing:\n{out}") };
        rest = after;
    }
}

#[test]
fn a_notice_before_the_game_is_known_ends_nothing() {
    let out = watch_it(&[]);
    let parts = ["The database is away.", "You are Ann (P1).", "It is away again.", "It is back."];
    are_in_order(&out, &parts);
    assert!(out.contains("Clock: Ann 0:"), "{out}");
}

#[test]
fn programs_get_notices_as_notes() {
    let out = watch_it(&["--json"]);
    let note = |text: &str| format!(r#"{{"event":"note","text":"{text}"}}"#);
    let notes = ["The database is away.", "It is away again.", "It is back."].map(note);
    are_in_order(&out, &notes.each_ref().map(String::as_str));
    assert!(!out.contains(r#""event":"error""#), "{out}");
}
