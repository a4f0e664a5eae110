//! What all screens share: the catalogue, the look, the player's settings, saved games, and what is known of
//! the games that are played.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Instant;

use skirmish_play::library::{Effort, Finished, Knowledge, Library, Order, Subject, Wish};
use skirmish_play::{Plan, Proposal, Solved};
use skirmish_present::map::Chart;
use skirmish_rules::Catalog;
use skirmish_store::{
    ExitHook, Keeper, PathKind, Preferences, PreferencesFile, Save, Statistics, Store,
    fresh_chance, today,
};

use super::ArcadeOptions;
use super::jobs::Jobs;
use super::look::Look;

pub(super) struct Context {
    pub(super) catalog: Catalog,
    pub(super) look: Look,
    pub(super) preferences: Preferences,
    /// What flags and the environment make of the player's settings.
    pub(super) look_of: Box<dyn Fn(&Preferences) -> Look + Send>,
    /// Where games are saved, if they are.
    pub(super) store: Option<Store>,
    /// Whether games should be saved, but there is no home to save them in.
    pub(super) is_homeless: bool,
    pub(super) statistics: Option<Statistics>,
    /// Where the settings are kept, if they are.
    pub(super) settings_file: Option<PreferencesFile>,
    pub(super) exit_hook: ExitHook,
    /// Where the files lie that the player names.
    pub(super) folder: PathBuf,
    pub(super) jobs: Jobs,
    pub(super) now: Instant,
    library: Library,
    /// The maps of solved games that have one.
    charts: Vec<(Weak<Solved>, Arc<Chart>)>,
    tickets: u64,
    /// Something the player should know, whatever the screen.
    pub(super) notice: Option<String>,
}

/// A game with everything that is known of it.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) solved: Arc<Solved>,
    /// Its map, if it has one that a screen can show.
    pub(super) chart: Option<Arc<Chart>>,
}

impl Context {
    pub(super) fn new(options: ArcadeOptions, jobs: Jobs) -> Self {
        let ArcadeOptions { catalog, preferences, look_of, notice, .. } = options;
        Self {
            catalog,
            look: look_of(&preferences),
            preferences,
            look_of,
            store: options.store,
            is_homeless: options.is_homeless,
            statistics: options.statistics,
            settings_file: options.settings_file,
            exit_hook: options.exit_hook,
            folder: options.folder,
            library: Library::new(jobs.free()),
            charts: Vec::new(),
            jobs,
            now: Instant::now(),
            tickets: 0,
            notice,
        }
    }

    /// Keeps a game in these folders; in the file it was read from, if it goes on.
    pub(super) fn keeper(&self, save: Option<Save>) -> Keeper {
        let keeper = if self.is_homeless {
            Keeper::homeless(self.exit_hook.clone())
        } else {
            Keeper::new(self.store.clone(), self.exit_hook.clone())
        };
        let keeper = keeper.counting(self.statistics.clone());
        match save {
            Some(save) => keeper.resuming(save),
            None => keeper,
        }
    }

    /// The game that somebody asks for, or why it cannot be played.
    pub(super) fn plan(&self, mut proposal: Proposal) -> Result<Plan, String> {
        if proposal.needs_seed() {
            let chance = fresh_chance().map_err(|error| error.to_string())?;
            proposal.seed = Some(chance.seed());
        }
        proposal.plan(Some(today())).map_err(|error| error.to_string())
    }

    /// What is known of a game.
    pub(super) fn knowledge(&self, plan: &Plan) -> Knowledge {
        self.library.knowledge(&Subject::of(plan))
    }

    /// The game solved, if it is.
    pub(super) fn known(&self, plan: &Plan) -> Option<Known> {
        let Knowledge::Known(solved) = self.knowledge(plan) else { return None };
        let is_of = |of: &Weak<Solved>| std::ptr::eq(of.as_ptr(), Arc::as_ptr(&solved));
        let chart = self.charts.iter().find(|(of, _)| is_of(of));
        let chart = chart.map(|(_, chart)| Arc::clone(chart));
        Some(Known { solved, chart })
    }

    /// Sees to it that a game is solved, unless it is or cannot be.
    pub(super) fn learn(&mut self, plan: &Plan, effort: Effort) {
        self.want(Wish { pressures: true, effort, ..Wish::values(Subject::of(plan)) });
    }

    /// Sees to it that the computer can play a game.
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

    /// Gives up whatever is being solved: nobody waits for it any more.
    pub(super) fn give_up(&mut self) {
        self.library.give_up();
    }

    /// Takes in a solved game with its map, or why there is none.
    pub(super) fn take(&mut self, finished: Finished, chart: Option<Chart>) {
        self.charts.retain(|(of, _)| of.strong_count() > 0);
        if let (Some(solved), Some(chart)) = (finished.solved(), chart) {
            self.charts.push((Arc::downgrade(solved), Arc::new(chart)));
        }
        let next = self.library.take(finished);
        self.begin(next);
    }

    /// A number that no question had before.
    pub(super) const fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// Takes over changed settings, and keeps them.
    pub(super) fn adopt(&mut self, preferences: Preferences) {
        self.preferences = preferences;
        self.look = (self.look_of)(&self.preferences);
        if let Some(file) = &self.settings_file
            && let Err(error) = file.write(&self.preferences)
        {
            self.notice = Some(format!("The settings are not kept: {error}."));
        }
    }
}

/// A file that the player names. `-` is standard output here as everywhere.
pub(super) fn named_file(name: &str, context: &Context) -> PathBuf {
    if name == "-" { PathBuf::from(name) } else { context.folder.join(name) }
}

/// Whether a path leads to the terminal that the arcade draws on.
pub(super) fn is_screen(path: &Path) -> bool {
    matches!(PathKind::of(path), Ok(PathKind::StandardOutput | PathKind::Terminal))
}
