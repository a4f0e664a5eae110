//! How much memory solved games may use.

/// An amount of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget {
    /// The bytes.
    pub bytes: u64,
}
