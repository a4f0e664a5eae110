//! The writer on real files: links, modes, owners, pipes and devices, each made for the test.

use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use rustix::fs::{CWD, FileType, Mode, makedev, mkfifoat, mknodat};
use tempfile::TempDir;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    replace(path, text, Overwrite::Allowed)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").mode() & 0o7777
}

/// The files in a folder, so that nothing is left behind unnoticed.
fn count(folder: &TempDir) -> usize {
    fs::read_dir(folder.path()).expect("it is there").count()
}

fn pipe(path: &Path) {
    mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).expect("a pipe can be made");
}

#[test]
fn a_new_file_has_the_mode_that_the_umask_leaves() {
    let folder = folder();
    let (ours, usual) = (folder.path().join("ours"), folder.path().join("usual"));
    put(&ours, "new").expect("the folder can be written");
    fs::write(&usual, "new").expect("the folder can be written");
    assert_eq!(mode(&ours), mode(&usual));
    assert_eq!((text(&ours).as_str(), count(&folder)), ("new", 2));
}

#[test]
fn a_file_keeps_its_mode() {
    let folder = folder();
    let path = folder.path().join("x");
    for kept in [0o644, 0o600, 0o664, 0o4755, 0o400] {
        fs::write(&path, "old").expect("the folder can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(kept)).expect("it is ours");
        put(&path, "new").expect("the folder can be written");
        assert_eq!((mode(&path), text(&path).as_str()), (kept, "new"));
        fs::remove_file(&path).expect("it is there");
    }
}

#[test]
fn a_link_stays_and_its_target_is_written() {
    let folder = folder();
    let file = |name: &str| folder.path().join(name);
    fs::create_dir(file("sub")).expect("the folder can be written");
    symlink("sub/target", file("one")).expect("the folder can be written");
    symlink("one", file("two")).expect("the folder can be written");
    for content in ["made through two links", "replaced through them"] {
        put(&file("two"), content).expect("the folder can be written");
        assert_eq!(text(&file("sub/target")), content);
    }
    for link in ["one", "two"] {
        assert!(fs::symlink_metadata(file(link)).is_ok_and(|it| it.is_symlink()), "{link}");
    }
    assert_eq!(count(&folder), 3);
}

#[test]
fn another_name_of_a_file_keeps_the_old_content() {
    let folder = folder();
    let (path, backup) = (folder.path().join("x"), folder.path().join("backup"));
    fs::write(&path, "old").expect("the folder can be written");
    fs::hard_link(&path, &backup).expect("the folder can be written");
    put(&path, "new").expect("the folder can be written");
    assert_eq!((text(&path).as_str(), text(&backup).as_str()), ("new", "old"));
}

#[test]
fn what_cannot_be_a_file_is_refused_with_the_reason() {
    let folder = folder();
    let file = |name: &str| folder.path().join(name);
    fs::create_dir(file("folder")).expect("the folder can be written");
    symlink("loop", file("loop")).expect("the folder can be written");
    symlink("new/", file("link")).expect("the folder can be written");
    fs::write(file("file"), "old").expect("the folder can be written");
    pipe(&file("pipe"));
    let _listener = UnixListener::bind(file("socket")).expect("a socket can be made");
    for (name, reason) in [
        ("folder", "directory"),
        ("loop", "symbolic link"),
        ("pipe", "nobody reads from this pipe"),
        ("socket", "it is a socket"),
        ("no/such", "No such file"),
        ("..", "directory"),
        ("new/", "No such file"),
        ("new/.", "No such file"),
        ("link", "No such file"),
        ("file/", "ot a directory"),
    ] {
        let error = put(&file(name), "new").expect_err(name).to_string();
        assert!(error.contains(reason), "{name}: {error}");
    }
    assert_eq!(count(&folder), 6, "everything is as it was");
}

#[test]
fn a_pipe_with_a_reader_is_written() {
    let folder = folder();
    let path = folder.path().join("pipe");
    pipe(&path);
    let long = "x".repeat(1 << 20);
    // Opened for both, so that opening does not wait for us.
    let mut reader =
        fs::File::options().read(true).write(true).open(&path).expect("the pipe is there");
    let mut file = OutputFile::create(&path, Overwrite::Refused).expect("it has a reader");
    let read = thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        reader.read_exact(&mut bytes).map(|()| bytes)
    });
    file.write_all(long.as_bytes()).expect("it is read");
    file.commit().expect("it is read");
    let bytes = read.join().expect("no reader panics").expect("all of it is there");
    assert_eq!(bytes, long.as_bytes());
    assert!(fs::symlink_metadata(&path).is_ok_and(|it| !it.is_file()), "it is still a pipe");
}

#[test]
fn a_reader_that_does_not_read_is_given_up_on() {
    let folder = folder();
    let path = folder.path().join("pipe");
    pipe(&path);
    let _reader = fs::File::options().read(true).write(true).open(&path).expect("it is there");
    let file = OutputFile::create(&path, Overwrite::Refused).expect("it has a reader");
    let mut file = file.giving_up_on_readers();
    let written = file.write_all("x".repeat(1 << 20).as_bytes()).and_then(|()| file.flush());
    assert_eq!(written.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
    // What is still buffered is of no use to anybody.
    std::mem::forget(file);
}

/// A device as `/dev/null` or `/dev/full` is, made for the test; none where only root may make it.
fn device(folder: &TempDir, name: &str, minor: u32) -> Option<PathBuf> {
    let path = folder.path().join(name);
    let mode = Mode::from_raw_mode(0o666);
    match mknodat(CWD, &path, FileType::CharacterDevice, mode, makedev(1, minor)) {
        Ok(()) if fs::File::options().append(true).open(&path).is_ok() => Some(path),
        _ => {
            eprintln!("SKIPPED: no device can be made here");
            None
        }
    }
}

#[test]
fn a_device_stays_a_device() {
    let folder = folder();
    let (Some(null), Some(full)) = (device(&folder, "null", 3), device(&folder, "full", 7)) else {
        return;
    };
    let link = folder.path().join("link");
    symlink("null", &link).expect("the folder can be written");
    for path in [&null, &link] {
        put(path, "new").expect("it takes everything");
    }
    let error = put(&full, "new").expect_err("it takes nothing");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    for path in [null, full] {
        assert!(fs::symlink_metadata(path).is_ok_and(|it| !it.is_file()));
    }
    assert_eq!(count(&folder), 3);
}

/// As `/dev/tty` is for a program without a terminal.
#[test]
fn a_device_that_is_not_there_is_no_pipe() {
    let folder = folder();
    let path = folder.path().join("device");
    let no_driver = makedev(4095, 0);
    let mode = Mode::from_raw_mode(0o666);
    if mknodat(CWD, &path, FileType::CharacterDevice, mode, no_driver).is_err() {
        eprintln!("SKIPPED: no device can be made here");
        return;
    }
    let error = put(&path, "new").expect_err("there is no such device").to_string();
    assert!(!error.contains("pipe"), "{error}");
}

#[test]
fn nothing_is_replaced_unless_that_is_allowed() {
    let folder = folder();
    let path = folder.path().join("x");
    let exists = |result: io::Result<()>| {
        result.expect_err("it is refused").kind() == io::ErrorKind::AlreadyExists
    };
    let mut late = OutputFile::create(&path, Overwrite::Refused).expect("nothing is there yet");
    late.write_all(b"late").expect("the draft is written");
    fs::write(&path, "old").expect("the folder can be written");
    assert!(exists(OutputFile::check(&path, Overwrite::Refused)));
    assert!(exists(replace(&path, "new", Overwrite::Refused)));
    assert!(exists(late.commit()), "a file has appeared meanwhile");
    assert_eq!((text(&path).as_str(), count(&folder)), ("old", 1));
}

#[test]
fn what_is_not_committed_changes_nothing() {
    let folder = folder();
    let path = folder.path().join("x");
    fs::write(&path, "old").expect("the folder can be written");
    let mut file = OutputFile::create(&path, Overwrite::Allowed).expect("it can be written");
    file.write_all(b"new").expect("the draft is written");
    drop(file);
    assert_eq!((text(&path).as_str(), count(&folder)), ("old", 1));
}

/// What a process has open is written as it is open: replacing it by name would leave the other with the old file.
#[test]
fn an_open_file_is_appended_to() {
    let folder = folder();
    let path = folder.path().join("x");
    let mut open = fs::File::create(&path).expect("the folder can be written");
    open.write_all(b"first ").expect("it is ours");
    let inode = fs::metadata(&path).expect("it is there").ino();
    let number = std::os::fd::AsRawFd::as_raw_fd(&open);
    let descriptor = PathBuf::from(format!("/proc/self/fd/{number}"));
    if !descriptor.exists() {
        eprintln!("SKIPPED: there is no /proc here");
        return;
    }
    replace(&descriptor, "second", Overwrite::Refused).expect("it is open");
    assert_eq!(text(&path), "first second");
    assert_eq!(fs::metadata(&path).expect("it is there").ino(), inode);
}

#[test]
fn a_dash_and_dev_stdout_are_standard_output() {
    for path in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        if path == "-" || Path::new("/proc/self/fd/1").exists() {
            assert_eq!(Kind::of(Path::new(path)).ok(), Some(Kind::StandardOutput), "{path}");
        }
    }
    assert_eq!(Kind::of(Path::new("./-")).ok(), Some(Kind::New));
}

/// Runs this test's own process as root; whatever is written keeps the owner it had.
#[test]
fn a_file_keeps_its_owner() {
    let folder = folder();
    let path = folder.path().join("x");
    fs::write(&path, "old").expect("the folder can be written");
    if let Err(error) = std::os::unix::fs::chown(&path, Some(65_534), Some(65_534)) {
        eprintln!("SKIPPED: only root can give files away: {error}");
        return;
    }
    put(&path, "new").expect("root may do anything");
    let data = fs::metadata(&path).expect("it is there");
    assert_eq!((data.uid(), data.gid(), text(&path).as_str()), (65_534, 65_534, "new"));
}

/// A draft must not outlive a program that a signal ends; there destructors do not run.
#[test]
fn a_draft_is_removed_when_a_signal_ends_the_program() {
    // In a process of its own: the list of leftovers belongs to the whole process.
    const FOLDER: &str = "SKIRMISH_TEST_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let path = PathBuf::from(folder).join("x");
        let mut file = OutputFile::create(&path, Overwrite::Allowed).expect("it can be written");
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
