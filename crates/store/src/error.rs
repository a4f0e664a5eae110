//! The reasons why files could not be read or written.

use std::io;
use std::path::{Path, PathBuf};

use skirmish_play::NameError;
use skirmish_rules::{RecordError, printable};

use crate::files::Holder;
use crate::store::LARGEST_RECORD;

/// The reason why a file could not be read or written. Most variants begin with the file's path.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No home directory is known. Gives the files that belong there and the variable that can name their folder.
    #[error("there is no folder for {0}: set HOME or {1}")]
    NoHome(&'static str, &'static str),
    /// The file or folder cannot be written.
    #[error("cannot save in {}: {}", shown(.0), .1)]
    Write(PathBuf, io::Error),
    /// The file cannot be deleted.
    #[error("cannot delete {}: {}", shown(.0), .1)]
    Delete(PathBuf, io::Error),
    /// The file cannot be read.
    #[error("cannot read {}: {}", shown(.0), .1)]
    Read(PathBuf, io::Error),
    /// The file is too large to be a record.
    #[error("{} is too large for a record: at most {} MiB", shown(.0), LARGEST_RECORD >> 20)]
    TooLarge(PathBuf),
    /// The file is not a record.
    #[error("{}, {}", shown(.0), .1)]
    Record(PathBuf, RecordError),
    /// The folder contains no unfinished game.
    #[error("there is no saved game to go on with in {}", shown(.0))]
    NothingSaved(PathBuf),
    /// The file exists and must not be replaced.
    #[error("{} exists already and is not a record of this game", shown(.0))]
    Exists(PathBuf),
    /// Another program is playing the game.
    #[error("{} is being played by {}", shown(.0), .1)]
    Playing(PathBuf, Holder),
    /// The file is not TOML. Gives the line and the problem.
    #[error("{}, line {}: {}", shown(.0), .1, .2)]
    Syntax(PathBuf, usize, String),
    /// Some values in the file are invalid. Gives a message for each of them.
    #[error("{}: {}", shown(.0), .1.join("; "))]
    Values(PathBuf, Vec<String>),
    /// Writing would overwrite a file that cannot be read. Gives the feature that does not work until the file is
    /// fixed.
    #[error("{0}; fix or remove the file to {1} again")]
    WouldDestroy(#[source] Box<Self>, &'static str),
    /// The players' names are invalid.
    #[error("these names cannot be used: {0}")]
    Names(#[from] NameError),
}

impl StoreError {
    /// Converts an error in writing a file into an error that names the file.
    pub fn writing(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        |cause| Self::Write(path.to_owned(), cause)
    }

    /// Converts an error in reading a file into an error that names the file.
    pub fn reading(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        |cause| Self::Read(path.to_owned(), cause)
    }

    /// The error message without the file's path.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Write(_, cause) | Self::Delete(_, cause) | Self::Read(_, cause) => {
                cause.to_string()
            }
            Self::Record(_, cause) => cause.to_string(),
            Self::TooLarge(_) => "it is too large for a record".to_owned(),
            Self::Exists(_) => "it exists already".to_owned(),
            Self::Playing(_, holder) => format!("it is being played by {holder}"),
            Self::Syntax(_, line, cause) => format!("line {line}: {cause}"),
            Self::Values(_, faults) => faults.join("; "),
            Self::NoHome(..) | Self::NothingSaved(_) | Self::WouldDestroy(..) | Self::Names(_) => {
                self.to_string()
            }
        }
    }
}

/// Makes a path safe to print: file names are untrusted.
fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
