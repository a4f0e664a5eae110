//! Statistics: how people have fared in every game, against programs and against each other.
//!
//! There is one line for each game that ended, and lines are only ever added. A crash can tear the last one
//! at most: it is not read then, and the next game begins on a line of its own.
//!
//! Two people are told apart by their names, never by their seats, which change hands in a match.

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

pub use self::result::{Finish, GameResult, Opponent};
use crate::files::open_regular;
use crate::store::{StoreError, data_folder};

/// The names of the columns. The result comes last, so that no torn line reads like a whole one.
///
/// Files begun by version 0.1 have another head and lines without the players' names: see [`GameResult::parse`].
const HEAD: &str = "date,game,rules,player,opponent,other,turns,accuracy,other_accuracy,result\n";

/// How long to wait while another program keeps the file locked. Noting a result takes far less.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// Whose games are counted together, or against whom: people without names, people by their names, computers from
/// the weakest on, bots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contest {
    /// Games between two people of whom neither has a name. Nobody knows who of them won.
    People,
    /// The games of the person with this name against other people.
    Person(String),
    /// Games against a computer player.
    Computer(Level),
    /// Games against bots.
    Bot,
}

impl Contest {
    /// Whether these are the same games: people are told apart as `--names` does it, capitals aside.
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

/// What has become of the games of one contest in one game.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The game.
    pub entry: &'static Entry,
    /// Which games are counted.
    pub contest: Contest,
    /// How many games ended.
    pub played: u32,
    /// How many of them were won; none where nobody knows by whom.
    pub won: u32,
    /// How many were lost.
    pub lost: u32,
    /// How many were drawn.
    pub drawn: u32,
    /// The wins in a row up to now, or the losses as a negative number; 0 after a draw.
    pub streak: i32,
    /// The most wins in a row.
    pub best_streak: u32,
    /// The best accuracy in percent, where one is known.
    pub best_accuracy: Option<f64>,
}

impl Tally {
    /// Before the first game.
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

    /// Whether it is known who won.
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

/// The file with the results of all games.
#[derive(Clone, Debug)]
pub struct Statistics {
    path: PathBuf,
}

impl Statistics {
    /// The file that the XDG rules give: `$XDG_DATA_HOME/skirmish/results.csv`.
    ///
    /// # Errors
    /// When there is no home.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self::at(&data_folder()?))
    }

    /// The file in another folder.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { path: folder.join("results.csv") }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes a game that has ended. Concurrent writers serialise on an advisory lock.
    ///
    /// # Errors
    /// If the file cannot be written, or another program keeps it locked; what was noted before is still there.
    pub fn note(&self, result: &GameResult) -> Result<(), StoreError> {
        self.append(&result.to_string())
            .map_err(|cause| StoreError::Write { path: self.path.clone(), cause })
    }

    fn append(&self, line: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = lock::append(&self.path, LOCK_PATIENCE)?;
        if !file.metadata()?.is_file() {
            // A device such as /dev/null, in the place of the file for whoever wants no statistics.
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
            // Best without a torn line; where even that fails, the next one ends it.
            drop(file.set_len(length));
        }
        // Others need not wait for the disk.
        drop(file.unlock());
        written.and_then(|()| file.sync_data())
    }

    /// How people have fared, in the catalogue's order and then by contest. Lines that cannot be read, and games
    /// that are not in the catalogue, are passed over.
    ///
    /// # Errors
    /// When there is a file that cannot be read.
    pub fn tallies(&self, catalog: Catalog) -> Result<Vec<Tally>, StoreError> {
        let results =
            self.results().map_err(|cause| StoreError::Read { path: self.path.clone(), cause })?;
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

    /// Every result that can be read, the oldest first. This needs no lock: a line that is being written reads like a
    /// torn one.
    fn results(&self) -> io::Result<Vec<GameResult>> {
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

/// Whether the last byte of a file that is not empty ends a line.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests;
