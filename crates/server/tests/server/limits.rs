//! Tests of clients that request too much, and of other clients at the same time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::{Value, json};
use skirmish_server::{Credits, Limits};
use tungstenite::Message;

use crate::stalling::half_open;
use crate::support::{Closed, PATIENCE, TestServer};

#[test]
fn two_thousand_junk_frames_close_one_connection_and_touch_no_other() {
    let server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    let mut junk = server.guest("Junk");
    for _ in 0..2000 {
        // The server may already have closed the connection.
        if junk.send_frame(Message::text("{\"type\":\"junk\",")).is_err() {
            break;
        }
    }
    let closed = junk.closed();
    assert_eq!((closed.code.as_str(), closed.close), ("limit", 1008), "{closed:?}");
    assert_eq!(closed.text, closed.reason);
    let seconds = closed.seconds.expect("a time to wait");
    let unit = if seconds == 1 { "second" } else { "seconds" };
    assert_eq!(closed.text, format!("Too many messages: try again in {seconds} {unit}."));
    assert!((1..=10).contains(&seconds), "{closed:?}");
    pair.act(1, "1");
    assert_eq!(pair.two.event("turn")["v"], 4);
}

#[test]
fn an_address_and_an_account_have_limits_over_all_their_connections() {
    let credits = |most| Credits { most, per_second: 1 };
    let mut limits = Limits::none();
    limits.account = credits(30);
    let server = TestServer::with(limits);
    let (mut first, _) = server.member("Ann");
    let token = first.token.clone().expect("a token");
    let (mut second, _) = server.back(&token);
    let mut count = 0;
    let closed = loop {
        for client in [&mut first, &mut second] {
            client.send(&json!({"type": "ping"}));
        }
        count += 1;
        assert!(count < 1000, "no limit was reached");
        if first.next()["type"] == "bye" {
            break first.closed();
        }
        if second.next()["type"] == "bye" {
            break second.closed();
        }
    };
    assert_eq!(closed.close, 1008, "{closed:?}");
    assert!(closed.reason.starts_with("Too many messages from your account: "), "{closed:?}");

    let mut limits = Limits::none();
    limits.address = credits(30);
    let server = TestServer::with(limits);
    let mut client = server.connect();
    for _ in 0..10 {
        let _ = client.send_frame(Message::text("junk"));
    }
    let closed = client.closed();
    assert!(closed.reason.starts_with("Too many messages from your address: "), "{closed:?}");
    // HTTP requests have separate credits.
    assert_eq!(server.get("/g/ABCDEF.skr").0, 404);
}

#[test]
fn every_request_costs_credits() {
    // Clients behind a proxy are not charged for the proxy's sockets.
    let proxies = vec![skirmish_server::Proxy::Loopback];
    let requests = Credits { most: 2, per_second: 0 };
    let server = TestServer::with(Limits { proxies, requests, ..Limits::default() });
    for (number, line) in [
        "GET /",
        "GET /explore",
        "GET /explore/chess",
        "GET /static/app.js",
        "GET /static/none.js",
        "GET /health",
        "GET /health/live",
        "GET /health/ready",
        "GET /nowhere",
        "GET /ws",
        "GET /api/games",
        "GET /api/nothing",
        "POST /health",
        "DELETE /nowhere",
    ]
    .into_iter()
    .enumerate()
    {
        let request =
            format!("{line} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.{number}\r\n\r\n");
        let mut response = String::new();
        // All requests but the first three are never read.
        half_open(&server, &request.repeat(50)).read_to_string(&mut response).expect("a response");
        let status = |text: &str| text[..3].parse::<u16>().expect("a status");
        let statuses: Vec<u16> = response.split("HTTP/1.1 ").skip(1).map(status).collect();
        assert_eq!((statuses.len(), statuses[2]), (3, 429), "{line}: {statuses:?}");
        assert!(!statuses[..2].contains(&429), "{line}: {statuses:?}");
        let (_, refusal) = response.split_once("HTTP/1.1 429").expect("the last response");
        for part in
            ["\r\nretry-after: ", "\r\nconnection: close\r\n", "Too many requests from your"]
        {
            assert!(refusal.contains(part), "{line}: {refusal}");
        }
    }
}

#[test]
fn whoever_has_no_credits_for_requests_keeps_playing() {
    let requests = Credits { most: 7, per_second: 0 };
    let server = TestServer::with(Limits { requests, ..Limits::default() });
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    assert_eq!(server.get("/health").0, 200);
    // The last credit pays for the first request's socket; none is left for the second.
    for _ in 0..2 {
        let (status, response) = server.get("/health");
        assert_eq!(status, 429, "{response}");
        assert!(response.contains("\r\nretry-after: "), "{response}");
        let text = "\r\n\r\nToo many requests from your address: try again in 1 second.\n";
        assert!(response.ends_with(text), "{response}");
    }
    pair.act(1, "1");
}

#[test]
fn guessing_codes_is_as_expensive_for_accounts_as_for_guests() {
    let connection = Credits { most: 100, per_second: 1 };
    let server = TestServer::with(Limits { connection, ..Limits::none() });
    let join = json!({"type": "join", "id": 1, "code": "ABC234"});
    let act = json!({"type": "act", "id": 1, "code": "ABC234", "v": 1, "move": "1"});
    for (message, name) in [(&join, None), (&join, Some("Ann")), (&act, Some("Bob"))] {
        let mut client = match name {
            Some(name) => server.member(name).0,
            None => server.guest("Eve"),
        };
        let mut guesses = 0;
        loop {
            // The server may already have closed the connection.
            let _ = client.send_frame(Message::text(message.to_string()));
            let answer = client.next();
            if answer["type"] == "bye" {
                break;
            }
            assert_eq!(answer["code"], "not_found", "{answer}");
            guesses += 1;
        }
        assert!(guesses < 20, "{guesses} guesses with 100 credits: {message}");
    }
}

#[test]
fn guessing_codes_is_expensive_over_http_too() {
    let requests = Credits { most: 100, per_second: 0 };
    for target in ["/g/ABC234.skr", "/api/review?code=ABC234&values=0"] {
        let server = TestServer::with(Limits { requests, ..Limits::none() });
        let is_answered = |_: &u32| match server.get(target) {
            (404, _) => true,
            (429, _) => false,
            (_, response) => panic!("{response}"),
        };
        let guesses = (0..100).take_while(is_answered).count();
        assert!(guesses < 10, "{guesses} guesses with 100 credits: {target}");
    }
}

#[test]
fn connections_from_one_address_are_limited() {
    let server = TestServer::with(Limits { connections_per_address: 2, ..Limits::default() });
    let (mut one, mut two) = (server.guest("Ann"), server.guest("Bob"));
    let (status, response) = raw_upgrade(&server, UPGRADE);
    assert_eq!(status, 429, "{response}");
    assert!(response.contains("Too many connections from your address"), "{response}");
    one.hears_nothing();
    two.hears_nothing();
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let server = TestServer::start();
    let (status, response) =
        server.get_with("/health", &format!("Cookie: {}\r\n", "x".repeat(15_000)));
    assert_eq!(status, 200, "{response}");
    let long = format!("GET /health HTTP/1.1\r\nCookie: {}", "x".repeat(17_000));
    let mut answer = [0; 12];
    half_open(&server, &long).read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 431");
}

#[test]
fn clients_behind_a_trusted_proxy_have_limits_of_their_own() {
    let limits = Limits { connections_per_address: 1, ..Limits::default() };
    let upgrade = |server: &TestServer, client: &str| {
        let stream = TcpStream::connect(server.address()).expect("the server listens");
        let request = format!(
            "GET /ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\n{UPGRADE}X-Forwarded-For: {client}\r\n\r\n",
            server.address()
        );
        (&stream).write_all(request.as_bytes()).expect("the request is sent");
        let mut status = [0; 12];
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        (&stream).read_exact(&mut status).expect("an answer");
        (String::from_utf8_lossy(&status).into_owned(), stream)
    };
    let proxies = vec![skirmish_server::Proxy::Loopback];
    let server = TestServer::with(Limits { proxies, sockets_per_address: 0, ..limits.clone() });
    let mut open = Vec::new();
    for (client, status) in [
        ("192.0.2.1", "101"),
        ("192.0.2.2, 127.0.0.1", "101"),
        ("192.0.2.9, 192.0.2.1", "429"),
        ("192.0.2.1, 192.0.2.9", "101"),
    ] {
        let (answer, stream) = upgrade(&server, client);
        assert_eq!(answer, format!("HTTP/1.1 {status}"), "{client}");
        open.push(stream);
    }
    // No other sender of the header is trusted.
    let server = TestServer::with(limits);
    let [one, two] = ["192.0.2.1", "192.0.2.2"].map(|client| upgrade(&server, client));
    assert_eq!([one.0, two.0], ["HTTP/1.1 101", "HTTP/1.1 429"]);
}

/// The headers that request a WebSocket upgrade, besides `Connection` and `Host`.
pub(crate) const UPGRADE: &str = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

/// Requests a WebSocket with these headers. Returns the status and the response.
pub(crate) fn raw_upgrade(server: &TestServer, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.address()).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\n{headers}\r\n",
        server.address()
    );
    stream.write_all(request.as_bytes()).expect("the request is sent");
    let mut response = Vec::new();
    let mut buffer = [0; 1024];
    // A body follows only if the upgrade is refused; its length is then known.
    while !is_complete(&response) {
        match stream.read(&mut buffer).expect("a response") {
            0 => break,
            count => response.extend_from_slice(&buffer[..count]),
        }
    }
    let response = String::from_utf8_lossy(&response).into_owned();
    let status = response.split(' ').nth(1).and_then(|word| word.parse().ok());
    (status.unwrap_or_else(|| panic!("not a response: {response}")), response)
}

fn is_complete(response: &[u8]) -> bool {
    let response = String::from_utf8_lossy(response).to_ascii_lowercase();
    let Some((head, body)) = response.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| length.trim().parse() == Ok(body.len()))
}

#[test]
fn unfinished_games_of_an_account_are_limited() {
    let server = TestServer::with(Limits { games_per_account: 3, ..Limits::none() });
    let mut client = server.guest("Ann");
    let create = json!({"type": "create", "game": "base-battle"});
    let codes: Vec<Value> = (0..3).map(|_| client.does(&create)["code"].clone()).collect();
    let refused = client.is_refused(&create, "limit");
    assert!(refused["text"].as_str().expect("a text").contains("3 games"), "{refused}");
    // The limit also applies on another connection.
    let token = client.token.clone().expect("a token");
    let (mut again, welcome) = server.back(&token);
    assert_eq!(welcome["games"].as_array().expect("codes").len(), 3);
    again.is_refused(&create, "limit");
    again.is_refused(&json!({"type": "seek", "game": "base-battle"}), "limit");
    // A player who closes a game can create another.
    again.does(&json!({"type": "join", "code": codes[0]}));
    client.send(&json!({"type": "leave", "code": codes[0]}));
    again.event("closed");
    again.does(&create);
}

/// Connections used to count the games before other connections had stored theirs, or not at all if the account had none when
/// they began.
#[test]
fn simultaneous_requests_do_not_exceed_the_limit_of_unfinished_games() {
    let server = TestServer::with(Limits { games_per_account: 6, ..Limits::none() });
    for round in 0..5 {
        let (mut ann, _) = server.member(&format!("Ann {round}"));
        let token = ann.token.clone().expect("a token");
        let connect = || (0..10).map(|_| server.back(&token).0).collect::<Vec<_>>();
        let mut connections = connect();
        for _ in 0..3 {
            ann.does(&json!({"type": "create", "game": "base-battle"}));
        }
        connections.extend(connect());
        for (id, connection) in connections.iter_mut().enumerate() {
            connection.send(&json!({"type": "create", "id": id, "game": "base-battle"}));
        }
        let answers = connections.iter_mut().enumerate().map(|(id, it)| it.answer(&json!(id)));
        let (created, refused): (Vec<_>, Vec<_>) =
            answers.partition(|answer| answer["type"] == "ack");
        assert_eq!(created.len(), 3, "round {round}: {created:?}");
        assert!(refused.iter().all(|answer| answer["code"] == "limit"), "{refused:?}");
    }
}

#[test]
fn an_account_joins_no_more_games_than_it_may_have() {
    let server = TestServer::with(Limits { games_per_account: 2, ..Limits::none() });
    let mut ann = server.guest("Ann");
    let create = json!({"type": "create", "game": "base-battle"});
    let codes: Vec<Value> = ["Bob", "Cat", "Dan"]
        .into_iter()
        .map(|name| server.guest(name).does(&create)["code"].clone())
        .collect();
    let join = |code: &Value| json!({"type": "join", "code": code});
    ann.does(&join(&codes[0]));
    ann.does(&join(&codes[1]));
    let refused = ann.is_refused(&join(&codes[2]), "limit");
    assert!(refused["text"].as_str().expect("a text").contains("2 games"), "{refused}");
    ann.is_refused(&create, "limit");
    // Rejoining one's own games, or watching others, does not count as another game.
    ann.does(&join(&codes[1]));
    ann.does(&json!({"type": "join", "code": codes[2], "watch": true}));
    // A game no longer counts once it is over.
    ann.does(&json!({"type": "resign", "code": codes[0]}));
    ann.does(&json!({"type": "say", "code": codes[0], "phrase": "thanks"}));
    ann.does(&join(&codes[2]));
    server.guest("Eve").does(&create);
}

/// Asserts that a `bye` states how long to wait: `most` seconds, less the time since `begun`.
#[track_caller]
fn assert_waits(closed: &Closed, what: &str, most: u64, begun: Instant) {
    let passed = begun.elapsed().as_secs();
    let seconds = closed.seconds.expect("a time to wait");
    assert_eq!(closed.text, format!("Too many {what}: try again in {seconds} seconds."));
    assert!((most - passed..=most).contains(&seconds), "{passed}: {closed:?}");
}

#[test]
fn guests_from_an_address_are_limited() {
    let server = TestServer::with(Limits { guests_per_address: 2, ..Limits::default() });
    let begun = Instant::now();
    let mut ann = server.guest("Ann");
    let code = ann.does(&json!({"type": "create", "game": "base-battle"}))["code"].clone();
    let join = json!({"type": "join", "id": 1, "code": code, "watch": true});
    server.guest("Bob").does(&join);
    let mut cat = server.guest("Cat");
    cat.send(&join);
    let closed = cat.closed();
    assert_eq!(closed.code, "limit");
    assert_waits(&closed, "new guests from your address", 43_200, begun);
    // A known guest can still come back.
    let (mut ann, _) = server.back(ann.token.as_ref().expect("a token"));
    ann.does(&join);
}

#[test]
fn games_created_from_an_address_are_limited() {
    let server = TestServer::with(Limits { games_per_address: 2, ..Limits::default() });
    let create = json!({"type": "create", "game": "base-battle"});
    for name in ["Ann", "Bob"] {
        server.guest(name).does(&create);
    }
    let refused = server.guest("Cat").is_refused(&create, "limit");
    assert!(refused["seconds"].as_u64().is_some_and(|seconds| seconds > 40_000), "{refused}");
}

#[test]
fn codes_of_accounts_cannot_be_guessed() {
    let server = TestServer::start();
    let begun = Instant::now();
    let guess = json!({"type": "hello", "proto": 2, "client": "tests", "link": "AAAAAAAA"});
    for _ in 0..5 {
        let mut client = server.connect();
        client.send(&guess);
        assert_eq!(client.next()["code"], "token");
    }
    let mut client = server.connect();
    client.send(&guess);
    let closed = client.closed();
    assert_eq!(closed.code, "limit");
    assert_waits(&closed, "codes from your address", 120, begun);
    // Other clients can still send `hello`.
    server.guest("Ann").hears_nothing();
}

#[test]
fn a_record_of_a_long_game_costs_more() {
    let requests = Credits { most: 60, per_second: 1 };
    let mut server = TestServer::with(Limits { requests, ..Limits::none() });
    let pair = server.pair(&json!({"game": "base-battle"}));
    assert_eq!(server.get(&format!("/g/{}.skr", pair.code)).0, 200);
    server.stop();
    let database = rusqlite::Connection::open(server.folder().join("skirmish.db"));
    let chatter = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        INSERT INTO event SELECT 1, 4 + i, (SELECT replace(body, '\"paused\"', '\"said\",\"side\":1,\"phrase\":\"hello\"')
        FROM event WHERE seq = 4), NULL, NULL FROM n";
    database.expect("the database").execute_batch(chatter).expect("a long game");
    server.resume();
    assert_eq!(server.get(&format!("/g/{}.skr", pair.code)).0, 200);
    let (status, response) = server.get(&format!("/g/{}.skr", pair.code));
    assert_eq!(status, 429, "{response}");
    assert!(response.contains("Too many requests from your address"), "{response}");
}
