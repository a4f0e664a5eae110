//! Tests of a server that stops, fails or starts again, and of information that it must not reveal.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use skirmish_room::{Logged, Person, Room, RoomEvent, Terms};
use skirmish_rules::{GAMES, Side};
use skirmish_server::Limits;
use skirmish_server::storage::{Append, Storage};

use crate::support::{Client, Pair, TestServer, eventually, with};

/// The log of a game in the data folder of a stopped server.
pub(crate) fn log(folder: &Path, code: &str) -> Vec<Logged> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let storage = Storage::open(folder).expect("the database opens");
        let log = storage.log(code).await.expect("the log can be read");
        storage.close().await;
        log
    })
}

/// Reads until the server sends `restart`, and checks that it then closes the connection.
pub(crate) fn restarts(client: &mut Client) {
    assert_eq!(client.event("paused")["event"], "paused");
    let restart = client.until("restart");
    assert_eq!(restart["seconds"], 5);
    let closed = client.closed();
    assert_eq!((closed.close, closed.reason.as_str()), (1012, "Connect again in a moment."));
}

pub(crate) fn back(server: &TestServer, client: &Client, code: &str) -> (Client, Value) {
    let (mut back, welcome) = server.back(client.token.as_ref().expect("a token"));
    assert_eq!(welcome["games"], json!([code]));
    back.send(&json!({"type": "join", "code": code, "have": 1}));
    let snap = back.until("snap");
    (back, snap)
}

#[test]
fn games_go_on_after_a_restart_and_no_clock_has_run_meanwhile() {
    let mut server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "command-clash", "clock": "5+3"}));
    for number in [1, 2] {
        pair.act(number, "charge");
    }
    // Ann has made a secret choice when the server stops.
    pair.act(1, "attack");
    let Pair { code, mut one, mut two } = pair;
    server.stop();
    restarts(&mut one);
    restarts(&mut two);

    server.resume();
    let (_ann, snap) = back(&server, &one, &code);
    assert_eq!((&snap["stage"], &snap["you"]), (&json!("playing"), &json!(1)));
    assert_eq!(snap["chosen"], json!([1]));
    assert_eq!(snap["clock"]["running"], json!([2]));
    let (mut bob, snap) = back(&server, &two, &code);
    bob.does(&json!({"type": "act", "code": code, "v": snap["v"], "move": "charge"}));
    assert_eq!(bob.event("turn")["turns"], json!([{"1": "attack", "2": "charge"}]));
    server.stop();

    let log = log(server.folder(), &code);
    let find = |is: fn(&RoomEvent) -> bool| {
        log.iter().rfind(|logged| is(&logged.event)).expect("the event was logged")
    };
    let paused = &log[log.iter().position(|it| it.event == RoomEvent::Paused).expect("a pause")];
    let resumed = find(|event| *event == RoomEvent::Resumed);
    let chose = find(|event| matches!(event, RoomEvent::Chose { side: Side::Two, .. }));
    let left = |logged: &Logged| {
        let left: skirmish_rules::Both<u64> = logged.left.expect("the clocks are logged").into();
        left
    };
    let waited = (chose.at - resumed.at).min(skirmish_room::RETURN);
    assert_eq!(left(paused).two - left(chose).two, chose.at - resumed.at - waited);
    assert_eq!(left(paused).one, left(chose).one, "no time passes after Ann's choice");
}

#[test]
fn a_creation_that_is_sent_again_after_a_restart_creates_nothing() {
    let mut server = TestServer::start();
    let create = json!({"type": "create", "id": 1, "game": "base-battle"});
    let seek = json!({"type": "seek", "id": "s", "game": "command-clash"});
    let (mut ann, mut bob) = (server.guest("Ann"), server.guest("Bob"));
    ann.send(&create);
    let created = ann.answer(&json!(1))["code"].clone();
    ann.send(&seek);
    let sought = ann.answer(&json!("s"))["code"].clone();
    bob.send(&seek);
    assert_eq!(bob.answer(&json!("s"))["code"], sought, "they found each other");
    server.stop();
    server.resume();
    for (client, games) in [(&ann, 2), (&bob, 1)] {
        let (mut back, _) = server.back(client.token.as_ref().expect("a token"));
        back.send(&seek);
        assert_eq!(back.answer(&json!("s"))["code"], sought);
        if games == 2 {
            back.send(&create);
            assert_eq!(back.answer(&json!(1))["code"], created);
        }
        back.send(&json!({"type": "lobby"}));
        assert_eq!(back.until("lobby")["yours"].as_array().expect("games").len(), games);
        // The same ID from another account is another message, and so is another ID.
        if games == 1 {
            back.send(&create);
            assert_ne!(back.answer(&json!(1))["code"], created);
        }
    }
}

#[test]
fn a_board_that_the_computer_can_no_longer_solve_waits_without_losing_anything() {
    let mut server = TestServer::start();
    let mut ann = server.guest("Ann");
    let terms = json!({"game": "base-battle", "first": "p1", "seat": "p1", "level": "perfect"});
    let created = ann.does(&with(&json!({"type": "create"}), &terms));
    let code = created["code"].clone();
    server.stop();
    let memory = std::mem::take(&mut server.memory);
    server.resume();
    let (mut ann, _) = back(&server, &ann, code.as_str().expect("a code"));
    let v = ann.does(&json!({"type": "say", "code": code, "phrase": "hello"}))["v"].clone();
    let v = ann.does(&json!({"type": "act", "code": code, "v": v, "move": "1"}))["v"].clone();
    let told = loop {
        let message = ann.next();
        if message["type"] == "rej" {
            break message;
        }
    };
    assert_eq!((&told["code"], told.get("id")), (&json!("too_large"), None), "{told}");
    let text = told["text"].as_str().expect("a text");
    assert!(text.contains("You can resign, or leave and come back"), "{text}");
    // The room answers, and a player who comes back is told, too.
    ann.does(&json!({"type": "say", "code": code, "phrase": "wait"}));
    let (mut again, snap) = back(&server, &ann, code.as_str().expect("a code"));
    assert_eq!(snap["turns"], json!([{"1": "1", "2": null}]));
    let told = std::iter::repeat_with(|| again.next()).find(|message| message["type"] == "rej");
    assert_eq!(told.map(|told| told["text"].clone()), Some(json!(text)));
    // With enough memory again, the computer continues where it stopped.
    server.stop();
    server.memory = memory;
    server.resume();
    let (mut ann, snap) = back(&server, &ann, code.as_str().expect("a code"));
    if snap["turns"].as_array().map(Vec::len) == Some(1) {
        ann.event("turn");
    }
    let resigned = ann.does(&json!({"type": "resign", "code": code}));
    assert!(resigned["v"].as_u64() > v.as_u64(), "{resigned}");
}

#[test]
fn after_a_crash_the_clocks_have_run_until_the_last_sign_of_life() {
    let server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "command-clash", "clock": "5+3"}));
    pair.act(1, "charge");
    pair.act(2, "charge");
    assert_eq!(pair.one.event("turn")["clock"]["left"], json!({"1": 303_000, "2": 303_000}));
    let mut crashed = server.crashed();
    let turn = log(crashed.folder(), &pair.code).last().expect("a turn").at;
    // The server recorded that it was still running five seconds later, and then crashed.
    let database = rusqlite::Connection::open(crashed.folder().join("skirmish.db"));
    let beat = "UPDATE node SET beat = ?";
    let at = i64::try_from(turn + 5_000).expect("a time");
    database.expect("the database").execute(beat, [at]).expect("a heartbeat");
    crashed.resume();
    let (_ann, snap) = back(&crashed, &pair.one, &pair.code);
    assert_eq!(snap["stage"], "playing");
    crashed.stop();
    let log = log(crashed.folder(), &pair.code);
    let resumed = log.iter().find(|logged| logged.event == RoomEvent::Resumed);
    let left: skirmish_rules::Both<u64> =
        resumed.and_then(|resumed| resumed.left).expect("the clocks are logged").into();
    assert_eq!((left.one, left.two), (298_000, 298_000));
}

#[test]
fn a_date_that_was_set_back_keeps_no_clock_waiting() {
    let server = TestServer::start();
    server.skip(Duration::from_hours(30 * 24));
    let mut pair = server.pair(&json!({"game": "command-clash", "clock": "30s"}));
    pair.act(1, "charge");
    pair.act(2, "charge");
    // Simulates a calendar set back by 30 days between the crash and the start.
    let mut crashed = server.crashed();
    crashed.resume();
    assert!(crashed.log().iter().any(|line| line.contains("clock_differs")), "{:?}", crashed.log());
    let (mut ann, _) = back(&crashed, &pair.one, &pair.code);
    crashed.skip(Duration::from_mins(1));
    ann.send(&json!({"type": "offer", "id": 1, "code": pair.code, "what": "draw"}));
    assert_eq!(ann.event("end")["end"]["termination"], "time");
    assert!(crashed.metrics().contains("\nskirmish_flags_total 1\n"));
}

#[test]
fn a_server_that_is_stopping_refuses_what_can_be_done_later() {
    let mut server = TestServer::with(Limits::none());
    let mut pair = server.pair(&json!({"game": "command-clash"}));
    let mut over = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    over.act(1, "1");
    over.act(2, "1");
    over.does(1, "resign", &json!({}));
    over.settle();
    // Storing the pause of the other game takes a while.
    let database = rusqlite::Connection::open(server.folder().join("skirmish.db"));
    let database = database.expect("the database");
    let slow = "CREATE TRIGGER slow BEFORE INSERT ON event WHEN NEW.body LIKE '%paused%' BEGIN SELECT
        (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT max(i) FROM n);
        END";
    database.execute_batch(slow).expect("a trigger");
    std::thread::scope(|scope| {
        let stopping = scope.spawn(|| server.stop());
        let act = over.about("act", &json!({"v": 5, "move": "1"}));
        let refused = loop {
            let answer = over.one.ask(&act);
            if answer["code"] != "over" {
                break answer;
            }
        };
        assert_eq!(refused["code"], "paused", "{refused}");
        let text = "The server is stopping. The game goes on afterwards.";
        assert_eq!(refused["text"], text);
        let create = json!({"type": "create", "game": "base-battle"});
        assert_eq!(over.one.is_refused(&create, "paused")["seconds"], 5);
        stopping.join().expect("it stops");
    });
    restarts(&mut pair.one);
    database.execute_batch("DROP TRIGGER slow").expect("the trigger goes");
    drop(database);
    server.resume();
    let (mut ann, snap) = back(&server, &pair.one, &pair.code);
    ann.does(&json!({"type": "act", "code": pair.code, "v": snap["v"], "move": "charge"}));
}

#[test]
fn a_game_that_cannot_be_stored_says_so_and_goes_on_when_it_can() {
    let server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    pair.act(1, "1");
    let path = server.folder().join("skirmish.db");
    let saboteur = rusqlite::Connection::open(path).expect("the database");
    let trigger =
        "CREATE TRIGGER broken BEFORE INSERT ON event BEGIN SELECT RAISE(FAIL, 'broken'); END";
    saboteur.execute_batch(trigger).expect("a trigger");
    let v = pair.version(2);
    let act = pair.about("act", &json!({"id": "a", "v": v, "move": "2"}));
    pair.two.send(&act);
    for client in [&mut pair.one, &mut pair.two] {
        let closed = client.closed();
        assert_eq!((closed.code.as_str(), closed.close), ("storage", 1011), "{closed:?}");
    }
    saboteur.execute_batch("DROP TRIGGER broken").expect("the trigger goes");
    let (mut bob, snap) = back(&server, &pair.two, &pair.code);
    assert_eq!(snap["v"], v, "nothing was applied");
    bob.send(&act);
    assert_eq!(bob.answer(&json!("a"))["v"], v + 1);
    let log = server.log().join("\n");
    assert!(log.contains("game_not_stored A game cannot be stored. code=private error="), "{log}");
    assert!(!log.contains(&pair.code), "anyone who knows the code can join: {log}");
}

#[test]
fn a_game_that_cannot_be_read_is_logged_without_its_code_and_its_choices() {
    let mut server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "command-clash"}));
    pair.act(1, "shield");
    server.stop();
    let database = rusqlite::Connection::open(server.folder().join("skirmish.db"));
    // Repeat the choice after the pause, so that the log is inconsistent.
    let again = "INSERT INTO event SELECT room, 6, body, account, NULL FROM event WHERE seq = 4";
    database.expect("the database").execute_batch(again).expect("events that do not fit");
    server.resume();
    let (mut ann, _) = server.back(pair.one.token.as_ref().expect("a token"));
    ann.is_refused(&json!({"type": "join", "code": pair.code}), "storage");
    let log = server.log().join("\n");
    assert!(log.contains("code=private seq="), "{log}");
    assert!(!log.contains(&pair.code) && !log.contains("shield"), "{log}");
}

#[test]
fn a_room_that_nobody_has_joined_expires_although_the_server_was_away() {
    let mut server = TestServer::start();
    server.stop();
    let created = RoomEvent::Created {
        code: "ABCDEF".to_owned(),
        terms: Box::new(Terms::new(GAMES.find("base-battle").expect("a game"))),
        creator: Person {
            account: 1,
            name: "Ann".to_owned(),
            registered: false,
            ..Person::default()
        },
        seed: 1,
        date: None,
    };
    // Created in 1970.
    let append = Append {
        code: "ABCDEF".to_owned(),
        after: 0,
        finished: None,
        events: Room::create(1, None, created),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let storage = Storage::open(server.folder()).expect("the database opens");
        storage.append(append, None).await.expect("a room");
        storage.close().await;
    });
    server.resume();
    // The room is private and nobody requests it, but the server still wakes it.
    let database = rusqlite::Connection::open(server.folder().join("skirmish.db"));
    let database = database.expect("the database");
    eventually("the room is woken", || {
        let stage = database.query_row("SELECT stage FROM room", [], |row| row.get(0));
        stage.is_ok_and(|stage: String| stage == "over")
    });
    drop(database);
    server.stop();
    let log = log(server.folder(), "ABCDEF");
    assert_eq!(log.last().map(|logged| &logged.event), Some(&RoomEvent::Closed));
}

#[test]
fn what_is_secret_is_neither_logged_nor_stored_as_text() {
    let mut server = TestServer::start();
    let (mut ann, recovery) = server.member("Ann");
    ann.send(&json!({"type": "link", "id": 1}));
    let link = ann.until("link")["link"].as_str().expect("a code").to_owned();
    let mut laptop = server.connect();
    laptop.hello(&json!({"link": link}));
    let mut wrong = server.connect();
    let wrong_token = "00112233445566778899aabbccddeeff";
    wrong.send(&json!({"type": "hello", "proto": 2, "client": "tests", "token": wrong_token}));
    assert_eq!(wrong.next()["code"], "token");
    let mut pair = Pair::new(ann, server.guest("Bob"), &json!({"game": "command-clash"}));
    pair.act(1, "special");
    let tokens = [&pair.one, &pair.two, &laptop].map(|client| client.token.clone());
    let mut secrets: Vec<String> = tokens.into_iter().flatten().collect();
    assert_eq!(secrets.len(), 3);
    secrets.extend([recovery, link, wrong_token.to_owned()]);

    let is_in = |text: &[u8], secret: &str| {
        let text = text.to_ascii_lowercase();
        let secret = secret.to_ascii_lowercase();
        text.windows(secret.len()).any(|window| window == secret.as_bytes())
    };
    let check = |server: &TestServer| {
        let log = server.log().join("\n");
        assert!(!log.is_empty(), "the operator is told of games");
        for word in ["special", "charge"] {
            assert!(!is_in(log.as_bytes(), word), "{log}");
        }
        for file in fs::read_dir(server.folder()).expect("the data folder") {
            let path = file.expect("a file").path();
            let bytes = fs::read(&path).expect("a file");
            for secret in &secrets {
                assert!(!is_in(&bytes, secret), "{} contains a secret", path.display());
                assert!(!is_in(log.as_bytes(), secret), "{log}");
            }
        }
    };
    check(&server);
    server.stop();
    check(&server);
}
