//! Players. A computer player has one of five levels. Each level is a known probability distribution over the moves in
//! every position.

mod against;
mod bot;
mod level;
mod policy;
mod prospects;
mod sharp;
mod traps;
mod versus;

use std::fmt;
use std::sync::Arc;

pub use against::{Against, AgainstError, against};
pub use bot::{BotCommand, Dialect, Sandbox};
pub use level::Level;
pub(crate) use policy::Finesse;
pub use policy::Policy;
use skirmish_rules::{Side, Table};
pub use versus::{Results, best_against, versus};

use crate::chance::Chance;
use crate::solved::{Judgement, Solved, seen_from};

/// The player of a side.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Player {
    /// A person.
    #[default]
    Human,
    /// A computer player.
    Computer(Level),
    /// A bot.
    Bot(BotCommand),
    /// A bot whose command is known only from a record. Commands from files are never run, so the user must give the
    /// command again to continue the game.
    Absent(String),
}

impl Player {
    /// Returns the player for `human` or the name of a level.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("human") {
            return Some(Self::Human);
        }
        Level::named(name).map(Self::Computer)
    }

    /// Whether a person plays.
    #[must_use]
    pub const fn is_human(&self) -> bool {
        matches!(self, Self::Human)
    }

    /// Returns the level of a computer player.
    #[must_use]
    pub const fn level(&self) -> Option<Level> {
        match self {
            Self::Computer(level) => Some(*level),
            Self::Human | Self::Bot(_) | Self::Absent(_) => None,
        }
    }

    /// Returns the command of a bot, absent or not.
    #[must_use]
    pub fn bot(&self) -> Option<String> {
        match self {
            Self::Bot(command) => Some(command.to_string()),
            Self::Absent(command) => Some(command.clone()),
            Self::Human | Self::Computer(_) => None,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human => formatter.write_str("human"),
            Self::Computer(level) => level.fmt(formatter),
            Self::Bot(command) => command.fmt(formatter),
            Self::Absent(command) => formatter.write_str(command),
        }
    }
}

/// A computer player at a table.
#[derive(Clone)]
pub struct Computer {
    policy: Policy,
    chance: Chance,
}

impl Computer {
    /// Creates a player of this level for a solved game.
    #[must_use]
    pub fn new(level: Level, solved: Arc<Solved>, chance: Chance) -> Self {
        Self { policy: Policy::new(level, solved), chance }
    }

    /// Copies the player with a different source of random numbers.
    #[must_use]
    pub fn with_chance(&self, chance: Chance) -> Self {
        Self { policy: self.policy.clone(), chance }
    }

    /// Returns the player's level.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.policy.level()
    }

    /// Returns the player's choice for a side, in notation. It is determined by the seed, the number of the game, the
    /// turn and the number of takebacks.
    ///
    /// # Panics
    /// If the side cannot choose, or computer players are not prepared.
    #[must_use]
    pub fn choose(&self, table: &dyn Table, side: Side, game: u32, undone: u32) -> String {
        let choices = table.choices(side);
        let node = self.policy.solved().graph().find(&table.position());
        let node = node.ok().flatten().expect("a game in progress is reachable");
        let shares = self.policy.shares(node, side);
        let mut left = self.chance.roll(game, table.turns_played(), undone, side);
        let chosen = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        let likeliest =
            || (0..shares.len()).max_by(|&one, &two| shares[one].total_cmp(&shares[two]));
        let index = chosen.or_else(likeliest).expect("the side can choose");
        choices[index].notation.clone()
    }

    /// Whether the player accepts a draw: it does unless it can do better.
    #[must_use]
    pub fn accepts_draw(&self, table: &dyn Table, side: Side) -> bool {
        let Ok(Some(judgement)) = self.policy.solved().judge_position(&table.position()) else {
            return false;
        };
        match judgement {
            Judgement::Alternating { value, .. } => {
                let mine = if table.turn().contains(&side) { value } else { value.before() };
                mine.rank() <= 0
            }
            Judgement::Simultaneous { value, error, .. } => seen_from(side, value) <= error,
        }
    }
}
