//! Bots are held on a leash: each is the head of a process group, and everything it starts ends with it.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// The variable by which a bot's descendants are known, should they leave its group.
pub(super) const MARK: &str = "SKIRMISH_BOT";

/// The bots that are running. A bot is struck off before its number can be given to another process.
static RUNNING: Mutex<Vec<Leash>> = Mutex::new(Vec::new());

/// What a running bot is ended by.
#[derive(Clone, Debug)]
pub struct Leash(Arc<Held>);

#[derive(Debug)]
struct Held {
    group: Pid,
    mark: String,
}

/// A mark that no other bot bears.
pub(super) fn fresh_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed))
}

impl Leash {
    /// Takes a program on the leash that has just been started at the head of a group.
    pub(super) fn take(program: u32, mark: String) -> Self {
        let group = i32::try_from(program).ok().and_then(Pid::from_raw);
        let group = group.expect("a process has a positive number");
        let leash = Self(Arc::new(Held { group, mark }));
        running().push(leash.clone());
        leash
    }

    /// The program at the head.
    pub(super) fn program(&self) -> Pid {
        self.0.group
    }

    /// Ends the bot and everything it has started, unless it is let go already.
    pub fn cut(&self) {
        if running().iter().any(|leash| leash.is(self)) {
            self.kill();
        }
    }

    /// Ends the bot for good; `reap` collects what the system keeps of a program that has ended, after which its
    /// number is free.
    pub(super) fn let_go(&self, reap: impl FnOnce()) {
        let mut running = running();
        let Some(place) = running.iter().position(|leash| leash.is(self)) else { return };
        self.kill();
        reap();
        running.swap_remove(place);
    }

    /// Whether something that the bot has started still runs beside it.
    pub(super) fn has_followers(&self) -> bool {
        marked(&self.0.mark).any(|process| process != self.0.group)
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn kill(&self) {
        // Whoever is gone already need not be ended.
        let _ = kill_process_group(self.0.group, Signal::KILL);
        for process in marked(&self.0.mark) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

/// Ends every bot that runs, before the program itself ends.
pub fn end_all() {
    for leash in running().iter() {
        leash.kill();
    }
}

fn running() -> MutexGuard<'static, Vec<Leash>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processes that bear a mark, wherever they have gone. Where the system does not tell, there are none.
fn marked(mark: &str) -> impl Iterator<Item = Pid> {
    let sought = format!("{MARK}={mark}");
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(move |process| {
        let name = process.file_name();
        let number = name.to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let environment = fs::read(process.path().join("environ")).ok()?;
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|variable| variable == sought.as_bytes()).then_some(number)
    })
}
