//! A tournament on disk: its definition, and a record of each finished game. No other state is stored, so a tournament
//! can be stopped at any moment and resumed.
//!
//! The folder may be untrusted, so links in it are never followed and files are never replaced.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

use skirmish_play::tournament::schedule::Encounter;
use skirmish_rules::{Catalog, Entry, Record};
use skirmish_store::files::{self, Holder, Lock, LockError};
use skirmish_store::{StoreError, data_folder, parse_record, today};
use skirmish_system::{ErrorCause, OpenFolder, error_cause};

use super::Tournament;
use super::board::{GameId, PlayedGame};
use super::file::TournamentFile;
use crate::bot;

/// The file that defines the tournament.
const TOURNAMENT: &str = "tournament.json";

/// The largest tournament file that is read.
const LARGEST_FILE: u64 = 16 << 20;

/// The subfolder for records.
const GAMES: &str = "games";

/// The file extensions of records, and of unusable records.
const RECORD: &str = ".skr";
const UNUSABLE: &str = ".unusable";

/// The lock file, held while the tournament is being played.
const LOCK: &str = ".lock";

/// The subfolder for the bots' logs.
const LOGS: &str = "logs";

/// A tournament's folder, locked against other programs.
#[derive(Debug)]
pub struct Folder {
    open: OpenFolder,
    /// The subfolder for records, opened when first needed.
    games: OnceLock<OpenFolder>,
    /// `None` where the file system does not support locks.
    lock: Option<Lock>,
    /// The number of unusable records that have been set aside.
    unusable: AtomicUsize,
}

/// The reasons why a tournament cannot be saved or resumed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder already contains a tournament.
    #[error("there is already a tournament in {}: continue it with --resume", .0.display())]
    Taken(PathBuf),
    /// Another program is playing the tournament.
    #[error("the tournament in {} is being played by {}", .0.display(), .1)]
    Busy(PathBuf, Holder),
    /// The folder contains no tournament.
    #[error("there is no tournament in {}", .0.display())]
    Nothing(PathBuf),
    /// The file does not describe a tournament; the second field says why.
    #[error("{} does not describe a tournament: {}", .0.display(), .1)]
    Unusable(PathBuf, String),
}

impl Folder {
    /// Creates a folder for a new tournament in the default location.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn create(entry: &Entry) -> Result<Self, FolderError> {
        Self::create_in(&tournaments()?, entry)
    }

    /// Creates a folder for a new tournament inside `all`.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn create_in(all: &Path, entry: &Entry) -> Result<Self, FolderError> {
        make(all)?;
        let day = today().replace('.', "-");
        for number in 1.. {
            let path = all.join(format!("{day}-{}-{number}", entry.id));
            // `create_dir` fails if the folder exists, so two programs can never share one.
            match fs::create_dir(&path) {
                Ok(()) => return Self::locked(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(StoreError::Write(path, cause).into()),
            }
        }
        unreachable!("there are more numbers than folders")
    }

    /// Uses this folder for a new tournament.
    ///
    /// # Errors
    /// If the folder cannot be created, or already contains a tournament.
    pub fn at(path: &Path) -> Result<Self, FolderError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let exists = |path: PathBuf| fs::symlink_metadata(path).is_ok();
        let is_taken = |path: &Path| exists(path.join(TOURNAMENT)) || exists(path.join(GAMES));
        if is_taken(&path) {
            return Err(FolderError::Taken(path));
        }
        make(&path)?;
        let folder = Self::locked(path)?;
        // Another program may have created a tournament there while we waited for the lock.
        if is_taken(folder.path()) {
            return Err(FolderError::Taken(folder.path().to_owned()));
        }
        Ok(folder)
    }

    /// Opens the folder of an existing tournament; without a path, the most recent one.
    ///
    /// # Errors
    /// If there is no such tournament.
    pub fn begun(path: Option<&Path>) -> Result<Self, FolderError> {
        let path = match path {
            Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            None => latest()?,
        };
        if fs::symlink_metadata(path.join(TOURNAMENT)).is_err() {
            return Err(FolderError::Nothing(path));
        }
        Self::locked(path)
    }

    /// Removes temporary files left by a killed program.
    fn tidy(&self) -> Result<(), StoreError> {
        let games = self.games()?;
        for (name, is_link) in games.names().map_err(StoreError::writing(games.path()))? {
            let path = games.path().join(&name);
            if is_link {
                return Err(StoreError::Read(path, io::Error::other("it is a symbolic link")));
            }
            if files::is_draft(&path) {
                games.remove(&name).map_err(StoreError::writing(&path))?;
            }
        }
        Ok(())
    }

    /// The subfolder for records, created if missing.
    fn games(&self) -> Result<&OpenFolder, StoreError> {
        if let Some(games) = self.games.get() {
            return Ok(games);
        }
        let games = self.subfolder(GAMES)?;
        Ok(self.games.get_or_init(|| games))
    }

    fn subfolder(&self, name: &str) -> Result<OpenFolder, StoreError> {
        self.open.subfolder(name).map_err(StoreError::writing(&self.path().join(name)))
    }

    /// Locks a folder.
    fn locked(path: PathBuf) -> Result<Self, FolderError> {
        let lock = match Lock::acquire(path.join(LOCK)) {
            Ok(lock) => Some(lock),
            Err(LockError::Held(holder)) => return Err(FolderError::Busy(path, holder)),
            Err(LockError::Impossible(cause))
                if error_cause(&cause) == Some(ErrorCause::NoLocks) =>
            {
                None
            }
            Err(LockError::Impossible(cause)) => {
                return Err(StoreError::Write(path.join(LOCK), cause).into());
            }
        };
        let open = OpenFolder::open(&path).map_err(StoreError::reading(&path))?;
        Ok(Self { open, games: OnceLock::new(), lock, unusable: AtomicUsize::new(0) })
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.open.path()
    }

    /// An identifier that distinguishes this folder from any other folder that has or had the same path.
    pub(crate) fn identity(&self) -> io::Result<String> {
        self.open.identity()
    }

    /// The mark of the bots' processes: the identity of the lock file. While we hold the lock, no other program plays
    /// the tournament, and while any program holds it, no other file can have this identity.
    pub(super) fn mark(&self) -> Option<String> {
        let (device, inode) = self.lock.as_ref()?.identity().ok()?;
        Some(format!("{device}:{inode}"))
    }

    /// Removes everything that a killed run of the tournament left behind. Returns the number of bot processes killed.
    ///
    /// # Errors
    /// If a record is a link, or the folder of records cannot be used.
    pub fn sweep(&self) -> Result<usize, StoreError> {
        self.tidy()?;
        Ok(self.mark().map_or(0, |mark| bot::sweep_tournament(&mark)))
    }

    /// Writes the tournament's definition.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(&self, tournament: &Tournament) -> Result<(), FolderError> {
        self.games()?;
        let text = TournamentFile::of(tournament).to_text();
        files::create_in(&self.open, TOURNAMENT, &text)
            .and_then(|file| file.sync_all())
            .map_err(StoreError::writing(&self.path().join(TOURNAMENT)))?;
        Ok(())
    }

    /// Reads the tournament's definition.
    ///
    /// # Errors
    /// If the file cannot be read or is invalid.
    pub fn read(&self, catalog: Catalog) -> Result<Tournament, FolderError> {
        self.file(|file| file.tournament(catalog))
    }

    /// The directory in which the tournament was started, and in which its bots run.
    ///
    /// # Errors
    /// If the file cannot be read or is invalid.
    pub fn directory(&self) -> Result<PathBuf, FolderError> {
        self.file(|file| Ok(file.directory))
    }

    /// Reads the tournament file and converts it.
    fn file<T>(
        &self,
        take: impl FnOnce(TournamentFile) -> Result<T, String>,
    ) -> Result<T, FolderError> {
        let path = self.path().join(TOURNAMENT);
        let file = self.open.read(TOURNAMENT);
        let text = file.and_then(|file| files::text_of(file, LARGEST_FILE));
        let text = text.map_err(StoreError::reading(&path))?;
        let taken = TournamentFile::from_text(&text).and_then(take);
        taken.map_err(|why| FolderError::Unusable(path, why))
    }

    /// The log file of the entrant with this number and name, open for appending.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn log(&self, number: usize, name: &str) -> Result<File, FolderError> {
        let folder = self.subfolder(LOGS)?;
        let safe = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
        let name: String = name.chars().map(safe).collect();
        let name = format!("{number}-{name}.log");
        Ok(folder.append(&name).map_err(StoreError::writing(&folder.path().join(&name)))?)
    }

    /// The number of unusable records that have been set aside; their games are played again.
    #[must_use]
    pub fn unusable(&self) -> usize {
        self.unusable.load(Relaxed)
    }

    /// The result of a game according to its record. Sets an unusable record aside, so that the game is played again.
    #[must_use]
    pub fn played(
        &self,
        tournament: &Tournament,
        id: GameId,
        encounter: Encounter,
        catalog: Catalog,
    ) -> Option<PlayedGame> {
        let (games, name) = (self.games().ok()?, record_name(id));
        let file = games.read(&name);
        if file.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return None;
        }
        let Encounter { one, two } = encounter;
        let (one, two) = if id.is_swapped() { (two, one) } else { (one, two) };
        let names = [one, two].map(|entrant| &tournament.entrants[entrant].name);
        let is_usable = |record: &Record| {
            [&record.names.one, &record.names.two] == names
                && record.settings == tournament.settings
                && record.entry.id == tournament.entry.id
        };
        let record = parse_record(Path::new(&name), file, catalog).ok().filter(is_usable);
        let played = record.and_then(|record| PlayedGame::of(&record));
        if played.is_none() {
            self.unusable.fetch_add(1, Relaxed);
            let aside = format!("{}{UNUSABLE}", name.trim_end_matches(RECORD));
            // Keep only the latest unusable record. If the rename fails, writing the new record will fail too.
            drop(games.remove(&aside));
            drop(games.rename(&name, &aside));
        }
        played
    }

    /// Writes the record of a finished game.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn write(&self, id: GameId, record: &Record) -> Result<(), StoreError> {
        let (games, name) = (self.games()?, record_name(id));
        files::create_in(games, &name, &record.to_string())
            .map(drop)
            .map_err(StoreError::writing(&games.path().join(&name)))
    }

    /// The path of a game's record.
    #[must_use]
    pub fn record(&self, id: GameId) -> PathBuf {
        self.path().join(GAMES).join(record_name(id))
    }
}

/// The file name of a game's record: `02-03-00017.skr` is game 17 of encounter 3 of round 2.
fn record_name(id: GameId) -> String {
    let GameId { round, meeting, game } = id;
    format!("{:02}-{:02}-{:05}{RECORD}", round + 1, meeting + 1, game + 1)
}

fn make(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(StoreError::writing(path))
}

/// The default location of tournaments.
///
/// # Errors
/// If no home directory is known.
pub fn tournaments() -> Result<PathBuf, StoreError> {
    Ok(data_folder()?.join("tournaments"))
}

/// The folder of the tournament that was played most recently.
fn latest() -> Result<PathBuf, FolderError> {
    let all = tournaments()?;
    let touched = |path: &PathBuf| {
        let games = fs::metadata(path.join(GAMES)).and_then(|data| data.modified());
        games.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let folders = fs::read_dir(&all).into_iter().flatten().flatten().map(|entry| entry.path());
    let begun = folders.filter(|path| path.join(TOURNAMENT).is_file());
    begun.max_by_key(|path| (touched(path), path.clone())).ok_or(FolderError::Nothing(all))
}
