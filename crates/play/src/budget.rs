//! The memory budget for solved games.

/// An amount of memory that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget {
    /// The amount in bytes.
    pub bytes: u64,
}
