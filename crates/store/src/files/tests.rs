//! Tests the writer on real files.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::*;

#[cfg(unix)]
mod unix;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    replace(path, text, Overwrite::Allowed)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The number of files in a folder, to check that nothing is left behind.
fn count(folder: &TempDir) -> usize {
    fs::read_dir(folder.path()).expect("it exists").count()
}

#[test]
fn a_dash_is_standard_output() {
    assert_eq!(PathKind::of(Path::new("-")).ok(), Some(PathKind::StandardOutput));
    assert_eq!(PathKind::of(Path::new("./-")).ok(), Some(PathKind::New));
}

#[test]
fn another_hard_link_keeps_the_old_content() {
    let folder = folder();
    let (path, backup) = (folder.path().join("x"), folder.path().join("backup"));
    fs::write(&path, "old").expect("the folder can be written");
    fs::hard_link(&path, &backup).expect("the folder can be written");
    put(&path, "new").expect("the folder can be written");
    assert_eq!((text(&path).as_str(), text(&backup).as_str()), ("new", "old"));
}

#[test]
fn nothing_is_replaced_unless_allowed() {
    let folder = folder();
    let path = folder.path().join("x");
    let exists = |result: io::Result<()>| {
        result.expect_err("writing fails").kind() == io::ErrorKind::AlreadyExists
    };
    let mut late = OutputFile::create(&path, Overwrite::Refused).expect("the file is new");
    late.write_all(b"late").expect("the draft is written");
    fs::write(&path, "old").expect("the folder can be written");
    assert!(exists(OutputFile::check(&path, Overwrite::Refused)));
    assert!(exists(replace(&path, "new", Overwrite::Refused)));
    assert!(exists(late.commit()), "a file has appeared meanwhile");
    assert_eq!((text(&path).as_str(), count(&folder)), ("old", 1));
}

#[test]
fn without_a_commit_nothing_changes() {
    let folder = folder();
    let path = folder.path().join("x");
    fs::write(&path, "old").expect("the folder can be written");
    let mut file = OutputFile::create(&path, Overwrite::Allowed).expect("writing succeeds");
    file.write_all(b"new").expect("the draft is written");
    drop(file);
    assert_eq!((text(&path).as_str(), count(&folder)), ("old", 1));
}

/// Signals end the program without running destructors.
#[test]
fn a_draft_is_removed_when_a_signal_ends_the_program() {
    // Run in a separate process, because the list of leftovers is process-wide.
    const FOLDER: &str = "SKIRMISH_TEST_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let path = PathBuf::from(folder).join("x");
        let mut file = OutputFile::create(&path, Overwrite::Allowed).expect("writing succeeds");
        file.write_all(b"new").expect("the draft is written");
        let _lock = Lock::beside(&path);
        remove_leftovers();
        std::process::exit(7);
    }
    let folder = folder();
    let this = "files::tests::a_draft_is_removed_when_a_signal_ends_the_program";
    let tests = std::env::current_exe().expect("the tests have a program");
    let ended = Command::new(tests).args(["--exact", this]).env(FOLDER, folder.path()).output();
    assert_eq!(ended.expect("it starts").status.code(), Some(7));
    assert_eq!(count(&folder), 0);
}
