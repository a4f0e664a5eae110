//! Tokens and codes. Only their hashes are stored.

use std::fmt;

use sha2::{Digest, Sha256};

use super::Credential;
use crate::codes::random;

/// The 32 characters of codes, which cannot be mistaken for one another. Five bits select one.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const LINK_CHARACTERS: usize = 8;
const RECOVERY_CHARACTERS: usize = 16;

/// A token, a link code or a recovery code.
#[derive(Clone)]
pub struct Secret {
    text: String,
    hash: Hash,
}

impl Secret {
    fn new(text: String) -> Self {
        let hash = Sha256::digest(text.to_ascii_uppercase()).into();
        Self { text, hash }
    }

    /// Generates a token: 128 bits as 32 hexadecimal digits.
    #[must_use]
    pub fn token() -> Self {
        Self::new(format!("{:032x}", u128::from_le_bytes(random())))
    }

    /// Generates a link code: 8 characters, enough for a code that is valid for a few minutes.
    #[must_use]
    pub fn link() -> Self {
        Self::code::<LINK_CHARACTERS>()
    }

    /// Generates a recovery code: 16 characters, or 80 bits.
    #[must_use]
    pub fn recovery() -> Self {
        Self::code::<RECOVERY_CHARACTERS>()
    }

    fn code<const LENGTH: usize>() -> Self {
        let characters = random::<LENGTH>();
        Self::new(
            characters.map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).iter().collect(),
        )
    }

    /// Parses a typed secret. Case, spaces and hyphens do not matter.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let is_filler = |character: char| character.is_whitespace() || character == '-';
        Self::new(text.chars().filter(|&character| !is_filler(character)).collect())
    }

    /// Returns the text, for the owner of the secret.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the credential that identifies the device with this token.
    pub(crate) const fn credential(&self) -> Credential {
        Credential(self.hash)
    }

    /// Returns the hash to store.
    pub(crate) const fn hash(&self) -> Hash {
        self.hash
    }
}

/// The SHA-256 of a secret.
pub(crate) type Hash = [u8; 32];

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_have_their_lengths_and_differ() {
        for (make, length) in [
            (Secret::token as fn() -> Secret, 32),
            (Secret::link as fn() -> Secret, 8),
            (Secret::recovery as fn() -> Secret, 16),
        ] {
            let (one, two) = (make(), make());
            assert_eq!(one.text().len(), length);
            assert_ne!(one.text(), two.text());
            assert_ne!(one.hash(), two.hash());
        }
    }

    #[test]
    fn a_typed_code_may_have_hyphens_and_any_case() {
        let code = Secret::recovery();
        let (left, right) = code.text().split_at(8);
        let typed = Secret::parse(&format!(" {}-{right}\n", left.to_lowercase()));
        assert_eq!(typed.hash(), code.hash());
    }

    #[test]
    fn the_text_is_not_in_the_debug_output() {
        assert_eq!(format!("{:?}", Some(Secret::token())), "Some(Secret(…))");
    }
}
