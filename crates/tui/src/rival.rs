//! A program that plays in the arcade. It thinks in background threads, so the screen never blocks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use skirmish_arena::bot::KillHandle;
use skirmish_arena::referee::Contestant;
use skirmish_play::player::{Computer, Player};
use skirmish_play::{Chance, Fault, Plan};
use skirmish_rules::{Side, Table};

use super::context::Context;

/// A program that plays. Dropping it ends the program, whatever it is doing.
pub(super) struct Rival {
    seat: SharedContestant,
    /// Kills the program while it thinks, if it is a bot.
    handle: Option<KillHandle>,
}

/// The contestant, shared with the threads in which it thinks.
#[derive(Clone)]
pub(super) struct SharedContestant(Arc<Mutex<Contestant>>);

impl Rival {
    /// The program that plays a side, if any; a computer only once it is prepared.
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
        Some(Self { seat: SharedContestant(Arc::new(Mutex::new(contestant))), handle })
    }

    pub(super) const fn is_bot(&self) -> bool {
        self.handle.is_some()
    }

    pub(super) fn seat(&self) -> SharedContestant {
        self.seat.clone()
    }

    /// Whether it accepts a draw offer.
    pub(super) fn accepts_draw(&self, table: &dyn Table, side: Side) -> bool {
        // A bot never does, and waiting for its lock would block while it thinks.
        !self.is_bot() && self.seat.lock().accepts_draw(table, side)
    }
}

impl SharedContestant {
    /// Asks the program without waiting for its choice.
    pub(super) fn ask_ahead(&self, table: &dyn Table, side: Side) {
        self.lock().ask_ahead(table, side);
    }

    /// The program's choice. Blocks while it thinks.
    pub(super) fn choose(
        &self,
        table: &dyn Table,
        side: Side,
        game: u32,
        undone: u32,
    ) -> Result<String, Fault> {
        self.lock().choose(table, side, game, undone)
    }

    fn lock(&self) -> MutexGuard<'_, Contestant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        let SharedContestant(contestant) = self.seat.clone();
        // A bot may take a while to exit. One that is thinking is killed without asking.
        thread::spawn(move || {
            if let Ok(mut idle) = contestant.try_lock() {
                idle.quit();
            }
            handle.kill();
        });
    }
}
