//! Types that are the same on all systems.

use std::fs::File;
use std::io;
use std::time::Duration;

use crate::process::{Child, ChildInput, ChildOutput};

/// What sort of file something is.
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

/// What came of trying to lock a lock file.
#[derive(Debug)]
pub enum Attempt {
    /// It is locked as long as this file is open.
    Locked(File),
    /// Somebody else has locked it; here it is to be read, if it can be.
    Held(Option<File>),
}

/// Between two attempts to get a lock.
pub(crate) const PAUSE: Duration = Duration::from_millis(10);

/// The error of whoever has waited too long for a lock.
pub(crate) fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "another program keeps it locked")
}

/// A request from outside. On Windows: a console control event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The program has to end. The number is that of the signal on Unix; of the one that comes closest on Windows.
    End(u8),
    /// The program has to stop until it is continued, as after Ctrl-Z.
    Suspend,
}

/// SIGHUP; on Windows, the window was closed.
pub const HANG_UP: u8 = 1;

/// SIGINT, as after Ctrl-C; on Windows, Ctrl-Break too.
pub const INTERRUPT: u8 = 2;

/// SIGTERM; on Windows, the user logs off or the machine shuts down.
pub const TERMINATE: u8 = 15;

/// What of a running program is waited for by [`crate::process::wait`].
#[derive(Debug)]
pub struct Watched<'a> {
    /// Its end.
    pub child: Option<&'a Child>,
    /// Room for more in its standard input.
    pub input: Option<&'a ChildInput>,
    /// Something to read, or the end of it.
    pub outputs: [Option<&'a ChildOutput>; 2],
}
