//! Which puzzles have been solved, and on how many days in a row the puzzle of the day.
//!
//! A day counts if its puzzle was solved without a mistake, a hint or the solution, at the first attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use skirmish_play::Day;
use skirmish_play::puzzle::Puzzle;
use skirmish_rules::{Entry, Settings};
use toml::value::Datetime;
use toml::{Table, Value};

use crate::files::{Lock, LockError};
use crate::store::{StoreError, data_folder};
use crate::toml_file::{self, TomlError, look_up};

/// The largest file to read: room for some ten thousand puzzles.
const LARGEST: u64 = 1024 * 1024;

const HEAD: &str = "# Puzzles solved with Skirmish, which writes this file.\n";
const LAST: &str = "last";
const MISSED: &str = "missed";
const STREAK: &str = "streak";
const BEST: &str = "best";
const SOLVED: &str = "solved";

/// How somebody has done at puzzles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuzzleScore {
    /// The last day that counted.
    last: Option<Day>,
    /// The last day that no longer can.
    missed: Option<Day>,
    streak: u32,
    best: u32,
    /// The puzzles solved, by the name of their board. See [`board`].
    solved: BTreeMap<String, BTreeSet<String>>,
}

/// What became of a puzzle.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleResult<'a> {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: &'a Settings,
    /// The puzzle.
    pub puzzle: &'a Puzzle,
    /// The day, if it was the puzzle of that day.
    pub daily: Option<Day>,
    /// Whether it is solved. If not, the player may still be trying.
    pub is_solved: bool,
    /// Whether there was no mistake, hint or solution.
    pub is_clean: bool,
}

/// Why a result is not counted.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleFileError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] StoreError),
    /// Writing would overwrite a file that cannot be read.
    #[error("{0}; fix or remove the file to count puzzles again")]
    WouldDestroy(#[source] TomlError),
}

impl PuzzleScore {
    /// On how many days in a row the puzzle of the day was solved, up to today or yesterday.
    #[must_use]
    pub fn streak(&self, today: Day) -> u32 {
        let is_alive = self.last == Some(today)
            || (self.last.is_some() && self.last == today.before() && self.missed != Some(today));
        if is_alive { self.streak } else { 0 }
    }

    /// The longest streak.
    #[must_use]
    pub const fn best(&self) -> u32 {
        self.best
    }

    /// Whether the puzzle of this day was solved.
    #[must_use]
    pub fn has_solved(&self, day: Day) -> bool {
        self.last == Some(day)
    }

    /// How many different puzzles of a game with these rule options have been solved.
    #[must_use]
    pub fn solved(&self, entry: &Entry, settings: &Settings) -> usize {
        self.solved.get(&board(entry, settings)).map_or(0, BTreeSet::len)
    }

    /// Counts a result.
    fn add(&mut self, result: &PuzzleResult) {
        if let Some(day) = result.daily {
            self.add_day(day, result);
        }
        if result.is_solved {
            let board = board(result.entry, result.settings);
            self.solved.entry(board).or_default().insert(result.puzzle.name());
        }
    }

    /// Counts a day. It counts once, and none before the last that counted.
    fn add_day(&mut self, day: Day, result: &PuzzleResult) {
        if self.last >= Some(day) {
            return;
        }
        if !result.is_clean {
            self.missed = self.missed.max(Some(day));
        } else if result.is_solved && self.missed != Some(day) {
            let goes_on = self.last.is_some() && self.last == day.before();
            self.streak = if goes_on { self.streak.saturating_add(1) } else { 1 };
            self.best = self.best.max(self.streak);
            self.last = Some(day);
        }
    }

    /// Reads a table, and adds a message to `faults` for each invalid value.
    fn read(table: &Table, faults: &mut Vec<String>) -> Self {
        let number = |value: &Value| value.as_integer().and_then(|it| u32::try_from(it).ok());
        let day = |value: &Value| value.as_datetime().and_then(|it| it.to_string().parse().ok());
        let date = "a date such as 2026-11-16";
        let last = look_up(table, LAST, date, faults, day);
        let missed = look_up(table, MISSED, date, faults, day);
        let streak = look_up(table, STREAK, "a number", faults, number).unwrap_or(0);
        let best = look_up(table, BEST, "a number", faults, number).unwrap_or(0);
        let boards = look_up(table, SOLVED, "a table", faults, |it| it.as_table().cloned());
        let boards = boards.unwrap_or_default();
        let names = |value: &Value| {
            let names = value.as_array()?.iter();
            names.map(|name| name.as_str().map(str::to_owned)).collect::<Option<BTreeSet<String>>>()
        };
        let mut puzzles = |board: &String| {
            let names = look_up(&boards, board, "a list of positions", faults, names);
            (board.clone(), names.unwrap_or_default())
        };
        let solved = boards.keys().map(&mut puzzles).collect();
        Self { last, missed, streak, best: best.max(streak), solved }
    }

    /// Puts the score into a table. What else it has is kept.
    fn write(&self, table: &mut Table) {
        for (key, day) in [(LAST, self.last), (MISSED, self.missed)] {
            let date = day.and_then(|day| day.to_string().parse::<Datetime>().ok());
            if let Some(date) = date {
                table.insert(key.to_owned(), date.into());
            }
        }
        table.insert(STREAK.to_owned(), i64::from(self.streak).into());
        table.insert(BEST.to_owned(), i64::from(self.best).into());
        let list = |names: &BTreeSet<String>| -> Value {
            names.iter().map(String::as_str).collect::<Vec<&str>>().into()
        };
        let solved: Table =
            self.solved.iter().map(|(board, names)| (board.clone(), list(names))).collect();
        table.insert(SOLVED.to_owned(), solved.into());
    }
}

/// The name of a board in the file: the id of the game, and the rule options that differ from the default.
fn board(entry: &Entry, settings: &Settings) -> String {
    format!("{} {}", entry.id, settings.changes()).trim_end().to_owned()
}

/// The file with the score.
#[derive(Clone, Debug)]
pub struct PuzzleFile {
    path: PathBuf,
}

impl PuzzleFile {
    /// The default file: `$XDG_DATA_HOME/skirmish/puzzles.toml`.
    ///
    /// # Errors
    /// If no home directory is known.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self::at(&data_folder()?))
    }

    /// The file in another folder.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { path: folder.join("puzzles.toml") }
    }

    /// The score so far; empty if there is no file. If the file is invalid, what can be read of it, and what is wrong.
    #[must_use]
    pub fn read(&self) -> (PuzzleScore, Option<TomlError>) {
        match toml_file::read(&self.path, LARGEST) {
            Ok(table) => self.score(&table),
            Err(error) => (PuzzleScore::default(), Some(error)),
        }
    }

    fn score(&self, table: &Table) -> (PuzzleScore, Option<TomlError>) {
        let mut faults = Vec::new();
        let score = PuzzleScore::read(table, &mut faults);
        (score, TomlError::of(&self.path, faults))
    }

    /// Counts a result, and returns the score after it. Concurrent writers serialise on an advisory lock.
    ///
    /// # Errors
    /// If the file cannot be written, if another program holds the lock, or if the existing file is invalid and so is left
    /// alone.
    pub fn note(&self, result: &PuzzleResult) -> Result<PuzzleScore, PuzzleFileError> {
        let failed = |cause| StoreError::Write { path: self.path.clone(), cause };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let _lock = match Lock::beside(&self.path) {
            Ok(lock) => Some(lock),
            Err(LockError::Held(holder)) => {
                let why = format!("it is being written by {holder}");
                return Err(failed(std::io::Error::other(why)).into());
            }
            // Without locks, two programs that write at the same moment may lose a result.
            Err(LockError::Impossible(_)) => None,
        };
        let mut table =
            toml_file::read(&self.path, LARGEST).map_err(PuzzleFileError::WouldDestroy)?;
        let (before, error) = self.score(&table);
        error.map_or(Ok(()), |error| Err(PuzzleFileError::WouldDestroy(error)))?;
        let mut score = before.clone();
        score.add(result);
        if score != before {
            score.write(&mut table);
            toml_file::write(&self.path, HEAD, &table)?;
        }
        Ok(score)
    }
}

#[cfg(test)]
mod tests;
