//! Types shared by all systems.

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

/// The outcome of trying to lock a lock file.
#[derive(Debug)]
pub enum Attempt {
    /// Locked for as long as this file is open.
    Locked(File),
    /// Another process has locked it. The file is open for reading, if it can be read.
    Held(Option<File>),
}

/// The pause between two attempts to acquire a lock.
pub(crate) const PAUSE: Duration = Duration::from_millis(10);

/// The error for a lock that could not be taken in time.
pub(crate) fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "another program holds the lock")
}

/// The error for a link where none is followed.
pub(crate) fn is_linked() -> io::Error {
    io::Error::other("it is a symbolic link")
}

/// Refuses a symbolic link, for a file whose name the user did not give.
///
/// # Errors
/// If there is a link at this path.
pub fn refuse_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => Err(is_linked()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The file, if it is a regular one.
///
/// # Errors
/// If it is a folder, a link, a pipe or a device.
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

/// The file, if it is a regular one without other hard links, so that writing it changes no other folder's file.
///
/// # Errors
/// If it is not.
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
    /// The program has to end. The number is the Unix signal, or its closest match on Windows.
    End(u8),
    /// The program has to stop until it is continued (Ctrl-Z).
    Suspend,
}

/// SIGHUP; on Windows, the window was closed.
pub const HANG_UP: u8 = 1;

/// SIGINT, as after Ctrl-C; on Windows also Ctrl-Break.
pub const INTERRUPT: u8 = 2;

/// SIGTERM; on Windows, the user logs off or the machine shuts down.
pub const TERMINATE: u8 = 15;

/// Why a system call failed, where [`io::ErrorKind`] does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCause {
    /// Opening a pipe, which no process has opened for reading. Devices can fail in the same way.
    NoReader,
    /// Writing to a pipe whose reader is gone.
    BrokenPipe,
    /// Locking a file on a file system that does not support locks.
    NoLocks,
    /// Starting a program without enough memory, processes or open files.
    NoResources,
}

/// A started program with its pipes.
#[derive(Debug)]
pub struct Started {
    /// The program.
    pub child: Child,
    /// Its standard input.
    pub input: ChildInput,
    /// Its standard output.
    pub output: ChildOutput,
    /// Its standard error.
    pub errors: ChildOutput,
}

/// What [`crate::process::wait`] waits for in a running program.
#[derive(Debug)]
pub struct Watched<'a> {
    /// Until it ends.
    pub child: Option<&'a Child>,
    /// Until its standard input becomes writable.
    pub input: Option<&'a ChildInput>,
    /// Something to read, or the end of it.
    pub outputs: [Option<&'a ChildOutput>; 2],
}
