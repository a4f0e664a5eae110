//! The record that the player asked for beside the save: in a file of their own, or in a stream.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skirmish_rules::{Record, Standing};

use crate::{OutputFile, Overwrite, PathKind, Save, StoreError};

/// Where the record goes that the player asked for.
pub(super) enum Recording {
    None,
    /// A file, written after every turn.
    File {
        path: PathBuf,
        /// Whether the files of later games may be replaced.
        overwrite: Overwrite,
        game: RecordedGame,
    },
    /// A pipe, a device or standard output, which gets each game's record once, when it ends or is left.
    Stream {
        path: PathBuf,
        file: OutputFile,
        pending: Option<String>,
    },
}

/// What the file of a record is to the game in progress.
pub(super) enum RecordedGame {
    /// There is none: the file is opened when the next begins.
    Next,
    /// It is saved in this very file, which is the keeper's.
    Kept,
    Recorded(Save),
}

impl Recording {
    /// Opens the file for a game. The files of the match's later games are looked at as well. The file that the game
    /// was resumed from may be replaced, `overwrite` or not.
    pub(super) fn open(
        path: &Path,
        is_source: bool,
        overwrite: Overwrite,
        standing: Option<Standing>,
    ) -> Result<Self, StoreError> {
        let kind = PathKind::of(path).map_err(|cause| failed_at(path, cause))?;
        if !matches!(kind, PathKind::New | PathKind::File) {
            let file = OutputFile::create(path, overwrite);
            let file = file.map_err(|cause| StoreError::Write { path: path.to_owned(), cause })?;
            let file = file.giving_up_on_readers();
            return Ok(Self::Stream { path: path.to_owned(), file, pending: None });
        }
        check_later(path, overwrite, standing)?;
        let save = Save::claim(path, if is_source { Overwrite::Allowed } else { overwrite })?;
        Ok(Self::File { path: path.to_owned(), overwrite, game: RecordedGame::Recorded(save) })
    }

    /// Records only the later games of the match: this one is saved in this very file already.
    pub(super) fn later(
        path: &Path,
        overwrite: Overwrite,
        standing: Option<Standing>,
    ) -> Result<Self, StoreError> {
        check_later(path, overwrite, standing)?;
        Ok(Self::File { path: path.to_owned(), overwrite, game: RecordedGame::Kept })
    }

    /// Opens the file of a later game of the match. If that fails nothing is written any more.
    pub(super) fn begin(&mut self) -> Result<(), StoreError> {
        if let Self::File { path, overwrite, game: game @ RecordedGame::Next } = self {
            match Save::claim(path, *overwrite) {
                Ok(claimed) => *game = RecordedGame::Recorded(claimed),
                Err(error) => {
                    *self = Self::None;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The file of the game in progress.
    pub(super) fn save_mut(&mut self) -> Option<&mut Save> {
        match self {
            Self::File { game: RecordedGame::Recorded(save), .. } => Some(save),
            Self::None | Self::File { .. } | Self::Stream { .. } => None,
        }
    }

    /// Writes the record as it is now, and gives the file.
    pub(super) fn write(&mut self, record: &Record) -> Result<Option<PathBuf>, StoreError> {
        match self {
            Self::None | Self::File { game: RecordedGame::Next | RecordedGame::Kept, .. } => {
                Ok(None)
            }
            Self::File { game: RecordedGame::Recorded(save), .. } => {
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
        if let Self::File { path, game, .. } = self {
            *game = RecordedGame::Next;
            if let Some(standing) = standing {
                *path = numbered(path, standing.game + 1);
            }
        }
    }

    /// Writes the record of a game that has ended or is left to a stream.
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
            // Something failed before the record could be delivered, and nobody can be told if this fails as well.
            drop(file.write_all(text.as_bytes()).and_then(|()| file.flush()));
        }
    }
}

/// Fails if the record of a later game of the match would have to replace a file.
fn check_later(
    path: &Path,
    overwrite: Overwrite,
    standing: Option<Standing>,
) -> Result<(), StoreError> {
    let Some(standing) = standing else { return Ok(()) };
    let mut later = path.to_owned();
    for game in standing.game + 1..=standing.of {
        later = numbered(&later, game);
        OutputFile::check(&later, overwrite).map_err(|cause| failed_at(&later, cause))?;
    }
    Ok(())
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
