//! Exact results of games between policies. A game between two known probability distributions is a Markov chain, so
//! its result can be computed instead of sampled.

use skirmish_rules::graph::{Expansion, Node, NodeOutcome};
use skirmish_rules::{Both, Cancelled, Outcome, Side, Watch};

use super::policy::Policy;
use crate::solved::Solved;

/// The probabilities of the three results of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Results {
    /// Player 1 wins.
    pub one: f64,
    /// Player 2 wins.
    pub two: f64,
    /// Nobody wins, by the rules or because the turn limit is reached.
    pub draw: f64,
}

impl Results {
    /// Returns the expected score of a side: 1 for a win, a half for a draw.
    #[must_use]
    pub fn score(self, side: Side) -> f64 {
        let won = match side {
            Side::One => self.one,
            Side::Two => self.two,
        };
        won + self.draw / 2.0
    }

    /// Returns the advantage of playing as Player 1, as a score above one half.
    #[must_use]
    pub fn edge(self) -> f64 {
        let edge = (self.one - self.two) / 2.0;
        // A rounding error is not an advantage.
        if edge.abs() < ROUNDING { 0.0 } else { edge }
    }
}

/// The rounding error of a score.
const ROUNDING: f64 = 1e-12;

/// The number of positions processed between two checks for cancellation.
const BATCH: usize = 1 << 12;

/// Computes the exact result of a game between two policies from its start, with a draw after `turns` turns.
///
/// # Errors
/// If `watch` cancels the work.
pub fn versus(
    solved: &Solved,
    players: Both<&Policy>,
    turns: usize,
    watch: &dyn Watch,
) -> Result<Results, Cancelled> {
    let chain = Chain::of(solved, watch, |node, side| Some(players[side].shares(node, side)))?;
    let mut result = Results::default();
    let mut here = vec![0.0; chain.steps.len()];
    here[chain.start] = 1.0;
    for _ in 0..=turns {
        let mut next = vec![0.0; here.len()];
        for (place, step) in chain.steps.iter().enumerate() {
            if place % BATCH == 0 {
                watch.check(0)?;
            }
            if here[place] <= 0.0 {
                continue;
            }
            match step {
                ChainStep::Over(Outcome::Won(Side::One)) => result.one += here[place],
                ChainStep::Over(Outcome::Won(Side::Two)) => result.two += here[place],
                ChainStep::Over(Outcome::Draw) => result.draw += here[place],
                ChainStep::Open(choices) => {
                    for &(to, share) in choices.iter().flatten() {
                        next[to] += here[place] * share;
                    }
                }
            }
        }
        here = next;
    }
    result.draw += here.iter().sum::<f64>();
    Ok(result)
}

/// Computes the expected score of the best response to a policy, played as `side`, with a draw after `turns` turns.
///
/// # Errors
/// If `watch` cancels the work.
pub fn best_against(
    solved: &Solved,
    policy: &Policy,
    side: Side,
    turns: usize,
    watch: &dyn Watch,
) -> Result<f64, Cancelled> {
    let fixed = |node, mover| (mover != side).then(|| policy.shares(node, mover));
    let chain = Chain::of(solved, watch, fixed)?;
    let worth_of = |outcome: Outcome| match outcome.winner() {
        None => 0.5,
        Some(winner) => f64::from(u8::from(winner == side)),
    };
    let mut worth: Vec<f64> = chain
        .steps
        .iter()
        .map(|step| match step {
            ChainStep::Over(outcome) => worth_of(*outcome),
            ChainStep::Open(_) => 0.5,
        })
        .collect();
    for _ in 0..turns {
        let gets = |(place, step): (usize, &ChainStep)| {
            if place % BATCH == 0 {
                watch.check(0)?;
            }
            Ok(match step {
                ChainStep::Over(_) => worth[place],
                ChainStep::Open(choices) => choices
                    .iter()
                    .map(|choice| choice.iter().map(|&(to, share)| share * worth[to]).sum::<f64>())
                    .fold(0.0, f64::max),
            })
        };
        worth = chain.steps.iter().enumerate().map(gets).collect::<Result<_, Cancelled>>()?;
    }
    Ok(worth[chain.start])
}

/// The reachable positions, with the successors of each.
struct Chain {
    start: usize,
    steps: Vec<ChainStep>,
}

enum ChainStep {
    Over(Outcome),
    /// For each choice of the side without a policy (a single one if both have one), the next positions with their
    /// probabilities.
    Open(Vec<Vec<(usize, f64)>>),
}

impl Chain {
    /// Builds the chain in which each side plays by `shares`, or chooses freely if its share is `None`.
    fn of(
        solved: &Solved,
        watch: &dyn Watch,
        shares: impl Fn(u32, Side) -> Option<Vec<f64>>,
    ) -> Result<Self, Cancelled> {
        let graph = solved.graph();
        let nodes: Vec<u32> = solved.reached().iter().collect();
        let place = |node: u32| nodes.binary_search(&node).expect("successors are reachable");
        let mut expansion = Expansion::default();
        let mut steps = Vec::with_capacity(nodes.len());
        for (index, &node) in nodes.iter().enumerate() {
            if index % BATCH == 0 {
                watch.check(0)?;
            }
            let mover = graph.mover(node);
            if let Node::Over(verdict) = graph.expand(node, &mut expansion) {
                let side = mover.unwrap_or(Side::One);
                steps.push(ChainStep::Over(match verdict {
                    NodeOutcome::Won => Outcome::Won(side),
                    NodeOutcome::Lost => Outcome::Won(side.other()),
                    NodeOutcome::Drawn => Outcome::Draw,
                }));
                continue;
            }
            let next: Vec<usize> = expansion.next.iter().map(|&next| place(next)).collect();
            let columns = expansion.columns;
            let parts = |side: Side, count: usize| match shares(node, side) {
                Some(shares) => vec![shares],
                None => (0..count).map(|only| pure(only, count)).collect(),
            };
            let (rows, columns) = match mover {
                Some(side) => (parts(side, next.len()), vec![vec![1.0]]),
                None => (parts(Side::One, next.len() / columns), parts(Side::Two, columns)),
            };
            let mut choices = Vec::new();
            for row in &rows {
                for column in &columns {
                    let cells =
                        row.iter().flat_map(|share| column.iter().map(move |other| share * other));
                    choices.push(
                        next.iter().copied().zip(cells).filter(|(_, share)| *share > 0.0).collect(),
                    );
                }
            }
            steps.push(ChainStep::Open(choices));
        }
        Ok(Self { start: place(graph.start()), steps })
    }
}

/// Returns the mix that always plays the action `only`.
fn pure(only: usize, count: usize) -> Vec<f64> {
    (0..count).map(|index| f64::from(u8::from(index == only))).collect()
}
