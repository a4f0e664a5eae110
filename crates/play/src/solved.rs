//! A solved game: its graph and the value of every position.

mod judge;
mod line;
mod payoffs;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub use judge::{Analysis, Judgement, RatedMove};
pub use line::BestLine;
pub use payoffs::{Payoffs, seen_from};
pub(crate) use payoffs::{payoffs, seen_by};
use skirmish_rules::graph::{Graph, TooMany};
use skirmish_rules::{Cancelled, Entry, PositionError, Settings, Side, SurveyError, Tempo, Watch};
use skirmish_solver::pressure::{Pressure, Pressures};
use skirmish_solver::recursive::{self, Mixes, Recursive, Unsettled};
use skirmish_solver::retrograde::{self, BYTES_PER_POSITION, Unsolved};
use skirmish_solver::{Bits, Edges};

use crate::budget::Budget;
use crate::player::Finesse;

/// A game solved under one set of rule options.
pub struct Solved {
    entry: &'static Entry,
    settings: Settings,
    graph: Box<dyn Graph>,
    answer: Answer,
    /// The size of the graph in bytes.
    graph_bytes: u64,
    /// The overall memory limit in bytes.
    budget: AtomicU64,
    pressures: OnceLock<Pressures>,
    finesse: OnceLock<Finesse>,
}

/// The solution of a game.
pub enum Answer {
    /// Solved by retrograde analysis.
    Alternating(retrograde::Solution),
    /// Solved as a recursive game.
    Simultaneous {
        /// The game's matrices.
        game: Recursive,
        /// Values, mixes and their bounds.
        solution: recursive::MixedSolution,
        /// The reachable positions.
        reached: Bits,
    },
}

/// Why a game could not be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The game needs more memory than is available.
    #[error(
        "this board has {} positions and would need {} of memory; {} is free",
        large(.positions), memory(.bytes), memory(.free)
    )]
    TooLarge {
        /// The number of positions, or a lower bound.
        positions: u64,
        /// The bytes needed.
        bytes: u64,
        /// The bytes available.
        free: u64,
    },
    /// There are too many moves.
    #[error(transparent)]
    Unsolved(Unsolved),
    /// The bounds on a value stayed too far apart.
    #[error(transparent)]
    Unsettled(Unsettled),
    /// The position does not belong to this game.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The watcher cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A bug: solving panicked.
    #[error("solving the game failed")]
    Failed,
}

impl From<Unsolved> for SolveError {
    fn from(error: Unsolved) -> Self {
        match error {
            Unsolved::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Unsolved(other),
        }
    }
}

impl From<Unsettled> for SolveError {
    fn from(error: Unsettled) -> Self {
        match error {
            Unsettled::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Unsettled(other),
        }
    }
}

/// There is not enough memory for any analysis beyond the values of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that would need {} of memory, and {} is free", memory(.bytes), memory(.free))]
pub struct NoRoom {
    /// The bytes needed.
    pub bytes: u64,
    /// The bytes available.
    pub free: u64,
}

/// The extra memory per position for exploring from a given position: a list of positions and a hash table, including
/// the copies made while they grow.
const EXPLORED_BYTES_PER_POSITION: u64 = 150;

/// Converts a survey error, given a budget and `each` bytes per position.
fn refuse(budget: Budget, error: SurveyError, each: u64) -> SolveError {
    match error {
        SurveyError::Position(error) => SolveError::Position(error),
        SurveyError::Cancelled(cancelled) => SolveError::Cancelled(cancelled),
        SurveyError::TooMany(TooMany { found, .. }) => SolveError::TooLarge {
            positions: found,
            bytes: found.saturating_mul(each),
            free: budget.bytes,
        },
    }
}

/// The maximum number of positions for which a simultaneous game is solved quickly.
const MOST_MATRICES: usize = 4_000;

impl Solved {
    /// Solves a game from its start.
    ///
    /// # Errors
    /// If there is not enough memory, or `watch` cancels the work.
    pub fn of(
        entry: &'static Entry,
        settings: &Settings,
        first: Side,
        budget: Budget,
        watch: &dyn Watch,
    ) -> Result<Self, SolveError> {
        let graph = entry
            .survey(settings, first, budget.bytes / BYTES_PER_POSITION, watch)
            .map_err(|error| refuse(budget, error, BYTES_PER_POSITION))?;
        Self::solve(entry, settings, (graph, 0), budget, watch)
    }

    /// Solves every position reachable from a position, which itself may be unreachable from the start.
    ///
    /// # Errors
    /// If `position` does not belong to the game, there is not enough memory, or `watch` cancels the work.
    pub fn from(
        entry: &'static Entry,
        settings: &Settings,
        position: &str,
        budget: Budget,
        watch: &dyn Watch,
    ) -> Result<Self, SolveError> {
        const EACH: u64 = BYTES_PER_POSITION + EXPLORED_BYTES_PER_POSITION;
        let graph = entry
            .explore(settings, position, budget.bytes / EACH, watch)
            .map_err(|error| refuse(budget, error, EACH))?;
        let graph_bytes = graph.size() as u64 * EXPLORED_BYTES_PER_POSITION;
        Self::solve(entry, settings, (graph, graph_bytes), budget, watch)
    }

    fn solve(
        entry: &'static Entry,
        settings: &Settings,
        (graph, graph_bytes): (Box<dyn Graph>, u64),
        budget: Budget,
        watch: &dyn Watch,
    ) -> Result<Self, SolveError> {
        let answer = if graph.tempo() == Tempo::Alternating {
            Answer::Alternating(retrograde::solve(&*graph, watch)?)
        } else {
            debug_assert!(
                graph.size() < MOST_MATRICES,
                "the options keep simultaneous games small"
            );
            let game = Recursive::of(&*graph);
            let solution = game.solve(watch)?;
            let reached = Edges::explore(&*graph, watch)?.reached().clone();
            Answer::Simultaneous { game, solution, reached }
        };
        Ok(Self {
            entry,
            settings: settings.clone(),
            graph,
            answer,
            graph_bytes,
            budget: AtomicU64::new(budget.bytes),
            pressures: OnceLock::new(),
            finesse: OnceLock::new(),
        })
    }

    /// Returns the memory in use in bytes, including everything computed after solving.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let values = match &self.answer {
            Answer::Alternating(solution) => solution.bytes(),
            Answer::Simultaneous { game, solution, .. } => game.bytes() + solution.bytes(),
        };
        let pressures = self.pressures.get().map_or(0, Pressures::bytes);
        self.graph_bytes + values + pressures + self.finesse.get().map_or(0, Finesse::bytes)
    }

    /// Sets the memory limit for everything computed from now on.
    pub(crate) fn allow(&self, budget: Budget) {
        self.budget.store(budget.bytes, Relaxed);
    }

    /// Returns the game.
    #[must_use]
    pub const fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Returns the rule options.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the graph of the game's positions.
    #[must_use]
    pub fn graph(&self) -> &dyn Graph {
        &*self.graph
    }

    /// Returns the game's solution.
    #[must_use]
    pub const fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Returns the reachable positions.
    #[must_use]
    pub const fn reached(&self) -> &Bits {
        match &self.answer {
            Answer::Alternating(solution) => solution.reached(),
            Answer::Simultaneous { reached, .. } => reached,
        }
    }

    /// Whether neither side can win an alternating game by force. Only such positions have a pressure.
    #[must_use]
    pub fn is_even(&self, node: u32) -> bool {
        match &self.answer {
            Answer::Alternating(solution) => solution.value(node).is_even(),
            Answer::Simultaneous { .. } => false,
        }
    }

    /// Returns the side under pressure in a position that neither side can win by force. `None` until
    /// [`Solved::prepare_pressures`] has run.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn pressure(&self, node: u32) -> Result<Option<Pressure>, NoRoom> {
        let Answer::Alternating(solution) = &self.answer else { return Ok(None) };
        if !self.is_even(node) {
            return Ok(None);
        }
        let (bytes, free) = (Pressures::bytes_needed(solution), self.room_left());
        match self.pressures.get() {
            None if bytes > free => Err(NoRoom { bytes, free }),
            prepared => Ok(prepared.and_then(|pressures| pressures.get(node))),
        }
    }

    /// Whether the pressures are not computed yet, but would fit into this many bytes along with everything else.
    pub(crate) fn lacks_pressures(&self, bytes: u64) -> bool {
        let Answer::Alternating(solution) = &self.answer else { return false };
        let needed = self.bytes().saturating_add(Pressures::bytes_needed(solution));
        self.pressures.get().is_none() && needed <= bytes
    }

    /// Computes the pressure in every position, if there is enough memory. This takes about as long as solving.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn prepare_pressures(&self, watch: &dyn Watch) -> Result<(), Cancelled> {
        let Answer::Alternating(solution) = &self.answer else { return Ok(()) };
        if !self.lacks_pressures(self.budget.load(Relaxed)) {
            return Ok(());
        }
        match Pressures::of(&*self.graph, solution, watch) {
            Ok(pressures) => drop(self.pressures.set(pressures)),
            Err(Unsolved::Cancelled(cancelled)) => return Err(cancelled),
            Err(_too_many_moves) => {}
        }
        Ok(())
    }

    /// Whether computer players are prepared.
    #[must_use]
    pub fn has_players(&self) -> bool {
        self.finesse.get().is_some()
    }

    /// Prepares computer players, which cannot choose before. This can take as long as solving.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn prepare_players(&self, watch: &dyn Watch) -> Result<(), Cancelled> {
        if !self.has_players() {
            drop(self.finesse.set(Finesse::of(self, watch)?));
        }
        Ok(())
    }

    /// Returns how computer players choose among equally good moves.
    pub(crate) fn finesse(&self) -> &Finesse {
        self.finesse.get().expect("computer players are prepared")
    }

    /// Returns the remaining memory in bytes.
    pub(crate) fn room_left(&self) -> u64 {
        self.budget.load(Relaxed).saturating_sub(self.bytes())
    }
}

/// Returns a side's mixes in all positions.
pub(crate) fn mixes_of(mixes: &Mixes, side: Side) -> &[Vec<f64>] {
    match side {
        Side::One => &mixes.rows,
        Side::Two => &mixes.columns,
    }
}

/// Formats a large number for people: `3.9 million`.
#[allow(clippy::cast_precision_loss)] // only three digits are shown
fn large(number: &u64) -> String {
    match *number {
        n if n < 1_000_000 => n.to_string(),
        n if n < 1_000_000_000 => format!("{:.1} million", n as f64 / 1e6),
        n if n < 1_000_000_000_000 => format!("{:.1} billion", n as f64 / 1e9),
        _ => "more than a trillion".to_owned(),
    }
}

#[allow(clippy::cast_precision_loss)] // only three digits are shown
fn memory(bytes: &u64) -> String {
    match *bytes {
        bytes if bytes < 1 << 30 => format!("about {} MiB", bytes.div_ceil(1 << 20)),
        bytes if bytes < 1 << 50 => format!("about {:.1} GiB", bytes as f64 / f64::from(1 << 30)),
        _ => "more than a million GiB".to_owned(),
    }
}
