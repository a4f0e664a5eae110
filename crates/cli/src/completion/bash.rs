//! Completion in bash, which also splits words at `=` and `:`, and expects only the part after the last of these.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap_complete::env::EnvCompleter;

/// Passes the line up to the cursor and bash's idea of the current word to the program.
const SCRIPT: &str = r#"_skirmish() {
    COMPREPLY=()
    local candidate
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(VARIABLE=bash PROGRAM -- "${COMP_LINE:0:$COMP_POINT}" "$2" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o nosort -F _skirmish BIN 2>/dev/null ||
    complete -o bashdefault -F _skirmish BIN
"#;

pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        bin: &str,
        program: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        let program = format!("'{}'", program.replace('\'', r"'\''"));
        let text =
            SCRIPT.replace("VARIABLE", variable).replace("BIN", bin).replace("PROGRAM", &program);
        script.write_all(text.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        asked: Vec<OsString>,
        folder: Option<&Path>,
        answer: &mut dyn Write,
    ) -> io::Result<()> {
        let mut asked = asked.iter().map(|text| text.to_string_lossy());
        let (line, word) = (asked.next().unwrap_or_default(), asked.next().unwrap_or_default());
        let (words, quote) = split(&line);
        let kept = before(&line, &word);
        let last = words.len() - 1;
        let words = words.iter().map(OsString::from).collect();
        for candidate in clap_complete::engine::complete(command, words, last, folder)? {
            let value = candidate.get_value().to_string_lossy();
            if let Some(rest) = value.strip_prefix(&*kept) {
                writeln!(answer, "{}", escape(rest, quote))?;
            }
        }
        Ok(())
    }
}

/// The words of a command line up to the cursor, and the quotation mark that is open there. The last word is the one at the
/// cursor, and may be empty.
pub(super) fn split(line: &str) -> (Vec<String>, &'static str) {
    /// Marks the cursor, so that there is always a word there.
    const CURSOR: char = '\u{1}';
    let closed = ["", "'", "\""].into_iter().find_map(|quote| {
        let mut words = shlex::split(&format!("{line}{CURSOR}{quote}"))?;
        // A comment has no words, and nothing to complete.
        let last = words.pop()?.strip_suffix(CURSOR)?.to_owned();
        words.push(last);
        Some((words, quote))
    });
    closed.unwrap_or((vec![String::new()], ""))
}

/// The part of the last word before bash's current word.
fn before(line: &str, word: &str) -> String {
    let before = line.strip_suffix(word).unwrap_or_default();
    split(before).0.pop().unwrap_or_default()
}

/// Escapes a text for use after this quotation mark.
fn escape(text: &str, quote: &str) -> String {
    let special = match quote {
        "'" => "",
        "\"" => "\"\\$`",
        _ => " \t\"'\\$`!&;|()<>{}[]*?#",
    };
    let escaped = |letter: char| {
        let mark = special.contains(letter).then_some('\\');
        mark.into_iter().chain([letter])
    };
    text.chars().flat_map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_bash_reads_it() {
        for (line, words, quote) in [
            ("skirmish ", &["skirmish", ""][..], ""),
            ("skirmish  play 'a b' c\\ d", &["skirmish", "play", "a b", "c d"], ""),
            ("skirmish --p1 \"python3 m", &["skirmish", "--p1", "python3 m"], "\""),
            ("skirmish 'it", &["skirmish", "it"], "'"),
            ("skirmish x\\", &["skirmish", "x"], ""),
            ("skirmish # x", &[""], ""),
            ("", &[""], ""),
        ] {
            let (found, open) = split(line);
            assert_eq!((found, open), (words.iter().map(ToString::to_string).collect(), quote));
        }
    }

    #[test]
    fn the_part_that_bash_keeps_is_not_repeated() {
        let line = "skirmish play base --rule positions=1";
        assert_eq!(before(line, "1"), "positions=");
        assert_eq!(before(line, "positions=1"), "");
        assert_eq!(before("skirmish bot check \"ugi:./b", "./b"), "ugi:");
        assert_eq!(before("skirmish x=", ""), "x=");
    }

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escape("our game.skr", ""), "our\\ game.skr");
        assert_eq!(escape("our $game", "\""), "our \\$game");
        assert_eq!(escape("our $game", "'"), "our $game");
    }
}
