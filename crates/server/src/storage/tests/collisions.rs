//! `PostgreSQL` while other transactions hold locks.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use skirmish_room::Lease;

use super::home::Schema;
use super::*;
use crate::storage::Pruned;

/// Locks the lease of a room.
fn lock(code: &str, how: &str) -> String {
    format!("SELECT 1 FROM lease WHERE room = (SELECT id FROM room WHERE code = '{code}') {how}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_locked_room_does_not_keep_others_from_writing() {
    let Some(schema) = Schema::create() else { return };
    let storage = Home::Schema(Arc::clone(&schema)).open();
    let lease = Lease::first(storage.join("one").await.expect("a node"));
    let codes: Vec<String> = (0..20).map(|number| format!("ROOM{number:02}")).collect();
    let append = async |code: &String, after, events| {
        let append = Append { code: code.clone(), after, lease: Some(lease), events };
        storage.append(append).await
    };
    for code in &codes {
        append(code, 0, room(code, 1, 2)).await.expect("appended");
    }
    let held = schema.hold(&lock("ROOM07", "FOR UPDATE"));
    let results = join_all(codes.iter().map(|code| append(code, 3, vec![chose(1, 1)]))).await;
    for (code, result) in codes.iter().zip(results) {
        if code == "ROOM07" {
            assert!(matches!(result, Err(StorageError::Away { .. })), "{result:?}");
        } else {
            result.expect(code);
        }
    }
    drop(held);
    append(&codes[7], 3, vec![chose(1, 1)]).await.expect("appended");
    for code in &codes {
        assert_eq!(storage.version(code).await.expect("a version"), 4, "{code}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_refused_changes_nothing_and_the_next_one_counts() {
    let Some(schema) = Schema::create() else { return };
    let storage = Home::Schema(Arc::clone(&schema)).open();
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    // As a database does that finds out only then that transactions collide.
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
    let node = storage.join("one").await.expect("a node");
    let ada = guest(&storage, "Ada").await;
    let held = schema.hold("LOCK TABLE account IN ACCESS EXCLUSIVE MODE");
    // They need half a minute for these, as long as the table is locked.
    let mut busy = Box::pin(join_all((0..60).flat_map(|_| {
        let write = storage.rename_guest(ada.id, "Ada L.");
        let read = storage.is_taken("Ada");
        [async { write.await.is_ok() }.boxed(), async { read.await.is_ok() }.boxed()]
    })));
    let beat = async {
        storage.renew(node, "one").await.expect("renewed");
        storage.now().await.expect("a time");
        assert_eq!(storage.nodes().await.expect("nodes").len(), 1);
        assert!(storage.lost(node).await.expect("rooms").is_empty());
        assert!(storage.orphans(0).await.expect("rooms").is_empty());
        assert!(storage.owned(node, 0).await.expect("rooms").is_empty());
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
    let lease = Lease::first(storage.join("one").await.expect("a node"));
    let (eve, zoe) = (guest(&storage, "Eve").await, guest(&storage, "Zoe").await);
    for code in ["ABCDEF", "GHIJKL"] {
        let events = room(code, eve.id, zoe.id);
        let append = Append { code: code.to_owned(), after: 0, lease: Some(lease), events };
        storage.append(append).await.expect("appended");
    }
    // Somebody appends to one, or acquires it.
    for how in ["FOR SHARE", "FOR UPDATE"] {
        let held = schema.hold(&lock("ABCDEF", how));
        let pruned = storage.prune(NOW + 1, false).await.expect("pruned");
        let others = Pruned { rooms: 1, events: 3 };
        assert_eq!(pruned, if how == "FOR SHARE" { others } else { Pruned::default() });
        assert!(storage.exists("ABCDEF").await.expect("an answer"), "{how}");
        drop(held);
    }
    // Somebody has done something in it before it was locked.
    let late = Logged { at: NOW + 5, ..chose(eve.id, 1) };
    append(&storage, "ABCDEF", 3, vec![late]).await.expect("appended");
    assert_eq!(storage.prune(NOW + 1, false).await.expect("pruned"), Pruned::default());
    let all = Pruned { rooms: 1, events: 4 };
    assert_eq!(storage.prune(NOW + 9, false).await.expect("pruned"), all);
}
