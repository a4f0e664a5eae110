//! The record that the player asked for beside the save: in a file of their own, or in a stream.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skirmish_play::{Kind, OutputFile, Overwrite, Save, StoreError};
use skirmish_rules::{Record, Standing};

/// Where the record goes that the player asked for.
pub(super) enum Recording {
    None,
    /// A file, written after every turn. It is opened when a game begins.
    File {
        path: PathBuf,
        /// Whether a file may be replaced that holds something else.
        overwrite: Overwrite,
        save: Option<Save>,
    },
    /// A pipe, a device or standard output, which gets each game's record once, when it ends or is left.
    Stream {
        path: PathBuf,
        file: OutputFile,
        pending: Option<String>,
    },
}

impl Recording {
    /// Opens the file for a game. The files of the match's later games are looked at as well.
    pub(super) fn open(
        path: &Path,
        overwrite: Overwrite,
        record: &Record,
    ) -> Result<Self, StoreError> {
        let kind = Kind::of(path).map_err(|cause| failed_at(path, cause))?;
        if !matches!(kind, Kind::New | Kind::File) {
            let file = OutputFile::create(path, overwrite);
            let file = file.map_err(|cause| StoreError::Write { path: path.to_owned(), cause })?;
            let file = file.giving_up_on_readers();
            return Ok(Self::Stream { path: path.to_owned(), file, pending: None });
        }
        if let Some(standing) = record.standing {
            let mut later = path.to_owned();
            for game in standing.game + 1..=standing.of {
                later = numbered(&later, game);
                let checked = OutputFile::check(&later, overwrite);
                checked.map_err(|cause| failed_at(&later, cause))?;
            }
        }
        let save = Some(Save::claim(path, record, overwrite)?);
        Ok(Self::File { path: path.to_owned(), overwrite, save })
    }

    /// Opens the file of a later game of the match. If that fails nothing is written any more.
    pub(super) fn begin(&mut self, record: &Record) -> Result<(), StoreError> {
        if let Self::File { path, overwrite, save: save @ None } = self {
            match Save::claim(path, record, *overwrite) {
                Ok(claimed) => *save = Some(claimed),
                Err(error) => {
                    *self = Self::None;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The file of the game in progress.
    pub(super) fn save(&self) -> Option<&Save> {
        match self {
            Self::File { save, .. } => save.as_ref(),
            Self::None | Self::Stream { .. } => None,
        }
    }

    /// Writes the record as it is now, and gives the file.
    pub(super) fn write(&mut self, record: &Record) -> Result<Option<PathBuf>, StoreError> {
        match self {
            Self::None | Self::File { save: None, .. } => Ok(None),
            Self::File { save: Some(save), .. } => {
                save.write(record)?;
                Ok(Some(save.path().to_owned()))
            }
            Self::Stream { pending, .. } => {
                *pending = Some(record.to_string());
                Ok(None)
            }
        }
    }

    /// The game is over: the next one of its match has another file.
    pub(super) fn end(&mut self, standing: Option<Standing>) {
        if let Self::File { path, save, .. } = self {
            *save = None;
            if let Some(standing) = standing {
                *path = numbered(path, standing.game + 1);
            }
        }
    }

    /// Writes the record of a game that has ended to a stream.
    pub(super) fn deliver(&mut self) -> Result<(), StoreError> {
        let Self::Stream { path, file, pending } = self else { return Ok(()) };
        let text = pending.take().unwrap_or_default();
        let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
        written.map_err(|cause| StoreError::Write { path: path.clone(), cause })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Self::Stream { file, pending: Some(text), .. } = self {
            // The game is being left, and nobody can be told if that fails.
            drop(file.write_all(text.as_bytes()).and_then(|()| file.flush()));
        }
    }
}

/// Why a file that was named cannot be written.
pub(super) fn failed_at(path: &Path, cause: io::Error) -> StoreError {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match cause.kind() {
        io::ErrorKind::AlreadyExists => StoreError::Exists(path),
        _ => StoreError::Write { path, cause },
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
}
