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
        let typed = TypedLine::of(&line);
        let kept = typed.before(&word);
        let last = typed.words.len() - 1;
        let words = typed.words.iter().map(OsString::from).collect();
        for candidate in clap_complete::engine::complete(command, words, last, folder)? {
            let value = candidate.get_value().to_string_lossy();
            if let Some(rest) = value.strip_prefix(&*kept) {
                writeln!(answer, "{}", typed.quote.escape(rest))?;
            }
        }
        Ok(())
    }
}

/// A command line up to the cursor, as a shell parses it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TypedLine {
    /// The unquoted words; the last is the one at the cursor, and may be empty.
    pub(super) words: Vec<String>,
    /// The last word as typed.
    raw: String,
    /// The open quotation mark at the cursor.
    quote: Quote,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

impl TypedLine {
    pub(super) fn of(line: &str) -> Self {
        let (mut words, mut word, mut raw) = (Vec::new(), String::new(), String::new());
        let mut quote = Quote::None;
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            if quote == Quote::None && letter.is_whitespace() {
                // Consecutive spaces count once.
                if !raw.is_empty() {
                    words.push(std::mem::take(&mut word));
                    raw.clear();
                }
                continue;
            }
            raw.push(letter);
            match (quote, letter) {
                (Quote::None, '\'') => quote = Quote::Single,
                (Quote::None, '"') => quote = Quote::Double,
                (Quote::Single, '\'') | (Quote::Double, '"') => quote = Quote::None,
                (Quote::None | Quote::Double, '\\') => {
                    if let Some(escaped) = letters.next() {
                        raw.push(escaped);
                        word.push(escaped);
                    }
                }
                _ => word.push(letter),
            }
        }
        words.push(word);
        Self { words, raw, quote }
    }

    /// The part of the last word before bash's current word.
    fn before(&self, part: &str) -> String {
        let before = self.raw.strip_suffix(part).unwrap_or_default();
        Self::of(before).words.pop().unwrap_or_default()
    }
}

impl Quote {
    /// Escapes a text for use after this quotation mark.
    fn escape(self, text: &str) -> String {
        let special: &str = match self {
            Self::None => " \t\"'\\$`!&;|()<>{}[]*?#",
            Self::Single => "",
            Self::Double => "\"\\$`",
        };
        let escaped = |letter: char| {
            let mark = special.contains(letter).then_some('\\');
            mark.into_iter().chain([letter])
        };
        text.chars().flat_map(escaped).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_bash_reads_it() {
        for (line, words, quote) in [
            ("skirmish ", &["skirmish", ""][..], Quote::None),
            ("skirmish  play 'a b' c\\ d", &["skirmish", "play", "a b", "c d"], Quote::None),
            ("skirmish --p1 \"python3 m", &["skirmish", "--p1", "python3 m"], Quote::Double),
            ("skirmish 'it", &["skirmish", "it"], Quote::Single),
            ("skirmish x\\", &["skirmish", "x"], Quote::None),
            ("", &[""], Quote::None),
        ] {
            let typed = TypedLine::of(line);
            assert_eq!(
                (typed.words.as_slice(), typed.quote),
                (words.map_owned().as_slice(), quote)
            );
        }
    }

    #[test]
    fn the_part_that_bash_keeps_is_not_repeated() {
        let typed = TypedLine::of("skirmish play base --rule positions=1");
        assert_eq!(typed.before("1"), "positions=");
        assert_eq!(typed.before("positions=1"), "");
        assert_eq!(TypedLine::of("skirmish bot check \"ugi:./b").before("./b"), "ugi:");
        assert_eq!(TypedLine::of("skirmish x=").before(""), "x=");
    }

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(Quote::None.escape("our game.skr"), "our\\ game.skr");
        assert_eq!(Quote::Double.escape("our $game"), "our \\$game");
        assert_eq!(Quote::Single.escape("our $game"), "our $game");
    }

    trait Owned {
        fn map_owned(&self) -> Vec<String>;
    }

    impl Owned for [&str] {
        fn map_owned(&self) -> Vec<String> {
            self.iter().map(|word| (*word).to_owned()).collect()
        }
    }
}
