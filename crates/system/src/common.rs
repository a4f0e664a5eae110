//! Types shared by all operating systems.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::files::links;
use crate::process::{Child, ChildInput, ChildOutput};

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A folder.
    Folder,
    /// A named pipe (FIFO).
    Pipe,
    /// A character device, such as a terminal or `/dev/null`.
    Device,
    /// A socket.
    Socket,
    /// A block device, such as a disk.
    BlockDevice,
}

/// The result of an attempt to lock a lock file.
#[derive(Debug)]
pub enum Attempt {
    /// The lock was acquired, and is held as long as this file is open.
    Locked(File),
    /// Another process holds the lock. The file is open for reading, if it is readable.
    Held(Option<File>),
}

/// The pause between attempts to acquire a lock.
pub(crate) const PAUSE: Duration = Duration::from_millis(10);

/// The error for a lock that could not be acquired in time.
pub(crate) fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "another program holds the lock")
}

/// The error for a symbolic link that must not be followed.
pub(crate) fn is_linked() -> io::Error {
    io::Error::other("it is a symbolic link")
}

/// Rejects a symbolic link. Use this for files whose names the user did not choose.
///
/// # Errors
/// If the path is a symbolic link.
pub fn refuse_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => Err(is_linked()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Returns the file if it is a regular file.
///
/// # Errors
/// If the file is a folder, a link, a pipe or a device.
pub fn regular_file(file: File) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        Ok(file)
    } else if kind.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else if kind.is_symlink() {
        Err(is_linked())
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Returns the file if it is a regular file without other hard links, so that writing to it cannot change a file in
/// another folder.
///
/// # Errors
/// If the file is not regular, or has other hard links.
pub fn unlinked_file(file: File) -> io::Result<File> {
    let file = regular_file(file)?;
    if links(&file)? == 1 {
        Ok(file)
    } else {
        Err(io::Error::other("it has other hard links, which would change with it"))
    }
}

/// A signal, or on Windows a console control event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The program must end. The number is the Unix signal, or its closest match on Windows.
    End(u8),
    /// The program must suspend itself until it is continued (Ctrl-Z).
    Suspend,
}

/// SIGHUP; on Windows, closing the window.
pub const HANG_UP: u8 = 1;

/// SIGINT, as after Ctrl-C; on Windows also Ctrl-Break.
pub const INTERRUPT: u8 = 2;

/// SIGTERM; on Windows, logging off or shutting down.
pub const TERMINATE: u8 = 15;

/// The cause of a failed system call, for causes that [`io::ErrorKind`] does not distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCause {
    /// A pipe was opened for writing that no process has open for reading. Devices can fail in the same way.
    NoReader,
    /// The reader of a pipe is gone.
    BrokenPipe,
    /// The file system does not support locks.
    NoLocks,
    /// A program could not be started for lack of memory, processes or open files.
    NoResources,
}

/// A started program with its pipes.
#[derive(Debug)]
pub struct Started {
    /// The program.
    pub child: Child,
    /// The program's standard input.
    pub input: ChildInput,
    /// The program's standard output.
    pub output: ChildOutput,
    /// The program's standard error.
    pub errors: ChildOutput,
}

/// The events of a running program for which [`crate::process::wait`] waits.
#[derive(Debug)]
pub struct Watched<'a> {
    /// Wait for the end of this program.
    pub child: Option<&'a Child>,
    /// Wait until this standard input is writable.
    pub input: Option<&'a ChildInput>,
    /// Wait until these outputs are readable or at their end.
    pub outputs: [Option<&'a ChildOutput>; 2],
}
