//! Memory: what is free.

/// The memory that this process can still take: what the machine has free.
pub(crate) fn left_to_us() -> Option<u64> {
    winsafe::GlobalMemoryStatusEx().ok().map(|status| status.ullAvailPhys)
}
