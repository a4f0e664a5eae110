//! Splits commands into words, and quotes words for a shell.

/// Splits a command into words; `None` if a quotation mark is not closed. Unix commands are split as in a shell;
/// Windows commands as programs split their command line, which keeps the backslashes in paths.
#[must_use]
pub fn split(command: &str) -> Option<Vec<String>> {
    family::split(command)
}

/// Quotes a word for the user's shell. [`split`] can reverse this if `is_printable`; otherwise, unprintable characters
/// are escaped for a POSIX shell.
#[must_use]
pub fn quoted(word: &str, is_printable: bool) -> String {
    family::quoted(word, is_printable)
}

#[cfg(unix)]
use posix as family;
#[cfg(windows)]
use windows as family;

/// Whether a word needs no quotes.
fn is_plain(word: &str, marks: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || marks.contains(letter);
    !word.is_empty() && word.chars().all(is_plain)
}

#[cfg(unix)]
mod posix {
    pub(super) use shlex::split;

    pub(super) fn quoted(word: &str, is_printable: bool) -> String {
        if super::is_plain(word, "/._-+@%:=") {
            word.to_owned()
        } else if is_printable {
            format!("'{}'", word.replace('\'', r"'\''"))
        } else {
            // ANSI-C quoting, for bash, zsh and ksh.
            format!("$'{}'", word.as_bytes().escape_ascii())
        }
    }
}

#[cfg(any(windows, test))]
mod windows {
    /// Splits a command: quotation marks enclose words with blanks. After an odd number of backslashes, a quotation
    /// mark is literal; before any quotation mark, two backslashes stand for one.
    pub(super) fn split(command: &str) -> Option<Vec<String>> {
        let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
        let mut backslashes = 0_usize;
        for letter in command.chars() {
            if letter.is_whitespace() && !is_quoted {
                words.extend(word.take());
                backslashes = 0;
                continue;
            }
            let word = word.get_or_insert_default();
            if letter == '"' {
                word.truncate(word.len() - backslashes.div_ceil(2));
                if backslashes.is_multiple_of(2) {
                    is_quoted = !is_quoted;
                } else {
                    word.push('"');
                }
            } else {
                word.push(letter);
            }
            backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
        }
        words.extend(word);
        (!is_quoted).then_some(words)
    }

    /// Quotes a word for `cmd`, PowerShell and C programs.
    pub(super) fn quoted(word: &str, _is_printable: bool) -> String {
        if super::is_plain(word, r"\/._-+@:=") {
            return word.to_owned();
        }
        let mut quoted = String::from('"');
        // A quotation mark follows each piece, so backslashes at the end of the piece must be doubled.
        for (place, piece) in word.split('"').enumerate() {
            quoted.push_str(if place > 0 { "\\\"" } else { "" });
            quoted.push_str(piece);
            quoted.push_str(&piece[piece.trim_end_matches('\\').len()..]);
        }
        quoted.push('"');
        quoted
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, split, windows};

    #[test]
    fn a_command_for_windows_keeps_the_backslashes_of_its_paths() {
        for (command, words) in [
            ("", &[][..]),
            (r"C:\bots\mine.exe --fast", &[r"C:\bots\mine.exe", "--fast"]),
            (r#"  "C:\my bots\a.exe"  x"y z"  "#, &[r"C:\my bots\a.exe", "xy z"]),
            (
                r#"it's "" "C:\folder\\" say\"so \\\"x"#,
                &["it's", "", r"C:\folder\", r#"say"so"#, r#"\"x"#],
            ),
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            assert_eq!(windows::split(command), Some(words), "{command}");
        }
        assert_eq!(windows::split(r#"python "bot.py"#), None);
    }

    #[test]
    fn a_windows_path_is_put_in_double_quotes() {
        for (word, expected) in [
            (r"C:\games\x.skr", r"C:\games\x.skr"),
            (r"C:\my games\x.skr", r#""C:\my games\x.skr""#),
            (r"C:\my games\", r#""C:\my games\\""#),
            (r#"a "b c""#, r#""a \"b c\"""#),
        ] {
            assert_eq!(windows::quoted(word, true), expected);
        }
    }

    #[test]
    fn quoted_words_are_read_back() {
        for word in [
            "",
            "plain",
            "it's here",
            r"C:\games\",
            r"C:\my games\",
            r"two\\ \\",
            r#"a "b\" c\\"#,
            r#"\""#,
            "$HOME `x` *",
        ] {
            let read_back = Some(vec![word.to_owned()]);
            assert_eq!(windows::split(&windows::quoted(word, true)), read_back, "{word}");
            assert_eq!(split(&quoted(word, true)), read_back, "{word}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_with_special_characters_is_quoted_for_the_shell() {
        assert_eq!(quoted("/a/b-1.skr", true), "/a/b-1.skr");
        assert_eq!(quoted("/it's here", true), r"'/it'\''s here'");
        assert_eq!(quoted("/a\n\u{202e}", false), r"$'/a\n\xe2\x80\xae'");
    }
}
