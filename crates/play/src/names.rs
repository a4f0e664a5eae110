//! The rules for players' names.

use skirmish_rules::columns::width;
use skirmish_rules::{Both, Names, Side, default_names, is_printable};

/// The maximum width of a name, in columns.
pub const LONGEST_NAME: usize = 24;

/// The maximum number of characters, including zero-width joiners and marks.
const MOST_CHARACTERS: usize = 4 * LONGEST_NAME;

/// The names of unnamed players in a match with swapped seats.
pub const LETTERS: Both<&str> = Both::new("Player A", "Player B");

/// Returns the name that a person chose; `None` if it is a default name.
#[must_use]
pub fn own_name(name: &str) -> Option<&str> {
    let seats = default_names();
    let is_usual = Side::ALL.into_iter().any(|side| name == seats[side] || name == LETTERS[side]);
    (!is_usual).then_some(name)
}

/// Why a name, or a pair of names, is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// A name is empty or too long.
    #[error("a name has 1 to {LONGEST_NAME} characters; ideographs and emoji count twice")]
    Length,
    /// A name contains characters that are unsafe to show on a terminal.
    #[error("control characters and characters that hide or reorder others cannot be shown")]
    Unshowable,
    /// The two names are the same, ignoring case.
    #[error("they must differ")]
    Alike,
}

/// Checks a name and trims it.
///
/// # Errors
/// If the name is invalid.
pub fn check_name(name: &str) -> Result<String, NameError> {
    let name = name.trim();
    if !is_printable(name) {
        return Err(NameError::Unshowable);
    }
    if !(1..=LONGEST_NAME).contains(&width(name)) || name.chars().count() > MOST_CHARACTERS {
        return Err(NameError::Length);
    }
    Ok(name.to_owned())
}

/// Checks two names and trims them.
///
/// # Errors
/// If a name is invalid, or both are the same, ignoring case.
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
    fn names_are_trimmed() {
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
    fn names_are_measured_in_columns() {
        let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦";
        for name in ["李雷", family, &family.repeat(LONGEST_NAME / 2), "Zoe\u{308}"] {
            assert_eq!(check_name(name).as_deref(), Ok(name));
        }
        let marks = format!("a{}", "\u{308}".repeat(MOST_CHARACTERS));
        for name in [&"李".repeat(LONGEST_NAME / 2 + 1), "\u{308}", &marks] {
            assert_eq!(check_name(name), Err(NameError::Length), "{name:?}");
        }
    }

    #[test]
    fn equal_and_unprintable_names_are_refused() {
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
