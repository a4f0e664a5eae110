//! Properties of the machine: name, privileges and limits.

use winapi_util::sysinfo::{ComputerNameKind, get_computer_name};

/// The host name.
#[must_use]
pub fn host_name() -> String {
    let name = get_computer_name(ComputerNameKind::PhysicalDnsHostname);
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// The kernel with its release, as far as known.
#[must_use]
pub fn kernel() -> String {
    "Windows".to_owned()
}

/// Whether this process runs as root. Only the sandbox depends on this, and Windows lacks the sandbox.
#[must_use]
pub const fn is_root() -> bool {
    false
}

/// Does nothing: Windows has no limit on open files.
pub const fn raise_open_files() {}

/// The available memory of the machine, if known.
pub(crate) fn memory_limits() -> Vec<(&'static str, u64)> {
    let status = winsafe::GlobalMemoryStatusEx().ok();
    status.map(|status| ("machine", status.ullAvailPhys)).into_iter().collect()
}
