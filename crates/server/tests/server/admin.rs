//! What the operator does while the server runs.

use serde_json::json;
use skirmish_server::Database;
use skirmish_server::admin::{Admin, Closing, Who};

use crate::support::TestServer;

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
    again.send(&json!({"type": "hello", "proto": 1, "client": "test", "token": token}));
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
    let told = pair.one.until("rej");
    assert!(told["text"].as_str().is_some_and(|text| text.starts_with("The operator")), "{told}");
    let end = loop {
        let event = pair.one.until("ev");
        if let Some(end) = event.get("end").filter(|end| !end.is_null()) {
            break end.clone();
        }
    };
    assert_eq!(end["result"], "*", "{end}");
    assert_eq!(admin.close(&pair.code).expect("an answer"), Closing::WasOver);
    assert!(admin.close("ZZZZZZ").is_err());
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
fn a_new_name_is_used_from_the_next_game_on() {
    let server = TestServer::with(skirmish_server::Limits::none());
    let (mut ann, _) = server.member("Ann");
    let admin = admin(&server);
    let (account, _) = admin.find(&who("Ann")).expect("an account");
    assert_eq!(admin.rename(&account, "Anna").expect("renamed"), "Anna");
    // The server reads of it within seconds.
    loop {
        let created = ann.does(&json!({"type": "create", "game": "base-battle"}));
        let code = created["code"].as_str().expect("a code");
        ann.send(&json!({"type": "join", "code": code}));
        let snap = ann.until("snap");
        let text = snap.to_string();
        assert!(text.contains("Ann"), "{text}");
        if text.contains("Anna") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(admin.find(&who(&format!("#{}", account.id))).expect("an account").0.name, "Anna");
}
