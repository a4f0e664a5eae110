//! Games between players: sessions, matches, chance, saved games and statistics. Keeps out terminals and sockets.

pub mod bot;
mod budget;
mod calendar;
mod chance;
mod files;
mod matches;
mod names;
pub mod player;
mod preferences;
pub mod referee;
mod review;
mod save;
mod session;
mod solved;
mod statistics;
mod store;
pub mod tournament;
pub mod wire;

pub use budget::Budget;
pub use calendar::today;
pub use chance::Chance;
pub use files::{Holder, Kind, OutputFile, Overwrite, holder, remove_leftovers, same_file};
pub use matches::{MatchState, Plan, Score, points};
pub use names::{LETTERS, LONGEST_NAME, NameError, check_name, check_names, own_name};
pub use preferences::{Preferences, PreferencesError, PreferencesFile, Theme};
pub use review::{Mark, Review, ReviewedChoice, Verdict, Worth, review};
pub use save::{Save, write_record};
pub use session::{Session, fault_of};
pub use solved::{Analysis, Answer, Judgement, NoRoom, RatedMove, SolveError, Solved};
pub use statistics::{Contest, Finish, GameResult, Opponent, Statistics, Tally};
pub use store::{
    Latest, SavedGame, Store, StoreError, data_folder, is_begun, read_record, read_record_file,
};
