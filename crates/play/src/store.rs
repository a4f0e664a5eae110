//! Records on disk: saved games appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use etcetera::BaseStrategy;
use skirmish_rules::{Catalog, Entry, Record, RecordError};

use crate::whole;

/// The largest file that is read as a record.
const LARGEST_RECORD: u64 = 16 * 1024 * 1024;

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no home to keep saved games in.
    #[error("there is no folder for saved games: set HOME or XDG_DATA_HOME")]
    NoHome,
    /// The file or folder cannot be written.
    #[error("cannot save in {}: {cause}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file is far too large to be a record.
    #[error("{} is too large for a record: at most {} MiB", .0.display(), LARGEST_RECORD >> 20)]
    TooLarge(PathBuf),
    /// The file is not a record.
    #[error("{}, {cause}", path.display())]
    Record {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        cause: RecordError,
    },
    /// There is no unfinished game.
    #[error("there is no saved game to go on with in {}", .0.display())]
    NothingSaved(PathBuf),
}

/// Reads a record from a file and checks every move.
///
/// # Errors
/// When the file cannot be read or is not a record of a game in the catalogue.
pub fn read_record(path: &Path, catalog: Catalog) -> Result<Record, StoreError> {
    let failed = |cause| StoreError::Read { path: path.to_owned(), cause };
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_RECORD + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST_RECORD {
        return Err(StoreError::TooLarge(path.to_owned()));
    }
    let broken = |cause| StoreError::Record { path: path.to_owned(), cause };
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        broken(RecordError { line, cause: "this is not UTF-8 text".to_owned() })
    })?;
    Record::parse(&text, catalog).map_err(broken)
}

/// The program's folder for data: `$XDG_DATA_HOME/skirmish`.
///
/// # Errors
/// When there is no home.
pub fn data_folder() -> Result<PathBuf, StoreError> {
    let base = etcetera::base_strategy::Xdg::new().map_err(|_| StoreError::NoHome)?;
    Ok(base.data_dir().join("skirmish"))
}

/// The folder of saved games.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The folder that the XDG rules give: `$XDG_DATA_HOME/skirmish/games`.
    ///
    /// # Errors
    /// When there is no home.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self { folder: data_folder()?.join("games") })
    }

    /// Another folder.
    #[must_use]
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// A new save for a game, in a file of its own.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub fn create(&self, entry: &Entry) -> Result<Save, StoreError> {
        fs::create_dir_all(&self.folder)
            .map_err(|cause| StoreError::Write { path: self.folder.clone(), cause })?;
        let day = today();
        for number in 1.. {
            let name = format!("{}-{}-{number}.skr", day.replace('.', "-"), entry.id);
            let path = self.folder.join(name);
            // `create_new` reserves the name, so that two programs never share a save.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => return Ok(Save { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(StoreError::Write { path, cause }),
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// The unfinished game that was saved last.
    ///
    /// # Errors
    /// When there is none.
    pub fn latest(&self, catalog: Catalog) -> Result<(PathBuf, Record), StoreError> {
        self.records(catalog)
            .find(|(_, record)| record.ending.is_none())
            .ok_or_else(|| StoreError::NothingSaved(self.folder.clone()))
    }

    /// All saved games, finished or not, the last first. A file that is no record is passed over.
    pub fn records(&self, catalog: Catalog) -> impl Iterator<Item = (PathBuf, Record)> {
        let modified = |path: &PathBuf| {
            fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        };
        let mut paths: Vec<PathBuf> = fs::read_dir(&self.folder)
            .map(|files| files.flatten().map(|file| file.path()).collect())
            .unwrap_or_default();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "skr"));
        paths.sort_by_cached_key(|path| std::cmp::Reverse((modified(path), path.clone())));
        paths.into_iter().filter_map(move |path| {
            let record = read_record(&path, catalog).ok()?;
            Some((path, record))
        })
    }
}

/// A file that a game is saved in, turn by turn.
#[derive(Clone, Debug)]
pub struct Save {
    path: PathBuf,
}

impl Save {
    /// Saves in this file, whether it exists or not.
    #[must_use]
    pub fn in_file(path: &Path) -> Self {
        Self { path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether saving here would destroy something that is not a record.
    #[must_use]
    pub fn would_destroy(&self) -> bool {
        const BEGINNING: &[u8] = b"[Game ";
        let Ok(file) = File::open(&self.path) else { return false };
        let mut begins = Vec::new();
        let read = file.take(BEGINNING.len() as u64).read_to_end(&mut begins);
        read.is_ok() && !begins.is_empty() && begins != BEGINNING
    }

    /// Saves the record. Whatever goes wrong, the file holds either the old record or the new one.
    ///
    /// # Errors
    /// When it cannot be written; the last good save is still there then.
    pub fn write(&self, record: &Record) -> Result<(), StoreError> {
        whole::replace(&self.path, &record.to_string())
            .map_err(|cause| StoreError::Write { path: self.path.clone(), cause })
    }

    /// Removes the file, for a game of which nothing is worth keeping.
    pub fn discard(self) {
        // A file that is gone already, or cannot be removed, harms nobody.
        drop(fs::remove_file(self.path));
    }
}

/// Today's date as records write it, in universal time.
#[must_use]
pub fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86_400)
}

/// The civil date of a day counted from 1 January 1970.
fn date(mut day: u64) -> String {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    format!("{year:04}.{:02}.{:02}", month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use skirmish_rules::GAMES;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let store = Store::at(folder.path().join("games"));
        (folder, store)
    }

    fn record() -> Record {
        let entry = GAMES.find("base-battle").expect("the game exists");
        Record::of(&*entry.open(entry.setup()).expect("no position is set"))
    }

    #[test]
    fn a_save_is_read_back() {
        let (_folder, store) = store();
        let save = store.create(record().entry).expect("the folder can be made");
        save.write(&record()).expect("the folder can be written");
        let (path, read) = store.latest(GAMES).expect("a game is saved");
        assert_eq!((path.as_path(), read.to_string()), (save.path(), record().to_string()));
    }

    #[test]
    fn a_failed_save_leaves_the_last_good_one() {
        let (_folder, store) = store();
        let save = store.create(record().entry).expect("the folder can be made");
        save.write(&record()).expect("the folder can be written");
        let before = fs::read(save.path()).expect("the save is there");
        let elsewhere = Save { path: save.path().join("no-folder.skr") };
        assert!(matches!(elsewhere.write(&record()), Err(StoreError::Write { .. })));
        assert_eq!(fs::read(save.path()).expect("the save is there"), before);
    }

    #[test]
    fn only_a_record_is_replaced_without_a_question() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("x.skr");
        let save = Save::in_file(&path);
        assert!(!save.would_destroy(), "there is nothing yet");
        save.write(&record()).expect("the folder can be written");
        assert!(!save.would_destroy(), "a record gives way to a newer one");
        fs::write(&path, "Dear diary").expect("the folder can be written");
        assert!(save.would_destroy());
    }

    #[test]
    fn two_games_never_share_a_file() {
        let (_folder, store) = store();
        let first = store.create(record().entry).expect("the folder can be made");
        let second = store.create(record().entry).expect("the folder can be made");
        assert_ne!(first.path(), second.path());
    }

    #[test]
    fn finished_and_broken_files_are_no_games_to_go_on_with() {
        let (_folder, store) = store();
        store.create(record().entry).expect("an empty file is no record");
        assert!(matches!(store.latest(GAMES), Err(StoreError::NothingSaved(_))));
    }

    #[test]
    fn a_file_that_is_not_text_names_the_line() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("x.skr");
        fs::write(&path, b"[Game \"base-battle\"]\n\xff\n").expect("the folder can be written");
        let error = read_record(&path, GAMES).expect_err("this is no text").to_string();
        assert!(error.ends_with("line 2: this is not UTF-8 text"), "{error}");
    }

    #[test]
    fn dates_follow_the_calendar() {
        for (day, expected) in
            [(0, "1970.01.01"), (59, "1970.03.01"), (11_016, "2000.02.29"), (20_772, "2026.11.15")]
        {
            assert_eq!(date(day), expected);
        }
    }
}
