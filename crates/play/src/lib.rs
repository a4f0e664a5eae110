//! Games between players: sessions, matches, chance, saved games and statistics. Keeps out terminals and sockets.

mod chance;
mod matches;
mod names;
pub mod player;
mod preferences;
mod review;
mod session;
mod solved;
mod statistics;
mod store;
pub mod tournament;
mod whole;

pub use chance::Chance;
pub use matches::{MatchState, Plan, Score};
pub use names::{LONGEST_NAME, NameError, check_name, check_names};
pub use preferences::{Preferences, PreferencesError, PreferencesFile, Theme};
pub use review::{Mark, Review, ReviewedChoice, Verdict, Worth, review};
pub use session::Session;
pub use solved::{Analysis, Answer, Budget, Judgement, RatedMove, SolveError, Solved};
pub use statistics::{Finish, GameResult, Statistics, Tally};
pub use store::{Save, Store, StoreError, read_record, today};
