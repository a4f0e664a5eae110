//! What players may be called.

use skirmish_rules::{Both, Names, Side, is_printable};

/// The longest name a player can have.
pub const LONGEST_NAME: usize = 24;

/// Why players cannot be called that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// A name is empty or too long.
    #[error("each has 1 to {LONGEST_NAME} characters")]
    Length,
    /// A name would upset a terminal.
    #[error("control characters cannot be shown")]
    Unshowable,
    /// The names cannot be told apart.
    #[error("they must differ")]
    Alike,
}

/// A name without the space around it.
///
/// # Errors
/// When nobody can be called that.
pub fn check_name(name: &str) -> Result<String, NameError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Err(NameError::Length);
    }
    if !is_printable(name) {
        return Err(NameError::Unshowable);
    }
    Ok(name.to_owned())
}

/// Two names without the space around them.
///
/// # Errors
/// When a player cannot be called that, or both are called the same but for capitals.
pub fn check_names(names: Both<&str>) -> Result<Names, NameError> {
    let names = Both::new(check_name(names.one)?, check_name(names.two)?);
    if names[Side::One].eq_ignore_ascii_case(&names[Side::Two]) {
        return Err(NameError::Alike);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_the_space_around_them() {
        let names = check_names(Both::new(" Zoë ", "O'Neill"));
        assert_eq!(names, Ok(Both::new("Zoë".to_owned(), "O'Neill".to_owned())));
    }

    #[test]
    fn a_family_emoji_is_a_name() {
        for name in ["👨\u{200d}👩\u{200d}👧\u{200d}👦", "🏳\u{fe0f}\u{200d}🌈", "علی\u{200c}رضا"]
        {
            assert_eq!(check_name(name).as_deref(), Ok(name));
        }
        for name in ["\u{200d}", "A\u{200d}nn", "👩\u{200d}"] {
            assert_eq!(check_name(name), Err(NameError::Unshowable), "{name:?}");
        }
    }

    #[test]
    fn names_that_cannot_be_told_apart_or_shown_are_refused() {
        let long = "b".repeat(LONGEST_NAME + 1);
        for (other, why) in [
            ("", NameError::Length),
            (" ", NameError::Length),
            (&long, NameError::Length),
            ("B\u{1b}[31mob", NameError::Unshowable),
            ("B\u{202e}ob", NameError::Unshowable),
            ("ann", NameError::Alike),
        ] {
            assert_eq!(check_names(Both::new("Ann", other)), Err(why), "{other:?}");
        }
        assert_eq!(check_name(&long[1..]).map(|name| name.len()), Ok(LONGEST_NAME));
    }
}
