//! How much memory solved games may take.

/// So many bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget {
    /// The bytes.
    pub bytes: u64,
}
