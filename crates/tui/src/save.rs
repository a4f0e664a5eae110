//! Saves a record to a file that the player names.

use std::path::{Path, PathBuf};

use skirmish_store::NotSaved;

use super::context::is_screen;

/// Calls `save`, unless the file is the terminal. Returns the message for the player, as an error if nothing was saved. If
/// the file has other contents, the message asks whether to replace it, and `replacing` is set.
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
