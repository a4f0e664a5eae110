//! A tournament running in the background, shared between its threads and the screens that show it.

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use skirmish_arena::tournament::{Cast, Folder, GameId, Progress, RunError, Tournament, run};
use skirmish_play::Budget;
use skirmish_play::library::{Library, Order};
use skirmish_rules::{Catalog, Record, Watch};
use skirmish_store::read_record_file;

use crate::ArcadeEvent;
use crate::jobs::JobReport;

/// Minimum time between two reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// A tournament to play, and the folder for its records.
pub struct TournamentRun {
    /// The definition of the tournament.
    pub tournament: Tournament,
    /// The folder of the tournament.
    pub folder: Folder,
    /// Whether the bots' output is logged.
    pub is_logged: bool,
    /// Maximum number of games played at once.
    pub jobs: usize,
}

pub(crate) struct LiveTournament {
    pub(super) played: TournamentRun,
    pub(super) progress: Progress<'static>,
    news: Arc<News>,
    state: Mutex<LiveState>,
    catalog: Catalog,
}

/// The arcade's tournament. Dropping this value stops the tournament.
pub(crate) struct CurrentTournament {
    pub(super) live: Arc<LiveTournament>,
    /// Whether the player knows that the tournament has ended.
    pub(super) is_end_known: bool,
}

impl Drop for CurrentTournament {
    fn drop(&mut self) {
        self.live.progress.stop();
    }
}

impl CurrentTournament {
    pub(crate) fn is_running(&self) -> bool {
        self.live.state().is_running()
    }

    /// Whether all games have been played.
    pub(crate) fn is_finished(&self) -> bool {
        self.live.state() == LiveState::Finished
    }

    /// The progress in a few words.
    pub(crate) fn summary(&self) -> String {
        let (played, all) = self.live.progress.board().progress();
        match self.live.state() {
            LiveState::Preparing | LiveState::Playing => format!("{played} of {all}"),
            LiveState::Finished => "finished".to_owned(),
            LiveState::Failed(_) => "stopped".to_owned(),
        }
    }

    /// A description for the home screen.
    pub(crate) fn about(&self) -> String {
        let tournament = &self.live.played.tournament;
        let entrants = tournament.entrants.len();
        format!("{}, {} entrants. Enter shows it.", tournament.entry.name, entrants)
    }

    /// A message that the tournament has ended, returned only once.
    pub(crate) fn news(&mut self) -> Option<String> {
        if self.is_running() || std::mem::replace(&mut self.is_end_known, true) {
            return None;
        }
        Some(match self.live.state() {
            LiveState::Failed(why) => format!("The tournament cannot go on: {why}."),
            _ => "The tournament is finished: the home screen leads to it.".to_owned(),
        })
    }
}

/// The state of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LiveState {
    /// The game is being solved, and the bots are being tested.
    Preparing,
    Playing,
    Finished,
    /// The tournament cannot continue, for this reason.
    Failed(String),
}

impl LiveState {
    pub(super) const fn is_running(&self) -> bool {
        matches!(self, Self::Preparing | Self::Playing)
    }
}

/// Whether something has changed since the last report.
#[derive(Default)]
struct News {
    state: Mutex<NewsState>,
    changed: Condvar,
}

#[derive(Default)]
struct NewsState {
    is_fresh: bool,
    is_over: bool,
}

impl LiveTournament {
    pub(super) fn new(played: TournamentRun, catalog: Catalog) -> Self {
        let news = Arc::new(News::default());
        let told = Arc::clone(&news);
        let progress = Progress::new(&played.tournament).followed(move |_| told.tell());
        Self { progress, played, news, state: Mutex::new(LiveState::Preparing), catalog }
    }

    /// Plays the tournament, reporting changes until it ends.
    pub(crate) fn play(&self, free: fn() -> Budget, reports: &Sender<ArcadeEvent>) {
        thread::scope(|scope| {
            scope.spawn(|| self.news.report(reports));
            // Ends the reports even if a worker panics.
            let _over = Over(&self.news);
            let ended = self.run(free);
            *lock(&self.state) = match ended {
                Ok(()) => LiveState::Finished,
                Err(why) => LiveState::Failed(why),
            };
        });
    }

    fn run(&self, free: fn() -> Budget) -> Result<(), String> {
        let TournamentRun { tournament, folder, is_logged, jobs } = &self.played;
        let mut library = Library::new(free());
        let solve = |order: Order| order.run(free(), &Stopping(&self.progress));
        let logs = is_logged.then_some(folder);
        let cast = Cast::prepare::<Box<dyn Error>>(tournament, logs, &mut library, solve);
        let cast = cast.map_err(|error| error.to_string())?;
        *lock(&self.state) = LiveState::Playing;
        self.news.tell();
        let records = Some((folder, self.catalog));
        let ended = run(tournament, &cast, records, *jobs, &self.progress);
        ended.map_err(|error: RunError| error.to_string())
    }

    pub(super) fn state(&self) -> LiveState {
        lock(&self.state).clone()
    }

    /// The record of a game, as far as it has been played.
    pub(crate) fn record(&self, id: GameId) -> Result<Record, String> {
        match self.progress.record(id) {
            Some(record) => Ok(record),
            None => read_record_file(&self.played.folder.record(id), self.catalog)
                .map_err(|error| error.to_string()),
        }
    }
}

/// Cancels solving when the tournament is stopped.
struct Stopping<'a>(&'a Progress<'static>);

impl Watch for Stopping<'_> {
    fn advance(&self, _positions: u64) -> ControlFlow<()> {
        if self.0.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl News {
    fn tell(&self) {
        lock(&self.state).is_fresh = true;
        self.changed.notify_one();
    }

    /// Reports changes, at most ten times a second, until the tournament is over.
    fn report(&self, reports: &Sender<ArcadeEvent>) {
        let mut state = lock(&self.state);
        loop {
            let waits = |state: &mut NewsState| !state.is_fresh && !state.is_over;
            state = self.changed.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
            if state.is_over {
                return;
            }
            state.is_fresh = false;
            drop(state);
            // If the receiver is gone, the program is ending.
            drop(reports.send(ArcadeEvent::JobReport(JobReport::Tournament)));
            let rested = self
                .changed
                .wait_timeout_while(lock(&self.state), INTERVAL, |state| !state.is_over);
            state = rested.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Ends the reports when dropped.
struct Over<'a>(&'a News);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).is_over = true;
        self.0.changed.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
