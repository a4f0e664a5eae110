//! A running tournament: the results so far, the games in progress, and a way to stop it.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use skirmish_play::Session;
use skirmish_rules::Record;

use super::Tournament;
use super::board::{Board, GameId};
use crate::bot::KillHandle;
use crate::referee::Contestant;

/// The observable state of a running tournament, accessible from any thread.
pub struct Progress<'a> {
    board: Mutex<Board>,
    playing: Mutex<Vec<GameInProgress>>,
    is_stopped: AtomicBool,
    watch: Option<WatchHook<'a>>,
    follow: Option<FollowHook<'a>>,
}

/// A function that is called after every game.
type WatchHook<'a> = Box<dyn Fn(&Board) + Send + Sync + 'a>;

/// A function that is called after every turn and every game.
type FollowHook<'a> = Box<dyn Fn(&Progress) + Send + Sync + 'a>;

/// A game that is being played.
struct GameInProgress {
    id: GameId,
    /// The turns so far; updated only if a follower is registered.
    record: Record,
    /// Handles that kill the game's bots.
    handles: Vec<KillHandle>,
}

impl<'a> Progress<'a> {
    /// The progress of a tournament that has not begun.
    #[must_use]
    pub fn new(tournament: &Tournament) -> Self {
        Self {
            board: Mutex::new(Board::new(tournament)),
            playing: Mutex::new(Vec::new()),
            is_stopped: AtomicBool::new(false),
            watch: None,
            follow: None,
        }
    }

    /// Adds a function to call after every game.
    #[must_use]
    pub fn watched(self, watch: impl Fn(&Board) + Send + Sync + 'a) -> Self {
        Self { watch: Some(Box::new(watch)), ..self }
    }

    /// Adds a function to call after every turn and every game. The turns of games in progress are then kept.
    #[must_use]
    pub fn followed(self, follow: impl Fn(&Progress) + Send + Sync + 'a) -> Self {
        Self { follow: Some(Box::new(follow)), ..self }
    }

    /// The results so far. No game can begin or end while the guard is held.
    pub fn board(&self) -> MutexGuard<'_, Board> {
        lock(&self.board)
    }

    /// The results, once no games are being played.
    #[must_use]
    pub fn into_board(self) -> Board {
        self.board.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The games in progress, each with its number of turns, oldest first.
    #[must_use]
    pub fn playing(&self) -> Vec<(GameId, usize)> {
        lock(&self.playing).iter().map(|game| (game.id, game.record.turns.len())).collect()
    }

    /// The turns so far of a game in progress, if they are kept.
    #[must_use]
    pub fn record(&self, id: GameId) -> Option<Record> {
        let playing = lock(&self.playing);
        playing.iter().find(|game| game.id == id).map(|game| game.record.clone())
    }

    /// Stops the tournament: abandons the games in progress and kills their bots.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
        for handle in lock(&self.playing).iter().flat_map(|game| &game.handles) {
            handle.kill();
        }
    }

    /// Whether the tournament has been stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    pub(super) fn begin(&self, id: GameId, session: &Session, contestants: [&Contestant; 2]) {
        let handle = |contestant: &Contestant| match contestant {
            Contestant::Computer(_) => None,
            Contestant::Bot(bot) => Some(bot.kill_handle()),
        };
        let handles = contestants.into_iter().filter_map(handle).collect();
        let record = session.record();
        lock(&self.playing).push(GameInProgress { id, record, handles });
        self.tell_follower();
    }

    /// Records that a turn has been played.
    pub(super) fn turn(&self, id: GameId, session: &Session) {
        if self.follow.is_none() {
            return;
        }
        if let Some(game) = lock(&self.playing).iter_mut().find(|game| game.id == id) {
            game.record = session.record();
        }
        self.tell_follower();
    }

    /// Records that a game has ended or been abandoned.
    pub(super) fn end(&self, id: GameId) {
        lock(&self.playing).retain(|game| game.id != id);
        if let Some(watch) = &self.watch {
            watch(&self.board());
        }
        self.tell_follower();
    }

    fn tell_follower(&self) {
        if let Some(follow) = &self.follow {
            follow(self);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
