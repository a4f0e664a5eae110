//! The data folder and its files: ownership, permissions and foreign files.

use rusqlite::Connection;

use super::*;

fn database(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("skirmish.db")
}

/// Opens the folder, which must fail without changing anything.
fn refused(folder: &TempDir) -> StorageError {
    let before = fs::read(database(folder)).expect("a file");
    let error = Storage::open(folder.path()).expect_err("a refusal");
    assert!(fs::read(database(folder)).expect("a file") == before, "the file was changed");
    error
}

/// Creates a closed database with a few hundred events.
async fn filled() -> TempDir {
    let folder = folder();
    let storage = open(&folder);
    for number in 0..20 {
        let events = (1..=20).map(|id| chose(1, id)).collect();
        append(&storage, &format!("ROOM{number}"), 0, events).await.expect("appended");
    }
    storage.close().await;
    folder
}

#[test]
fn two_servers_cannot_share_a_folder() {
    let folder = folder();
    let storage = open(&folder);
    let error = Storage::open(folder.path()).expect_err("in use");
    assert!(matches!(error, StorageError::InUse { .. }), "{error:?}");
    assert!(error.to_string().contains("in use by another server"), "{error}");
    drop(storage);
    open(&folder);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let parent = folder();
    let path = parent.path().join("some").join("data");
    let storage = Storage::open(&path).expect("a data folder");
    append(&storage, "ABCDEF", 0, vec![chose(1, 1)]).await.expect("appended");
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for name in ["skirmish.db", "skirmish.db-wal", "skirmish.db-shm", "lock"] {
        assert_eq!(mode(&path.join(name)), 0o600, "{name}");
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "text").expect("a file");
    let error = Storage::open(&file.join("data")).expect_err("not a folder");
    assert!(matches!(error, StorageError::Unusable { .. }), "{error:?}");
    fs::create_dir_all(folder.path().join("data").join("skirmish.db")).expect("a folder");
    let error = Storage::open(&folder.path().join("data")).expect_err("not a file");
    assert!(error.to_string().contains("skirmish.db"), "{error}");
}

#[test]
fn a_file_that_is_not_a_database_is_refused_and_kept() {
    for content in ["x", "Dear diary, ", &"Dear diary, today I played. ".repeat(1000)] {
        let folder = folder();
        fs::write(database(&folder), content).expect("a file");
        let error = refused(&folder);
        assert!(matches!(error, StorageError::Foreign { .. }), "{error:?}");
        assert!(error.to_string().contains("is not a Skirmish database"), "{error}");
    }
}

#[test]
fn somebody_elses_database_is_refused_and_kept() {
    let folder = folder();
    let connection = Connection::open(database(&folder)).expect("a database");
    connection.execute_batch("CREATE TABLE event (code TEXT)").expect("a table");
    drop(connection);
    let error = refused(&folder);
    assert!(matches!(error, StorageError::Foreign { .. }), "{error:?}");
}

#[tokio::test]
async fn a_newer_database_is_refused_and_kept() {
    let folder = filled().await;
    let connection = Connection::open(database(&folder)).expect("a database");
    connection.execute_batch("PRAGMA user_version = 7").expect("a version");
    drop(connection);
    let error = refused(&folder);
    assert!(matches!(error, StorageError::Newer { found: 7, .. }), "{error:?}");
    assert!(error.to_string().contains("update Skirmish"), "{error}");
}

#[tokio::test]
async fn a_database_that_cannot_be_written_to_is_refused() {
    let folder = filled().await;
    let connection = Connection::open(database(&folder)).expect("a database");
    let trigger =
        "CREATE TRIGGER refuse BEFORE INSERT ON ban BEGIN SELECT RAISE(ABORT, 'no room'); END";
    connection.execute_batch(trigger).expect("a trigger");
    drop(connection);
    let error = refused(&folder);
    assert!(matches!(error, StorageError::Unusable { .. }), "{error:?}");
    assert!(error.to_string().contains("no room"), "{error}");
}

#[test]
fn an_empty_file_becomes_a_database() {
    let folder = folder();
    fs::write(database(&folder), "").expect("a file");
    drop(open(&folder));
    open(&folder);
}

#[tokio::test]
async fn a_damaged_header_is_refused_and_kept() {
    let folder = filled().await;
    let mut content = fs::read(database(&folder)).expect("a file");
    content[..16].fill(0xaa);
    fs::write(database(&folder), content).expect("written");
    let error = refused(&folder);
    assert!(matches!(error, StorageError::Foreign { .. }), "{error:?}");
}

#[tokio::test]
async fn damage_anywhere_is_an_error_and_no_panic() {
    const PAGE: usize = 4096;
    let folder = filled().await;
    let content = fs::read(database(&folder)).expect("a file");
    let mut failures = 0;
    for page in 1..content.len() / PAGE {
        let damaged = copy(&folder);
        let mut content = content.clone();
        content[page * PAGE..][..PAGE].fill(0xaa);
        fs::write(database(&damaged), content).expect("written");
        failures += usize::from(is_failing(&damaged).await);
    }
    assert!(failures > 2, "the pages of the log were never damaged");
    let truncated = copy(&folder);
    fs::write(database(&truncated), &content[..content.len() / 2 / PAGE * PAGE]).expect("written");
    assert!(is_failing(&truncated).await);
}

/// Whether reading the log fails.
async fn is_failing(folder: &TempDir) -> bool {
    let Ok(storage) = Storage::open(folder.path()) else { return true };
    let mut is_failing = false;
    for number in 0..20 {
        match storage.log(&format!("ROOM{number}")).await {
            Ok(log) => is_failing |= log.len() != 20,
            Err(_) => is_failing = true,
        }
    }
    let _ = append(&storage, "ROOM1", 20, vec![chose(1, 21)]).await;
    is_failing
}

#[tokio::test]
async fn an_event_that_makes_no_sense_is_an_error() {
    let folder = filled().await;
    let connection = Connection::open(database(&folder)).expect("a database");
    let damage = "UPDATE event SET body = '{\"event\":\"flew\"}' WHERE seq = 5 AND room = (SELECT id FROM room WHERE code = 'ROOM1');
                  DELETE FROM event WHERE room = (SELECT id FROM room WHERE code = 'ROOM2') AND seq = 6";
    connection.execute_batch(damage).expect("damage");
    drop(connection);
    let storage = open(&folder);
    for code in ["ROOM1", "ROOM2"] {
        let error = storage.log(code).await.expect_err("damage");
        assert!(matches!(error, StorageError::Damaged(_)), "{error:?}");
        // The operator reads this error, and must not learn the codes of private games or the choices in them.
        let text = error.to_string();
        assert!(text.contains("room ") && text.contains(", event "), "{text}");
        assert!(!text.contains(code) && !text.contains("flew"), "{text}");
    }
    assert_eq!(storage.log("ROOM3").await.expect("a log").len(), 20);
}
