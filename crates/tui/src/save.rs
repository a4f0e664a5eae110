//! Saving a record in a file that the player names.

use std::path::{Path, PathBuf};

use skirmish_store::NotSaved;

use super::context::is_screen;

/// Saves with `save`, unless the file is the screen. Returns the message for the player, as an error if the record is not
/// saved. If the file holds something else, the message asks, and `replacing` is set until the player answers.
pub(super) fn save(
    file: Option<&Path>,
    replacing: &mut Option<PathBuf>,
    save: impl FnOnce() -> Result<String, NotSaved>,
) -> Result<String, String> {
    if file.is_some_and(is_screen) {
        return Err("Not saved: a record cannot be saved to the screen. Name a file.".to_owned());
    }
    save().map_err(|error| match error {
        NotSaved::Because(why) => why,
        NotSaved::StandardOutput => "Not saved: name a file.".to_owned(),
        NotSaved::Exists(shown) => {
            *replacing = file.map(Path::to_owned);
            format!("{shown} exists already. Replace it? (y or n)")
        }
    })
}
