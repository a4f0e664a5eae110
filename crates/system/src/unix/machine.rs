//! Properties of the machine: name, privileges and limits.

use rustix::process::{Resource, geteuid, getrlimit, setrlimit};

pub(crate) use super::memory::limits as memory_limits;

/// The host name.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The kernel with its release.
#[must_use]
pub fn kernel() -> String {
    let name = rustix::system::uname();
    format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy())
}

/// Whether this process runs as root.
#[must_use]
pub fn is_root() -> bool {
    geteuid().is_root()
}

/// Raises the soft limit on open files to the hard limit. On failure, the limit stays unchanged.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}
