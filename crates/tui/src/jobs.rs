//! Work that takes longer than a frame: solving a game, and a program's choice. It is done in threads of its
//! own, so that the screen never waits, and its results come back as reports.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::thread;

use skirmish_play::library::Order;
use skirmish_play::{Budget, Fault};
use skirmish_present::map::Chart;
use skirmish_rules::{Both, Side, Table, Unwatched};

use super::event::{ArcadeEvent, ArcadeEventKind};
use super::rival::Rival;

/// The result of some work.
pub(super) enum JobReport {
    /// A game is solved, or cannot be; the context knows.
    Solved,
    Chosen {
        ticket: u64,
        choice: Result<String, Fault>,
    },
}

/// Does work, and reports.
#[derive(Clone)]
pub(super) struct Jobs {
    reports: Sender<ArcadeEvent>,
    /// Whether the one who asks waits: tests do.
    is_waiting: bool,
    /// The memory that is free.
    free: fn() -> Budget,
}

impl Jobs {
    pub(super) const fn new(
        reports: Sender<ArcadeEvent>,
        is_waiting: bool,
        free: fn() -> Budget,
    ) -> Self {
        Self { reports, is_waiting, free }
    }

    /// The memory that is free now.
    pub(super) fn free(&self) -> Budget {
        (self.free)()
    }

    pub(super) fn solve(&self, order: Order) {
        let free = self.free;
        self.run(move || {
            let finished = order.run(free(), &Unwatched);
            let chart = finished.solved().and_then(|solved| Chart::of(solved));
            ArcadeEventKind::Solved(finished, chart)
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
            let choice = seat.choose(&*table, side, game, undone);
            ArcadeEventKind::JobReport(JobReport::Chosen { ticket, choice })
        });
    }

    fn run(&self, work: impl FnOnce() -> ArcadeEventKind + Send + 'static) {
        let reports = self.reports.clone();
        let job = move || match catch_unwind(AssertUnwindSafe(work)) {
            // When nobody listens any more the program is ending.
            Ok(news) => drop(reports.send(ArcadeEvent(news))),
            Err(_) => drop(reports.send(ArcadeEvent(ArcadeEventKind::Broken))),
        };
        if self.is_waiting {
            job();
        } else {
            thread::spawn(job);
        }
    }
}
