//! The commands that this user has started on this machine (each with its directory and whether it was sandboxed), and
//! the folders of tournaments that this user has started or agreed to resume. Resuming a tournament writes into its
//! folder and runs its commands, so all other commands and folders are untrusted.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skirmish_play::player::{BotCommand, Sandbox};
use skirmish_present::json;
use skirmish_store::{StoreError, data_folder};
use skirmish_system::files::canonical;

use crate::bot::parse_command;
use crate::tournament::Folder;

/// A line of JSON for each set of commands.
const COMMANDS: &str = "trusted-commands.jsonl";

/// A line of JSON for each folder.
const FOLDERS: &str = "trusted-folders.jsonl";

/// The files of trusted commands and folders.
#[derive(Clone, Debug)]
pub struct Trust {
    data: PathBuf,
}

/// The folder of a tournament. Its identity tells it from another one that was put in its place.
#[derive(Serialize)]
struct TrustedFolder {
    folder: String,
    identity: String,
}

/// Commands, and the directory they run in.
#[derive(Serialize, Deserialize)]
struct TrustedCommands {
    directory: String,
    commands: Vec<String>,
    sandboxed: bool,
}

impl Trust {
    /// The files in the user's data folder.
    ///
    /// # Errors
    /// If no home directory is known.
    pub fn locate() -> Result<Self, StoreError> {
        data_folder().map(|folder| Self::at(&folder))
    }

    /// The files in this folder.
    #[must_use]
    pub fn at(data: &Path) -> Self {
        Self { data: data.to_owned() }
    }

    /// Whether the user has started the tournament in this folder, or agreed to resume it.
    #[must_use]
    pub fn owns(&self, folder: &Folder) -> bool {
        let line = folder_line(folder);
        line.is_ok_and(|line| self.text(FOLDERS).lines().any(|known| known == line))
    }

    /// Records that the user has started the tournament in this folder, or agreed to resume it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn own(&self, folder: &Folder) -> io::Result<()> {
        if self.owns(folder) { Ok(()) } else { self.append(FOLDERS, &folder_line(folder)?) }
    }

    /// Whether the user has started just these commands in this directory before. True without commands.
    pub fn covers<'a>(
        &self,
        directory: &Path,
        bots: impl IntoIterator<Item = &'a BotCommand>,
    ) -> bool {
        let bots: Vec<&BotCommand> = bots.into_iter().collect();
        if bots.is_empty() {
            return true;
        }
        let is_sandboxed = bots.iter().any(|bot| bot.sandbox.is_some());
        // Commands trusted without a sandbox are trusted in one too, but not the other way round.
        let bare = trusted_line(directory, &bots, false);
        let enough = [Some(bare), is_sandboxed.then(|| trusted_line(directory, &bots, true))];
        self.text(COMMANDS).lines().any(|line| enough.iter().flatten().any(|known| known == line))
    }

    /// Records that the user has started these commands in this directory.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add<'a>(
        &self,
        directory: &Path,
        bots: impl IntoIterator<Item = &'a BotCommand>,
    ) -> io::Result<()> {
        let bots: Vec<&BotCommand> = bots.into_iter().collect();
        if self.covers(directory, bots.iter().copied()) {
            return Ok(());
        }
        let is_sandboxed = bots.iter().any(|bot| bot.sandbox.is_some());
        self.append(COMMANDS, &trusted_line(directory, &bots, is_sandboxed))
    }

    /// The bots that the user has started in this directory and that are still there, latest first.
    #[must_use]
    pub fn bots(&self, directory: &Path) -> Vec<BotCommand> {
        let text = self.text(COMMANDS);
        let sets = text.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
        let here =
            sets.filter(|set: &TrustedCommands| *set.directory == directory.to_string_lossy());
        let mut bots: Vec<BotCommand> = Vec::new();
        for TrustedCommands { commands, sandboxed, .. } in here {
            let sandbox = sandboxed.then_some(Sandbox::USUAL);
            for bot in commands.iter().filter_map(|command| parse_command(command).ok()) {
                match bots.iter_mut().find(|known| known.text == bot.text) {
                    // Trusted without a sandbox at any time.
                    Some(known) => known.sandbox = known.sandbox.and(sandbox),
                    None => bots.push(bot.within(sandbox)),
                }
            }
        }
        bots
    }

    /// The content of a file.
    fn text(&self, file: &str) -> String {
        // Reading anything but a regular file might never end.
        let path = self.data.join(file);
        path.is_file().then(|| fs::read_to_string(&path).ok()).flatten().unwrap_or_default()
    }

    fn append(&self, file: &str, line: &str) -> io::Result<()> {
        fs::create_dir_all(&self.data)?;
        let mut file = File::options().create(true).append(true).open(self.data.join(file))?;
        // A single write: several programs may append concurrently.
        file.write_all(format!("{line}\n").as_bytes())
    }
}

fn folder_line(folder: &Folder) -> io::Result<String> {
    let path = canonical(folder.path())?.to_string_lossy().into_owned();
    Ok(json::text(&TrustedFolder { folder: path, identity: folder.identity()? }))
}

fn trusted_line(directory: &Path, bots: &[&BotCommand], sandboxed: bool) -> String {
    let commands = bots.iter().map(ToString::to_string).collect();
    let directory = directory.to_string_lossy().into_owned();
    json::text(&TrustedCommands { directory, commands, sandboxed })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_directory_are_remembered_once_and_latest_first() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let trust = Trust::at(folder.path());
        let [echo, cat, gone] = ["sh -c 'echo 1'", "cat", "./no-bot"];
        let bot = |text: &str| parse_command(text).expect("the program is there");
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        trust.add(here, [&bot(echo).within(Some(Sandbox::USUAL))]).expect("it can be written");
        trust.add(here, [&bot(cat)]).expect("it can be written");
        trust.add(here, [&bot(cat)]).expect("it can be written");
        trust.add(there, [&bot(echo)]).expect("it can be written");
        trust.add(here, [&BotCommand::new(gone, gone.to_owned(), Vec::new())]).expect("as above");
        assert_eq!(trust.text(COMMANDS).lines().count(), 4);
        let known = trust.bots(here);
        let texts: Vec<&str> = known.iter().map(|bot| bot.text.as_str()).collect();
        assert_eq!(texts, [cat, echo]);
        assert_eq!(known[1].sandbox, Some(Sandbox::USUAL), "it has been run only in a sandbox");
        assert!(!trust.covers(here, [&bot(echo)]) && trust.covers(there, [&bot(echo)]));
    }

    /// Not under Wine, where a file index is an inode and has no sequence number.
    #[test]
    #[cfg(unix)]
    fn a_folder_that_replaces_a_trusted_one_is_not_trusted() {
        let place = tempfile::tempdir().expect("a folder for the test");
        let path = place.path().join("t");
        let trust = Trust::at(&place.path().join("data"));
        let folder = Folder::at(&path).expect("it is empty");
        assert!(!trust.owns(&folder));
        trust.own(&folder).expect("it can be written");
        trust.own(&folder).expect("it can be written");
        assert!(trust.owns(&folder) && trust.text(FOLDERS).lines().count() == 1);
        drop(folder);
        fs::remove_dir_all(&path).expect("it is ours");
        // The new folder may reuse the inode of the first one.
        assert!(!trust.owns(&Folder::at(&path).expect("it is empty")));
    }
}
