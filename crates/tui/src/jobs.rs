//! Work that takes longer than a frame: solving a game, and a program's choice. It is done in threads of its
//! own, so that the screen never waits, and its results come back as reports.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use skirmish_play::{Budget, Fault, Plan, Solved};
use skirmish_present::map::Chart;
use skirmish_rules::{Both, Side, Table};

use super::news::{Event, News};
use super::rival::Rival;

/// A game with everything that is known of it.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) solved: Arc<Solved>,
    /// Its map, if it has one that a screen can show.
    pub(super) chart: Option<Arc<Chart>>,
}

/// The result of some work.
pub(super) enum Report {
    Solved { game: Key, result: Result<Known, String> },
    Chosen { ticket: u64, choice: Result<String, Fault> },
}

/// What tells a solved game from others: the game, its rule options and who starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    id: &'static str,
    rules: String,
    first: Side,
}

impl Key {
    pub(super) fn of(plan: &Plan) -> Self {
        Self { id: plan.entry.id, rules: plan.settings.changes(), first: plan.first }
    }
}

/// How much may be spent on solving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// What nobody notices: nobody has asked for it yet.
    Slight,
    /// Whatever the machine has.
    Full,
}

impl Effort {
    fn budget(self) -> Budget {
        const UNNOTICED: u64 = 8 << 20;
        match self {
            Self::Slight => Budget { bytes: UNNOTICED },
            Self::Full => Budget::of_this_machine(),
        }
    }
}

/// Does work, and reports.
#[derive(Clone)]
pub(super) struct Jobs {
    reports: Sender<Event>,
    /// Whether the one who asks waits: tests do.
    is_waiting: bool,
    /// Set when the work in progress is not wanted any more.
    cancel: Arc<Mutex<Arc<AtomicBool>>>,
}

/// What work that has been given up ends with.
struct GivenUp;

impl Jobs {
    pub(super) fn new(reports: Sender<Event>, is_waiting: bool) -> Self {
        Self { reports, is_waiting, cancel: Arc::default() }
    }

    /// Gives up what is being solved.
    pub(super) fn give_up(&self) {
        let mut cancel = self.cancel.lock().unwrap_or_else(PoisonError::into_inner);
        cancel.store(true, Relaxed);
        *cancel = Arc::default();
    }

    pub(super) fn solve(&self, plan: &Plan, effort: Effort) {
        let game = Key::of(plan);
        let (entry, settings, first) = (plan.entry, plan.settings.clone(), plan.first);
        let cancel = Arc::clone(&self.cancel.lock().unwrap_or_else(PoisonError::into_inner));
        self.run(move || {
            let watch = |_positions: u64| {
                if cancel.load(Relaxed) {
                    resume_unwind(Box::new(GivenUp));
                }
            };
            let solved = Solved::of(entry, &settings, first, effort.budget(), &watch);
            let result = solved.map_err(|error| error.to_string()).map(|solved| {
                // Done now, so that no screen waits for it.
                solved.tell_apart(&watch);
                let chart = Chart::of(&solved).map(Arc::new);
                Known { solved: Arc::new(solved), chart }
            });
            Report::Solved { game, result }
        });
    }

    /// Asks a program for its choice; `ticket` tells the answer from those to older questions. Others who choose at
    /// once are asked before the answer is waited for.
    pub(super) fn choose(
        &self,
        ticket: u64,
        rivals: &Both<Option<Rival>>,
        table: Box<dyn Table>,
        side: Side,
        game: u32,
        undone: u32,
    ) {
        let seats = rivals.as_ref().map(|rival| rival.as_ref().map(Rival::seat));
        self.run(move || {
            for other in table.to_act() {
                if let Some(seat) = &seats[other] {
                    seat.ask_ahead(&*table, other);
                }
            }
            let seat = seats[side].as_ref().expect("a program plays this side");
            Report::Chosen { ticket, choice: seat.choose(&*table, side, game, undone) }
        });
    }

    fn run(&self, work: impl FnOnce() -> Report + Send + 'static) {
        let reports = self.reports.clone();
        let job = move || match catch_unwind(AssertUnwindSafe(work)) {
            // When nobody listens any more the program is ending.
            Ok(report) => drop(reports.send(Event(News::Report(report)))),
            Err(cause) if cause.is::<GivenUp>() => {}
            Err(_) => drop(reports.send(Event(News::Broken))),
        };
        if self.is_waiting {
            job();
        } else {
            thread::spawn(job);
        }
    }
}
