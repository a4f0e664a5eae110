//! Tests of guests, accounts, devices and ratings.

use serde_json::{Value, json};

use crate::support::{Client, Pair, TestServer, apart, with};

fn base_battle() -> Value {
    json!({"game": "base-battle", "first": "p1"})
}

fn token(client: &Client) -> String {
    client.token.clone().expect("a token")
}

#[test]
fn a_guest_gets_a_token_with_the_first_game_and_comes_back_with_it() {
    let server = TestServer::start();
    let mut pair = server.pair(&base_battle());
    let (one, two) = (token(&pair.one), token(&pair.two));
    assert!(one.len() == 32 && one != two, "128 bits as hexadecimal digits");
    pair.act(1, "1");
    let (mut back, welcome) = server.back(&two);
    assert_eq!(welcome["name"], "Bob");
    assert_eq!(welcome["games"], json!([pair.code]));
    assert_eq!(welcome.get("token"), None, "a known token is not repeated");
    back.does(&json!({"type": "join", "code": pair.code.to_lowercase(), "have": 2}));
    let snap = back.until("snap");
    assert_eq!((&snap["you"], &snap["v"]), (&json!(2), &json!(4)));
    assert_eq!(snap["turns"], json!([{"1": "1", "2": null}]));
    // Both connections belong to the same player.
    back.does(&json!({"type": "act", "code": pair.code, "v": 4, "move": "1"}));
    assert_eq!(pair.two.event("turn")["v"], 4);
    assert_eq!(pair.two.event("turn")["v"], 5);
}

#[test]
fn a_name_belongs_to_one_account() {
    let server = TestServer::start();
    let (mut ann, recovery) = server.member("Ann");
    assert_eq!(recovery.len(), 16);
    ann.is_refused(&json!({"type": "register", "name": "Anna"}), "account");
    // A client that missed the answer asks again, and gets another recovery code.
    ann.send(&json!({"type": "register", "id": "again", "name": "Ann"}));
    assert_ne!(ann.until("registered")["recovery"], recovery);
    let mut bob = server.guest("Bob");
    bob.is_refused(&json!({"type": "link"}), "account");
    for name in ["ann", " ANN ", "", "a\tb", "Аnn", "A\u{fe0f}nn", "Ann (guest)", "Administrator"]
    {
        bob.is_refused(&json!({"type": "register", "name": name}), "name");
    }
    // Guests cannot use an account's name, or the name of a computer player, either.
    for name in ["ANN", "Аnn", "Ann (guest)", "perfect computer"] {
        let mut eve = server.connect();
        eve.send(&json!({"type": "hello", "proto": 2, "client": "tests", "name": name}));
        assert_eq!(eve.next()["code"], "name", "{name}");
    }
    let (_, welcome) = server.back(&token(&ann));
    assert_eq!((&welcome["name"], &welcome["guest"]), (&json!("Ann"), &json!(false)));
    // An account keeps its name, whatever name the next device sends; a guest can change its name.
    let mut again = server.connect();
    assert_eq!(again.hello(&json!({"token": token(&ann), "name": "Eve"}))["name"], "Ann");
    bob.does(&json!({"type": "create", "game": "base-battle"}));
    let mut again = server.connect();
    assert_eq!(again.hello(&json!({"token": token(&bob), "name": "Rob"}))["name"], "Rob");
}

/// Requests a link code for an account.
fn link(client: &mut Client) -> String {
    client.send(&json!({"type": "link", "id": "l"}));
    let link = client.until("link");
    assert_eq!(link["seconds"], 600);
    link["link"].as_str().expect("a code").to_owned()
}

#[test]
fn a_link_code_joins_a_second_device_once() {
    let server = TestServer::start();
    let (mut phone, _) = server.member("Ann");
    let old = link(&mut phone);
    let code = link(&mut phone);
    let mut laptop = server.connect();
    laptop.send(&json!({"type": "hello", "proto": 2, "client": "tests", "link": old}));
    assert_eq!(laptop.next()["code"], "token", "a new code replaces it");
    let typed = format!(" {}-{} ", &code[..4].to_lowercase(), &code[4..]);
    let welcome = laptop.hello(&json!({"link": typed}));
    assert_eq!((&welcome["name"], &welcome["guest"]), (&json!("Ann"), &json!(false)));
    assert_ne!(token(&laptop), token(&phone));
    let (_, welcome) = server.back(&token(&laptop));
    assert_eq!(welcome["name"], "Ann");
    let mut other = server.connect();
    other.send(&json!({"type": "hello", "proto": 2, "client": "tests", "link": code}));
    assert_eq!(other.next()["code"], "token", "a link code works only once");
}

#[test]
fn a_recovery_code_works_again_and_again() {
    let server = TestServer::start();
    let (ann, recovery) = server.member("Ann");
    drop(ann);
    for _ in 0..2 {
        let mut new = server.connect();
        assert_eq!(new.hello(&json!({"link": recovery}))["name"], "Ann");
    }
}

#[test]
fn a_guests_games_become_the_accounts() {
    let server = TestServer::start();
    let (mut phone, _) = server.member("Ann");
    // On the laptop, Ann is a guest: one of her games is over, another is in progress.
    let mut over = Pair::new(server.guest("Laptop"), server.guest("Bob"), &base_battle());
    over.act(1, "1");
    over.act(2, "1");
    over.does(2, "resign", &json!({}));
    over.settle();
    let Pair { one: laptop, two: bob, .. } = over;
    let mut live = Pair::new(laptop, bob, &base_battle());
    let guest = token(&live.one);
    // Ann watches the laptop's game on the phone.
    phone.does(&json!({"type": "join", "code": live.code, "watch": true}));
    assert!(phone.until("snap")["you"].is_null());
    let code = link(&mut phone);
    let mut merged = server.connect();
    let welcome = merged.hello(&json!({"token": guest, "link": code}));
    assert_eq!(welcome["name"], "Ann");
    assert_eq!(welcome["games"], json!([live.code]));
    assert_eq!(phone.until("snap")["you"], 1, "the phone is told immediately");
    merged.send(&json!({"type": "history"}));
    assert_eq!(merged.until("history")["games"].as_array().expect("games").len(), 1);
    // The seat belongs to the account immediately, although the game is in memory and the opponent is connected.
    merged.does(&json!({"type": "join", "code": live.code}));
    assert_eq!(merged.until("snap")["you"], 1);
    merged.does(&json!({"type": "act", "code": live.code, "v": 3, "move": "1"}));
    assert_eq!(live.two.event("turn")["v"], 4);
    // The guest's old token now belongs to the account, too.
    let (mut old, welcome) = server.back(&guest);
    assert_eq!(welcome["name"], "Ann");
    old.does(&json!({"type": "join", "code": live.code}));
    assert_eq!(old.until("snap")["you"], 1);
}

#[test]
fn rated_games_change_both_ratings() {
    let server = TestServer::with(apart());
    let ((ann, _), (bob, _)) = (server.member("Ann"), server.member("Bob"));
    let mut pair = Pair::new(ann, bob, &json!({"game": "capture-the-line", "rated": true}));
    for game in 0..16 {
        // In a rematch, the players swap seats, and Player 1 starts. Ann wins three games out of four.
        let (first, second) = if game % 2 == 0 { (1, 2) } else { (2, 1) };
        pair.act(first, "1");
        pair.act(second, "1");
        pair.does(if game % 4 == 3 { 1 } else { 2 }, "resign", &json!({}));
        pair.does(1, "offer", &json!({"what": "rematch"}));
        pair.does(2, "answer", &json!({"what": "rematch", "yes": true}));
    }
    pair.settle();
    pair.one.send(&json!({"type": "history"}));
    let anns = pair.one.until("history")["games"].clone();
    pair.two.send(&json!({"type": "history"}));
    let bobs = pair.two.until("history")["games"].clone();
    let rating = |games: &Value, index: usize| games[index]["rating"].as_i64().expect("a rating");
    let first = anns.as_array().expect("games").len() - 1;
    assert_eq!((rating(&anns, first), rating(&bobs, first)), (1662, 1338));
    assert!(rating(&anns, 0) > 1500 && rating(&bobs, 0) < 1500);
    assert_eq!(anns[first]["result"], "1-0");
    assert_eq!(anns[first]["termination"], "resigned");

    pair.one.send(&json!({"type": "leaders", "game": "capture-the-line"}));
    let leaders = pair.one.until("leaders");
    assert_eq!(leaders["players"], json!([]), "a single opponent is not enough");
    pair.one.send(&json!({"type": "leaders", "game": "chess"}));
    assert_eq!(pair.one.until("leaders")["players"], json!([]));

    // The next opponent sees the rating.
    let created =
        pair.one.does(&json!({"type": "create", "game": "capture-the-line", "seat": "p1"}));
    let mut cat = server.guest("Cat");
    cat.does(&json!({"type": "join", "code": created["code"]}));
    let players = &cat.until("snap")["players"];
    assert_eq!(players["1"]["rating"], rating(&anns, 0));
    assert_eq!(players["1"]["provisional"], true);
    assert_eq!(players["2"].get("rating"), None, "a guest has none");
}

#[test]
fn only_usual_games_between_accounts_are_rated() {
    let server = TestServer::start();
    let rated = json!({"type": "create", "game": "base-battle", "rated": true});
    let mut guest = server.guest("Bob");
    guest.is_refused(&rated, "account");
    guest.is_refused(&with(&rated, &json!({"type": "seek"})), "account");
    let (mut ann, _) = server.member("Ann");
    for fields in [
        json!({"rules": {"positions": 9}}),
        json!({"hints": true}),
        json!({"level": "novice"}),
        json!({"max_turns": 9}),
        json!({"first": "p1"}),
    ] {
        let refused = ann.is_refused(&with(&rated, &fields), "terms");
        assert!(refused["text"].as_str().expect("a text").contains("can be rated"), "{refused}");
    }
    // A guest cannot take the other seat of a rated game either. The seat stays free for an account.
    let code = ann.does(&rated)["code"].clone();
    let refused = guest.is_refused(&json!({"type": "join", "code": code}), "account");
    assert!(refused["text"].as_str().expect("a text").contains("register a name"), "{refused}");
    let (mut cat, _) = server.member("Cat");
    cat.does(&json!({"type": "join", "code": code}));
    assert_eq!(cat.until("snap")["stage"], "playing");
    // An unrated game does not create a rating.
    let mut pair = Pair::new(ann, guest, &base_battle());
    pair.act(1, "1");
    pair.act(2, "1");
    pair.does(2, "resign", &json!({}));
    pair.settle();
    pair.one.send(&json!({"type": "history"}));
    let history = pair.one.until("history");
    assert_eq!(history["games"][0]["result"], "1-0");
    assert_eq!(history["games"][0].get("rating"), None);
}

#[test]
fn seekers_of_the_same_game_meet() {
    let server = TestServer::start();
    let (mut ann, mut bob, mut cat) =
        (server.guest("Ann"), server.guest("Bob"), server.guest("Cat"));
    let seek = json!({"type": "seek", "game": "base-battle", "clock": "5+3"});
    let code = ann.does(&seek)["code"].clone();
    assert_eq!(ann.until("snap")["stage"], "open");
    cat.send(&json!({"type": "lobby"}));
    let lobby = cat.until("lobby");
    assert_eq!(lobby["open"][0]["code"], code);
    assert_ne!(cat.does(&with(&seek, &json!({"clock": "1+0"})))["code"], code, "another clock");
    assert_eq!(bob.does(&seek)["code"], code);
    assert_eq!(ann.until("snap")["stage"], "playing");
    bob.send(&json!({"type": "lobby"}));
    let lobby = bob.until("lobby");
    assert_eq!(lobby["live"][0]["code"], code);
    assert_eq!(lobby["yours"][0]["code"], code);
    assert!(lobby["open"].as_array().expect("games").iter().all(|game| game["code"] != code));
}

#[test]
fn one_of_two_who_seek_at_once_gets_the_game_and_the_other_waits() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let (mut ann, mut bob, mut cat) =
        (server.guest("Ann"), server.guest("Bob"), server.guest("Cat"));
    for round in 1..=20 {
        // Seek a different game in each round.
        let seek = json!({"type": "seek", "game": "base-battle", "max_turns": round});
        let code = ann.does(&seek)["code"].clone();
        let found = std::thread::scope(|scope| {
            let rivals =
                [&mut bob, &mut cat].map(|rival| scope.spawn(|| rival.does(&seek)["code"].clone()));
            rivals.map(|rival| rival.join().expect("an answer"))
        });
        let winners = found.iter().filter(|&found| *found == code).count();
        assert_eq!(winners, 1, "{found:?} instead of {code}");
        // The losing seeker's game is listed, and the next seeker finds it.
        let waiting = found.iter().find(|&found| *found != code).expect("somebody waits");
        ann.send(&json!({"type": "lobby"}));
        let lobby = ann.until("lobby");
        assert_eq!(lobby["open"].as_array().map(Vec::len), Some(1), "{lobby}");
        assert_eq!(lobby["open"][0]["code"], *waiting);
        assert_eq!(ann.does(&seek)["code"], *waiting);
    }
}

/// The second copy used to be carried out too if it arrived before the first one was acknowledged.
#[test]
fn a_message_sent_on_two_connections_at_once_leads_to_one_game() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let (ann, _) = server.member("Ann");
    let token = token(&ann);
    let mut connections = [server.back(&token).0, server.back(&token).0];
    let mut bob = server.guest("Bob");
    for round in 1..=15 {
        // Seek a different game in each round.
        let terms = json!({"game": "base-battle", "max_turns": round});
        let mut send_twice = |kind: &str, id: String| {
            let message = with(&terms, &json!({"type": kind, "id": id}));
            for connection in &mut connections {
                connection.send(&message);
            }
            let answers = connections.each_mut().map(|it| it.answer(&message["id"]));
            assert_eq!(answers.each_ref().map(|answer| &answer["type"]), ["ack"; 2], "{answers:?}");
            let [first, second] = answers.map(|answer| answer["code"].clone());
            assert_eq!(first, second, "round {round}: {kind}");
            first
        };
        send_twice("create", format!("create-{round}"));
        send_twice("seek", format!("offer-{round}"));
        let offered = bob.does(&with(&terms, &json!({"type": "create", "public": true})));
        // Another game on the same terms must not be found by the copy.
        bob.does(&with(&terms, &json!({"type": "create", "public": true})));
        assert_eq!(send_twice("seek", format!("find-{round}")), offered["code"]);
    }
}

#[test]
fn a_board_is_listed_in_one_form_and_once_however_it_is_written() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let (mut ann, mut bob) = (server.guest("Ann"), server.guest("Bob"));
    let spellings = [
        json!({"game": "base-battle"}),
        json!({"game": "base-battle"}),
        json!({"game": "BASE-BATTLE", "rules": {}}),
        json!({"game": "base-battle", "rules": {"positions": 11}}),
        json!({"game": "base-battle", "rules": {"positions": "11"}}),
    ];
    let mut codes = Vec::new();
    for terms in &spellings {
        let create = with(&json!({"type": "create", "public": true}), terms);
        codes.push(ann.does(&create)["code"].clone());
    }
    bob.send(&json!({"type": "lobby"}));
    let lobby = bob.until("lobby");
    let open = lobby["open"].as_array().expect("games");
    assert_eq!(open.len(), 1, "{lobby}");
    assert_eq!(open[0]["code"], codes[codes.len() - 1], "the newest");
    assert_eq!(open[0]["terms"]["game"], "base-battle");
    assert_eq!(open[0]["terms"].get("rules"), None, "{lobby}");
    // A seeker finds all of them, however the terms are spelled.
    for (terms, code) in spellings.iter().rev().zip(&codes) {
        assert_eq!(bob.does(&with(&json!({"type": "seek"}), terms))["code"], *code);
    }
}
