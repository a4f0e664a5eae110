//! Moving from one database to the other, and back.

use skirmish_rules::Both;

use super::super::{Location, TransferError, Transferred, transfer};
use super::games::finished;
use super::*;

on_both![
    everything_moves_and_goes_on,
    a_target_that_is_not_empty_stays_as_it_is,
    nobody_may_use_either,
    nothing_moves_to_where_it_is,
    a_copy_that_differs_is_given_up,
];

fn move_to(from: &Home, to: &Home) -> Result<Transferred, TransferError> {
    transfer(&from.location(), &to.location(), GAMES, &mut |_, _| {})
}

/// Two accounts with a rated game, a guest that was merged, and rooms of every kind. Returns Ada and her token.
async fn fill(storage: &Storage) -> (Account, Secret) {
    let token = Secret::token();
    let ada = storage.create_guest("Ada", &token, NOW).await.expect("a guest");
    let registered_ada = storage.register(ada.id, "Ada", &Secret::recovery()).await;
    let ada = registered_ada.expect("registered").expect("a free name");
    let bob = registered(storage, "Bob").await;
    let guest = guest(storage, "Guest").await;
    let mut events = room("ABCDEF", ada.id, bob.id);
    events.push(logged(Some((bob.id, 1)), RoomEvent::Resigned { side: Side::Two }));
    append(storage, "ABCDEF", 0, events).await.expect("appended");
    let seats = Both::new(Some(ada.id), Some(bob.id));
    storage.finish(finished("ABCDEF", 1, seats)).await.expect("finished");
    append(storage, "GHJKLM", 0, room("GHJKLM", guest.id, ada.id)).await.expect("appended");
    // Nobody can read this one.
    append(storage, "BROKEN", 0, vec![chose(1, 1)]).await.expect("appended");
    let code = Secret::link();
    storage.create_link(bob.id, &code, NOW).await.expect("a code");
    storage.redeem(&code, &Secret::token(), Some(guest.id), NOW).await.expect("redeemed");
    storage.create_link(ada.id, &Secret::link(), NOW).await.expect("a code");
    storage.beat(NOW).await.expect("noted");
    (ada, token)
}

async fn everything_moves_and_goes_on(home: Home) {
    let storage = home.open();
    let (ada, token) = fill(&storage).await;
    let logs = async |storage: &Storage| {
        let (one, two) = (storage.log("ABCDEF").await, storage.log("GHJKLM").await);
        (one.expect("a log"), two.expect("a log"))
    };
    let before = logs(&storage).await;
    let history = storage.history(ada.id).await.expect("games");
    storage.close().await;
    let expected = Transferred { accounts: 3, rooms: 3, events: 8, unreadable: 1 };
    let other = Home::schema().unwrap_or_else(Home::folder);
    assert_eq!(move_to(&home, &other).expect("moved"), expected);
    let back = Home::folder();
    assert_eq!(move_to(&other, &back).expect("moved back"), expected);
    for home in [other, back] {
        let storage = home.open();
        assert_eq!(logs(&storage).await, before);
        assert_eq!(storage.history(ada.id).await.expect("games"), history);
        assert_eq!(storage.ran_until(), NOW);
        let (found, rooms) = storage.sign_in(&token).await.expect("read").expect("an account");
        assert_eq!((found, rooms), (ada.clone(), vec!["ABCDEF".to_owned(), "GHJKLM".to_owned()]));
        assert_eq!(storage.leaders(GAME).await.expect("leaders").len(), 0, "too uncertain");
        assert!(storage.rating(ada.id, GAME).await.expect("a rating").is_some());
        // New rows have new numbers.
        let carl = guest(&storage, "Carl").await;
        assert_eq!(carl.id, 4);
        append(&storage, "GHJKLM", 3, vec![chose(carl.id, 1)]).await.expect("appended");
        append(&storage, "NEWEST", 0, room("NEWEST", carl.id, ada.id)).await.expect("appended");
        storage.finish(finished("GHJKLM", 1, Both::default())).await.expect("finished");
    }
}

async fn a_target_that_is_not_empty_stays_as_it_is(home: Home) {
    let from = Home::folder();
    fill(&from.open()).await;
    let storage = home.open();
    let guest = guest(&storage, "Somebody").await;
    storage.close().await;
    let refused = move_to(&from, &home);
    assert!(matches!(refused, Err(TransferError::NotEmpty { .. })), "{refused:?}");
    let storage = home.open();
    assert_eq!(storage.log("ABCDEF").await.expect("a log"), []);
    storage.rename_guest(guest.id, "Still there").await.expect("renamed");
    let missing = Location::Folder("/nonexistent/skirmish".into());
    let refused = transfer(&missing, &home.location(), GAMES, &mut |_, _| {});
    let is_unusable = matches!(refused, Err(TransferError::Storage(StorageError::Unusable { .. })));
    assert!(is_unusable, "{refused:?}");
}

async fn nobody_may_use_either(home: Home) {
    let other = Home::folder();
    fill(&other.open()).await;
    let storage = home.open();
    let node = storage.join("one").await.expect("a node");
    for refused in [move_to(&home, &Home::folder()), move_to(&other, &home)] {
        let is_used = matches!(refused, Err(TransferError::Storage(StorageError::InUse { .. })));
        assert!(is_used, "{refused:?}");
    }
    storage.release_all(node).await.expect("released");
    storage.close().await;
    move_to(&other, &home).expect("moved");
}

async fn nothing_moves_to_where_it_is(home: Home) {
    let storage = home.open();
    fill(&storage).await;
    storage.close().await;
    // By another name, too.
    let other = match home.location() {
        Location::Folder(path) => Location::Folder(path.join(".")),
        Location::Database(url) => Location::Database(url.replace("127.0.0.1", "localhost")),
    };
    for to in [home.location(), other] {
        let refused = transfer(&home.location(), &to, GAMES, &mut |_, _| {});
        assert!(matches!(refused, Err(TransferError::Same)), "{refused:?}");
    }
    assert!(!home.open().unfinished().await.expect("rooms").is_empty());
}

async fn a_copy_that_differs_is_given_up(home: Home) {
    let from = Home::folder();
    fill(&from.open()).await;
    home.open().close().await;
    home.execute(match &home {
        Home::Folder(_) => {
            "CREATE TRIGGER spoil AFTER INSERT ON event WHEN NEW.seq = 2
             BEGIN UPDATE event SET body = '{}' WHERE room = NEW.room AND seq = 2; END"
        }
        Home::Schema(_) => {
            "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql
             AS 'BEGIN NEW.body := ''{}''; RETURN NEW; END';
             CREATE TRIGGER spoil BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.seq = 2)
             EXECUTE FUNCTION spoil()"
        }
    });
    let refused = move_to(&from, &home).expect_err("a difference");
    assert!(matches!(refused, TransferError::Differs { .. }), "{refused:?}");
    assert_eq!(refused.to_string(), "the copy differs: the table event. The target is unchanged");
    let storage = home.open();
    assert!(storage.unfinished().await.expect("rooms").is_empty());
    assert_eq!(storage.ran_until(), 0);
    storage.close().await;
    home.execute(match &home {
        Home::Folder(_) => "DROP TRIGGER spoil",
        Home::Schema(_) => "DROP TRIGGER spoil ON event",
    });
    move_to(&from, &home).expect("moved");
}
