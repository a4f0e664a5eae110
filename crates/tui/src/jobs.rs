//! Background jobs that take longer than a frame: solving a game, a program's choice, a tournament. They run in threads,
//! so that the screen never blocks, and their results arrive as events.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use skirmish_play::driver::Answers;
use skirmish_play::library::Order;
use skirmish_play::{Budget, Solved};
use skirmish_present::map::Chart;
use skirmish_rules::{Both, Side, Table, Unwatched};

use super::event::ArcadeEvent;
use super::rival::{Rival, lock};
use super::tournament::LiveTournament;

/// The result of a job.
pub enum JobReport {
    /// Solving has finished or failed; the context has the result.
    Solved,
    Chosen {
        ticket: u64,
        answers: Answers,
    },
    /// A tournament has changed or ended.
    Tournament,
}

/// Runs jobs and sends their results.
#[derive(Clone)]
pub(super) struct Jobs {
    reports: Sender<ArcadeEvent>,
    /// Whether jobs run in the caller's thread, as in tests.
    is_blocking: bool,
    /// Returns the memory available now.
    free: fn() -> Budget,
}

impl Jobs {
    pub(super) const fn new(
        reports: Sender<ArcadeEvent>,
        is_blocking: bool,
        free: fn() -> Budget,
    ) -> Self {
        Self { reports, is_blocking, free }
    }

    /// The memory available now.
    pub(super) fn free(&self) -> Budget {
        (self.free)()
    }

    pub(super) fn solve(&self, order: Order) {
        let free = self.free;
        self.run(move || {
            let finished = order.run(free(), &Unwatched);
            // The library waits for the result, so a panic while drawing the map must not lose it.
            let chart = || {
                finished
                    .solved()
                    .filter(|solved| Chart::is_quick(solved))
                    .and_then(|it| Chart::of(it))
            };
            let chart = catch_unwind(AssertUnwindSafe(chart)).unwrap_or_default();
            ArcadeEvent::Solved(finished, chart)
        });
    }

    /// Draws a map in the background.
    pub(super) fn draw_map(&self, solved: Arc<Solved>) {
        self.run(move || {
            let chart = Chart::of(&solved);
            ArcadeEvent::Mapped(solved, chart)
        });
    }

    /// Asks all programs for their choices before waiting for any answer. `ticket` distinguishes the answers from those to
    /// older questions.
    pub(super) fn choose(
        &self,
        ticket: u64,
        rivals: &Both<Option<Rival>>,
        table: Box<dyn Table>,
        asked: Both<bool>,
        game: u32,
        undone: u32,
    ) {
        let seat = |side: Side| rivals[side].as_ref().filter(|_| asked[side]).map(Rival::seat);
        let seats = Both::from_fn(seat);
        self.run(move || {
            for side in Side::ALL {
                if let Some(seat) = &seats[side] {
                    lock(seat).ask_ahead(&*table, side);
                }
            }
            let choose =
                |side: Side| Some(lock(seats[side].as_ref()?).choose(&*table, side, game, undone));
            let answers = Both::from_fn(choose);
            ArcadeEvent::JobReport(JobReport::Chosen { ticket, answers })
        });
    }

    /// Plays a tournament and reports its progress.
    pub(super) fn play_tournament(&self, live: &Arc<LiveTournament>) {
        let (live, free, reports) = (Arc::clone(live), self.free, self.reports.clone());
        self.run(move || {
            live.play(free, &reports);
            ArcadeEvent::JobReport(JobReport::Tournament)
        });
    }

    fn run(&self, work: impl FnOnce() -> ArcadeEvent + Send + 'static) {
        let reports = self.reports.clone();
        let job = move || match catch_unwind(AssertUnwindSafe(work)) {
            // If the receiver is gone, the program is ending.
            Ok(event) => drop(reports.send(event)),
            Err(_) => drop(reports.send(ArcadeEvent::Broken)),
        };
        if self.is_blocking {
            job();
        } else {
            thread::spawn(job);
        }
    }
}
