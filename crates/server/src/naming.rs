//! Rules for players' names online, including which names look alike.

use std::collections::HashSet;
use std::sync::LazyLock;

use skirmish_play::player::Level;
use skirmish_play::{NameError, check_name};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;
use unicode_security::{MixedScript, RestrictionLevel, RestrictionLevelDetection};

use crate::admin::Who;

/// Words reserved for the program and its operators. Names that consist only of such words are refused.
const RESERVED: &str =
    "the computer admin administrator operator moderator server system skirmish support staff";

/// The names of unnamed players.
const SEATS: [&str; 4] = ["player 1", "player 2", "player a", "player b"];

/// The word, in brackets, with which the program marks a guest.
const GUEST: &str = "guest";

/// Characters that appear blank although Unicode classifies them as symbols or letters.
const BLANKS: [char; 5] = ['\u{115f}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{ffa0}'];

/// Why a name is not allowed for an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccountNameError {
    /// The name is not allowed for any player.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The operator could mistake the name for an account number or a seat.
    #[error("it looks like the number of an account (#12) or a seat in a game (ABC234/1)")]
    Ambiguous,
    /// The name contains a character that only changes the appearance of others.
    #[error("variation selectors are possible only after an emoji or an ideograph")]
    StraySelector,
    /// The name mixes scripts, some of whose letters look alike.
    #[error("it mixes letters of scripts that are not used together, such as Latin and Cyrillic")]
    MixedScripts,
    /// Players could mistake the name for one of the program's or the operator's.
    #[error("it looks like a name of the program or its operator: choose another one")]
    Reserved,
}

/// Checks a player's name, trims it and returns it in NFC. A valid name cannot be mistaken for an account number, a seat in a
/// game, or a name that the program assigns.
pub(crate) fn check_account_name(name: &str) -> Result<String, AccountNameError> {
    let name: String = check_name(name)?.nfc().collect();
    if name.contains(BLANKS) {
        return Err(NameError::Unshowable.into());
    }
    if has_stray_selector(&name) {
        return Err(AccountNameError::StraySelector);
    }
    let Ok(who) = with_ascii_marks(&name).parse::<Who>();
    match who {
        Who::Name(_) if NameKeys::of(&name).are_reserved() => Err(AccountNameError::Reserved),
        Who::Name(_) if mixes_scripts(&name) => Err(AccountNameError::MixedScripts),
        Who::Name(_) => Ok(name),
        Who::Number(_) | Who::Player(..) => Err(AccountNameError::Ambiguous),
    }
}

/// Returns a name in NFKC, with every character that looks like `#` or `/` replaced by that one.
fn with_ascii_marks(name: &str) -> String {
    let ascii = |letter: char| {
        let looks = skeleton(letter.encode_utf8(&mut [0; 4])).collect::<String>();
        if matches!(looks.as_str(), "#" | "/") { looks } else { letter.to_string() }
    };
    name.nfkc().map(ascii).collect()
}

/// Whether a name has letters of scripts that no language combines.
fn mixes_scripts(name: &str) -> bool {
    let letters: String = name.chars().filter(|letter| letter.is_alphabetic()).collect();
    !letters.is_single_script()
        && !letters.check_restriction_level(RestrictionLevel::HighlyRestrictive)
}

fn has_stray_selector(name: &str) -> bool {
    let letters = name.chars();
    let mut pairs = letters.clone().zip(letters.skip(1));
    pairs.any(|(before, letter)| match letter {
        '\u{fe0e}' | '\u{fe0f}' => {
            !matches!(before, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
        }
        '\u{e0100}'..='\u{e01ef}' => !matches!(
            before,
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        ),
        '\u{fe00}'..='\u{fe0d}' => true,
        _ => false,
    })
}

/// Comparison keys: two names look alike if they share at least one. Derived from NFKC and the skeletons of UTS #39.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameKeys {
    /// The appearance of the name in lower case: the same for `Ann`, `ANN` and `аnn` with a Cyrillic а.
    pub(crate) folded: String,
    /// The appearance of the name as written: the same for `Alice` and `AIice` with a capital i.
    pub(crate) looks: String,
}

impl NameKeys {
    pub(crate) fn of(name: &str) -> Self {
        let name: String = name.nfkc().collect();
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let looks = |name: &str| skeleton(name).collect::<String>().to_lowercase();
        Self { folded: looks(&name.to_lowercase()), looks: looks(&name) }
    }

    fn are_reserved(&self) -> bool {
        [&self.folded, &self.looks].into_iter().any(|key| {
            let letters: String = key.chars().filter(|letter| letter.is_alphanumeric()).collect();
            is_guest(key)
                || SEAT_KEYS.contains(&letters)
                || (!letters.is_empty() && consists_of_words(&letters))
        })
    }
}

/// Whether a name ends with the mark of a guest.
fn is_guest(key: &str) -> bool {
    let is_mark = |letter: char| !letter.is_alphanumeric();
    let inner = key.trim_end_matches(is_mark);
    inner.len() < key.len()
        && inner.strip_suffix(GUEST).is_some_and(|name| {
            name.ends_with(|letter: char| is_mark(letter) && !letter.is_whitespace())
        })
}

/// Whether a text is a sequence of reserved words and nothing else.
fn consists_of_words(text: &str) -> bool {
    let mut rests = WORD_KEYS.iter().filter_map(|word| text.strip_prefix(word.as_str()));
    rests.any(|rest| rest.is_empty() || consists_of_words(rest))
}

/// Returns the folded keys of names, without spaces.
fn keys<'a>(names: impl IntoIterator<Item = &'a str>) -> HashSet<String> {
    names.into_iter().map(|name| NameKeys::of(name).folded.replace(' ', "")).collect()
}

static WORD_KEYS: LazyLock<HashSet<String>> =
    LazyLock::new(|| keys(RESERVED.split(' ').chain(Level::ALL.map(Level::name))));
static SEAT_KEYS: LazyLock<HashSet<String>> = LazyLock::new(|| keys(SEATS));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_neither_a_number_nor_a_seat() {
        for name in [" #1", "#007", "ABC234/1", "abc234/2", "＃12", "ABC234／1"] {
            assert_eq!(check_account_name(name), Err(AccountNameError::Ambiguous), "{name}");
        }
        for slash in "\u{2044}\u{2215}\u{2571}\u{27cb}\u{29f8}\u{30ce}".chars() {
            let name = format!("ABC234{slash}1");
            assert_eq!(check_account_name(&name), Err(AccountNameError::Ambiguous), "{name}");
        }
        for name in ["#", "#one", "ABC234", "ABC234/3", "AB/1", "1", "Ann #2", "Ann \u{2044} Bob"] {
            assert_eq!(check_account_name(name).as_deref(), Ok(name));
        }
        let unshowable = AccountNameError::Name(NameError::Unshowable);
        assert_eq!(check_account_name("A\u{7}nn"), Err(unshowable));
    }

    #[test]
    fn names_of_the_program_and_its_operator_are_reserved() {
        for name in [
            "perfect computer",
            "Perfect",
            "Computer (novice)",
            "Administrator",
            "ADMIN",
            "Аdmin",
            "adrnin",
            "ｓｙｓｔｅｍ",
            "System Operator",
            "Skirmish-Server",
            "Ann (guest)",
            "Ann (GUEST)",
            "Ann（guest）",
            "Ann [guest]",
            "Player 1",
            "player  B",
            "Player_1",
            "perfectcomputer",
            "SkirmishServer",
        ] {
            assert_eq!(check_account_name(name), Err(AccountNameError::Reserved), "{name}");
        }
        for name in ["Adam", "Perfect Pat", "Guest", "My guest", "Player 3", "Server of Rome"] {
            assert_eq!(check_account_name(name).as_deref(), Ok(name));
        }
    }

    #[test]
    fn letters_of_scripts_that_are_not_used_together_are_not_mixed() {
        for name in ["Miкhail", "Ανna"] {
            assert_eq!(check_account_name(name), Err(AccountNameError::MixedScripts), "{name}");
        }
        assert_eq!(check_account_name("\u{2800}Ann"), Err(NameError::Unshowable.into()));
        for name in ["Иван", "李雷", "李 Lei", "さくら桜", "김철수", "Zoë 🏳", "O'Neil-2", "مريم"]
        {
            assert_eq!(check_account_name(name).as_deref(), Ok(name));
        }
    }

    #[test]
    fn variation_selectors_belong_to_emoji_and_ideographs_and_names_are_composed() {
        for name in ["A\u{fe0f}nn", "Ann\u{fe0f}", "Ann\u{fe00}", "A\u{e0100}nn"] {
            assert_eq!(check_account_name(name), Err(AccountNameError::StraySelector), "{name}");
        }
        for name in ["🏳\u{fe0f}\u{200d}🌈", "渡辺\u{e0100}", "✔\u{fe0f} Ann"] {
            assert_eq!(check_account_name(name).as_deref(), Ok(name));
        }
        assert_eq!(check_account_name("Zoe\u{308}").as_deref(), Ok("Zoë"));
    }

    #[test]
    fn names_that_look_alike_have_a_key_in_common() {
        let are_alike = |one: &str, other: &str| {
            let (one, other) = (NameKeys::of(one), NameKeys::of(other));
            one.folded == other.folded || one.looks == other.looks
        };
        for (one, other) in [
            ("Ann", "ANN"),
            ("Zoë", "Zoe\u{308}"),
            ("Ann", "Аnn"),
            ("BOB", "ВОВ"),
            ("Вера", "вера"),
            ("Alice", "AIice"),
            ("Ann", "Ａｎｎ"),
            ("Tom", "Torn"),
            ("Bob", "B0b"),
            ("✔ Ann", "✔\u{fe0f} Ann"),
            ("Ann Lee", "Ann\u{a0} Lee"),
        ] {
            assert!(are_alike(one, other), "{one} and {other}");
        }
        for (one, other) in [("Ann", "Anna"), ("Ali", "All"), ("Zoë", "Zoe"), ("Ivan", "Evan")] {
            assert!(!are_alike(one, other), "{one} and {other}");
        }
    }
}
