//! The record that the player requested besides the save: in a file or a stream.

use std::io::Write;
use std::path::{Path, PathBuf};

use skirmish_rules::{Record, Standing};
use skirmish_system::refuse_link;

use crate::save::failed_at;
use crate::{OutputFile, Overwrite, PathKind, Save, StoreError};

/// The destination of the requested record.
pub(super) enum Recording {
    None,
    /// A file, written after every turn.
    File {
        path: PathBuf,
        /// Whether files may be replaced by those of later games.
        overwrite: Overwrite,
        game: RecordedGame,
    },
    /// A pipe, a device or standard output: each game's record is written once, when the game ends or is abandoned.
    Stream {
        path: PathBuf,
        file: OutputFile,
        pending: Option<String>,
    },
}

/// How the record file relates to the game in progress.
pub(super) enum RecordedGame {
    /// No game is in progress: the file is opened when the next game begins.
    Next,
    /// The keeper already saves the game in this file.
    Kept,
    Recorded(Save),
}

impl Recording {
    /// Opens the file for a game, and checks the files of the match's later games. If `is_source`, the game was resumed
    /// from this file, which may then be replaced whatever `overwrite` says.
    pub(super) fn open(
        path: &Path,
        is_source: bool,
        overwrite: Overwrite,
        standing: Option<Standing>,
    ) -> Result<Self, StoreError> {
        let kind = PathKind::of(path).map_err(|cause| failed_at(path, cause))?;
        if !matches!(kind, PathKind::New | PathKind::File) {
            let file = OutputFile::create_with_timeout(path, overwrite)
                .map_err(StoreError::writing(path))?;
            return Ok(Self::Stream { path: path.to_owned(), file, pending: None });
        }
        check_later(path, overwrite, standing)?;
        let save = Save::claim(path, if is_source { Overwrite::Allowed } else { overwrite })?;
        Ok(Self::File { path: path.to_owned(), overwrite, game: RecordedGame::Recorded(save) })
    }

    /// Records only the later games of the match, because the keeper already saves the current game in this file.
    pub(super) fn later(
        path: &Path,
        overwrite: Overwrite,
        standing: Option<Standing>,
    ) -> Result<Self, StoreError> {
        check_later(path, overwrite, standing)?;
        Ok(Self::File { path: path.to_owned(), overwrite, game: RecordedGame::Kept })
    }

    /// Opens the file of a later game of the match. Recording stops on failure.
    pub(super) fn begin(&mut self) -> Result<(), StoreError> {
        if let Self::File { path, overwrite, game: game @ RecordedGame::Next } = self {
            // The player named the first game's file, but not this later file.
            let claimed = refuse_link(path).map_err(|cause| failed_at(path, cause));
            match claimed.and_then(|()| Save::claim(path, *overwrite)) {
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

    /// Writes the current record, and returns the file's path.
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

    /// Ends recording of a game. The next game of its match has another file.
    pub(super) fn end(&mut self, standing: Option<Standing>) {
        if let Self::File { path, game, .. } = self {
            *game = RecordedGame::Next;
            if let Some(standing) = standing {
                *path = numbered(path, standing.game + 1);
            }
        }
    }

    /// Writes the record of a game that has ended or been abandoned to a stream.
    pub(super) fn deliver(&mut self) -> Result<(), StoreError> {
        let Self::Stream { path, file, pending } = self else { return Ok(()) };
        let text = pending.take().unwrap_or_default();
        let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
        written.map_err(StoreError::writing(path))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Self::Stream { file, pending: Some(text), .. } = self {
            // An earlier failure prevented delivery of the record; a failure here cannot be reported either.
            drop(file.write_all(text.as_bytes()).and_then(|()| file.flush()));
        }
    }
}

/// Fails if the record of a later game of the match would replace an existing file.
fn check_later(
    path: &Path,
    overwrite: Overwrite,
    standing: Option<Standing>,
) -> Result<(), StoreError> {
    let Some(standing) = standing else { return Ok(()) };
    let mut later = path.to_owned();
    for game in standing.game + 1..=standing.of {
        later = numbered(&later, game);
        refuse_link(&later)
            .and_then(|()| OutputFile::check(&later, overwrite))
            .map_err(|cause| failed_at(&later, cause))?;
    }
    Ok(())
}

/// The file of a later game of a match: `x.skr` becomes `x-2.skr` for the second game and `x-3.skr` for the third.
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
