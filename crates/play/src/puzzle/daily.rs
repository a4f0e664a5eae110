//! Requests for puzzles, including the puzzle of the day, whose game and seed are determined by the date.

use skirmish_rules::{Catalog, Entry, Settings, Side};

use crate::chance::Chance;
use crate::day::Day;
use crate::player::Level;

/// A request for puzzles.
#[derive(Clone, Debug)]
pub struct PuzzleRequest {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: Settings,
    /// The side that starts the game in which the positions occur.
    pub first: Side,
    /// The seed, which determines the order of the puzzles.
    pub seed: u64,
    /// The level; `None` for all levels.
    pub level: Option<Level>,
}

impl PuzzleRequest {
    /// Requests the puzzle of a day and its successors.
    ///
    /// # Panics
    /// See [`daily_game`].
    #[must_use]
    pub fn daily(catalog: Catalog, day: Day) -> Self {
        let entry = daily_game(catalog, day);
        let settings = Settings::defaults(entry.options);
        Self { entry, settings, first: Side::One, seed: daily_seed(day), level: None }
    }

    /// Whether the first of these puzzles is the puzzle of the given day.
    #[must_use]
    pub fn is_daily(&self, catalog: Catalog, day: Day) -> bool {
        self.entry.id == daily_game(catalog, day).id
            && self.settings.changes().is_empty()
            && self.first == Side::One
            && self.seed == daily_seed(day)
            && self.level.is_none()
    }
}

/// Returns the seed of a day: its date as a number, such as 20261116.
#[must_use]
pub fn daily_seed(day: Day) -> u64 {
    let (year, month, day) = day.date();
    u64::from(year) * 10_000 + u64::from(month) * 100 + u64::from(day)
}

/// Returns the game of a day. The games in the rotation on that day take turns, so adding a game does not affect dates
/// before its [`Catalogued::DAILY_SINCE`].
///
/// # Panics
/// If no game is in the rotation on that day.
///
/// [`Catalogued::DAILY_SINCE`]: skirmish_rules::Catalogued::DAILY_SINCE
#[must_use]
pub fn daily_game(catalog: Catalog, day: Day) -> &'static Entry {
    let games = rotation(catalog, day);
    games[day.number() as usize % games.len()]
}

/// Returns the game chosen by the seed, if none is named. Only the games that have always been in the rotation of daily
/// puzzles are chosen, so adding a game does not affect any seed.
///
/// # Panics
/// If no game has always been in the rotation.
#[must_use]
pub fn game_of_seed(catalog: Catalog, seed: u64) -> &'static Entry {
    let games = rotation(catalog, Day::since_1970(0));
    // Rolls of game 0 determine the order of the puzzles.
    games[Chance::from_seed(seed).pick(games.len(), 1, 0, Side::One)]
}

/// Returns the games in the rotation on a day, in catalogue order.
fn rotation(catalog: Catalog, day: Day) -> Vec<&'static Entry> {
    let has_joined = |since: &str| since.parse::<Day>().expect("a test parses all dates") <= day;
    catalog.iter().filter(|entry| entry.daily_since.is_some_and(has_joined)).collect()
}
