//! How much memory solving may take: most of what is free, within the limits set for this process.

/// How much memory solving may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The bytes.
    pub bytes: u64,
}

impl Budget {
    /// Most of what this process can still take.
    #[must_use]
    pub fn of_this_machine() -> Self {
        Self { bytes: skirmish_system::spare_memory() }
    }
}
