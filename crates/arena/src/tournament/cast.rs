//! The players of a tournament, ready to play: solved games for the levels, detected protocols for the bots.

use skirmish_play::library::{Finished, Library, Order, Subject, Wish};
use skirmish_play::player::{BotCommand, Computer};
use skirmish_play::{Chance, SolveError};
use skirmish_rules::{Both, Side};

use super::Tournament;
use super::entrant::Program;
use super::folder::{Folder, FolderError};
use crate::bot::{Bot, Log};
use crate::referee::Contestant;

/// The players, in the order of the entrants.
pub struct Cast(Vec<Role>);

enum Role {
    /// A level, with a computer player for each side that may start.
    Level(Both<Option<Computer>>),
    Bot(BotCommand, Option<Log>),
}

impl Cast {
    /// Prepares the players. The library obtains the solved games that levels need, solving them with `solve`. If a
    /// folder is given, the bots are logged there.
    ///
    /// # Errors
    /// If the game cannot be solved, or a log cannot be written.
    pub fn prepare<E: From<SolveError> + From<FolderError>>(
        tournament: &Tournament,
        logs: Option<&Folder>,
        library: &mut Library,
        solve: impl Fn(Order) -> Finished,
    ) -> Result<Self, E> {
        let mut roles = Vec::new();
        for (index, entrant) in tournament.entrants.iter().enumerate() {
            roles.push(match &entrant.program {
                Program::Level(level) => {
                    let mut computers = Both::new(None, None);
                    for &side in tournament.entry.starter.sides() {
                        let subject =
                            Subject::start(tournament.entry, tournament.settings.clone(), side);
                        let solved = library.obtain(Wish::players(subject), &solve)?;
                        let chance = Chance::from_seed(tournament.seed);
                        computers[side] = Some(Computer::new(*level, solved, chance));
                    }
                    Role::Level(computers)
                }
                Program::Bot(command) => {
                    let log = logs.map(|folder| folder.log(index + 1, &entrant.name));
                    let log = log.transpose()?.map(Log::to);
                    Role::Bot(detected(tournament, command, log.as_ref()), log)
                }
            });
        }
        Ok(Self(roles))
    }

    /// A contestant for an entrant. A level is made for one game; a bot can play several.
    pub(super) fn contestant(
        &self,
        tournament: &Tournament,
        entrant: usize,
        first: Side,
        chance: Chance,
    ) -> Contestant {
        match &self.0[entrant] {
            Role::Level(computers) => {
                let computer = computers[first].as_ref().expect("all starters are prepared for");
                Contestant::Computer(computer.with_chance(chance))
            }
            Role::Bot(command, log) => {
                let timeout = tournament.timing.first_move;
                Contestant::Bot(Box::new(Bot::new(command.clone(), timeout, log.clone())))
            }
        }
    }

    /// Whether an entrant is a bot.
    pub(super) fn is_bot(&self, entrant: usize) -> bool {
        matches!(self.0[entrant], Role::Bot(..))
    }
}

/// The command with its detected protocol, so that detection happens only once. The command of a bot that does not
/// start is returned unchanged; such a bot forfeits its games.
fn detected(tournament: &Tournament, command: &BotCommand, log: Option<&Log>) -> BotCommand {
    let mut bot = Bot::new(command.clone(), tournament.timing.first_move, log.cloned());
    let setup =
        skirmish_rules::Setup { settings: tournament.settings.clone(), ..tournament.entry.setup() };
    let table = tournament.entry.open(setup).expect("no position is set");
    bot.detect(&*table)
        .map_or_else(|_| command.clone(), |dialect| command.clone().speaking(dialect))
}
