//! The arcade: full screen, drawn only when something happens. It draws on any ratatui backend, takes its input as
//! [`ArcadeEvent`]s and has no state outside an [`App`], so that several can run in one process.

mod after;
mod analysis;
mod app;
mod board;
mod context;
mod event;
mod home;
mod jobs;
mod keys;
mod library;
mod look;
mod motion;
mod pages;
mod parts;
mod play;
mod replay;
mod rival;
mod score;
mod screen;
mod settings;
mod setup;
mod tutorial;

#[cfg(test)]
mod tests;

/// A game that exists only in the tests: it goes through every part of the program.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;

use std::path::PathBuf;
use std::sync::mpsc::Sender;

use skirmish_play::{Budget, Plan, Session};
use skirmish_rules::{Catalog, Record};
use skirmish_store::{ExitHook, Keeper, Preferences, PreferencesFile, Statistics, Store};

pub use self::app::App;
use self::context::Context;
pub use self::event::ArcadeEvent;
use self::jobs::Jobs;
pub use self::look::{Depth, Look};
use self::play::Play;
use self::replay::Replay;
use self::screen::Screen;

/// How the arcade was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// Somebody left it.
    Left,
    /// By a signal of this number, or a key to the same effect.
    Signal(u8),
}

impl Closed {
    /// Ctrl-C, whether it came as a signal or as a key.
    pub const INTERRUPTED: Self = Self::Signal(2);
    /// The terminal has gone, whether or not a signal said so.
    pub const HUNG_UP: Self = Self::Signal(1);
}

/// What an arcade is made of.
pub struct ArcadeOptions {
    /// The games that can be played.
    pub catalog: Catalog,
    /// The player's settings.
    pub preferences: Preferences,
    /// What flags and the environment make of the player's settings.
    pub look_of: Box<dyn Fn(&Preferences) -> Look + Send>,
    /// Where games are saved, if they are.
    pub store: Option<Store>,
    /// Whether games should be saved, but there is no home to save them in.
    pub is_homeless: bool,
    /// Where games that ended are counted, if they are.
    pub statistics: Option<Statistics>,
    /// Where the settings are kept, if they are.
    pub settings_file: Option<PreferencesFile>,
    /// What to tell the player when the program has to end at once.
    pub exit_hook: ExitHook,
    /// Where the files lie that the player names.
    pub folder: PathBuf,
    /// Something the player should know at once.
    pub notice: Option<String>,
    /// The memory that is free for solved games.
    pub free_memory: fn() -> Budget,
}

/// What the arcade opens with.
pub enum Start {
    /// The home screen.
    Home,
    /// A game.
    Play(Box<Opened>),
    /// A recorded game.
    Replay(Box<Record>),
}

/// A game that is ready to be played.
pub struct Opened {
    /// What is played.
    pub plan: Plan,
    /// The game so far.
    pub session: Session,
    /// What keeps it on disk.
    pub keeper: Keeper,
}

impl App {
    /// Opens an arcade. Work in the background reports to `events`: whatever is received there has to be given to
    /// [`App::take`].
    #[must_use]
    pub fn open(options: ArcadeOptions, start: Start, events: Sender<ArcadeEvent>) -> Self {
        let jobs = Jobs::new(events, false, options.free_memory);
        let mut context = Context::new(options, jobs);
        let front: Option<Box<dyn Screen>> = match start {
            Start::Home => None,
            Start::Play(opened) => {
                let Opened { plan, session, keeper } = *opened;
                Some(Box::new(Play::of(plan, session, keeper, &mut context)))
            }
            Start::Replay(record) => Some(Box::new(Replay::new(*record, false, &mut context))),
        };
        Self::new(context, front)
    }
}
