//! Whose commands a tournament's folder holds. To resume a tournament runs the commands that stand in its folder, and a
//! folder may come from anybody. So a note in the user's own data folder tells which commands, run in which directory,
//! this user has asked for on this machine, and whether without a sandbox. Whatever is not noted is somebody else's.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use skirmish_present::json;
use skirmish_store::data_folder;

use super::Tournament;

/// A line of JSON for each set of commands.
const NOTES: &str = "trusted-commands.jsonl";

/// Commands, and the directory they run in.
#[derive(Serialize)]
struct Note<'a> {
    directory: Cow<'a, str>,
    commands: Vec<String>,
    sandboxed: bool,
}

impl Tournament {
    /// Whether this user has asked for its commands before, run in this directory. One without bots has none.
    #[must_use]
    pub fn is_trusted(&self, directory: &Path) -> bool {
        if self.bots().next().is_none() {
            return true;
        }
        let Ok(folder) = data_folder() else { return false };
        let path = folder.join(NOTES);
        // Whoever runs commands without a sandbox also trusts them in one, but not the other way round.
        let bare = self.note(directory, false);
        let enough = [Some(bare), self.sandbox().map(|_| self.note(directory, true))];
        // Anything but a regular file might never be read to its end.
        let notes = path.is_file().then(|| fs::read_to_string(&path).ok()).flatten();
        notes.is_some_and(|notes| {
            notes.lines().any(|line| enough.iter().flatten().any(|note| note == line))
        })
    }

    /// Notes that this user has asked for its commands, run in this directory.
    ///
    /// # Errors
    /// If that cannot be written down.
    pub fn trust(&self, directory: &Path) -> io::Result<()> {
        if self.is_trusted(directory) {
            return Ok(());
        }
        let folder = data_folder().map_err(io::Error::other)?;
        fs::create_dir_all(&folder)?;
        // One write: several programs may append at once.
        let line = self.note(directory, self.sandbox().is_some()) + "\n";
        File::options()
            .create(true)
            .append(true)
            .open(folder.join(NOTES))?
            .write_all(line.as_bytes())
    }

    fn note(&self, directory: &Path, sandboxed: bool) -> String {
        let commands: Vec<String> = self.bots().map(ToString::to_string).collect();
        let directory = directory.to_string_lossy();
        json::text(&Note { directory, commands, sandboxed })
    }
}
