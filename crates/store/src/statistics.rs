//! Statistics: people's results in every game, against programs and against each other.
//!
//! The file is append-only, with one line for each finished game. A crash can tear at most the last line: a torn line
//! is skipped, and the next game starts a new line.
//!
//! People are identified by name, never by seat, because seats change during a match.

mod result;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use skirmish_play::player::Level;
use skirmish_rules::{Catalog, Entry};
use skirmish_system::files::kind;
use skirmish_system::{FileKind, lock};

pub use self::result::{Finish, GameResult, Opponent, csv_field};
use crate::StoreError;
use crate::files::open_regular;
use crate::store::data_folder;

/// The column names. The result comes last, so that no torn line parses as a complete one.
///
/// Files created by version 0.1 have another header, and lines without the players' names: see [`GameResult::parse`].
const HEAD: &str = "date,game,rules,player,opponent,other,turns,accuracy,other_accuracy,result\n";

/// How long to wait for the lock. Appending a result takes far less time.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Games that are counted together, in the order of the table: unnamed people, people by name, computers from the
/// weakest level up, bots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contest {
    /// Games between two unnamed people: it is unknown who won.
    People,
    /// Games of the person with this name against other people.
    Person(String),
    /// Games against a computer player.
    Computer(Level),
    /// Games against bots.
    Bot,
}

impl Contest {
    /// Whether two contests are the same. The case of people's names is ignored, as in `--names`.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Person(one), Self::Person(two)) => one.to_lowercase() == two.to_lowercase(),
            _ => self == other,
        }
    }
}

impl fmt::Display for Contest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::People => formatter.write_str("people"),
            Self::Person(name) => formatter.write_str(name),
            Self::Computer(level) => level.fmt(formatter),
            Self::Bot => formatter.write_str(Opponent::BOT),
        }
    }
}

/// The results of one contest in one game.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The game.
    pub entry: &'static Entry,
    /// The contest whose games are counted.
    pub contest: Contest,
    /// The number of finished games.
    pub played: u32,
    /// The number of games won; 0 if the winners are unknown.
    pub won: u32,
    /// The number of games lost.
    pub lost: u32,
    /// The number of games drawn.
    pub drawn: u32,
    /// The current winning streak, or the losing streak as a negative number; 0 after a draw.
    pub streak: i32,
    /// The longest winning streak.
    pub best_streak: u32,
    /// The best accuracy in percent, if known.
    pub best_accuracy: Option<f64>,
}

impl Tally {
    /// An empty tally.
    #[must_use]
    pub const fn new(entry: &'static Entry, contest: Contest) -> Self {
        Self {
            entry,
            contest,
            played: 0,
            won: 0,
            lost: 0,
            drawn: 0,
            streak: 0,
            best_streak: 0,
            best_accuracy: None,
        }
    }

    /// Whether the winners are known.
    #[must_use]
    pub fn is_attributed(&self) -> bool {
        self.contest != Contest::People
    }

    fn add(&mut self, finish: Finish, accuracy: Option<f64>) {
        self.played += 1;
        match finish {
            Finish::Drawn => {
                self.drawn += 1;
                self.streak = 0;
            }
            Finish::Won | Finish::Lost if !self.is_attributed() => {}
            Finish::Won => {
                self.won += 1;
                self.streak = self.streak.max(0) + 1;
            }
            Finish::Lost => {
                self.lost += 1;
                self.streak = self.streak.min(0) - 1;
            }
        }
        self.best_streak = self.best_streak.max(self.streak.try_into().unwrap_or(0));
        let known = self.best_accuracy.into_iter().chain(accuracy);
        self.best_accuracy = known.reduce(f64::max);
    }
}

/// The file that stores the results of all games.
#[derive(Clone, Debug)]
pub struct Statistics {
    path: PathBuf,
}

impl Statistics {
    /// The default file: `$XDG_DATA_HOME/skirmish/results.csv`.
    ///
    /// # Errors
    /// If no home directory is known.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self::at(&data_folder()?))
    }

    /// The results file in `folder`.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { path: folder.join("results.csv") }
    }

    /// The path of the results file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends the result of a finished game. Concurrent writers serialise on an advisory lock.
    ///
    /// # Errors
    /// If the file cannot be written, or another program holds the lock; earlier results are kept.
    pub fn note(&self, result: &GameResult) -> Result<(), StoreError> {
        self.append(&result.to_string()).map_err(StoreError::writing(&self.path))
    }

    fn append(&self, line: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = lock::append(&self.path, LOCK_TIMEOUT)?;
        if !file.metadata()?.is_file() {
            // This is a device such as /dev/null: users who want no statistics link the file to it.
            return file.write_all(format!("{line}\n").as_bytes());
        }
        let length = file.seek(SeekFrom::End(0))?;
        let before = match length {
            0 => HEAD,
            _ if ends_a_line(&mut file)? => "",
            _ => "\n",
        };
        let written = file.write_all(format!("{before}{line}\n").as_bytes());
        if written.is_err() {
            // Try to remove the torn line; if this fails, the next append ends it.
            drop(file.set_len(length));
        }
        // Unlock before syncing, so that other programs need not wait for the disk.
        drop(file.unlock());
        written.and_then(|()| file.sync_data())
    }

    /// All tallies, in the catalogue's order and then by contest. Skips malformed lines and unknown games.
    ///
    /// # Errors
    /// If the file exists but cannot be read.
    pub fn tallies(&self, catalog: Catalog) -> Result<Vec<Tally>, StoreError> {
        let results = self.results()?;
        let mut tallies = Vec::new();
        for entry in catalog.iter() {
            let mut of_game: Vec<Tally> = Vec::new();
            for result in results.iter().filter(|result| result.game == entry.id) {
                for (contest, finish, accuracy) in result.contests() {
                    let found = of_game.iter().position(|tally| tally.contest.is(&contest));
                    let index = found.unwrap_or_else(|| {
                        of_game.push(Tally::new(entry, contest));
                        of_game.len() - 1
                    });
                    of_game[index].add(finish, accuracy);
                }
            }
            of_game.sort_by(|one, two| one.contest.cmp(&two.contest));
            tallies.append(&mut of_game);
        }
        Ok(tallies)
    }

    /// Every valid result, oldest first.
    ///
    /// # Errors
    /// If the file exists but cannot be read.
    pub fn results(&self) -> Result<Vec<GameResult>, StoreError> {
        self.read().map_err(StoreError::reading(&self.path))
    }

    /// Reading needs no lock, because a line being written looks like a torn line.
    fn read(&self) -> io::Result<Vec<GameResult>> {
        if fs::metadata(&self.path).is_ok_and(|data| kind(data.file_type()) == FileKind::Device) {
            return Ok(Vec::new());
        }
        let file = match open_regular(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut results = Vec::new();
        for line in BufReader::new(file).split(b'\n') {
            let line = line?;
            results.extend(str::from_utf8(&line).ok().and_then(GameResult::parse));
        }
        Ok(results)
    }
}

/// Whether a non-empty file ends with a newline.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests;
