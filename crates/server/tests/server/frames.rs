//! Tests of `hello`, and of frames that are not messages of the protocol.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::Message;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};

use skirmish_server::{Credits, Limits};

use crate::support::{Closed, TestServer};

#[test]
fn what_is_not_a_message_is_refused_and_closes_nothing() {
    let server = TestServer::start();
    let deep = "[".repeat(3000);
    for text in [
        "",
        "hello",
        "{",
        "{}",
        "null",
        "7",
        "[]",
        "\"ping\"",
        "{\"type\":7}",
        "{\"type\":null,\"id\":1}",
        "{\"type\":\"act\",\"id\":-1}",
        "{\"type\":\"leave\"}",
        "{\"type\":\"say\",\"id\":1,\"code\":\"ABCDEF\",\"phrase\":\"idiot\"}",
        "{\"type\":\"hello\",\"proto\":\"1\",\"client\":\"x\"}",
        &deep,
    ] {
        let mut client = server.connect();
        client.send_text(text);
        let answer = client.next();
        assert_eq!(
            (&answer["type"], &answer["code"]),
            (&json!("rej"), &json!("malformed")),
            "{text}: {answer}"
        );
        client.hello(&json!({}));
    }
}

#[test]
fn an_unknown_message_is_refused_with_its_id_and_what_is_possible() {
    let server = TestServer::start();
    let mut client = server.guest("Ann");
    let refused = client.is_refused(&json!({"type": "shout", "text": "hey"}), "unknown");
    assert!(refused["text"].as_str().expect("a text").contains("expected hello, create"));
    client.send(&json!({"type": "Ping"}));
    assert_eq!(client.next()["code"], "unknown");
    client.hears_nothing();
}

#[test]
fn unknown_fields_are_ignored() {
    let server = TestServer::start();
    let mut client = server.connect();
    client.hello(&json!({"colour": "green", "nested": {"deep": [1, 2]}}));
    client.send(&json!({"type": "ping", "id": [1], "type2": "pong"}));
    client.until("pong");
    let terms = json!({"type": "create", "game": "base-battle", "stake": 100});
    client.does(&terms);
}

#[test]
fn ids_are_numbers_or_short_texts() {
    let server = TestServer::start();
    let (mut client, _) = server.member("Ann");
    for id in [json!(0), json!(u64::MAX), json!(""), json!("é".repeat(32))] {
        client.send(&json!({"type": "link", "id": id}));
        assert_eq!(client.until("link")["id"], id);
    }
    for id in [json!("x".repeat(65)), json!(1.5), json!(-1), json!(null), json!({})] {
        client.send(&json!({"type": "link", "id": id}));
        let answer = client.next();
        assert_eq!((&answer["code"], answer.get("id")), (&json!("malformed"), None), "{id}");
        let text = answer["text"].as_str().expect("a text");
        let wanted = "expected an id that is a whole number or a string";
        assert!(text.contains(wanted) || text.contains("at most 64 bytes"), "{id}: {text}");
    }
}

#[test]
fn rule_options_are_numbers_or_texts() {
    let server = TestServer::start();
    let mut client = server.guest("Ann");
    for value in [json!(-1), json!(1.5), json!(u64::MAX), json!(null), json!([7])] {
        let create =
            json!({"type": "create", "game": "base-battle", "rules": {"positions": value}});
        let refused = client.is_refused(&create, "malformed");
        let text = refused["text"].as_str().expect("a text");
        let wanted = "expected a rule option that is a whole number or a string.";
        assert!(text.ends_with(wanted), "{value}: {text}");
    }
}

fn closed(code: &str, close: u16, text: &str) -> Closed {
    let (code, text) = (code.to_owned(), text.to_owned());
    Closed { code, close, reason: text.clone(), text, seconds: None }
}

#[test]
fn a_frame_that_is_no_text_of_4096_bytes_closes_the_connection_with_a_reason() {
    let server = TestServer::start();
    let mut other = server.guest("Bob");
    let text = |bytes: &[u8], is_last: bool| {
        Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(Data::Text), is_last))
    };
    let more = |bytes: &[u8]| {
        Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(Data::Continue), true))
    };
    let not_utf_8 = closed("malformed", 1007, "Messages are UTF-8 text.");
    let too_long = closed("too_long", 1009, "A message has at most 4096 bytes.");
    let binary = closed("malformed", 1003, "Messages are JSON text, not binary.");
    let cases = [
        (vec![text(b"{\"type\":\"\xff\"}", true)], &not_utf_8),
        (vec![text(b"{\"type\":\"\xc3", false), more(b"\x28\"}")], &not_utf_8),
        (vec![Message::binary(vec![1, 2, 3])], &binary),
        (vec![Message::binary(vec![])], &binary),
        (vec![text(&[b' '; 4097], true)], &too_long),
        (vec![text(&[b' '; 100_000], true)], &too_long),
        (vec![text(&[b' '; 4096], false), more(b" ")], &too_long),
    ];
    for (frames, expected) in cases {
        for is_greeted in [false, true] {
            let mut client = if is_greeted { server.guest("Ann") } else { server.connect() };
            for frame in frames.clone() {
                client.send_frame(frame).expect("the frame is sent");
            }
            assert_eq!(client.closed(), *expected);
        }
    }
    other.hears_nothing();
}

#[test]
fn a_message_of_4096_bytes_is_read_also_in_pieces() {
    let server = TestServer::start();
    let mut client = server.guest("Ann");
    let ping = format!("{:4096}", "{\"type\":\"ping\"}");
    client.send_text(&ping);
    client.until("pong");
    let (left, right) = ping.as_bytes().split_at(7);
    let pieces = [(left, Data::Text, false), (right, Data::Continue, true)];
    for (bytes, data, is_last) in pieces {
        let frame = Frame::message(bytes.to_vec(), OpCode::Data(data), is_last);
        client.send_frame(Message::Frame(frame)).expect("the frame is sent");
    }
    client.until("pong");
}

#[test]
fn pieces_that_never_become_a_message_are_not_read_faster_than_messages() {
    let bytes = Credits { most: 64 << 10, per_second: 640 << 10 };
    let server = TestServer::with(Limits { bytes, ..Limits::default() });
    let mut client = server.guest("Ann");
    // The beginning of a message, 128 KiB of empty continuation frames, and the rest of the message.
    let ping = b"{\"type\":\"ping\"}";
    let head = |first: u8, length: u8| [first, 0x80 | length, 0, 0, 0, 0];
    let mut frames = head(0x01, 0).to_vec();
    for _ in 0..(128 << 10) / 6 {
        frames.extend(head(0x00, 0));
    }
    frames.extend(head(0x80, u8::try_from(ping.len()).expect("short")));
    frames.extend(ping);
    let begun = Instant::now();
    client.stream().write_all(&frames).expect("the bytes are sent");
    client.until("pong");
    assert!(begun.elapsed() >= Duration::from_millis(90), "{:?}", begun.elapsed());
}

#[test]
fn what_is_not_websocket_is_closed_with_1002() {
    let server = TestServer::start();
    // An unmasked frame, a frame with a reserved opcode, and a continuation without a beginning.
    for bytes in [&b"\x81\x02{}"[..], b"\x8f\x80\0\0\0\0", b"\x80\x80\0\0\0\0"] {
        let mut client = server.guest("Ann");
        client.stream().write_all(bytes).expect("the bytes are sent");
        let expected = closed("malformed", 1002, "That is not the WebSocket protocol.");
        assert_eq!(client.closed(), expected, "{bytes:?}");
    }
}

#[test]
fn hello_comes_first_and_once() {
    let server = TestServer::start();
    let mut client = server.connect();
    for message in [
        json!({"type": "ping"}),
        json!({"type": "lobby"}),
        json!({"type": "create", "id": 1, "game": "base-battle"}),
    ] {
        client.send(&message);
        let answer = client.next();
        assert_eq!((&answer["code"], answer.get("id")), (&json!("hello"), message.get("id")));
    }
    let welcome = client.hello(&json!({}));
    assert_eq!(welcome["name"], "Guest");
    assert_eq!(welcome["url"], server.url());
    assert_eq!(welcome.get("token"), None, "an account is created with the first game");
    client.send(&json!({"type": "hello", "proto": 2, "client": "again"}));
    assert_eq!(client.next()["code"], "hello");
    client.hears_nothing();
}

/// Regression: a lost connection was counted and logged as a malformed message.
#[test]
fn a_connection_that_ends_without_a_word_is_no_refusal() {
    let server = TestServer::start();
    // The second connection ends within a frame.
    for last in [b"".as_slice(), b"\x81\x85abcdhe"] {
        let mut client = server.connect();
        client.hello(&json!({}));
        let stream = client.stream();
        stream.write_all(last).expect("sent");
        stream.shutdown(Shutdown::Write).expect("half closed");
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("the server closes it");
        assert_eq!(rest, b"", "nothing is sent to a lost client");
    }
    let metrics = server.metrics();
    let refusals = metrics.lines().filter(|line| line.starts_with("skirmish_rejections_total"));
    assert!(
        refusals.clone().all(|line| line.ends_with(" 0")),
        "{:?}",
        refusals.collect::<Vec<_>>()
    );
}

#[test]
fn another_version_of_the_protocol_is_refused() {
    let server = TestServer::start();
    for proto in [0, 3, u32::MAX] {
        let mut client = server.connect();
        client.send(&json!({"type": "hello", "proto": proto, "client": "tests"}));
        let text = format!(
            "This server speaks versions 1 to 2 of the protocol, and your client version {proto}."
        );
        assert_eq!(client.closed(), closed("proto", 1008, &text));
    }
    let mut older = server.connect();
    older.send(&json!({"type": "hello", "proto": 1, "client": "tests"}));
    assert_eq!(older.next()["type"], "welcome");
}

#[test]
fn a_wrong_token_is_refused_and_a_guest_can_still_say_hello() {
    let server = TestServer::start();
    let mut client = server.connect();
    for token in ["", "0123456789abcdef0123456789abcdef", "' OR 1=1 --"] {
        client.send(&json!({"type": "hello", "proto": 2, "client": "tests", "token": token}));
        assert_eq!(client.next()["code"], "token");
    }
    assert_eq!(client.hello(&json!({}))["guest"], true);
}

#[test]
fn names_are_trimmed_checked_and_told_apart_at_a_table() {
    let server = TestServer::start();
    let mut client = server.connect();
    for name in ["", "   ", "a\u{1b}[31mb", "a\nb", "\u{202e}evil", &"x".repeat(25)] {
        client.send(&json!({"type": "hello", "proto": 2, "client": "tests", "name": name}));
        assert_eq!(client.next()["code"], "name", "{name:?}");
    }
    assert_eq!(client.hello(&json!({"name": "  Zoë "}))["name"], "Zoë");
    let created = client.does(&json!({"type": "create", "game": "base-battle", "seat": "p1"}));
    client.until("snap");
    let mut second = server.guest("ZOË");
    second.does(&json!({"type": "join", "code": created["code"]}));
    let players = &second.until("snap")["players"];
    assert_eq!(players["1"]["name"], "Zoë");
    let mut third = server.guest("Ann");
    let created = third.does(&json!({"type": "create", "game": "base-battle", "seat": "p1"}));
    let mut fourth = server.guest("ann");
    fourth.does(&json!({"type": "join", "code": created["code"]}));
    assert_eq!(fourth.until("snap")["players"]["2"]["name"], "ann 2");
}
