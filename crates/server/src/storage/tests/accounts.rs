//! Guests, registration, link codes, recovery and merging.

use skirmish_room::FinishedGame;
use skirmish_room::wire::{Offer, Phrase};

use super::super::{LINK_SECONDS, NameTaken, Redeemed, RoomStage};
use super::games::finished;
use super::*;

on_both![
    a_token_leads_to_its_account,
    registered_names_are_unique_however_they_are_written,
    a_link_code_works_once_and_for_ten_minutes,
    merging_a_guest_keeps_seats_games_and_tokens,
    a_guest_of_a_guest_ends_up_in_the_account,
    registered_accounts_are_not_merged,
    nobody_gets_both_seats_by_merging,
    a_guest_is_not_merged_into_an_account_they_are_playing,
    no_seat_is_orphaned_when_somebody_sits_down_while_a_guest_is_merged,
    a_rematch_against_the_account_is_declined_when_a_guest_is_merged,
    guests_who_played_each_other_keep_one_seat_each_in_whatever_order_they_are_merged,
];

const LINK_MILLIS: u64 = LINK_SECONDS as u64 * 1000;

fn seats(one: AccountId, two: AccountId) -> Both<Option<AccountId>> {
    Both::new(Some(one), Some(two))
}

fn playing(accounts: Both<Option<AccountId>>) -> RoomIndex {
    RoomIndex { stage: RoomStage::Playing, public: false, watchable: true, accounts }
}

/// Finishes the only game of a room.
async fn finish(storage: &Storage, code: &str, accounts: Both<Option<AccountId>>) {
    let game = FinishedGame { is_last: true, ..finished(code, 1, accounts) };
    storage.finish(game).await.expect("finished");
}

async fn account_of(storage: &Storage, token: &Secret) -> Option<Account> {
    storage.sign_in(token).await.expect("a database").map(|(account, _)| account)
}

async fn a_token_leads_to_its_account(home: Home) {
    let storage = home.open();
    let token = Secret::token();
    let ada = storage.create_guest("Ada", &token, NOW).await.expect("a guest");
    let bob = guest(&storage, "Bob").await;
    assert_ne!(ada.id, bob.id);
    assert!(!ada.registered);
    let found = account_of(&storage, &Secret::parse(token.text())).await;
    assert_eq!(found, Some(ada.clone()));
    assert_eq!(account_of(&storage, &Secret::token()).await, None);
    storage.rename_guest(ada.id, "Ada L.").await.expect("renamed");
    drop(storage);
    let found = account_of(&home.open(), &token).await.expect("an account");
    assert_eq!((found.id, &*found.name), (ada.id, "Ada L."));
}

async fn registered_names_are_unique_however_they_are_written(home: Home) {
    let storage = home.open();
    let zoe = guest(&storage, "guest").await;
    let other = guest(&storage, "guest").await;
    let recovery = Secret::recovery();
    let account = storage.register(zoe.id, "Zoë", &recovery).await.expect("stored");
    assert_eq!(
        account,
        Ok(Account { id: zoe.id, name: "Zoë".to_owned(), registered: true, ban: None })
    );
    for alike in ["ZOË", "Zoe\u{308}", "Ｚｏë", "Zоë"] {
        let taken = storage.register(other.id, alike, &Secret::recovery()).await.expect("stored");
        assert_eq!(taken, Err(NameTaken), "{alike}");
        let taken = storage.rename(other.id, alike).await.expect("stored");
        assert_eq!(taken, Err(NameTaken), "{alike}");
        assert!(storage.is_taken(alike).await.expect("read"), "{alike}");
    }
    // A guest may take any name; a registered account keeps its name.
    storage.rename_guest(other.id, "Zoë").await.expect("renamed");
    storage.rename_guest(zoe.id, "Max").await.expect("ignored");
    // Registering again creates a new recovery code.
    let again = Secret::recovery();
    let account = storage.register(zoe.id, "ZOË", &again).await.expect("stored").expect("free");
    assert_eq!(account.name, "ZOË");
    let redeem = |code: Secret| {
        let storage = storage.clone();
        async move { storage.redeem(&code, &Secret::token(), None, NOW).await.expect("redeemed") }
    };
    assert_eq!(redeem(recovery).await, Redeemed::Invalid);
    assert_eq!(redeem(again.clone()).await, Redeemed::Account(account.clone()));
    assert_eq!(redeem(again).await, Redeemed::Account(account), "a recovery code is not used up");
    let nobody = storage.register(999, "Nobody", &Secret::recovery()).await;
    assert!(nobody.is_err(), "{nobody:?}");
}

async fn a_link_code_works_once_and_for_ten_minutes(home: Home) {
    let storage = home.open();
    let ada = guest(&storage, "Ada").await;
    let redeem = async |code: &Secret, now| {
        let token = Secret::token();
        let redeemed = storage.redeem(code, &token, None, now).await.expect("redeemed");
        let account = account_of(&storage, &token).await;
        assert_eq!(account.clone().map_or(Redeemed::Invalid, Redeemed::Account), redeemed);
        account
    };
    let code = Secret::link();
    storage.create_link(ada.id, &code, NOW).await.expect("a code");
    assert_eq!(redeem(&Secret::link(), NOW).await, None);
    assert_eq!(redeem(&code, NOW + LINK_MILLIS - 1).await, Some(ada.clone()));
    assert_eq!(redeem(&code, NOW + LINK_MILLIS - 1).await, None, "used up");
    storage.create_link(ada.id, &code, NOW).await.expect("a code");
    assert_eq!(redeem(&code, NOW + LINK_MILLIS).await, None, "expired");
    let newer = Secret::link();
    storage.create_link(ada.id, &code, NOW).await.expect("a code");
    storage.create_link(ada.id, &newer, NOW).await.expect("a code");
    assert_eq!(redeem(&code, NOW).await, None, "replaced");
    assert_eq!(redeem(&newer, NOW).await, Some(ada));
}

async fn merging_a_guest_keeps_seats_games_and_tokens(home: Home) {
    let storage = home.open();
    let ada = registered(&storage, "Ada").await;
    let bob = guest(&storage, "Bob").await;
    let phone = Secret::token();
    let visitor = storage.create_guest("Guest", &phone, NOW).await.expect("a guest");
    let mut events = room("ABCDEF", bob.id, visitor.id);
    events.extend([chose(bob.id, 1), chose(visitor.id, 1)]);
    append(&storage, "ABCDEF", 0, events).await.expect("appended");
    storage.index("ABCDEF", playing(seats(bob.id, visitor.id))).await.expect("indexed");
    storage
        .index("OLDONE", RoomIndex { stage: RoomStage::Over, ..playing(seats(bob.id, 77)) })
        .await
        .expect("over");
    storage.finish(finished("OLDONE", 1, seats(visitor.id, bob.id))).await.expect("finished");

    let code = Secret::link();
    storage.create_link(ada.id, &code, NOW).await.expect("a code");
    let token = Secret::token();
    let account = storage.redeem(&code, &token, Some(visitor.id), NOW).await.expect("redeemed");
    assert_eq!(account, Redeemed::Account(ada.clone()));

    for token in [&phone, &token] {
        assert_eq!(account_of(&storage, token).await, Some(ada.clone()));
    }
    for account in [ada.id, visitor.id] {
        assert_eq!(storage.rooms_of(account).await.expect("rooms"), ["ABCDEF"]);
        let history = storage.history(account).await.expect("a history");
        assert_eq!((history.len(), &*history[0].code, history[0].you), (1, "OLDONE", 1));
    }
    let mut expected = room("ABCDEF", bob.id, ada.id);
    let RoomEvent::Seated { person } = &mut expected[1].event else { panic!("seated") };
    person.name = format!("Player {}", visitor.id);
    expected.extend([chose(bob.id, 1), chose(ada.id, 1)]);
    assert_eq!(storage.log("ABCDEF").await.expect("a log"), expected);

    // A move appended in the meantime still names the guest.
    append(&storage, "ABCDEF", 5, vec![chose(visitor.id, 2)]).await.expect("appended");
    expected.push(chose(ada.id, 2));
    assert_eq!(storage.log("ABCDEF").await.expect("a log"), expected);
    storage.index("ABCDEF", playing(seats(bob.id, visitor.id))).await.expect("indexed");
    let rooms = unfinished(&storage).await;
    assert_eq!(rooms, [("ABCDEF".to_owned(), playing(seats(bob.id, ada.id)))]);
    storage.finish(finished("ABCDEF", 1, seats(bob.id, visitor.id))).await.expect("finished");
    assert_eq!(storage.history(ada.id).await.expect("a history").len(), 2);
}

async fn a_guest_of_a_guest_ends_up_in_the_account(home: Home) {
    let storage = home.open();
    let (first, second) = (guest(&storage, "First").await, guest(&storage, "Second").await);
    let ada = registered(&storage, "Ada").await;
    append(&storage, "ABCDEF", 0, room("ABCDEF", first.id, 77)).await.expect("appended");
    for (guest, into) in [(&first, &second), (&second, &ada)] {
        let code = Secret::link();
        storage.create_link(into.id, &code, NOW).await.expect("a code");
        let redeemed = storage.redeem(&code, &Secret::token(), Some(guest.id), NOW).await;
        assert_eq!(redeemed.expect("redeemed"), Redeemed::Account(into.clone()));
    }
    let log = storage.log("ABCDEF").await.expect("a log");
    let RoomEvent::Created { creator, .. } = &log[0].event else { panic!("created") };
    assert_eq!(creator.account, ada.id);
}

async fn registered_accounts_are_not_merged(home: Home) {
    let storage = home.open();
    let (ada, bob) = (registered(&storage, "Ada").await, registered(&storage, "Bob").await);
    storage.index("ABCDEF", playing(seats(bob.id, 77))).await.expect("indexed");
    for guest in [ada.id, bob.id] {
        let code = Secret::link();
        storage.create_link(ada.id, &code, NOW).await.expect("a code");
        let redeemed = storage.redeem(&code, &Secret::token(), Some(guest), NOW).await;
        assert_eq!(redeemed.expect("redeemed"), Redeemed::Account(ada.clone()));
    }
    assert_eq!(storage.rooms_of(bob.id).await.expect("rooms"), ["ABCDEF"]);
    assert!(storage.rooms_of(ada.id).await.expect("rooms").is_empty());
}

async fn a_guest_is_not_merged_into_an_account_they_are_playing(home: Home) {
    let storage = home.open();
    let (link, recovery) = (Secret::link(), Secret::recovery());
    let (ada, visitor) = (guest(&storage, "Ada").await, guest(&storage, "Guest").await);
    let ada = storage.register(ada.id, "Ada", &recovery).await.expect("stored").expect("free");
    storage.create_link(ada.id, &link, NOW).await.expect("a code");
    let redeem = async |code: &Secret, guest| {
        let token = Secret::token();
        let redeemed = storage.redeem(code, &token, Some(guest), NOW).await.expect("redeemed");
        let is_valid = account_of(&storage, &token).await.is_some();
        assert_eq!(is_valid, matches!(redeemed, Redeemed::Account(_)), "{redeemed:?}");
        redeemed
    };
    for (code, pair) in [("FIRST", (visitor.id, ada.id)), ("SECOND", (ada.id, visitor.id))] {
        let index = playing(seats(pair.0, pair.1));
        storage.index(code, index).await.expect("indexed");
        for secret in [&link, &recovery] {
            assert_eq!(redeem(secret, visitor.id).await, Redeemed::Playing(code.to_owned()));
        }
        assert_eq!(redeem(&Secret::link(), visitor.id).await, Redeemed::Invalid);
        assert_eq!(redeem(&recovery, ada.id).await, Redeemed::Account(ada.clone()));
        let over = RoomIndex { stage: RoomStage::Over, ..index };
        storage.index(code, over).await.expect("indexed");
    }
    assert_eq!(redeem(&link, visitor.id).await, Redeemed::Account(ada), "it was not used up");
}

/// The check and the merge were once separate transactions, between which either account could take a seat.
async fn no_seat_is_orphaned_when_somebody_sits_down_while_a_guest_is_merged(home: Home) {
    let storage = home.open();
    let node = home.share(&storage);
    for number in 0..25 {
        let ada = registered(&storage, &format!("Ada {number}")).await;
        let visitor = guest(&storage, "Guest").await;
        let link = Secret::link();
        storage.create_link(ada.id, &link, NOW).await.expect("a code");
        let pair = if number % 2 == 0 { (visitor.id, ada.id) } else { (ada.id, visitor.id) };
        let code = format!("ROOM{number}");
        let mut created = room(&code, pair.0, pair.1);
        let seated = created.split_off(1);
        append(&storage, &code, 0, created).await.expect("appended");
        let token = Secret::token();
        let (redeemed, sat) = tokio::join!(
            storage.redeem(&link, &token, Some(visitor.id), NOW),
            append(&node, &code, 1, seated),
        );
        match (redeemed.expect("redeemed"), sat) {
            (Redeemed::Playing(game), Ok(())) => assert_eq!(game, code),
            (Redeemed::Account(account), Err(StorageError::Conflict(_))) => {
                assert_eq!(account, ada);
                let open = RoomIndex {
                    stage: RoomStage::Open,
                    accounts: Both::new(Some(ada.id), None),
                    ..playing(Both::default())
                };
                let rooms = unfinished(&storage).await;
                assert!(rooms.contains(&(code, open)), "{rooms:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

async fn a_rematch_against_the_account_is_declined_when_a_guest_is_merged(home: Home) {
    let storage = home.open();
    let ada = registered(&storage, "Ada").await;
    let visitor = guest(&storage, "Guest").await;
    let offered = |side| logged(None, RoomEvent::Offered { side, what: Offer::Rematch });
    let answered = |side| {
        let event = RoomEvent::Answered { side, what: Offer::Rematch, yes: false };
        Logged { at: NOW + 1, ..logged(None, event) }
    };
    for (code, side) in [("FIRST", Side::One), ("SECOND", Side::Two)] {
        let mut events = room(code, visitor.id, ada.id);
        let said = logged(None, RoomEvent::Said { side, phrase: Phrase::Thanks });
        events.extend([offered(side), said]);
        append(&storage, code, 0, events).await.expect("appended");
        finish(&storage, code, seats(visitor.id, ada.id)).await;
    }
    let link = Secret::link();
    storage.create_link(ada.id, &link, NOW).await.expect("a code");
    let redeemed = storage.redeem(&link, &Secret::token(), Some(visitor.id), NOW + 1).await;
    assert_eq!(redeemed.expect("redeemed"), Redeemed::Account(ada));
    for (code, side) in [("FIRST", Side::Two), ("SECOND", Side::One)] {
        let log = storage.log(code).await.expect("a log");
        assert_eq!(log[5..], [answered(side)], "{code}");
    }
}

async fn nobody_gets_both_seats_by_merging(home: Home) {
    let storage = home.open();
    let ada = registered(&storage, "Ada").await;
    let visitor = guest(&storage, "Guest").await;
    for (code, pair) in [("FIRST", (visitor.id, ada.id)), ("SECOND", (ada.id, visitor.id))] {
        append(&storage, code, 0, room(code, pair.0, pair.1)).await.expect("appended");
        finish(&storage, code, seats(pair.0, pair.1)).await;
    }
    let code = Secret::link();
    storage.create_link(ada.id, &code, NOW).await.expect("a code");
    let redeemed = storage.redeem(&code, &Secret::token(), Some(visitor.id), NOW).await;
    assert_eq!(redeemed.expect("redeemed"), Redeemed::Account(ada.clone()));
    for (code, pair) in [("FIRST", (visitor.id, ada.id)), ("SECOND", (ada.id, visitor.id))] {
        assert_eq!(storage.log(code).await.expect("a log"), room(code, pair.0, pair.1));
        storage.index(code, playing(seats(pair.0, pair.1))).await.expect("indexed");
        let rooms = unfinished(&storage).await;
        let seated = (code.to_owned(), playing(seats(pair.0, pair.1)));
        assert!(rooms.contains(&seated), "{rooms:?}");
    }
    let history = storage.history(ada.id).await.expect("a history");
    assert_eq!(history.iter().map(|game| game.you).collect::<Vec<_>>(), [1, 2]);
}

async fn guests_who_played_each_other_keep_one_seat_each_in_whatever_order_they_are_merged(
    home: Home,
) {
    let storage = home.open();
    for (code, is_first_merged) in [("FIRST", true), ("SECOND", false)] {
        let ada = registered(&storage, &format!("Ada {code}")).await;
        let (one, two) = (guest(&storage, "One").await, guest(&storage, "Two").await);
        let mut events = room(code, one.id, two.id);
        events.extend([chose(one.id, 1), chose(two.id, 1)]);
        append(&storage, code, 0, events).await.expect("appended");
        home.execute("UPDATE room SET stage = 'over'");
        let order = if is_first_merged { [one.id, two.id] } else { [two.id, one.id] };
        for guest in order {
            let link = Secret::link();
            storage.create_link(ada.id, &link, NOW).await.expect("a code");
            let redeemed = storage.redeem(&link, &Secret::token(), Some(guest), NOW).await;
            assert_eq!(redeemed.expect("redeemed"), Redeemed::Account(ada.clone()));
        }
        // By then, the other guest had played against the account.
        let (first, second) = if is_first_merged { (ada.id, two.id) } else { (one.id, ada.id) };
        let log = storage.log(code).await.expect("a log");
        assert_eq!(log[3..], [chose(first, 1), chose(second, 1)]);
        let RoomEvent::Seated { person } = &log[1].event else { panic!("seated") };
        assert_eq!(person.account, second);
        assert_eq!(storage.log_after(code, 3).await.expect("a log"), log[3..]);
        home.execute("UPDATE room SET stage = 'playing'");
        let rooms = unfinished(&storage).await;
        let (_, index) = rooms.iter().find(|(other, _)| other == code).expect("a room");
        assert_eq!(index.accounts, seats(first, second));
        // Whichever account asks, the merged account has the seat.
        for asking in [one.id, two.id, ada.id] {
            let seated = storage.seated(code, asking).await.expect("an answer");
            assert_eq!(seated, Some(ada.id));
        }
        let stranger = guest(&storage, "Eve").await.id;
        for (code, asking) in [(code, stranger), (code, 99_999), ("NONE", ada.id)] {
            assert_eq!(storage.seated(code, asking).await.expect("an answer"), None);
        }
    }
}

#[tokio::test]
async fn no_secret_is_in_the_files() {
    let folder = folder();
    let storage = open(&folder);
    let (token, other) = (Secret::token(), Secret::token());
    let (recovery, link) = (Secret::recovery(), Secret::link());
    let account = storage.create_guest("Ada Lovelace", &token, NOW).await.expect("a guest");
    storage.register(account.id, "Ada Lovelace", &recovery).await.expect("stored").expect("free");
    storage.create_link(account.id, &link, NOW).await.expect("a code");
    let redeemed = storage.redeem(&link, &other, None, NOW).await.expect("redeemed");
    assert!(matches!(redeemed, Redeemed::Account(_)), "{redeemed:?}");
    assert!(files_contain(folder.path(), b"Ada Lovelace"), "the search works");
    for secret in [token, other, recovery, link] {
        assert!(!files_contain(folder.path(), secret.text().as_bytes()));
    }
}
