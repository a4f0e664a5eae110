//! What can go wrong with storage.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

/// Why something could not be stored or read.
///
/// After any error but [`StorageError::Conflict`], what was to be written may or may not be durable: read it again.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The data folder, or a file in it, cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: Arc<io::Error>,
    },
    /// Another server uses the folder.
    #[error("{} is in use by another server: stop that one, or choose another data folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The file is not one of ours.
    #[error(
        "{} is not a Skirmish database, or it is damaged: move it away, restore a backup, or choose another data folder",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer version of Skirmish has written the database.
    #[error(
        "{} was written by a newer version of Skirmish (format {found}, this version reads up to {known}): \
         update Skirmish, or choose another data folder",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The newest version that we know.
        known: i32,
    },
    /// The log of a room does not end where the append expected, or has this message already. Nothing was written.
    #[error("the log of a game does not end at {after}, or contains the message already")]
    Conflict {
        /// The room.
        code: String,
        /// Where the log was expected to end.
        after: u64,
    },
    /// Something in the database makes no sense.
    #[error("the database is damaged: {what}")]
    Damaged {
        /// What.
        what: String,
    },
    /// The database failed.
    #[error("the database failed: {0}")]
    Database(#[source] Arc<rusqlite::Error>),
    /// Storage is closed, or its thread has died.
    #[error("the database is closed")]
    Closed,
}

impl StorageError {
    /// The folder or file at `path` cannot be used.
    pub(super) fn unusable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Unusable { path, source: Arc::new(source) }
    }
}

impl From<rusqlite::Error> for StorageError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}
