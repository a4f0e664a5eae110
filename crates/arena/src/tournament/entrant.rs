//! Entrants of a tournament: computer levels and bots, each with a name.

use std::{fmt, iter};

use skirmish_play::player::{BotCommand, Level};
use skirmish_play::{LONGEST_NAME, NameError, check_name};
use skirmish_rules::{alternatives, quotable};

use crate::bot::{CommandError, is_command, parse_command};

/// An entrant's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A built-in level.
    Level(Level),
    /// A bot.
    Bot(BotCommand),
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => level.fmt(formatter),
            Self::Bot(command) => command.fmt(formatter),
        }
    }
}

/// A named player in a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The entrant's name in tables and records.
    pub name: String,
    /// The program that plays for the entrant.
    pub program: Program,
}

/// The reasons why an entrant is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntrantError {
    /// The text is neither a level nor a command.
    #[error("\"{0}\" is not a player: expected {levels}, or a bot's command", levels = alternatives(Level::ALL))]
    Unknown(String),
    /// The bot's command is invalid.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The entrant's name is invalid.
    #[error("the name \"{0}\" cannot be used: {1}")]
    Name(String, NameError),
    /// Two entrants have the same name.
    #[error("two entrants have the name \"{0}\": give them names, such as Ann=perfect")]
    Twice(String),
}

impl Entrant {
    /// Parses entrants. Each is a level or a bot's command, after an optional `NAME=`. Duplicate default names are
    /// numbered.
    ///
    /// # Errors
    /// If a program does not exist, or a name is invalid.
    pub fn parse_all<'a>(
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Self>, EntrantError> {
        let mut entrants: Vec<Self> = Vec::new();
        for text in texts {
            let (name, text) = split_name(text);
            let program = program(text)?;
            entrants.push(match name {
                Some(name) => Self::named(name, program)?,
                None => Self::numbered(program, &entrants),
            });
        }
        Ok(entrants)
    }

    /// Creates entrants with default names; duplicates are numbered.
    pub fn all(programs: impl IntoIterator<Item = Program>) -> Vec<Self> {
        let mut entrants: Vec<Self> = Vec::new();
        for program in programs {
            entrants.push(Self::numbered(program, &entrants));
        }
        entrants
    }

    fn named(name: &str, program: Program) -> Result<Self, EntrantError> {
        let name = check_name(name).map_err(|why| EntrantError::Name(quotable(name), why))?;
        Ok(Self { name, program })
    }

    /// An entrant with a default name not used by `others`: the second of its kind is `perfect-2`.
    fn numbered(program: Program, others: &[Self]) -> Self {
        let name = match &program {
            Program::Level(level) => level.to_string(),
            Program::Bot(command) => command.name.clone(),
        };
        let another = |number: usize| {
            let number = format!("-{number}");
            let kept: String = name.chars().take(LONGEST_NAME - number.len()).collect();
            kept + &number
        };
        let mut names = iter::once(name.clone()).chain((2..).map(another));
        let is_free =
            |name: &String| others.iter().all(|other| !other.name.eq_ignore_ascii_case(name));
        let name = names.find(is_free).expect("there are more numbers than entrants");
        Self { name, program }
    }

    /// Parses an entrant from a tournament file.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, EntrantError> {
        Self::named(name, program(text)?)
    }
}

/// Splits off a name before `=`. A command may contain `=` too, but only after a blank, slash, quote or colon.
fn split_name(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, rest)) if !name.contains(|letter: char| "/'\" :".contains(letter)) => {
            (Some(name), rest)
        }
        _ => (None, text),
    }
}

fn program(text: &str) -> Result<Program, EntrantError> {
    if let Some(level) = Level::named(text.trim()) {
        return Ok(Program::Level(level));
    }
    if !is_command(text) {
        return Err(EntrantError::Unknown(quotable(text.trim())));
    }
    Ok(Program::Bot(parse_command(text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Result<Vec<String>, EntrantError> {
        let entrants = Entrant::parse_all(texts.iter().copied())?;
        Ok(entrants.into_iter().map(|entrant| entrant.name).collect())
    }

    #[test]
    #[cfg(unix)]
    fn default_names_are_numbered() {
        let names = names(&["perfect", "Perfect", "sh a/b.sh", "Ann=sh a/b.sh", "sh b.sh"]);
        let expected = ["perfect", "perfect-2", "b.sh", "Ann", "b.sh-2"];
        assert_eq!(names, Ok(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    #[cfg(unix)]
    fn a_command_may_have_an_equals_sign() {
        let entrants = Entrant::parse_all(["sh bot.sh --depth=3"]).expect("there is a shell");
        assert_eq!(entrants[0].program.to_string(), "sh bot.sh --depth=3");
    }

    #[test]
    fn an_invalid_entrant_is_refused_with_the_reason() {
        let error = |texts: &[&str]| names(texts).expect_err("they are invalid").to_string();
        assert_eq!(
            error(&["expret"]),
            "\"expret\" is not a player: expected novice, casual, skilled, expert or perfect, or a bot's command"
        );
        assert_eq!(
            error(&["=perfect"]),
            "the name \"\" cannot be used: a name has 1 to 24 characters; ideographs and emoji count twice"
        );
        assert_eq!(error(&["./no-bot"]), "there is no program \"./no-bot\"");
    }
}
