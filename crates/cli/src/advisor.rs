//! The solved game behind hints, analysis and computer players, solved on first use.

use std::sync::Arc;

use skirmish_arena::referee::Contestant;
use skirmish_play::library::{Library, Subject, Wish};
use skirmish_play::player::{Computer, Player};
use skirmish_play::{Chance, Plan, SolveError, Solved, review};
use skirmish_present::words;
use skirmish_rules::{Both, Record, Side, Table, Tempo};

use crate::{output, solving};

/// Solves a game on first use and answers questions about it.
pub(crate) struct Advisor {
    subject: Subject,
    chance: Chance,
    library: Library,
}

impl Advisor {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            subject: Subject::of(plan),
            chance: Chance::from_seed(plan.seed.unwrap_or_default()),
            library: Library::new(solving::free_memory()),
        }
    }

    /// Switches to the next game of a match, in which the other side may start.
    pub(crate) fn switch_to(&mut self, plan: &Plan) {
        self.subject = Subject::of(plan);
    }

    /// The game solved from its start, with the computer players prepared.
    pub(crate) fn players(&mut self) -> Result<Arc<Solved>, SolveError> {
        self.library.obtain(Wish::players(self.subject.clone()), solving::run)
    }

    /// The programs that play a game. Each bot is started at its first move.
    pub(crate) fn contestants(
        &mut self,
        plan: &Plan,
    ) -> Result<Both<Option<Contestant>>, SolveError> {
        let mut contestants = Both::new(None, None);
        for side in Side::ALL {
            contestants[side] = match &plan.players[side] {
                Player::Human => None,
                Player::Computer(level) => {
                    let computer = Computer::new(*level, self.players()?, self.chance);
                    Some(Contestant::Computer(computer))
                }
                Player::Bot(command) => Some(Contestant::bot(command.clone())),
                Player::Absent(_) => unreachable!("a resumed game has its bots"),
            };
        }
        Ok(contestants)
    }

    /// Both sides' accuracy, if the game is already solved.
    pub(crate) fn accuracy(&self, record: &Record) -> Both<Option<f64>> {
        let solved = self.library.solved(&self.subject);
        solved.map_or(Both::default(), |solved| review(record, &solved).accuracy)
    }

    /// Describes the value of every move.
    pub(crate) fn analysis(&mut self, table: &dyn Table, side: Side) -> String {
        self.describe(|solved| {
            let analysis = solved.analyse(solved.find(&table.position()).ok()??);
            let mover = (table.tempo() == Tempo::Alternating).then_some(side);
            Some(words::analysis(&analysis, mover, table.names(), output::manner()))
        })
    }

    /// Describes the best move and its value.
    pub(crate) fn hint(&mut self, table: &dyn Table, side: Side) -> String {
        self.describe(|solved| {
            let judgement = solved.judge_position(&table.position()).ok()??;
            let best = words::hint(&judgement, side);
            let pressing = words::pressing(solved, &judgement, side, table.names());
            Some(std::iter::once(best).chain(pressing).collect::<Vec<String>>().join("\n"))
        })
    }

    fn describe(&mut self, words: impl Fn(&Solved) -> Option<String>) -> String {
        let wish = Wish { pressures: true, ..Wish::values(self.subject.clone()) };
        match self.library.obtain(wish, solving::run) {
            Ok(solved) => {
                words(&solved).unwrap_or_else(|| "Nothing is known about this position.".to_owned())
            }
            Err(error) => format!("This game cannot be solved here: {error}."),
        }
    }
}
