//! Tests of the operator's commands while the server runs.

use serde_json::{Value, json};
use skirmish_server::Database;
use skirmish_server::admin::{Admin, AdminError, Closing, Who};

use crate::support::{TestServer, eventually};

fn admin(server: &TestServer) -> Admin {
    let database = Database::Folder(server.folder().to_owned());
    Admin::open(&database, server.games).expect("the database opens")
}

fn who(text: &str) -> Who {
    let Ok(who) = text.parse();
    who
}

#[test]
fn a_banned_account_is_disconnected_and_does_not_come_back() {
    let server = TestServer::start();
    let (mut eve, _) = server.member("Eve");
    let token = eve.token.clone().expect("a token");
    let admin = admin(&server);
    assert!(admin.is_running());
    let (account, devices) = admin.find(&who("eve")).expect("an account");
    assert_eq!((account.name.as_str(), devices), ("Eve", 1));
    admin.ban(&account, "spam").expect("banned");
    let closed = eve.closed();
    assert_eq!((closed.code.as_str(), closed.close), ("account", 1008), "{closed:?}");
    assert_eq!(closed.text, "This account has been banned from this server: spam");
    let mut again = server.connect();
    again.send(&json!({"type": "hello", "proto": 2, "client": "test", "token": token}));
    assert_eq!(again.closed().code, "account");
    assert!(admin.unban(&account).expect("changed"));
    server.back(&token);
}

#[test]
fn a_revoked_device_is_signed_out_and_others_stay() {
    let server = TestServer::start();
    let (mut laptop, recovery) = server.member("Eve");
    let mut phone = server.connect();
    phone.hello(&json!({"link": recovery}));
    let admin = admin(&server);
    let token = phone.token.clone().expect("a token");
    admin.revoke_token(&token).expect("revoked");
    assert_eq!(phone.closed().code, "token");
    laptop.send(&json!({"type": "lobby"}));
    laptop.until("lobby");
    let (account, devices) = admin.find(&who("Eve")).expect("an account");
    assert_eq!(devices, 1);
    assert_eq!(admin.revoke(&account).expect("revoked"), 1);
    let closed = laptop.closed();
    assert_eq!(closed.text, "The operator of this server has signed this device out.");
    let mut back = server.connect();
    back.hello(&json!({"link": recovery}));
}

#[test]
fn the_operator_closes_a_game_through_its_owner() {
    let server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    pair.act(1, "1");
    pair.act(2, "1");
    let admin = admin(&server);
    assert_eq!(admin.close(&pair.code).expect("closed"), Closing::Closed);
    for number in [1, 2] {
        let player = pair.player(number);
        let ended = player.event("end");
        assert_eq!(ended["end"]["result"], "*", "{ended}");
        // The room is closed directly after the end of its game.
        let closed = player.next();
        assert_eq!((&closed["type"], &closed["event"]), (&json!("ev"), &json!("closed")));
    }
    assert_eq!(admin.close(&pair.code).expect("an answer"), Closing::WasOver);
    assert!(admin.close("ZZZZZZ").is_err());
}

#[test]
fn a_game_that_the_operator_has_closed_stays_closed() {
    let mut server = TestServer::start();
    let closed = "The operator of this server has closed this game: there is no rematch. You can create \
                  another one.";
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    let mut solo = server.guest("Cleo");
    let code =
        solo.does(&json!({"type": "create", "game": "base-battle", "level": "novice"}))["code"]
            .clone();
    solo.send(&json!({"type": "join", "code": code}));
    solo.until("snap");
    let mut host = server.guest("Dan");
    let open = host.does(&json!({"type": "create", "game": "base-battle"}))["code"].clone();
    pair.act(1, "1");
    pair.act(2, "1");
    for code in [json!(pair.code), code.clone(), open.clone()] {
        let closing = admin(&server).close(code.as_str().expect("a code"));
        assert_eq!(closing.expect("closed"), Closing::Closed);
    }
    for number in [1, 2] {
        pair.player(number).event("closed");
    }
    solo.event("closed");
    let rematch = |code: &Value| json!({"type": "offer", "code": code, "what": "rematch"});
    for number in [1, 2] {
        let refused = pair.is_refused(number, "offer", &json!({"what": "rematch"}), "over");
        assert_eq!(refused["text"], closed);
    }
    assert_eq!(solo.is_refused(&rematch(&code), "over")["text"], closed);
    let refused = host.is_refused(&rematch(&open), "over");
    let before = "The game was closed before it began. You can create another one.";
    assert_eq!(refused["text"], before);
    assert_eq!(admin(&server).holdings().expect("counted").over, 3);
    // The result is the same after a restart.
    let token = pair.one.token.clone().expect("a token");
    server.stop();
    server.resume();
    let (mut ann, _) = server.back(&token);
    ann.send(&json!({"type": "join", "code": pair.code}));
    assert_eq!(ann.until("snap")["stage"], "closed");
    assert_eq!(ann.is_refused(&rematch(&json!(pair.code)), "over")["text"], closed);
}

#[test]
fn what_is_asked_of_a_stopped_server_is_done_when_it_starts() {
    let mut server = TestServer::start();
    let pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    server.stop();
    {
        let admin = admin(&server);
        assert!(!admin.is_running());
        assert_eq!(admin.close(&pair.code).expect("asked"), Closing::Later);
    }
    server.resume();
    let admin = admin(&server);
    while admin.close(&pair.code).expect("an answer") != Closing::WasOver {}
    assert_eq!(admin.holdings().expect("counted").over, 1);
}

#[test]
fn what_was_asked_of_a_server_before_it_was_started_is_not_done_again() {
    let mut server = TestServer::start();
    let (mut eve, _) = server.member("Eve");
    let count = |server: &TestServer, event: &str| {
        server.log().iter().filter(|line| line.contains(event)).count()
    };
    let (account, _) = admin(&server).find(&who("Eve")).expect("an account");
    assert_eq!(admin(&server).revoke(&account).expect("revoked"), 1);
    assert_eq!(eve.closed().code, "token");
    server.stop();
    server.resume();
    admin(&server).rename(&account, "Eva").expect("renamed");
    eventually("the account is renamed", || count(&server, "account_renamed") > 0);
    assert_eq!(count(&server, "devices_revoked"), 1, "{:?}", server.log());
}

/// Clients send the guest's chosen name whenever they connect.
#[test]
fn a_guest_keeps_the_name_that_the_operator_gives() {
    let server = TestServer::start();
    let mut eve = server.guest("Eve");
    eve.does(&json!({"type": "create", "game": "base-battle"}));
    let token = eve.token.clone().expect("a token");
    let admin = admin(&server);
    let (account, _) = admin.find(&who("#1")).expect("an account");
    admin.rename(&account, "Guest 7").expect("renamed");
    for _ in 0..2 {
        let welcome = server.connect().hello(&json!({"token": token, "name": "Eve"}));
        assert_eq!(welcome["name"], "Guest 7");
    }
}

#[test]
fn a_name_that_looks_like_a_number_or_a_seat_is_nobodys() {
    let server = TestServer::start();
    let mut guest = server.guest("Ann");
    for name in ["#5", "ABC234/1"] {
        let refused = guest.is_refused(&json!({"type": "register", "name": name}), "name");
        let text = refused["text"].as_str().expect("a sentence");
        assert!(text.contains("looks like the number of an account"), "{text}");
    }
    let (_ann, _) = server.member("Ann");
    let admin = admin(&server);
    let (account, _) = admin.find(&who("Ann")).expect("an account");
    assert!(matches!(admin.rename(&account, "#5"), Err(AdminError::Name(_))));
    assert!(matches!(admin.ban(&account, "\u{1b}[31m"), Err(AdminError::Reason)));
    assert!(matches!(admin.ban(&account, &"x".repeat(201)), Err(AdminError::Reason)));
    admin.ban(&account, &"é".repeat(200)).expect("banned");
}

#[test]
fn a_new_name_is_used_from_the_next_game_on() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let (mut ann, _) = server.member("Ann");
    let admin = admin(&server);
    let (account, _) = admin.find(&who("Ann")).expect("an account");
    assert_eq!(admin.rename(&account, "Anna").expect("renamed"), "Anna");
    // The server notices the change within seconds.
    eventually("the new name is used", || {
        let created = ann.does(&json!({"type": "create", "game": "base-battle"}));
        let code = created["code"].as_str().expect("a code");
        ann.send(&json!({"type": "join", "code": code}));
        let snap = ann.until("snap");
        ann.send(&json!({"type": "leave", "code": code}));
        let text = snap.to_string();
        assert!(text.contains("Ann"), "{text}");
        text.contains("Anna")
    });
    assert_eq!(admin.find(&who(&format!("#{}", account.id))).expect("an account").0.name, "Anna");
}
