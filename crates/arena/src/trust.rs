//! Remembers which commands this user has started on this machine (each with its directory and whether it was
//! sandboxed), and which tournament folders this user has created or agreed to resume. Resuming a tournament writes to
//! its folder and runs its commands, so all other commands and folders are untrusted.

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

/// The file of trusted commands, with one line of JSON for each set of commands.
const COMMANDS: &str = "trusted-commands.jsonl";

/// The file of trusted folders, with one line of JSON for each folder.
const FOLDERS: &str = "trusted-folders.jsonl";

/// The stored lists of trusted commands and folders.
#[derive(Clone, Debug)]
pub struct Trust {
    data: PathBuf,
}

/// A trusted tournament folder. Its identity reveals whether another folder has taken its place.
#[derive(Serialize)]
struct TrustedFolder {
    folder: String,
    identity: String,
}

/// Trusted commands, and the directory they run in.
#[derive(Serialize, Deserialize)]
struct TrustedCommands {
    directory: String,
    commands: Vec<String>,
    sandboxed: bool,
}

impl Trust {
    /// Uses the files in the user's data folder.
    ///
    /// # Errors
    /// If no home directory is known.
    pub fn locate() -> Result<Self, StoreError> {
        data_folder().map(|folder| Self::at(&folder))
    }

    /// Uses the files in `data`.
    #[must_use]
    pub fn at(data: &Path) -> Self {
        Self { data: data.to_owned() }
    }

    /// Whether the user has started the tournament in `folder`, or agreed to resume it.
    #[must_use]
    pub fn owns(&self, folder: &Folder) -> bool {
        let line = folder_line(folder);
        line.is_ok_and(|line| self.text(FOLDERS).lines().any(|known| known == line))
    }

    /// Records that the user has started the tournament in `folder`, or agreed to resume it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn own(&self, folder: &Folder) -> io::Result<()> {
        if self.owns(folder) { Ok(()) } else { self.append(FOLDERS, &folder_line(folder)?) }
    }

    /// Whether the user has started exactly these commands in this directory before. Also true if there are no
    /// commands.
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
        // Commands trusted without a sandbox are also trusted in a sandbox, but not the other way round.
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

    /// The bots that the user has started in this directory and that still exist, most recent first.
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
                    // One start without a sandbox is enough to trust the bot without a sandbox.
                    Some(known) => known.sandbox = known.sandbox.and(sandbox),
                    None => bots.push(bot.within(sandbox)),
                }
            }
        }
        bots
    }

    /// The contents of a file, or an empty text if it cannot be read.
    fn text(&self, file: &str) -> String {
        // Reading anything but a regular file might block forever.
        let path = self.data.join(file);
        path.is_file().then(|| fs::read_to_string(&path).ok()).flatten().unwrap_or_default()
    }

    fn append(&self, file: &str, line: &str) -> io::Result<()> {
        fs::create_dir_all(&self.data)?;
        let mut file = File::options().create(true).append(true).open(self.data.join(file))?;
        // Use a single write, because several programs may append concurrently.
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
        trust.add(here, [&bot(echo).within(Some(Sandbox::USUAL))]).expect("writing succeeds");
        trust.add(here, [&bot(cat)]).expect("writing succeeds");
        trust.add(here, [&bot(cat)]).expect("writing succeeds");
        trust.add(there, [&bot(echo)]).expect("writing succeeds");
        trust.add(here, [&BotCommand::new(gone, gone.to_owned(), Vec::new())]).expect("as above");
        assert_eq!(trust.text(COMMANDS).lines().count(), 4);
        let known = trust.bots(here);
        let texts: Vec<&str> = known.iter().map(|bot| bot.text.as_str()).collect();
        assert_eq!(texts, [cat, echo]);
        assert_eq!(known[1].sandbox, Some(Sandbox::USUAL), "it has been run only in a sandbox");
        assert!(!trust.covers(here, [&bot(echo)]) && trust.covers(there, [&bot(echo)]));
    }

    /// Not run under Wine, where a file index is an inode and has no sequence number.
    #[test]
    #[cfg(unix)]
    fn a_folder_that_replaces_a_trusted_one_is_not_trusted() {
        let place = tempfile::tempdir().expect("a folder for the test");
        let path = place.path().join("t");
        let trust = Trust::at(&place.path().join("data"));
        let folder = Folder::at(&path).expect("it is empty");
        assert!(!trust.owns(&folder));
        trust.own(&folder).expect("writing succeeds");
        trust.own(&folder).expect("writing succeeds");
        assert!(trust.owns(&folder) && trust.text(FOLDERS).lines().count() == 1);
        drop(folder);
        fs::remove_dir_all(&path).expect("it is ours");
        // The new folder may reuse the inode of the first one.
        assert!(!trust.owns(&Folder::at(&path).expect("it is empty")));
    }
}
