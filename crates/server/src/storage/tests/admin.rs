//! Changes by the operator.

use super::*;
use crate::storage::backend::Backend;
use crate::storage::{Notice, Order, Pruned, Redeemed, RoomStage};

on_both!(
    a_renamed_account_keeps_its_kind_and_its_name_is_its_own,
    a_banned_account_is_known_by_its_reason,
    a_revoked_token_signs_nobody_in,
    a_game_is_asked_to_be_closed_until_it_is_over,
    only_games_that_guests_have_abandoned_are_pruned,
    servers_that_share_a_database_are_listed_by_name,
);

fn orders(notices: Vec<Notice>) -> Vec<Order> {
    notices.into_iter().map(|notice| notice.order).collect()
}

async fn a_renamed_account_keeps_its_kind_and_its_name_is_its_own(home: Home) {
    let storage = home.open();
    let (ann, bob) = (registered(&storage, "Ann").await, registered(&storage, "Bob").await);
    let eve = guest(&storage, "Eve").await;
    let taken = storage.rename(bob.id, "ANN").await.expect("an answer");
    assert!(taken.is_err(), "another account has the name");
    storage.rename(ann.id, "Anna").await.expect("an answer").expect("a free name");
    storage.rename(eve.id, "Eva").await.expect("an answer").expect("a free name");
    assert_eq!(storage.rename_guest(eve.id, "Eve").await.expect("an answer"), "Eva");
    assert_eq!(storage.member("anna").await.expect("read").expect("an account").id, ann.id);
    assert_eq!(storage.member("Ann").await.expect("read"), None);
    let eva = storage.account(eve.id).await.expect("read").expect("an account");
    assert_eq!((eva.name.as_str(), eva.registered), ("Eva", false));
    let notices = orders(storage.notices().await.expect("read"));
    assert_eq!(notices, [Order::Rename(ann.id), Order::Rename(eve.id)]);
}

async fn a_banned_account_is_known_by_its_reason(home: Home) {
    let storage = home.open();
    let token = Secret::token();
    let eve = storage.create_guest("Eve", &token, NOW).await.expect("a guest");
    storage.ban(eve.id, "").await.expect("banned");
    storage.ban(eve.id, "spam").await.expect("banned again");
    let signed_in = async || storage.sign_in(&token).await.expect("read").expect("an account").0;
    assert_eq!(signed_in().await.ban.as_deref(), Some("spam"));
    assert_eq!(storage.holdings().await.expect("read").banned, 1);
    assert!(storage.unban(eve.id).await.expect("changed"));
    assert!(!storage.unban(eve.id).await.expect("changed"), "it is not banned any more");
    assert_eq!(signed_in().await.ban, None);
}

async fn a_revoked_token_signs_nobody_in(home: Home) {
    let storage = home.open();
    let (laptop, phone, link) = (Secret::token(), Secret::token(), Secret::link());
    let eve = storage.create_guest("Eve", &laptop, NOW).await.expect("a guest");
    storage.create_link(eve.id, &link, NOW).await.expect("a link");
    let redeem = async || storage.redeem(&link, &phone, None, NOW).await.expect("read");
    assert_eq!(redeem().await, Redeemed::Account(eve.clone()));
    assert_eq!(storage.devices(eve.id).await.expect("read"), 2);
    let revoked = storage.revoke_token(&laptop).await.expect("changed").expect("an account");
    assert_eq!(revoked.id, eve.id);
    assert!(storage.revoke_token(&laptop).await.expect("changed").is_none());
    assert!(storage.sign_in(&laptop).await.expect("read").is_none());
    assert!(storage.sign_in(&phone).await.expect("read").is_some());
    storage.create_link(eve.id, &link, NOW).await.expect("a link");
    assert_eq!(storage.revoke(eve.id).await.expect("changed"), 1);
    assert!(storage.sign_in(&phone).await.expect("read").is_none());
    assert_eq!(redeem().await, Redeemed::Invalid);
    let notices = orders(storage.notices().await.expect("read"));
    let one = Order::Revoke(eve.id, Some(laptop.credential()));
    assert_eq!(notices, [one, Order::Revoke(eve.id, None)]);
}

async fn a_game_is_asked_to_be_closed_until_it_is_over(home: Home) {
    let storage = home.open();
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("a room");
    assert_eq!(storage.ask_to_close("GHJKMN").await.expect("read"), None);
    let stage = storage.ask_to_close("ABCDEF").await.expect("asked");
    assert_eq!(stage, Some(RoomStage::Playing));
    let asked = [Order::Close("ABCDEF".to_owned())];
    let left = async || {
        storage.clear_notices().await.expect("cleared");
        orders(storage.notices().await.expect("read"))
    };
    let age = async |backend: &Backend| {
        backend.execute("UPDATE notice SET at = at - 11000", vec![]).await.map(drop)
    };
    storage.0.writer.run(age).await.expect("aged");
    assert_eq!(left().await, asked);
    storage.ask_to_close("ABCDEF").await.expect("asked again");
    append(&storage, "ABCDEF", 3, vec![logged(None, RoomEvent::Closed)]).await.expect("closed");
    assert_eq!(storage.stage("ABCDEF").await.expect("read"), Some(RoomStage::Over));
    // Other nodes may not have read the newest requests yet.
    assert_eq!(left().await, asked);
    storage.0.writer.run(age).await.expect("aged");
    assert_eq!(left().await, []);
}

async fn only_games_that_guests_have_abandoned_are_pruned(home: Home) {
    let storage = home.open();
    let (eve, zoe) = (guest(&storage, "Eve").await, guest(&storage, "Zoe").await);
    let ann = registered(&storage, "Ann").await;
    append(&storage, "GUESTS", 0, room("GUESTS", eve.id, zoe.id)).await.expect("a room");
    append(&storage, "MEMBER", 0, room("MEMBER", eve.id, ann.id)).await.expect("a room");
    append(&storage, "CLOSED", 0, room("CLOSED", eve.id, zoe.id)).await.expect("a room");
    append(&storage, "CLOSED", 3, vec![logged(None, RoomEvent::Closed)]).await.expect("closed");
    append(&storage, "PLAYED", 0, room("PLAYED", eve.id, zoe.id)).await.expect("a room");
    let late = |event| Logged { at: NOW + 5, ..logged(None, event) };
    let choice = RoomEvent::Chose { side: Side::One, text: "1".to_owned(), lag: 0 };
    append(&storage, "PLAYED", 3, vec![late(choice)]).await.expect("a move");
    // A restart of the server is not a player's action.
    let restarted = vec![late(RoomEvent::Paused), late(RoomEvent::Resumed)];
    append(&storage, "GUESTS", 3, restarted).await.expect("a restart");

    assert_eq!(storage.prune(NOW, true).await.expect("counted"), Pruned::default());
    let expected = Pruned { rooms: 1, events: 5 };
    assert_eq!(storage.prune(NOW + 1, true).await.expect("counted"), expected);
    assert!(storage.exists("GUESTS").await.expect("read"), "it was only counted");
    assert_eq!(storage.prune(NOW + 1, false).await.expect("pruned"), expected);
    assert_eq!(storage.prune(NOW + 1, false).await.expect("pruned"), Pruned::default());
    for (code, is_there) in
        [("GUESTS", false), ("MEMBER", true), ("CLOSED", true), ("PLAYED", true)]
    {
        assert_eq!(storage.exists(code).await.expect("read"), is_there, "{code}");
    }
    assert_eq!(storage.version("GUESTS").await.expect("read"), 0);
    let notices = orders(storage.notices().await.expect("read"));
    assert_eq!(notices, [Order::Forget(vec!["GUESTS".to_owned()])]);
}

async fn servers_that_share_a_database_are_listed_by_name(home: Home) {
    let is_shared = matches!(home, Home::Schema(_));
    let storage = home.open();
    let now = storage.now().await.expect("a time");
    for name in ["two", "one", "three"] {
        storage.join(name, now).await.expect("a node");
    }
    let holdings = storage.holdings().await.expect("read");
    let expected: &[&str] = if is_shared { &["one", "three", "two"] } else { &[] };
    assert_eq!(holdings.nodes, expected);
}
