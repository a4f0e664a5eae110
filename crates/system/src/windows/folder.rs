//! Access to an untrusted folder: links in the folder are not followed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::files::{BACKUP_SEMANTICS, OPEN_REPARSE_POINT, identity};
use crate::common::{is_linked, regular_file, unlinked_file};

/// A share mode: others may read and write the folder's contents, but not rename or delete the folder.
const SHARE_READ_AND_WRITE: u32 = 0x1 | 0x2;

/// A handle to a folder. While it is open, neither the folder nor its parents can be renamed or removed, so paths
/// through it stay valid.
#[derive(Debug)]
pub struct OpenFolder {
    path: PathBuf,
    handle: File,
}

impl OpenFolder {
    /// Opens an existing folder. Links in the path itself are followed.
    ///
    /// # Errors
    /// If the folder cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::opened(super::files::canonical(path)?)
    }

    fn opened(path: PathBuf) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).share_mode(SHARE_READ_AND_WRITE);
        let handle = options.custom_flags(OPEN_REPARSE_POINT | BACKUP_SEMANTICS).open(&path)?;
        let kind = handle.metadata()?.file_type();
        if kind.is_symlink() {
            return Err(is_linked());
        }
        if !kind.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path, handle })
    }

    /// Opens a subfolder, creating it if missing.
    ///
    /// # Errors
    /// If the name is a link or a junction, or the subfolder cannot be opened or created.
    pub fn subfolder(&self, name: &str) -> io::Result<Self> {
        let path = self.path.join(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Ok(()) | Err(_) => Self::opened(path),
        }
    }

    /// The path under which the folder was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An identifier that distinguishes this folder from any other folder that has or had the same path. NTFS does not
    /// reuse a file index for a long time, because the index contains a sequence number.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn identity(&self) -> io::Result<String> {
        let (_, index) = identity(&self.handle)?;
        Ok(index.to_string())
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// If the file is missing, is not a regular file, or cannot be read.
    pub fn read(&self, name: &str) -> io::Result<File> {
        regular_file(self.file(name, File::options().read(true))?)
    }

    /// Creates a file for writing.
    ///
    /// # Errors
    /// If a file of this name exists, or the file cannot be created.
    pub fn create_new(&self, name: &str) -> io::Result<File> {
        self.file(name, File::options().write(true).create_new(true))
    }

    /// Opens a file for appending, creating it if missing.
    ///
    /// # Errors
    /// If the file is a link, has other hard links, is not a regular file or cannot be written.
    pub fn append(&self, name: &str) -> io::Result<File> {
        unlinked_file(self.file(name, File::options().append(true).create(true))?)
    }

    fn file(&self, name: &str, options: &mut OpenOptions) -> io::Result<File> {
        options.custom_flags(OPEN_REPARSE_POINT).open(self.path.join(name))
    }

    /// Renames a file, unless the new name exists.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let to = self.path.join(to);
        if fs::symlink_metadata(&to).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(self.path.join(from), to)
    }

    /// Removes a file or a link.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// The names in the folder, each with a flag for links. Names that are not Unicode are omitted.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<(String, bool)>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                names.push((name, entry.file_type()?.is_symlink()));
            }
        }
        Ok(names)
    }
}
