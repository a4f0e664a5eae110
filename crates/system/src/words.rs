//! Splitting a command into words.

/// The words of a command; `None` if a quotation mark is not closed. Unix: as a shell splits it. Windows: as programs
/// split their command line, which keeps the backslashes of a path.
#[must_use]
pub fn split(command: &str) -> Option<Vec<String>> {
    family::split(command)
}

#[cfg(unix)]
mod family {
    pub(super) fn split(command: &str) -> Option<Vec<String>> {
        shlex::split(command)
    }
}

#[cfg(windows)]
use windows as family;

#[cfg(any(windows, test))]
mod windows {
    /// Quotation marks enclose a word with blanks. After an odd number of backslashes a quotation mark is literal, and two
    /// backslashes before any quotation mark stand for one.
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
}

#[cfg(test)]
mod tests {
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
            assert_eq!(super::windows::split(command), Some(words), "{command}");
        }
        assert_eq!(super::windows::split(r#"python "bot.py"#), None);
    }
}
