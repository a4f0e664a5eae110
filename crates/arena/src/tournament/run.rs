//! Plays a tournament with several workers. Each game's record is written when the game ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use skirmish_play::tournament::schedule::Encounter;
use skirmish_play::{Fault, OPENING, Session, bot_tag, level_tag};
use skirmish_rules::{Both, Catalog, Names, Record, Setup, Side, Starter};
use skirmish_store::{StoreError, today};

use super::board::{GameId, PlayedGame};
use super::cast::Cast;
use super::entrant::Program;
use super::folder::Folder;
use super::progress::Progress;
use super::{Tournament, opening};
use crate::bot;
use crate::referee::{self, Contestant};

/// The maximum number of bots that a worker keeps running for its next games.
const MOST_KEPT: usize = 4;

/// The reasons why a tournament stopped early. Finished games are kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A record cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The machine lacks the resources to run so many programs.
    #[error("a bot {0}; continue with --resume and fewer games at once (-j)")]
    NoRoom(Fault),
    /// The program is ending, or the tournament was stopped.
    #[error("the tournament has been stopped")]
    Stopped,
}

/// Plays all remaining games, up to `jobs` at once. The results are in `progress`. If a folder is given, records are stored
/// there, and games that already have a record there are not played again.
///
/// # Errors
/// If a record cannot be written, the machine lacks resources, or the tournament is stopped.
pub fn run(
    tournament: &Tournament,
    cast: &Cast,
    records: Option<(&Folder, Catalog)>,
    jobs: usize,
    progress: &Progress,
) -> Result<(), RunError> {
    let queue = WorkQueue {
        tournament,
        cast,
        records,
        progress,
        state: Mutex::new(RunState { playing: 0, failure: None }),
        game_ended: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| queue.work());
        }
    });
    let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.failure.map_or(Ok(()), Err)
}

/// The default number of concurrent games: half the number of cores, since each game runs two programs.
#[must_use]
pub fn usual_jobs() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

/// The work queue shared by all workers.
struct WorkQueue<'a> {
    tournament: &'a Tournament,
    cast: &'a Cast,
    records: Option<(&'a Folder, Catalog)>,
    progress: &'a Progress<'a>,
    state: Mutex<RunState>,
    /// Notified when a game ends, which may make more games available.
    game_ended: Condvar,
}

struct RunState {
    playing: usize,
    failure: Option<RunError>,
}

impl WorkQueue<'_> {
    fn work(&self) {
        let _guard = PanicGuard(self);
        let mut kept = IdleBots::default();
        while let Some((id, encounter)) = self.take() {
            let played = self.play(id, encounter, &mut kept);
            let mut state = self.lock();
            state.playing -= 1;
            match played {
                Ok(played) => self.progress.board().finish(id, played),
                Err(error) => state.failure = Some(error),
            }
            self.progress.end(id);
            self.game_ended.notify_all();
        }
    }

    /// The next game to play. Waits while this depends on games in progress.
    fn take(&self) -> Option<(GameId, Encounter)> {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() {
                return None;
            }
            if self.progress.is_stopped() {
                state.failure = Some(RunError::Stopped);
                return None;
            }
            let next = self.progress.board().take(|id, encounter| self.known(id, encounter));
            if next.is_some() {
                state.playing += 1;
                return next;
            }
            if state.playing == 0 {
                return None;
            }
            state = self.game_ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The result of a game, if an earlier run has played it.
    fn known(&self, id: GameId, encounter: Encounter) -> Option<PlayedGame> {
        let (folder, catalog) = self.records?;
        folder.played(self.tournament, id, encounter, catalog)
    }

    fn lock(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays a game and writes its record.
    fn play(
        &self,
        id: GameId,
        encounter: Encounter,
        kept: &mut IdleBots,
    ) -> Result<PlayedGame, RunError> {
        let session = begin(self.tournament, id, encounter);
        let Encounter { one, two } = encounter;
        let mut contestant = |entrant: usize| {
            let chance = self.tournament.chance_of_pair(id).branch(id.game as u64);
            let first = session.table().first();
            kept.take(entrant)
                .unwrap_or_else(|| self.cast.contestant(self.tournament, entrant, first, chance))
        };
        let (mut first, mut second) = (contestant(one), contestant(two));
        self.progress.begin(id, &session, [&first, &second]);
        if self.progress.is_stopped() {
            return Err(RunError::Stopped);
        }
        let seats = Both::new(&mut first, &mut second);
        let seats = if id.is_swapped() { seats.swapped() } else { seats };
        let watch = |session: &Session| self.progress.turn(id, session);
        let conducted = referee::conduct(session, seats, self.tournament.timing, &watch);
        if bot::are_ended() || self.progress.is_stopped() {
            return Err(RunError::Stopped);
        }
        let session = conducted.map_err(RunError::NoRoom)?;
        for (entrant, contestant) in [(one, first), (two, second)] {
            if self.cast.is_bot(entrant) {
                kept.put(entrant, contestant);
            }
        }
        let record = session.record();
        if let Some((folder, _)) = self.records {
            folder.write(id, &record)?;
        }
        Ok(PlayedGame::of(&record).expect("the referee plays games to their end"))
    }
}

/// Stops the other workers if this worker panics, so that they do not wait for its game.
struct PanicGuard<'a, 'b>(&'a WorkQueue<'b>);

impl Drop for PanicGuard<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().failure.get_or_insert(RunError::Stopped);
            self.0.game_ended.notify_all();
        }
    }
}

/// A new game, after its random opening turns.
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
    let table = tournament.entry.open(setup).expect("no position is set");
    let round = format!("{}.{}.{}", id.round + 1, id.meeting + 1, id.game + 1);
    let mut session = Session::begin(table)
        .noting(Some(today()), None, Some(chance.seed()), Some(tournament.max_turns))
        .tagged(players(tournament, id, encounter))
        .tagged(vec![("Round".to_owned(), round)]);
    let turns = opening::play(&mut session, tournament.opening, chance);
    session.tagged(vec![(OPENING.to_owned(), turns.to_string())])
}

/// The record tags that name the two players.
fn players(tournament: &Tournament, id: GameId, encounter: Encounter) -> Vec<(String, String)> {
    let programs = Both::new(encounter.one, encounter.two);
    let programs = if id.is_swapped() { programs.swapped() } else { programs };
    let tag = |side: Side| match &tournament.entrants[programs[side]].program {
        Program::Level(level) => (level_tag(side), level.to_string()),
        Program::Bot(command) => (bot_tag(side), Record::tag_value(&command.to_string())),
    };
    Side::ALL.map(tag).to_vec()
}

/// A worker's running bots, most recently used last.
#[derive(Default)]
struct IdleBots(Vec<(usize, Contestant)>);

impl IdleBots {
    fn take(&mut self, entrant: usize) -> Option<Contestant> {
        let place = self.0.iter().position(|(kept, _)| *kept == entrant)?;
        Some(self.0.remove(place).1)
    }

    fn put(&mut self, entrant: usize, contestant: Contestant) {
        if self.0.len() == MOST_KEPT {
            self.0.remove(0).1.quit();
        }
        self.0.push((entrant, contestant));
    }
}

impl Drop for IdleBots {
    fn drop(&mut self) {
        for (_, contestant) in &mut self.0 {
            contestant.quit();
        }
    }
}
