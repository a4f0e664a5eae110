//! Sharp equilibria: among the optimal mixes of a simultaneous game, those that gain the most from a fallible opponent.
//! Without them, a player content with a draw might just charge forever.

use skirmish_rules::{Both, Cancelled, Side, Watch};
use skirmish_solver::corners::corners;
use skirmish_solver::recursive::{MixedSolution, Mixes, Recursive, Stage, TOLERANCE};

use crate::solved::mixes_of;

/// The discount factor of gains per turn.
const PATIENCE: f64 = 0.97;

/// The number of iterations for computing the gains from the opponent's mistakes.
const ROUNDS: usize = 300;

/// Values closer to 0 than this count as 0.
const EVEN: f64 = 1e-12;

/// The tolerance for rounding errors.
const SLACK: f64 = 1e-11;

/// Returns, for each side and position, a mix that is as good as the solution's against any opponent, and best against
/// one who plays a random action with probability `slips`.
pub(super) fn equilibrium(
    game: &Recursive,
    solution: &MixedSolution,
    slips: f64,
    watch: &dyn Watch,
) -> Result<Both<Vec<Vec<f64>>>, Cancelled> {
    let sharpened = |side| sharpened(game, solution, side, slips, watch);
    let mixes = Both::new(sharpened(Side::One)?, sharpened(Side::Two)?);
    let certain =
        game.judge(Mixes { rows: mixes.one.clone(), columns: mixes.two.clone() }, watch)?;
    // Mixes that are optimal in each position on its own need not be optimal in the whole game.
    let held = |side: Side| {
        let (proven, known) = match side {
            Side::One => (&certain.bounds.lower, &solution.bounds.lower),
            Side::Two => (&certain.bounds.upper, &solution.bounds.upper),
        };
        proven.iter().zip(known).all(|(proven, known)| (proven - known).abs() < TOLERANCE)
    };
    let Mixes { rows, columns } = &solution.mixes;
    Ok(Both::new(
        if held(Side::One) { mixes.one } else { rows.clone() },
        if held(Side::Two) { mixes.two } else { columns.clone() },
    ))
}

fn sharpened(
    game: &Recursive,
    solution: &MixedSolution,
    side: Side,
    slips: f64,
    watch: &dyn Watch,
) -> Result<Vec<Vec<f64>>, Cancelled> {
    let plain = mixes_of(&solution.mixes, side);
    let options = (0..game.nodes.len())
        .map(|node| {
            watch.check(0)?;
            let (value, _) = solution.bounds.value(node);
            let view = Perspective::of(game, node, side);
            let worth = |next: usize| view.sign * solution.bounds.value(next).0;
            // Unless the value is 0, the solution's mix can hardly be improved.
            if value.abs() > EVEN || view.own == 0 {
                return Ok(vec![plain[node].clone()]);
            }
            let mut corners = view.corners(worth);
            corners.push(plain[node].clone());
            Ok(corners)
        })
        .collect::<Result<Vec<Vec<Vec<f64>>>, Cancelled>>()?;
    let mut gain = vec![0.0; game.nodes.len()];
    let mut chosen = vec![0; game.nodes.len()];
    for _ in 0..ROUNDS {
        watch.check(0)?;
        let before = gain.clone();
        for node in 0..game.nodes.len() {
            let view = Perspective::of(game, node, side);
            if let Stage::Over(worth) = game.nodes[node] {
                gain[node] = view.sign * worth;
                continue;
            }
            let against = view.erring(solution, node, slips);
            let gets = |mix: &Vec<f64>| {
                let rows = (0..view.own).map(|own| {
                    let cells =
                        (0..view.other).map(|other| against[other] * before[view.next(own, other)]);
                    mix[own] * cells.sum::<f64>()
                });
                PATIENCE * rows.sum::<f64>()
            };
            let best = (0..options[node].len()).max_by(|&one, &two| {
                gets(&options[node][one]).total_cmp(&gets(&options[node][two]))
            });
            chosen[node] = best.expect("the plain mix is an option");
            gain[node] = gets(&options[node][chosen[node]]);
        }
    }
    let chosen = options.into_iter().zip(chosen);
    Ok(chosen.map(|(mut options, chosen)| options.swap_remove(chosen)).collect())
}

/// A position's matrix from one side's point of view.
struct Perspective<'a> {
    side: Side,
    sign: f64,
    own: usize,
    other: usize,
    columns: usize,
    cells: &'a [usize],
}

impl<'a> Perspective<'a> {
    fn of(game: &'a Recursive, node: usize, side: Side) -> Self {
        let (columns, cells): (usize, &[usize]) = match &game.nodes[node] {
            Stage::Over(_) => (1, &[]),
            Stage::Open { columns, next } => (*columns, next),
        };
        let rows = cells.len() / columns;
        let (own, other, sign) = match side {
            Side::One => (rows, columns, 1.0),
            Side::Two => (if rows == 0 { 0 } else { columns }, rows, -1.0),
        };
        Self { side, sign, own, other, columns, cells }
    }

    fn next(&self, own: usize, other: usize) -> usize {
        match self.side {
            Side::One => self.cells[own * self.columns + other],
            Side::Two => self.cells[other * self.columns + own],
        }
    }

    /// Returns the mix of the fallible opponent.
    fn erring(&self, solution: &MixedSolution, node: usize, slips: f64) -> Vec<f64> {
        let mix = &mixes_of(&solution.mixes, self.side.other())[node];
        let any = slips / f64::from(u32::try_from(mix.len()).expect("a side has few actions"));
        mix.iter().map(|share| (1.0 - slips) * share + any).collect()
    }

    /// Returns the corners of the set of mixes that get at least 0 against every action of the opponent.
    fn corners(&self, worth: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
        corners(self.own, self.other, SLACK, |own, other| worth(self.next(own, other)))
    }
}
