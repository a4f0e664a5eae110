//! A program that plays in the arcade. It thinks on background threads, so the screen never blocks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use skirmish_arena::bot::KillHandle;
use skirmish_arena::referee::Contestant;
use skirmish_play::player::{Computer, Player};
use skirmish_play::{Chance, Plan};
use skirmish_rules::{Side, Table};

use super::context::Context;

/// A program that plays. Dropping the rival ends the program, even while it is thinking.
pub(super) struct Rival {
    /// The player, shared with the threads on which it thinks.
    seat: Seat,
    /// Kills the bot, even while it is thinking; `None` for a computer player.
    handle: Option<KillHandle>,
}

pub(super) type Seat = Arc<Mutex<Contestant>>;

impl Rival {
    /// The program that plays a side, if any; a computer player exists only once the game is solved.
    pub(super) fn of(plan: &Plan, side: Side, context: &Context) -> Option<Self> {
        let contestant = match &plan.players[side] {
            Player::Human | Player::Absent(_) => return None,
            Player::Bot(command) => Contestant::bot(command.clone()),
            Player::Computer(level) => {
                let solved = Some(context.known(plan)?.solved).filter(|it| it.has_players())?;
                let chance = Chance::from_seed(plan.seed.unwrap_or_default());
                Contestant::Computer(Computer::new(*level, solved, chance))
            }
        };
        let handle = match &contestant {
            Contestant::Computer(_) => None,
            Contestant::Bot(bot) => Some(bot.kill_handle()),
        };
        Some(Self { seat: Arc::new(Mutex::new(contestant)), handle })
    }

    pub(super) const fn is_bot(&self) -> bool {
        self.handle.is_some()
    }

    pub(super) fn seat(&self) -> Seat {
        Arc::clone(&self.seat)
    }

    /// Whether the program accepts a draw offer.
    pub(super) fn accepts_draw(&self, table: &dyn Table, side: Side) -> bool {
        // A bot never accepts, and waiting for its lock would block while it is thinking.
        !self.is_bot() && lock(&self.seat).accepts_draw(table, side)
    }
}

pub(super) fn lock(seat: &Mutex<Contestant>) -> MutexGuard<'_, Contestant> {
    seat.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Rival {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        let contestant = self.seat();
        // An idle bot may take a while to exit. A thinking bot is killed without asking.
        thread::spawn(move || {
            if let Ok(mut idle) = contestant.try_lock() {
                idle.quit();
            }
            handle.kill();
        });
    }
}
