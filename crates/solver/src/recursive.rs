//! Simultaneous games that may never end: recursive games in Everett's sense.
//!
//! Every position is a matrix of positions. A finished game is worth +1, 0 or −1 to Player 1; a game that never ends is
//! worth 0. Every position has a value, but the equation v = Val M(v) has many solutions, and small steps towards one
//! of them prove nothing. Therefore candidate mixes are found heuristically and then certified: the exact best response
//! to each side's mix over the whole game ([`crate::chain`]) bounds the value from below and from above.
//!
//! To find good mixes, give every turn a small chance of stopping the game with value 0. The equation then has a unique
//! solution, which a Newton-like iteration finds quickly. As the chance goes to 0, the value approaches that of the
//! real game, and the mixes become arbitrarily good, though not always optimal: some positions have no optimal mix,
//! only better and better ones. In these positions, some probabilities vanish like a power of the chance. Extrapolating
//! that power gives better mixes than rounding would allow otherwise.

use skirmish_rules::graph::{Expansion, Graph, Node, NodeOutcome};
use skirmish_rules::{Cancelled, Watch};

use crate::chain::{Lottery, Process};
use crate::matrix;
use crate::value::number;

/// The largest accepted distance between the two bounds.
pub const TOLERANCE: f64 = 1e-9;

/// A recursive game.
#[derive(Clone, Debug, Default)]
pub struct Recursive {
    /// The positions of the game.
    pub nodes: Vec<Stage>,
}

/// A position of a recursive game.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// A finished game, with its value for Player 1.
    Over(f64),
    /// An unfinished position, in which both sides choose.
    Open {
        /// The number of Player 2's choices.
        columns: usize,
        /// The successor for each pair of choices, row by row.
        next: Vec<usize>,
    },
}

/// A mix for each side in every position; empty if nobody chooses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mixes {
    /// Player 1's mixes.
    pub rows: Vec<Vec<f64>>,
    /// Player 2's mixes.
    pub columns: Vec<Vec<f64>>,
}

/// Proven bounds for every position: Player 1's mixes get at least `lower`, and Player 2's mixes concede at most
/// `upper`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The value guaranteed by Player 1's mixes.
    pub lower: Vec<f64>,
    /// The value to which Player 2's mixes limit Player 1.
    pub upper: Vec<f64>,
}

/// A solved game.
#[derive(Clone, Debug, Default)]
pub struct MixedSolution {
    /// The mixes.
    pub mixes: Mixes,
    /// The bounds that the mixes prove.
    pub bounds: Bounds,
}

/// The reasons why a game could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsettled {
    /// The watcher cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The bounds stayed too far apart.
    #[error("the bounds on a value are still {0:e} apart")]
    Apart(f64),
}

impl Recursive {
    /// The game of a graph.
    pub fn of(graph: &dyn Graph) -> Self {
        let mut expansion = Expansion::default();
        let stage = |node| match graph.expand(node, &mut expansion) {
            Node::Over(NodeOutcome::Won) => Stage::Over(1.0),
            Node::Over(NodeOutcome::Lost) => Stage::Over(-1.0),
            Node::Over(NodeOutcome::Drawn) | Node::Hole => Stage::Over(0.0),
            Node::Open => Stage::Open {
                columns: expansion.columns,
                next: expansion.next.iter().map(|&next| next as usize).collect(),
            },
        };
        let size = number(graph.size());
        Self { nodes: (0..size).map(stage).collect() }
    }

    /// The memory in use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let cells = self.nodes.iter().map(|stage| match stage {
            Stage::Over(_) => 0,
            Stage::Open { next, .. } => next.len(),
        });
        (cells.sum::<usize>() * size_of::<usize>() + self.nodes.len() * size_of::<Stage>()) as u64
    }

    /// Finds mixes whose bounds are within [`TOLERANCE`] of each other.
    ///
    /// # Errors
    /// If no such mixes are found, or `watch` cancels the search.
    pub fn solve(&self, watch: &dyn Watch) -> Result<MixedSolution, Unsettled> {
        let mut best: Option<MixedSolution> = None;
        let mut last: Option<(f64, Mixes)> = None;
        let mut worth = vec![0.0; self.nodes.len()];
        for chance in STOPPING {
            let mixes = self.improve(chance, &mut worth, watch)?;
            let mut candidates = vec![mixes.clone()];
            if let Some((before, earlier)) = &last {
                let powers =
                    FURTHER.map(|further| extrapolate(earlier, *before, &mixes, chance, further));
                candidates.extend(powers);
            }
            for candidate in candidates {
                let found = self.judge(candidate, watch)?;
                if best.as_ref().is_none_or(|best| found.bounds.gap() < best.bounds.gap()) {
                    best = Some(found);
                }
                if let Some(best) = best.take_if(|best| best.bounds.gap() < ACCEPTED) {
                    let tidy = self.judge(best.mixes.tidied(), watch)?;
                    return Ok(if tidy.bounds.gap() < ACCEPTED { tidy } else { best });
                }
            }
            last = Some((chance, mixes));
        }
        Err(Unsettled::Apart(best.map_or(f64::INFINITY, |best| best.bounds.gap())))
    }

    /// Certifies mixes by computing the bounds that they prove.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn judge(&self, mixes: Mixes, watch: &dyn Watch) -> Result<MixedSolution, Cancelled> {
        let lost = self.response(&mixes.rows, Chooser::Columns, watch)?;
        let bounds = Bounds {
            lower: lost.iter().map(|worth| -worth).collect(),
            upper: self.response(&mixes.columns, Chooser::Rows, watch)?,
        };
        Ok(MixedSolution { mixes, bounds })
    }

    /// Finds good mixes for the game in which every turn has this chance of stopping with value 0. `worth` is the
    /// initial guess of the values and receives the result. Each round solves every position for the current guess; the
    /// values of these mixes over the whole game are the next guess. Like Newton's method, this is fast but not always
    /// right: the result is only a candidate.
    fn improve(
        &self,
        chance: f64,
        worth: &mut Vec<f64>,
        watch: &dyn Watch,
    ) -> Result<Mixes, Cancelled> {
        let mut mixes = self.local(chance, worth);
        for _ in 0..MOST_ROUNDS {
            let played = self.played(&mixes, chance, watch)?;
            let step = played.iter().zip(worth.iter()).map(|(new, old)| (new - old).abs());
            let step = step.fold(0.0, f64::max);
            *worth = played;
            mixes = self.local(chance, worth);
            if step < SMALL_STEP {
                break;
            }
        }
        Ok(mixes)
    }

    /// The optimal mixes of each position on its own, given the values of its successors.
    fn local(&self, chance: f64, worth: &[f64]) -> Mixes {
        let mut mixes = Mixes::default();
        for stage in &self.nodes {
            let Stage::Open { columns, next } = stage else {
                mixes.rows.push(Vec::new());
                mixes.columns.push(Vec::new());
                continue;
            };
            let payoff = |row: usize, column: usize| {
                let after = next[row * columns + column];
                match self.nodes[after] {
                    Stage::Over(worth) => worth,
                    Stage::Open { .. } => (1.0 - chance) * worth[after],
                }
            };
            let solved = matrix::solve(next.len() / columns, *columns, payoff);
            mixes.rows.push(solved.rows);
            mixes.columns.push(solved.columns);
        }
        mixes
    }

    /// The value of the best response to fixed mixes in every position, for the responding side.
    fn response(
        &self,
        fixed: &[Vec<f64>],
        chooser: Chooser,
        watch: &dyn Watch,
    ) -> Result<Vec<f64>, Cancelled> {
        let sign = match chooser {
            Chooser::Rows => 1.0,
            Chooser::Columns => -1.0,
        };
        let process = self.process(sign, 0.0, |node, rows, columns| {
            let choices = match chooser {
                Chooser::Rows => rows,
                Chooser::Columns => columns,
            };
            let one_choice = |choice: usize| {
                let shares =
                    fixed[node].iter().enumerate().map(move |(other, &share)| match chooser {
                        Chooser::Rows => (choice * columns + other, share),
                        Chooser::Columns => (other * columns + choice, share),
                    });
                shares.collect()
            };
            (0..choices).map(one_choice).collect()
        });
        process.most(watch)
    }

    /// The value for Player 1 if both sides play these mixes.
    fn played(&self, mixes: &Mixes, chance: f64, watch: &dyn Watch) -> Result<Vec<f64>, Cancelled> {
        let process = self.process(1.0, chance, |node, _rows, columns| {
            let rows = mixes.rows[node].iter().enumerate();
            let cells = rows.flat_map(|(row, &share)| {
                let shares = mixes.columns[node].iter().enumerate();
                shares.map(move |(column, &other)| (row * columns + column, share * other))
            });
            vec![cells.collect()]
        });
        process.most(watch)
    }

    /// The decision process in which a position has the actions returned by `actions(node, rows, columns)`. An action is
    /// a list of matrix cells with their chances.
    fn process(
        &self,
        sign: f64,
        chance: f64,
        actions: impl Fn(usize, usize, usize) -> Vec<Vec<(usize, f64)>>,
    ) -> Process {
        let lottery = |next: &[usize], cells: Vec<(usize, f64)>| {
            let mut lottery = Lottery::default();
            for (cell, share) in cells {
                match self.nodes[next[cell]] {
                    Stage::Over(worth) => lottery.stop(sign * worth, share),
                    Stage::Open { .. } => {
                        lottery.stop(0.0, share * chance);
                        lottery.go(next[cell], share * (1.0 - chance));
                    }
                }
            }
            lottery
        };
        let state = |(node, stage): (usize, &Stage)| match stage {
            Stage::Over(worth) => {
                vec![Lottery { end: 1.0, reward: sign * worth, next: Vec::new() }]
            }
            Stage::Open { columns, next } => {
                let listed = actions(node, next.len() / columns, *columns);
                listed.into_iter().map(|cells| lottery(next, cells)).collect()
            }
        };
        Process { states: self.nodes.iter().enumerate().map(state).collect() }
    }
}

/// The memory per position of a solution, without the shares: two lists and two bounds.
const BYTES_PER_NODE: u64 = (2 * size_of::<Vec<f64>>() + 2 * size_of::<f64>()) as u64;

#[derive(Clone, Copy)]
enum Chooser {
    Rows,
    Columns,
}

impl MixedSolution {
    /// The memory in use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let Mixes { rows, columns } = &self.mixes;
        let shares: usize = rows.iter().chain(columns).map(Vec::len).sum();
        (shares * size_of::<f64>()) as u64 + rows.len() as u64 * BYTES_PER_NODE
    }
}

impl Mixes {
    /// Removes shares that are probably due to rounding or to the chance of stopping, so that a sure win is played as
    /// one. The mixes must be certified again.
    fn tidied(&self) -> Self {
        let tidied = |shares: &Vec<f64>| matrix::mix(shares.iter().copied(), NEGLIGIBLE);
        let all = |mixes: &[Vec<f64>]| mixes.iter().map(tidied).collect();
        Self { rows: all(&self.rows), columns: all(&self.columns) }
    }
}

impl Bounds {
    /// The largest distance between the two bounds of a position.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.lower.iter().zip(&self.upper).map(|(lower, upper)| upper - lower).fold(0.0, f64::max)
    }

    /// The value of a position and a bound on its error.
    #[must_use]
    pub fn value(&self, node: usize) -> (f64, f64) {
        let (lower, upper) = (self.lower[node], self.upper[node]);
        let value = f64::midpoint(lower, upper);
        // Report a value that differs from 0 only by rounding as 0; the error covers the difference.
        let shown = if value.abs() < ROUNDING { 0.0 } else { value };
        (shown, (upper - lower).max(0.0) / 2.0 + ROUNDING)
    }
}

/// The largest gap that the search accepts. It is well within [`TOLERANCE`], so that rounding cannot refute the
/// solution in a later check.
const ACCEPTED: f64 = 5e-10;

/// The rounding error of an otherwise exact bound.
const ROUNDING: f64 = 1e-13;

/// The stopping chances to try, in order.
const STOPPING: [f64; 5] = [1e-4, 1e-6, 1e-8, 1e-10, 1e-12];

/// The smaller chances to which vanishing probabilities are extrapolated.
const FURTHER: [f64; 4] = [1e-16, 1e-24, 1e-36, 1e-60];

/// Shares below this may be due to rounding.
const NEGLIGIBLE: f64 = 1e-6;

/// The iteration has converged when steps are smaller than this.
const SMALL_STEP: f64 = 1e-15;

const MOST_ROUNDS: usize = 200;

/// A probability below this may vanish with the stopping chance.
const VANISHING: f64 = 1e-2;

/// Extrapolates probabilities that vanish between two stopping chances to a third stopping chance.
fn extrapolate(earlier: &Mixes, before: f64, later: &Mixes, now: f64, further: f64) -> Mixes {
    let follow = |(one, two): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
        let shares = one.iter().zip(two).map(|(&one, &two)| {
            let vanishes = 0.0 < two && two < one && one < VANISHING;
            if !vanishes {
                return two;
            }
            let power = (one / two).ln() / (before / now).ln();
            two * (further / now).powf(power)
        });
        matrix::mix(shares, 0.0)
    };
    Mixes {
        rows: earlier.rows.iter().zip(&later.rows).map(follow).collect(),
        columns: earlier.columns.iter().zip(&later.columns).map(follow).collect(),
    }
}

#[cfg(test)]
mod tests;
