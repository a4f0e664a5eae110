//! Solves games for commands, with a progress bar if it takes long.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use skirmish_play::library::{Finished, Order};
use skirmish_play::{Analysis, Budget, SolveError, Solved};
use skirmish_rules::{Entry, Record, Settings, Side, Table, Watch};

/// The delay before progress is shown.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// Solves a game from its start.
pub(crate) fn solve(
    entry: &'static Entry,
    settings: &Settings,
    first: Side,
) -> Result<Solved, SolveError> {
    watched(|watch| Solved::of(entry, settings, first, free_memory(), watch))
}

/// Solves the game of a record, from where it started.
pub(crate) fn solve_record(record: &Record) -> Result<Solved, SolveError> {
    match &record.position {
        Some(position) => solve_from(record.entry, &record.settings, position),
        None => solve(record.entry, &record.settings, record.first),
    }
}

/// Solves all positions that can follow from a position.
fn solve_from(
    entry: &'static Entry,
    settings: &Settings,
    position: &str,
) -> Result<Solved, SolveError> {
    watched(|watch| Solved::from(entry, settings, position, free_memory(), watch))
}

/// The memory budget: most of what is free.
pub(crate) fn free_memory() -> Budget {
    Budget { bytes: skirmish_system::spare_memory() }
}

/// Runs an order from the library of solved games, showing progress.
pub(crate) fn run(order: Order) -> Finished {
    watched(|watch| order.run(free_memory(), watch))
}

/// Runs some work and shows its progress.
pub(crate) fn watched<T>(work: impl FnOnce(&dyn Watch) -> T) -> T {
    let done = AtomicU64::new(0);
    let bar: OnceLock<ProgressBar> = OnceLock::new();
    let (done, bar) = (&done, &bar);
    let watch = |positions: u64| {
        let done = done.fetch_add(positions, Relaxed) + positions;
        if let Some(bar) = bar.get() {
            show(bar, done);
        }
        ControlFlow::Continue(())
    };
    let (finished, waiting) = channel::<()>();
    let result = std::thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(PROGRESS_DELAY) == Err(RecvTimeoutError::Timeout) {
                show(bar.get_or_init(progress), done.load(Relaxed));
                // Wait until `finished` is dropped.
                let _ = waiting.recv();
            }
        });
        let result = work(&watch);
        drop(finished);
        result
    });
    if let Some(bar) = bar.get() {
        bar.finish_and_clear();
    }
    result
}

fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// Shows how many positions are done, if the work counts them.
fn show(bar: &ProgressBar, done: u64) {
    bar.set_message(match done {
        0 => "working".to_owned(),
        _ => format!("{} positions expanded", HumanCount(done)),
    });
}

/// The progress of work in several steps, shown if it takes long.
pub(crate) struct Steps {
    begun: Instant,
    done: AtomicU64,
    all: usize,
    bar: OnceLock<ProgressBar>,
}

impl Steps {
    pub(crate) fn new(all: usize) -> Self {
        Self { begun: Instant::now(), done: AtomicU64::new(0), all, bar: OnceLock::new() }
    }

    /// Counts one finished step.
    pub(crate) fn step(&self) {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        if self.begun.elapsed() > PROGRESS_DELAY {
            self.bar.get_or_init(|| ProgressBar::new(self.all as u64)).set_position(done);
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

/// Analyses the position on a table. A position that cannot arise in play is solved on its own.
pub(crate) fn analyse(table: &dyn Table) -> Result<(Solved, Analysis), SolveError> {
    let solved = solve(table.entry(), table.settings(), table.first())?;
    let position = table.position();
    let found = solved.find(&position)?;
    let (solved, node) = if let Some(node) = found {
        (solved, node)
    } else {
        let solved = solve_from(table.entry(), table.settings(), &position)?;
        let start = solved.graph().start();
        (solved, start)
    };
    if solved.is_even(node) {
        watched(|watch| solved.prepare_pressures(watch))?;
    }
    let analysis = Analysis { is_reachable: found.is_some(), ..solved.analyse(node) };
    Ok((solved, analysis))
}
