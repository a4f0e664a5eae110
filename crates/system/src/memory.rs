//! How much memory a long computation may take.

use crate::family::memory::left_to_us;

/// What is assumed to be free where the system does not say.
const ELSEWHERE: u64 = 4 << 30;

/// Most of the memory that this process can still take.
#[must_use]
pub fn spare_memory() -> u64 {
    most_of(left_to_us())
}

/// A fifth is left alone.
fn most_of(left: Option<u64>) -> u64 {
    left.unwrap_or(ELSEWHERE) / 10 * 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_of_what_is_left_is_left_alone() {
        assert_eq!(most_of(Some(100)), 80);
        assert_eq!(most_of(None), ELSEWHERE / 10 * 8);
        assert!(spare_memory() > 0);
    }
}
