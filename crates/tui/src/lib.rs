#![doc = include_str!("../README.md")]

mod after;
mod analysis;
mod app;
mod bots;
mod context;
mod event;
mod exercise;
mod facts;
mod form;
mod fuzzy;
mod home;
mod jobs;
mod keys;
mod library;
mod log;
mod look;
mod map;
mod markdown;
mod motion;
pub mod online;
mod options;
mod overlay;
mod pages;
mod palette;
mod parts;
mod play;
mod puzzle;
mod replay;
mod rival;
mod save;
mod score;
mod screen;
mod scroll;
mod settings;
mod setup;
mod stage;
mod tournament;
mod tutorial;

#[cfg(test)]
mod tests;

/// A test-only game that exercises every part of the program.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::SystemTime;

use skirmish_arena::Trust;
use skirmish_play::puzzle::PuzzleRequest;
use skirmish_play::{Budget, Day, Plan, Session};
use skirmish_rules::{Catalog, Record};
use skirmish_store::{
    ExitHook, Keeper, Preferences, PreferencesFile, PuzzleFile, Statistics, Store,
};

pub use self::app::App;
use self::context::Context;
pub use self::event::{ArcadeEvent, TerminalRequest};
use self::jobs::Jobs;
pub use self::look::{Depth, Look};
use self::online::{Link, LobbyScreen, Online, OnlineGoal, OnlinePlay};
use self::play::LocalPlay;
use self::puzzle::PuzzleScreen;
use self::replay::Replay;
use self::screen::Screen;
pub use self::tournament::TournamentRun;
use self::tournament::TournamentScreen;

/// How the arcade was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// The player left.
    Left,
    /// A signal with this number, or a key with the same effect.
    Signal(u8),
}

impl Closed {
    /// Ctrl-C, as a signal or as a key.
    pub const INTERRUPTED: Self = Self::Signal(2);
    /// The terminal has hung up, with or without a signal.
    pub const HUNG_UP: Self = Self::Signal(1);
}

/// Options for opening an arcade.
pub struct ArcadeOptions {
    /// The games to play.
    pub catalog: Catalog,
    /// The player's settings.
    pub preferences: Preferences,
    /// Applies flags and the environment to the player's settings.
    pub look_of: Box<dyn Fn(&Preferences) -> Look + Send>,
    /// The store of saved games; `None` if games are not saved.
    pub store: Option<Store>,
    /// Whether games cannot be saved because no home directory is known.
    pub lacks_home: bool,
    /// The statistics of finished games; `None` if games are not counted.
    pub statistics: Option<Statistics>,
    /// The file with puzzle results; `None` if they are not stored.
    pub puzzles: Option<PuzzleFile>,
    /// Returns the current day, for the puzzle of the day.
    pub today: fn() -> Day,
    /// The settings file; `None` if settings are not saved.
    pub settings_file: Option<PreferencesFile>,
    /// Receives the message for the player if the program is ended by a signal.
    pub exit_hook: ExitHook,
    /// The base folder for file names typed by the player.
    pub folder: PathBuf,
    /// Returns the current time, to show how long ago a game was saved.
    pub clock: fn() -> SystemTime,
    /// A message to show on opening.
    pub notice: Option<String>,
    /// Stores the commands of bots that the player has started; `None` if nothing is stored.
    pub trust: Option<Trust>,
    /// The folder that stores tournaments.
    pub tournaments: PathBuf,
    /// Returns the memory available for solved games.
    pub free_memory: fn() -> Budget,
    /// Connects to a server, given its address or an invitation, and sends [`ArcadeEvent::Joined`].
    pub join: Box<dyn Fn(String) + Send>,
    /// The address of the last server, or an empty string.
    pub last_server: String,
}

/// The first screen.
pub enum Start {
    /// The home screen.
    Home,
    /// A game.
    Play(Box<Opened>),
    /// A recorded game.
    Replay(Box<Record>),
    /// Puzzles.
    Puzzle(Box<PuzzleRequest>),
    /// A tournament, which starts immediately.
    Tournament(Box<TournamentRun>),
    /// A server.
    Online {
        /// The connection to the server.
        link: Box<dyn Link>,
        /// The screen to open.
        goal: OnlineGoal,
        /// The address of the server.
        server: String,
    },
}

/// A game that is ready to play.
pub struct Opened {
    /// The plan of the game.
    pub plan: Plan,
    /// The game so far.
    pub session: Session,
    /// Saves the game to disk.
    pub keeper: Keeper,
}

impl App {
    /// Opens an arcade. Background jobs send results to `events`; pass everything received from its receiver to [`App::take`].
    #[must_use]
    pub fn open(options: ArcadeOptions, start: Start, events: Sender<ArcadeEvent>) -> Self {
        let jobs = Jobs::new(events, false, options.free_memory);
        let mut context = Context::new(options, jobs);
        let front = start.screens(&mut context);
        Self::new(context, front)
    }
}

impl Start {
    /// The screens in front of the home screen.
    fn screens(self, context: &mut Context) -> Vec<Box<dyn Screen>> {
        match self {
            Start::Home => Vec::new(),
            Start::Play(opened) => {
                let Opened { plan, session, keeper } = *opened;
                vec![Box::new(LocalPlay::open(plan, session, keeper, context))]
            }
            Start::Replay(record) => vec![Box::new(Replay::new(*record, false, context))],
            Start::Puzzle(request) => match PuzzleScreen::new(*request, context) {
                Ok(screen) => vec![Box::new(screen)],
                Err(why) => {
                    context.notice = Some(why);
                    Vec::new()
                }
            },
            Start::Tournament(played) => {
                context.bots.start(played.tournament.bots(), &context.options.folder);
                vec![Box::new(TournamentScreen::new(*played, context))]
            }
            Start::Online { link, goal, server } => {
                context.online = Some(Online::new(link, server));
                let mut screens: Vec<Box<dyn Screen>> = vec![Box::new(LobbyScreen::new(context))];
                if let OnlineGoal::Game { code, watch } = goal {
                    screens.push(Box::new(OnlinePlay::new(&code, watch, context)));
                }
                screens
            }
        }
    }
}
