//! `PostgreSQL` while other transactions hold locks.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use super::home::Schema;
use super::*;
use crate::storage::Pruned;

/// Returns a statement that adds an event to a room.
fn insert(code: &str, seq: u64) -> String {
    format!(
        "INSERT INTO event (room, seq, body) SELECT id, {seq}, '' FROM room WHERE code = '{code}'"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_room_to_which_somebody_appends_does_not_keep_others_from_writing() {
    let Some(schema) = Schema::create() else { return };
    let storage = Home::Schema(Arc::clone(&schema)).open();
    let codes: Vec<String> = (0..20).map(|number| format!("ROOM{number:02}")).collect();
    for code in &codes {
        append(&storage, code, 0, room(code, 1, 2)).await.expect("appended");
    }
    let held = schema.hold(&insert("ROOM07", 4));
    let appends = codes.iter().map(|code| append(&storage, code, 3, vec![chose(1, 1)]));
    for (code, result) in codes.iter().zip(join_all(appends).await) {
        if code == "ROOM07" {
            assert!(matches!(result, Err(StorageError::Unavailable(_))), "{result:?}");
        } else {
            result.expect(code);
        }
    }
    drop(held);
    append(&storage, &codes[7], 3, vec![chose(1, 1)]).await.expect("appended");
    for code in &codes {
        assert_eq!(storage.version(code).await.expect("a version"), 4, "{code}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_append_to_the_same_rooms_do_not_deadlock() {
    const ROUNDS: u64 = 20;
    let Some(schema) = Schema::create() else { return };
    let home = Home::Schema(Arc::clone(&schema));
    let storages = [home.open(), home.open()];
    let codes: Vec<String> = (0..100).map(|number| format!("ROOM{number:02}")).collect();
    for code in &codes {
        append(&storages[0], code, 0, room(code, 1, 2)).await.expect("appended");
    }
    let deadlocks = || {
        schema.number("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    };
    let before = deadlocks();
    for round in 0..ROUNDS {
        let both = storages.iter().zip([1, 2]).map(async |(storage, account)| {
            let mut order: Vec<&String> = codes.iter().collect();
            if account == 2 {
                order.reverse();
            }
            let appends = order
                .iter()
                .map(|code| append(storage, code, 3 + round, vec![chose(account, round)]));
            join_all(appends).await
        });
        let results = join_all(both).await.concat();
        let won = results.iter().filter(|result| result.is_ok()).count();
        let is_settled = |result: &Result<(), StorageError>| {
            matches!(result, Ok(()) | Err(StorageError::Conflict(_)))
        };
        assert!(results.iter().all(is_settled) && won == codes.len(), "{won}: {results:?}");
    }
    // The server counts connections when they end.
    for storage in storages {
        storage.close().await;
    }
    assert_eq!(deadlocks(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn games_that_end_at_the_same_moment_do_not_deadlock() {
    let Some(schema) = Schema::create() else { return };
    let home = Home::Schema(Arc::clone(&schema));
    let storages = [home.open(), home.open()];
    let (ada, bob) =
        (registered(&storages[0], "Ada").await.id, registered(&storages[0], "Bob").await.id);
    let codes: Vec<String> = (0..30).map(|number| format!("ROOM{number:02}")).collect();
    for code in &codes {
        append(&storages[0], code, 0, room(code, ada, bob)).await.expect("appended");
    }
    let end = async |number: usize, storage: &Storage| {
        let seats = Both::new(Some(ada), Some(bob));
        let seats = if number.is_multiple_of(2) { seats } else { seats.swapped() };
        let finished = Some(games::finished(&codes[number], 1, seats));
        let events = vec![logged(None, RoomEvent::Resigned { side: Side::Two })];
        let append = Append { code: codes[number].clone(), after: 3, events, finished };
        storage.append(append, None).await
    };
    let ends = (0..codes.len()).flat_map(|number| storages.iter().map(move |it| (number, it)));
    let results = join_all(ends.map(|(number, storage)| end(number, storage))).await;
    assert!(
        results.iter().all(|it| matches!(it, Ok(()) | Err(StorageError::Conflict(_)))),
        "{results:?}"
    );
    let games = storages[0].history(ada).await.expect("games");
    assert_eq!(games.len(), codes.len());
    assert!(games.iter().all(|game| game.rating.is_some()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_refused_changes_nothing_and_the_next_one_counts() {
    let Some(schema) = Schema::create() else { return };
    let storage = Home::Schema(Arc::clone(&schema)).open();
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    // Simulates a database that detects a conflict only at this point.
    schema.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = 'raise_exception'; END$$;
         CREATE CONSTRAINT TRIGGER refusal AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.seq = 4) EXECUTE FUNCTION refuse()",
    );
    let refused = append(&storage, "ABCDEF", 3, vec![chose(1, 1)]).await;
    assert!(matches!(refused, Err(StorageError::Database { .. })), "{refused:?}");
    schema.execute("DROP TRIGGER refusal ON event");
    append(&storage, "ABCDEF", 3, vec![chose(1, 1)]).await.expect("appended");
    assert_eq!(storage.version("ABCDEF").await.expect("a version"), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_heartbeat_waits_for_nobody() {
    let Some(schema) = Schema::create() else { return };
    let storage = Home::Schema(Arc::clone(&schema)).open();
    let node = storage.join("one", 0).await.expect("a node");
    let ada = guest(&storage, "Ada").await;
    let held = schema.hold("LOCK TABLE account IN ACCESS EXCLUSIVE MODE");
    // While the table is locked, these writes take half a minute.
    let mut busy = Box::pin(join_all((0..60).flat_map(|_| {
        let write = storage.rename_guest(ada.id, "Ada L.");
        let read = storage.is_taken("Ada");
        [async { write.await.is_ok() }.boxed(), async { read.await.is_ok() }.boxed()]
    })));
    let beat = async {
        storage.beat(node, "one", 0).await.expect("a heartbeat");
        storage.now().await.expect("a time");
        assert_eq!(storage.nodes().await.expect("nodes").len(), 1);
        assert!(storage.unfinished_after(0).await.expect("rooms").is_empty());
        assert!(storage.due(0).await.expect("rooms").is_empty());
    };
    tokio::select! {
        biased;
        _ = &mut busy => panic!("the heartbeat has waited for everybody"),
        () = beat => {}
    }
    drop(held);
    busy.await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_that_is_in_use_is_not_pruned() {
    let Some(schema) = Schema::create() else { return };
    let storage = Home::Schema(Arc::clone(&schema)).open();
    let (eve, zoe) = (guest(&storage, "Eve").await, guest(&storage, "Zoe").await);
    for code in ["ABCDEF", "GHIJKL"] {
        append(&storage, code, 0, room(code, eve.id, zoe.id)).await.expect("appended");
    }
    let others = Pruned { rooms: 1, events: 3 };
    let held = schema.hold("SELECT 1 FROM room WHERE code = 'ABCDEF' FOR UPDATE");
    assert_eq!(storage.prune(NOW + 1, false).await.expect("pruned"), others);
    drop(held);
    // Another player has acted in the room before the lock on it.
    let late = Logged { at: NOW + 5, ..chose(eve.id, 1) };
    append(&storage, "ABCDEF", 3, vec![late]).await.expect("appended");
    assert_eq!(storage.prune(NOW + 1, false).await.expect("pruned"), Pruned::default());
    let all = Pruned { rooms: 1, events: 4 };
    assert_eq!(storage.prune(NOW + 9, false).await.expect("pruned"), all);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_append_slips_into_a_room_that_is_pruned() {
    let Some(schema) = Schema::create() else { return };
    let home = Home::Schema(Arc::clone(&schema));
    let (storage, operator) = (home.open(), home.open());
    let (eve, zoe) = (guest(&storage, "Eve").await, guest(&storage, "Zoe").await);
    let codes: Vec<String> = (0..300).map(|number| format!("ROOM{number:03}")).collect();
    for code in &codes {
        append(&storage, code, 0, room(code, eve.id, zoe.id)).await.expect("appended");
    }
    let late = Logged { at: NOW + 5, ..chose(eve.id, 1) };
    let appends = codes.iter().rev().map(|code| append(&storage, code, 3, vec![late.clone()]));
    let (pruned, results) = tokio::join!(operator.prune(NOW + 1, false), join_all(appends));
    let mut gone = 0;
    for (code, result) in codes.iter().rev().zip(results) {
        let version = storage.version(code).await.expect("a version");
        match result {
            Ok(()) => assert_eq!(version, 4, "{code}"),
            Err(StorageError::Conflict(_)) => {
                assert_eq!(version, 0, "{code}");
                gone += 1;
            }
            Err(error) => panic!("{code}: {error}"),
        }
    }
    assert_eq!(pruned.expect("pruned").rooms, gone);
    let orphans = "SELECT count(*) FROM event WHERE room NOT IN (SELECT id FROM room)";
    assert_eq!(schema.number(orphans), 0);
}
