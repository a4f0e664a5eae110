//! Tests of clients that read too slowly, stop halfway or are silent, and of other clients at the same time.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::json;
use skirmish_server::Limits;

use crate::support::{Client, PATIENCE, Pair, TestServer, eventually, with};

/// Opens a socket that sends only this text.
pub(crate) fn half_open(server: &TestServer, said: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(said.as_bytes()).expect("a part of a request");
    stream
}

#[test]
fn sockets_without_a_request_are_limited() {
    let server = TestServer::with(Limits {
        sockets_per_address: 3,
        request: Duration::from_mins(10),
        ..Limits::default()
    });
    // A connected player does not count towards the limit.
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    let mut idle = vec![half_open(&server, ""), half_open(&server, "GET"), half_open(&server, "")];
    let (status, response) = server.get("/health");
    assert_eq!(status, 429, "{response}");
    let text = "\r\n\r\nToo many requests from your address: try again in 10 seconds.\n";
    assert!(response.ends_with(text), "{response}");
    pair.act(1, "1");
    // Closing a socket makes room for another, as soon as the server notices.
    idle.pop();
    eventually("the socket is no longer counted", || server.get("/health").0 == 200);
}

#[test]
fn a_request_that_does_not_come_to_an_end_is_not_waited_for() {
    let request = Duration::from_millis(50);
    let server = TestServer::with(Limits { request, ..Limits::default() });
    let health = "GET /health HTTP/1.1\r\nHost: x\r\n";
    let answer = |said: &str| {
        let mut answer = String::new();
        half_open(&server, said).read_to_string(&mut answer).expect("the server closes it");
        answer
    };
    for said in ["", "GET /ws HTT", health] {
        assert!(!answer(said).starts_with("HTTP/1.1 200"), "{said}");
    }
    // A slow machine may not send a request in time. After a whole request, nothing follows.
    eventually("a request is answered", || {
        answer(&format!("{health}\r\n")).starts_with("HTTP/1.1 200")
    });
    // Sending a byte now and then does not help.
    let mut slow = half_open(&server, health);
    slow.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
    let is_closed = (0..10_000).any(|_| {
        let is_gone = slow.write_all(b"x").is_err();
        is_gone || slow.read(&mut [0; 64]).is_ok_and(|count| count == 0)
    });
    assert!(is_closed, "it is still open");
}

/// A client with a small receive buffer, so that its unread messages fill the server's queue.
fn small_client(address: SocketAddr) -> Client {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let stream = runtime.expect("a runtime").block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(64 << 10).expect("a small buffer");
        socket.connect(address).await.expect("the server listens").into_std()
    });
    let stream = stream.expect("a socket");
    stream.set_nonblocking(false).expect("a blocking socket");
    Client::over(stream, format!("ws://{address}/ws"))
}

#[test]
fn a_slow_reader_is_dropped_and_gets_a_snapshot_when_it_is_back() {
    let write = Duration::from_mins(10);
    let server = TestServer::with(Limits { write, ..Limits::none() });
    let mut pair = server.pair(&json!({"game": "command-clash"}));
    let mut slow = small_client(server.address());
    slow.hello(&json!({"name": "Cat"}));
    slow.does(&json!({"type": "join", "code": pair.code}));
    let token = slow.token.clone().expect("a token");
    let seen = slow.until("snap")["v"].clone();
    // Answers that the slow client requests but does not read fill the buffers of its socket.
    let mut crowd = [(); 4].map(|()| server.guest("Eve"));
    for turns in 1..=20 {
        let terms = json!({"game": "base-battle", "public": true, "max_turns": turns});
        crowd[turns % 4].does(&with(&json!({"type": "create"}), &terms));
    }
    for _ in 0..2_000 {
        slow.send(&json!({"type": "lobby"}));
    }
    // Visitors who come and go do not make a client slow, because only the last presence message waits. Turns do.
    let mut visitor = server.guest("Dan");
    for _ in 0..100 {
        visitor.send(&pair.about("join", &json!({"have": seen})));
        visitor.send(&pair.about("leave", &json!({})));
    }
    let mut turns = 0;
    while !server.metrics().contains("{code=\"slow\"} 1") {
        assert!(turns < 2_000, "the slow reader stays");
        for choice in ["charge", "shield"] {
            pair.act(1, choice);
            pair.act(2, choice);
            turns += 1;
        }
    }
    let closed = slow.closed();
    assert_eq!((closed.code.as_str(), closed.close), ("slow", 1008), "{closed:?}");
    let (mut back, _) = server.back(&token);
    back.send(&json!({"type": "join", "code": pair.code, "have": seen}));
    let snap = back.until("snap");
    assert_eq!(snap["v"], 3 + 2 * turns);
    assert_eq!(snap["turns"].as_array().map(|turns| turns.len() as u64), Some(turns));
}

#[test]
fn half_open_connections_disturb_nobody() {
    let server = TestServer::start();
    let mut streams = Vec::new();
    for half in ["", "GET /ws HTT", "GET /health HTTP/1.1\r\nHost: x\r\n", "\x16\x03\x01"] {
        for _ in 0..10 {
            streams.push(half_open(&server, half));
        }
    }
    let silent: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    pair.act(1, "1");
    assert_eq!(pair.two.event("turn")["v"], 4);
    // A player whose machine is switched off appears absent to the opponent.
    let Pair { code, mut one, two } = pair;
    two.vanish();
    let gone = loop {
        let presence = one.until("presence");
        if presence["players"]["2"] == false {
            break presence;
        }
    };
    assert_eq!(gone["code"], code);
    drop(silent);
    // `server` must stop although the half-open connections still exist.
    drop(server);
    drop(streams);
}

#[test]
fn a_silent_connection_is_closed() {
    // This client never sends `hello`.
    let (ping, hello) = (Duration::from_millis(50), Duration::from_millis(100));
    let server = TestServer::with(Limits { ping, hello, ..Limits::default() });
    let closed = server.connect().closed();
    assert_eq!((closed.code.as_str(), closed.close), ("gone", 1001), "{closed:?}");
    let limits = Limits { ping, ..Limits::default() };
    let silence = limits.silence;
    let server = TestServer::with(limits);
    // This client reads all messages, but does not answer pings.
    let mut silent = server.guest("Ann");
    server.skip(silence + ping);
    let mut heard = Vec::new();
    silent.stream().read_to_end(&mut heard).expect("the server closes the connection");
    let heard = String::from_utf8_lossy(&heard);
    let bye = r#"{"type":"bye","code":"gone","text":"Nothing was heard from you for too long."}"#;
    assert!(heard.contains(bye), "{heard}");
}
