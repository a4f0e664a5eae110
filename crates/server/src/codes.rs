//! The codes of rooms, which people read to each other.

/// Letters and digits that are not mistaken for others.
const LETTERS: &[u8; 30] = b"ABCDEFGHJKMNPQRSTVWXYZ23456789";

/// The number of letters in a code.
const LENGTH: usize = 6;

/// Random bytes from the system.
///
/// # Panics
/// If the system has none, and nothing can be kept secret.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}

/// A new code.
pub(crate) fn new_code() -> String {
    letters(LENGTH)
}

/// Random letters.
pub(crate) fn letters(length: usize) -> String {
    // Bytes beyond the largest multiple of the number of letters would favour some of them.
    let is_fair = |byte: &usize| *byte < 256 - 256 % LETTERS.len();
    let bytes = std::iter::repeat_with(random::<16>).flatten().map(usize::from).filter(is_fair);
    bytes.take(length).map(|byte| char::from(LETTERS[byte % LETTERS.len()])).collect()
}

/// A code as it was typed, in the form in which it is stored; none if it cannot be one.
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
