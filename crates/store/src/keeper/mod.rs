//! Saves a game to disk as it is played, and knows the command that resumes it.

mod copies;
mod recording;

use std::path::{Path, PathBuf};

use skirmish_play::{Plan, Session};
use skirmish_rules::{Record, printable};

pub use self::copies::Copies;
use self::recording::Recording;
use crate::save::absolute;
use crate::shell::{self, Screen, quoted};
use crate::store::no_data_folder;
use crate::{
    ExitHook, GameResult, Overwrite, Save, Statistics, Store, StoreError, command, is_begun,
};

/// Saves the games of a match as they are played.
pub struct Keeper {
    destination: SaveDestination,
    /// This game's file in the folder of saved games, or the file that it was resumed from.
    save: Option<Save>,
    /// The record that the player requested besides the save.
    record: Recording,
    /// Other files in which the player has saved this game.
    copies: Copies,
    /// The file in which finished games are counted; `None` if they are not.
    statistics: Option<Statistics>,
    exit_hook: ExitHook,
    /// The screen on which the resume command shows the game.
    screen: Screen,
    /// The options of the resume command.
    options: String,
    /// Whether the player has been warned that saving fails.
    warned: bool,
    /// Whether the player has been warned that the record cannot be written.
    record_warned: bool,
    /// The file in which the last turn was saved.
    kept_in: Option<PathBuf>,
    /// The file in which the player has saved the game since the last turn.
    copied_to: Option<PathBuf>,
}

/// Where new games are saved.
enum SaveDestination {
    /// Games are not saved, as the user requested.
    None,
    Folder(Store),
    /// No home directory is known.
    NoHome,
}

/// The reasons why a game was not saved where the player asked.
pub enum NotSaved {
    /// The reason, as a sentence.
    Because(String),
    /// A file of this name exists: ask the player before replacing it.
    Exists(String),
    /// The player named standard output, which the caller owns.
    StandardOutput,
}

/// The files that a game was written to, or the errors that occurred.
struct Written {
    saved: Result<Option<PathBuf>, StoreError>,
    recorded: Result<Option<PathBuf>, StoreError>,
}

impl Keeper {
    /// Saves games in the folder of `store`, or nowhere.
    #[must_use]
    pub fn new(store: Option<Store>, exit_hook: ExitHook) -> Self {
        Self {
            destination: store.map_or(SaveDestination::None, SaveDestination::Folder),
            save: None,
            record: Recording::None,
            copies: Copies::default(),
            statistics: None,
            exit_hook,
            screen: Screen::Lines,
            options: String::new(),
            warned: false,
            record_warned: false,
            kept_in: None,
            copied_to: None,
        }
    }

    /// A keeper without a home directory to save games in; the player is warned when a game begins.
    #[must_use]
    pub fn without_home(exit_hook: ExitHook) -> Self {
        Self { destination: SaveDestination::NoHome, ..Self::new(None, exit_hook) }
    }

    /// Saves the game in the file that it was resumed from.
    #[must_use]
    pub fn resuming(mut self, save: Save) -> Self {
        self.save = Some(save);
        self
    }

    /// Makes the resume command show the game on the full screen.
    #[must_use]
    pub fn on_full_screen(mut self) -> Self {
        self.screen = Screen::Full;
        self
    }

    /// Counts finished games in `statistics`.
    #[must_use]
    pub fn counting(mut self, statistics: Option<Statistics>) -> Self {
        self.statistics = statistics;
        self
    }

    /// Also writes the record to this file, and the records of the match's later games to numbered files beside it.
    /// Checks all these files now, before a turn is played. `is_source`: the game was resumed from this file.
    ///
    /// # Errors
    /// If one of the files exists and must not be replaced, or cannot be written.
    pub fn record_in(
        &mut self,
        path: &Path,
        is_source: bool,
        overwrite: Overwrite,
        session: &Session,
    ) -> Result<(), StoreError> {
        let standing = session.record().standing;
        // A game that was resumed from this file is already saved there.
        self.record = if self.save.as_ref().is_some_and(|save| save.is_at(path)) {
            Recording::later(path, overwrite, standing)?
        } else {
            Recording::open(path, is_source, overwrite, standing)?
        };
        Ok(())
    }

    /// Begins saving a game: in a new file, unless it was resumed from a file. Returns a warning for the player on
    /// failure; the game can be played anyway.
    #[must_use]
    pub fn begin(&mut self, plan: &Plan, session: &Session) -> Option<String> {
        self.options = shell::options(plan, self.screen);
        self.kept_in = None;
        self.copies = Copies::default();
        let refused = self.record.begin().err();
        let refused = refused.map(|error| format!("warning: {error}; no record is written."));
        let warnings = refused.into_iter().chain(self.keep(session)).chain(self.lock_failure());
        joined(warnings)
    }

    /// Whether leaving would lose turns that the player believes to be saved.
    #[must_use]
    pub fn is_at_risk(&self, session: &Session) -> bool {
        let is_wanted = !matches!(self.destination, SaveDestination::None) || self.save.is_some();
        is_wanted && !self.is_kept() && is_begun(&session.record())
    }

    /// Whether the game in its current state can be resumed later.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.copied_to.is_some() || self.kept_in.is_some() && !self.is_unplayed()
    }

    /// Whether the save will be removed when the game is left, because no turn has been played.
    fn is_unplayed(&self) -> bool {
        let save = self.save.as_ref().filter(|save| !save.is_worth_keeping());
        save.is_some_and(|save| self.kept_in.as_deref() == Some(save.path()))
    }

    /// Saves the current state of the game. Returns a warning for the player on the first failure; the last good save
    /// is kept.
    #[must_use]
    pub fn keep(&mut self, session: &Session) -> Option<String> {
        let had_save = self.save.as_ref().is_some_and(Save::is_worth_keeping);
        self.copied_to = None;
        let Written { saved, recorded } = self.write(session);
        self.exit_hook.set(Some(self.exit_sentence()));
        let unsaved = saved.err().and_then(|error| {
            let consequence = if had_save || self.is_kept() {
                "the game goes on, and the last good save is kept."
            } else {
                "the game goes on without being saved. (--no-save plays without saving and without this warning.)"
            };
            self.warn(&error, consequence)
        });
        let unrecorded = recorded.err().and_then(|error| self.warn_of_record(&error));
        joined(unsaved.into_iter().chain(unrecorded))
    }

    /// Saves a game that has ended. The match's next game gets its own file.
    #[must_use]
    pub fn end(&mut self, session: &Session) -> Option<String> {
        let warning = self.keep(session);
        self.save = None;
        self.exit_hook.set(None);
        self.record.end(session.record().standing);
        warning
    }

    /// Writes the record of a game that has ended or been abandoned to a stream, after all other output there. Returns
    /// a warning for the player on failure.
    #[must_use]
    pub fn deliver(&mut self) -> Option<String> {
        let error = self.record.deliver().err()?;
        self.warn_of_record(&error)
    }

    /// Counts a finished game, if it has a result that counts. Returns a warning for the player on the first failure.
    #[must_use]
    pub fn count(&mut self, result: impl FnOnce() -> Option<GameResult>) -> Option<String> {
        let statistics = self.statistics.as_ref()?;
        let result = result()?;
        // Signals need not be held off: another program may hold the lock for long, and a torn line is never read.
        let error = statistics.note(&result).err()?;
        self.warn(&error, "the game is missing from the statistics.")
    }

    /// Saves the game now, in the named file or the game's own, and returns a message that names the file.
    ///
    /// # Errors
    /// If the file exists, is standard output, or cannot be written.
    pub fn save_now(
        &mut self,
        session: &Session,
        file: Option<&Path>,
        overwrite: Overwrite,
    ) -> Result<String, NotSaved> {
        let is_named = |save: &Save| file.is_some_and(|file| save.is_at(file));
        let recorded = self.record.save_mut().filter(|save| is_named(save));
        let is_record = recorded.is_some();
        let own = recorded.or(self.save.as_mut().filter(|save| file.is_none() || is_named(save)));
        let is_own = own.is_some();
        if let Some(own) = own.filter(|_| overwrite == Overwrite::Allowed) {
            own.allow_overwriting();
        }
        let Some(file) = file.filter(|_| !is_own) else {
            let Written { saved, recorded } = self.write(session);
            self.exit_hook.set(Some(self.exit_sentence()));
            // Report the named file, or else all of them.
            let written = match file {
                None => saved.and_then(|saved| Ok(saved.or(recorded?))),
                Some(_) if is_record => recorded,
                Some(_) => saved,
            };
            return match written {
                Err(StoreError::Exists(path)) => Err(NotSaved::Exists(readable(&path))),
                Err(error) => Err(NotSaved::Because(format!("Not saved: {error}."))),
                Ok(Some(path)) => Ok(format!("Saved in {}.", readable(&path))),
                Ok(None) => Err(NotSaved::Because(
                    "This game is not being saved: enter save FILE.".to_owned(),
                )),
            };
        };
        let message = {
            let _hold = self.exit_hook.hold();
            self.copies.save(&session.record(), file, overwrite)?
        };
        if self.copies.is_in(file) {
            self.copied_to = Some(absolute(file));
            self.exit_hook.set(Some(self.exit_sentence()));
        }
        Ok(message)
    }

    /// A message that explains how to review the game that has just ended.
    #[must_use]
    pub fn review_message(&self) -> Option<String> {
        let path = self.kept_in.as_ref()?.to_string_lossy();
        Some(format!(
            "The game is recorded. To review it: {}",
            command(&format!("review {}", quoted(&path)))
        ))
    }

    /// A message that explains how to resume the game, for when input ends.
    #[must_use]
    pub fn exit_message(&self) -> Option<String> {
        self.exit_hook.message()
    }

    /// The warning that saving failed, the first time only.
    fn warn(&mut self, error: &StoreError, consequence: &str) -> Option<String> {
        let is_known = std::mem::replace(&mut self.warned, true);
        (!is_known).then(|| format!("warning: {error}; {consequence}"))
    }

    /// The warning that the record could not be written, the first time only.
    fn warn_of_record(&mut self, error: &StoreError) -> Option<String> {
        let is_known = std::mem::replace(&mut self.record_warned, true);
        let consequence =
            if self.is_kept() { "the game is saved all the same." } else { "the game goes on." };
        (!is_known)
            .then(|| format!("warning: the record could not be written: {error}; {consequence}"))
    }

    /// The warning that the save could not be locked, unless it could not be written either.
    fn lock_failure(&mut self) -> Option<String> {
        let save = self.save.as_mut().filter(|_| self.kept_in.is_some())?;
        let error = save.lock_failure()?;
        let path = readable(save.path());
        Some(format!("warning: {path} cannot be locked ({error}): do not play it in two places."))
    }

    /// Writes the game to all its files; a failure with one file does not affect the others.
    fn write(&mut self, session: &Session) -> Written {
        let exit_hook = self.exit_hook.clone();
        let _hold = exit_hook.hold();
        let record = session.record();
        let recorded = self.record.write(&record);
        let saved = self.write_save(&record);
        self.kept_in = match (&saved, &recorded) {
            (Ok(Some(path)), _) | (_, Ok(Some(path))) => Some(path.clone()),
            _ => None,
        };
        Written { saved, recorded }
    }

    fn write_save(&mut self, record: &Record) -> Result<Option<PathBuf>, StoreError> {
        if self.save.is_none() {
            match &self.destination {
                SaveDestination::None => return Ok(None),
                SaveDestination::NoHome => return Err(no_data_folder()),
                SaveDestination::Folder(store) => self.save = Some(store.create(record.entry)?),
            }
        }
        let save = self.save.as_mut().expect("it has just been created");
        save.write(record)?;
        Ok(Some(save.path().to_owned()))
    }

    fn exit_sentence(&self) -> String {
        let resume = |state: &str, path: &Path| {
            format!("{state} To go on: {}", shell::resume(path, &self.options))
        };
        let kept_in = self.kept_in.as_ref().filter(|_| !self.is_unplayed());
        match (kept_in.or(self.copied_to.as_ref()), &self.save) {
            (None, _) if self.is_unplayed() => {
                "No turn was played, so nothing is saved.".to_owned()
            }
            (Some(path), _) => resume("The game is saved.", path),
            (None, Some(save)) if save.is_worth_keeping() => {
                resume("The last turns are not saved.", save.path())
            }
            (None, _) if matches!(self.destination, SaveDestination::None) => {
                "The game is not saved, as you asked.".to_owned()
            }
            (None, _) => "The game is not saved.".to_owned(),
        }
    }
}

/// The warnings, one per line; `None` if there are none.
fn joined(warnings: impl Iterator<Item = String>) -> Option<String> {
    warnings.reduce(|all, warning| format!("{all}\n{warning}"))
}

/// The path as an absolute path that is safe to print.
#[must_use]
pub fn readable(path: &Path) -> String {
    printable(&absolute(path).to_string_lossy())
}
