//! The machine: its name, privileges and limits.

use rustix::process::{Resource, geteuid, getrlimit, setrlimit};

pub(crate) use super::memory::available as available_memory;

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

/// Raises the soft limit on open files to the hard limit. On failure, the default limit stays.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}
