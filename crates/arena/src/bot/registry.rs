//! The bots that are running, so that none outlives the program and none starts while the program ends.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use std::{io, thread};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::launch::{Launched, Mark};
use super::owned::{has_members, kill_bot};

/// How long bots that have been killed are waited for when the program ends.
const EXIT_TIMEOUT: Duration = Duration::from_millis(250);

/// The bots that are running. Whoever starts or kills one holds the lock.
static REGISTRY: Mutex<Registry> = Mutex::new(Registry { bots: Vec::new(), is_closed: false });

struct Registry {
    bots: Vec<Registration>,
    /// The program is ending: no bot starts any more.
    is_closed: bool,
}

/// A bot that has been started. Its PID is its own as long as it is registered, because it is deregistered before it is
/// reaped.
#[derive(Clone, Debug)]
pub(super) struct Registration(Arc<Started>);

#[derive(Debug)]
struct Started {
    leader: Pid,
    mark: Mark,
    handle: KillHandle,
}

/// Kills a bot from another thread, whatever the bot is doing, and keeps one from starting that has not yet.
#[derive(Clone, Debug, Default)]
pub struct KillHandle(Arc<AtomicBool>);

impl KillHandle {
    /// Kills the bot if it runs. It cannot start again.
    pub fn kill(&self) {
        let registry = registry();
        self.0.store(true, Relaxed);
        for bot in registry.bots.iter().filter(|bot| bot.0.handle.is(self)) {
            bot.kill();
        }
    }

    fn is_used(&self) -> bool {
        self.0.load(Relaxed)
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Registration {
    /// Starts a program as the leader of a session, and registers it.
    pub(super) fn start(
        handle: &KillHandle,
        mark: Mark,
        launch: impl FnOnce(&Mark) -> io::Result<Launched>,
    ) -> io::Result<(Launched, Self)> {
        let mut registry = registry();
        if registry.is_closed || handle.is_used() {
            return Err(io::Error::other("it is no longer needed"));
        }
        let launched = launch(&mark)?;
        let leader = launched.pid();
        let bot = Self(Arc::new(Started { leader, mark, handle: handle.clone() }));
        registry.bots.push(bot.clone());
        Ok((launched, bot))
    }

    /// The bot's own process.
    pub(super) fn leader(&self) -> Pid {
        self.0.leader
    }

    /// Kills the bot and its processes and deregisters it, unless that has been done. It can be reaped after this:
    /// once reaped, its PID can be reused.
    pub(super) fn kill_and_deregister(&self) {
        let mut registry = registry();
        if let Some(place) = registry.bots.iter().position(|bot| Arc::ptr_eq(&bot.0, &self.0)) {
            self.kill();
            registry.bots.swap_remove(place);
        }
    }

    /// Whether something that the bot has started still runs.
    pub(super) fn has_members(&self) -> bool {
        has_members(self.0.leader, self.0.mark.bot())
    }

    fn kill(&self) {
        kill_bot(self.0.leader, self.0.mark.bot());
    }

    /// Reaps the bot if it ends in time: not every system has an init process that does it when we are gone.
    fn reap(&self, until: Instant) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        while matches!(waitid(WaitId::Pid(self.0.leader), options), Ok(None))
            && Instant::now() < until
        {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Kills every bot before the program ends. None can start after this.
pub fn end_all() {
    // Whoever holds the lock may be starting a program from a file system that does not answer.
    let until = Instant::now() + EXIT_TIMEOUT;
    let mut registry = loop {
        match REGISTRY.try_lock() {
            Ok(registry) => break registry,
            Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => return,
        }
    };
    registry.is_closed = true;
    for bot in &registry.bots {
        bot.kill();
    }
    let until = Instant::now() + EXIT_TIMEOUT;
    for bot in registry.bots.drain(..) {
        bot.reap(until);
    }
}

/// Whether all bots have been killed for good: what they seem to do wrong then is not their fault.
#[must_use]
pub fn are_ended() -> bool {
    registry().is_closed
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}
