//! Available memory.

/// The memory that this process can still allocate: what the machine has available.
pub(crate) fn available() -> Option<u64> {
    winsafe::GlobalMemoryStatusEx().ok().map(|status| status.ullAvailPhys)
}
