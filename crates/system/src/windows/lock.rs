//! Locks by share mode: the holder opens the file in a way that prevents other processes from opening it for writing. A
//! lock ends with its process. `LockFileEx` is not used, because it would prevent others from reading the holder's name
//! in the file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::files::{OPEN_REPARSE_POINT, names_device};
use crate::Attempt;
use crate::common::{PAUSE, timed_out};

/// A share mode: other processes may read and delete the file.
const SHARE_READ_AND_DELETE: u32 = 0x1 | 0x4;

const ACCESS_DENIED: i32 = 5;
const SHARING_VIOLATION: i32 = 32;

/// The number of retries after "access denied", which also occurs while a file is being deleted.
const MOST_REMOVALS: usize = 5;

fn exclusive() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).share_mode(SHARE_READ_AND_DELETE);
    options.custom_flags(OPEN_REPARSE_POINT);
    options
}

fn is_held(error: &io::Error) -> bool {
    error.raw_os_error() == Some(SHARING_VIOLATION)
}

/// Tries to lock a lock file, creating it if missing.
///
/// # Errors
/// If the file cannot be opened, or is not a regular file.
pub fn attempt(path: &Path) -> io::Result<Attempt> {
    let mut removals = 0;
    loop {
        match exclusive().create(true).truncate(false).open(path) {
            Ok(file) if file.metadata()?.is_file() => return Ok(Attempt::Locked(file)),
            Ok(_) => return Err(io::Error::other("its lock file is not a regular file")),
            Err(error) if is_held(&error) => return Ok(Attempt::Held(File::open(path).ok())),
            Err(error)
                if error.raw_os_error() == Some(ACCESS_DENIED) && removals < MOST_REMOVALS =>
            {
                removals += 1;
                thread::sleep(PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Locks an existing lock file; `None` if another process holds the lock.
#[must_use]
pub fn existing(path: &Path) -> Option<File> {
    exclusive().open(path).ok()
}

/// The lock file, open for reading, if another process holds it.
#[must_use]
pub fn held(path: &Path) -> Option<File> {
    // This fails if the file is locked. Two concurrent queries do not disturb each other, because both share the file.
    let opened = OpenOptions::new().write(true).custom_flags(OPEN_REPARSE_POINT).open(path);
    match opened {
        Err(error) if is_held(&error) => File::open(path).ok(),
        Ok(_) | Err(_) => None,
    }
}

/// Opens a file for reading and appending, creating it if missing, and locks it if it is a regular file. Reading
/// requires no lock.
///
/// # Errors
/// If the file cannot be opened, or another program holds the lock for longer than `timeout`.
pub fn append(path: &Path, timeout: Duration) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    if names_device(path) {
        return options.open(path);
    }
    options.create(true).share_mode(SHARE_READ_AND_DELETE);
    let deadline = Instant::now() + timeout;
    loop {
        match options.open(path) {
            Err(error) if is_held(&error) && Instant::now() < deadline => thread::sleep(PAUSE),
            Err(error) if is_held(&error) => return Err(timed_out()),
            opened => return opened,
        }
    }
}
