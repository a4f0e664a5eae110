//! Backups of a folder that is in use, and restoring them.

use super::*;
use crate::server::Database;
use crate::storage::{Backup, BackupError, back_up, export_to, restore};

/// Creates a room whose log can be folded.
async fn play(storage: &Storage, code: &str) {
    append(storage, code, 0, room(code, 1, 2)).await.expect("a room");
}

#[tokio::test]
async fn a_backup_of_a_running_server_has_all_that_was_acknowledged() {
    let (home, target) = (folder(), folder());
    let storage = open(&home);
    play(&storage, "ABCDEF").await;
    let file = target.path().join("skirmish.backup");
    let backup = back_up(home.path(), &file).expect("a backup");
    assert_eq!((backup.rooms, backup.events), (1, 3));
    assert_eq!(fs::metadata(&file).expect("a file").len(), backup.bytes);
    // Later changes are not in the backup.
    play(&storage, "GHJKMN").await;
    let data = target.path().join("data");
    let restored = restore(&file, &data, GAMES).expect("restored");
    assert_eq!((restored.rooms, restored.events), (1, 3));
    let copy = Storage::open(&data).expect("a database");
    let log = copy.log("ABCDEF").await.expect("a log");
    assert_eq!(log, storage.log("ABCDEF").await.expect("a log"));
    assert!(!copy.exists("GHJKMN").await.expect("read"));
    assert_eq!(fs::read_dir(target.path()).expect("a folder").count(), 2, "nothing else is left");
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_can_read_a_backup() {
    use std::os::unix::fs::PermissionsExt as _;
    let (home, target) = (folder(), folder());
    let _storage = open(&home);
    let files = ["backup", "export"].map(|name| target.path().join(name));
    back_up(home.path(), &files[0]).expect("a backup");
    export_to(&files[1], &Database::Folder(home.path().to_owned())).expect("an export");
    for file in files {
        let mode = fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_backup_replaces_no_file() {
    let (home, target) = (folder(), folder());
    let _storage = open(&home);
    let file = target.path().join("precious");
    fs::write(&file, "mine").expect("a file");
    assert!(matches!(back_up(home.path(), &file), Err(BackupError::Exists(_))));
    let exported = export_to(&file, &Database::Folder(home.path().to_owned()));
    assert!(matches!(exported, Err(BackupError::Exists(_))));
    assert_eq!(fs::read(&file).expect("a file"), b"mine");
    assert_eq!(fs::read_dir(target.path()).expect("a folder").count(), 1);
}

#[tokio::test]
async fn there_is_no_backup_of_nothing() {
    let (home, target) = (folder(), folder());
    let file = target.path().join("backup");
    assert!(back_up(home.path(), &file).is_err());
    assert!(!file.exists());
    fs::write(home.path().join("skirmish.db"), "not a database").expect("a file");
    let failed = back_up(home.path(), &file).expect_err("it is not ours");
    assert!(matches!(failed, BackupError::Storage(StorageError::Foreign { .. })), "{failed}");
    assert!(!file.exists());
}

#[tokio::test]
async fn nothing_is_restored_over_a_database_or_from_a_damaged_file() {
    let (home, target) = (folder(), folder());
    let storage = open(&home);
    for number in 0..50 {
        play(&storage, &format!("ROOM{number:02}")).await;
    }
    let file = target.path().join("backup");
    back_up(home.path(), &file).expect("a backup");
    let refused = restore(&file, home.path(), GAMES).expect_err("it is in use");
    assert!(matches!(refused, BackupError::Storage(StorageError::InUse { .. })), "{refused}");
    drop(storage);
    let refused = restore(&file, home.path(), GAMES).expect_err("it has a database");
    assert!(matches!(refused, BackupError::NotEmpty(_)), "{refused}");

    let data = target.path().join("data");
    let whole = fs::read(&file).expect("a file");
    for length in [0, 10, 60, 3_000, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        fs::write(&file, &whole[..length]).expect("a file");
        let refused = restore(&file, &data, GAMES).expect_err("it is torn").to_string();
        assert!(refused.contains("damaged or incomplete"), "{length}: {refused}");
    }
    fs::write(&file, "Dear diary").expect("a file");
    let refused = restore(&file, &data, GAMES).expect_err("it is not ours").to_string();
    assert!(refused.contains("not a backup of Skirmish"), "{refused}");
    assert!(!data.exists(), "a failed restore leaves nothing");
    let deep = target.path().join("one/two");
    restore(&file, &deep, GAMES).expect_err("it is not ours");
    assert!(!target.path().join("one").exists(), "no folder above it either");
    fs::create_dir(&data).expect("a folder");
    restore(&file, &data, GAMES).expect_err("it is not ours");
    assert_eq!(fs::read_dir(&data).expect("the folder stays").count(), 0);
    fs::write(&file, whole).expect("a file");
    assert_eq!(restore(&file, &data, GAMES).expect("restored").rooms, 50);
}

#[test]
fn a_file_that_is_no_backup_is_refused_before_the_folder_is_touched() {
    let target = folder();
    let (file, occupied) = (target.path().join("diary"), target.path().join("data"));
    fs::write(&occupied, "no folder can be here").expect("a file");
    for text in ["", "SQLite", "Dear diary, this is no database."] {
        fs::write(&file, text).expect("a file");
        let refused = restore(&file, &occupied, GAMES).expect_err("it is not ours");
        assert!(matches!(refused, BackupError::Foreign(_)), "{text}: {refused}");
    }
}

#[tokio::test]
async fn a_game_that_does_not_fold_is_found_when_it_is_restored() {
    let (home, target) = (folder(), folder());
    let storage = open(&home);
    play(&storage, "ABCDEF").await;
    let seated = RoomEvent::Seated { person: person(3) };
    append(&storage, "ABCDEF", 3, vec![logged(None, seated)]).await.expect("an event");
    let file = target.path().join("backup");
    let backup = back_up(home.path(), &file).expect("a backup");
    assert_eq!(backup, Backup { rooms: 1, events: 4, ..backup });
    let failed = restore(&file, &target.path().join("data"), GAMES).expect_err("it is damaged");
    assert_eq!(
        failed.to_string(),
        "the backup is damaged or incomplete: game 1: event 4 does not fit"
    );
}
