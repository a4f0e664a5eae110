//! Time controls, and the players' clocks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use skirmish_rules::{Both, Side, counted};

/// A time since the Unix epoch, or a duration, in milliseconds.
pub type Millis = u64;

/// A time control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeControl {
    /// No clocks.
    #[default]
    None,
    /// A number of seconds for each move.
    Move(u32),
    /// A number of seconds for the whole game, plus an increment after each move.
    Game {
        /// Seconds for the whole game.
        seconds: u32,
        /// Seconds added after each move.
        increment: u32,
    },
    /// A number of days for each move.
    Days(u32),
}

const DAY: Millis = 24 * 60 * 60 * 1000;

/// Time limit for the first move of a game. Exceeding it aborts the game, and nobody loses.
pub const FIRST_MOVE: Millis = 30_000;

/// Maximum lag credited to a player per move.
pub const LAG_QUOTA: Millis = 1_000;

/// The lower and upper bounds of [`TimeControl::lag_budget`].
const LAG_BUDGET: (Millis, Millis) = (2_000, 30_000);

/// How long the clocks wait for players to reconnect after the server was down. Clients are told to return within that
/// time.
pub const RETURN: Millis = 5_000;

impl TimeControl {
    /// The time controls that front ends offer.
    pub const USUAL: [Self; 10] = [
        Self::None,
        Self::Move(30),
        Self::Move(120),
        Self::Game { seconds: 60, increment: 1 },
        Self::Game { seconds: 180, increment: 2 },
        Self::Game { seconds: 300, increment: 3 },
        Self::Game { seconds: 600, increment: 5 },
        Self::Days(1),
        Self::Days(3),
        Self::Days(7),
    ];

    /// Returns a short description for lists.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::None => "no clock".to_owned(),
            Self::Move(seconds) if seconds % 60 == 0 => format!("{} min a move", seconds / 60),
            Self::Move(seconds) => format!("{seconds} s a move"),
            Self::Game { seconds: 30, increment } => format!("0.5 min + {increment} s"),
            Self::Game { seconds, increment } => format!("{} min + {increment} s", seconds / 60),
            Self::Days(days) => format!("{} a move", counted(days, "day")),
        }
    }

    /// Returns the time on a clock at the start; `None` if there is no clock.
    #[must_use]
    pub fn initial(self) -> Option<Millis> {
        match self {
            Self::None => None,
            Self::Move(seconds) | Self::Game { seconds, .. } => Some(Millis::from(seconds) * 1000),
            Self::Days(days) => Some(Millis::from(days) * DAY),
        }
    }

    /// Returns the time limit for the first move, after which the game is aborted.
    #[must_use]
    pub fn first_move(self) -> Option<Millis> {
        match self {
            Self::None => None,
            Self::Move(_) | Self::Game { .. } => Some(FIRST_MOVE),
            Self::Days(_) => self.initial(),
        }
    }

    /// Returns the maximum lag credited to a player in a game: a tenth of the time that a game of 40 moves takes. The
    /// credit is limited because clients can fake lag by delaying their pongs.
    #[must_use]
    pub fn lag_budget(self) -> Millis {
        const MOVES: Millis = 40;
        let seconds = |seconds: u32| Millis::from(seconds) * 1000;
        let estimate = match self {
            Self::None => 0,
            Self::Game { seconds: initial, increment } => {
                seconds(initial) + MOVES * seconds(increment)
            }
            Self::Move(each) => MOVES * seconds(each),
            Self::Days(days) => MOVES * Millis::from(days) * DAY,
        };
        (estimate / 10).clamp(LAG_BUDGET.0, LAG_BUDGET.1)
    }

    /// Returns how long the opponent must have been absent in their turn before the game can be claimed. Games with days
    /// per move cannot be claimed, because nobody is expected to stay connected.
    #[must_use]
    pub const fn claim_after(self) -> Option<Millis> {
        match self {
            Self::None => Some(10 * 60_000),
            Self::Move(_) | Self::Game { .. } => Some(60_000),
            Self::Days(_) => None,
        }
    }

    /// Returns a side's time after its move, given the time left before any increment.
    fn after_turn(self, left: Millis) -> Millis {
        match self {
            Self::None => left,
            Self::Move(_) | Self::Days(_) => self.initial().unwrap_or(left),
            Self::Game { increment, .. } => left + Millis::from(increment) * 1000,
        }
    }
}

/// Returned for an invalid time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a clock: expected none, seconds per move (30s), minutes per game and seconds added per move (5+3), \
     or days per move (2d)"
)]
pub struct ClockError(String);

impl FromStr for TimeControl {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        /// Limits: a day in seconds per move, three hours per game in minutes, and two weeks per move in days.
        const MOST: (u32, u32, u32) = (24 * 60 * 60, 180, 14);
        let wrong = || ClockError(text.chars().take(20).collect());
        let word = text.trim().to_ascii_lowercase();
        let number = |digits: &str, most: u32| {
            let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.parse::<u32>().ok().filter(|_| is_plain);
            number.filter(|number| (1..=most).contains(number)).ok_or_else(wrong)
        };
        if word == "none" {
            return Ok(Self::None);
        }
        if let Some((minutes, seconds)) = word.split_once('+') {
            let increment = if seconds == "0" { 0 } else { number(seconds, MOST.1)? };
            // The shortest game is half a minute.
            let seconds = if minutes == "0.5" { 30 } else { number(minutes, MOST.1)? * 60 };
            return Ok(Self::Game { seconds, increment });
        }
        if let Some(days) = word.strip_suffix('d') {
            return Ok(Self::Days(number(days, MOST.2)?));
        }
        Ok(Self::Move(number(word.strip_suffix('s').ok_or_else(wrong)?, MOST.0)?))
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("none"),
            Self::Move(seconds) => write!(formatter, "{seconds}s"),
            Self::Game { seconds: 30, increment } => write!(formatter, "0.5+{increment}"),
            Self::Game { seconds, increment } => write!(formatter, "{}+{increment}", seconds / 60),
            Self::Days(days) => write!(formatter, "{days}d"),
        }
    }
}

impl TryFrom<String> for TimeControl {
    type Error = ClockError;

    fn try_from(text: String) -> Result<Self, ClockError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> Self {
        control.to_string()
    }
}

/// The clocks of a game. Since `since`, they run for the sides that must choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    pub(crate) control: TimeControl,
    /// The time each side had left at `since`, or when it made its choice.
    pub(crate) left: Both<Millis>,
    /// When the turn began; `None` while the game is paused or over. In the future while the clocks wait for the players.
    pub(crate) since: Option<Millis>,
    /// The lag that may still be credited to each side.
    pub(crate) lag_budget: Both<Millis>,
}

impl Clocks {
    /// Returns the clocks at the start of a game.
    pub(crate) fn begin(control: TimeControl, now: Millis) -> Self {
        let left = control.initial().unwrap_or_default();
        let budget = control.lag_budget();
        let (left, lag_budget) = (Both::new(left, left), Both::new(budget, budget));
        Self { control, left, since: Some(now), lag_budget }
    }

    /// Returns the time elapsed in the current turn.
    pub(crate) fn elapsed(&self, now: Millis) -> Millis {
        self.since.map_or(0, |since| now.saturating_sub(since))
    }

    /// Returns the maximum lag that can be credited to a side in this turn.
    pub(crate) fn lag_quota(&self, side: Side) -> Millis {
        LAG_QUOTA.min(self.lag_budget[side])
    }

    /// Returns how long the clocks still wait before they run.
    pub(crate) fn wait(&self, now: Millis) -> Millis {
        self.since.map_or(0, |since| since.saturating_sub(now))
    }

    /// Deducts the time elapsed in this turn from these sides' clocks, and restarts the turn at `now`.
    pub(crate) fn charge(&mut self, running: Both<bool>, now: Millis) {
        let elapsed = self.elapsed(now);
        for side in Side::ALL.into_iter().filter(|&side| running[side]) {
            self.left[side] = self.left[side].saturating_sub(elapsed);
        }
        self.since = self.since.map(|since| since.max(now));
    }

    /// Starts the next turn after these sides have chosen. If the clocks still wait, keeps waiting: the other player may
    /// not be back.
    pub(crate) fn turn_played(&mut self, chose: Both<bool>, now: Millis) {
        for side in Side::ALL.into_iter().filter(|&side| chose[side]) {
            self.left[side] = self.control.after_turn(self.left[side]);
        }
        self.since = Some(self.since.map_or(now, |since| since.max(now)));
    }

    /// Restarts a turn after a takeback. A time limit per move starts afresh.
    pub(crate) fn turn_taken_back(&mut self, now: Millis) {
        match self.control {
            TimeControl::Move(_) | TimeControl::Days(_) => {
                self.left = self.left.map(|left| self.control.after_turn(left));
            }
            TimeControl::None | TimeControl::Game { .. } => {}
        }
        self.since = self.since.map(|since| since.max(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_print_and_parse() {
        for text in ["none", "30s", "5+3", "0.5+0", "180+180", "2d", "14d"] {
            let control: TimeControl = text.parse().expect("a time control");
            assert_eq!(control.to_string(), text);
        }
        assert_eq!("5+3".parse(), Ok(TimeControl::Game { seconds: 300, increment: 3 }));
        for text in
            ["", "s", "0s", "5", "+3", "5+", "-5+3", "5+ 3", "15d", "0d", "999999999999s", "1e3s"]
        {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
