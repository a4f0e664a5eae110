//! Makes untrusted text (records, bots, file names, typed input) safe to show on a terminal. Terminals execute control
//! characters, and format characters reorder or hide the text around them. All untrusted text passes through
//! [`printable`] or [`quotable`] before it is displayed; [`escaped`] is the last line of defence, applied to the output
//! itself.

use std::borrow::Cow;
use std::fmt::Write;

/// The maximum number of input characters that a message quotes.
const QUOTED: usize = 40;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Puts `text` on one line and removes characters that control a terminal, or hide or reorder other characters.
///
/// White-space control characters and line separators become a space; every other control or format character becomes
/// U+FFFD. Joiners and variation selectors are kept if they belong to a visible character, as in a family emoji or in
/// Persian, and dropped otherwise. The result never has more characters than `text`.
///
/// ```
/// use skirmish_rules::printable;
///
/// assert_eq!(printable("a\u{202e}b\tc"), "a\u{fffd}b c");
/// assert_eq!(printable("👩\u{200d}👧"), "👩\u{200d}👧");
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    clean(text, |shown, hidden| {
        if hidden.is_whitespace() {
            shown.push(' ');
        } else if !is_attachment(hidden) {
            shown.push(char::REPLACEMENT_CHARACTER);
        }
    })
}

/// Whether [`printable`] leaves `text` unchanged.
#[must_use]
pub fn is_printable(text: &str) -> bool {
    printable(text) == text
}

/// Escapes each hidden character in `text`, as in `\u202e`. Control characters are kept, so that line ends and colours
/// still work. In JSON, hidden characters occur only inside strings, where the escape means the same as the character.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let escape = |shown: &mut String, hidden: char| {
        if hidden.is_control() {
            shown.push(hidden);
        } else {
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                write!(shown, "\\u{unit:04x}").expect("writing to a string never fails");
            }
        }
    };
    Cow::Owned(clean(text, escape))
}

/// Prepares untrusted input for quoting in a message: shortened, on one line, with control and format characters
/// escaped, as in `\u{1b}`.
#[must_use]
pub fn quotable(text: &str) -> String {
    let end = text.char_indices().nth(QUOTED).map_or(text.len(), |(index, _)| index);
    let mut shown = clean(&text[..end], |shown, hidden| shown.extend(hidden.escape_default()));
    if end < text.len() {
        shown.push('…');
    }
    shown
}

/// Copies `text`, calling `replace` for each hidden character. Stray joiners and variation selectors count as hidden.
fn clean(text: &str, replace: impl Fn(&mut String, char)) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    // The last two characters that were kept. The earlier one matters if the last one is a variation selector.
    let mut before: [Option<char>; 2] = [None, None];
    while let Some(letter) = letters.next() {
        let is_shown = match letter {
            ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER => {
                joins(before, letter, letters.peek().copied())
            }
            _ if is_attachment(letter) => {
                before[1].is_some_and(|it| !it.is_whitespace() && !is_attachment(it))
            }
            _ => !is_hidden(letter),
        };
        if is_shown {
            shown.push(letter);
            before = [before[1], Some(letter)];
        } else {
            replace(&mut shown, letter);
            if !is_attachment(letter) {
                before = [None, None];
            }
        }
    }
    shown
}

/// Whether a joiner is meaningful at this point: within an emoji sequence, after a virama (RFC 5892, A.1 and A.2), or,
/// for a non-joiner, between Arabic letters.
fn joins(before: [Option<char>; 2], joiner: char, after: Option<char>) -> bool {
    let [earlier, Some(last)] = before else { return false };
    let Some(after) = after else { return false };
    if VIRAMAS.contains(&last) {
        return after.is_alphabetic();
    }
    if joiner == ZERO_WIDTH_NON_JOINER {
        return is_arabic_letter(last) && is_arabic_letter(after);
    }
    let base = if is_attachment(last) { earlier } else { Some(last) };
    base.is_some_and(is_pictograph) && is_pictograph(after)
}

/// The signs that join consonants in Indic scripts.
const VIRAMAS: [char; 10] = [
    '\u{94d}', '\u{9cd}', '\u{a4d}', '\u{acd}', '\u{b4d}', '\u{bcd}', '\u{c4d}', '\u{ccd}',
    '\u{d4d}', '\u{dca}',
];

fn is_arabic_letter(letter: char) -> bool {
    matches!(letter, '\u{620}'..='\u{6ff}') && letter.is_alphabetic()
}

/// The blocks of symbols used in emoji sequences, including skin tones.
const fn is_pictograph(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Joiners and variation selectors, which are meaningful only next to a visible character.
const fn is_attachment(letter: char) -> bool {
    matches!(
        letter,
        ZERO_WIDTH_NON_JOINER
            | ZERO_WIDTH_JOINER
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Control characters, line and paragraph separators, and characters without a glyph: format characters (Unicode
/// category Cf, except visible ones such as the Arabic number signs) and other default ignorables.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_text_of_any_script_is_printable() {
        for text in [
            "Zoë",
            "李雷 – 渡辺󠄀",
            "Дмитрий",
            "שלום",
            "علی\u{200c}رضا",
            "ශ්\u{200d}රී",
            "O'Neill\\\"{}",
            "½ ♟ ✔\u{fe0f}",
            "",
        ] {
            assert_eq!(printable(text), text);
            assert!(is_printable(text), "{text}");
            assert_eq!(quotable(text), text);
        }
    }

    #[test]
    fn emoji_sequences_are_kept_whole() {
        for text in [
            "👨\u{200d}👩\u{200d}👧\u{200d}👦",
            "👩🏽\u{200d}🚀 Ann",
            "🏳\u{fe0f}\u{200d}🌈",
            "🤷🏼\u{200d}♀\u{fe0f}",
            "❤\u{fe0f}\u{200d}🔥",
            "🇩🇪 1\u{fe0f}\u{20e3}",
        ] {
            assert_eq!(printable(text), text);
            assert_eq!(quotable(text), text);
        }
    }

    #[test]
    fn joiners_that_join_nothing_are_dropped() {
        for (text, shown) in [
            ("\u{200d}👩", "👩"),
            ("👩\u{200d}", "👩"),
            ("👩\u{200d}\u{200d}👧", "👩\u{200d}👧"),
            ("👩\u{200d}b", "👩b"),
            ("A\u{200d}nn", "Ann"),
            ("A\u{200c}nn", "Ann"),
            ("\u{200d}", ""),
            ("\u{fe0f}A", "A"),
            ("A\u{fe0f}\u{fe0f}", "A\u{fe0f}"),
        ] {
            assert_eq!(printable(text), shown);
            assert!(!is_printable(text), "{text:?}");
        }
    }

    #[test]
    fn characters_that_reorder_or_hide_text_are_replaced() {
        let bidirectional = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        let invisible = "\u{ad}\u{34f}\u{180e}\u{200b}\u{2060}\u{2064}\u{3164}\u{feff}\u{fff9}\u{e0001}\u{e0041}\u{e007f}";
        for letter in bidirectional.chars().chain(invisible.chars()) {
            assert_eq!(printable(&format!("a{letter}b")), "a\u{fffd}b", "{letter:?}");
            assert!(quotable(&format!("a{letter}b")).contains("\\u{"), "{letter:?}");
        }
    }

    #[test]
    fn control_characters_never_reach_a_terminal() {
        assert_eq!(
            printable("a\u{1b}[2Jb\u{9b}1m\u{7f}\0"),
            "a\u{fffd}[2Jb\u{fffd}1m\u{fffd}\u{fffd}"
        );
        assert_eq!(printable("a\tb\r\nc\u{2028}d"), "a b  c d");
        assert_eq!(quotable("a\u{1b}[2Jb\tc"), "a\\u{1b}[2Jb\\tc");
        for letter in (0..=0x9f_u32).filter_map(char::from_u32).filter(|it| it.is_control()) {
            assert!(!printable(&letter.to_string()).contains(char::is_control));
        }
    }

    #[test]
    fn escaping_keeps_line_ends_and_colours() {
        assert_eq!(escaped("\u{1b}[1ma\u{202e}b\u{1b}[0m\n"), "\u{1b}[1ma\\u202eb\u{1b}[0m\n");
        assert_eq!(escaped("\"\u{e0041}\u{200d}\""), "\"\\udb40\\udc41\\u200d\"");
        assert_eq!(escaped("Zoë 👩\u{200d}👧"), "Zoë 👩\u{200d}👧");
    }

    #[test]
    fn printable_is_idempotent_and_never_grows() {
        for text in [
            "\u{202e}\u{200d}👩\u{200d}\u{202e}👧",
            "a\u{fe0f}\u{200d}b",
            "\t\u{feff}",
            "\u{94d}\u{200d}\u{200d}",
        ] {
            let shown = printable(text);
            assert!(is_printable(&shown), "{text:?}");
            assert!(shown.chars().count() <= text.chars().count(), "{text:?}");
        }
    }

    #[test]
    fn quoted_input_is_short() {
        assert_eq!(quotable(&"x".repeat(1_000_000)).chars().count(), QUOTED + 1);
        assert_eq!(quotable(&"x".repeat(QUOTED)), "x".repeat(QUOTED));
    }
}
