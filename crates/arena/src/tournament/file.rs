//! A tournament as a file, from which it can go on.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use skirmish_play::player::Sandbox;
use skirmish_play::tournament::schedule::Format;
use skirmish_play::tournament::sprt::Sprt;
use skirmish_rules::{Catalog, Settings};

use super::Tournament;
use super::entrant::{Entrant, EntrantError};
use crate::referee::Timing;

/// Why a file does not describe a tournament.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// A field is missing or means nothing.
    #[error("its \"{field}\" cannot be used: {why}")]
    Field {
        /// Which.
        field: &'static str,
        /// Why not.
        why: String,
    },
}

impl Tournament {
    /// The text of the file.
    #[must_use]
    pub(super) fn to_text(&self) -> String {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let entrants = self
            .entrants
            .iter()
            .map(|entrant| json!({ "name": entrant.name, "program": entrant.program.to_string() }));
        let directory = std::env::current_dir().unwrap_or_default();
        let limits =
            |sandbox: Sandbox| json!({ "memory": sandbox.memory, "processes": sandbox.processes });
        let file = json!({
            "directory": directory.to_string_lossy(),
            "game": self.entry.id,
            "rules": self.settings.changes(),
            "format": self.format.name(),
            "rounds": self.rounds,
            "pairs": self.pairs,
            "seed": self.seed,
            "time": milliseconds(self.timing.per_move),
            "bank": milliseconds(self.timing.bank),
            "margin": milliseconds(self.timing.margin),
            "first_move": milliseconds(self.timing.first_move),
            "max_turns": self.max_turns,
            "opening": self.opening,
            "sprt": self.sprt.map(Sprt::parameters),
            "sandbox": self.sandbox().map(limits),
            "entrants": entrants.collect::<Vec<Value>>(),
        });
        format!("{file:#}\n")
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it does not describe a tournament of a game in the catalogue.
    pub(super) fn from_text(text: &str, catalog: Catalog) -> Result<Self, FileError> {
        let file = parsed(text)?;
        let field = Fields(&file);
        let entry = field.with("game", |name| catalog.find(name.as_str()?).ok())?;
        let settings = field.with("rules", |rules| {
            Settings::parse(entry.options, rules.as_str()?.split_whitespace()).ok()
        })?;
        let wrong = |field, why: String| FileError::Field { field, why };
        let read = |entrant: &Value| {
            let (name, program) = (entrant["name"].as_str()?, entrant["program"].as_str()?);
            Some(Entrant::read(name, program))
        };
        let entrants: Vec<Result<Entrant, EntrantError>> =
            field.with("entrants", |all| all.as_array()?.iter().map(read).collect())?;
        let entrants: Result<Vec<Entrant>, EntrantError> = entrants.into_iter().collect();
        let entrants = entrants.map_err(|error| wrong("entrants", error.to_string()))?;
        let tournament = Self {
            entry,
            settings,
            format: field.with("format", |name| Format::named(name.as_str()?))?,
            rounds: field.optional("rounds", |rounds| rounds.as_u64()?.try_into().ok())?,
            entrants,
            pairs: field.number("pairs")?,
            seed: field.with("seed", Value::as_u64)?,
            timing: Timing {
                per_move: field.time("time")?,
                bank: field.time("bank")?,
                margin: field.time("margin")?,
                first_move: field.time("first_move")?,
            },
            max_turns: field.number("max_turns")?,
            opening: field.number("opening")?,
            sprt: field.optional("sprt", |sprt| {
                let number = |index: usize| sprt[index].as_f64();
                Sprt::new(number(0)?, number(1)?, number(2)?, number(3)?).ok()
            })?,
        };
        tournament.check().map_err(|error| wrong("entrants", error.to_string()))?;
        let sandbox = field.optional("sandbox", |sandbox| {
            let memory = sandbox["memory"].as_u64()?;
            Some(Sandbox { memory, processes: sandbox["processes"].as_u64()?.try_into().ok()? })
        })?;
        Ok(tournament.within(sandbox))
    }
}

/// The directory that a file names.
pub(super) fn directory(text: &str) -> Result<PathBuf, FileError> {
    Fields(&parsed(text)?).with("directory", |path| Some(PathBuf::from(path.as_str()?)))
}

fn parsed(text: &str) -> Result<Value, FileError> {
    serde_json::from_str(text).map_err(|error| FileError::NotJson(error.to_string()))
}

/// The fields of a file.
struct Fields<'a>(&'a Value);

impl Fields<'_> {
    fn with<T>(
        &self,
        field: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, FileError> {
        let value = &self.0[field];
        let wrong = || FileError::Field { field, why: format!("it is {value}") };
        read(value).ok_or_else(wrong)
    }

    fn optional<T>(
        &self,
        field: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, FileError> {
        if self.0[field].is_null() { Ok(None) } else { self.with(field, read).map(Some) }
    }

    fn number(&self, field: &'static str) -> Result<u32, FileError> {
        self.with(field, |value| value.as_u64()?.try_into().ok())
    }

    fn time(&self, field: &'static str) -> Result<Duration, FileError> {
        self.with(field, |value| value.as_u64().map(Duration::from_millis))
    }
}
