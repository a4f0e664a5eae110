//! Keeps a game on disk while it is played, and knows how to come back to it.

use std::path::{Path, PathBuf};

use skirmish_play::{GameResult, Plan, Save, Session, Statistics, Store, StoreError};
use skirmish_rules::{Record, is_printable, printable};

use crate::seats;
use crate::signals::Farewell;

/// Where the games of a match are kept.
pub(crate) struct Keeper {
    /// The folder of saved games; none when nothing is to be saved.
    store: Option<Store>,
    /// The file of this game in that folder.
    save: Option<Save>,
    /// The file that the player asked for, beside that.
    record: Option<PathBuf>,
    /// Where games that ended are counted; nowhere when nothing is to be saved.
    statistics: Option<Statistics>,
    farewell: Farewell,
    /// What brings the bots of this game back, behind the command that goes on with it.
    bots: String,
    /// Whether the player knows that saving fails.
    warned: bool,
    /// Whether the last turn is on disk.
    is_kept: bool,
}

impl Keeper {
    pub(crate) fn new(store: Option<Store>, record: Option<PathBuf>, farewell: Farewell) -> Self {
        Self {
            store,
            save: None,
            record,
            statistics: None,
            farewell,
            bots: String::new(),
            warned: false,
            is_kept: false,
        }
    }

    /// Goes on saving in the file that a game was read from.
    pub(crate) fn resuming(mut self, file: &Path) -> Self {
        self.save = Some(Save::in_file(file));
        self
    }

    /// Counts the games that end.
    pub(crate) fn counting(mut self, statistics: Option<Statistics>) -> Self {
        self.statistics = statistics;
        self
    }

    /// Begins to keep a game: in a file of its own, unless it goes on in one.
    pub(crate) fn begin(&mut self, plan: &Plan, session: &Session) -> Result<(), StoreError> {
        self.bots = seats::options(plan);
        if self.save.is_none()
            && let Some(store) = &self.store
        {
            let created = store.create(plan.entry);
            if created.is_err() {
                self.farewell.set(Some(self.way_back(false)));
            }
            self.save = Some(created?);
        }
        if let Some(path) = &self.record
            && Save::in_file(path).would_destroy()
        {
            let cause = std::io::Error::other("it is there already and is no saved game");
            return Err(StoreError::Write { path: path.clone(), cause });
        }
        let written = self.write(session);
        self.is_kept = written.is_ok() && self.save.is_some();
        self.farewell.set(Some(self.way_back(written.is_ok())));
        written
    }

    /// Whether the game as it is can be gone on with another time.
    pub(crate) const fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Keeps the game as it is now. Gives what to tell the player if that fails, once; the last good save is
    /// still there.
    #[must_use]
    pub(crate) fn keep(&mut self, session: &Session) -> Option<String> {
        let written = self.write(session);
        self.is_kept = written.is_ok() && self.save.is_some();
        self.farewell.set(Some(self.way_back(written.is_ok())));
        let error = written.err()?;
        self.warn(&error, "the game goes on, and the last good save is kept")
    }

    /// The game has ended: the next one gets a file of its own.
    #[must_use]
    pub(crate) fn end(&mut self, session: &Session) -> Option<String> {
        let warning = self.keep(session);
        self.save = None;
        self.farewell.set(None);
        let standing = session.record().standing;
        if let (Some(record), Some(standing)) = (&mut self.record, standing) {
            *record = numbered(record, standing.game + 1);
        }
        warning
    }

    /// Counts a game that has ended, if it has a result to count. Gives what to tell the player if that fails,
    /// once; it harms nothing.
    #[must_use]
    pub(crate) fn count(&mut self, result: impl FnOnce() -> Option<GameResult>) -> Option<String> {
        let statistics = self.statistics.as_ref()?;
        let result = result()?;
        let counted = {
            let _undisturbed = self.farewell.hold();
            statistics.note(&result)
        };
        let error = counted.err()?;
        self.warn(&error, "the game is missing from the statistics")
    }

    /// Saves now, in this file or in the game's own, and says where.
    pub(crate) fn save_now(
        &self,
        session: &Session,
        file: Option<&Path>,
    ) -> Result<String, String> {
        let save = match (file, &self.save) {
            (Some(file), _) => Save::in_file(file),
            (None, Some(save)) => save.clone(),
            (None, None) => {
                return Err("Nothing is saved in this game: enter save FILE.".to_owned());
            }
        };
        save_record(&session.record(), &save)
    }

    /// Tells the way back to the game, when the conversation breaks off.
    pub(crate) fn say_farewell(&self) {
        self.farewell.say();
    }

    /// What to say when saving fails, unless the player knows.
    fn warn(&mut self, error: &StoreError, consequence: &str) -> Option<String> {
        let is_known = std::mem::replace(&mut self.warned, true);
        (!is_known).then(|| format!("warning: {error}; {consequence}"))
    }

    fn write(&self, session: &Session) -> Result<(), StoreError> {
        let _undisturbed = self.farewell.hold();
        let record = session.record();
        for save in self.save.iter().cloned().chain(self.record.as_deref().map(Save::in_file)) {
            save.write(&record)?;
        }
        Ok(())
    }

    fn way_back(&self, kept: bool) -> String {
        match &self.save {
            Some(save) => format!(
                "{} To go on: skirmish play --resume {}{}",
                if kept { "The game is saved." } else { "The last turns are not saved." },
                quoted(&save.path().to_string_lossy()),
                self.bots
            ),
            None if self.store.is_some() => "The game is not saved.".to_owned(),
            None => "The game is not saved, as you asked.".to_owned(),
        }
    }
}

/// Saves a record, unless that would destroy something else, and says where.
pub(crate) fn save_record(record: &Record, save: &Save) -> Result<String, String> {
    let shown = printable(&save.path().to_string_lossy());
    if save.would_destroy() {
        return Err(format!("Not saved: {shown} is there already and is no saved game."));
    }
    save.write(record).map_err(|error| format!("Not saved: {error}."))?;
    Ok(format!("Saved in {shown}."))
}

/// A path or a command as one word of a shell, in which everything can be seen.
pub(crate) fn quoted(path: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+@%:=".contains(letter);
    if path.chars().all(plain) {
        path.to_owned()
    } else if !is_printable(path) {
        // As bash, zsh and ksh read it.
        let escaped: String =
            path.bytes().flat_map(std::ascii::escape_default).map(char::from).collect();
        format!("$'{escaped}'")
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// `x.skr` for the second game is `x-2.skr`, and for the third `x-3.skr`.
fn numbered(path: &Path, game: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let before = format!("-{}", game - 1);
    let stem = if game > 2 { stem.strip_suffix(&before).unwrap_or(&stem) } else { &stem };
    let extension = path.extension().map(|it| format!(".{}", it.to_string_lossy()));
    path.with_file_name(format!("{stem}-{game}{}", extension.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_of_a_match_get_numbered_files() {
        let second = numbered(Path::new("a/x.skr"), 2);
        assert_eq!(second, Path::new("a/x-2.skr"));
        assert_eq!(numbered(&second, 3), Path::new("a/x-3.skr"));
    }

    #[test]
    fn a_path_with_odd_letters_is_quoted_for_the_shell() {
        assert_eq!(quoted("/a/b-1.skr"), "/a/b-1.skr");
        assert_eq!(quoted("/it's here"), r"'/it'\''s here'");
    }
}
