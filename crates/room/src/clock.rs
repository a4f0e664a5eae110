//! Time controls, and the players' clocks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use skirmish_rules::{Both, Side, counted};

/// A point in time or a span, in milliseconds. Points count from the Unix epoch.
pub type Millis = u64;

/// How much time the players have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeControl {
    /// As much as they like.
    #[default]
    None,
    /// So many seconds for each move.
    Move(u32),
    /// So many seconds for the game, and so many more after each move.
    Game {
        /// Seconds for the whole game.
        seconds: u32,
        /// Seconds added after each turn.
        increment: u32,
    },
    /// So many days for each move.
    Days(u32),
}

const DAY: Millis = 24 * 60 * 60 * 1000;

/// How long a player may take for the first move of a game. Nobody loses by it: the game is aborted.
pub const FIRST_MOVE: Millis = 30_000;

/// The most that is credited to a player for a slow connection, per move.
pub const LAG_QUOTA: Millis = 1_000;

/// The lower and upper bounds of [`TimeControl::lag_budget`].
const LAG_BUDGET: (Millis, Millis) = (2_000, 30_000);

/// How long the clocks wait for the players after the server was away: they have to connect again. Clients are told to come
/// back within that time.
pub const RETURN: Millis = 5_000;

impl TimeControl {
    /// Those that front ends offer.
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

    /// It in a few words, for lists.
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

    /// The time on a clock at the start; none if there is no clock.
    #[must_use]
    pub fn initial(self) -> Option<Millis> {
        match self {
            Self::None => None,
            Self::Move(seconds) | Self::Game { seconds, .. } => Some(Millis::from(seconds) * 1000),
            Self::Days(days) => Some(Millis::from(days) * DAY),
        }
    }

    /// How long a player may take for the first move, before the game is aborted.
    #[must_use]
    pub fn first_move(self) -> Option<Millis> {
        match self {
            Self::None => None,
            Self::Move(_) | Self::Game { .. } => Some(FIRST_MOVE),
            Self::Days(_) => self.initial(),
        }
    }

    /// The most that is credited to a player for a slow connection over a whole game: a tenth of the time that a game of 40
    /// moves takes. Clients can fake a slow connection by delaying their pongs, so the credit must run out.
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

    /// How long the opponent must have been gone, while it is their turn, before the game can be claimed. A game of days
    /// cannot be claimed: nobody is expected to stay connected.
    #[must_use]
    pub const fn claim_after(self) -> Option<Millis> {
        match self {
            Self::None => Some(10 * 60_000),
            Self::Move(_) | Self::Game { .. } => Some(60_000),
            Self::Days(_) => None,
        }
    }

    /// The time on a side's clock after a turn in which `left` was left to it.
    fn after_turn(self, left: Millis) -> Millis {
        match self {
            Self::None => left,
            Self::Move(_) | Self::Days(_) => self.initial().unwrap_or(left),
            Self::Game { increment, .. } => left + Millis::from(increment) * 1000,
        }
    }
}

/// Why a time control cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a clock: expected none, seconds per move (30s), minutes per game and seconds added per move (5+3), \
     or days per move (2d)"
)]
pub struct ClockError(String);

impl FromStr for TimeControl {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        /// A day in seconds for one move, three hours for a game, two weeks for a move in days.
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
            // Half a minute is the shortest game.
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

/// The clocks of a game. They run from `since`, for the sides whose choice the game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    pub(crate) control: TimeControl,
    /// What each side had left at `since`, or when it made its choice.
    pub(crate) left: Both<Millis>,
    /// When the turn began; none while the game is paused or over. It is in the future while the clocks wait for the players.
    pub(crate) since: Option<Millis>,
    /// How much may still be credited to each side for a slow connection.
    pub(crate) lag_budget: Both<Millis>,
}

impl Clocks {
    /// The clocks at the start of a game.
    pub(crate) fn begin(control: TimeControl, now: Millis) -> Self {
        let left = control.initial().unwrap_or_default();
        let budget = control.lag_budget();
        let (left, lag_budget) = (Both::new(left, left), Both::new(budget, budget));
        Self { control, left, since: Some(now), lag_budget }
    }

    /// How long the current turn has lasted.
    pub(crate) fn elapsed(&self, now: Millis) -> Millis {
        self.since.map_or(0, |since| now.saturating_sub(since))
    }

    /// The most that can be credited to a side for a slow connection in this turn.
    pub(crate) fn lag_quota(&self, side: Side) -> Millis {
        LAG_QUOTA.min(self.lag_budget[side])
    }

    /// How long the clocks still wait before they run.
    pub(crate) fn wait(&self, now: Millis) -> Millis {
        self.since.map_or(0, |since| since.saturating_sub(now))
    }

    /// Takes the time since the turn began off the clocks of these sides, and starts it anew.
    pub(crate) fn charge(&mut self, running: Both<bool>, now: Millis) {
        let elapsed = self.elapsed(now);
        for side in Side::ALL.into_iter().filter(|&side| running[side]) {
            self.left[side] = self.left[side].saturating_sub(elapsed);
        }
        self.since = self.since.map(|since| since.max(now));
    }

    /// A turn has been played: these sides had chosen, and the next turn begins. If the clocks still wait, the other player may
    /// not be back.
    pub(crate) fn turn_played(&mut self, chose: Both<bool>, now: Millis) {
        for side in Side::ALL.into_iter().filter(|&side| chose[side]) {
            self.left[side] = self.control.after_turn(self.left[side]);
        }
        self.since = Some(self.since.map_or(now, |since| since.max(now)));
    }

    /// Turns have been taken back, and one of them begins again. Time for a single move is given again.
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
