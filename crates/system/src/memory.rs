//! How much memory a long computation may use.

use crate::family::memory::available;

/// Assumed to be available if the system does not say.
const FALLBACK: u64 = 4 << 30;

/// Most of the memory that this process can still allocate.
#[must_use]
pub fn spare_memory() -> u64 {
    most_of(available())
}

/// Leaves a fifth unused.
fn most_of(available: Option<u64>) -> u64 {
    available.unwrap_or(FALLBACK) / 10 * 8
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
