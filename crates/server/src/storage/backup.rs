//! Backups of a data folder, whether or not a server is using it, and restoring them. Exports use the same file handling and
//! errors.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use skirmish_room::Room;
use skirmish_rules::Catalog;
use skirmish_store::files::open_named;
use skirmish_system::files;
use thiserror::Error;

use super::folder::{DATABASE, DataFolder, Missing};
use super::{Backend, Place, StorageError, log, schema, sqlite};

/// A summary of a backup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backup {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of rooms.
    pub rooms: u64,
    /// Number of events in the rooms.
    pub events: u64,
}

/// Why a backup could not be made or restored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A database cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file already exists.
    #[error("{} exists already: choose another name", .0.display())]
    Exists(PathBuf),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The folder already has Skirmish data, or the database already has tables.
    #[error("{0} already has Skirmish data: choose an empty {kind}", kind = .0.kind())]
    NotEmpty(Place),
    /// The file is not a complete backup.
    #[error(
        "{} is not a backup of Skirmish, or it is damaged or incomplete: restore reads what backup wrote, and import what export wrote",
        .0.display()
    )]
    Foreign(PathBuf),
    /// The backup is damaged.
    #[error("the backup is damaged or incomplete: {0}")]
    Damaged(String),
    /// The export is damaged.
    #[error("the export is damaged or incomplete: {0}")]
    DamagedExport(String),
}

impl BackupError {
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { path, error }
    }

    /// Converts an error from a copy of a backup. The message names the original `file`.
    fn unreadable(file: &Path, error: StorageError) -> Self {
        match error {
            StorageError::Foreign { .. } => Self::Foreign(file.to_owned()),
            StorageError::Newer { found, known, .. } => {
                let place = Place::File(file.to_owned());
                Self::Storage(StorageError::Newer { place, found, known })
            }
            StorageError::Constraint(what) | StorageError::Database(what) => Self::Damaged(what),
            error => Self::Storage(error),
        }
    }
}

impl From<rusqlite::Error> for BackupError {
    fn from(error: rusqlite::Error) -> Self {
        StorageError::from(error).into()
    }
}

/// Writes a copy of a folder's database, as of one moment, to a new file. A server may be using the folder: its moves do not
/// wait. When this returns, the file is private, complete and durable; on error, there is no file.
///
/// # Errors
/// If `file` already exists, or the file or the folder cannot be used.
pub fn back_up(folder: &Path, file: &Path) -> Result<Backup, BackupError> {
    let part = Part::create(file)?;
    let connection = schema::open_for_copying(&folder.join(DATABASE))?;
    let path = part.path.to_str().ok_or_else(|| BackupError::File {
        path: part.path.clone(),
        error: io::Error::other("its name is not UTF-8"),
    })?;
    connection.execute("VACUUM INTO ?1", [path])?;
    let copy = sqlite::connect(&part.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    check(&copy)?;
    let count = |sql| copy.query_row(sql, [], |row| row.get::<_, i64>(0).map(i64::unsigned_abs));
    let rooms = count("SELECT count(*) FROM room")?;
    let events = count("SELECT count(*) FROM event")?;
    drop(copy);
    let bytes = part.keep(file)?;
    Ok(Backup { bytes, rooms, events })
}

/// Restores a backup to a data folder without a database, which is created if missing. Checks first that every game can be
/// read.
///
/// # Errors
/// If the folder has a database or is in use, or the backup is damaged, not Skirmish's, or newer than this program. The
/// folder is then unchanged.
pub fn restore(file: &Path, folder: &Path, games: Catalog) -> Result<Backup, BackupError> {
    // Check first: any other file may be huge, and SQLite would accept an empty one as a new database.
    let mut source = open_named(file).map_err(BackupError::file(file))?;
    let mut start = *schema::SIGNATURE;
    if source.read_exact(&mut start).is_err() || start != *schema::SIGNATURE {
        return Err(BackupError::Foreign(file.to_owned()));
    }
    let (restored, bytes) = create_in(folder, |part| {
        let mut copy = part.open()?;
        io::copy(&mut start.as_slice().chain(source), &mut copy)
            .map_err(BackupError::file(file))?;
        drop(copy);
        let backend =
            schema::open(&part.path).map_err(|error| BackupError::unreadable(file, error))?;
        let restored = verify(&backend, games)?;
        // Leave a single file, without SQLite's WAL beside it.
        let Backend::Sqlite(connection) = backend else { unreachable!("a file is SQLite's") };
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(restored)
    })?;
    Ok(Backup { bytes, ..restored })
}

/// Lets `build` write the database of a folder that has none. Also returns the file's size. On error, the folder is
/// unchanged.
pub(super) fn create_in<T>(
    folder: &Path,
    build: impl FnOnce(&Part) -> Result<T, BackupError>,
) -> Result<(T, u64), BackupError> {
    let missing = Missing::of(folder);
    let create = || {
        let data = DataFolder::open(folder)?;
        let database = data.path().join(DATABASE);
        if fs::symlink_metadata(&database).is_ok() {
            return Err(BackupError::NotEmpty(Place::File(folder.to_owned())));
        }
        let part = Part::create(&database)?;
        Ok((build(&part)?, part.keep(&database)?))
    };
    create().inspect_err(|_| missing.remove())
}

/// Checks that the database is intact, and that every game can be read.
fn verify(backend: &Backend, games: Catalog) -> Result<Backup, BackupError> {
    let Backend::Sqlite(connection) = backend else { unreachable!("a file is SQLite's") };
    check(connection)?;
    let sql = "SELECT code FROM room ORDER BY id";
    let codes: Vec<String> = sqlite::ready(backend.query(sql, vec![]))?;
    let mut backup = Backup::default();
    for (number, code) in (1..).zip(&codes) {
        // Anyone who knows a code could join the game: give only its number.
        let damaged = |why: String| BackupError::Damaged(format!("game {number}: {why}"));
        let log = sqlite::ready(log::read(backend, code, 0));
        let log = log.map_err(|error| damaged(error.to_string()))?;
        let does_not_fit = |v| damaged(format!("event {v} does not fit"));
        Room::fold(games, &log).map_err(|error| does_not_fit(error.v))?;
        backup.rooms += 1;
        backup.events += log.len() as u64;
    }
    Ok(backup)
}

/// Checks that the database is intact.
fn check(connection: &Connection) -> Result<(), BackupError> {
    let result: Result<String, _> =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
    match result {
        Ok(result) if result == "ok" => Ok(()),
        Ok(what) => Err(BackupError::Damaged(what)),
        Err(error) => Err(BackupError::Damaged(error.to_string())),
    }
}

/// A file being written, which is removed on drop unless it was kept.
pub(super) struct Part {
    pub(super) path: PathBuf,
}

impl Part {
    /// Creates an empty private file beside `file`, which must not exist.
    pub(super) fn create(file: &Path) -> Result<Self, BackupError> {
        if fs::symlink_metadata(file).is_ok() {
            return Err(BackupError::Exists(file.to_owned()));
        }
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let path = file.with_file_name(name);
        let mut options = OpenOptions::new();
        let created = files::private(options.write(true).create_new(true)).open(&path);
        created.map_err(BackupError::file(file))?;
        Ok(Self { path })
    }

    /// Opens the file for writing.
    pub(super) fn open(&self) -> Result<File, BackupError> {
        OpenOptions::new().write(true).open(&self.path).map_err(BackupError::file(&self.path))
    }

    /// Renames the finished file to `file`, which must not exist, and makes it durable. Returns its size.
    pub(super) fn keep(self, file: &Path) -> Result<u64, BackupError> {
        let failed = || BackupError::file(file);
        let written = self.open()?;
        written.sync_all().map_err(failed())?;
        let bytes = written.metadata().map_err(failed())?.len();
        match fs::hard_link(&self.path, file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BackupError::Exists(file.to_owned()));
            }
            // Not all file systems support hard links.
            Err(_) if fs::symlink_metadata(file).is_err() => {
                fs::rename(&self.path, file).map_err(failed())?;
            }
            Err(error) => return Err(failed()(error)),
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync_folder(folder.unwrap_or(Path::new("."))).map_err(failed())?;
        Ok(bytes)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let mut path = self.path.clone().into_os_string();
            path.push(ending);
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes the entries of a folder durable, where the system supports that.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        // Windows cannot open folders.
        Err(_) => Ok(()),
    }
}
