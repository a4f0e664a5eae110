//! Ratings of all entrants of a tournament on one scale, with error bars.
//!
//! The estimate is the maximum likelihood estimate of the Bradley-Terry model, in which a draw is half a win. The error
//! bars do not use the model's variance; they are computed from the observed spread of the pairs.

use std::collections::BTreeMap;
use std::f64::consts::LN_10;

use super::tally::{
    ELO_PER_DECADE, MOST_HALF_POINTS, PRIOR, Pair, PairTally, student, variance_share,
};

/// The model's natural unit (odds grow by a factor of e), in Elo.
const ELO_PER_UNIT: f64 = ELO_PER_DECADE / LN_10;

/// The strength of an entrant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The estimate. Entrants connected by games have a mean of 0.
    pub elo: f64,
    /// Half the width of the 95 % interval of the difference from the mean; `None` without games.
    pub error: Option<f64>,
}

/// Rates all entrants. Entrants that are not connected by games cannot be compared: each connected group has its own
/// mean of 0, and an entrant without games has the rating 0 without an error bar.
///
/// # Panics
/// If a pair names an unknown entrant or the same entrant twice, or has more than four half points.
#[must_use]
pub fn ratings(entrants: usize, pairs: &[Pair]) -> Vec<Rating> {
    let Aggregate { encounters, distinct, groups } = Aggregate::of(entrants, pairs);
    let strengths = most_likely(&encounters, &groups);
    let inverse = inverse(information(&encounters, &groups, &strengths));
    let errors = (0..entrants).map(|entrant| {
        let row = &inverse[entrant];
        let variance: f64 = encounters
            .iter()
            .map(|encounter| {
                let influence = row[encounter.one] - row[encounter.two];
                influence.powi(2) * encounter.variance(&strengths)
            })
            .sum();
        (distinct[entrant] > 0).then(|| student(distinct[entrant]) * variance.sqrt() * ELO_PER_UNIT)
    });
    strengths
        .iter()
        .zip(errors)
        .map(|(strength, error)| Rating { elo: strength * ELO_PER_UNIT, error })
        .collect()
}

/// All pairs between the same two entrants.
struct RatedEncounter {
    one: usize,
    two: usize,
    tally: PairTally,
    /// The weight of the prior per pair. The total per entrant is fixed and divided among its opponents, so that it
    /// stays small in a large field.
    prior: f64,
}

impl RatedEncounter {
    fn expected(&self, strengths: &[f64]) -> f64 {
        1.0 / (1.0 + (strengths[self.two] - strengths[self.one]).exp())
    }

    /// Returns the points that `one` scored above expectation, counting the prior as drawn pairs.
    fn surplus(&self, strengths: &[f64]) -> f64 {
        let expected = self.expected(strengths);
        f64::from(self.tally.pairs())
            * (self.tally.score() - expected + self.prior * (0.5 - expected))
    }

    /// Returns the rate at which the surplus falls as the estimate of `one` rises.
    fn information(&self, strengths: &[f64]) -> f64 {
        let expected = self.expected(strengths);
        f64::from(self.tally.pairs()) * (1.0 + self.prior) * expected * (1.0 - expected)
    }

    /// Returns the variance of the surplus. A repeated pair adds points, but no certainty.
    fn variance(&self, strengths: &[f64]) -> f64 {
        let expected = self.expected(strengths);
        let greatest = expected * (1.0 - expected);
        let found = self.tally.mean_square_around(expected);
        let pairs = f64::from(self.tally.pairs());
        let of_a_pair = variance_share(found, greatest, self.prior) * greatest;
        pairs * pairs / f64::from(self.tally.distinct()) * of_a_pair
    }
}

/// The pairs, grouped by entrants.
struct Aggregate {
    encounters: Vec<RatedEncounter>,
    /// The number of distinct pairs of every entrant.
    distinct: Vec<u32>,
    /// The group of every entrant: equal for entrants connected by games.
    groups: Vec<usize>,
}

impl Aggregate {
    fn of(entrants: usize, pairs: &[Pair]) -> Self {
        let mut tallies: BTreeMap<(usize, usize), PairTally> = BTreeMap::new();
        for &Pair { one, two, half_points, is_repeat } in pairs {
            assert!(one.max(two) < entrants, "a pair is played by entrants");
            assert!(one != two, "nobody plays against themselves");
            assert!(half_points <= MOST_HALF_POINTS, "a pair has no more than two points");
            let points = if one < two { half_points } else { MOST_HALF_POINTS - half_points };
            tallies.entry((one.min(two), one.max(two))).or_default().add(points, is_repeat);
        }
        let mut distinct = vec![0; entrants];
        let mut groups: Vec<usize> = (0..entrants).collect();
        for (&(one, two), tally) in &tallies {
            distinct[one] += tally.distinct();
            distinct[two] += tally.distinct();
            let (kept, joined) = (groups[one], groups[two]);
            if kept != joined {
                groups.iter_mut().filter(|group| **group == joined).for_each(|group| *group = kept);
            }
        }
        let share = |entrant: usize| PRIOR / f64::from(distinct[entrant]);
        let encounters = tallies
            .into_iter()
            .map(|((one, two), tally)| {
                let prior = f64::midpoint(share(one), share(two));
                RatedEncounter { one, two, tally, prior }
            })
            .collect();
        Self { encounters, distinct, groups }
    }
}

/// Returns the strengths at which nobody has a surplus, by Newton's method.
fn most_likely(encounters: &[RatedEncounter], groups: &[usize]) -> Vec<f64> {
    const CLOSE: f64 = 1e-9;
    const MOST_STEPS: usize = 200;
    let mut strengths = vec![0.0; groups.len()];
    for _ in 0..MOST_STEPS {
        let mut surplus = vec![0.0; groups.len()];
        for encounter in encounters {
            let points = encounter.surplus(&strengths);
            surplus[encounter.one] += points;
            surplus[encounter.two] -= points;
        }
        let step: Vec<f64> = inverse(information(encounters, groups, &strengths))
            .iter()
            .map(|row| row.iter().zip(&surplus).map(|(cell, points)| cell * points).sum())
            .collect();
        let longest = encounters
            .iter()
            .map(|encounter| (step[encounter.one] - step[encounter.two]).abs())
            .fold(0.0, f64::max);
        if longest < CLOSE {
            break;
        }
        // Full steps can overshoot forever. The logistic function is self-concordant, so this damping makes every step
        // an improvement (Sun and Tran-Dinh, Mathematical Programming 178, 2019).
        let damping = longest.ln_1p() / longest;
        for (strength, change) in strengths.iter_mut().zip(step) {
            *strength += damping * change;
        }
    }
    strengths
}

/// Returns the information matrix: the change of the surpluses per change of the strengths. Games do not determine the
/// mean of a group. Adding the same number for every pair of its members makes the matrix invertible and keeps every
/// mean at 0.
fn information(
    encounters: &[RatedEncounter],
    groups: &[usize],
    strengths: &[f64],
) -> Vec<Vec<f64>> {
    let mut matrix: Vec<Vec<f64>> = groups
        .iter()
        .map(|one| groups.iter().map(|two| f64::from(u8::from(one == two))).collect())
        .collect();
    for encounter in encounters {
        let information = encounter.information(strengths);
        let RatedEncounter { one, two, .. } = *encounter;
        matrix[one][one] += information;
        matrix[two][two] += information;
        matrix[one][two] -= information;
        matrix[two][one] -= information;
    }
    matrix
}

/// Inverts a symmetric positive definite matrix by Gauss-Jordan elimination in place. Such a matrix needs no pivoting.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for pivot in 0..matrix.len() {
        let mut row = std::mem::take(&mut matrix[pivot]);
        let scale = 1.0 / row[pivot];
        row[pivot] = 1.0;
        for cell in &mut row {
            *cell *= scale;
        }
        for other in matrix.iter_mut().filter(|other| !other.is_empty()) {
            let factor = std::mem::replace(&mut other[pivot], 0.0);
            for (cell, pivotal) in other.iter_mut().zip(&row) {
                *cell -= factor * pivotal;
            }
        }
        matrix[pivot] = row;
    }
    matrix
}

#[cfg(test)]
mod tests;
