//! Errors of the storage.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use thiserror::Error;

/// The result of a storage operation.
pub(super) type Result<T, E = StorageError> = std::result::Result<T, E>;

/// A storage location, without a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A data folder, or a file in it.
    File(PathBuf),
    /// A server's database, with the server's address.
    Database(String),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Database(name) => name.fmt(formatter),
        }
    }
}

impl Place {
    /// Returns the error for a location that cannot be used.
    pub(super) fn unusable(&self, source: io::Error) -> StorageError {
        StorageError::Unusable { place: self.clone(), source: Arc::new(source) }
    }

    /// Names the kind of location, for advice to choose another one.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::File(_) => "data folder",
            Self::Database(_) => "database",
        }
    }
}

/// Why something could not be stored or read.
///
/// After any error but [`StorageError::Conflict`] and [`StorageError::Stale`], a write may or may not be durable: read the
/// data again.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The data folder, a file in it, or the database cannot be used.
    #[error("cannot use {place}: {source}")]
    Unusable {
        /// The location.
        place: Place,
        /// The cause.
        source: Arc<io::Error>,
    },
    /// The URL of a database is malformed. The error does not repeat it, since it may contain a password.
    #[error("the address of the database cannot be used: {0}")]
    Address(&'static str),
    /// Another server uses this folder.
    #[error("{0} is in use by another server: stop that one, or choose another {kind}", kind = .0.kind())]
    InUse(Place),
    /// The file or database does not belong to Skirmish.
    #[error(
        "{0} is not a Skirmish database, or it is damaged: move it away, restore a backup, or choose another {kind}",
        kind = .0.kind()
    )]
    Foreign(Place),
    /// The database is empty, although it should have tables.
    #[error("{0} has no Skirmish tables: check the address, or start a server with it first")]
    Missing(Place),
    /// The database was written by a newer version of Skirmish.
    #[error(
        "{place} was written by a newer version of Skirmish (format {found}, this version reads up to {known}): \
         update Skirmish, or choose another {}",
        place.kind()
    )]
    Newer {
        /// The location.
        place: Place,
        /// The schema version found.
        found: i32,
        /// The newest schema version supported.
        known: i32,
    },
    /// Servers of an older version, with these names, are using the database.
    #[error(
        "servers of an older version use this database ({}): stop all of them, and then start this version",
        .0.join(", ")
    )]
    OlderNodes(Vec<String>),
    /// The log of a room does not end at this version, as the append expected, or already contains the message. Nothing was
    /// written.
    #[error("the log of a game does not end at {0}, or contains the message already")]
    Conflict(u64),
    /// The appending node has no fresh heartbeat, or does not know the newest outage. Nothing was written.
    #[error("the node must write a heartbeat first")]
    Stale,
    /// The database cannot be reached, or does not answer in time. The connection is retried automatically.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The disk of the database is full.
    #[error("the disk of the database is full")]
    Full,
    /// The database is read-only.
    #[error("the database is read-only")]
    ReadOnly,
    /// The database contains invalid data.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A row would violate a constraint of its table.
    #[error("the database failed: {0}")]
    Constraint(String),
    /// Any other database error.
    #[error("the database failed: {0}")]
    Database(String),
    /// The storage is closed, or its thread has ended.
    #[error("the database is closed")]
    Closed,
}

impl StorageError {
    /// Returns the error for a folder or file at `path` that cannot be used.
    pub(super) fn unusable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let place = Place::File(path.into());
        move |source| place.unusable(source)
    }

    /// Adds the file's path to an error from opening its database.
    pub(super) fn at(self, path: &Path) -> Self {
        let why = match self {
            Self::Full | Self::ReadOnly => self.to_string(),
            Self::Constraint(what) | Self::Database(what) => what,
            error => return error,
        };
        Self::unusable(path)(io::Error::other(why))
    }

    /// Describes the error for logs, without the address of a database.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Unusable { place: Place::Database(_), source } => source.to_string(),
            error => error.to_string(),
        }
    }

    /// Whether the database is currently unreachable.
    #[must_use]
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

impl From<rusqlite::Error> for StorageError {
    fn from(error: rusqlite::Error) -> Self {
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            // There is no space for the file that connections share.
            _ if extended == Some(SQLITE_IOERR_SHMSIZE) => Self::Full,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::ConstraintViolation) => Self::Constraint(error.to_string()),
            _ => Self::Database(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_full_disk_and_a_read_only_database_are_told_from_other_failures() {
        let database = Connection::open_in_memory().expect("memory");
        let run = |sql: &str| database.execute_batch(sql).map_err(StorageError::from);
        run("CREATE TABLE item (text TEXT); PRAGMA max_page_count = 2").expect("valid SQL");
        let insert = "INSERT INTO item VALUES (zeroblob(100000))";
        assert!(matches!(run(insert), Err(StorageError::Full)));
        run("PRAGMA query_only = 1").expect("valid SQL");
        assert!(matches!(run(insert), Err(StorageError::ReadOnly)));
        assert!(matches!(run("nonsense"), Err(StorageError::Database { .. })));
    }
}
