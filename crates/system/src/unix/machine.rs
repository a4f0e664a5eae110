//! The machine: its name, privileges and limits.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use rustix::process::{Resource, geteuid, getrlimit, setrlimit};

/// Whether the system has the namespaces that bubblewrap needs.
pub const HAS_NAMESPACES: bool = cfg!(target_os = "linux");

/// The host name.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Whether this process runs as root.
#[must_use]
pub fn is_root() -> bool {
    geteuid().is_root()
}

/// Raises the soft limit on open files to the hard limit. On failure the default limit stays.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

/// An anonymous file in memory, and the path under which other processes of this user can open it while it is open.
///
/// # Errors
/// If the system is not Linux or is out of memory.
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

/// Not supported.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn memory_file(_content: &[u8]) -> io::Result<(File, PathBuf)> {
    Err(io::ErrorKind::Unsupported.into())
}
