//! Tournaments: who takes part, who meets whom, and what their games say about their strength.

mod board;
mod cast;
mod entrant;
mod file;
mod folder;
mod opening;
mod run;
mod standings;
mod trial;
mod trust;

#[cfg(test)]
#[cfg(test)]
mod tests;

pub use board::{Board, GameId, Meeting, PlayedGame};
pub use cast::Cast;
pub use entrant::{Entrant, EntrantError, Program};
pub use file::FileError;
pub use folder::{Folder, FolderError};
pub use run::{Records, RunError, run};
use skirmish_play::Chance;
use skirmish_play::player::{BotCommand, Sandbox};
use skirmish_play::tournament::schedule::{Format, Schedule, ScheduleError};
use skirmish_play::tournament::sprt::Sprt;
use skirmish_rules::{Entry, Settings};
pub use standings::{CrossTableCell, Standings, StandingsRow};

use crate::referee::Timing;

/// The most pairs of games in an encounter.
pub const MOST_PAIRS: u32 = 500_000;

/// The most random turns that games can begin with.
pub const MOST_OPENING: u32 = 100;

/// Why a tournament cannot be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TournamentError {
    /// There are too few or too many entrants, or rounds.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// There are no games, or more than anybody would wait for.
    #[error("an encounter has 1 to {games} games", games = 2 * MOST_PAIRS)]
    Games,
    /// Games are too short or begin too late.
    #[error("a game has at least one turn, and at most {MOST_OPENING} random ones")]
    Turns,
    /// A test of more than two, or one that has no time.
    #[error("--sprt compares two players in a round-robin: name just two")]
    Sprt,
    /// Two are called the same.
    #[error(transparent)]
    Entrant(#[from] EntrantError),
}

/// What a tournament is: from this and the results so far follows everything that is still to be played.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: Settings,
    /// Who meets whom.
    pub format: Format,
    /// The number of rounds, where that is a choice.
    pub rounds: Option<u32>,
    /// Who takes part, the best seed first.
    pub entrants: Vec<Entrant>,
    /// The pairs of games in each encounter.
    pub pairs: u32,
    /// The seed of all chance in it.
    pub seed: u64,
    /// The bots' time.
    pub timing: Timing,
    /// R-ALL-2: a game is a draw after so many turns.
    pub max_turns: u32,
    /// How many turns of each game are random.
    pub opening: u32,
    /// The test that ends it as soon as it has decided, if there are just two entrants.
    pub sprt: Option<Sprt>,
}

impl Tournament {
    /// The plan of its rounds.
    ///
    /// # Errors
    /// If there are too few or too many entrants, or the number of rounds is not possible.
    pub fn schedule(&self) -> Result<Schedule, ScheduleError> {
        Schedule::new(self.format, self.entrants.len(), self.rounds)
    }

    /// The commands of its bots.
    pub fn bots(&self) -> impl Iterator<Item = &BotCommand> {
        self.entrants.iter().filter_map(|entrant| match &entrant.program {
            Program::Level(_) => None,
            Program::Bot(command) => Some(command),
        })
    }

    /// The sandbox in which its bots run.
    #[must_use]
    pub fn sandbox(&self) -> Option<Sandbox> {
        self.bots().find_map(|command| command.sandbox)
    }

    /// The same tournament, whose bots run in a sandbox if there is one.
    #[must_use]
    pub fn within(self, sandbox: Option<Sandbox>) -> Self {
        self.with_bots(|command| command.within(sandbox))
    }

    /// The same tournament, whose bots' processes carry the mark of its folder.
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

    /// Checks that it can be played.
    ///
    /// # Errors
    /// If something about it is not possible.
    pub fn check(&self) -> Result<(), TournamentError> {
        self.schedule()?;
        if !(1..=MOST_PAIRS).contains(&self.pairs) {
            return Err(TournamentError::Games);
        }
        if self.max_turns == 0 || self.opening > MOST_OPENING {
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

    /// The chance of a pair of games, which both share.
    fn chance_of_pair(&self, id: GameId) -> Chance {
        let GameId { round, meeting, game } = id;
        [round, meeting, game / 2]
            .into_iter()
            .fold(Chance::from_seed(self.seed), |chance, number| chance.branch(number as u64))
    }
}
