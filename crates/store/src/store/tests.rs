//! Tests the folder of saved games, and its handling of arbitrary content.

use skirmish_rules::GAMES;

use super::*;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let store = Store::at(folder.path().join("games"));
    (folder, store)
}

fn record() -> Record {
    let entry = GAMES.find("base-battle").expect("the game exists");
    Record::of(&*entry.open(entry.setup()).expect("no position is set"))
}

/// The record of a game of Base Battle after these moves.
fn record_of(moves: &[&str]) -> Record {
    let mut table = record().table();
    for played in moves {
        table.play(played).expect("the move is legal");
    }
    Record::of(&*table)
}

/// Saves a game after these moves, older than any later save.
fn saved(store: &Store, moves: &[&str]) -> PathBuf {
    let mut save = store.create(record().entry).expect("the folder can be made");
    save.write(&record_of(moves)).expect("the folder can be written");
    let path = save.path().to_owned();
    drop(save);
    if moves.is_empty() {
        // Simulate a program that was killed before the first turn.
        fs::write(&path, record().to_string()).expect("the folder can be written");
    }
    age(store);
    path
}

/// Makes every file in the folder a minute older.
fn age(store: &Store) {
    for file in store.files() {
        let Ok(file) = File::options().write(true).open(file) else { continue };
        let time = file.metadata().and_then(|data| data.modified()).expect("files have times");
        file.set_modified(time - Duration::from_mins(1)).expect("times can be set");
    }
}

fn latest_of(store: &Store) -> Option<PathBuf> {
    store.latest(GAMES).game.map(|(path, _)| path)
}

#[test]
fn a_save_is_read_back() {
    let (_folder, store) = store();
    let record = record_of(&["2"]);
    let mut save = store.create(record.entry).expect("the folder can be made");
    save.write(&record).expect("the folder can be written");
    let path = save.path().to_owned();
    drop(save);
    let (found, read) = store.latest(GAMES).game.expect("a game is saved");
    assert_eq!((found, read.to_string()), (path, record.to_string()));
}

#[test]
fn two_games_never_share_a_file() {
    let (_folder, store) = store();
    let first = store.create(record().entry).expect("the folder can be made");
    let second = store.create(record().entry).expect("the folder can be made");
    assert_ne!(first.path(), second.path());
}

#[test]
fn a_game_in_which_nothing_was_played_leaves_no_file() {
    let (_folder, store) = store();
    let mut save = store.create(record().entry).expect("the folder can be made");
    save.write(&record()).expect("the folder can be written");
    assert!(save.path().exists());
    drop(save);
    assert_eq!(store.files().count(), 0, "neither a save nor a lock file");
}

#[test]
fn a_save_without_turns_never_hides_a_game() {
    let (_folder, store) = store();
    let played = saved(&store, &["2"]);
    let unplayed = saved(&store, &[]);
    assert_ne!(played, unplayed);
    assert_eq!(latest_of(&store), Some(played.clone()));
    fs::remove_file(played).expect("it exists");
    assert_eq!(latest_of(&store), Some(unplayed), "it is better than nothing");
}

#[test]
fn a_reserved_file_is_not_a_damaged_game() {
    let (_folder, store) = store();
    let save = store.create(record().entry).expect("the folder can be made");
    assert_eq!(store.games(GAMES).count(), 0);
    let path = save.path().to_owned();
    drop(save);
    fs::write(path, "").expect("the folder can be written");
    assert_eq!(store.games(GAMES).count(), 1, "it is no longer reserved");
}

#[test]
#[cfg(unix)]
fn damaged_files_are_reported_without_blocking() {
    let (_folder, store) = store();
    let played = saved(&store, &["2"]);
    let file = |name: &str| store.folder().join(name);
    fs::write(file("text.skr"), "Dear diary").expect("the folder can be written");
    fs::write(file("empty.skr"), "").expect("the folder can be written");
    let large = File::create(file("large.skr")).expect("the folder can be written");
    large.set_len(LARGEST_RECORD + 1).expect("a file can have holes");
    fs::create_dir(file("folder.skr")).expect("the folder can be written");
    std::os::unix::fs::symlink("nowhere", file("dangling.skr")).expect("the folder can be written");
    let made = std::process::Command::new("mkfifo").arg(file("pipe.skr")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe can be made");
    let latest = store.latest(GAMES);
    assert_eq!(latest.game.map(|(path, _)| path), Some(played));
    let told: Vec<String> = latest.damaged.iter().map(ToString::to_string).collect();
    for reason in [
        "text.skr, line 1: ",
        "empty.skr, line 1: ",
        "large.skr is too large for a record: at most 16 MiB",
        "folder.skr: is a directory",
        "pipe.skr: it is not a regular file",
    ] {
        assert!(told.iter().any(|it| it.contains(reason)), "{reason}\n{told:?}");
    }
}

#[test]
fn a_game_that_is_being_played_is_skipped() {
    let (_folder, store) = store();
    let older = saved(&store, &["2"]);
    let newer = saved(&store, &["3"]);
    assert_eq!(latest_of(&store), Some(newer.clone()));
    let playing = Save::resume(&newer).expect("it is unlocked");
    let latest = store.latest(GAMES);
    assert_eq!(latest.game.map(|(path, _)| path), Some(older));
    let [(path, holder)] = latest.playing.as_slice() else { panic!("{:?}", latest.playing) };
    assert_eq!(*path, newer);
    assert!(holder.to_string().starts_with(&format!("process {}", std::process::id())));
    drop(playing);
    assert_eq!(latest_of(&store), Some(newer));
}

#[test]
fn stale_files_of_killed_programs_are_removed() {
    let (_folder, store) = store();
    let played = saved(&store, &["2"]);
    let file = |name: &str| store.folder().join(name);
    fs::write(file(".x.skr.lock"), "process=1\n").expect("the folder can be written");
    let old = File::create(file(".unfinished-old")).expect("the folder can be written");
    old.set_modified(SystemTime::now() - 2 * LONGEST_WRITE).expect("files have times");
    drop(old);
    fs::write(file(".unfinished-new"), "").expect("the folder can be written");
    drop(store.create(record().entry).expect("the folder is there"));
    let mut left: Vec<PathBuf> = store.files().collect();
    left.sort();
    assert_eq!(left, [file(".unfinished-new"), played]);
}

#[test]
fn a_file_that_is_not_text_names_the_line() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("x.skr");
    fs::write(&path, b"[Game \"base-battle\"]\n\xff\n").expect("the folder can be written");
    let error = read_record(&path, GAMES).expect_err("it is not text").to_string();
    assert!(error.ends_with("line 2: this is not UTF-8 text"), "{error}");
}

#[test]
fn a_game_is_deleted_unless_somebody_plays_it() {
    let (_folder, store) = store();
    let path = saved(&store, &["3", "2"]);
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(store.named(&name), Some(path.clone()));
    assert_eq!(store.named(name.trim_end_matches(".skr")), Some(path.clone()));
    let playing = Save::resume(&path).expect("it is unlocked");
    assert!(matches!(store.delete(&path), Err(StoreError::Playing(..))));
    assert!(path.exists());
    drop(playing);
    store.delete(&path).expect("it is unlocked");
    assert_eq!(store.files().count(), 0, "nor is a lock left");
    assert!(matches!(store.delete(&path), Err(StoreError::Delete(..))));
    assert_eq!(store.named(&name), None);
}

#[test]
#[cfg(unix)]
fn an_error_shows_no_control_characters_of_a_files_name() {
    let (_place, store) = store();
    fs::create_dir(store.folder()).expect("the place is empty");
    fs::write(store.folder().join("x\u{1b}[2J.skr"), "damaged").expect("likewise");
    let damaged = store.latest(GAMES).damaged;
    let told = damaged.first().expect("not a record").to_string();
    assert!(told.contains("[2J.skr") && !told.contains(char::is_control), "{told:?}");
}
