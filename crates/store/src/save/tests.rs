//! Tests which file a game may be saved in.

use std::path::Path;

use skirmish_rules::GAMES;
use tempfile::TempDir;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn record(moves: &[&str]) -> Record {
    let entry = GAMES.find("base-battle").expect("the game exists");
    let mut table = entry.open(entry.setup()).expect("no position is set");
    for played in moves {
        table.play(played).expect("the move is legal");
    }
    Record::of(&*table)
}

fn claim(path: &Path) -> Result<Save, StoreError> {
    Save::claim(path, Overwrite::Refused)
}

/// Writes a record to a file that this game has not written before.
fn put(path: &Path, moves: &[&str], overwrite: Overwrite) -> Result<(), StoreError> {
    write_record(path, &record(moves), None, overwrite)
}

#[test]
fn a_failed_save_leaves_the_last_good_one() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    put(&path, &["2"], Overwrite::Refused).expect("the folder can be written");
    let below = path.join("no-folder.skr");
    let failed = put(&below, &["2", "1"], Overwrite::Allowed);
    assert!(matches!(failed, Err(StoreError::Write(..))), "{failed:?}");
    let kept = fs::read_to_string(&path).expect("the save is there");
    assert_eq!(kept, record(&["2"]).to_string());
}

/// Regression: another game with default names can begin with the same turns, and its file was replaced.
#[test]
fn a_record_with_the_same_turns_belongs_to_another_game() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    put(&path, &["2", "1"], Overwrite::Refused).expect("the file is new");
    for moves in [&["2", "1"][..], &["2", "1", "3"], &["2"], &[]] {
        let saved = put(&path, moves, Overwrite::Refused);
        assert!(matches!(saved, Err(StoreError::Exists(_))), "{moves:?}: {saved:?}");
    }
    assert!(matches!(claim(&path), Err(StoreError::Exists(_))));
    Save::claim(&path, Overwrite::Allowed).expect("overwriting is allowed");
}

#[test]
fn a_file_is_replaced_while_it_holds_what_was_last_written() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    put(&path, &["2"], Overwrite::Refused).expect("the file is new");
    let last = record(&["2"]).to_string();
    let update = || write_record(&path, &record(&["2", "1"]), Some(&last), Overwrite::Refused);
    update().expect("nobody has changed it");
    assert!(matches!(update(), Err(StoreError::Exists(_))), "its content has changed");
    fs::remove_file(&path).expect("it exists");
    update().expect("the file is gone");
}

#[test]
fn a_file_changed_by_another_program_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let forced = Save::claim(&path, Overwrite::Allowed);
    for mut save in [forced.expect("it is unlocked"), reserved(&folder.path().join("y.skr"))] {
        save.write(&record(&["2"])).expect("no file exists");
        save.write(&record(&["3"])).expect("undo is allowed");
        fs::write(save.path(), "Dear diary").expect("the folder can be written");
        assert!(matches!(save.write(&record(&["2"])), Err(StoreError::Exists(_))));
        save.allow_overwriting();
        save.write(&record(&["2"])).expect("overwriting is allowed");
    }
    let mut resumed = Save::resume(&path).expect("it is unlocked");
    fs::write(&path, "Dear diary").expect("the folder can be written");
    resumed.write(&record(&["2"])).expect("the game comes from this file");
}

fn reserved(path: &Path) -> Save {
    Save::reserve(path).expect("a new file").expect("the name is free")
}

#[test]
fn a_file_that_appears_after_it_was_claimed_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let mut save = claim(&path).expect("the file is new");
    fs::write(&path, "Dear diary").expect("the folder can be written");
    assert!(matches!(save.write(&record(&["2"])), Err(StoreError::Exists(_))));
    fs::remove_file(&path).expect("it exists");
    save.write(&record(&["2"])).expect("the name is free again");
    save.write(&record(&["3"])).expect("undo is allowed");
}

#[test]
#[cfg(unix)]
fn a_game_that_is_being_played_has_one_writer() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    put(&path, &["2"], Overwrite::Refused).expect("the file is new");
    let link = folder.path().join("link.skr");
    std::os::unix::fs::symlink("x.skr", &link).expect("the folder can be written");
    let mut playing = Save::resume(&path).expect("it is unlocked");
    for other in [&path, &link] {
        assert!(matches!(Save::resume(other), Err(StoreError::Playing(..))), "{other:?}");
        let forced = put(other, &["2"], Overwrite::Allowed);
        assert!(matches!(forced, Err(StoreError::Playing(..))), "{forced:?}");
    }
    // The lock outlives the file that it was acquired for.
    playing.write(&record(&["2", "1"])).expect("the folder can be written");
    assert!(Save::resume(&link).is_err());
    drop(playing);
    drop(Save::resume(&link).expect("it is unlocked again"));
    let left = fs::read_dir(folder.path()).expect("it exists").count();
    assert_eq!(left, 2, "no lock file is left");
}

#[test]
fn a_stale_lock_file_is_ignored() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    fs::write(folder.path().join(".x.skr.lock"), "process=1\n").expect("writing succeeds");
    assert_eq!(files::holder(&path), None);
    drop(Save::resume(&path).expect("it is unlocked"));
    assert!(!folder.path().join(".x.skr.lock").exists());
}

#[test]
fn a_folder_without_locks_is_reported_once_and_usable() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    fs::create_dir(folder.path().join(".x.skr.lock")).expect("a folder in the lock's place");
    let mut save = Save::resume(&path).expect("it works without a lock");
    assert!(save.lock_failure().is_some());
    assert!(save.lock_failure().is_none());
    save.write(&record(&["2"])).expect("the folder can be written");
}

/// Regression: signing the lock truncated any file with the lock file's name.
#[test]
fn a_file_in_the_place_of_a_lock_file_stays_as_it_is() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let in_the_way = folder.path().join(".x.skr.lock");
    let diary = folder.path().join("diary.txt");
    for text in ["Dear diary", "", "process=1\n"] {
        fs::write(&diary, text).expect("the folder can be written");
        fs::hard_link(&diary, &in_the_way).expect("the folder can be written");
        let mut save = Save::resume(&path).expect("it works without a lock");
        assert!(save.lock_failure().is_some(), "{text:?}");
        drop(save);
        assert_eq!(fs::read_to_string(&in_the_way).expect("it is still there"), text);
        fs::remove_file(&in_the_way).expect("it exists");
    }
    fs::write(&in_the_way, "Dear diary").expect("the folder can be written");
    assert!(Save::resume(&path).expect("without a lock").lock_failure().is_some());
    assert_eq!(fs::read_to_string(&in_the_way).expect("it is still there"), "Dear diary");
}

/// Regression: a new game took the name of a removed save, waited for its lock, and then removed the newly saved file.
#[test]
fn a_new_game_never_removes_the_save_of_a_running_one() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let mut running = reserved(&path);
    fs::remove_file(&path).expect("it exists");
    assert!(Save::reserve(&path).expect("no error").is_none(), "the lock is held");
    running.write(&record(&["2"])).expect("the folder can be written");
    drop(running);
    // The other program looked for the file before it was written, and then waited for the lock.
    let other = Save::locked(&path, Replaces::Unchanged(String::new())).expect("it is unlocked");
    assert!(other.reserved(&path).expect("no error").is_none(), "the name is taken");
    assert_eq!(fs::read_to_string(&path).expect("the save is there"), record(&["2"]).to_string());
}
