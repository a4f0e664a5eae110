//! Tournaments: entrants, encounters, results on disk, and standings.

mod board;
mod cast;
mod entrant;
mod file;
mod folder;
mod opening;
mod progress;
mod run;
mod standings;
mod trial;

#[cfg(test)]
mod tests;

pub use board::{Board, GameId, Meeting, PlayedGame};
pub use cast::Cast;
pub use entrant::{Entrant, EntrantError, Program};
pub use folder::{Folder, FolderError, tournaments};
pub use progress::Progress;
pub use run::{RunError, run, usual_jobs};
use skirmish_play::Chance;
use skirmish_play::player::{BotCommand, Sandbox};
use skirmish_play::tournament::schedule::{Format, Schedule, ScheduleError};
use skirmish_play::tournament::sprt::Sprt;
use skirmish_rules::{Entry, Settings};
pub use standings::{CrossTableCell, Standings, StandingsRow};

use crate::referee::Timing;

/// Maximum number of game pairs in an encounter.
pub const MOST_PAIRS: u32 = 500_000;

/// Maximum number of games in a tournament: all results are kept in memory.
const MOST_GAMES: usize = 10_000_000;

/// Maximum number of turns in a game. The largest record has room for them.
const MOST_TURNS: u32 = 500_000;

/// Maximum number of random turns at the start of a game.
const MOST_OPENING: u32 = 100;

/// The reasons why a tournament cannot be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TournamentError {
    /// The number of entrants or rounds is invalid.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The number of games is invalid.
    #[error("an encounter has 1 to {games} games", games = 2 * MOST_PAIRS)]
    Games,
    /// All encounters together have too many games.
    #[error(
        "a tournament has at most {MOST_GAMES} games, not {0}: choose fewer entrants, rounds or games for each encounter"
    )]
    TooManyGames(usize),
    /// The turn limit or the length of the opening is invalid.
    #[error("a game has 1 to {MOST_TURNS} turns, at most {MOST_OPENING} of them random")]
    Turns,
    /// A sequential test was requested with more than two entrants, or in another format.
    #[error("--sprt compares two players in a round-robin: name just two")]
    Sprt,
    /// Two entrants have the same name.
    #[error(transparent)]
    Entrant(#[from] EntrantError),
}

/// The definition of a tournament. Together with the results so far, it determines what remains to be played.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: Settings,
    /// How entrants are paired.
    pub format: Format,
    /// The number of rounds, if the format does not determine it.
    pub rounds: Option<u32>,
    /// The entrants, best seed first.
    pub entrants: Vec<Entrant>,
    /// The number of game pairs in each encounter.
    pub pairs: u32,
    /// The seed of all randomness.
    pub seed: u64,
    /// The bots' time control.
    pub timing: Timing,
    /// R-ALL-2: a game is a draw after this many turns.
    pub max_turns: u32,
    /// The number of random turns at the start of each game.
    pub opening: u32,
    /// A sequential test between two entrants; the tournament ends once the test has decided.
    pub sprt: Option<Sprt>,
}

impl Tournament {
    /// The default number of turns after which a game is a draw.
    pub const USUAL_TURNS: u32 = 200;
    /// The default number of random turns at the start of a game.
    pub const USUAL_OPENING: u32 = 4;
    /// The default number of games in an encounter.
    pub const USUAL_GAMES: u32 = 10;

    /// The tournament's schedule.
    ///
    /// # Errors
    /// If the number of entrants or rounds is invalid.
    pub fn schedule(&self) -> Result<Schedule, ScheduleError> {
        Schedule::new(self.format, self.entrants.len(), self.rounds)
    }

    /// The commands of all bots among the entrants.
    pub fn bots(&self) -> impl Iterator<Item = &BotCommand> {
        self.entrants.iter().filter_map(|entrant| match &entrant.program {
            Program::Level(_) => None,
            Program::Bot(command) => Some(command),
        })
    }

    /// The sandbox in which the bots run, if any.
    #[must_use]
    pub fn sandbox(&self) -> Option<Sandbox> {
        self.bots().find_map(|command| command.sandbox)
    }

    /// The same tournament, with its bots in `sandbox`, or in none.
    #[must_use]
    pub fn within(self, sandbox: Option<Sandbox>) -> Self {
        self.with_bots(|command| command.within(sandbox))
    }

    /// The same tournament, with its bots' processes marked with the folder's identity.
    #[must_use]
    pub fn marked(self, folder: &Folder) -> Self {
        match folder.mark() {
            Some(mark) => {
                self.with_bots(|command| BotCommand { tournament: Some(mark.clone()), ..command })
            }
            None => self,
        }
    }

    fn with_bots(mut self, change: impl Fn(BotCommand) -> BotCommand) -> Self {
        for entrant in &mut self.entrants {
            if let Program::Bot(command) = &mut entrant.program {
                *command = change(command.clone());
            }
        }
        self
    }

    /// Checks that the tournament can be played.
    ///
    /// # Errors
    /// If any part of the definition is invalid.
    pub fn check(&self) -> Result<(), TournamentError> {
        let schedule = self.schedule()?;
        if !(1..=MOST_PAIRS).contains(&self.pairs) {
            return Err(TournamentError::Games);
        }
        let games = schedule.encounters().saturating_mul(2 * self.pairs as usize);
        if games > MOST_GAMES {
            return Err(TournamentError::TooManyGames(games));
        }
        if !(1..=MOST_TURNS).contains(&self.max_turns) || self.opening > MOST_OPENING {
            return Err(TournamentError::Turns);
        }
        let is_match = match self.format {
            Format::RoundRobin | Format::Gauntlet => self.entrants.len() == 2,
            Format::Knockout | Format::Swiss => false,
        };
        if self.sprt.is_some() && !is_match {
            return Err(TournamentError::Sprt);
        }
        let alike = self.entrants.iter().enumerate().find(|(index, entrant)| {
            let others = &self.entrants[..*index];
            others.iter().any(|other| other.name.eq_ignore_ascii_case(&entrant.name))
        });
        if let Some((_, entrant)) = alike {
            return Err(EntrantError::Twice(entrant.name.clone()).into());
        }
        Ok(())
    }

    /// The random stream that both games of a pair share.
    fn chance_of_pair(&self, id: GameId) -> Chance {
        let GameId { round, meeting, game } = id;
        [round, meeting, game / 2]
            .into_iter()
            .fold(Chance::from_seed(self.seed), |chance, number| chance.branch(number as u64))
    }
}
