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

/// A game that exists only in the tests, and passes through every part of the program.
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
pub use self::event::ArcadeEvent;
use self::jobs::Jobs;
pub use self::look::{Depth, Look};
use self::online::{Link, LobbyScreen, Online, OnlineGame, OnlineGoal};
use self::play::LocalGame;
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
    /// A signal of this number, or a key with the same effect.
    Signal(u8),
}

impl Closed {
    /// Ctrl-C, as a signal or as a key.
    pub const INTERRUPTED: Self = Self::Signal(2);
    /// The terminal has hung up, with or without a signal.
    pub const HUNG_UP: Self = Self::Signal(1);
}

/// The options of an arcade.
pub struct ArcadeOptions {
    /// The games to play.
    pub catalog: Catalog,
    /// The player's settings.
    pub preferences: Preferences,
    /// Applies flags and the environment to the player's settings.
    pub look_of: Box<dyn Fn(&Preferences) -> Look + Send>,
    /// Where games are saved, if at all.
    pub store: Option<Store>,
    /// Whether games should be saved, but no home directory is known.
    pub lacks_home: bool,
    /// Where finished games are counted, if at all.
    pub statistics: Option<Statistics>,
    /// Where puzzles are counted, if at all.
    pub puzzles: Option<PuzzleFile>,
    /// The current day, for the puzzle of the day.
    pub today: fn() -> Day,
    /// Where the settings are saved, if at all.
    pub settings_file: Option<PreferencesFile>,
    /// Receives the message for the player if the program is ended by a signal.
    pub exit_hook: ExitHook,
    /// The folder to which file names typed by the player are relative.
    pub folder: PathBuf,
    /// Tells the time of day, for how long ago a game was saved.
    pub clock: fn() -> SystemTime,
    /// A message to show at once.
    pub notice: Option<String>,
    /// Where the commands of bots that the player has started are remembered, if at all.
    pub trust: Option<Trust>,
    /// Where tournaments are stored.
    pub tournaments: PathBuf,
    /// The memory available for solved games.
    pub free_memory: fn() -> Budget,
    /// Connects to a server, given its address or an invitation, and sends [`ArcadeEvent::Joined`].
    pub join: Box<dyn Fn(String) + Send>,
    /// The address of the last server, or nothing.
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
    /// A tournament, which starts at once.
    Tournament(Box<TournamentRun>),
    /// A server.
    Online {
        /// The way to it.
        link: Box<dyn Link>,
        /// Where to go.
        goal: OnlineGoal,
        /// Its address.
        server: String,
    },
}

/// A game that is ready to play.
pub struct Opened {
    /// Its plan.
    pub plan: Plan,
    /// The game so far.
    pub session: Session,
    /// Saves it to disk.
    pub keeper: Keeper,
}

impl App {
    /// Opens an arcade. Background jobs send their results to `events`: pass everything received there to [`App::take`].
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
                vec![Box::new(LocalGame::open(plan, session, keeper, context))]
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
                context.bots.start(played.tournament.bots(), &context.folder);
                vec![Box::new(TournamentScreen::new(*played, context))]
            }
            Start::Online { link, goal, server } => {
                context.online = Some(Online::new(link, server));
                let mut screens: Vec<Box<dyn Screen>> = vec![Box::new(LobbyScreen::new(context))];
                if let OnlineGoal::Game { code, watch } = goal {
                    screens.push(Box::new(OnlineGame::new(&code, watch, context)));
                }
                screens
            }
        }
    }
}
