//! Properties of the machine: name, privileges, memory and limits.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use crate::family::machine as family;
pub use crate::family::machine::{host_name, is_root, kernel, raise_open_files};

/// Whether the system has the namespaces that bubblewrap needs.
pub const HAS_NAMESPACES: bool = cfg!(target_os = "linux");

/// The memory assumed to be available if the system does not report it.
const FALLBACK: u64 = 4 << 30;

/// Four fifths of the memory that this process can still allocate.
#[must_use]
pub fn spare_memory() -> u64 {
    most_of(memory_limits().into_iter().map(|(_, left)| left).min())
}

/// The memory that this process can still allocate under each known limit, with the name of the limit.
#[must_use]
pub fn memory_limits() -> Vec<(&'static str, u64)> {
    family::memory_limits()
}

/// Four fifths of `available`, or of the fallback if unknown.
fn most_of(available: Option<u64>) -> u64 {
    available.unwrap_or(FALLBACK) / 10 * 8
}

/// Creates an anonymous in-memory file. Returns it with the path through which other processes of this user can open it
/// while it is open.
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

/// Not supported on this system.
///
/// # Errors
/// Always fails.
#[cfg(not(target_os = "linux"))]
pub fn memory_file(_content: &[u8]) -> io::Result<(File, PathBuf)> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_of_the_available_memory_stays_unused() {
        assert_eq!(most_of(Some(100)), 80);
        assert_eq!(most_of(None), FALLBACK / 10 * 8);
        assert!(spare_memory() > 0);
    }
}
