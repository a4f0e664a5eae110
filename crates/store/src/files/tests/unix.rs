//! Tests with links, modes, owners, pipes and devices.

use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::thread;

use super::super::writer::open_in_place;
use super::*;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it exists").mode() & 0o7777
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe can be made");
}

#[test]
fn a_new_file_has_the_default_mode() {
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
        fs::remove_file(&path).expect("it exists");
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
fn a_link_or_a_second_name_is_not_written_in_place() {
    let folder = folder();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("file"), "old").expect("the folder can be written");
    open_in_place(&file("file")).expect("it has one name");
    symlink("file", file("link")).expect("the folder can be written");
    open_in_place(&file("link")).expect_err("it is a link");
    fs::hard_link(file("file"), file("name")).expect("the folder can be written");
    let error = open_in_place(&file("name")).expect_err("it has two names").to_string();
    assert!(error.starts_with("it has other hard links"), "{error}");
}

#[test]
fn an_unwritable_target_is_refused_with_the_reason() {
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
        ("pipe", "no process reads from this pipe"),
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
    assert_eq!(count(&folder), 6, "nothing has changed");
}

#[test]
fn a_pipe_with_a_reader_is_written() {
    let folder = folder();
    let path = folder.path().join("pipe");
    pipe(&path);
    let long = "x".repeat(1 << 20);
    // Opened for reading and writing, so that opening does not block.
    let mut reader =
        fs::File::options().read(true).write(true).open(&path).expect("the pipe is there");
    let mut file = OutputFile::create(&path, Overwrite::Refused).expect("it has a reader");
    let read = thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        reader.read_exact(&mut bytes).map(|()| bytes)
    });
    file.write_all(long.as_bytes()).expect("the reader accepts it");
    file.commit().expect("the reader accepts it");
    let bytes = read.join().expect("the reader succeeds").expect("all bytes arrive");
    assert_eq!(bytes, long.as_bytes());
    assert!(fs::symlink_metadata(&path).is_ok_and(|it| !it.is_file()), "it is still a pipe");
}

#[test]
fn writing_to_a_stalled_reader_times_out() {
    let folder = folder();
    let path = folder.path().join("pipe");
    pipe(&path);
    let _reader = fs::File::options().read(true).write(true).open(&path).expect("it exists");
    let file = OutputFile::create_with_timeout(&path, Overwrite::Refused);
    let mut file = file.expect("it has a reader");
    let written = file.write_all("x".repeat(1 << 20).as_bytes()).and_then(|()| file.flush());
    assert_eq!(written.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
    // Forget the file: dropping it would try to write the rest of the buffer.
    std::mem::forget(file);
}

/// A device like `/dev/null` or `/dev/full`, created for the test; `None` if creating it needs root.
#[cfg(target_os = "linux")]
fn device(folder: &TempDir, name: &str, major: u32, minor: u32) -> Option<PathBuf> {
    let path = folder.path().join(name);
    let numbers = ["c".to_owned(), major.to_string(), minor.to_string()];
    let made = Command::new("mknod").arg(&path).args(numbers).output();
    if made.is_ok_and(|made| made.status.success()) {
        return Some(path);
    }
    eprintln!("SKIPPED: no device can be made here");
    None
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_stays_a_device() {
    let folder = folder();
    let (Some(null), Some(full)) = (device(&folder, "null", 1, 3), device(&folder, "full", 1, 7))
    else {
        return;
    };
    if fs::File::options().append(true).open(&null).is_err() {
        eprintln!("SKIPPED: no device can be used here");
        return;
    }
    let link = folder.path().join("link");
    symlink("null", &link).expect("the folder can be written");
    for path in [&null, &link] {
        put(path, "new").expect("the device accepts everything");
    }
    let error = put(&full, "new").expect_err("the device accepts nothing");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    for path in [null, full] {
        assert!(fs::symlink_metadata(path).is_ok_and(|it| !it.is_file()));
    }
    assert_eq!(count(&folder), 3);
}

/// Behaves like `/dev/tty` for a program without a terminal.
#[test]
#[cfg(target_os = "linux")]
fn a_device_without_a_driver_is_not_reported_as_a_pipe() {
    let folder = folder();
    // No driver is registered for this device number.
    let Some(path) = device(&folder, "device", 4095, 0) else { return };
    let error = put(&path, "new").expect_err("there is no such device").to_string();
    assert!(!error.contains("pipe"), "{error}");
}

/// Replacing an open file by name would leave the process that has it open with the old file.
#[test]
fn an_open_file_is_appended_to() {
    let folder = folder();
    let path = folder.path().join("x");
    let mut open = fs::File::create(&path).expect("the folder can be written");
    open.write_all(b"first ").expect("it is ours");
    let inode = fs::metadata(&path).expect("it exists").ino();
    let number = std::os::fd::AsRawFd::as_raw_fd(&open);
    let descriptor = PathBuf::from(format!("/proc/self/fd/{number}"));
    if !descriptor.exists() {
        eprintln!("SKIPPED: there is no /proc here");
        return;
    }
    replace(&descriptor, "second", Overwrite::Refused).expect("it is open");
    assert_eq!(text(&path), "first second");
    assert_eq!(fs::metadata(&path).expect("it exists").ino(), inode);
}

#[test]
fn dev_stdout_is_standard_output() {
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        if Path::new("/proc/self/fd/1").exists() {
            assert_eq!(
                PathKind::of(Path::new(path)).ok(),
                Some(PathKind::StandardOutput),
                "{path}"
            );
        }
    }
}

/// Needs root: only root can change the owner of a file.
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
    let data = fs::metadata(&path).expect("it exists");
    assert_eq!((data.uid(), data.gid(), text(&path).as_str()), (65_534, 65_534, "new"));
}

#[test]
fn a_secret_can_be_read_by_its_owner_only_whatever_the_file_was_before() {
    let folder = folder();
    let path = folder.path().join("secret");
    replace_private(&path, "new").expect("the folder can be written");
    assert_eq!((mode(&path), text(&path).as_str()), (0o600, "new"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("it is ours");
    replace_private(&path, "newer").expect("the folder can be written");
    assert_eq!((mode(&path), text(&path).as_str()), (0o600, "newer"));
}
