//! The data folder, which is private and used by one server at a time.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use skirmish_system::{Attempt, files, lock};

use super::{Place, Result, StorageError};

const LOCK: &str = "lock";
pub(super) const DATABASE: &str = "skirmish.db";

/// A locked data folder. No other server can open the folder while this exists.
#[derive(Debug)]
pub(super) struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Locks a folder, creating it if missing.
    pub(super) fn open(path: &Path) -> Result<Self> {
        files::create_private_folder(path).map_err(StorageError::unusable(path))?;
        let path = files::canonical(path).map_err(StorageError::unusable(path))?;
        let lock = create_private(path.join(LOCK))?;
        match lock::attempt(&lock).map_err(StorageError::unusable(lock))? {
            Attempt::Locked(lock) => Ok(Self { path, _lock: lock }),
            Attempt::Held(_) => Err(StorageError::InUse(Place::File(path))),
        }
    }

    /// Returns the folder's path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the database, creating an empty private file if missing. `SQLite` creates its other files with the
    /// same permissions.
    pub(super) fn database(&self) -> Result<PathBuf> {
        create_private(self.path.join(DATABASE))
    }
}

/// The parts of a folder that were missing before it was opened, so that a failed attempt leaves nothing behind.
pub(super) struct Missing {
    folders: Vec<PathBuf>,
    lock: Option<PathBuf>,
}

impl Missing {
    /// Finds the missing parts of a folder.
    pub(super) fn of(folder: &Path) -> Self {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let folders = folder.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        Self { folders, lock: Some(folder.join(LOCK)).filter(|lock| !lock.exists()) }
    }

    /// Removes the parts that have been created since. A folder with any other content stays.
    pub(super) fn remove(&self) {
        if let Some(lock) = &self.lock {
            let _ = fs::remove_file(lock);
        }
        for folder in &self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Creates a file that only its owner can access, unless it exists.
fn create_private(path: PathBuf) -> Result<PathBuf> {
    let mut options = OpenOptions::new();
    match files::private(options.write(true).create_new(true)).open(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(path),
        Err(error) => Err(StorageError::unusable(path)(error)),
    }
}
