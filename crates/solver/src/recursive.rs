//! Simultaneous games that may never end: recursive games in Everett's sense.
//!
//! Every position is a matrix of positions; a finished game is worth +1, 0 or −1 to Player 1, and a game
//! that never ends is worth 0. Such a game has a value in every position, but the equation v = Val M(v) has
//! many solutions, and small steps towards one prove nothing. So the mixes published here come from
//! anywhere, and are then judged: against each side's mix the other's exact best response over the whole
//! game is computed ([`crate::chain`]), and the two results bound the value from below and from above.
//!
//! Where do good mixes come from? If every turn had a small chance of ending the game for nothing, the
//! equation would have one solution, found quickly by improving one side's mix against the best response of
//! the other. As that chance goes to 0 the value goes to that of the real game, and the mixes become as good
//! as one likes, if not always optimal: some positions have no optimal mix, only ever better ones. There
//! some probabilities vanish like a power of the chance, and following that power further gives mixes that
//! are better than rounding would let one compute them.

use skirmish_rules::graph::{Expansion, Graph, Node, NodeOutcome};
use skirmish_rules::{Cancelled, Watch};

use crate::chain::{Lottery, Process};
use crate::matrix;
use crate::value::number;

/// How far apart the two bounds may be.
pub const TOLERANCE: f64 = 1e-9;

/// A game of matrices of positions.
#[derive(Clone, Debug, Default)]
pub struct Recursive {
    /// The positions.
    pub nodes: Vec<Stage>,
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// The game is over and worth this to Player 1.
    Over(f64),
    /// Both choose; the next positions, row by row.
    Open {
        /// How many choices Player 2 has.
        columns: usize,
        /// Where each pair of choices leads.
        next: Vec<usize>,
    },
}

/// A mix for both sides in every position; empty where nobody chooses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mixes {
    /// Player 1's.
    pub rows: Vec<Vec<f64>>,
    /// Player 2's.
    pub columns: Vec<Vec<f64>>,
}

/// What is proven of every position: Player 1's mixes get at least `lower`, Player 2's give at most `upper`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// What Player 1 is sure of.
    pub lower: Vec<f64>,
    /// What Player 2 can hold Player 1 to.
    pub upper: Vec<f64>,
}

/// A solved game.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// The mixes.
    pub mixes: Mixes,
    /// What they prove.
    pub bounds: Bounds,
}

/// Why a game is not solved.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsettled {
    /// Whoever watched has cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The bounds could not be brought together.
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

    /// The memory it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let cells = self.nodes.iter().map(|stage| match stage {
            Stage::Over(_) => 0,
            Stage::Open { next, .. } => next.len(),
        });
        (cells.sum::<usize>() * size_of::<usize>() + self.nodes.len() * size_of::<Stage>()) as u64
    }

    /// Finds mixes whose bounds are no further apart than [`TOLERANCE`].
    ///
    /// # Errors
    /// If no mixes that good were found, or `watch` cancels the search.
    pub fn solve(&self, watch: &dyn Watch) -> Result<Solution, Unsettled> {
        let mut best: Option<Solution> = None;
        let mut last: Vec<(f64, Mixes)> = Vec::new();
        let mut worth = vec![0.0; self.nodes.len()];
        for chance in STOPPING {
            let mixes = self.improve(chance, &mut worth, watch)?;
            let mut candidates = vec![mixes.clone()];
            if let Some((before, earlier)) = last.last() {
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
            last.push((chance, mixes));
        }
        Err(Unsettled::Apart(best.map_or(f64::INFINITY, |best| best.bounds.gap())))
    }

    /// The mixes with what they prove.
    ///
    /// # Errors
    /// If `watch` cancels it.
    pub fn judge(&self, mixes: Mixes, watch: &dyn Watch) -> Result<Solution, Cancelled> {
        let lost = self.response(&mixes.rows, Chooser::Columns, watch)?;
        let bounds = Bounds {
            lower: lost.iter().map(|worth| -worth).collect(),
            upper: self.response(&mixes.columns, Chooser::Rows, watch)?,
        };
        Ok(Solution { mixes, bounds })
    }

    /// The best mixes if every turn ends the game for nothing with this chance. `worth` is where the search
    /// begins and what it finds.
    ///
    /// Every position is played as if the next ones were worth what they seem; what that play is worth over
    /// the whole game is the next guess. Like Newton's method this is fast and not always right. What it
    /// finds is only a proposal.
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

    /// The optimal mixes of each position alone, if the next ones are worth this.
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

    /// The most that one side can get against fixed mixes of the other, in every position; for Player 2
    /// that is what Player 1 loses.
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

    /// What Player 1 gets if both play these mixes.
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

    /// The process in which each position has the actions that `actions` lists from its number, rows and columns: for
    /// each action, cells of the matrix with their chances.
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

/// What a position takes in a solution beside its shares: two lists and two bounds.
const BYTES_PER_NODE: u64 = (2 * size_of::<Vec<f64>>() + 2 * size_of::<f64>()) as u64;

#[derive(Clone, Copy)]
enum Chooser {
    Rows,
    Columns,
}

impl Solution {
    /// The memory it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let Mixes { rows, columns } = &self.mixes;
        let shares: usize = rows.iter().chain(columns).map(Vec::len).sum();
        (shares * size_of::<f64>()) as u64 + rows.len() as u64 * BYTES_PER_NODE
    }
}

impl Mixes {
    /// The mixes without what only rounding and the small chance of stopping have put into them, so that a
    /// sure win is played as one. It may be more than that, so they are to be judged again.
    fn tidied(&self) -> Self {
        let tidied = |mix: &Vec<f64>| -> Vec<f64> {
            let kept = mix.iter().map(|&share| if share < NEGLIGIBLE { 0.0 } else { share });
            let total: f64 = kept.clone().sum();
            kept.map(|share| share / total).collect()
        };
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

    /// The value of a position, and how far off it can be.
    #[must_use]
    pub fn value(&self, node: usize) -> (f64, f64) {
        let (lower, upper) = (self.lower[node], self.upper[node]);
        let value = f64::midpoint(lower, upper);
        // What is 0 but for rounding is shown as 0; the error covers it.
        let shown = if value.abs() < ROUNDING { 0.0 } else { value };
        (shown, (upper - lower).max(0.0) / 2.0 + ROUNDING)
    }
}

/// How far apart the bounds of an accepted solution may be: well within [`TOLERANCE`], so that a second look never
/// refutes it by rounding.
const ACCEPTED: f64 = 5e-10;

/// What rounding can add to a bound that is otherwise exact.
const ROUNDING: f64 = 1e-13;

/// The chances of ending for nothing that are tried, one after the other.
const STOPPING: [f64; 5] = [1e-4, 1e-6, 1e-8, 1e-10, 1e-12];

/// How much further than that vanishing probabilities are followed.
const FURTHER: [f64; 4] = [1e-16, 1e-24, 1e-36, 1e-60];

/// A share that may be nothing but rounding.
const NEGLIGIBLE: f64 = 1e-6;

/// When improving one side's mixes has come to an end.
const SMALL_STEP: f64 = 1e-15;

const MOST_ROUNDS: usize = 200;

/// A probability below this vanishes as the chance of stopping does.
const VANISHING: f64 = 1e-2;

/// Follows the probabilities that vanish from one chance to the next on to a third.
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
        let shares: Vec<f64> = shares.collect();
        let total: f64 = shares.iter().sum();
        shares.into_iter().map(|share| share / total).collect()
    };
    Mixes {
        rows: earlier.rows.iter().zip(&later.rows).map(follow).collect(),
        columns: earlier.columns.iter().zip(&later.columns).map(follow).collect(),
    }
}

#[cfg(test)]
mod tests;
