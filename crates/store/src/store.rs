//! Records on disk, and the folder of saved games.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use skirmish_rules::{Catalog, Entry, Record, RecordError};
use skirmish_system::folders;

use crate::calendar::today;
use crate::files::{self, Holder};
use crate::save::Save;

/// The largest file that is read as a record.
const LARGEST_RECORD: u64 = 16 * 1024 * 1024;

/// A draft that is older than this was left behind by a program that was killed.
const LONGEST_WRITE: Duration = Duration::from_hours(1);

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no home to keep saved games in.
    #[error("there is no folder for saved games: set HOME or XDG_DATA_HOME")]
    NoHome,
    /// The file or folder cannot be written.
    #[error("cannot save in {}: {cause}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file is far too large to be a record.
    #[error("{} is too large for a record: at most {} MiB", .0.display(), LARGEST_RECORD >> 20)]
    TooLarge(PathBuf),
    /// The file is not a record.
    #[error("{}, {cause}", path.display())]
    Record {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        cause: RecordError,
    },
    /// There is no unfinished game.
    #[error("there is no saved game to go on with in {}", .0.display())]
    NothingSaved(PathBuf),
    /// A file is there that must not be replaced.
    #[error("{} exists already and is not a record of this game", .0.display())]
    Exists(PathBuf),
    /// The game is being played by another program.
    #[error("{} is being played by {holder}", path.display())]
    Playing {
        /// Which.
        path: PathBuf,
        /// By whom.
        holder: Holder,
    },
}

impl StoreError {
    /// What is wrong, without the name of the file.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Write { cause, .. } | Self::Read { cause, .. } => cause.to_string(),
            Self::Record { cause, .. } => cause.to_string(),
            Self::TooLarge(_) => "it is too large for a record".to_owned(),
            Self::Exists(_) => "it exists already".to_owned(),
            Self::Playing { holder, .. } => format!("it is being played by {holder}"),
            Self::NoHome | Self::NothingSaved(_) => self.to_string(),
        }
    }
}

/// Reads a record from a file and checks every move. A pipe is waited for: whoever names one means it.
///
/// # Errors
/// If the file cannot be read or is not a record of a game in the catalogue.
pub fn read_record(path: &Path, catalog: Catalog) -> Result<Record, StoreError> {
    parse(path, File::open(path), catalog)
}

/// Reads a record from a regular file. Nothing else is ever waited for.
///
/// # Errors
/// As `read_record`, and if it is not a regular file.
pub fn read_record_file(path: &Path, catalog: Catalog) -> Result<Record, StoreError> {
    parse(path, files::open_regular(path), catalog)
}

fn parse(path: &Path, file: io::Result<File>, catalog: Catalog) -> Result<Record, StoreError> {
    let failed = |cause| StoreError::Read { path: path.to_owned(), cause };
    let file = file.map_err(failed)?;
    let mut bytes = Vec::new();
    if file.metadata().is_ok_and(|data| data.is_file() && data.len() > LARGEST_RECORD) {
        return Err(StoreError::TooLarge(path.to_owned()));
    }
    file.take(LARGEST_RECORD + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST_RECORD {
        return Err(StoreError::TooLarge(path.to_owned()));
    }
    let broken = |cause| StoreError::Record { path: path.to_owned(), cause };
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        broken(RecordError { line, cause: "this is not UTF-8 text".to_owned() })
    })?;
    Record::parse(&text, catalog).map_err(broken)
}

/// The program's folder for data: `$XDG_DATA_HOME/skirmish`.
///
/// # Errors
/// When there is no home.
pub fn data_folder() -> Result<PathBuf, StoreError> {
    Ok(folders::data().ok_or(StoreError::NoHome)?.join("skirmish"))
}

/// The folder of saved games.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The folder that the XDG rules give: `$XDG_DATA_HOME/skirmish/games`.
    ///
    /// # Errors
    /// When there is no home.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self { folder: data_folder()?.join("games") })
    }

    /// Another folder.
    #[must_use]
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// A new save for a game, in a file of its own.
    ///
    /// # Errors
    /// If the folder or the file cannot be made.
    pub fn create(&self, entry: &Entry) -> Result<Save, StoreError> {
        fs::create_dir_all(&self.folder)
            .map_err(|cause| StoreError::Write { path: self.folder.clone(), cause })?;
        self.sweep();
        let day = today();
        for number in 1.. {
            let name = format!("{}-{}-{number}.skr", day.replace('.', "-"), entry.id);
            let path = self.folder.join(name);
            match Save::reserve(path.clone()) {
                Ok(Some(save)) => return Ok(save),
                Ok(None) => {}
                Err(cause) => return Err(StoreError::Write { path, cause }),
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// Removes what programs that were killed left behind: lock files that nobody holds, and old drafts.
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

    /// The unfinished game that was saved last, other than those being played. A game in which nothing has been
    /// played yet comes after all others.
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

    /// All saved games, finished or not, the last first, and files that should be saved games but are damaged.
    pub fn games(&self, catalog: Catalog) -> impl Iterator<Item = SavedGame> {
        let modified = |path: &PathBuf| {
            fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        };
        let is_save = |path: &PathBuf| {
            let is_named = path.extension().is_some_and(|extension| extension == "skr");
            // An empty file that is locked is a save that has only been reserved.
            let is_empty = |data: fs::Metadata| data.is_file() && data.len() == 0;
            let is_reserved =
                || fs::metadata(path).is_ok_and(is_empty) && files::holder(path).is_some();
            is_named && !is_reserved()
        };
        let mut paths: Vec<PathBuf> = self.files().filter(is_save).collect();
        paths.sort_by_cached_key(|path| std::cmp::Reverse((modified(path), path.clone())));
        paths.into_iter().map(move |path| {
            let record = read_record_file(&path, catalog);
            SavedGame { path, record }
        })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// A file in the folder of saved games.
#[derive(Debug)]
pub struct SavedGame {
    /// The file.
    pub path: PathBuf,
    /// The game, or what is wrong with the file.
    pub record: Result<Record, StoreError>,
}

/// The game to go on with, and what was passed over to find it.
#[derive(Debug, Default)]
pub struct Latest {
    /// The game, if there is one.
    pub game: Option<(PathBuf, Record)>,
    /// What is wrong with files that were saved after it.
    pub damaged: Vec<StoreError>,
    /// Games saved after it that are being played.
    pub playing: Vec<(PathBuf, Holder)>,
}

/// Whether a game is worth going on with: a turn has been played, or a game of its match.
#[must_use]
pub fn is_begun(record: &Record) -> bool {
    let is_later = record.standing.is_some_and(|standing| standing.game > 1);
    !record.turns.is_empty() || record.ending.is_some() || is_later
}

#[cfg(test)]
mod tests;
