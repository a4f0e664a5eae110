//! Tests every reason for which a game refuses a message.

use std::time::Duration;

use serde_json::json;
use skirmish_server::Limits;

use crate::support::{Pair, TestServer};

/// The terms of a game that Player 1 starts.
const BASE_BATTLE: &str = r#"{"game":"base-battle","first":"p1"}"#;

fn base_battle() -> serde_json::Value {
    serde_json::from_str(BASE_BATTLE).expect("terms")
}

#[test]
fn a_code_without_a_game_is_not_found() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let (mut client, _) = server.member("Ann");
    for code in ["ABCDEF", "", "ABC", "../../etc", "ABCDE0"] {
        client.is_refused(&json!({"type": "join", "code": code}), "not_found");
        client.is_refused(&json!({"type": "resign", "code": code}), "not_found");
        // A guest without a game does not even have an account.
        server.guest("Bob").is_refused(&json!({"type": "join", "code": code}), "not_found");
    }
    client.hears_nothing();
    server.guest("Bob").is_refused(&json!({"type": "resign", "code": "ABCDEF"}), "not_seated");
}

#[test]
fn impossible_terms_are_refused() {
    let server = TestServer::start();
    let mut client = server.guest("Ann");
    for (terms, why) in [
        (json!({"game": "chess"}), "expected command-line-conquer"),
        (json!({"game": "base-battle", "rules": {"colour": "red"}}), "colour"),
        (json!({"game": "base-battle", "rules": {"positions": 2}}), "positions"),
        (json!({"game": "base-battle", "preset": "huge"}), "huge"),
        (json!({"game": "base-battle", "level": "godlike"}), "novice"),
        (json!({"game": "base-battle", "match": 0}), "1 to 99"),
        (json!({"game": "base-battle", "match": 100}), "1 to 99"),
        (json!({"game": "base-battle", "max_turns": 0}), "at least 1"),
        (json!({"game": "capture-the-line", "first": "p2"}), ""),
    ] {
        for kind in ["create", "seek"] {
            // A seek looks for human opponents only.
            if kind == "seek" && terms.get("level").is_some() {
                continue;
            }
            let message = crate::support::with(&json!({"type": kind}), &terms);
            let refused = client.is_refused(&message, "terms");
            assert!(refused["text"].as_str().expect("a text").contains(why), "{refused}");
        }
        // Each connection has credits for a burst of 20 creations.
        client = server.guest("Ann");
    }
}

#[test]
fn a_board_that_is_too_large_for_the_computer_is_refused() {
    let server = TestServer::start();
    let mut client = server.guest("Ann");
    let rules = json!({"positions": 25, "units": 8});
    let large = json!({"type": "create", "game": "command-line-conquer", "rules": rules});
    let against = crate::support::with(&large, &json!({"level": "perfect"}));
    let refused = client.is_refused(&against, "too_large");
    assert!(refused["text"].as_str().expect("a text").contains("Choose a smaller one"));
    // People can play on this board.
    client.does(&large);
}

#[test]
fn the_right_moment_matters() {
    let server = TestServer::start();
    let mut ann = server.guest("Ann");
    let created =
        ann.does(&crate::support::with(&json!({"type": "create", "seat": "p1"}), &base_battle()));
    let code = created["code"].clone();
    for message in [
        json!({"type": "act", "code": code, "v": 1, "move": "1"}),
        json!({"type": "offer", "code": code, "what": "draw"}),
        json!({"type": "offer", "code": code, "what": "rematch"}),
        json!({"type": "say", "code": code, "phrase": "hello"}),
        json!({"type": "resign", "code": code}),
        json!({"type": "claim", "code": code}),
    ] {
        ann.is_refused(&message, "not_begun");
    }

    let mut pair = server.pair(&base_battle());
    let illegal = pair.is_refused(1, "act", &json!({"v": 3, "move": "9"}), "illegal");
    assert_eq!(illegal["legal"], json!(["1", "2", "3"]));
    let long = json!({"v": 3, "move": "1".repeat(3000)});
    pair.is_refused(1, "act", &long, "illegal");
    pair.is_refused(2, "act", &json!({"v": 3, "move": "1"}), "not_your_turn");
    pair.is_refused(1, "offer", &json!({"what": "takeback"}), "no_turn");
    pair.is_refused(1, "offer", &json!({"what": "rematch"}), "not_over");
    pair.is_refused(1, "answer", &json!({"what": "draw", "yes": true}), "no_offer");
    pair.is_refused(1, "claim", &json!({}), "not_gone");
    pair.act(1, "1");
    let version = pair.is_refused(2, "act", &json!({"v": 3, "move": "1"}), "version");
    assert_eq!(version["legal"], json!(["1", "2", "3"]), "a choice can be made at once");
    pair.act(2, "1");
    pair.does(1, "offer", &json!({"what": "draw"}));
    pair.is_refused(1, "offer", &json!({"what": "draw"}), "too_soon");
    pair.does(2, "answer", &json!({"what": "draw", "yes": false}));
    pair.is_refused(1, "offer", &json!({"what": "draw"}), "too_soon");
    for _ in 0..5 {
        pair.does(1, "say", &json!({"phrase": "luck"}));
    }
    pair.is_refused(1, "say", &json!({"phrase": "luck"}), "too_soon");
    pair.does(1, "resign", &json!({}));
    pair.is_refused(1, "act", &json!({"v": 30, "move": "1"}), "over");
    pair.is_refused(2, "resign", &json!({}), "over");
    pair.does(1, "offer", &json!({"what": "rematch"}));
    pair.does(2, "offer", &json!({"what": "rematch"}));
    pair.is_refused(1, "resign", &json!({"v": 5}), "version");
}

#[test]
fn only_players_play_and_only_spectators_who_may_watch() {
    let server = TestServer::start();
    let mut pair = server.pair(&base_battle());
    let mut cat = server.guest("Cat");
    cat.does(&json!({"type": "join", "code": pair.code}));
    assert_eq!(cat.until("snap")["you"], json!(null));
    for (kind, fields) in [
        ("act", json!({"v": 3, "move": "1"})),
        ("offer", json!({"what": "draw"})),
        ("answer", json!({"what": "draw", "yes": true})),
        ("resign", json!({})),
        ("claim", json!({})),
        ("say", json!({"phrase": "hello"})),
    ] {
        let message = pair.about(kind, &fields);
        cat.is_refused(&message, "not_seated");
        // A client that does not follow the game cannot do anything else either.
        server.guest("Dan").is_refused(&message, "not_seated");
    }
    pair.act(1, "1");
    assert_eq!(cat.event("turn")["v"], 4);

    let closed = server.pair(&json!({"game": "base-battle", "spectators": false}));
    for watch in [false, true] {
        let join = json!({"type": "join", "code": closed.code, "watch": watch});
        cat.is_refused(&join, "full");
    }
    // A player who follows an invitation to such a game learns that there is a seat.
    let mut eve = server.guest("Eve");
    let terms = json!({"type": "create", "game": "base-battle", "spectators": false});
    let open = eve.does(&terms)["code"].clone();
    cat.is_refused(&json!({"type": "join", "code": open, "watch": true}), "not_seated");
    // A refused connection receives nothing.
    drop(closed);
    cat.hears_nothing();
}

#[test]
fn a_game_can_be_claimed_when_the_opponent_has_been_gone_for_long() {
    let hour = Duration::from_hours(1);
    let server = TestServer::with(Limits { ping: hour, silence: 2 * hour, ..Limits::default() });
    let mut pair = server.pair(&base_battle());
    for player in [1, 2, 1] {
        pair.act(player, "1");
    }
    let Pair { code, mut one, two } = pair;
    let claim = json!({"type": "claim", "code": code});
    let refused = one.is_refused(&claim, "not_gone");
    assert_eq!(refused["text"], "Your opponent is connected.");
    two.vanish();
    while one.until("presence")["players"]["2"] != false {}
    server.skip(Duration::from_mins(9));
    let refused = one.is_refused(&claim, "not_gone");
    let text = format!("You can claim the game in {} seconds.", refused["seconds"]);
    assert_eq!(refused["text"], text);
    server.skip(Duration::from_mins(1));
    one.does(&claim);
    let end = one.event("end");
    assert_eq!((&end["end"]["result"], &end["player"]), (&json!("1-0"), &json!(1)), "{end}");
    one.is_refused(&claim, "over");
}

#[test]
fn a_choice_cannot_be_changed() {
    let server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "command-clash"}));
    pair.act(1, "charge");
    pair.is_refused(1, "act", &json!({"v": 4, "move": "shield"}), "chosen");
    pair.act(2, "charge");
    assert_eq!(pair.one.event("turn")["turns"], json!([{"1": "charge", "2": "charge"}]));
}

#[test]
fn a_secret_choice_looks_the_same_whatever_it_is() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let mut seen = std::collections::BTreeSet::new();
    for choice in ["charge", "attack", "special", "shield"] {
        let mut pair = server.pair(&json!({"game": "command-clash"}));
        let mut cat = server.guest("Cat");
        cat.does(&json!({"type": "join", "code": pair.code}));
        cat.until("presence");
        pair.act(1, choice);
        let event = cat.next_text();
        for client in [&mut pair.one, &mut pair.two] {
            let same = std::iter::repeat_with(|| client.next_text());
            let same = same.take(5).find(|text| text.contains("\"chosen\""));
            assert_eq!(same.as_ref(), Some(&event), "the same bytes for everybody");
        }
        // A client that joins later is told no more.
        let mut dan = server.guest("Dan");
        dan.does(&json!({"type": "join", "code": pair.code}));
        let snap = dan.until("snap").to_string();
        seen.insert((event.replace(&pair.code, "CODE"), snap.replace(&pair.code, "CODE")));
    }
    assert_eq!(seen.len(), 1, "{seen:#?}");
}

#[test]
fn a_message_that_is_sent_again_gets_its_first_answer() {
    let server = TestServer::start();
    let mut pair = server.pair(&base_battle());
    let act = |id: u64, v: u64, choice: &str| json!({"type": "act", "id": id, "code": pair.code, "v": v, "move": choice});
    let (right, wrong) = (act(1, 3, "2"), act(2, 3, "9"));
    let create = json!({"type": "create", "id": "new", "game": "base-battle"});
    pair.one.send(&wrong);
    let refused = pair.one.answer(&json!(2));
    pair.one.send(&right);
    let accepted = pair.one.answer(&json!(1));
    assert_eq!((&accepted["type"], &accepted["v"]), (&json!("ack"), &json!(4)));
    pair.one.send(&create);
    let created = pair.one.answer(&json!("new"));
    // The same holds on another connection, whatever the rest of the message says.
    let token = pair.one.token.clone().expect("a token");
    let (mut again, _) = server.back(&token);
    for client in [&mut pair.one, &mut again] {
        client.send(&right);
        assert_eq!(client.answer(&json!(1)), accepted);
        client.send(&act(1, 4, "1"));
        assert_eq!(client.answer(&json!(1)), accepted);
        client.send(&wrong);
        assert_eq!(client.answer(&json!(2)), refused);
        client.send(&create);
        assert_eq!(client.answer(&json!("new"))["code"], created["code"]);
    }
    // Message IDs of different accounts are independent.
    let bobs = act(1, 4, "1");
    pair.two.send(&bobs);
    assert_eq!(pair.two.answer(&json!(1))["v"], 5);
}

#[test]
fn an_id_that_was_used_long_ago_gets_its_first_answer_too() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let mut pair = server.pair(&json!({"game": "command-clash"}));
    let mut first = None;
    for turn in 0..60 {
        for number in [1, 2] {
            let ack = pair.act(number, "charge");
            if turn == 0 && number == 1 {
                first = Some(ack);
            }
        }
    }
    let first = first.expect("an answer");
    let id = first["id"].clone();
    for v in [3, pair.version(1)] {
        let again = pair.about("act", &json!({"id": id, "v": v, "move": "charge"}));
        pair.one.send(&again);
        assert_eq!(pair.one.answer(&id), first);
    }
    // The opponent does not notice anything.
    pair.two.send(&json!({"type": "ping"}));
    pair.two.until("pong");
    pair.act(2, "charge");
}

#[test]
fn every_code_is_provoked_by_a_test() {
    let tests = [
        include_str!("accounts.rs"),
        include_str!("frames.rs"),
        include_str!("limits.rs"),
        include_str!("refusals.rs"),
        include_str!("restart.rs"),
        include_str!("stalling.rs"),
    ];
    for code in crate::tables::codes() {
        let is_tested = tests.iter().any(|test| test.contains(&format!("\"{code}\"")));
        assert!(is_tested, "{code}");
    }
}
