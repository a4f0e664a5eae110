//! The file that a game is saved in, turn by turn. While a game is being played its file is locked.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use skirmish_rules::Record;

use crate::files::{self, Kind, Leftover, Lock, LockError, Overwrite, same_file};
use crate::store::{StoreError, is_begun};

/// The largest file that is compared with a game to find out whether it is an earlier state of it.
const LARGEST_COMPARED: u64 = 16 << 20;

/// A file that a game is saved in.
#[derive(Debug)]
pub struct Save {
    path: PathBuf,
    content: Content,
    /// None where files cannot be locked.
    _lock: Option<Lock>,
    /// Why it cannot be locked.
    unlocked: Option<io::Error>,
}

/// What the file holds.
#[derive(Debug)]
enum Content {
    /// Nothing yet, and nobody else's file may be replaced.
    Nothing,
    /// This game, or whatever may be replaced by it.
    Ours,
    /// A game in which nothing has been played: its file goes when the game is left.
    Unplayed { _leftover: Leftover },
}

impl Save {
    /// Makes a file that is not there yet, for a new game. None if there is one of that name.
    pub(crate) fn reserve(path: PathBuf) -> io::Result<Option<Self>> {
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
        let content = Content::Unplayed { _leftover: Leftover::register(&path) };
        Ok(Some(Self { path, content, _lock: lock, unlocked }))
    }

    /// The file of a game that goes on. It is to be read after this, not before: until it is locked another program may
    /// play on.
    ///
    /// # Errors
    /// If it is being played.
    pub fn resume(path: &Path) -> Result<Self, StoreError> {
        Self::locked(path, Content::Ours)
    }

    /// A file that the player named, for this game. What is there may be replaced if it is an earlier state of this
    /// game, or if that is allowed.
    ///
    /// # Errors
    /// If something else is there, if it is being played, or if it cannot be a file.
    pub fn claim(path: &Path, record: &Record, overwrite: Overwrite) -> Result<Self, StoreError> {
        let failed = |cause| StoreError::Write { path: path.to_owned(), cause };
        // First the lock and then a look at the file, as in `resume`.
        let mut save = Self::locked(path, Content::Nothing)?;
        save.content = match Kind::of(path).map_err(failed)? {
            Kind::New => Content::Nothing,
            Kind::File if overwrite == Overwrite::Allowed || holds_earlier(path, record) => {
                Content::Ours
            }
            Kind::File => return Err(StoreError::Exists(absolute(path))),
            Kind::StandardOutput | Kind::Terminal | Kind::Stream => {
                return Err(failed(io::Error::other("a game cannot be kept in a stream")));
            }
        };
        Ok(save)
    }

    fn locked(path: &Path, content: Content) -> Result<Self, StoreError> {
        let path = absolute(path);
        match Lock::beside(&path) {
            Ok(lock) => Ok(Self { path, content, _lock: Some(lock), unlocked: None }),
            Err(LockError::Held(holder)) => Err(StoreError::Playing { path, holder }),
            Err(LockError::Impossible(error)) => {
                Ok(Self { path, content, _lock: None, unlocked: Some(error) })
            }
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
    /// If it cannot be written; the last good save is still there then.
    pub fn write(&mut self, record: &Record) -> Result<(), StoreError> {
        let overwrite = match self.content {
            Content::Nothing => Overwrite::Refused,
            Content::Ours | Content::Unplayed { .. } => Overwrite::Allowed,
        };
        write(&self.path, record, overwrite)?;
        match self.content {
            Content::Unplayed { .. } if !is_begun(record) => {}
            Content::Nothing | Content::Unplayed { .. } | Content::Ours => {
                self.content = Content::Ours;
            }
        }
        Ok(())
    }

    /// Whether a turn has been saved, or the game was not made here.
    #[must_use]
    pub const fn is_worth_keeping(&self) -> bool {
        !matches!(self.content, Content::Unplayed { .. })
    }
}

impl Drop for Save {
    fn drop(&mut self) {
        if let Content::Unplayed { .. } = self.content {
            // A file that is gone already, or cannot be removed, does no harm.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Writes a record to a file once. What is there may be replaced if it is an earlier state of the same game, or if that
/// is allowed.
///
/// # Errors
/// If something else is there, if it is a game that is being played, or if it cannot be written.
pub fn write_record(path: &Path, record: &Record, overwrite: Overwrite) -> Result<(), StoreError> {
    let path = absolute(path);
    let _lock = match Lock::beside(&path) {
        Ok(lock) => Some(lock),
        Err(LockError::Held(holder)) => return Err(StoreError::Playing { path, holder }),
        Err(LockError::Impossible(_)) => None,
    };
    let is_ours = overwrite == Overwrite::Allowed || holds_earlier(&path, record);
    write(&path, record, Overwrite::if_forced(is_ours))
}

fn write(path: &Path, record: &Record, overwrite: Overwrite) -> Result<(), StoreError> {
    files::replace(path, &record.to_string(), overwrite).map_err(|cause| match cause.kind() {
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

/// Whether a file holds an earlier state of a game, so that nothing is lost by replacing it.
fn holds_earlier(path: &Path, record: &Record) -> bool {
    let bytes = files::read_regular(path, LARGEST_COMPARED).unwrap_or_default();
    str::from_utf8(&bytes).is_ok_and(|old| is_earlier(old, &record.to_string()))
}

/// Whether a record as text is an earlier state of another, or the same.
fn is_earlier(old: &str, new: &str) -> bool {
    if old == new {
        return true;
    }
    let split = |text: &str| -> (Vec<String>, String) {
        let (tags, turns) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
        let changes = ["[Result ", "[Termination ", "[Undone ", "[Fault "];
        let lasting = tags.lines().filter(|tag| !changes.iter().any(|it| tag.starts_with(it)));
        (lasting.map(str::to_owned).collect(), turns.to_owned())
    };
    let ((old_tags, old_turns), (new_tags, new_turns)) = (split(old), split(new));
    let is_unfinished = old.contains("[Result \"*\"]\n");
    is_unfinished && old_tags == new_tags && new_turns.starts_with(&old_turns)
}

#[cfg(test)]
mod tests;
