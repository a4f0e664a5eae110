//! The state that all screens share: the arcade's options, the look, background jobs, and solved games.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Instant;

use skirmish_play::library::{Effort, Finished, Knowledge, Library, Order, Subject, Wish};
use skirmish_play::{Plan, Solved};
use skirmish_present::map::Chart;
use skirmish_rules::Catalog;
use skirmish_store::{Keeper, PathKind, Preferences, Save, Theme};

use super::ArcadeOptions;
use super::bots::Bots;
use super::event::TerminalRequest;
use super::jobs::Jobs;
use super::look::Look;
use super::online::Online;
use super::tournament::CurrentTournament;

pub(super) struct Context {
    pub(super) options: ArcadeOptions,
    pub(super) look: Look,
    pub(super) bots: Bots,
    pub(super) jobs: Jobs,
    pub(super) now: Instant,
    library: Library,
    /// The state of the map of each solved game.
    charts: Vec<(Weak<Solved>, Mapped)>,
    tickets: u64,
    /// A message for the player, shown on any screen.
    pub(super) notice: Option<String>,
    /// What to ask of the terminal after the next picture.
    pub(super) requests: Vec<TerminalRequest>,
    /// The server to play on, if any.
    pub(super) online: Option<Online>,
    /// The server to which a connection is being made.
    pub(super) joining: Option<String>,
    /// The running tournament, or a finished one that the player has not left yet.
    pub(super) tournament: Option<CurrentTournament>,
}

/// The state of a map.
#[derive(Clone)]
enum Mapped {
    Drawing,
    Nothing,
    Chart(Arc<Chart>),
}

/// A solved game and its map.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) solved: Arc<Solved>,
    /// The map of the game, if there is one.
    pub(super) chart: Option<Arc<Chart>>,
}

impl Context {
    pub(super) fn new(mut options: ArcadeOptions, jobs: Jobs) -> Self {
        Self {
            look: (options.look_of)(&options.preferences),
            bots: Bots::new(options.trust.take()),
            library: Library::new(jobs.free()),
            charts: Vec::new(),
            jobs,
            now: Instant::now(),
            tickets: 0,
            notice: options.notice.take(),
            requests: Vec::new(),
            online: None,
            joining: None,
            tournament: None,
            options,
        }
    }

    pub(super) const fn catalog(&self) -> Catalog {
        self.options.catalog
    }

    /// Notifies the player on any screen that the tournament has ended.
    pub(super) fn follow_tournament(&mut self) {
        let Some(current) = &mut self.tournament else { return };
        if current.is_finished() {
            self.options.exit_hook.set_background(None);
        }
        if let Some(news) = current.news() {
            self.notice = Some(news);
        }
    }

    /// Whether a tournament is running, which would stop with the program.
    pub(super) fn is_tournament_running(&self) -> bool {
        self.tournament.as_ref().is_some_and(CurrentTournament::is_running)
    }

    /// A keeper that saves in the usual folders, or in the file of a resumed game.
    pub(super) fn keeper(&self, save: Option<Save>) -> Keeper {
        let keeper = if self.options.lacks_home {
            Keeper::without_home(self.options.exit_hook.clone())
        } else {
            Keeper::new(self.options.store.clone(), self.options.exit_hook.clone())
        };
        let keeper = keeper.on_full_screen().counting(self.options.statistics.clone());
        match save {
            Some(save) => keeper.resuming(save),
            None => keeper,
        }
    }

    /// The state of the library's knowledge about a game.
    pub(super) fn knowledge(&self, plan: &Plan) -> Knowledge {
        self.library.knowledge(&Subject::of(plan))
    }

    /// The game with its solution and map, if it is solved.
    pub(super) fn known(&self, plan: &Plan) -> Option<Known> {
        let solved = self.library.solved(&Subject::of(plan))?;
        let chart = match self.mapped(&solved) {
            Some(Mapped::Chart(chart)) => Some(Arc::clone(chart)),
            Some(Mapped::Drawing | Mapped::Nothing) | None => None,
        };
        Some(Known { solved, chart })
    }

    fn mapped(&self, solved: &Arc<Solved>) -> Option<&Mapped> {
        let found = self.charts.iter().find(|(of, _)| of.as_ptr() == Arc::as_ptr(solved));
        found.map(|(_, mapped)| mapped)
    }

    /// Whether a solved game turned out to have no map.
    pub(super) fn has_no_map(&self, plan: &Plan) -> bool {
        let solved = self.library.solved(&Subject::of(plan));
        solved.is_some_and(|solved| matches!(self.mapped(&solved), Some(Mapped::Nothing)))
    }

    /// Requests the map of a solved game, unless it exists or is being drawn.
    pub(super) fn draw_map(&mut self, solved: Arc<Solved>) {
        if self.mapped(&solved).is_none() {
            self.charts.push((Arc::downgrade(&solved), Mapped::Drawing));
            self.jobs.draw_map(solved);
        }
    }

    /// Stores the map of a solved game; `None` records that there is no map.
    pub(super) fn take_map(&mut self, solved: &Arc<Solved>, chart: Option<Chart>) {
        self.charts.retain(|(of, _)| of.strong_count() > 0);
        self.charts.retain(|(of, _)| of.as_ptr() != Arc::as_ptr(solved));
        let mapped = chart.map_or(Mapped::Nothing, |chart| Mapped::Chart(Arc::new(chart)));
        self.charts.push((Arc::downgrade(solved), mapped));
    }

    /// Requests the solution of a game, unless it is already solved or cannot be solved.
    pub(super) fn learn(&mut self, plan: &Plan, effort: Effort) {
        self.want(Wish { pressures: true, effort, ..Wish::values(Subject::of(plan)) });
    }

    /// Requests the solution that the computer needs to play a game.
    pub(super) fn train(&mut self, plan: &Plan) {
        self.want(Wish { pressures: true, ..Wish::players(Subject::of(plan)) });
    }

    fn want(&mut self, wish: Wish) {
        let order = self.library.want(wish);
        self.begin(order);
    }

    fn begin(&self, order: Option<Order>) {
        if let Some(order) = order {
            self.jobs.solve(order);
        }
    }

    /// Cancels solving.
    pub(super) fn cancel_solving(&mut self) {
        self.library.give_up();
    }

    /// Stores the result of solving a game, and the map if there is one.
    pub(super) fn take(&mut self, finished: Finished, chart: Option<Chart>) {
        if let Some(solved) = finished.solved() {
            // An older map of the same game may lack the pressures.
            self.charts.retain(|(of, _)| of.as_ptr() != Arc::as_ptr(solved));
            if let Some(chart) = chart {
                self.take_map(solved, Some(chart));
            }
        }
        let next = self.library.take(finished);
        self.begin(next);
    }

    /// Returns an unused number to identify a question.
    pub(super) const fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// Applies another theme and saves it.
    pub(super) fn adopt_theme(&mut self, theme: Theme) {
        self.adopt(Preferences { theme, ..self.options.preferences.clone() });
    }

    /// Applies changed settings and saves them.
    pub(super) fn adopt(&mut self, preferences: Preferences) {
        self.look = (self.options.look_of)(&preferences);
        if let Some(file) = &self.options.settings_file
            && let Err(error) = file.write(&preferences)
        {
            self.notice = Some(format!("The settings could not be saved: {error}."));
        }
        self.options.preferences = preferences;
    }
}

/// The path of a file named by the player. `-` is standard output.
pub(super) fn named_file(name: &str, context: &Context) -> PathBuf {
    if name == "-" { PathBuf::from(name) } else { context.options.folder.join(name) }
}

/// Whether a path resolves to the terminal that the arcade draws on.
pub(super) fn is_screen(path: &Path) -> bool {
    matches!(PathKind::of(path), Ok(PathKind::StandardOutput | PathKind::Terminal))
}
