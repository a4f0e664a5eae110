//! The machine: its name, and what it lets us use.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use winapi_util::sysinfo::{ComputerNameKind, get_computer_name};

/// Whether the system has the namespaces that bubblewrap needs.
pub const HAS_NAMESPACES: bool = false;

/// The name of this machine.
#[must_use]
pub fn host_name() -> String {
    let name = get_computer_name(ComputerNameKind::PhysicalDnsHostname);
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether we may do what only the administrator may. It does not matter here: there is no sandbox.
#[must_use]
pub const fn is_root() -> bool {
    false
}

/// Permits as many open files as the system allows this process. Here there is no limit.
pub const fn raise_open_files() {}

/// There is no such file.
///
/// # Errors
/// Always.
pub fn memory_file(_content: &[u8]) -> io::Result<(File, PathBuf)> {
    Err(io::ErrorKind::Unsupported.into())
}
