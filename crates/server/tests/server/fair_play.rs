//! Tests that games which nobody has really played, or which one person has played alone, do not change ratings.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::ClientRequestBuilder;

use crate::support::{Client, Pair, TestServer, apart, with};

fn rated() -> Value {
    json!({"game": "capture-the-line", "rated": true})
}

/// Requests a player's list of finished games.
fn history(client: &mut Client) -> Value {
    client.send(&json!({"type": "history"}));
    client.until("history")["games"].clone()
}

#[test]
fn a_game_between_accounts_on_one_device_or_of_one_customer_is_not_rated() {
    let server = TestServer::with(apart());
    let member = |name: &str, number: usize, (address, device): (&str, &str)| {
        let url = format!("ws://{}/ws", server.address()).parse().expect("an address");
        let request = ClientRequestBuilder::new(url).with_header("X-Forwarded-For", address);
        let stream = TcpStream::connect(server.address()).expect("the server listens");
        let mut client = Client::over(stream, request);
        client.hello(&json!({"device": device}));
        client.register(&format!("{name} {number}"));
        client
    };
    for (number, (one, two, is_rated)) in [
        (("192.0.2.1", "a"), ("192.0.2.2", "a"), false),
        (("192.0.2.1", "a"), ("192.0.2.2", "b"), true),
        // Providers assign customers networks of up to a /48.
        (("2001:db8:1:2::1", "a"), ("2001:db8:1:302::1", "b"), false),
        (("2001:db8:1:2::1", "a"), ("2001:db8:2:2::1", "b"), true),
    ]
    .into_iter()
    .enumerate()
    {
        let (ann, bob) = (member("Ann", number, one), member("Bob", number, two));
        let mut pair = Pair::new(ann, bob, &rated());
        let again = json!({"type": "join", "code": pair.code});
        pair.one.does(&again);
        let is_unrated = pair.one.until("snap").get("unrated").is_some();
        assert_eq!(!is_unrated, is_rated, "{one:?} and {two:?}");
    }
}

#[test]
fn a_game_between_accounts_at_one_address_is_not_rated_and_says_so() {
    // No proxy is trusted, so all clients have this machine's address.
    let server = TestServer::start();
    let ((ann, _), (bob, _)) = (server.member("Ann"), server.member("Bob"));
    let mut pair = Pair::new(ann, bob, &rated());
    let why = json!("This game is not rated: both players use the same address or device.");
    for number in [1, 2] {
        let again = json!({"type": "join", "code": pair.code});
        let player = pair.player(number);
        player.does(&again);
        assert_eq!(player.until("snap")["unrated"], why);
    }
    pair.act(1, "1");
    pair.act(2, "1");
    pair.does(2, "resign", &json!({}));
    pair.settle();
    let games = history(&mut pair.one);
    assert_eq!((&games[0]["result"], games[0].get("rating")), (&json!("1-0"), None), "{games}");
}

#[test]
fn whoever_was_never_there_does_not_lose_a_rated_game() {
    let server = TestServer::with(apart());
    let ((ann, _), (bob, _)) = (server.member("Ann"), server.member("Bob"));
    let mut pair = Pair::new(ann, bob, &rated());
    pair.act(1, "1");
    let Pair { code, mut one, two } = pair;
    two.vanish();
    while one.until("presence")["players"]["2"] == true {}
    server.skip(Duration::from_mins(10));
    one.does(&json!({"type": "claim", "code": code}));
    assert_eq!(one.event("end")["end"]["result"], "*");
    one.does(&json!({"type": "say", "code": code, "phrase": "thanks"}));
    let games = history(&mut one);
    assert_eq!((&games[0]["result"], games[0].get("rating")), (&json!("*"), None), "{games}");
}

#[test]
fn whoever_aborts_rated_games_again_and_again_has_to_wait() {
    let mut server = TestServer::with(apart());
    let ((mut ann, _), (mut bob, _)) = (server.member("Ann"), server.member("Bob"));
    let create = with(&json!({"type": "create", "seat": "p1"}), &rated());
    // Bob offers games in advance, one of them publicly.
    let offered = bob.does(&create)["code"].clone();
    let seek = with(&json!({"type": "seek"}), &rated());
    bob.does(&seek);
    for _ in 0..3 {
        let mut pair = Pair::new(ann, bob, &rated());
        pair.act(1, "1");
        // Bob dislikes the seat, and leaves without losing the game.
        pair.does(2, "resign", &json!({}));
        pair.settle();
        (ann, bob) = (pair.one, pair.two);
    }
    let open = ann.does(&create)["code"].clone();
    let join = json!({"type": "join", "code": open});
    for message in [&create, &with(&seek, &json!({"clock": "30s"})), &join] {
        let refused = bob.is_refused(message, "limit");
        let seconds = refused["seconds"].as_u64().expect("how long to wait");
        assert!((590..=600).contains(&seconds), "{refused}");
        let text = refused["text"].as_str().expect("a text");
        assert!(text.contains(&format!("again in {seconds} seconds")), "{refused}");
    }
    bob.does(&with(&create, &json!({"rated": false})));
    // In the meantime, nobody is paired with Bob.
    let join_offered = json!({"type": "join", "code": offered});
    let refused = ann.is_refused(&join_offered, "limit");
    assert!(refused["seconds"].as_u64().is_some_and(|it| it > 590), "{refused}");
    let sought = ann.does(&seek)["code"].clone();
    ann.does(&json!({"type": "join", "code": sought}));
    assert_eq!(ann.until("snap")["stage"], "open");
    // The server remembers this after a restart.
    let tokens = [&ann, &bob].map(|client| client.token.clone().expect("a token"));
    server.stop();
    server.resume();
    let [(mut ann, _), (mut bob, _)] = tokens.map(|token| server.back(&token));
    bob.is_refused(&create, "limit");
    server.skip(Duration::from_mins(10));
    bob.does(&create);
    // The opponent whom Bob abandoned is not barred.
    ann.does(&create);
}

#[test]
fn a_public_invitation_is_withdrawn_after_its_creator_has_left() {
    let server = TestServer::start();
    let (mut ann, mut bob) = (server.guest("Ann"), server.guest("Bob"));
    let create = json!({"type": "create", "game": "base-battle"});
    let private = ann.does(&create)["code"].clone();
    let public = ann.does(&with(&create, &json!({"public": true})))["code"].clone();
    bob.does(&json!({"type": "join", "code": public, "watch": true}));
    bob.until("presence");
    ann.vanish();
    while bob.until("presence")["players"].to_string().contains("true") {}
    server.skip(Duration::from_mins(2));
    bob.does(&json!({"type": "join", "code": public}));
    loop {
        let message = bob.next();
        if message["stage"] == "closed" || message["event"] == "closed" {
            break;
        }
    }
    bob.does(&json!({"type": "join", "code": private}));
    while bob.until("snap")["stage"] != "playing" {}
}
