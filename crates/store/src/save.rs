//! The file that a game is saved in, turn by turn. While a game is being played its file is locked.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use skirmish_rules::Record;

use crate::files::{self, Leftover, Lock, LockError, Overwrite, PathKind, same_file};
use crate::store::{StoreError, is_begun};

/// A file that a game is saved in.
#[derive(Debug)]
pub struct Save {
    path: PathBuf,
    replaces: Replaces,
    /// Nothing has been played yet: the file is removed when the game is left.
    unplayed: Option<Leftover>,
    /// None where files cannot be locked.
    _lock: Option<Lock>,
    /// Why it cannot be locked.
    unlocked: Option<io::Error>,
}

/// What the next write may replace.
#[derive(Debug)]
enum Replaces {
    /// Nothing: the file must not exist.
    Nothing,
    /// The file while it still holds exactly this, which was written here for this game.
    Unchanged(String),
    /// Whatever is there, once: the player allowed it.
    AnythingOnce,
    /// Whatever is there: the game was resumed from this file.
    Anything,
}

impl Replaces {
    fn overwrite(&self, path: &Path) -> Overwrite {
        Overwrite::if_forced(match self {
            Self::Nothing => false,
            Self::Unchanged(text) => holds(path, text),
            Self::AnythingOnce | Self::Anything => true,
        })
    }
}

impl Save {
    /// Makes a file that is not there yet, for a new game. None if there is one of that name.
    pub fn reserve(path: PathBuf) -> io::Result<Option<Self>> {
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(None);
        }
        // First the lock: somebody may be playing a game whose file was removed, and save it again at any moment.
        let (lock, unlocked) = match Lock::beside(&path) {
            Ok(lock) => (Some(lock), None),
            Err(LockError::Held(_)) => return Ok(None),
            Err(LockError::Impossible(error)) => (None, Some(error)),
        };
        // `create_new` reserves the name, so that two programs never share a save, with or without a lock.
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        }
        let unplayed = Some(Leftover::register(&path));
        let replaces = Replaces::Unchanged(String::new());
        Ok(Some(Self { path, replaces, unplayed, _lock: lock, unlocked }))
    }

    /// The file of a game that goes on. It is to be read after this, not before: until it is locked another program may
    /// play on.
    ///
    /// # Errors
    /// If it is being played.
    pub fn resume(path: &Path) -> Result<Self, StoreError> {
        Self::locked(path, Replaces::Anything)
    }

    /// A file that the player named, for this game. What is there may be replaced only if that is allowed.
    ///
    /// # Errors
    /// If a file is there, if it is being played, or if it cannot be a file.
    pub fn claim(path: &Path, overwrite: Overwrite) -> Result<Self, StoreError> {
        let failed = |cause| StoreError::Write { path: path.to_owned(), cause };
        // First the lock and then a look at the file, as in `resume`.
        let mut save = Self::locked(path, Replaces::Nothing)?;
        save.replaces = match PathKind::of(path).map_err(failed)? {
            PathKind::New => Replaces::Nothing,
            PathKind::File if overwrite == Overwrite::Allowed => Replaces::AnythingOnce,
            PathKind::File => return Err(StoreError::Exists(absolute(path))),
            PathKind::StandardOutput | PathKind::Terminal | PathKind::Stream => {
                return Err(failed(io::Error::other("a game cannot be kept in a stream")));
            }
        };
        Ok(save)
    }

    fn locked(path: &Path, replaces: Replaces) -> Result<Self, StoreError> {
        let path = absolute(path);
        let (lock, unlocked) = match Lock::beside(&path) {
            Ok(lock) => (Some(lock), None),
            Err(LockError::Held(holder)) => return Err(StoreError::Playing { path, holder }),
            Err(LockError::Impossible(error)) => (None, Some(error)),
        };
        Ok(Self { path, replaces, unplayed: None, _lock: lock, unlocked })
    }

    /// Lets the next write replace the file whatever it holds.
    pub fn allow_overwriting(&mut self) {
        if !matches!(self.replaces, Replaces::Anything) {
            self.replaces = Replaces::AnythingOnce;
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a path leads to this file.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        same_file(&self.path, path)
    }

    /// Why another program could play the same game, if it could. Told once.
    pub fn lock_failure(&mut self) -> Option<io::Error> {
        self.unlocked.take()
    }

    /// Saves the record. Whatever goes wrong, the file holds either the old record or the new one.
    ///
    /// # Errors
    /// If it cannot be written, or if something else has written the file meanwhile; it stays as it is then.
    pub fn write(&mut self, record: &Record) -> Result<(), StoreError> {
        let text = record.to_string();
        write(&self.path, &text, self.replaces.overwrite(&self.path))?;
        if !matches!(self.replaces, Replaces::Anything) {
            self.replaces = Replaces::Unchanged(text);
        }
        if is_begun(record) {
            self.unplayed = None;
        }
        Ok(())
    }

    /// Whether a turn has been saved, or the game was not made here.
    #[must_use]
    pub const fn is_worth_keeping(&self) -> bool {
        self.unplayed.is_none()
    }
}

impl Drop for Save {
    fn drop(&mut self) {
        if self.unplayed.is_some() && self.replaces.overwrite(&self.path) == Overwrite::Allowed {
            // A file that is gone already, or cannot be removed, does no harm.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Writes a record to a file once. A file that is there may be replaced if that is allowed, or if it still holds
/// exactly what was last written there for this game.
///
/// # Errors
/// If another file is there, if it is a game that is being played, or if it cannot be written.
pub fn write_record(
    path: &Path,
    record: &Record,
    last_written: Option<&str>,
    overwrite: Overwrite,
) -> Result<(), StoreError> {
    let path = absolute(path);
    let _lock = match Lock::beside(&path) {
        Ok(lock) => Some(lock),
        Err(LockError::Held(holder)) => return Err(StoreError::Playing { path, holder }),
        Err(LockError::Impossible(_)) => None,
    };
    let is_own = last_written.is_some_and(|text| holds(&path, text));
    let overwrite = Overwrite::if_forced(is_own || overwrite == Overwrite::Allowed);
    write(&path, &record.to_string(), overwrite)
}

fn write(path: &Path, text: &str, overwrite: Overwrite) -> Result<(), StoreError> {
    files::replace(path, text, overwrite).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => StoreError::Exists(path.to_owned()),
        _ => StoreError::Write { path: path.to_owned(), cause },
    })
}

fn absolute(path: &Path) -> PathBuf {
    if path == Path::new("-") {
        return path.to_owned();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether a file holds exactly this text.
fn holds(path: &Path, text: &str) -> bool {
    let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    files::read_regular(path, length).is_ok_and(|bytes| bytes == text.as_bytes())
}

#[cfg(test)]
mod tests;
