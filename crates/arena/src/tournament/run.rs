//! Plays a tournament: several games at once, each written down when it ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use skirmish_play::tournament::schedule::Encounter;
use skirmish_play::{Fault, Session, bot_tag, level_tag};
use skirmish_rules::{Both, Catalog, Names, Record, Setup, Side, Starter};
use skirmish_store::{StoreError, today};

use super::board::{Board, GameId, PlayedGame};
use super::cast::Cast;
use super::entrant::Program;
use super::folder::Folder;
use super::{Tournament, opening};
use crate::bot;
use crate::referee::{self, Contestant};

/// The bots that a worker keeps running for its next games.
const MOST_KEPT: usize = 4;

/// Where the records of a tournament are.
#[derive(Clone, Copy)]
pub enum Records<'a> {
    /// Nowhere.
    Unkept,
    /// In a new folder.
    New(&'a Folder),
    /// In a folder with games from an earlier sitting, which are read and not played again.
    Begun(&'a Folder, Catalog),
}

/// Why a tournament cannot go on. The games that have ended are kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A record cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The machine cannot run as many programs.
    #[error("a bot {0}; go on with --resume and fewer games at once (-j)")]
    NoRoom(Fault),
    /// The program is ending.
    #[error("the tournament has been stopped")]
    Stopped,
}

/// Plays all that is left to be played, `jobs` games at once. `watch` sees the board after every game.
///
/// # Errors
/// If a record cannot be written, or the machine has no room for the programs.
pub fn run(
    tournament: &Tournament,
    cast: &Cast,
    records: Records,
    jobs: usize,
    watch: &(dyn Fn(&Board) + Sync),
) -> Result<Board, RunError> {
    let board = Board::new(tournament);
    let hall = WorkQueue {
        tournament,
        cast,
        records,
        state: Mutex::new(State { board, playing: 0, failure: None }),
        news: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| hall.work(watch));
        }
    });
    let State { board, failure, .. } =
        hall.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(board), Err)
}

/// Where the games are played.
struct WorkQueue<'a> {
    tournament: &'a Tournament,
    cast: &'a Cast,
    records: Records<'a>,
    state: Mutex<State>,
    /// A game has ended, which may bring about others.
    news: Condvar,
}

struct State {
    board: Board,
    playing: usize,
    failure: Option<RunError>,
}

impl WorkQueue<'_> {
    fn work(&self, watch: &(dyn Fn(&Board) + Sync)) {
        let _leaving = Leaving(self);
        let mut kept = IdleBots::default();
        while let Some((id, encounter)) = self.take() {
            let played = self.play(id, encounter, &mut kept);
            let mut state = self.lock();
            state.playing -= 1;
            match played {
                Ok(played) => state.board.finish(id, played),
                Err(error) => state.failure = Some(error),
            }
            watch(&state.board);
            self.news.notify_all();
        }
    }

    /// The next game; waits while that depends on games in progress.
    fn take(&self) -> Option<(GameId, Encounter)> {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() {
                return None;
            }
            if let Some(next) = state.board.take(|id, encounter| self.known(id, encounter)) {
                state.playing += 1;
                return Some(next);
            }
            if state.playing == 0 {
                return None;
            }
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The result of a game from an earlier sitting.
    fn known(&self, id: GameId, encounter: Encounter) -> Option<PlayedGame> {
        match self.records {
            Records::Unkept | Records::New(_) => None,
            Records::Begun(folder, catalog) => {
                folder.played(self.tournament, id, encounter, catalog)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays a game and writes it down.
    fn play(
        &self,
        id: GameId,
        encounter: Encounter,
        kept: &mut IdleBots,
    ) -> Result<PlayedGame, RunError> {
        let session = begin(self.tournament, id, encounter);
        let Encounter { one, two } = encounter;
        let mut sit = |entrant: usize| {
            let chance = self.tournament.chance_of_pair(id).branch(id.game as u64);
            let first = session.table().first();
            kept.take(entrant)
                .unwrap_or_else(|| self.cast.contestant(self.tournament, entrant, first, chance))
        };
        let (mut first, mut second) = (sit(one), sit(two));
        let seats = Both::new(&mut first, &mut second);
        let seats = if id.is_swapped() { seats.swapped() } else { seats };
        let conducted = referee::conduct(session, seats, self.tournament.timing);
        if bot::are_ended() {
            return Err(RunError::Stopped);
        }
        let session = conducted.map_err(RunError::NoRoom)?;
        for (entrant, contestant) in [(one, first), (two, second)] {
            if self.cast.is_bot(entrant) {
                kept.put(entrant, contestant);
            }
        }
        let record = session.record();
        match self.records {
            Records::Unkept => {}
            Records::New(folder) | Records::Begun(folder, _) => folder.write(id, &record)?,
        }
        Ok(PlayedGame::of(&record).expect("the referee plays games to their end"))
    }
}

/// A worker that leaves. If it leaves in panic, the others must not wait for its game.
struct Leaving<'a, 'b>(&'a WorkQueue<'b>);

impl Drop for Leaving<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().failure.get_or_insert(RunError::Stopped);
            self.0.news.notify_all();
        }
    }
}

/// A game after its random opening.
pub(super) fn begin(tournament: &Tournament, id: GameId, encounter: Encounter) -> Session {
    let chance = tournament.chance_of_pair(id);
    let first = match tournament.entry.starter {
        Starter::Toss => chance.toss(),
        Starter::PlayerOne | Starter::Nobody => Side::One,
    };
    let name = |entrant: usize| tournament.entrants[entrant].name.clone();
    let names: Names = Both::new(name(encounter.one), name(encounter.two));
    let names = if id.is_swapped() { names.swapped() } else { names };
    let setup = Setup { settings: tournament.settings.clone(), first, names, position: None };
    let table = tournament.entry.open(setup);
    let table = table.unwrap_or_else(|_| unreachable!("no position is set"));
    let round = format!("{}.{}.{}", id.round + 1, id.meeting + 1, id.game + 1);
    let mut session = Session::begin(table)
        .noting(Some(today()), None, Some(chance.seed()), Some(tournament.max_turns))
        .tagged(players(tournament, id, encounter))
        .tagged(vec![("Round".to_owned(), round)]);
    let turns = opening::play(&mut session, tournament.opening, chance);
    session.tagged(vec![("Opening".to_owned(), turns.to_string())])
}

/// The tags that say which programs play.
fn players(tournament: &Tournament, id: GameId, encounter: Encounter) -> Vec<(String, String)> {
    let programs = Both::new(encounter.one, encounter.two);
    let programs = if id.is_swapped() { programs.swapped() } else { programs };
    let tag = |side: Side| match &tournament.entrants[programs[side]].program {
        Program::Level(level) => (level_tag(side), level.to_string()),
        Program::Bot(command) => (bot_tag(side), Record::tag_value(&command.to_string())),
    };
    Side::ALL.map(tag).to_vec()
}

/// The bots that a worker has running, the one used last at the end.
#[derive(Default)]
struct IdleBots(Vec<(usize, Contestant)>);

impl IdleBots {
    fn take(&mut self, entrant: usize) -> Option<Contestant> {
        let place = self.0.iter().position(|(kept, _)| *kept == entrant)?;
        Some(self.0.remove(place).1)
    }

    fn put(&mut self, entrant: usize, contestant: Contestant) {
        if self.0.len() == MOST_KEPT
            && let (_, Contestant::Bot(mut bot)) = self.0.remove(0)
        {
            bot.quit();
        }
        self.0.push((entrant, contestant));
    }
}

impl Drop for IdleBots {
    fn drop(&mut self) {
        for (_, contestant) in &mut self.0 {
            if let Contestant::Bot(bot) = contestant {
                bot.quit();
            }
        }
    }
}
