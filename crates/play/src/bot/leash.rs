//! Bots are held on a leash: each is the head of a process group, and everything it starts ends with it.

use std::fs;
use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

/// The variable by which a bot's descendants are known, should they leave its group.
pub(super) const MARK: &str = "SKIRMISH_BOT";

/// How often what a bot has started is looked for when it is ended.
const MOST_LOOKS: usize = 8;

/// The bots that are running. A bot is struck off before its number can be given to another process.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    leashes: Vec::new(),
    collecting: Vec::new(),
    adopts: false,
    has_begun: false,
    is_over: false,
});

/// Whoever starts a bot or ends one holds this, so that none can slip out in between.
struct Running {
    leashes: Vec<Leash>,
    /// Programs that have been let go, and of which somebody is about to learn how they ended.
    collecting: Vec<Pid>,
    /// Whether what loses its parent becomes our child.
    adopts: bool,
    /// Whether there has been a bot at all.
    has_begun: bool,
    /// The program is ending: no bot starts any more.
    is_over: bool,
}

/// What a running bot is ended by.
#[derive(Clone, Debug)]
pub(super) struct Leash(Arc<Held>);

#[derive(Debug)]
struct Held {
    group: Pid,
    mark: String,
    tether: Tether,
}

/// What ends a bot from another thread, whatever it is doing: also one that is about to start.
#[derive(Clone, Debug, Default)]
pub struct Tether(Arc<AtomicBool>);

impl Tether {
    /// Ends the bot if it runs. It cannot start again.
    pub fn cut(&self) {
        let running = running();
        self.0.store(true, Relaxed);
        for leash in running.leashes.iter().filter(|leash| leash.0.tether.is(self)) {
            leash.kill();
        }
    }

    fn is_cut(&self) -> bool {
        self.0.load(Relaxed)
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A mark that no other bot bears.
pub(super) fn fresh_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed))
}

impl Leash {
    /// Starts a program at the head of a group, and takes it on the leash.
    pub(super) fn take(
        tether: &Tether,
        mark: String,
        start: impl FnOnce() -> io::Result<Child>,
    ) -> io::Result<(Child, Self)> {
        let mut running = running();
        if running.is_over || tether.is_cut() {
            return Err(io::Error::other("it is not wanted any more"));
        }
        running.has_begun = true;
        let child = start()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = group.expect("a process has a positive number");
        let leash = Self(Arc::new(Held { group, mark, tether: tether.clone() }));
        running.leashes.push(leash.clone());
        Ok((child, leash))
    }

    /// The program at the head.
    pub(super) fn program(&self) -> Pid {
        self.0.group
    }

    /// Ends the bot for good, unless that has been done. It is struck off before it is collected, because after that
    /// its number is free for others.
    pub(super) fn let_go(&self) {
        let mut running = running();
        if let Some(place) = running.leashes.iter().position(|leash| leash.is(self)) {
            self.kill();
            running.leashes.swap_remove(place);
            running.collecting.push(self.0.group);
            // Nobody can tell whose they are, and no bot needs what has left it.
            running.kill_orphans();
            running.bury();
        }
    }

    /// Its end has been learned, or never will be.
    pub(super) fn forget(&self) {
        running().collecting.retain(|program| *program != self.0.group);
    }

    /// Whether something that the bot has started still runs beside it.
    pub(super) fn has_followers(&self) -> bool {
        !self.strays().is_empty()
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn kill(&self) {
        // What starts while we look is found when we look again.
        for _ in 0..MOST_LOOKS {
            let strays = self.strays();
            // Whoever is gone already need not be ended, and whoever may not be ended by us cannot be.
            let _ = kill_process_group(self.0.group, Signal::KILL);
            for &stray in &strays {
                let _ = kill_process(stray, Signal::KILL);
            }
            if strays.is_empty() {
                return;
            }
        }
    }

    /// What the bot has started and still runs, wherever it has gone: its descendants, and whoever bears its mark.
    /// Where the system does not tell, there are none.
    fn strays(&self) -> Vec<Pid> {
        let processes: Vec<Found> = processes().filter(|found| !found.has_ended).collect();
        let mut strays = vec![self.0.group];
        let mut next = 0;
        while let Some(&parent) = strays.get(next) {
            let children = processes.iter().filter(|found| found.parent == Some(parent));
            strays.extend(children.map(|found| found.number));
            next += 1;
        }
        strays.remove(0);
        let bears_mark =
            |process: &Pid| *process != self.0.group && is_marked(*process, &self.0.mark);
        let marked = processes.iter().map(|found| found.number).filter(bears_mark);
        strays.extend(marked);
        strays
    }
}

/// Ends every bot that runs, before the program itself ends. None can start after this.
pub fn end_all() {
    let mut running = running();
    running.is_over = true;
    if !running.has_begun {
        return;
    }
    for leash in &running.leashes {
        leash.kill();
    }
    running.kill_orphans();
    // Not every system has somebody who collects what we leave. Who is not gone by then is not waited for.
    running.leashes.clear();
    running.collecting.clear();
    for _ in 0..MOST_LOOKS {
        running.bury();
        if running.orphans().next().is_none() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Lets everything that bots start and that loses its parent become our child, so that it can be found when the
/// program ends, whatever it has done to hide. For programs that have no other children.
pub fn adopt_orphans() {
    running().adopts = adopt();
}

#[cfg(target_os = "linux")]
fn adopt() -> bool {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
}

/// Elsewhere the system has another parent for them.
#[cfg(not(target_os = "linux"))]
fn adopt() -> bool {
    false
}

impl Running {
    /// Collects what has been adopted and has ended: nobody else does.
    fn bury(&self) {
        for orphan in self.orphans().filter(|orphan| orphan.has_ended) {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = waitid(WaitId::Pid(orphan.number), options);
        }
    }

    /// Ends what has been adopted.
    fn kill_orphans(&self) {
        for _ in 0..MOST_LOOKS {
            let mut are_gone = true;
            for orphan in self.orphans().filter(|orphan| !orphan.has_ended) {
                are_gone = false;
                let _ = kill_process(orphan.number, Signal::KILL);
            }
            if are_gone {
                return;
            }
        }
    }

    /// Our children that are no bots themselves.
    fn orphans(&self) -> impl Iterator<Item = Found> {
        let us = Some(rustix::process::getpid());
        let found = if self.adopts { Some(processes()) } else { None };
        found.into_iter().flatten().filter(move |found| {
            let is_bot = self.leashes.iter().any(|leash| leash.0.group == found.number)
                || self.collecting.contains(&found.number);
            found.parent == us && !is_bot
        })
    }
}

/// Whether all bots have been ended for good: what they seem to do wrong then is not their fault.
#[must_use]
pub fn are_ended() -> bool {
    running().is_over
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process.
struct Found {
    number: Pid,
    parent: Option<Pid>,
    /// Whether it has ended and only waits to be collected.
    has_ended: bool,
}

/// The processes there are.
fn processes() -> impl Iterator<Item = Found> {
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|process| {
        let number = process.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        // The name stands in brackets and may have brackets itself.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let has_ended = fields.next()? == "Z";
        let parent = fields.next()?.parse().ok().and_then(Pid::from_raw);
        Some(Found { number, parent, has_ended })
    })
}

fn is_marked(process: Pid, mark: &str) -> bool {
    let path = format!("/proc/{}/environ", process.as_raw_nonzero());
    let sought = format!("{MARK}={mark}");
    let environment = fs::read(path).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| variable == sought.as_bytes())
}
