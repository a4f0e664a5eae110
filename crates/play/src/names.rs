//! What players may be called.

use skirmish_rules::columns::width;
use skirmish_rules::{Both, Names, Side, default_names, is_printable};

/// The columns that a player's name can take.
pub const LONGEST_NAME: usize = 24;

/// The characters that a name can have, joiners and marks that take no column included.
const MOST_CHARACTERS: usize = 4 * LONGEST_NAME;

/// What people without names are called in a match in which they swap seats.
pub const LETTERS: Both<&str> = Both::new("Player A", "Player B");

/// A person's own name; none where they are called after a seat or a letter.
#[must_use]
pub fn own_name(name: &str) -> Option<&str> {
    let seats = default_names();
    let is_usual = Side::ALL.into_iter().any(|side| name == seats[side] || name == LETTERS[side]);
    (!is_usual).then_some(name)
}

/// Why players cannot be called that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// A name is empty or too long.
    #[error("each has 1 to {LONGEST_NAME} characters; ideographs and emoji count twice")]
    Length,
    /// A name would upset a terminal.
    #[error("control characters and characters that hide or reorder others cannot be shown")]
    Unshowable,
    /// The names cannot be told apart.
    #[error("they must differ")]
    Alike,
}

/// A name without the space around it.
///
/// # Errors
/// If nobody can be called that.
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

/// Two names without the space around them.
///
/// # Errors
/// If a player cannot be called that, or both are called the same but for capitals.
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
    fn names_are_as_long_as_they_are_shown() {
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
