//! Fuzzy matching of names.

use std::borrow::Cow;

/// How well letters fit a name, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The letters are the whole name.
    Whole,
    /// The name begins with the letters.
    Start,
    /// A word of the name begins with the letters.
    Word,
    /// The letters occur together.
    Within,
    /// The letters occur in this order, the first of them at the start of the name.
    Scattered,
}

/// How well `letters` fit `name`, ignoring case; `None` if they do not.
pub(super) fn fit(name: &str, letters: &str) -> Option<Fit> {
    let (name, letters) = (name.to_lowercase(), letters.trim().to_lowercase());
    if name == letters {
        return Some(Fit::Whole);
    }
    if name.starts_with(&letters) {
        return Some(Fit::Start);
    }
    let mut places = name.match_indices(&letters).map(|(at, _)| at).peekable();
    if places.peek().is_some() {
        let begins = |at: usize| name[..at].ends_with(|before: char| !before.is_alphanumeric());
        return Some(if places.any(begins) { Fit::Word } else { Fit::Within });
    }
    let mut rest = name.chars();
    if rest.clone().next() != letters.chars().next() {
        return None;
    }
    letters.chars().all(|letter| rest.any(|other| other == letter)).then_some(Fit::Scattered)
}

/// The items whose names fit, best first; all items if `letters` is blank.
pub(super) fn sorted<'a, T>(
    items: &'a [T],
    letters: &str,
    name: impl Fn(&'a T) -> Cow<'a, str>,
) -> Vec<&'a T> {
    if letters.trim().is_empty() {
        return items.iter().collect();
    }
    let mut found: Vec<(Fit, &T)> =
        items.iter().filter_map(|item| Some((fit(&name(item), letters)?, item))).collect();
    // The sort is stable: equally good matches keep their order.
    found.sort_by_key(|(fit, _)| *fit);
    found.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_fits_come_first() {
        let names =
            ["rules base-battle", "base", "database", "B a s e", "play base-battle", "none"];
        let found = sorted(&names, "Base", |name| (*name).into());
        assert_eq!(
            found,
            [&"base", &"rules base-battle", &"play base-battle", &"database", &"B a s e"]
        );
        assert_eq!(sorted(&names, " ", |name| (*name).into()).len(), names.len());
    }

    #[test]
    fn letters_must_come_in_order() {
        assert_eq!(fit("history", "hst"), Some(Fit::Scattered));
        assert_eq!(fit("history", "tsh"), None);
        assert_eq!(fit("theme high-contrast", "hint"), None);
        assert_eq!(fit("Ünal", "ü"), Some(Fit::Start));
    }
}
