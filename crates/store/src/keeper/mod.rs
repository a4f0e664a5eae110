//! Keeps a game on disk while it is played, and knows how to come back to it.

mod copies;
mod recording;

use std::path::{Path, PathBuf};

use skirmish_play::{Plan, Session};
use skirmish_present::shell::{self, quoted};
use skirmish_rules::{Record, printable};

pub use self::copies::Copies;
use self::recording::Recording;
use crate::{ExitHook, GameResult, Overwrite, Save, Statistics, Store, StoreError, is_begun};

/// Where the games of a match are kept.
pub struct Keeper {
    store: Shelf,
    /// The file of this game in the folder of saved games, or the one that it was read from.
    save: Option<Save>,
    /// What the player asked for beside that.
    record: Recording,
    /// Other files that the player saved this game in.
    copies: Copies,
    /// Where games that ended are counted; nowhere when nothing is to be saved.
    statistics: Option<Statistics>,
    exit_hook: ExitHook,
    /// What brings the bots of this game back, behind the command that goes on with it.
    bots: String,
    /// Whether the player knows that saving fails.
    warned: bool,
    /// Whether the player knows that the record cannot be written.
    record_warned: bool,
    /// The file that the last turn was saved in.
    kept_in: Option<PathBuf>,
    /// The file that the player has saved the game in since the last turn.
    copied_to: Option<PathBuf>,
}

/// Where new games are saved.
enum Shelf {
    /// Nowhere, as asked.
    None,
    Folder(Store),
    /// There is no home to keep them in.
    Homeless,
}

/// Why a game was not saved where the player asked for it.
pub enum NotSaved {
    /// This is why.
    Because(String),
    /// Something else is there: the player has to be asked. This is its name.
    Exists(String),
    /// It is to go to standard output, which is not for us to write.
    StandardOutput,
}

/// The files that a game was written to, if any, or why not.
struct Written {
    saved: Result<Option<PathBuf>, StoreError>,
    recorded: Result<Option<PathBuf>, StoreError>,
}

impl Keeper {
    /// Keeps games in this folder, or nowhere.
    #[must_use]
    pub fn new(store: Option<Store>, exit_hook: ExitHook) -> Self {
        Self {
            store: store.map_or(Shelf::None, Shelf::Folder),
            save: None,
            record: Recording::None,
            copies: Copies::default(),
            statistics: None,
            exit_hook,
            bots: String::new(),
            warned: false,
            record_warned: false,
            kept_in: None,
            copied_to: None,
        }
    }

    /// Would save games, but there is no home to save them in; the player is told when a game begins.
    pub fn homeless(exit_hook: ExitHook) -> Self {
        Self { store: Shelf::Homeless, ..Self::new(None, exit_hook) }
    }

    /// Goes on saving in the file that a game was read from.
    pub fn resuming(mut self, save: Save) -> Self {
        self.save = Some(save);
        self
    }

    /// Counts the games that end.
    pub fn counting(mut self, statistics: Option<Statistics>) -> Self {
        self.statistics = statistics;
        self
    }

    /// Keeps the record in this file too, and those of the match's later games in files numbered like it. All of them
    /// are looked at before a turn is played. `is_source`: the game was resumed from this file.
    pub fn record_in(
        &mut self,
        path: &Path,
        is_source: bool,
        overwrite: Overwrite,
        session: &Session,
    ) -> Result<(), StoreError> {
        let standing = session.record().standing;
        // Where the game goes on in that very file, it is saved there already.
        self.record = if self.save.as_ref().is_some_and(|save| save.is_at(path)) {
            Recording::later(path, overwrite, standing)?
        } else {
            Recording::open(path, is_source, overwrite, standing)?
        };
        Ok(())
    }

    /// Begins to keep a game: in a file of its own, unless it goes on in one. Gives what to tell the player if that
    /// fails; the game is played all the same.
    #[must_use]
    pub fn begin(&mut self, plan: &Plan, session: &Session) -> Option<String> {
        self.bots = shell::options(plan);
        self.kept_in = None;
        self.copies = Copies::default();
        let refused = self.record.begin().err();
        let refused = refused.map(|error| format!("warning: {error}; no record is written."));
        let warnings = refused.into_iter().chain(self.keep(session)).chain(self.lock_failure());
        let warnings: Vec<String> = warnings.collect();
        (!warnings.is_empty()).then(|| warnings.join("\n"))
    }

    /// Whether leaving would lose turns that the player thinks are saved.
    pub fn is_at_risk(&self, session: &Session) -> bool {
        let is_wanted = !matches!(self.store, Shelf::None) || self.save.is_some();
        is_wanted && !self.is_kept() && is_begun(&session.record())
    }

    /// Whether the game as it is can be gone on with another time.
    pub fn is_kept(&self) -> bool {
        self.copied_to.is_some() || self.kept_in.is_some() && !self.is_unplayed()
    }

    /// Whether the game is saved only until it is left, because nothing has been played.
    fn is_unplayed(&self) -> bool {
        let save = self.save.as_ref().filter(|save| !save.is_worth_keeping());
        save.is_some_and(|save| self.kept_in.as_deref() == Some(save.path()))
    }

    /// Keeps the game as it is now. Gives what to tell the player if that fails, once; the last good save is
    /// still there.
    #[must_use]
    pub fn keep(&mut self, session: &Session) -> Option<String> {
        let had_save = self.save.as_ref().is_some_and(Save::is_worth_keeping);
        self.copied_to = None;
        let Written { saved, recorded } = self.write(session);
        self.exit_hook.set(Some(self.way_back()));
        let unsaved = saved.err().and_then(|error| {
            let consequence = if had_save || self.is_kept() {
                "the game goes on, and the last good save is kept."
            } else {
                "the game goes on without being saved. (--no-save plays without saving and without this warning.)"
            };
            self.warn(&error, consequence)
        });
        let unrecorded = recorded.err().and_then(|error| self.warn_of_record(&error));
        let warnings: Vec<String> = unsaved.into_iter().chain(unrecorded).collect();
        (!warnings.is_empty()).then(|| warnings.join("\n"))
    }

    /// The game has ended: the next one gets a file of its own.
    #[must_use]
    pub fn end(&mut self, session: &Session) -> Option<String> {
        let warning = self.keep(session);
        self.save = None;
        self.exit_hook.set(None);
        self.record.end(session.record().standing);
        warning
    }

    /// Writes the record of a game that has ended or is left to a stream, once that has been told there. Gives what to tell the
    /// player if that fails.
    #[must_use]
    pub fn deliver(&mut self) -> Option<String> {
        let error = self.record.deliver().err()?;
        self.warn_of_record(&error)
    }

    /// Counts a game that has ended, if it has a result to count. Gives what to tell the player if that fails,
    /// once; it harms nothing.
    #[must_use]
    pub fn count(&mut self, result: impl FnOnce() -> Option<GameResult>) -> Option<String> {
        let statistics = self.statistics.as_ref()?;
        let result = result()?;
        // Signals are not held off: another program may have locked the file, and a torn line is never read.
        let error = statistics.note(&result).err()?;
        self.warn(&error, "the game is missing from the statistics.")
    }

    /// Saves now, in this file or in the game's own, and says where.
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
        let is_own = own.is_some() || file.is_none();
        if let Some(own) = own.filter(|_| overwrite == Overwrite::Allowed) {
            own.allow_overwriting();
        }
        if is_own {
            let Written { saved, recorded } = self.write(session);
            self.exit_hook.set(Some(self.way_back()));
            // The player hears of the file that was named, or else of all of them.
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
                    "Nothing is saved in this game: enter save FILE.".to_owned(),
                )),
            };
        }
        let file = file.expect("a game's own file needs no name");
        let told = {
            let _undisturbed = self.exit_hook.hold();
            self.copies.save(&session.record(), file, overwrite)?
        };
        if self.copies.is_in(file) {
            self.copied_to = Some(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
            self.exit_hook.set(Some(self.way_back()));
        }
        Ok(told)
    }

    /// The way back to the game, when the conversation breaks off.
    #[must_use]
    pub fn exit_message(&self) -> Option<String> {
        self.exit_hook.message()
    }

    /// What to say when saving fails, unless the player knows.
    fn warn(&mut self, error: &StoreError, consequence: &str) -> Option<String> {
        let is_known = std::mem::replace(&mut self.warned, true);
        (!is_known).then(|| format!("warning: {error}; {consequence}"))
    }

    /// The same for the record that was asked for beside the save.
    fn warn_of_record(&mut self, error: &StoreError) -> Option<String> {
        let is_known = std::mem::replace(&mut self.record_warned, true);
        let consequence =
            if self.is_kept() { "the game is saved all the same." } else { "the game goes on." };
        (!is_known)
            .then(|| format!("warning: the record could not be written: {error}; {consequence}"))
    }

    /// What to say of files that cannot be locked, unless they cannot be written either.
    fn lock_failure(&mut self) -> Option<String> {
        let save = self.save.as_mut().filter(|_| self.kept_in.is_some())?;
        let error = save.lock_failure()?;
        let path = readable(save.path());
        Some(format!("warning: {path} cannot be locked ({error}): do not play it in two places."))
    }

    /// Writes the game wherever it is kept; one failure does not keep it from being written elsewhere.
    fn write(&mut self, session: &Session) -> Written {
        let exit_hook = self.exit_hook.clone();
        let _undisturbed = exit_hook.hold();
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
            match &self.store {
                Shelf::None => return Ok(None),
                Shelf::Homeless => return Err(StoreError::NoHome),
                Shelf::Folder(store) => self.save = Some(store.create(record.entry)?),
            }
        }
        let save = self.save.as_mut().expect("it has just been made");
        save.write(record)?;
        Ok(Some(save.path().to_owned()))
    }

    fn way_back(&self) -> String {
        let command = |told: &str, path: &Path| {
            let path = quoted(&path.to_string_lossy());
            format!("{told} To go on: skirmish play --resume {path}{}", self.bots)
        };
        let kept_in = self.kept_in.as_ref().filter(|_| !self.is_unplayed());
        match (kept_in.or(self.copied_to.as_ref()), &self.save) {
            (None, _) if self.is_unplayed() => {
                "No turn was played, so nothing is saved.".to_owned()
            }
            (Some(path), _) => command("The game is saved.", path),
            (None, Some(save)) if save.is_worth_keeping() => {
                command("The last turns are not saved.", save.path())
            }
            (None, _) if matches!(self.store, Shelf::None) => {
                "The game is not saved, as you asked.".to_owned()
            }
            (None, _) => "The game is not saved.".to_owned(),
        }
    }
}

/// A path in full, as it can be shown.
pub fn readable(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    printable(&path.to_string_lossy())
}
