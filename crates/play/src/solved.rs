//! A game with all its answers: the graph, the solution, and what they say of any position.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use skirmish_rules::graph::{Expansion, Graph, Node, TooMany};
use skirmish_rules::{
    Both, Cancelled, Entry, PositionError, Settings, Side, SurveyError, Tempo, Unwatched, Watch,
};
use skirmish_solver::pressure::{Pressure, Pressures};
use skirmish_solver::recursive::{self, Recursive, Unsettled};
use skirmish_solver::retrograde::{self, BYTES_PER_POSITION, Unsolved};
use skirmish_solver::{Bits, Edges, Value};

use crate::budget::Budget;
use crate::once::Once;
use crate::player::Finesse;

/// A game solved under one set of rule options.
pub struct Solved {
    entry: &'static Entry,
    settings: Settings,
    graph: Box<dyn Graph>,
    answer: Answer,
    /// What the graph takes, in bytes.
    graph_bytes: u64,
    /// What all of it may take, in bytes.
    budget: AtomicU64,
    pressures: Once<Pressures>,
    finesse: Once<Finesse>,
}

/// How a game was solved.
pub enum Answer {
    /// By retrograde analysis.
    Alternating(retrograde::Solution),
    /// As a recursive game.
    Simultaneous {
        /// The game's matrices.
        game: Recursive,
        /// Values, mixes and their bounds.
        solution: recursive::Solution,
        /// The positions that can arise in play.
        reached: Bits,
    },
}

/// Why a game is not solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// It would need more memory than there is.
    #[error(
        "this board has {} positions and would need {} of memory; {} is free",
        large(.positions), memory(.bytes), memory(.free)
    )]
    TooLarge {
        /// How many positions there are, or at least so many.
        positions: u64,
        /// What they would need.
        bytes: u64,
        /// What there is.
        free: u64,
    },
    /// There are too many moves.
    #[error(transparent)]
    Unsolved(Unsolved),
    /// The bounds on a value could not be brought together.
    #[error(transparent)]
    Unsettled(Unsettled),
    /// The position is not one of this game.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// Whoever watched has cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A defect of the program.
    #[error("solving it has failed")]
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

/// There is no room for more than the values of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that would need {} of memory, and {} is free", memory(.bytes), memory(.free))]
pub struct NoRoom {
    /// What would be needed.
    pub bytes: u64,
    /// What there is.
    pub free: u64,
}

/// What is known of a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Whether it can arise in play.
    pub is_reachable: bool,
    /// The answer.
    pub verdict: Judgement,
    /// Who is under pressure, where nobody can force a win; or why that is not known.
    pub pressure: Result<Option<Pressure>, NoRoom>,
}

/// The answer for one position.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// In an alternating game.
    Alternating {
        /// For the side to move.
        value: Value,
        /// Every legal move, in the game's order.
        moves: Vec<RatedMove>,
        /// In how many plies the side to move can force a draw, and in how many the other side can.
        forced_draw: (Option<u16>, Option<u16>),
    },
    /// In a simultaneous game.
    Simultaneous {
        /// For Player 1.
        value: f64,
        /// How far the value can be off.
        error: f64,
        /// An optimal mix for each side, by the notation of its actions.
        strategy: Both<Vec<(String, f64)>>,
        /// What each action is worth to the side that takes it, against the other's optimal mix.
        worth: Both<Vec<f64>>,
    },
}

/// A legal move and what it is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedMove {
    /// Its notation.
    pub notation: String,
    /// The position it leads to.
    pub position: String,
    /// What it is worth to the side that makes it, counted from the position before.
    pub value: Value,
}

/// The bytes that exploring from a position takes beside those of solving, for each position: a table of positions
/// and its numbers, both as they grow.
const EXPLORED_BYTES_PER_POSITION: u64 = 150;

/// Why there is no graph within this budget, at so many bytes for each position.
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

/// Positions of a simultaneous game beyond which solving it takes more than a moment.
const MOST_MATRICES: usize = 4_000;

impl Solved {
    /// Solves a game from its start.
    ///
    /// # Errors
    /// If there is not enough memory, or `watch` cancels it.
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

    /// Solves all that can follow from one position, whether it can arise in play or not.
    ///
    /// # Errors
    /// If it is not a position of the game, there is not enough memory, or `watch` cancels it.
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
            pressures: Once::new(),
            finesse: Once::new(),
        })
    }

    /// The memory it takes, in bytes, with all that has been found out later.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let values = match &self.answer {
            Answer::Alternating(solution) => solution.bytes(),
            Answer::Simultaneous { game, solution, .. } => game.bytes() + solution.bytes(),
        };
        let pressures = self.pressures.get().map_or(0, Pressures::bytes);
        self.graph_bytes + values + pressures + self.finesse.get().map_or(0, Finesse::bytes)
    }

    /// Allows it so much memory, with all that is found out from now on.
    pub(crate) fn allow(&self, budget: Budget) {
        self.budget.store(budget.bytes, Relaxed);
    }

    /// The game.
    #[must_use]
    pub const fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The rule options.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Its positions.
    #[must_use]
    pub fn graph(&self) -> &dyn Graph {
        &*self.graph
    }

    /// Their values.
    #[must_use]
    pub const fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The positions that can arise in play.
    #[must_use]
    pub const fn reached(&self) -> &Bits {
        match &self.answer {
            Answer::Alternating(solution) => solution.reached(),
            Answer::Simultaneous { reached, .. } => reached,
        }
    }

    /// Everything that is known of a position; nothing if it cannot arise in play.
    ///
    /// # Errors
    /// If the text is not a position of the game.
    pub fn analyse(&self, position: &str) -> Result<Option<Analysis>, PositionError> {
        let analysis = |node| Analysis {
            is_reachable: true,
            verdict: self.judge(node),
            pressure: self.pressure(node),
        };
        Ok(self.find(position)?.map(analysis))
    }

    /// What a position and its choices are worth; nothing if it cannot arise in play.
    ///
    /// # Errors
    /// If the text is not a position of the game.
    pub fn judge_position(&self, position: &str) -> Result<Option<Judgement>, PositionError> {
        Ok(self.find(position)?.map(|node| self.judge(node)))
    }

    /// The number of a position, if it can arise in play.
    fn find(&self, position: &str) -> Result<Option<u32>, PositionError> {
        Ok(self.graph.find(position)?.filter(|&node| self.reached().contains(node)))
    }

    /// What the position of that number and its choices are worth.
    #[must_use]
    pub fn judge(&self, node: u32) -> Judgement {
        match &self.answer {
            Answer::Alternating(solution) => Judgement::Alternating {
                value: solution.value(node),
                moves: self.moves(solution, node),
                forced_draw: solution.forced_draw(node),
            },
            Answer::Simultaneous { game, solution, .. } => self.mixed(game, solution, node),
        }
    }

    /// Who is under pressure in a position that nobody can win by force. The first call takes about as long as
    /// solving did.
    ///
    /// # Errors
    /// If there is not enough memory to find out.
    pub fn pressure(&self, node: u32) -> Result<Option<Pressure>, NoRoom> {
        let Answer::Alternating(solution) = &self.answer else { return Ok(None) };
        if !solution.value(node).is_even() {
            return Ok(None);
        }
        let Ok(pressures) = self.pressures(solution, &Unwatched) else {
            unreachable!("nobody cancels it")
        };
        pressures.map(|pressures| pressures.get(node))
    }

    /// Finds out now what the first call of [`Solved::pressure`] would, if there is enough memory.
    ///
    /// # Errors
    /// If `watch` cancels it.
    pub fn tell_apart(&self, watch: &dyn Watch) -> Result<(), Cancelled> {
        if let Answer::Alternating(solution) = &self.answer {
            let _known_or_no_room = self.pressures(solution, watch)?;
        }
        Ok(())
    }

    fn pressures(
        &self,
        solution: &retrograde::Solution,
        watch: &dyn Watch,
    ) -> Result<Result<&Pressures, NoRoom>, Cancelled> {
        let (bytes, free) = (Pressures::bytes_needed(solution), self.room_left());
        if bytes > free && self.pressures.get().is_none() {
            return Ok(Err(NoRoom { bytes, free }));
        }
        match self.pressures.get_or_try(|| Pressures::of(&*self.graph, solution, watch)) {
            Ok(pressures) => Ok(Ok(pressures)),
            Err(Unsolved::Cancelled(cancelled)) => Err(cancelled),
            Err(_too_many_moves) => Ok(Err(NoRoom { bytes, free })),
        }
    }

    /// Makes computer players ready to choose at once; otherwise their first choice takes as long as this.
    ///
    /// # Errors
    /// If `watch` cancels it.
    pub fn prepare_players(&self, watch: &dyn Watch) -> Result<(), Cancelled> {
        self.finesse(watch).map(drop)
    }

    /// How computer players choose among what is equally good. The first call can take as long as solving did.
    pub(crate) fn finesse(&self, watch: &dyn Watch) -> Result<&Finesse, Cancelled> {
        self.finesse.get_or_try(|| Finesse::of(self, watch))
    }

    /// The memory that is left.
    pub(crate) fn room_left(&self) -> u64 {
        self.budget.load(Relaxed).saturating_sub(self.bytes())
    }

    fn moves(&self, solution: &retrograde::Solution, node: u32) -> Vec<RatedMove> {
        let Some(side) = self.graph.mover(node) else { return Vec::new() };
        let mut expansion = Expansion::default();
        if self.graph.expand(node, &mut expansion) != Node::Open {
            return Vec::new();
        }
        let actions = &self.graph.actions(node)[side];
        let moves = actions.iter().zip(&expansion.next).map(|(notation, &next)| RatedMove {
            notation: notation.clone(),
            position: self.graph.position(next),
            value: solution.value(next).before(),
        });
        moves.collect()
    }

    fn mixed(&self, game: &Recursive, solution: &recursive::Solution, node: u32) -> Judgement {
        let index = node as usize;
        let (value, error) = solution.bounds.value(index);
        let actions = self.graph.actions(node);
        let mixes = Both::new(&solution.mixes.rows[index], &solution.mixes.columns[index]);
        let named = |side: Side| actions[side].iter().cloned().zip(mixes[side].iter().copied());
        Judgement::Simultaneous {
            value,
            error,
            strategy: Both::from_fn(|side| named(side).filter(|(_, share)| *share > 0.0).collect()),
            worth: Both::from_fn(|side| worth(game, solution, index, side)),
        }
    }
}

/// What each action of a side is worth to it against the other's mix, if play is optimal from then on.
fn worth(game: &Recursive, solution: &recursive::Solution, node: usize, side: Side) -> Vec<f64> {
    let recursive::Stage::Open { columns, next } = &game.nodes[node] else { return Vec::new() };
    let value = |cell: usize| solution.bounds.value(next[cell]).0;
    let rows = next.len() / columns;
    match side {
        Side::One => (0..rows)
            .map(|row| {
                let shares = solution.mixes.columns[node].iter().enumerate();
                shares.map(|(column, share)| share * value(row * columns + column)).sum()
            })
            .collect(),
        Side::Two => (0..*columns)
            .map(|column| {
                let shares = solution.mixes.rows[node].iter().enumerate();
                // Taken from 0, so that there is no -0.
                0.0 - shares.map(|(row, share)| share * value(row * columns + column)).sum::<f64>()
            })
            .collect(),
    }
}

/// A large number for people: `3.9 million`.
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
