//! Records which puzzles have been solved, and the streak of days with a solved daily puzzle.
//!
//! A day counts if its puzzle was solved at the first attempt without a mistake, a hint or the solution.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use skirmish_play::Day;
use skirmish_play::puzzle::Puzzle;
use skirmish_rules::{Entry, Settings};
use toml::value::Datetime;
use toml::{Table, Value};

use crate::StoreError;
use crate::files::{Lock, LockError};
use crate::store::data_folder;
use crate::toml_file::{TomlFile, look_up};

/// The largest file that is read: enough for some ten thousand puzzles.
const LARGEST: u64 = 1024 * 1024;

const HEAD: &str = "# Puzzles solved with Skirmish, which writes this file.\n";
const LAST: &str = "last";
const MISSED: &str = "missed";
const STREAK: &str = "streak";
const BEST: &str = "best";
const SOLVED: &str = "solved";
const DAYS: &str = "days";

/// The number of daily results that are kept.
const KEPT_DAYS: usize = 7;

/// A player's record at puzzles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuzzleScore {
    /// The last day that counted towards the streak.
    last: Option<Day>,
    /// The last day that can no longer count, because of a mistake, a hint or the solution.
    missed: Option<Day>,
    streak: u32,
    best: u32,
    /// Whether each of the last days with an attempt at the puzzle of the day counts.
    days: BTreeMap<Day, bool>,
    /// The solved puzzles, by board name (see [`board`]).
    solved: BTreeMap<String, BTreeSet<String>>,
}

/// The result of an attempt at a puzzle.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleResult<'a> {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: &'a Settings,
    /// The puzzle that was attempted.
    pub puzzle: &'a Puzzle,
    /// The day, if this was the puzzle of the day.
    pub daily: Option<Day>,
    /// Whether the puzzle is solved. If not, the player may still be trying.
    pub is_solved: bool,
    /// Whether the player made no mistake and saw neither a hint nor the solution.
    pub is_clean: bool,
}

impl PuzzleScore {
    /// The number of consecutive days, up to today or yesterday, on which the puzzle of the day was solved.
    #[must_use]
    pub fn streak(&self, today: Day) -> u32 {
        let is_alive = self.last == Some(today)
            || (self.last.is_some() && self.last == today.before() && self.missed != Some(today));
        if is_alive { self.streak } else { 0 }
    }

    /// The longest streak so far.
    #[must_use]
    pub const fn best(&self) -> u32 {
        self.best
    }

    /// Whether the puzzle of `day` was solved and counted.
    #[must_use]
    pub fn has_solved(&self, day: Day) -> bool {
        self.last == Some(day)
    }

    /// Whether each day of the week that contains `today` counts, from Monday; `None` for a day without an attempt, or
    /// with one that goes on.
    #[must_use]
    pub fn week(&self, today: Day) -> [Option<bool>; 7] {
        let monday = today.number().saturating_sub(today.weekday());
        let mut day = monday;
        [(); 7].map(|()| {
            let counts = self.days.get(&Day::since_1970(day)).copied();
            day += 1;
            counts
        })
    }

    /// The number of different puzzles solved in a game with these rule options.
    #[must_use]
    pub fn solved(&self, entry: &Entry, settings: &Settings) -> usize {
        self.solved.get(&board(entry, settings)).map_or(0, BTreeSet::len)
    }

    /// Adds a result to the score.
    fn add(&mut self, result: &PuzzleResult) {
        if let Some(day) = result.daily {
            self.add_day(day, result);
        }
        if result.is_solved {
            let board = board(result.entry, result.settings);
            self.solved.entry(board).or_default().insert(result.puzzle.name());
        }
    }

    /// Counts a day towards the streak. A day counts only once, and only if it is later than the last day that counted.
    fn add_day(&mut self, day: Day, result: &PuzzleResult) {
        if self.last >= Some(day) {
            return;
        }
        if !result.is_clean {
            self.missed = self.missed.max(Some(day));
            self.keep(day, false);
        } else if result.is_solved && self.missed != Some(day) {
            let goes_on = self.last.is_some() && self.last == day.before();
            self.streak = if goes_on { self.streak.saturating_add(1) } else { 1 };
            self.best = self.best.max(self.streak);
            self.last = Some(day);
            self.keep(day, true);
        }
    }

    /// Keeps whether a day counts, and forgets the oldest day if there are too many.
    fn keep(&mut self, day: Day, counts: bool) {
        self.days.insert(day, counts);
        if self.days.len() > KEPT_DAYS {
            self.days.pop_first();
        }
    }

    /// Reads a score from a table, and adds a message to `faults` for each invalid value.
    fn read(table: &Table, faults: &mut Vec<String>) -> Self {
        let number = |value: &Value| value.as_integer().and_then(|it| u32::try_from(it).ok());
        let day = |value: &Value| value.as_datetime().and_then(|it| it.to_string().parse().ok());
        let date = "a date such as 2026-11-16";
        let last = look_up(table, LAST, date, faults, day);
        let missed = look_up(table, MISSED, date, faults, day);
        let streak = look_up(table, STREAK, "a number", faults, number).unwrap_or(0);
        let best = look_up(table, BEST, "a number", faults, number).unwrap_or(0);
        let days = look_up(table, DAYS, "a table", faults, |it| it.as_table().cloned());
        let days = days.unwrap_or_default();
        let counts =
            |(day, counts): (&String, &Value)| Some((day.parse().ok()?, counts.as_bool()?));
        let days = days.iter().filter_map(counts).collect();
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
        Self { last, missed, streak, best: best.max(streak), days, solved }
    }

    /// Writes the score into a table, keeping the table's other entries.
    fn write(&self, table: &mut Table) {
        for (key, day) in [(LAST, self.last), (MISSED, self.missed)] {
            let date = day.and_then(|day| day.to_string().parse::<Datetime>().ok());
            if let Some(date) = date {
                table.insert(key.to_owned(), date.into());
            }
        }
        table.insert(STREAK.to_owned(), i64::from(self.streak).into());
        table.insert(BEST.to_owned(), i64::from(self.best).into());
        let days = self.days.iter().map(|(day, counts)| (day.to_string(), (*counts).into()));
        table.insert(DAYS.to_owned(), days.collect::<Table>().into());
        let list = |names: &BTreeSet<String>| -> Value {
            names.iter().map(String::as_str).collect::<Vec<&str>>().into()
        };
        let solved: Table =
            self.solved.iter().map(|(board, names)| (board.clone(), list(names))).collect();
        table.insert(SOLVED.to_owned(), solved.into());
    }
}

/// A board's name in the file: the game's ID, and the rule options that differ from the default.
fn board(entry: &Entry, settings: &Settings) -> String {
    format!("{} {}", entry.id, settings.changes()).trim_end().to_owned()
}

/// The file that stores the puzzle score.
#[derive(Clone, Debug)]
pub struct PuzzleFile(TomlFile);

impl PuzzleFile {
    /// The default file: `$XDG_DATA_HOME/skirmish/puzzles.toml`.
    ///
    /// # Errors
    /// If no home directory is known.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self::at(&data_folder()?))
    }

    /// The puzzle file in `folder`.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self(TomlFile { path: folder.join("puzzles.toml"), head: HEAD, largest: LARGEST })
    }

    /// The score so far; empty without a file. If the file is invalid, returns its valid part and an error.
    #[must_use]
    pub fn read(&self) -> (PuzzleScore, Option<StoreError>) {
        self.0.read(PuzzleScore::read)
    }

    /// Adds a result, and returns the updated score. Concurrent writers serialise on an advisory lock.
    ///
    /// # Errors
    /// If the file cannot be written, another program holds the lock, or the existing file is invalid and is therefore
    /// left alone.
    pub fn note(&self, result: &PuzzleResult) -> Result<PuzzleScore, StoreError> {
        let path = &self.0.path;
        let failed = StoreError::writing(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let _lock = match Lock::beside(path) {
            Ok(lock) => Some(lock),
            Err(LockError::Held(holder)) => {
                return Err(failed(io::Error::other(format!("it is being written by {holder}"))));
            }
            // Without locks, two programs that write at the same time may lose a result.
            Err(LockError::Impossible(_)) => None,
        };
        let would_destroy = |error| StoreError::WouldDestroy(Box::new(error), "count puzzles");
        let (before, error) = self.read();
        error.map_or(Ok(()), |error| Err(would_destroy(error)))?;
        let mut score = before.clone();
        score.add(result);
        if score != before {
            let mut table = self.0.table().map_err(would_destroy)?;
            score.write(&mut table);
            self.0.write(&table)?;
        }
        Ok(score)
    }
}

#[cfg(test)]
mod tests;
