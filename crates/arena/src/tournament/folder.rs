//! A tournament on disk: its definition, and a record for each finished game. There is no other state, so it can be
//! stopped at any moment and resumed.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;
use std::{fs, io};

use skirmish_play::tournament::schedule::Encounter;
use skirmish_rules::{Catalog, Entry, Record};
use skirmish_store::files::{self, Holder, Lock, LockError, Overwrite};
use skirmish_store::{StoreError, data_folder, read_record_file, today};
use skirmish_system::{ErrorCause, error_cause};

use super::Tournament;
use super::board::{GameId, PlayedGame};
use super::file::{FileError, TournamentFile};
use crate::bot;

/// The file that defines the tournament.
const TOURNAMENT: &str = "tournament.json";

/// The largest tournament file to read.
const LARGEST_FILE: u64 = 16 << 20;

/// The folder of the records.
const GAMES: &str = "games";

/// The lock file, held while the tournament is played.
const LOCK: &str = ".lock";

/// The folder of the bots' logs.
const LOGS: &str = "logs";

/// The folder of a tournament, locked against other programs.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// `None` where the file system does not support locks.
    lock: Option<Lock>,
    /// The number of unusable records, which have been set aside.
    unusable: AtomicUsize,
}

/// Why a tournament cannot be saved or resumed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder contains a tournament.
    #[error("there is already a tournament in {}: continue it with --resume", .0.display())]
    Taken(PathBuf),
    /// Another program is playing it.
    #[error("the tournament in {} is being played by {holder}", path.display())]
    Busy {
        /// Where it is.
        path: PathBuf,
        /// The other program.
        holder: Holder,
    },
    /// There is no tournament.
    #[error("there is no tournament in {}", .0.display())]
    Nothing(PathBuf),
    /// The file does not describe a tournament.
    #[error("{} does not describe a tournament: {cause}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: FileError,
    },
}

impl Folder {
    /// Creates a folder for a new tournament in the default place.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(entry: &Entry) -> Result<Self, FolderError> {
        Self::create_in(&tournaments()?, entry)
    }

    /// Creates a folder for a new tournament among others.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create_in(all: &Path, entry: &Entry) -> Result<Self, FolderError> {
        make(all)?;
        let day = today().replace('.', "-");
        for number in 1.. {
            let path = all.join(format!("{day}-{}-{number}", entry.id));
            // `create_dir` fails if the folder exists, so two programs never share one.
            match fs::create_dir(&path) {
                Ok(()) => return Self::locked(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(StoreError::Write { path, cause }.into()),
            }
        }
        unreachable!("there are more numbers than folders")
    }

    /// Uses this folder for a new tournament.
    ///
    /// # Errors
    /// If it cannot be created, or contains a tournament.
    pub fn at(path: &Path) -> Result<Self, FolderError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let is_taken = |path: &Path| path.join(TOURNAMENT).exists() || path.join(GAMES).exists();
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

    /// The folder of an existing tournament; without a path, the latest one.
    ///
    /// # Errors
    /// If there is none.
    pub fn begun(path: Option<&Path>) -> Result<Self, FolderError> {
        let path = match path {
            Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            None => latest()?,
        };
        if !path.join(TOURNAMENT).is_file() {
            return Err(FolderError::Nothing(path));
        }
        let folder = Self::locked(path)?;
        folder.tidy()?;
        Ok(folder)
    }

    /// Removes the drafts of a program that was killed.
    fn tidy(&self) -> Result<(), StoreError> {
        let games = self.path.join(GAMES);
        make(&games)?;
        let files = fs::read_dir(&games).into_iter().flatten().flatten();
        for file in files.filter(|file| files::is_draft(&file.path())) {
            // A remaining draft is harmless.
            drop(fs::remove_file(file.path()));
        }
        Ok(())
    }

    /// Locks a folder.
    fn locked(path: PathBuf) -> Result<Self, FolderError> {
        let lock = match Lock::acquire(path.join(LOCK)) {
            Ok(lock) => Some(lock),
            Err(LockError::Held(holder)) => return Err(FolderError::Busy { path, holder }),
            Err(LockError::Impossible(cause))
                if error_cause(&cause) == Some(ErrorCause::NoLocks) =>
            {
                None
            }
            Err(LockError::Impossible(cause)) => {
                return Err(StoreError::Write { path: path.join(LOCK), cause }.into());
            }
        };
        Ok(Self { path, lock, unusable: AtomicUsize::new(0) })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The mark of its bots' processes: the identity of the lock file. While we hold the lock, no other program plays the
    /// tournament, and while any program holds it, no other file can have this identity.
    pub(super) fn mark(&self) -> Option<String> {
        let (device, inode) = self.lock.as_ref()?.identity().ok()?;
        Some(format!("{device}:{inode}"))
    }

    /// Kills the bots' processes left behind by a killed run of the tournament, and returns their number.
    #[must_use]
    pub fn sweep(&self) -> usize {
        self.mark().map_or(0, |mark| bot::sweep_tournament(&mark))
    }

    /// Writes the definition of the tournament.
    ///
    /// # Errors
    /// If that fails.
    pub fn begin(&self, tournament: &Tournament) -> Result<(), FolderError> {
        make(&self.path.join(GAMES))?;
        let path = self.path.join(TOURNAMENT);
        let text = TournamentFile::of(tournament).to_text();
        files::replace(&path, &text, Overwrite::Allowed)
            .map_err(|cause| StoreError::Write { path, cause }.into())
    }

    /// Reads the definition of the tournament.
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

    /// Reads the tournament's file and converts it.
    fn file<T>(
        &self,
        take: impl FnOnce(TournamentFile) -> Result<T, FileError>,
    ) -> Result<T, FolderError> {
        let path = self.path.join(TOURNAMENT);
        let text = files::read_text(&path, LARGEST_FILE)
            .map_err(|cause| StoreError::Read { path: path.clone(), cause })?;
        let taken = TournamentFile::from_text(&text).and_then(take);
        taken.map_err(|cause| FolderError::Unusable { path, cause })
    }

    /// The log file of the entrant with this number and name.
    ///
    /// # Errors
    /// If its folder cannot be created.
    pub fn log(&self, number: usize, name: &str) -> Result<PathBuf, FolderError> {
        let folder = self.path.join(LOGS);
        make(&folder)?;
        let safe = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
        let name: String = name.chars().map(safe).collect();
        Ok(folder.join(format!("{number}-{name}.log")))
    }

    /// The number of unusable records, which have been set aside; their games are played again.
    #[must_use]
    pub fn unusable(&self) -> usize {
        self.unusable.load(Relaxed)
    }

    /// The result of a game from its record. An unusable record is set aside, and the game is played again.
    #[must_use]
    pub fn played(
        &self,
        tournament: &Tournament,
        id: GameId,
        encounter: Encounter,
        catalog: Catalog,
    ) -> Option<PlayedGame> {
        let path = self.record(id);
        if !path.exists() {
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
        let record = read_record_file(&path, catalog).ok().filter(is_usable);
        let played = record.and_then(|record| PlayedGame::of(&record));
        if played.is_none() {
            self.unusable.fetch_add(1, Relaxed);
            // If that fails, it is overwritten later.
            drop(fs::rename(&path, path.with_extension("unusable")));
        }
        played
    }

    /// Writes the record of a finished game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, id: GameId, record: &Record) -> Result<(), StoreError> {
        let path = self.record(id);
        files::replace_unsynced(&path, &record.to_string())
            .map_err(|cause| StoreError::Write { path, cause })
    }

    /// The file of a game's record: `02-03-00017.skr` is game 17 of encounter 3 of round 2.
    #[must_use]
    pub fn record(&self, id: GameId) -> PathBuf {
        let GameId { round, meeting, game } = id;
        let name = format!("{:02}-{:02}-{:05}.skr", round + 1, meeting + 1, game + 1);
        self.path.join(GAMES).join(name)
    }
}

fn make(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(|cause| StoreError::Write { path: path.to_owned(), cause })
}

/// The default place of tournaments.
///
/// # Errors
/// If no home directory is known.
pub fn tournaments() -> Result<PathBuf, StoreError> {
    Ok(data_folder()?.join("tournaments"))
}

/// The tournament that was played most recently.
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
