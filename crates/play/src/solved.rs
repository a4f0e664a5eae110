//! A game with all its answers: the graph, the solution, and what they say of any position.

use std::sync::OnceLock;

use skirmish_rules::graph::{Expansion, Graph, Node, TooMany};
use skirmish_rules::{Both, Entry, PositionError, Settings, Side, SurveyError};
use skirmish_solver::draws::{self, Draw};
use skirmish_solver::recursive::{self, Recursive, Unsettled};
use skirmish_solver::retrograde::{self, BYTES_PER_POSITION};
use skirmish_solver::{Bits, Edges, Value};

/// A game solved under one set of rule options.
pub struct Solved {
    entry: &'static Entry,
    settings: Settings,
    graph: Box<dyn Graph>,
    answer: Answer,
    draws: OnceLock<Vec<(u32, Draw)>>,
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
    /// The bounds on a value could not be brought together.
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
    /// The position is not one of this game.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// What is known of a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Whether it can arise in play.
    pub is_reachable: bool,
    /// The answer.
    pub verdict: Judgement,
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
        /// Who is under pressure, in an endless position.
        draw: Option<Draw>,
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

/// How much memory solving may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The bytes.
    pub bytes: u64,
}

impl Budget {
    /// Most of what the machine has free.
    #[must_use]
    pub fn of_this_machine() -> Self {
        const ELSEWHERE: u64 = 4 << 30;
        let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        });
        Self { bytes: free.map_or(ELSEWHERE, |kibibytes| kibibytes * 1024 / 10 * 8) }
    }

    const fn positions(self) -> u64 {
        self.bytes / BYTES_PER_POSITION
    }

    const fn refuse(self, too_many: TooMany) -> SolveError {
        SolveError::TooLarge {
            positions: too_many.found,
            bytes: too_many.found.saturating_mul(BYTES_PER_POSITION),
            free: self.bytes,
        }
    }
}

/// Positions of a simultaneous game beyond which solving it takes more than a moment.
const MOST_MATRICES: usize = 4_000;

impl Solved {
    /// Solves a game from its start. `watch` hears of every batch of positions expanded.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn of(
        entry: &'static Entry,
        settings: &Settings,
        first: Side,
        budget: Budget,
        watch: &(dyn Fn(u64) + Sync),
    ) -> Result<Self, SolveError> {
        let graph = entry
            .survey(settings, first, budget.positions())
            .map_err(|too_many| budget.refuse(too_many))?;
        Self::solve(entry, settings, graph, watch)
    }

    /// Solves all that can follow from one position, whether it can arise in play or not.
    ///
    /// # Errors
    /// When it is not a position of the game, or there is not enough memory.
    pub fn from(
        entry: &'static Entry,
        settings: &Settings,
        position: &str,
        budget: Budget,
    ) -> Result<Self, SolveError> {
        let graph =
            entry.explore(settings, position, budget.positions()).map_err(|error| match error {
                SurveyError::Position(error) => SolveError::Position(error),
                SurveyError::TooMany(too_many) => budget.refuse(too_many),
            })?;
        Self::solve(entry, settings, graph, &|_| {})
    }

    fn solve(
        entry: &'static Entry,
        settings: &Settings,
        graph: Box<dyn Graph>,
        watch: &(dyn Fn(u64) + Sync),
    ) -> Result<Self, SolveError> {
        let answer = if graph.mover(graph.start()).is_some() {
            Answer::Alternating(retrograde::solve(&*graph, watch))
        } else {
            debug_assert!(
                graph.size() < MOST_MATRICES,
                "the options keep simultaneous games small"
            );
            let game = Recursive::of(&*graph);
            let solution = game.solve()?;
            let reached = Edges::explore(&*graph, watch).reached();
            Answer::Simultaneous { game, solution, reached }
        };
        Ok(Self { entry, settings: settings.clone(), graph, answer, draws: OnceLock::new() })
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

    /// What is known of a position; nothing if it cannot arise in play.
    ///
    /// # Errors
    /// When the text is not a position of the game.
    pub fn analyse(&self, position: &str) -> Result<Option<Analysis>, PositionError> {
        let node = self.graph.find(position)?.filter(|&node| self.reached().contains(node));
        Ok(node.map(|node| self.analyse_node(node)))
    }

    /// What is known of the position of that number.
    #[must_use]
    pub fn analyse_node(&self, node: u32) -> Analysis {
        let verdict = match &self.answer {
            Answer::Alternating(solution) => Judgement::Alternating {
                value: solution.value(node),
                moves: self.moves(solution, node),
                draw: self.draw(node),
            },
            Answer::Simultaneous { game, solution, .. } => self.mixed(game, solution, node),
        };
        Analysis { is_reachable: self.reached().contains(node), verdict }
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

    fn draw(&self, node: u32) -> Option<Draw> {
        let Answer::Alternating(solution) = &self.answer else { return None };
        let draws = self.draws.get_or_init(|| draws::analyse(&*self.graph, solution));
        draws.binary_search_by_key(&node, |(node, _)| *node).ok().map(|at| draws[at].1)
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
