//! The machine: its name, privileges and limits.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use winapi_util::sysinfo::{ComputerNameKind, get_computer_name};

/// Whether the system has the namespaces that bubblewrap needs.
pub const HAS_NAMESPACES: bool = false;

/// The host name.
#[must_use]
pub fn host_name() -> String {
    let name = get_computer_name(ComputerNameKind::PhysicalDnsHostname);
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether this process runs as root. It matters only for the sandbox, which Windows lacks.
#[must_use]
pub const fn is_root() -> bool {
    false
}

/// Raises the limit on open files. Windows has none.
pub const fn raise_open_files() {}

/// Not supported.
///
/// # Errors
/// Always.
pub fn memory_file(_content: &[u8]) -> io::Result<(File, PathBuf)> {
    Err(io::ErrorKind::Unsupported.into())
}
