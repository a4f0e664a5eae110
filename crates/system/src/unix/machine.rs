//! The machine: its name, and what it lets us use.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use rustix::process::{Resource, geteuid, getrlimit, setrlimit};

/// Whether the system has the namespaces that bubblewrap needs.
pub const HAS_NAMESPACES: bool = cfg!(target_os = "linux");

/// The name of this machine.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Whether we may do what only the administrator may.
#[must_use]
pub fn is_root() -> bool {
    geteuid().is_root()
}

/// Permits as many open files as the system allows this process. Where that fails, the usual number will do for most.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

/// A file that has no name, and the path under which another process of this user finds it while it is open.
///
/// # Errors
/// If the system is not Linux, or has no memory left.
#[cfg(target_os = "linux")]
pub fn memory_file(content: &[u8]) -> io::Result<(File, PathBuf)> {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use rustix::fs::{MemfdFlags, memfd_create};

    let mut file = File::from(memfd_create("skirmish", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    Ok((file, path.into()))
}

/// There is no such file.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn memory_file(_content: &[u8]) -> io::Result<(File, PathBuf)> {
    Err(io::ErrorKind::Unsupported.into())
}
