//! Statistics: how a person has fared in every game against every opponent.
//!
//! There is one line for each game that ended, and lines are only ever added. A crash can tear the last one
//! at most: it is not read then, and the next game begins on a line of its own.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use skirmish_rules::{Both, Catalog, Ending, Entry, Outcome, Side};

use crate::files::{self, lock_within, open_regular};
use crate::matches::Plan;
use crate::player::{Level, Player};
use crate::store::{StoreError, data_folder};

/// The names of the columns. The result comes last, so that no torn line reads like a whole one.
const HEAD: &str = "date,game,rules,opponent,turns,accuracy,result\n";

/// How long to wait while another program keeps the file locked. Noting a result takes far less.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// How a person fared in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// They won.
    Won,
    /// They lost.
    Lost,
    /// Nobody won.
    Drawn,
}

impl Finish {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Won, Self::Lost, Self::Drawn];

    /// The word for it; none is the beginning of another.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Drawn => "drawn",
        }
    }

    fn of(outcome: Outcome, side: Side) -> Self {
        match outcome {
            Outcome::Won(winner) if winner == side => Self::Won,
            Outcome::Won(_) => Self::Lost,
            Outcome::Draw => Self::Drawn,
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|finish| finish.name() == name)
    }
}

/// Against whom a game was played. People come before computers, those weakest first, and bots come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opponent {
    /// A person.
    Human,
    /// A computer player.
    Computer(Level),
    /// A bot, whichever: their names and commands say too little of who they are.
    Bot,
}

impl Opponent {
    const BOT: &str = "bot";

    fn named(name: &str) -> Option<Self> {
        if name == Self::BOT {
            return Some(Self::Bot);
        }
        Player::named(name).map(|player| Self::from(&player))
    }
}

impl From<&Player> for Opponent {
    fn from(player: &Player) -> Self {
        match player {
            Player::Human => Self::Human,
            Player::Computer(level) => Self::Computer(*level),
            Player::Bot(_) | Player::Absent(_) => Self::Bot,
        }
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human => Player::Human.fmt(formatter),
            Self::Computer(level) => level.fmt(formatter),
            Self::Bot => formatter.write_str(Self::BOT),
        }
    }
}

/// What is kept of a game that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResult {
    /// The day it was begun, `YYYY.MM.DD`.
    pub date: Option<String>,
    /// The game's id.
    pub game: String,
    /// The rule options that differ from the default, as records write them.
    pub rules: String,
    /// The opponent.
    pub opponent: Opponent,
    /// How many turns were played.
    pub turns: usize,
    /// The person's accuracy in percent, where it is known.
    pub accuracy: Option<f64>,
    /// How the person fared.
    pub finish: Finish,
}

impl GameResult {
    /// The result of a game for the person who played it; nothing where only programs played. Between two
    /// people it is that of whoever sat as Player 1.
    #[must_use]
    pub fn of(
        plan: &Plan,
        ending: Ending,
        turns: usize,
        accuracy: Both<Option<f64>>,
    ) -> Option<Self> {
        let side = Side::ALL.into_iter().find(|&side| plan.players[side].is_human())?;
        Some(Self {
            // A record's date is not checked when it is read, and nothing else may enter a line.
            date: plan.date.clone().filter(|date| is_date(date)),
            game: plan.entry.id.to_owned(),
            rules: plan.settings.changes(),
            opponent: Opponent::from(&plan.players[side.other()]),
            turns,
            accuracy: accuracy[side].map(|percent| percent.clamp(0.0, 100.0)),
            finish: Finish::of(ending.outcome, side),
        })
    }

    fn parse(line: &str) -> Option<Self> {
        let columns: Vec<&str> = line.trim_end_matches('\r').split(',').collect();
        let [date, game, rules, opponent, turns, accuracy, finish] = *columns else { return None };
        Some(Self {
            date: is_date(date).then(|| date.to_owned()),
            game: game.to_owned(),
            rules: rules.to_owned(),
            opponent: Opponent::named(opponent)?,
            turns: turns.parse().ok()?,
            accuracy: match accuracy {
                "" => None,
                _ => Some(accuracy.parse().ok().filter(|it| (0.0..=100.0).contains(it))?),
            },
            finish: Finish::named(finish)?,
        })
    }
}

/// The line that is kept.
impl fmt::Display for GameResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { date, game, rules, opponent, turns, accuracy, finish } = self;
        let date = date.as_deref().unwrap_or_default();
        let accuracy = accuracy.map(|percent| percent.to_string()).unwrap_or_default();
        let finish = finish.name();
        write!(formatter, "{date},{game},{rules},{opponent},{turns},{accuracy},{finish}")
    }
}

fn is_date(text: &str) -> bool {
    text.len() == "YYYY.MM.DD".len()
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'.',
            _ => byte.is_ascii_digit(),
        })
}

/// How a person has fared in one game against one opponent.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// The game.
    pub entry: &'static Entry,
    /// The opponent.
    pub opponent: Opponent,
    /// How many games ended.
    pub played: u32,
    /// How many of them were won.
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
    pub const fn new(entry: &'static Entry, opponent: Opponent) -> Self {
        Self {
            entry,
            opponent,
            played: 0,
            won: 0,
            lost: 0,
            drawn: 0,
            streak: 0,
            best_streak: 0,
            best_accuracy: None,
        }
    }

    fn add(&mut self, result: &GameResult) {
        self.played += 1;
        match result.finish {
            Finish::Won => {
                self.won += 1;
                self.streak = self.streak.max(0) + 1;
            }
            Finish::Lost => {
                self.lost += 1;
                self.streak = self.streak.min(0) - 1;
            }
            Finish::Drawn => {
                self.drawn += 1;
                self.streak = 0;
            }
        }
        self.best_streak = self.best_streak.max(self.streak.try_into().unwrap_or(0));
        let known = self.best_accuracy.into_iter().chain(result.accuracy);
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
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).custom_flags(files::cautious());
        let mut file = options.open(&self.path)?;
        if !file.metadata()?.is_file() {
            // A device such as /dev/null, in the place of the file for whoever wants no statistics.
            return file.write_all(format!("{line}\n").as_bytes());
        }
        lock_within(&file, LOCK_PATIENCE)?;
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

    /// How a person has fared, in the catalogue's order and then by opponent, people first. Lines that
    /// cannot be read, and games that are not in the catalogue, are passed over.
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
                let opponent = result.opponent;
                let found = of_game.iter().position(|tally| tally.opponent == opponent);
                let index = found.unwrap_or_else(|| {
                    of_game.push(Tally::new(entry, opponent));
                    of_game.len() - 1
                });
                of_game[index].add(result);
            }
            of_game.sort_by_key(|tally| tally.opponent);
            tallies.append(&mut of_game);
        }
        Ok(tallies)
    }

    /// Every result that can be read, the oldest first. This needs no lock: a line that is being written reads like a
    /// torn one.
    fn results(&self) -> io::Result<Vec<GameResult>> {
        if fs::metadata(&self.path).is_ok_and(|data| data.file_type().is_char_device()) {
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
