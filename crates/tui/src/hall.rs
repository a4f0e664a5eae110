//! What all screens share: the catalogue, the look, the player's settings, saved games, and what is known of
//! the games that are played.

use std::path::{Path, PathBuf};
use std::time::Instant;

use skirmish_play::{Plan, Proposal};
use skirmish_rules::Catalog;
use skirmish_store::{
    ExitHook, Keeper, Kind, Preferences, PreferencesFile, Save, Statistics, Store, fresh_chance,
    today,
};

use super::Options;
use super::jobs::{Effort, Jobs, Key, Known, Report};
use super::look::Look;

pub(super) struct Hall {
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
    known: Vec<(Key, Knowledge)>,
    tickets: u64,
    /// Something the player should know, whatever the screen.
    pub(super) notice: Option<String>,
}

/// The most games that are remembered solved: each can take much memory.
const MOST_KNOWN: usize = 8;

/// How far the knowledge of a game goes.
pub(super) enum Knowledge {
    Working(Effort),
    Known(Known),
    Refused(Effort, String),
}

impl Hall {
    pub(super) fn new(options: Options, jobs: Jobs) -> Self {
        let Options { catalog, preferences, look_of, notice, .. } = options;
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
            jobs,
            now: Instant::now(),
            known: Vec::new(),
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
    pub(super) fn knowledge(&self, plan: &Plan) -> Option<&Knowledge> {
        let key = Key::of(plan);
        self.known.iter().find(|(known, _)| *known == key).map(|(_, knowledge)| knowledge)
    }

    /// The game solved, if it is.
    pub(super) fn known(&self, plan: &Plan) -> Option<Known> {
        match self.knowledge(plan) {
            Some(Knowledge::Known(known)) => Some(known.clone()),
            Some(Knowledge::Working(_) | Knowledge::Refused(..)) | None => None,
        }
    }

    /// Sees to it that a game is solved, unless it is or cannot be.
    pub(super) fn learn(&mut self, plan: &Plan, effort: Effort) {
        let enough = match self.knowledge(plan) {
            None => false,
            Some(Knowledge::Known(_)) => true,
            Some(Knowledge::Working(before) | Knowledge::Refused(before, _)) => {
                *before == Effort::Full || effort == Effort::Slight
            }
        };
        if !enough {
            self.note(Key::of(plan), Knowledge::Working(effort));
            self.jobs.solve(plan, effort);
        }
    }

    /// Gives up whatever is being solved: nobody waits for it any more.
    pub(super) fn give_up(&mut self) {
        self.jobs.give_up();
        self.known.retain(|(_, knowledge)| !matches!(knowledge, Knowledge::Working(_)));
    }

    /// Remembers what a report says.
    pub(super) fn hear(&mut self, report: &Report) {
        if let Report::Solved { game, result } = report {
            let before = self.known.iter().find(|(key, _)| key == game);
            let effort = match before {
                Some((_, Knowledge::Working(effort))) => *effort,
                _ => Effort::Slight,
            };
            let knowledge = match result {
                Ok(known) => Knowledge::Known(known.clone()),
                Err(why) => Knowledge::Refused(effort, why.clone()),
            };
            self.note(game.clone(), knowledge);
        }
    }

    fn note(&mut self, key: Key, knowledge: Knowledge) {
        self.known.retain(|(known, _)| *known != key);
        if self.known.len() >= MOST_KNOWN {
            self.known.remove(0);
        }
        self.known.push((key, knowledge));
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
pub(super) fn named_file(name: &str, hall: &Hall) -> PathBuf {
    if name == "-" { PathBuf::from(name) } else { hall.folder.join(name) }
}

/// Whether a path leads to the terminal that the arcade draws on.
pub(super) fn is_screen(path: &Path) -> bool {
    matches!(Kind::of(path), Ok(Kind::StandardOutput | Kind::Terminal))
}
