//! Whose file it is that a game is saved in.

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

fn claim(path: &Path, moves: &[&str]) -> Result<Save, StoreError> {
    Save::claim(path, &record(moves), Overwrite::Refused)
}

#[test]
fn a_failed_save_leaves_the_last_good_one() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    write_record(&path, &record(&["2"]), Overwrite::Refused).expect("the folder can be written");
    let below = path.join("no-folder.skr");
    let failed = write_record(&below, &record(&["2", "1"]), Overwrite::Allowed);
    assert!(matches!(failed, Err(StoreError::Write { .. })), "{failed:?}");
    let kept = fs::read_to_string(&path).expect("the save is there");
    assert_eq!(kept, record(&["2"]).to_string());
}

#[test]
fn only_an_earlier_state_of_the_same_game_is_replaced_unasked() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let other = folder.path().join("diary.txt");
    fs::write(&other, "Dear diary").expect("the folder can be written");
    assert!(matches!(claim(&other, &[]), Err(StoreError::Exists(_))));

    let written = record(&["2", "1"]);
    write_record(&path, &written, Overwrite::Refused).expect("there is nothing yet");
    for (moves, is_ours) in [
        (&["2", "1"][..], true),
        (&["2", "1", "3"], true),
        (&["2"], false),
        (&["2", "2", "1"], false),
        (&[], false),
    ] {
        let claimed = claim(&path, moves);
        assert_eq!(claimed.is_ok(), is_ours, "{moves:?}: {claimed:?}");
        drop(claimed);
        let saved = write_record(&path, &record(moves), Overwrite::Refused);
        assert_eq!(saved.is_ok(), is_ours, "{moves:?}: {saved:?}");
        write_record(&path, &written, Overwrite::Allowed).expect("that is allowed");
    }
    let mut named = record(&["2", "1", "3"]);
    named.names.one = "Ann".to_owned();
    let claimed = Save::claim(&path, &named, Overwrite::Refused);
    assert!(matches!(claimed, Err(StoreError::Exists(_))), "another player: {claimed:?}");
    Save::claim(&path, &named, Overwrite::Allowed).expect("that is allowed");
}

#[test]
fn a_finished_game_is_no_earlier_state_of_another() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let resigned = record(&["2"]).to_string().replace("\"*\"", "\"1-0\"");
    fs::write(&path, resigned.replace("unfinished", "resigned")).expect("it can be written");
    assert!(matches!(claim(&path, &["2", "1"]), Err(StoreError::Exists(_))));
}

#[test]
fn a_file_that_appears_after_it_was_claimed_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let mut save = claim(&path, &[]).expect("there is nothing yet");
    fs::write(&path, "Dear diary").expect("the folder can be written");
    assert!(matches!(save.write(&record(&["2"])), Err(StoreError::Exists(_))));
    fs::remove_file(&path).expect("it is there");
    save.write(&record(&["2"])).expect("the name is free again");
    save.write(&record(&["3"])).expect("from now on it is ours, whatever is taken back");
}

#[test]
fn a_game_that_is_being_played_has_one_writer() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    write_record(&path, &record(&["2"]), Overwrite::Refused).expect("there is nothing yet");
    let link = folder.path().join("link.skr");
    std::os::unix::fs::symlink("x.skr", &link).expect("the folder can be written");
    let mut playing = Save::resume(&path).expect("nobody plays it");
    for other in [&path, &link] {
        assert!(matches!(Save::resume(other), Err(StoreError::Playing { .. })), "{other:?}");
        let forced = write_record(other, &record(&["2"]), Overwrite::Allowed);
        assert!(matches!(forced, Err(StoreError::Playing { .. })), "{forced:?}");
    }
    // The lock outlives the file that it was taken on.
    playing.write(&record(&["2", "1"])).expect("the folder can be written");
    assert!(Save::resume(&link).is_err());
    drop(playing);
    drop(Save::resume(&link).expect("nobody plays it any more"));
    let left = fs::read_dir(folder.path()).expect("it is there").count();
    assert_eq!(left, 2, "no lock file is left");
}

#[test]
fn a_lock_file_that_nobody_holds_means_nothing() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    fs::write(folder.path().join(".x.skr.lock"), "process=1\n").expect("it can be written");
    assert_eq!(files::holder(&path), None);
    drop(Save::resume(&path).expect("nobody plays it"));
    assert!(!folder.path().join(".x.skr.lock").exists());
}

#[test]
fn a_folder_without_locks_is_said_once_and_nothing_is_refused() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    fs::create_dir(folder.path().join(".x.skr.lock")).expect("a folder in the lock's place");
    let mut save = Save::resume(&path).expect("it is played without a lock");
    assert!(save.lock_failure().is_some());
    assert!(save.lock_failure().is_none());
    save.write(&record(&["2"])).expect("the folder can be written");
}

/// A new game once took the name of a removed save, waited for its lock, and then removed what had been saved meanwhile.
#[test]
fn a_new_game_never_removes_the_save_of_a_running_one() {
    let folder = folder();
    let path = folder.path().join("x.skr");
    let mut running = Save::reserve(path.clone()).expect("a new file").expect("the name is free");
    fs::remove_file(&path).expect("it is there");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| Save::reserve(path.clone()).expect("no error").is_none());
        // While the other waits for the lock, if it does.
        std::thread::sleep(std::time::Duration::from_millis(50));
        running.write(&record(&["2"])).expect("the folder can be written");
        assert!(other.join().expect("no panic"), "the name is taken");
    });
    assert_eq!(fs::read_to_string(&path).expect("the save is there"), record(&["2"]).to_string());
}
