//! Exact results of games between policies. A game between two known probability distributions is a Markov chain, so
//! its result can be computed instead of sampled.

use skirmish_rules::{Both, Cancelled, Side, Watch};
use skirmish_solver::response::Prospect;

use super::policy::Policy;
use super::prospects::{BATCH, explore};
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
    let both = |node, side| Some(players[side].shares(node, side));
    let states = states(solved, Side::One, both, watch)?;
    let mut result = Results::default();
    let mut here = vec![0.0; states.len()];
    here[0] = 1.0;
    for _ in 0..turns {
        let mut after = vec![0.0; here.len()];
        for (place, prospects) in states.iter().enumerate() {
            if place % BATCH == 0 {
                watch.check(0)?;
            }
            if here[place] <= 0.0 {
                continue;
            }
            for Prospect { next, win, loss, draw } in prospects {
                result.one += here[place] * win;
                result.two += here[place] * loss;
                result.draw += here[place] * draw;
                for &(to, share) in next {
                    after[to as usize] += here[place] * share;
                }
            }
        }
        here = after;
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
    let states = states(solved, side, fixed, watch)?;
    let mut worth = vec![0.5; states.len()];
    for _ in 0..turns {
        let gets = |(place, choices): (usize, &Vec<Prospect>)| {
            if place % BATCH == 0 {
                watch.check(0)?;
            }
            let gets = |choice: &Prospect| {
                let next = choice.next.iter().map(|&(to, share)| share * worth[to as usize]);
                choice.win + choice.draw / 2.0 + next.sum::<f64>()
            };
            Ok(choices.iter().map(gets).fold(0.0, f64::max))
        };
        worth = states.iter().enumerate().map(gets).collect::<Result<_, Cancelled>>()?;
    }
    Ok(worth[0])
}

/// Returns the prospects of every state of a game from its start; see [`explore`].
fn states(
    solved: &Solved,
    side: Side,
    shares: impl Fn(u32, Side) -> Option<Vec<f64>>,
    watch: &dyn Watch,
) -> Result<Vec<Vec<Prospect>>, Cancelled> {
    let mut states = Vec::new();
    explore(solved, solved.graph().start(), side, shares, watch, |choices| states.push(choices))?;
    Ok(states)
}
