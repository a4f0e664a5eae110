//! The solved game behind hints, analysis and computer players: solved when it is first asked for.

use std::sync::Arc;

use skirmish_arena::referee::Contestant;
use skirmish_play::library::{Library, Subject, Wish};
use skirmish_play::player::{Computer, Player};
use skirmish_play::{Chance, Plan, SolveError, Solved, review};
use skirmish_present::words;
use skirmish_rules::{Both, Record, Side, Table, Tempo};

use crate::{output, solving};

/// Knows everything about one game, once asked.
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

    /// Turns to the next game of a match, in which another side may start.
    pub(crate) fn turn_to(&mut self, plan: &Plan) {
        self.subject = Subject::of(plan);
    }

    /// The game solved from its start.
    fn solved(&mut self) -> Result<Arc<Solved>, SolveError> {
        self.library.obtain(Wish::values(self.subject.clone()), solving::fulfil)
    }

    /// The same, with computer players ready to choose at once.
    pub(crate) fn players(&mut self) -> Result<Arc<Solved>, SolveError> {
        self.library.obtain(Wish::players(self.subject.clone()), solving::fulfil)
    }

    /// The programs that take part in a game. Bots are started when they are asked first.
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
                Player::Absent(_) => unreachable!("a game goes on when its bots are here"),
            };
        }
        Ok(contestants)
    }

    /// How well both sides played, if the game is solved already.
    pub(crate) fn accuracy(&self, record: &Record) -> Both<Option<f64>> {
        let solved = self.library.solved(&self.subject);
        solved.map_or(Both::default(), |solved| review(record, &solved).accuracy)
    }

    /// What every move is worth.
    pub(crate) fn analysis(&mut self, table: &dyn Table, side: Side) -> String {
        self.told(|solved| {
            let analysis = solved.analyse(&table.position()).ok()??;
            let mover = (table.tempo() == Tempo::Alternating).then_some(side);
            Some(words::analysis(&analysis, mover, table.names(), output::manner()))
        })
    }

    /// The best move, and what it leads to.
    pub(crate) fn hint(&mut self, table: &dyn Table, side: Side) -> String {
        self.told(|solved| {
            let judgement = solved.judge_position(&table.position()).ok()??;
            Some(words::hint(&judgement, side))
        })
    }

    fn told(&mut self, tell: impl Fn(&Solved) -> Option<String>) -> String {
        match self.solved() {
            Ok(solved) => {
                tell(&solved).unwrap_or_else(|| "Nothing is known of this position.".to_owned())
            }
            Err(error) => format!("This game cannot be solved here: {error}."),
        }
    }
}
