#![doc = include_str!("../README.md")]

mod calendar;
mod error;
mod exit_hook;
pub mod files;
mod keeper;
mod preferences;
mod program;
mod puzzles;
mod save;
pub mod shell;
mod statistics;
mod store;
mod toml_file;

pub use calendar::{ago, current_day, date_of, today};
pub use error::StoreError;
pub use exit_hook::{ExitHook, Hold};
pub use files::{
    Holder, OutputFile, Overwrite, PathKind, check_writable, holder, remove_leftovers, same_file,
};
pub use keeper::{Copies, Keeper, NotSaved, readable};
pub use preferences::{Notify, Preferences, PreferencesFile, Theme};
pub use program::{as_started, command, program, remember_program};
pub use puzzles::{PuzzleFile, PuzzleResult, PuzzleScore};
pub use save::{Save, write_record};
use skirmish_play::Chance;
pub use statistics::{Contest, Finish, GameResult, Opponent, Statistics, Tally, csv_field};
pub use store::{
    Latest, SavedGame, Store, data_folder, is_begun, parse_record, read_record, read_record_file,
    saved_at, settings_folder,
};

/// Randomness from a new random seed that is short enough to retype.
///
/// # Errors
/// If the operating system provides no randomness.
pub fn fresh_chance() -> std::io::Result<Chance> {
    let seed = getrandom::u32().map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(Chance::from_seed(u64::from(seed)))
}
