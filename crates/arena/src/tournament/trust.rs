//! Trust in a tournament's commands. Resuming a tournament runs the commands in its folder, and a folder may come from
//! anybody. A file in the user's data folder therefore lists the commands that this user has started on this machine,
//! with their directory and whether in a sandbox. All other commands are untrusted.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use skirmish_present::json;
use skirmish_store::data_folder;

use super::Tournament;

/// A line of JSON for each set of commands.
const TRUSTED: &str = "trusted-commands.jsonl";

/// Commands, and the directory they run in.
#[derive(Serialize)]
struct TrustedCommands<'a> {
    directory: Cow<'a, str>,
    commands: Vec<String>,
    sandboxed: bool,
}

impl Tournament {
    /// Whether this user has started its commands in this directory before. True without bots.
    #[must_use]
    pub fn is_trusted(&self, directory: &Path) -> bool {
        if self.bots().next().is_none() {
            return true;
        }
        let Ok(folder) = data_folder() else { return false };
        let path = folder.join(TRUSTED);
        // Commands trusted without a sandbox are trusted in one too, but not the other way round.
        let bare = self.trusted_line(directory, false);
        let enough = [Some(bare), self.sandbox().map(|_| self.trusted_line(directory, true))];
        // Reading anything but a regular file might never end.
        let trusted = path.is_file().then(|| fs::read_to_string(&path).ok()).flatten();
        trusted.is_some_and(|trusted| {
            trusted.lines().any(|line| enough.iter().flatten().any(|known| known == line))
        })
    }

    /// Records that this user has started its commands in this directory.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn trust(&self, directory: &Path) -> io::Result<()> {
        if self.is_trusted(directory) {
            return Ok(());
        }
        let folder = data_folder().map_err(io::Error::other)?;
        fs::create_dir_all(&folder)?;
        // A single write: several programs may append concurrently.
        let line = self.trusted_line(directory, self.sandbox().is_some()) + "\n";
        File::options()
            .create(true)
            .append(true)
            .open(folder.join(TRUSTED))?
            .write_all(line.as_bytes())
    }

    fn trusted_line(&self, directory: &Path, sandboxed: bool) -> String {
        let commands: Vec<String> = self.bots().map(ToString::to_string).collect();
        let directory = directory.to_string_lossy();
        json::text(&TrustedCommands { directory, commands, sandboxed })
    }
}
