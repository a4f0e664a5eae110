//! Records on disk, and the folder of saved games.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use skirmish_rules::{Catalog, Entry, Record, RecordError};
use skirmish_system::folders;

use crate::StoreError;
use crate::calendar::today;
use crate::files::{self, Holder, Lock, LockError};
use crate::save::Save;

/// The largest file that is read as a record.
pub(crate) const LARGEST_RECORD: u64 = 16 * 1024 * 1024;

/// Drafts older than this were left behind by a program that was killed.
const LONGEST_WRITE: Duration = Duration::from_hours(1);

/// The extension of a saved game.
const EXTENSION: &str = "skr";

/// Reads a record from a file named by the user, and validates every move.
///
/// # Errors
/// If the file cannot be read or is not a record of a game in the catalogue.
pub fn read_record(path: &Path, catalog: Catalog) -> Result<Record, StoreError> {
    parse_record(path, files::open_named(path), catalog)
}

/// Reads a record from a regular file, without ever blocking.
///
/// # Errors
/// As for `read_record`, and if the file is not a regular file.
pub fn read_record_file(path: &Path, catalog: Catalog) -> Result<Record, StoreError> {
    parse_record(path, files::open_regular(path), catalog)
}

/// Reads a record from an open file. Errors name `path`.
///
/// # Errors
/// As for `read_record`.
pub fn parse_record(
    path: &Path,
    file: io::Result<File>,
    catalog: Catalog,
) -> Result<Record, StoreError> {
    let read = file.and_then(|file| files::read_at_most(file, LARGEST_RECORD));
    let bytes = read.map_err(|cause| match cause.kind() {
        io::ErrorKind::FileTooLarge => StoreError::TooLarge(path.to_owned()),
        _ => StoreError::Read(path.to_owned(), cause),
    })?;
    let broken = |cause| StoreError::Record(path.to_owned(), cause);
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        broken(RecordError { line, cause: "this is not UTF-8 text".to_owned() })
    })?;
    Record::parse(&text, catalog).map_err(broken)
}

/// The program's data folder: `$XDG_DATA_HOME/skirmish`.
///
/// # Errors
/// If no home directory is known.
pub fn data_folder() -> Result<PathBuf, StoreError> {
    Ok(folders::data().ok_or(no_data_folder())?.join("skirmish"))
}

/// The error to return if no home directory is known.
pub(crate) const fn no_data_folder() -> StoreError {
    StoreError::NoHome("saved games", "XDG_DATA_HOME")
}

/// The program's settings folder: `$XDG_CONFIG_HOME/skirmish`.
///
/// # Errors
/// If no home directory is known.
pub fn settings_folder() -> Result<PathBuf, StoreError> {
    let folder = folders::config().ok_or(StoreError::NoHome("settings", "XDG_CONFIG_HOME"))?;
    Ok(folder.join("skirmish"))
}

/// The folder of saved games.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The default folder: `$XDG_DATA_HOME/skirmish/games`.
    ///
    /// # Errors
    /// If no home directory is known.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self { folder: data_folder()?.join("games") })
    }

    /// A store in `folder`.
    #[must_use]
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Deletes a saved game.
    ///
    /// # Errors
    /// If another program is playing the game, if this cannot be ruled out because files cannot be locked here, or if
    /// the file cannot be removed.
    pub fn delete(&self, path: &Path) -> Result<(), StoreError> {
        let failed = |cause| StoreError::Delete(path.to_owned(), cause);
        // Hold the lock until the file is gone, so that no program begins to play the game in between.
        let _lock = Lock::beside(path).map_err(|error| match error {
            LockError::Held(holder) => StoreError::Playing(path.to_owned(), holder),
            LockError::Impossible(cause) => failed(cause),
        })?;
        fs::remove_file(path).map_err(failed)
    }

    /// The path of the saved game with this name, given with or without its extension.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<PathBuf> {
        let is_bare = Path::new(name).file_name() == Some(OsStr::new(name));
        let names = [name.to_owned(), format!("{name}.{EXTENSION}")];
        let mut paths = names.iter().map(|name| self.folder.join(name));
        let is_save = |path: &PathBuf| is_named_as_save(path) && path.is_file();
        paths.find(|path| is_bare && is_save(path))
    }

    /// Creates the save file of a new game.
    ///
    /// # Errors
    /// If the folder or the file cannot be created.
    pub fn create(&self, entry: &Entry) -> Result<Save, StoreError> {
        fs::create_dir_all(&self.folder).map_err(StoreError::writing(&self.folder))?;
        self.sweep();
        let day = today();
        for number in 1.. {
            let name = format!("{}-{}-{number}.skr", day.replace('.', "-"), entry.id);
            let path = self.folder.join(name);
            match Save::reserve(&path) {
                Ok(Some(save)) => return Ok(save),
                Ok(None) => {}
                Err(cause) => return Err(StoreError::Write(path, cause)),
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// Removes stale lock files and drafts, left behind by killed programs.
    fn sweep(&self) {
        let is_old = |path: &Path| {
            let modified = fs::metadata(path).and_then(|data| data.modified());
            modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LONGEST_WRITE))
        };
        for path in self.files() {
            if files::is_lock_file(&path) {
                files::remove_unheld(&path);
            } else if files::is_draft(&path) && is_old(&path) {
                drop(fs::remove_file(path));
            }
        }
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|file| file.path())
    }

    /// The unfinished game that was saved last, except for games being played. A game without a turn is chosen only if
    /// there is no other.
    #[must_use]
    pub fn latest(&self, catalog: Catalog) -> Latest {
        let mut latest = Latest::default();
        for SavedGame { path, record } in self.games(catalog) {
            let record = match record {
                Ok(record) => record,
                Err(error) => {
                    latest.damaged.push(error);
                    continue;
                }
            };
            if record.ending.is_some() {
                continue;
            }
            if let Some(holder) = files::holder(&path) {
                latest.playing.push((path, holder));
            } else if is_begun(&record) {
                latest.game = Some((path, record));
                break;
            } else {
                latest.game.get_or_insert((path, record));
            }
        }
        latest
    }

    /// Checks that the folder can be read. A missing folder counts as empty.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn check(&self) -> Result<(), StoreError> {
        match fs::read_dir(&self.folder) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Read(self.folder.clone(), cause))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// All saved games, finished or not, most recent first, including damaged files.
    pub fn games(&self, catalog: Catalog) -> impl Iterator<Item = SavedGame> {
        let modified = |path: &PathBuf| saved_at(path).unwrap_or(SystemTime::UNIX_EPOCH);
        let is_save = |path: &PathBuf| {
            // An empty, locked file is only a reservation for a save.
            let is_empty = |data: fs::Metadata| data.is_file() && data.len() == 0;
            let is_reserved =
                || fs::metadata(path).is_ok_and(is_empty) && files::holder(path).is_some();
            is_named_as_save(path) && !is_reserved()
        };
        let mut paths: Vec<PathBuf> = self.files().filter(is_save).collect();
        paths.sort_by_cached_key(|path| std::cmp::Reverse((modified(path), path.clone())));
        paths.into_iter().map(move |path| {
            let record = read_record_file(&path, catalog);
            SavedGame { path, record }
        })
    }

    /// The folder that holds the saved games.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The time at which a game was last saved.
#[must_use]
pub fn saved_at(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn is_named_as_save(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// A file in the folder of saved games.
#[derive(Debug)]
pub struct SavedGame {
    /// The path of the file.
    pub path: PathBuf,
    /// The game, or the reason why the file cannot be read.
    pub record: Result<Record, StoreError>,
}

impl SavedGame {
    /// Whether lists show this game. They omit games that another program has begun but that have no turns, because it
    /// may still remove them.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        let is_kept = |record: &Record| is_begun(record) || files::holder(&self.path).is_none();
        self.record.as_ref().map_or(true, is_kept)
    }
}

/// The game to resume, and the more recent files that had to be skipped.
#[derive(Debug, Default)]
pub struct Latest {
    /// The game to resume, if any.
    pub game: Option<(PathBuf, Record)>,
    /// The errors of more recent files that are damaged.
    pub damaged: Vec<StoreError>,
    /// More recent games that are being played, with the programs that play them.
    pub playing: Vec<(PathBuf, Holder)>,
}

/// Whether a game is worth keeping: a turn has been played in it, or in an earlier game of its match.
#[must_use]
pub fn is_begun(record: &Record) -> bool {
    let is_later = record.standing.is_some_and(|standing| standing.game > 1);
    !record.turns.is_empty() || record.ending.is_some() || is_later
}

#[cfg(test)]
mod tests;
