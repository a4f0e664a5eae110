//! Tests of plain HTTP: health, records, origins, and that no file of the server's machine is served.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skirmish_rules::Record;
use skirmish_server::Limits;

use crate::limits::{UPGRADE, raw_upgrade};
use crate::support::{PATIENCE, TestServer};

/// The body of a response.
fn body(response: &str) -> &str {
    response.split_once("\r\n\r\n").expect("a response has a body").1
}

pub(crate) fn record(server: &TestServer, target: &str) -> Record {
    let (status, response) = server.get(target);
    assert_eq!(status, 200, "{target}: {response}");
    assert!(
        response.to_ascii_lowercase().contains("content-disposition: attachment"),
        "{response}"
    );
    let record = Record::parse(body(&response), server.games).expect("a record");
    record.replay().expect("its moves are legal");
    record
}

#[test]
fn health_counts_connections_and_games() {
    let server = TestServer::start();
    let health = || -> Value {
        let (status, response) = server.get("/health");
        assert_eq!(status, 200);
        serde_json::from_str(body(&response)).expect("JSON")
    };
    assert_eq!(health()["status"], "ok");
    assert_eq!((&health()["connections"], &health()["games"]), (&json!(0), &json!(0)));
    let _pair = server.pair(&json!({"game": "base-battle"}));
    assert_eq!((&health()["connections"], &health()["games"]), (&json!(2), &json!(1)));
    assert!(health()["version"].as_str().is_some_and(|version| !version.is_empty()));
}

#[test]
fn a_server_that_runs_is_live_and_ready() {
    let server = TestServer::start();
    for (target, status) in [("/health/live", "live"), ("/health/ready", "ready")] {
        let (code, response) = server.get(target);
        assert_eq!(code, 200, "{response}");
        assert!(response.to_ascii_lowercase().contains("cache-control: no-store"), "{response}");
        let expected = json!({"status": status});
        assert_eq!(serde_json::from_str::<Value>(body(&response)).expect("JSON"), expected);
    }
}

#[test]
fn an_invitation_says_how_to_join() {
    let server = TestServer::start();
    let (status, response) = server.get("/g/abc234");
    assert_eq!(status, 200);
    let expected = format!("To play this game: skirmish join {}/g/ABC234\n", server.url());
    assert_eq!(body(&response), expected);
    assert!(body(&server.get("/").1).contains(&format!("skirmish join {}\n", server.url())));
}

#[test]
fn a_record_can_be_read_by_whoever_may_see_the_game() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let mut open = server.guest("Eve");
    let created = open.does(&json!({"type": "create", "game": "base-battle"}));
    let code = created["code"].as_str().expect("a code");
    assert_eq!(server.get(&format!("/g/{code}.skr")).0, 404, "no game has begun");

    // Others may watch this game: its record shows the turns played so far, but no choice that is still secret.
    let mut watched = server.pair(&json!({"game": "command-clash"}));
    watched.act(1, "charge");
    watched.act(2, "charge");
    watched.act(1, "special");
    let target = format!("/g/{}.skr", watched.code.to_lowercase());
    let running = record(&server, &target);
    assert_eq!(running.table().turns_played(), 0);
    let (_, response) = server.get(&target);
    assert!(response.contains("[Result \"*\"]"), "{response}");
    assert!(!response.contains("special") && !response.contains("Seed"), "{response}");
    assert!(response.contains("charge|charge"), "{response}");

    // Nobody else may watch this game until it is over.
    let mut private =
        server.pair(&json!({"game": "base-battle", "first": "p1", "spectators": false}));
    private.act(1, "1");
    private.act(2, "1");
    let target = format!("/g/{}.skr", private.code);
    let (status, response) = server.get(&target);
    assert_eq!(status, 403, "{response}");
    assert!(body(&response).starts_with("Only its players may see this game"));
    private.does(2, "resign", &json!({}));
    let (_, response) = server.get(&target);
    assert!(response.contains("[Result \"1-0\"]\n[Termination \"resigned\"]"), "{response}");
    private.does(1, "offer", &json!({"what": "rematch"}));
    private.does(2, "answer", &json!({"what": "rematch", "yes": true}));
    assert_eq!(server.get(&target).0, 403, "the next game goes on");
    record(&server, &format!("{target}?game=1"));
    let not_a_number = "The parameter game is the number of a game, from 1.\n";
    for (query, status, text) in [
        ("game=2", 403, "Only its players may see this game until it is over.\n"),
        ("game=0", 404, "This room has had 2 games.\n"),
        ("game=3", 404, "This room has had 2 games.\n"),
        ("game=-1", 400, not_a_number),
        ("game=x", 400, not_a_number),
        ("game=1&game=2", 400, not_a_number),
    ] {
        let (answered, response) = server.get(&format!("{target}?{query}"));
        assert_eq!((answered, body(&response)), (status, text), "{query}");
    }
    let (_, response) = server.get(&format!("/g/{}.skr?game=2", watched.code));
    assert_eq!(body(&response), "This room has had 1 game.\n");
}

#[test]
fn no_path_leads_to_a_file() {
    let server = TestServer::with(skirmish_server::Limits::none());
    server.guest("Ann").does(&json!({"type": "create", "game": "base-battle"}));
    assert!(server.folder().join("skirmish.db").exists());
    for target in [
        "/skirmish.db",
        "/g/skirmish.db",
        "/g/../skirmish.db",
        "/g/../../etc/passwd",
        "/g/..%2fskirmish.db",
        "/g/..%2f..%2fskirmish.db.skr",
        "/g/%2e%2e/skirmish.db",
        "/g/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd.skr",
        "/g/..%5cskirmish.db",
        "/g/skirmish.db%00.skr",
        "/g//etc/passwd",
        "//etc/passwd",
        "/g/%ff%fe.skr",
        "/g/' OR 1=1 --.skr",
        "/g/.skr",
        "/g/",
        "/ws/../skirmish.db",
    ] {
        let (status, response) = server.get(target);
        assert!((400..500).contains(&status), "{target}: {response}");
        for text in ["SQLite", "root:", "/tmp"] {
            assert!(!response.contains(text), "{target}: {response}");
        }
    }
    assert_eq!(server.get("/health").0, 200);
}

#[test]
fn pages_of_other_sites_cannot_connect() {
    let server = TestServer::start();
    let upgrade = |origin: &str| raw_upgrade(&server, &format!("{UPGRADE}{origin}")).0;
    assert_eq!(upgrade(""), 101, "programs send no origin");
    assert_eq!(upgrade(&format!("Origin: http://{}\r\n", server.address())), 101);
    for origin in [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        "[evil".to_owned(),
        String::new(),
        format!("http://{}.evil.example", server.address()),
        format!("http://evil.example/{}", server.address()),
        "http://127.0.0.1:1".to_owned(),
        format!("https://{}", server.address()),
    ] {
        assert_eq!(upgrade(&format!("Origin: {origin}\r\n")), 403, "{origin}");
    }
    // A proxy that speaks TLS reports this in a header.
    let proxies = vec![skirmish_server::Proxy::Loopback];
    let server = TestServer::with(skirmish_server::Limits { proxies, ..Default::default() });
    let origin = format!("Origin: https://{}\r\n", server.address());
    for (scheme, status) in [("https", 101), ("http", 403)] {
        let headers = format!("{UPGRADE}{origin}X-Forwarded-Proto: {scheme}\r\n");
        assert_eq!(raw_upgrade(&server, &headers).0, status, "{scheme}");
    }
}

/// One socket once kept every game waiting.
#[test]
fn pipelined_requests_are_paced() {
    const REQUESTS: u32 = 200;
    let server = TestServer::with(Limits::none());
    let mut stream = TcpStream::connect(server.address()).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let begun = Instant::now();
    let request = "GET /health HTTP/1.1\r\nHost: x\r\n";
    let all = format!("{request}\r\n").repeat(REQUESTS as usize - 1);
    let last = format!("{request}Connection: close\r\n\r\n");
    stream.write_all((all + &last).as_bytes()).expect("the server reads them");
    let mut answers = String::new();
    stream.read_to_string(&mut answers).expect("the server closes it");
    assert_eq!(answers.matches("HTTP/1.1 200").count(), REQUESTS as usize);
    // After a burst of 50 requests, there is one in a millisecond.
    assert!(begun.elapsed() >= Duration::from_millis(u64::from(REQUESTS) - 50 - 1));
}
