//! Advisory locks on files (`flock`). A lock belongs to an open file and ends with the process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::files::{nonblocking, nonblocking_no_follow};
use crate::Attempt;
use crate::common::{PAUSE, timed_out};

/// Tries to lock a lock file, creating it if missing.
///
/// # Errors
/// If the file cannot be opened, is not a regular file, or the file system does not support locks.
pub fn attempt(path: &Path) -> io::Result<Attempt> {
    let mut options = OpenOptions::new();
    nonblocking_no_follow(options.read(true));
    let file = match options.clone().write(true).create(true).truncate(false).open(path) {
        // Another user's lock file can be locked even without write permission.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            options.open(path).map_err(|_| error)?
        }
        opened => opened?,
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("its lock file is not a regular file"));
    }
    match file.try_lock() {
        Ok(()) => Ok(Attempt::Locked(file)),
        Err(TryLockError::WouldBlock) => Ok(Attempt::Held(Some(file))),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Locks an existing lock file; `None` if another process holds the lock.
#[must_use]
pub fn existing(path: &Path) -> Option<File> {
    let file = nonblocking_no_follow(OpenOptions::new().read(true)).open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// The lock file, open for reading, if another process holds it.
#[must_use]
pub fn held(path: &Path) -> Option<File> {
    let file = nonblocking_no_follow(OpenOptions::new().read(true)).open(path).ok()?;
    // Use a shared lock, so that two concurrent queries do not disturb each other.
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(file),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// Opens a file for reading and appending, creating it if missing, and locks it if it is a regular file. Reading
/// requires no lock.
///
/// # Errors
/// If the file cannot be opened, or another program holds the lock for longer than `timeout`.
pub fn append(path: &Path, timeout: Duration) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = nonblocking(options.read(true).append(true).create(true)).open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(file);
    }
    let deadline = Instant::now() + timeout;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(timed_out()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
