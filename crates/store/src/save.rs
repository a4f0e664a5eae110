//! The file that a game is saved in, turn by turn. The file is locked while the game is played.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use skirmish_rules::Record;

use crate::StoreError;
use crate::files::{self, Leftover, Lock, LockError, Overwrite, PathKind, same_file};
use crate::store::is_begun;

/// A file that a game is saved in.
#[derive(Debug)]
pub struct Save {
    path: PathBuf,
    replaces: Replaces,
    /// Set until a turn is played: an unplayed game's file is removed when the game is left.
    unplayed: Option<Leftover>,
    /// `None` where files cannot be locked.
    _lock: Option<Lock>,
    /// The reason why the file could not be locked.
    unlocked: Option<io::Error>,
}

/// The files that the next write may replace.
#[derive(Debug)]
enum Replaces {
    /// The file must not exist.
    Nothing,
    /// A file that still holds exactly this text, which was written for this game.
    Unchanged(String),
    /// Any file, but only once: the player allowed it.
    AnythingOnce,
    /// Any file: the game was resumed from it.
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
    /// Creates the file of a new game. Returns `None` if the file exists.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn reserve(path: &Path) -> io::Result<Option<Self>> {
        if fs::symlink_metadata(path).is_ok() {
            return Ok(None);
        }
        // Lock first: another program may be playing a game whose file was removed, and may save the game again at any
        // moment.
        let Ok(save) = Self::locked(path, Replaces::Unchanged(String::new())) else {
            return Ok(None);
        };
        save.reserved(path)
    }

    /// Creates the locked file, unless it has appeared since it was last looked for.
    fn reserved(mut self, path: &Path) -> io::Result<Option<Self>> {
        // `create_new` reserves the name, so that two programs never share a save, even without locks.
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        }
        self.unplayed = Some(Leftover::register(path));
        Ok(Some(self))
    }

    /// Opens the file of a game that is resumed. Read the file only after this call: until it is locked, another
    /// program may write it.
    ///
    /// # Errors
    /// If another program is playing the game.
    pub fn resume(path: &Path) -> Result<Self, StoreError> {
        Self::locked(path, Replaces::Anything)
    }

    /// Claims a file that the player named for this game. An existing file is replaced only if `overwrite` allows it.
    ///
    /// # Errors
    /// If the file exists, is being played, or is not a regular file.
    pub fn claim(path: &Path, overwrite: Overwrite) -> Result<Self, StoreError> {
        let failed = StoreError::writing(path);
        // Lock before examining the file, as in `resume`.
        let mut save = Self::locked(path, Replaces::Nothing)?;
        save.replaces = match PathKind::of(path).map_err(failed)? {
            PathKind::New => Replaces::Nothing,
            PathKind::File if overwrite == Overwrite::Allowed => Replaces::AnythingOnce,
            PathKind::File => return Err(StoreError::Exists(absolute(path))),
            PathKind::StandardOutput | PathKind::Terminal | PathKind::Stream => {
                return Err(failed(io::Error::other("a game cannot be saved in a stream")));
            }
        };
        Ok(save)
    }

    fn locked(path: &Path, replaces: Replaces) -> Result<Self, StoreError> {
        let path = absolute(path);
        let (lock, unlocked) = match Lock::beside(&path) {
            Ok(lock) => (Some(lock), None),
            Err(LockError::Held(holder)) => return Err(StoreError::Playing(path, holder)),
            Err(LockError::Impossible(error)) => (None, Some(error)),
        };
        Ok(Self { path, replaces, unplayed: None, _lock: lock, unlocked })
    }

    /// Lets the next write replace the file, whatever it contains.
    pub fn allow_overwriting(&mut self) {
        if !matches!(self.replaces, Replaces::Anything) {
            self.replaces = Replaces::AnythingOnce;
        }
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a path resolves to this file.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        same_file(&self.path, path)
    }

    /// The reason why the file could not be locked, if any. Returned only once.
    pub fn lock_failure(&mut self) -> Option<io::Error> {
        self.unlocked.take()
    }

    /// Saves the record. On any failure, the file holds either the old record or the new one.
    ///
    /// # Errors
    /// If the file cannot be written, or another program has changed it; the file is then left unchanged.
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

    /// Whether a turn has been saved, or the file existed before this program used it.
    #[must_use]
    pub const fn is_worth_keeping(&self) -> bool {
        self.unplayed.is_none()
    }
}

impl Drop for Save {
    fn drop(&mut self) {
        if self.unplayed.is_some() && self.replaces.overwrite(&self.path) == Overwrite::Allowed {
            // A file that is already gone or cannot be removed is harmless.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Writes a record to a file once. An existing file is replaced if `overwrite` allows it, or if it still holds exactly
/// `last_written`.
///
/// # Errors
/// If a file exists that must not be replaced, is being played, or cannot be written.
pub fn write_record(
    path: &Path,
    record: &Record,
    last_written: Option<&str>,
    overwrite: Overwrite,
) -> Result<(), StoreError> {
    let locked = Save::locked(path, Replaces::Nothing)?;
    let is_own = last_written.is_some_and(|text| holds(&locked.path, text));
    let overwrite = Overwrite::if_forced(is_own || overwrite == Overwrite::Allowed);
    write(&locked.path, &record.to_string(), overwrite)
}

fn write(path: &Path, text: &str, overwrite: Overwrite) -> Result<(), StoreError> {
    files::replace(path, text, overwrite).map_err(|cause| failed_at(path, cause))
}

/// The error for a named file that cannot be written.
pub(crate) fn failed_at(path: &Path, cause: io::Error) -> StoreError {
    let path = absolute(path);
    match cause.kind() {
        io::ErrorKind::AlreadyExists => StoreError::Exists(path),
        _ => StoreError::Write(path, cause),
    }
}

/// Makes a path absolute, except for `-`, which means standard output.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    if path == Path::new("-") {
        return path.to_owned();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether a file contains exactly this text.
fn holds(path: &Path, text: &str) -> bool {
    let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    files::read_text(path, length).is_ok_and(|held| held == text)
}

#[cfg(test)]
mod tests;
