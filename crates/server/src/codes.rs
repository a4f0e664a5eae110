//! The codes of rooms, which people read out to each other.

/// Letters and digits that cannot be mistaken for one another.
const LETTERS: &[u8; 30] = b"ABCDEFGHJKMNPQRSTVWXYZ23456789";

/// Number of characters in a code.
const LENGTH: usize = 6;

/// Returns random bytes from the operating system.
///
/// # Panics
/// If the system has no random numbers, since nothing could be kept secret.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}

/// Generates a room code.
pub(crate) fn new_code() -> String {
    letters(LENGTH)
}

/// Returns random characters of [`LETTERS`].
pub(crate) fn letters(length: usize) -> String {
    // Reject the largest bytes: otherwise some letters would be more likely than others.
    let is_fair = |byte: &usize| *byte < 256 - 256 % LETTERS.len();
    let bytes = std::iter::repeat_with(random::<16>).flatten().map(usize::from).filter(is_fair);
    bytes.take(length).map(|byte| char::from(LETTERS[byte % LETTERS.len()])).collect()
}

/// Converts a typed code to its stored form. `None` if the code is malformed.
pub(crate) fn read_code(text: &str) -> Option<String> {
    let code = text.trim().to_ascii_uppercase();
    let is_code = code.len() == LENGTH && code.bytes().all(|byte| LETTERS.contains(&byte));
    is_code.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_it_was_made_whatever_its_case() {
        for _ in 0..100 {
            let code = new_code();
            assert_eq!(read_code(&format!(" {} ", code.to_ascii_lowercase())), Some(code));
        }
        for text in ["", "ABCDE", "ABCDEFG", "ABCDE0", "ABC/..", "ÄBCDEF"] {
            assert_eq!(read_code(text), None, "{text}");
        }
    }
}
