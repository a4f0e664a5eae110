//! How many puzzles have been solved, and on how many days in a row the puzzle of the day.
//!
//! A day counts if its puzzle was solved without a mistake, a hint or the solution, at the first attempt.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fs, io};

use skirmish_play::Day;
use skirmish_rules::Entry;

use crate::files::{self, Lock, LockError, Overwrite};
use crate::store::{StoreError, data_folder};

/// The largest file to read.
const LARGEST: u64 = 64 * 1024;

const HEAD: &str = "# Puzzles solved with Skirmish, which writes this file.\n";
const LAST: &str = "last";
const MISSED: &str = "missed";
const STREAK: &str = "streak";
const BEST: &str = "best";
const SOLVED: &str = "solved.";

/// How somebody has done at puzzles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuzzleScore {
    /// The last day that counted.
    last: Option<Day>,
    /// The last day that no longer can.
    missed: Option<Day>,
    streak: u32,
    best: u32,
    /// Puzzles solved, by the id of the game.
    solved: BTreeMap<String, u32>,
}

/// What became of a puzzle.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleResult {
    /// The game.
    pub entry: &'static Entry,
    /// The day, if it was the puzzle of that day.
    pub daily: Option<Day>,
    /// Whether it is solved. If not, the player may still be trying.
    pub is_solved: bool,
    /// Whether there was no mistake, hint or solution.
    pub is_clean: bool,
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

    /// How many puzzles of a game have been solved.
    #[must_use]
    pub fn solved(&self, entry: &Entry) -> u32 {
        self.solved.get(entry.id).copied().unwrap_or(0)
    }

    /// How many puzzles have been solved.
    #[must_use]
    pub fn all_solved(&self) -> u32 {
        self.solved.values().copied().fold(0, u32::saturating_add)
    }

    /// Counts a result.
    fn add(&mut self, result: &PuzzleResult) {
        if let Some(day) = result.daily {
            // A day counts once, and none before the last that counted.
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
        if result.is_solved {
            let solved = self.solved.entry(result.entry.id.to_owned()).or_default();
            *solved = solved.saturating_add(1);
        }
    }

    /// Reads the lines of a file. Lines that make no sense are skipped.
    fn parse(text: &str) -> Self {
        let mut score = Self::default();
        for line in text.lines() {
            let Some((name, value)) = line.split_once('=') else { continue };
            let (name, value) = (name.trim(), value.trim());
            match name {
                LAST => score.last = read(value).or(score.last),
                MISSED => score.missed = read(value).or(score.missed),
                STREAK => score.streak = read(value).unwrap_or(score.streak),
                BEST => score.best = read(value).unwrap_or(score.best),
                _ => {
                    let is_id =
                        |id: &&str| id.bytes().all(|it| it.is_ascii_lowercase() || it == b'-');
                    if let Some(id) = name.strip_prefix(SOLVED).filter(is_id)
                        && let Some(count) = read(value)
                    {
                        score.solved.insert(id.to_owned(), count);
                    }
                }
            }
        }
        score.best = score.best.max(score.streak);
        score
    }
}

fn read<T: FromStr>(value: &str) -> Option<T> {
    value.parse().ok()
}

impl fmt::Display for PuzzleScore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HEAD)?;
        for (name, day) in [(LAST, self.last), (MISSED, self.missed)] {
            if let Some(day) = day {
                writeln!(formatter, "{name} = {day}")?;
            }
        }
        writeln!(formatter, "{STREAK} = {}\n{BEST} = {}", self.streak, self.best)?;
        self.solved.iter().try_for_each(|(id, count)| writeln!(formatter, "{SOLVED}{id} = {count}"))
    }
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

    /// The score so far; empty if there is no file, or none that can be read.
    #[must_use]
    pub fn read(&self) -> PuzzleScore {
        files::read_text(&self.path, LARGEST)
            .map(|text| PuzzleScore::parse(&text))
            .unwrap_or_default()
    }

    /// Counts a result, and returns the score after it. Concurrent writers serialise on an advisory lock.
    ///
    /// # Errors
    /// If the file cannot be written, or another program holds the lock.
    pub fn note(&self, result: &PuzzleResult) -> Result<PuzzleScore, StoreError> {
        self.write(result).map_err(|cause| StoreError::Write { path: self.path.clone(), cause })
    }

    fn write(&self, result: &PuzzleResult) -> io::Result<PuzzleScore> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let _lock = match Lock::beside(&self.path) {
            Ok(lock) => Some(lock),
            Err(LockError::Held(holder)) => {
                return Err(io::Error::other(format!("it is being written by {holder}")));
            }
            // Without locks, two programs that write at the same moment may lose a result.
            Err(LockError::Impossible(_)) => None,
        };
        let before = self.read();
        let mut score = before.clone();
        score.add(result);
        if score != before {
            files::replace(&self.path, &score.to_string(), Overwrite::Allowed)?;
        }
        Ok(score)
    }
}

#[cfg(test)]
mod tests;
