//! The command that starts a bot, with an optional prefix that names its protocol.

use std::path::Path;

use skirmish_play::LONGEST_NAME;
use skirmish_play::player::{BotCommand, Dialect};
use skirmish_rules::quotable;
use skirmish_system::{find_program, is_path, words};

/// The reasons why a text is not a bot's command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The text is empty.
    #[error("there is no command in \"{0}\"")]
    Empty(String),
    /// A quotation mark is missing.
    #[error("a quotation mark is not closed in {0}")]
    Unquoted(String),
    /// The program does not exist.
    #[error("there is no program \"{0}\"")]
    NoProgram(String),
    /// The file exists, but is not executable.
    #[error("\"{0}\" exists but cannot be run: is it executable?")]
    NotExecutable(String),
    /// The file is in the working directory, but programs are searched for in `PATH`.
    #[error("\"{0}\" is a file here: write ./{0}, or put the program that runs it first")]
    NotOnPath(String),
}

/// Parses a command as a shell would split it, after an optional `ugi:` or `json:`.
///
/// # Errors
/// If the text is empty, a quotation mark is missing, or the program does not exist.
pub fn parse_command(text: &str) -> Result<BotCommand, CommandError> {
    let text = text.trim();
    let (dialect, command) = split_dialect(text);
    let words = words::split(command).ok_or_else(|| CommandError::Unquoted(quotable(command)))?;
    let program = words.first().ok_or_else(|| CommandError::Empty(quotable(text)))?;
    if find_program(program).is_none() {
        let shown = quotable(program);
        return Err(match Path::new(program).exists() {
            true if is_path(program) => CommandError::NotExecutable(shown),
            true => CommandError::NotOnPath(shown),
            false => CommandError::NoProgram(shown),
        });
    }
    let name = name(program, &words[1..]);
    Ok(BotCommand { dialect, ..BotCommand::new(text, name, words) })
}

/// Whether a text looks like a command rather than a misspelt player name.
#[must_use]
pub fn is_command(text: &str) -> bool {
    let (dialect, command) = split_dialect(text.trim());
    let is_written = |letter: char| {
        letter.is_whitespace() || std::path::is_separator(letter) || "'\"$~".contains(letter)
    };
    let is_there = Path::new(command).exists() || find_program(command).is_some();
    dialect.is_some() || command.contains(is_written) || is_there
}

/// A bot's name: the file name of its script, if it has one, or of its program.
fn name(program: &String, arguments: &[String]) -> String {
    // The arguments of a program outside `PATH` can be anything, such as a file of weights.
    let is_interpreter = !is_path(program);
    let is_script = |word: &&String| {
        !word.starts_with('-')
            && (has_script_extension(word) || is_interpreter && Path::new(word).is_file())
    };
    let word = arguments.iter().find(is_script).unwrap_or(program);
    let name = Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
    let shown = quotable(&name.unwrap_or_else(|| word.clone()));
    let cut: String = shown.chars().take(LONGEST_NAME).collect();
    let name = cut.trim();
    if name.is_empty() { "bot".to_owned() } else { name.to_owned() }
}

/// Whether a word has the extension of a file that an interpreter runs.
fn has_script_extension(word: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "awk", "bash", "cjs", "clj", "dart", "dll", "el", "exe", "exs", "fish", "go", "hs", "jar",
        "java", "jl", "js", "ksh", "lisp", "lua", "mjs", "ml", "php", "pl", "ps1", "py", "pyc",
        "pyz", "r", "raku", "rb", "rkt", "scm", "sh", "tcl", "ts", "wasm", "zsh",
    ];
    let extension = Path::new(word).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|found| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(found)))
}

fn split_dialect(text: &str) -> (Option<Dialect>, &str) {
    let prefixed = Dialect::ALL.into_iter().find_map(|dialect| {
        let rest = text.strip_prefix(dialect.name())?.strip_prefix(':')?;
        Some((Some(dialect), rest.trim_start()))
    });
    prefixed.unwrap_or((None, text))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        let command = parse_command("json: sh -c 'echo 1'").expect("there is a shell");
        assert_eq!(command.dialect, Some(Dialect::Json));
        assert_eq!(command.words, ["sh", "-c", "echo 1"]);
    }

    #[test]
    fn a_bot_is_called_after_its_file() {
        let name = |text: &str| parse_command(text).map(|command| command.name);
        assert_eq!(name("sh bots/mine/clever.sh --fast"), Ok("clever.sh".to_owned()));
        assert_eq!(name("sh"), Ok("sh".to_owned()));
        assert_eq!(name("/bin/sh"), Ok("sh".to_owned()));
    }

    #[test]
    fn no_bot_is_named_after_an_argument() {
        let name = |text: &str| parse_command(text).map(|command| command.name);
        for text in
            ["json: sh slow.sh 0.2", "/bin/sh slow.sh --depth 3.5", "sh -e slow.sh model.bin"]
        {
            assert_eq!(name(text), Ok("slow.sh".to_owned()), "{text}");
        }
        // Tests run in the crate's folder, which contains `Cargo.toml`.
        assert_eq!(name("sh slow.sh Cargo.toml"), Ok("slow.sh".to_owned()));
        assert_eq!(name("sh Cargo.toml 1.5"), Ok("Cargo.toml".to_owned()));
        assert_eq!(name("/bin/sh --weights Cargo.toml"), Ok("sh".to_owned()));
        assert_eq!(name("sh -c 'echo 1/2.5'"), Ok("sh".to_owned()));
    }

    #[test]
    fn an_unusable_command_is_refused_with_the_reason() {
        for (text, why) in [
            ("", CommandError::Empty(String::new())),
            ("ugi:", CommandError::Empty("ugi:".to_owned())),
            ("sh -c 'echo", CommandError::Unquoted("sh -c 'echo".to_owned())),
            ("no-such-program 1", CommandError::NoProgram("no-such-program".to_owned())),
            ("/etc/passwd", CommandError::NotExecutable("/etc/passwd".to_owned())),
            ("/etc", CommandError::NotExecutable("/etc".to_owned())),
            ("Cargo.toml", CommandError::NotOnPath("Cargo.toml".to_owned())),
        ] {
            assert_eq!(parse_command(text), Err(why));
        }
    }

    #[test]
    fn a_misspelt_level_is_not_a_command() {
        assert!(!is_command("expret"));
        for text in ["sh", "./bot", "no-such-program 1", "ugi:x"] {
            assert!(is_command(text), "{text}");
        }
    }
}
