//! Games between players: sessions, matches, chance, saved games and statistics. Keeps out terminals and sockets.

pub mod bot;
mod budget;
mod chance;
mod matches;
mod names;
pub mod player;
mod preferences;
pub mod referee;
mod review;
mod session;
mod solved;
mod statistics;
mod store;
pub mod tournament;
mod whole;
pub mod wire;

pub use budget::Budget;
pub use chance::Chance;
pub use matches::{MatchState, Plan, Score, points};
pub use names::{LETTERS, LONGEST_NAME, NameError, check_name, check_names, own_name};
pub use preferences::{Preferences, PreferencesError, PreferencesFile, Theme};
pub use review::{Mark, Review, ReviewedChoice, Verdict, Worth, review};
pub use session::{Session, fault_of};
pub use solved::{Analysis, Answer, Judgement, NoRoom, RatedMove, SolveError, Solved};
pub use statistics::{Contest, Finish, GameResult, Opponent, Statistics, Tally};
pub use store::{Save, Store, StoreError, data_folder, read_record, today};
