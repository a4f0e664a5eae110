//! The registry of running bots: it ensures that no bot outlives this program, and that none starts while it ends.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use std::{io, thread};

use skirmish_system::Started;
use skirmish_system::process::Tree;

/// How long to wait for killed bots to end when the program ends.
const EXIT_TIMEOUT: Duration = Duration::from_millis(250);

/// The running bots. A thread must hold the lock to start or kill a bot.
static REGISTRY: Mutex<Registry> = Mutex::new(Registry { bots: Vec::new(), is_closed: false });

struct Registry {
    bots: Vec<Registration>,
    /// The program is ending: no bot may start.
    is_closed: bool,
}

/// A started bot. Its PID stays valid while it is registered, because bots are deregistered before they are reaped.
#[derive(Clone, Debug)]
pub(super) struct Registration(Arc<(Tree, KillHandle)>);

/// Kills a bot from another thread, whatever the bot is doing, or prevents it from starting.
#[derive(Clone, Debug, Default)]
pub struct KillHandle(Arc<AtomicBool>);

impl KillHandle {
    /// Kills the bot if it is running, and prevents it from starting again.
    pub fn kill(&self) {
        let registry = registry();
        self.0.store(true, Relaxed);
        for bot in registry.bots.iter().filter(|bot| bot.0.1.is(self)) {
            bot.tree().kill();
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
    /// Starts a program and registers it.
    pub(super) fn start(
        handle: &KillHandle,
        launch: impl FnOnce() -> io::Result<Started>,
    ) -> io::Result<(Started, Self)> {
        let mut registry = registry();
        if registry.is_closed || handle.is_used() {
            return Err(io::Error::other("it is no longer needed"));
        }
        let started = launch()?;
        let bot = Self(Arc::new((started.child.tree(), handle.clone())));
        registry.bots.push(bot.clone());
        Ok((started, bot))
    }

    /// The bot's processes.
    pub(super) fn tree(&self) -> &Tree {
        &self.0.0
    }

    /// Kills the bot and its processes and deregisters it, unless this has already happened. Reap the bot only
    /// afterwards: once reaped, the PID can be reused.
    pub(super) fn kill_and_deregister(&self) {
        let mut registry = registry();
        if let Some(place) = registry.bots.iter().position(|bot| Arc::ptr_eq(&bot.0, &self.0)) {
            self.tree().kill();
            registry.bots.swap_remove(place);
        }
    }
}

/// Kills all bots before the program ends. No bot can start afterwards.
pub fn end_all() {
    // The lock may be held by a thread that is starting a program from an unresponsive file system.
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
        bot.tree().kill();
    }
    let until = Instant::now() + EXIT_TIMEOUT;
    for bot in registry.bots.drain(..) {
        bot.tree().reap(until);
    }
}

/// Whether `end_all` has been called: from then on, faults no longer count against the bots.
#[must_use]
pub fn are_ended() -> bool {
    registry().is_closed
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}
