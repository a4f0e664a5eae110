//! The memory budget for solved games.

/// A memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget {
    /// The limit in bytes.
    pub bytes: u64,
}
