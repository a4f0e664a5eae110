//! Files: opening without blocking, identity, and copying attributes.

use std::fs::{self, DirBuilder, File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

pub use dunce::canonicalize as canonical;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Gid, OFlags, Uid, fchown};
use rustix::io::Errno;

use crate::{ErrorCause, FileKind};

/// The file extensions that may be omitted from a program's name.
pub(crate) const PROGRAM_EXTENSIONS: [&str; 0] = [];

/// The mode of a new file, before the umask.
const NEW_FILE_MODE: u32 = 0o666;

/// The mode of a file that only its owner can access.
const PRIVATE_FILE_MODE: u32 = 0o600;

/// The mode of a folder that only its owner can use.
const PRIVATE_FOLDER_MODE: u32 = 0o700;

/// All permission bits, with set-user-ID, set-group-ID and sticky.
const MODE_BITS: u32 = 0o7777;

/// Makes opening a file never block on a pipe and never acquire a controlling terminal.
pub fn nonblocking(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(flags(OFlags::NONBLOCK | OFlags::NOCTTY))
}

/// Like `nonblocking`; in addition, opening a symbolic link fails.
pub fn nonblocking_no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(flags(OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW))
}

fn flags(flags: OFlags) -> i32 {
    flags.bits().try_into().expect("the flags of open(2) are an int")
}

/// The kind of a file that is not a symbolic link.
#[must_use]
pub fn kind(file: FileType) -> FileKind {
    if file.is_file() {
        FileKind::Regular
    } else if file.is_dir() {
        FileKind::Folder
    } else if file.is_fifo() {
        FileKind::Pipe
    } else if file.is_char_device() {
        FileKind::Device
    } else if file.is_socket() {
        FileKind::Socket
    } else {
        FileKind::BlockDevice
    }
}

/// Whether a path names a device in every folder, as `NUL` does on Windows.
#[must_use]
pub const fn names_device(_path: &Path) -> bool {
    false
}

/// Whether two canonical paths are equal.
#[must_use]
pub fn is_same_path(one: &Path, other: &Path) -> bool {
    one == other
}

/// The unique identity of a file: device and inode.
///
/// # Errors
/// If the system call fails.
pub fn identity(file: &File) -> io::Result<(u64, u64)> {
    file.metadata().map(|data| (data.dev(), data.ino()))
}

/// Whether a path still names an open file.
#[must_use]
pub fn is_at(file: &File, path: &Path) -> bool {
    let there = fs::symlink_metadata(path).map(|data| (data.dev(), data.ino())).ok();
    there.is_some() && identity(file).ok() == there
}

/// The number of hard links to a file.
///
/// # Errors
/// If the system call fails.
pub fn links(file: &File) -> io::Result<u64> {
    file.metadata().map(|data| data.nlink())
}

/// The permissions to request for a new file, before the kernel applies the umask.
#[must_use]
pub fn new_file_permissions() -> Option<Permissions> {
    Some(Permissions::from_mode(NEW_FILE_MODE))
}

/// Makes new files accessible only to their owner.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(PRIVATE_FILE_MODE)
}

/// Creates a folder that only its owner can use, including missing parents. Existing folders stay unchanged.
///
/// # Errors
/// If the folder cannot be created.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER_MODE).create(path)
}

/// Gives a new file the owner, group and mode of the file that it replaces.
///
/// # Errors
/// If this is not permitted.
pub fn copy_attributes(new: &File, old: &Metadata) -> io::Result<()> {
    let data = new.metadata()?;
    if (data.uid(), data.gid()) != (old.uid(), old.gid()) {
        let owner = (data.uid() != old.uid()).then(|| Uid::from_raw(old.uid()));
        fchown(new, owner, Some(Gid::from_raw(old.gid())))?;
    }
    // Set the mode last: changing the owner clears the set-user-ID bit.
    new.set_permissions(Permissions::from_mode(old.mode() & MODE_BITS))
}

/// Waits until a file opened with [`nonblocking`] becomes writable. Returns `false` on timeout.
///
/// # Errors
/// If polling fails.
pub fn wait_until_writable(file: &File, timeout: Option<Duration>) -> io::Result<bool> {
    let timeout = timeout.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
    match poll(&mut [PollFd::new(file, PollFlags::OUT)], timeout.as_ref()) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// The cause of an error, if it is one of [`ErrorCause`].
#[must_use]
pub fn error_cause(error: &io::Error) -> Option<ErrorCause> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Some(ErrorCause::BrokenPipe);
    }
    match Errno::from_io_error(error)? {
        Errno::NXIO => Some(ErrorCause::NoReader),
        Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS => Some(ErrorCause::NoLocks),
        Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM => Some(ErrorCause::NoResources),
        _ => None,
    }
}

/// Whether anybody may execute a file.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    const EXECUTABLE: u32 = 0o111;
    let data = path.metadata();
    data.is_ok_and(|data| data.is_file() && data.permissions().mode() & EXECUTABLE != 0)
}
