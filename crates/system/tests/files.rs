//! Tests of files on the host system: locks, identities, programs.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::time::Duration;

use skirmish_system::files::{canonical, identity, is_at, is_same_path, links};
use skirmish_system::{Attempt, OpenFolder, find_program, folders, lock};
use tempfile::tempdir;

#[test]
fn a_lock_has_one_holder_and_others_can_read_who() {
    let folder = tempdir().expect("a folder for the test");
    let path = folder.path().join(".x.lock");
    assert!(lock::held(&path).is_none() && lock::existing(&path).is_none());
    let Ok(Attempt::Locked(mut holder)) = lock::attempt(&path) else { panic!("it is free") };
    holder.write_all(b"me").expect("it is ours");
    let Ok(Attempt::Held(Some(mut seen))) = lock::attempt(&path) else { panic!("it is held") };
    let mut who = String::new();
    seen.read_to_string(&mut who).expect("it can be read");
    assert_eq!(who, "me");
    drop(seen);
    assert!(lock::held(&path).is_some() && lock::existing(&path).is_none());
    assert!(is_at(&holder, &path));
    fs::remove_file(&path).expect("the holder can remove it");
    drop(holder);
    assert!(lock::held(&path).is_none());
    assert!(matches!(lock::attempt(&path), Ok(Attempt::Locked(_))));
    assert!(lock::existing(&path).is_some(), "it was left behind");
}

#[test]
fn appending_waits_for_the_lock_and_reading_does_not() {
    let folder = tempdir().expect("a folder for the test");
    let path = folder.path().join("x");
    let mut first = lock::append(&path, Duration::ZERO).expect("it is free");
    first.write_all(b"one ").expect("it is ours");
    let late = lock::append(&path, Duration::from_millis(30)).expect_err("it is locked");
    assert_eq!(late.kind(), std::io::ErrorKind::TimedOut);
    assert_eq!(fs::read_to_string(&path).expect("it can be read"), "one ");
    drop(first);
    let mut second = lock::append(&path, Duration::ZERO).expect("it is free again");
    second.write_all(b"two").expect("it is ours");
    assert_eq!(fs::read_to_string(&path).expect("it can be read"), "one two");
}

#[test]
fn a_file_has_one_identity_under_all_its_names() {
    let folder = tempdir().expect("a folder for the test");
    let name = |name: &str| folder.path().join(name);
    fs::write(name("x"), "x").expect("the folder can be written");
    fs::write(name("y"), "y").expect("the folder can be written");
    let file = File::open(name("x")).expect("it exists");
    assert_eq!(links(&file).ok(), Some(1));
    fs::hard_link(name("x"), name("link")).expect("the folder can be written");
    assert_eq!(links(&file).ok(), Some(2));
    assert!(is_at(&file, &name("x")) && is_at(&file, &name("link")));
    assert!(!is_at(&file, &name("y")) && !is_at(&file, &name("none")));
    let other = File::open(name("link")).expect("it exists");
    assert_eq!(identity(&file).ok(), identity(&other).ok());
    let roundabout = canonical(folder.path().join(".").join("x")).expect("it exists");
    assert!(is_same_path(&roundabout, &canonical(name("x")).expect("it exists")));
}

#[test]
fn an_open_folder_replaces_nothing_and_writes_no_file_that_has_another_name() {
    let place = tempdir().expect("a folder for the test");
    let name = |name: &str| place.path().join(name);
    fs::write(name("taken"), "mine").expect("the folder can be written");
    fs::hard_link(name("taken"), name("other")).expect("the folder can be written");
    let folder = OpenFolder::open(place.path()).expect("it exists");
    folder.create_new("taken").expect_err("it exists");
    folder.append("taken").expect_err("it has another name");
    folder.create_new("new").expect("the name is free").write_all(b"x").expect("it is ours");
    folder.append("new").expect("it has one name").write_all(b"y").expect("it is ours");
    folder.rename("new", "taken").expect_err("it exists");
    folder.rename("new", "newer").expect("the name is free");
    assert_eq!(fs::read_to_string(name("newer")).ok().as_deref(), Some("xy"));
    assert_eq!(fs::read_to_string(name("taken")).ok().as_deref(), Some("mine"));
    folder.remove("newer").expect("it exists");
    folder.subfolder("sub").expect("it can be made");
    folder.read("sub").expect_err("it is a folder");
    let mut names = folder.names().expect("it can be read");
    names.sort();
    assert_eq!(names, ["other", "sub", "taken"].map(|name| (name.to_owned(), false)));
}

#[test]
#[cfg(unix)]
fn an_open_folder_follows_no_link_even_when_it_is_replaced_by_one() {
    let place = tempdir().expect("a folder for the test");
    let name = |name: &str| place.path().join(name);
    for folder in ["ours", "theirs"] {
        fs::create_dir(name(folder)).expect("the folder can be written");
    }
    fs::write(name("theirs/x"), "x").expect("the folder can be written");
    for link in ["x", "y"] {
        std::os::unix::fs::symlink(name("theirs/x"), name("ours").join(link)).expect("likewise");
    }
    std::os::unix::fs::symlink(name("theirs"), name("ours/sub")).expect("likewise");
    let folder = OpenFolder::open(&name("ours")).expect("it exists");
    let errors = [
        folder.read("x").map(drop),
        folder.append("x").map(drop),
        folder.subfolder("sub").map(drop),
    ];
    for error in errors {
        assert_eq!(error.expect_err("it is a link").to_string(), "it is a symbolic link");
    }
    folder.create_new("x").expect_err("the name is taken");
    folder.rename("x", "y").expect_err("the name is taken");
    assert!(folder.names().expect("it can be read").iter().all(|(_, is_link)| *is_link));
    // Replace the folder with a link.
    fs::rename(name("ours"), name("moved")).expect("the folder can be written");
    std::os::unix::fs::symlink(name("theirs"), name("ours")).expect("likewise");
    folder.create_new("new").expect("the name is free");
    assert!(name("moved/new").exists() && !name("theirs/new").exists());
}

#[test]
fn programs_are_found_by_path_and_by_name() {
    let this = std::env::current_exe().expect("the tests have a program");
    let found = find_program(this.to_str().expect("it is text"));
    assert_eq!(found, Some(this.clone()));
    let shell = if cfg!(windows) { "cmd" } else { "sh" };
    assert!(find_program(shell).is_some());
    assert_eq!(find_program("no-such-program"), None);
    assert_eq!(find_program(""), None);
    assert!(folders::data().is_some_and(|folder| folder.is_absolute()));
}
