//! Access to an untrusted folder: files are opened relative to a handle, without following links in the folder.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, mkdirat, open, openat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use crate::common::{is_linked, regular_file, unlinked_file};

/// The modes of new files and folders, before the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);
const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);

/// A handle to a folder. Renaming the folder, or replacing it with a link, does not redirect later operations.
#[derive(Debug)]
pub struct OpenFolder {
    path: PathBuf,
    handle: OwnedFd,
}

impl OpenFolder {
    /// Opens an existing folder. Links in the path itself are followed.
    ///
    /// # Errors
    /// If the folder cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { path: path.to_owned(), handle: open(path, flags, Mode::empty())? })
    }

    /// Opens a subfolder, creating it if missing.
    ///
    /// # Errors
    /// If the name is a link, or the subfolder cannot be opened or created.
    pub fn subfolder(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.handle, name, NEW_FOLDER) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&self.handle, name, flags, Mode::empty());
        let handle = opened.map_err(|error| self.explain(name, error))?;
        Ok(Self { path: self.path.join(name), handle })
    }

    /// The path under which the folder was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An identifier that distinguishes this folder from any other folder that has or had the same path: inode and
    /// creation time.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn identity(&self) -> io::Result<String> {
        let data = File::from(self.handle.try_clone()?).metadata()?;
        // Use 0 if the file system does not report the creation time.
        let created = data.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(format!("{}@{}", data.ino(), created.map_or(0, |time| time.as_nanos())))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// If the file is missing, is not a regular file, or cannot be read.
    pub fn read(&self, name: &str) -> io::Result<File> {
        regular_file(self.file(name, OFlags::RDONLY)?)
    }

    /// Creates a file for writing.
    ///
    /// # Errors
    /// If a file of this name exists, or the file cannot be created.
    pub fn create_new(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    /// Opens a file for appending, creating it if missing.
    ///
    /// # Errors
    /// If the file is a link, has other hard links, is not a regular file or cannot be written.
    pub fn append(&self, name: &str) -> io::Result<File> {
        unlinked_file(self.file(name, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)?)
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let safe = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = openat(&self.handle, name, flags | safe, NEW_FILE);
        Ok(opened.map_err(|error| self.explain(name, error))?.into())
    }

    /// Renames a file, unless the new name exists.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let folder = &self.handle;
        match renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
            // Not all file systems support the flag `NOREPLACE`.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                if statat(folder, to, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                    return Err(Errno::EXIST.into());
                }
                Ok(renameat(folder, from, folder, to)?)
            }
            renamed => Ok(renamed?),
        }
    }

    /// Removes a file or a link.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// The names in the folder, each with a flag for symbolic links. Names that are not UTF-8 are omitted.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<(String, bool)>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_str();
            let Some(name) = name.filter(|name| !matches!(*name, "." | "..")) else { continue };
            let is_link = match entry.file_type() {
                FileType::Symlink => true,
                FileType::Unknown => self.has_link(name),
                _ => false,
            };
            names.push((name.to_owned(), is_link));
        }
        Ok(names)
    }

    fn has_link(&self, name: &str) -> bool {
        let data = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        data.is_ok_and(|data| FileType::from_raw_mode(data.st_mode) == FileType::Symlink)
    }

    /// Clarifies an error: systems report a link as a loop, or as not being a folder.
    fn explain(&self, name: &str, error: Errno) -> io::Error {
        let may_be_link = matches!(error, Errno::LOOP | Errno::MLINK | Errno::NOTDIR);
        if may_be_link && self.has_link(name) { is_linked() } else { error.into() }
    }
}
