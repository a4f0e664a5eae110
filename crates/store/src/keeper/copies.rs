//! Extra files in which the player saves a game by name, besides the game's own save.

use std::path::{Path, PathBuf};

use skirmish_rules::Record;

use super::{NotSaved, readable};
use crate::save::failed_at;
use crate::{Overwrite, PathKind, StoreError, same_file, write_record};

/// The copies of one game, with the text last written to each. A copy may be replaced only while it still holds exactly
/// that text.
#[derive(Default)]
pub struct Copies(Vec<(PathBuf, String)>);

impl Copies {
    /// Saves a copy of the record, unless this would overwrite something else, and returns a message that names the
    /// file.
    ///
    /// # Errors
    /// If the file exists, is standard output, or cannot be written.
    pub fn save(
        &mut self,
        record: &Record,
        path: &Path,
        overwrite: Overwrite,
    ) -> Result<String, NotSaved> {
        let because = |error: StoreError| NotSaved::Because(format!("Not saved: {error}."));
        let kind = PathKind::of(path).map_err(|cause| because(failed_at(path, cause)))?;
        if kind == PathKind::StandardOutput {
            return Err(NotSaved::StandardOutput);
        }
        let known = self.0.iter().position(|(copy, _)| same_file(copy, path));
        let last_written = known.map(|index| self.0[index].1.as_str());
        match write_record(path, record, last_written, overwrite) {
            Ok(()) => {}
            Err(StoreError::Exists(path)) => return Err(NotSaved::Exists(readable(&path))),
            Err(error) => return Err(because(error)),
        }
        if matches!(kind, PathKind::New | PathKind::File) {
            if let Some(index) = known {
                self.0.swap_remove(index);
            }
            self.0.push((path.to_owned(), record.to_string()));
        }
        Ok(format!("Saved in {}.", readable(path)))
    }

    /// Whether the game has been saved in this file. Pipes and devices do not count.
    #[must_use]
    pub fn is_in(&self, path: &Path) -> bool {
        self.0.iter().any(|(copy, _)| same_file(copy, path))
    }
}
