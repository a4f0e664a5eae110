//! Backups of a data folder, whether a server uses it or not, and restoring them. Exports share the files and errors.

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
use super::{Place, Session, StorageError, log, schema, sqlite};

/// What a backup holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backup {
    /// The size of the file.
    pub bytes: u64,
    /// Rooms.
    pub rooms: u64,
    /// Their events.
    pub events: u64,
}

/// Why there is no backup, or nothing was restored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A database cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is such a file already.
    #[error("{} exists already: choose another name", .0.display())]
    Exists(PathBuf),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The folder already has Skirmish data, or the database has tables.
    #[error("{0} already has Skirmish data: choose an empty {kind}", kind = .0.kind())]
    NotEmpty(Place),
    /// The file is not a backup, or not all of one.
    #[error(
        "{} is not a backup of Skirmish, or it is damaged or incomplete: restore reads what backup wrote, and import what export wrote",
        .0.display()
    )]
    Foreign(PathBuf),
    /// The backup is damaged.
    #[error("the backup is damaged or incomplete: {0}")]
    Damaged(String),
}

impl BackupError {
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { path, error }
    }

    /// The backup in this file cannot be read. The person knows it by this name, not by that of the copy.
    pub(super) fn unreadable(file: &Path, error: StorageError) -> Self {
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

/// Writes a copy of a folder's database into a new file, as it is at one moment. A server may use it meanwhile: moves do not
/// wait. The file is private, complete and on the disk when this returns; if it fails, there is none.
///
/// # Errors
/// If there is such a file, or one of the two cannot be used.
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

/// Restores a backup into a data folder without a database, which is created if missing. Every game in it can be read.
///
/// # Errors
/// If the folder has a database or is in use, or the backup is damaged, somebody else's or newer than this program. The
/// folder stays as it is then.
pub fn restore(file: &Path, folder: &Path, games: Catalog) -> Result<Backup, BackupError> {
    // A file of any other kind may be huge, and SQLite would take an empty one for a new database.
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
        let session =
            schema::open(&part.path).map_err(|error| BackupError::unreadable(file, error))?;
        let restored = verify(&session, games)?;
        // One file, without the log of SQLite beside it.
        let Session::Sqlite(connection) = session else { unreachable!("a file is SQLite's") };
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(restored)
    })?;
    Ok(Backup { bytes, ..restored })
}

/// Lets `build` write the database of a folder that has none, and also returns its size. If that fails, the folder stays as
/// it is.
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

/// Checks that the file is intact, and that every game can be read.
fn verify(session: &Session, games: Catalog) -> Result<Backup, BackupError> {
    let Session::Sqlite(connection) = session else { unreachable!("a file is SQLite's") };
    check(connection)?;
    let sql = "SELECT code FROM room ORDER BY id";
    let codes: Vec<String> = sqlite::ready(session.query(sql, [], |row| row.get(0)))?;
    let mut backup = Backup::default();
    for (number, code) in (1..).zip(&codes) {
        // Whoever knows a code could join: the number says enough.
        let damaged = |why: String| BackupError::Damaged(format!("game {number}: {why}"));
        let log = sqlite::ready(log::read(session, code, 0));
        let log = log.map_err(|error| damaged(error.to_string()))?;
        let does_not_fit = |v| damaged(format!("event {v} does not fit"));
        Room::fold(games, &log).map_err(|error| does_not_fit(error.v))?;
        backup.rooms += 1;
        backup.events += log.len() as u64;
    }
    Ok(backup)
}

/// Checks that a file is intact.
fn check(connection: &Connection) -> Result<(), BackupError> {
    let result: Result<String, _> =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
    match result {
        Ok(result) if result == "ok" => Ok(()),
        Ok(what) => Err(BackupError::Damaged(what)),
        Err(error) => Err(BackupError::Damaged(error.to_string())),
    }
}

/// A file that is being written. It is removed unless it is kept.
pub(super) struct Part {
    pub(super) path: PathBuf,
}

impl Part {
    /// An empty private file beside `file`, which must not exist.
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

    /// Opens it for writing.
    pub(super) fn open(&self) -> Result<File, BackupError> {
        OpenOptions::new().write(true).open(&self.path).map_err(BackupError::file(&self.path))
    }

    /// Gives it its name, unless there is such a file, and waits until it is on the disk. Returns its size.
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
            // Not all file systems have links.
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

/// Waits until the names in a folder are on the disk, where the system can do that.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        // Windows opens no folders.
        Err(_) => Ok(()),
    }
}
