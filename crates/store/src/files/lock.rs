//! Advisory locks: a lock file beside the protected file names the lock's holder.
//!
//! The protected file itself cannot be locked, because saving replaces it with a new file. The lock belongs to an open
//! file and ends with the process, so a stale lock file is harmless.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use skirmish_system::files::{identity, is_at, links};
use skirmish_system::{Attempt, lock, machine, terminal};

use super::leftovers::Leftover;
use super::target::Target;
use crate::calendar;

/// The suffix of lock files, whose names begin with a dot.
const SUFFIX: &str = ".lock";

/// The first bytes of a lock file.
const SIGNATURE: &[u8; 8] = b"process=";

/// Maximum number of bytes read from a lock file.
const LARGEST: u64 = 1024;

/// How long to retry: another process may hold the lock only briefly, to query its holder.
const TIMEOUT: Duration = Duration::from_millis(300);

/// The pause between attempts to acquire a lock.
const PAUSE: Duration = Duration::from_millis(10);

/// A lock, held until this value is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    leftover: Option<Leftover>,
}

/// The reasons why a lock was not acquired.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds the lock.
    Held(Holder),
    /// The folder is not writable, or the file system does not support locks.
    Impossible(io::Error),
}

impl Lock {
    /// Locks a file, whether or not it exists, through a lock file beside it.
    ///
    /// # Errors
    /// If another process holds the lock, or files cannot be locked here.
    pub fn beside(path: &Path) -> Result<Self, LockError> {
        Self::acquire(lock_file(path).map_err(LockError::Impossible)?)
    }

    /// Acquires the lock of the lock file at `path`.
    ///
    /// # Errors
    /// If another process holds the lock, or files cannot be locked here.
    pub fn acquire(path: PathBuf) -> Result<Self, LockError> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            match lock::attempt(&path).map_err(LockError::Impossible)? {
                Attempt::Locked(file) if is_at(&file, &path) => {
                    if !is_replaceable(&file) {
                        let error = io::Error::other("another file has the name of its lock file");
                        return Err(LockError::Impossible(error));
                    }
                    sign(&file);
                    let leftover = Some(Leftover::register(&path));
                    return Ok(Self { file, path, leftover });
                }
                // Another process is querying the holder, or the last holder has just removed the lock file.
                Attempt::Locked(_) | Attempt::Held(_) if Instant::now() < deadline => {
                    thread::sleep(PAUSE);
                }
                Attempt::Locked(_) => {
                    let error = io::Error::other("its lock file has no stable identity");
                    return Err(LockError::Impossible(error));
                }
                Attempt::Held(file) => {
                    let holder = file.as_ref().map(Holder::read).unwrap_or_default();
                    return Err(LockError::Held(holder));
                }
            }
        }
    }

    /// The identity of the lock file, which is unique while the lock is held.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn identity(&self) -> io::Result<(u64, u64)> {
        identity(&self.file)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Deregister before unlocking: after unlocking, the file may belong to another process.
        self.leftover = None;
        // Remove the file while holding the lock, so as not to remove another process's lock file.
        if is_at(&self.file, &self.path) {
            drop(fs::remove_file(&self.path));
        }
    }
}

/// The process that holds the lock on a file, if any.
#[must_use]
pub fn holder(path: &Path) -> Option<Holder> {
    let path = lock_file(path).ok()?;
    lock::held(&path).map(|file| Holder::read(&file))
}

/// Whether a file is a lock file.
#[must_use]
pub fn is_lock_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.ends_with(SUFFIX)
}

/// Removes a stale lock file.
pub fn remove_unheld(path: &Path) {
    if let Some(file) = lock::existing(path)
        && is_at(&file, path)
        && is_replaceable(&file)
    {
        drop(fs::remove_file(path));
    }
}

/// The path of the lock file for a file, or for the target of a symbolic link.
fn lock_file(path: &Path) -> io::Result<PathBuf> {
    let target = Target::resolve(path)?;
    let file = target.file().ok_or(io::ErrorKind::Unsupported)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(file.with_file_name(format!(".{name}{SUFFIX}")))
}

/// Whether a file has no other hard links and holds nothing but text that `sign` may have written.
fn is_replaceable(mut file: &File) -> bool {
    let mut start = Vec::new();
    let read = file.rewind().and_then(|()| file.take(LARGEST).read_to_end(&mut start));
    let is_ours = read.and_then(|_| file.rewind()).is_ok()
        && (start.is_empty() || start.starts_with(SIGNATURE));
    is_ours && links(file).is_ok_and(|links| links == 1)
}

/// A process that holds a lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    process: Option<u32>,
    host: String,
    terminal: String,
    since: String,
}

impl Holder {
    /// Parses a lock file, whose contents are untrusted.
    fn read(mut file: &File) -> Self {
        let mut bytes = Vec::new();
        // If reading fails, the holder remains unknown.
        drop(Read::by_ref(&mut file).take(LARGEST).read_to_end(&mut bytes));
        let text = String::from_utf8_lossy(&bytes);
        let field = |name: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            found.unwrap_or_default().chars().filter(|letter| matches!(letter, ' '..='~')).collect()
        };
        let process: String = field("process");
        Self {
            process: process.parse().ok(),
            host: field("host"),
            terminal: field("terminal"),
            since: field("since"),
        }
    }
}

/// Formats a holder as `process 1234 on /dev/pts/3, since 2026-11-15 17:40 UTC`.
impl fmt::Display for Holder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.process {
            Some(process) => write!(formatter, "process {process}")?,
            None => formatter.write_str("another program")?,
        }
        if !self.host.is_empty() && self.host != machine::host_name() {
            write!(formatter, " of {}", self.host)?;
        }
        if !self.terminal.is_empty() {
            write!(formatter, " on {}", self.terminal)?;
        }
        if !self.since.is_empty() {
            write!(formatter, ", since {}", self.since)?;
        }
        Ok(())
    }
}

/// Writes this process's identity to the lock file. The lock is valid even if this fails.
fn sign(mut file: &File) {
    let (process, host, since) = (std::process::id(), machine::host_name(), calendar::now());
    let terminal = terminal::name().unwrap_or_default();
    let text = format!("process={process}\nhost={host}\nterminal={terminal}\nsince={since}\n");
    drop(file.set_len(0).and_then(|()| file.write_all(text.as_bytes())));
}
