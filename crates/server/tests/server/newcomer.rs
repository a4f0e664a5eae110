//! Tests that a server knows only the games it is started with, by playing a game that exists only in the tests.

use serde_json::json;
use skirmish_rules::alternatives;

use crate::api::answer;
use crate::http::record;
use crate::restart::{back, restarts};
use crate::sixth::SIX_GAMES;
use crate::support::{Pair, TestServer, with};

#[test]
fn a_game_goes_on_after_a_restart_and_is_reviewed() {
    let mut server = TestServer::with_games(SIX_GAMES);
    let mut pair = server.pair(&json!({"game": "last", "rules": {"stones": 5}, "first": "p1"}));
    pair.act(1, "2");
    let Pair { code, mut one, mut two } = pair;
    server.stop();
    restarts(&mut one);
    restarts(&mut two);

    server.resume();
    let (one, _) = back(&server, &one, &code);
    let (mut two, snap) = back(&server, &two, &code);
    let terms = &snap["terms"];
    assert_eq!((&terms["game"], &terms["rules"]), (&json!("last-stone"), &json!({"stones": 5})));
    assert_eq!(snap["turns"], json!([{"1": "2", "2": null}]));
    two.is_refused(&json!({"type": "act", "code": code, "v": snap["v"], "move": "3"}), "illegal");
    let mut pair = Pair { code, one, two };
    pair.act(2, "1");
    let mut cat = server.guest("Cat");
    cat.does(&json!({"type": "join", "code": pair.code, "watch": true}));
    assert_eq!(cat.until("snap")["turns"].as_array().map(Vec::len), Some(2));
    pair.act(1, "2");
    let last = cat.event("turn");
    assert_eq!(last["told"][1]["text"], "Ann has taken the last stone and wins!", "{last}");

    let record = record(&server, &format!("/g/{}.skr", pair.code));
    assert_eq!(record.entry.id, "last-stone");
    let review = answer(&server, &format!("review?code={}", pair.code));
    assert_eq!(review["boards"], json!(["0/0/1", "2/0/2", "2/1/1", "4/1/2"]));
    assert_eq!(review["review"]["choices"].as_array().map(Vec::len), Some(3));
    pair.settle();
    pair.one.send(&json!({"type": "history"}));
    assert_eq!(pair.one.until("history")["games"][0]["game"], "last-stone");
}

#[test]
fn two_seekers_are_paired_and_rated() {
    let server = TestServer::with_games(SIX_GAMES);
    let ((mut ann, _), (mut bob, _)) = (server.member("Ann"), server.member("Bob"));
    let seek = json!({"type": "seek", "rated": true});
    let found = ann.does(&with(&seek, &json!({"game": "Last Stone"})))["code"].clone();
    let same = json!({"game": "last", "rules": {"stones": "7"}});
    assert_eq!(bob.does(&with(&seek, &same))["code"], found, "the same terms, spelled differently");
    let snap = bob.until("snap");
    let (one, two) = if snap["you"] == 1 { (bob, ann) } else { (ann, bob) };
    let code = found.as_str().expect("a code").to_owned();
    let mut pair = Pair { code, one, two };
    let first = snap["first"].as_u64().expect("a side");
    for (turn, choice) in ["2", "2", "2", "1"].into_iter().enumerate() {
        pair.act(if turn % 2 == 0 { first } else { 3 - first }, choice);
    }
    pair.settle();
    // The player who starts takes the last stone but one, and so loses.
    let mut rating = |number: u64| {
        let player = pair.player(number);
        player.send(&json!({"type": "history"}));
        player.until("history")["games"][0]["rating"].clone()
    };
    assert_eq!((rating(first), rating(3 - first)), (json!(1338), json!(1662)));
}

#[test]
fn the_computer_plays_it_and_a_wrong_name_is_answered_with_all_games() {
    let server = TestServer::with_games(SIX_GAMES);
    let mut ann = server.guest("Ann");
    let create = json!({"type": "create", "seat": "p1", "first": "p1", "level": "perfect"});
    let created = ann.does(&with(&create, &json!({"game": "last-stone"})));
    let snap = ann.until("snap");
    assert_eq!(snap["stage"], "playing");
    // The computer leaves a multiple of three stones.
    ann.does(&json!({"type": "act", "code": created["code"], "v": snap["v"], "move": "2"}));
    assert_eq!(ann.event("turn")["turns"], json!([{"1": "2", "2": null}]));
    assert_eq!(ann.event("turn")["turns"], json!([{"1": null, "2": "2"}]));
    let refused = ann.is_refused(&with(&create, &json!({"game": "first-stone"})), "terms");
    let text = refused["text"].as_str().expect("a text");
    let games = alternatives(SIX_GAMES.iter().map(|entry| entry.id));
    assert!(text.ends_with(&format!("{games}.")), "{text}");
}
