//! Acknowledged writes survive anything, and conflicting writes are refused.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::home::Schema;
use super::*;

on_both![
    a_log_is_read_as_it_was_appended,
    dropping_all_handles_loses_nothing,
    an_append_at_the_wrong_place_is_a_conflict,
    a_message_is_carried_out_once,
    concurrent_rooms_do_not_disturb_each_other,
    closing_writes_what_waits,
];

async fn a_log_is_read_as_it_was_appended(home: Home) {
    let storage = home.open();
    assert_eq!(storage.log("ABCDEF").await.expect("a log"), []);
    let mut events = room("ABCDEF", 1, 2);
    append(&storage, "ABCDEF", 0, events.clone()).await.expect("appended");
    append(&storage, "GHJKLM", 0, room("GHJKLM", 3, 4)).await.expect("appended");
    append(&storage, "ABCDEF", 3, vec![chose(1, 1)]).await.expect("appended");
    events.push(chose(1, 1));
    assert_eq!(storage.log("ABCDEF").await.expect("a log"), events);
}

async fn dropping_all_handles_loses_nothing(home: Home) {
    for round in 0..3 {
        let storage = home.open();
        let events: Vec<_> = (1..=40).map(|id| chose(1, round * 40 + id)).collect();
        for (place, event) in (round * 40..).zip(events) {
            append(&storage, "ABCDEF", place, vec![event]).await.expect("appended");
        }
    }
    let events: Vec<_> = (1..=120).map(|id| chose(1, id)).collect();
    assert_eq!(home.open().log("ABCDEF").await.expect("a log"), events);
}

#[tokio::test]
async fn the_files_contain_every_acknowledged_event_at_any_moment() {
    let folder = folder();
    let storage = open(&folder);
    let mut all = Vec::new();
    // Long texts make the WAL be checkpointed along the way.
    for id in 1..=300 {
        let text = "x".repeat(64_000);
        let event = logged(Some((1, id)), RoomEvent::Chose { side: Side::One, text, lag: 0 });
        append(&storage, "ABCDEF", id - 1, vec![event.clone()]).await.expect("appended");
        all.push(event);
        if id % 49 == 6 {
            let crashed = copy(&folder);
            let log = open(&crashed).log("ABCDEF").await.expect("a log");
            assert_eq!(log.len(), all.len());
            assert!(log == all, "the log differs");
        }
    }
    let database = fs::metadata(folder.path().join("skirmish.db")).expect("a file").len();
    assert!(database > 10_000_000, "no checkpoint");
}

#[tokio::test]
async fn a_torn_end_of_the_wal_costs_only_the_end() {
    let folder = folder();
    let storage = open(&folder);
    for id in 1..=20 {
        append(&storage, "ABCDEF", id - 1, vec![chose(1, id)]).await.expect("appended");
    }
    let wal = "skirmish.db-wal";
    let length = fs::metadata(folder.path().join(wal)).expect("a WAL").len();
    let mut survivors = Vec::new();
    for cut in [0, 1, 24, 1000, 4096, 4119, 4120, 5000, 20_000, 40_000, 60_000, length] {
        let torn = copy(&folder);
        let file = OpenOptions::new().write(true).open(torn.path().join(wal)).expect("a WAL");
        file.set_len(length.saturating_sub(cut)).expect("a shorter file");
        let log = open(&torn).log("ABCDEF").await.expect("a log");
        let expected: Vec<_> = (1..=20).map(|id| chose(1, id)).take(log.len()).collect();
        assert_eq!(log, expected, "cut by {cut}");
        survivors.push(log.len());

        let garbled = copy(&folder);
        let mut file =
            OpenOptions::new().write(true).open(garbled.path().join(wal)).expect("a WAL");
        let place = length.saturating_sub(cut.max(1));
        file.seek(SeekFrom::Start(place)).expect("a place");
        file.write_all(&[0xaa]).expect("a byte");
        let log = open(&garbled).log("ABCDEF").await.expect("a log");
        let expected: Vec<_> = (1..=20).map(|id| chose(1, id)).take(log.len()).collect();
        assert_eq!(log, expected, "garbled at {place}");
    }
    assert_eq!(survivors.first(), Some(&20), "the whole WAL has everything");
    assert!(survivors.is_sorted_by(|longer, shorter| longer >= shorter), "{survivors:?}");
    assert_eq!(survivors.last(), Some(&0), "without a WAL nothing is left");
}

async fn an_append_at_the_wrong_place_is_a_conflict(home: Home) {
    let storage = home.open();
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    for after in [0, 2, 4, u64::MAX] {
        let refused = append(&storage, "ABCDEF", after, vec![chose(1, 1)]).await;
        let is_conflict = matches!(&refused, Err(StorageError::Conflict(place)) if *place == after);
        assert!(is_conflict, "after {after}: {refused:?}");
    }
    assert_eq!(storage.log("ABCDEF").await.expect("a log").len(), 3);
}

async fn a_message_is_carried_out_once(home: Home) {
    let storage = home.open();
    // One message can cause several events.
    let events = vec![chose(1, 1), chose(1, 1), logged(None, RoomEvent::Paused), chose(1, 1)];
    append(&storage, "ABCDEF", 0, events).await.expect("appended");
    // Other players and rooms have separate ids, and numeric ids differ from text ids.
    append(&storage, "ABCDEF", 4, vec![chose(2, 1)]).await.expect("appended");
    append(&storage, "GHJKLM", 0, vec![chose(1, 1)]).await.expect("appended");
    let mut text = chose(1, 1);
    text.by = Some(Origin { account: 1, id: MessageId::Text("1".to_owned()) });
    append(&storage, "ABCDEF", 5, vec![text]).await.expect("appended");
    // The whole append is refused, whichever of its events repeats an old message.
    let again = append(&storage, "ABCDEF", 6, vec![chose(1, 2), chose(1, 1)]).await;
    assert!(matches!(again, Err(StorageError::Conflict(_))), "{again:?}");
    assert_eq!(storage.log("ABCDEF").await.expect("a log").len(), 6);
    append(&storage, "ABCDEF", 6, vec![chose(1, 2)]).await.expect("appended");
}

async fn concurrent_rooms_do_not_disturb_each_other(home: Home) {
    const ROOMS: i64 = 32;
    const EVENTS: u64 = 12;
    let storage = home.open();
    let mut tasks = Vec::new();
    for number in 0..ROOMS {
        let storage = storage.clone();
        tasks.push(tokio::spawn(async move {
            let code = format!("ROOM{number}");
            for id in 1..=EVENTS {
                let event = vec![chose(number, id)];
                append(&storage, &code, id - 1, event.clone()).await.expect("appended");
                let again = append(&storage, &code, id - 1, event).await;
                assert!(matches!(again, Err(StorageError::Conflict(_))), "{again:?}");
                // A reader sees all acknowledged events.
                let log = storage.log(&code).await.expect("a log");
                assert_eq!(u64::try_from(log.len()), Ok(id));
            }
        }));
    }
    for task in tasks {
        task.await.expect("a task that succeeds");
    }
    let left = home.after_crash();
    let crashed = left.open();
    for number in 0..ROOMS {
        let expected: Vec<_> = (1..=EVENTS).map(|id| chose(number, id)).collect();
        assert_eq!(crashed.log(&format!("ROOM{number}")).await.expect("a log"), expected);
    }
}

async fn closing_writes_what_waits(home: Home) {
    let storage = home.open();
    let queued = Arc::new(AtomicU64::new(0));
    let others: Vec<_> = (1..=100)
        .map(|id| {
            let (storage, queued) = (storage.clone(), Arc::clone(&queued));
            tokio::spawn(async move {
                // The append is queued before the task waits for the first time.
                queued.fetch_add(1, Ordering::Relaxed);
                append(&storage, &format!("ROOM{id}"), 0, vec![chose(1, id)]).await
            })
        })
        .collect();
    while queued.load(Ordering::Relaxed) < 100 {
        tokio::task::yield_now().await;
    }
    let handle = storage.clone();
    storage.close().await;
    assert!(matches!(handle.log("ROOM1").await, Err(StorageError::Closed)));
    let late = append(&handle, "LATE", 0, vec![chose(1, 1)]).await;
    assert!(matches!(late, Err(StorageError::Closed)), "{late:?}");
    // The folder is unlocked although a handle remains, and the database is a single file again.
    if let Home::Folder(folder) = &home {
        assert!(!folder.path().join("skirmish.db-wal").exists());
    }
    let reopened = home.open();
    for (id, other) in (1..).zip(others) {
        other.await.expect("no panic").expect("appended");
        assert_eq!(reopened.log(&format!("ROOM{id}")).await.expect("a log"), [chose(1, id)]);
    }
}

/// A transaction of its own would end with another statement.
#[tokio::test]
async fn a_lone_append_is_one_statement() {
    let Some(schema) = Schema::create() else { return };
    let storage = Storage::connect(&schema.url()).expect("a database");
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    append(&storage, "ABCDEF", 3, vec![chose(1, 1)]).await.expect("appended");
    let last = "SELECT count(*) FROM pg_stat_activity
                WHERE application_name = current_setting('application_name')
                    AND state = 'idle' AND query LIKE 'INSERT INTO event%'";
    assert_eq!(schema.number(last), 1);
    // Several events need a transaction.
    append(&storage, "ABCDEF", 4, vec![chose(1, 2), chose(1, 3)]).await.expect("appended");
    assert_eq!(schema.number(last), 0);
}
