//! The sequential probability ratio test: a match that ends as soon as it decides between two hypotheses about Elo.

use thiserror::Error;

use super::tally::{MOST_HALF_POINTS, PRIOR, PairTally, elo_to_score};

/// The largest testable Elo difference, which corresponds to one point in a hundred thousand games.
const WIDEST: f64 = 2000.0;

/// Why a test cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SprtError {
    /// A difference is too large to test, or not a number.
    #[error("{0} is not an Elo difference to test: expected a number from -{WIDEST} to {WIDEST}")]
    OutOfRange(f64),
    /// The second hypothesis is not larger than the first.
    #[error(
        "the test cannot distinguish {elo0} Elo from {elo1}: the second must be larger than the first"
    )]
    NoGap {
        /// The Elo of the first hypothesis.
        elo0: f64,
        /// The Elo of the second.
        elo1: f64,
    },
    /// An error probability is out of range.
    #[error("{0} is not an error probability: expected a number between 0 and 0.5, such as 0.05")]
    NotAChance(f64),
}

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The difference is at most that of the first hypothesis.
    First,
    /// The difference is at least that of the second hypothesis.
    Second,
    /// More pairs are needed.
    Open,
}

/// Tests whether one player's Elo exceeds the other's by at most `elo0` or by at least `elo1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

impl Sprt {
    /// Creates a test that wrongly accepts the second hypothesis with probability `alpha`, and the first one with
    /// probability `beta`.
    ///
    /// # Errors
    /// If `elo0` is not less than `elo1`, either exceeds 2000 in absolute value, or a probability is not between 0 and
    /// 0.5.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let is_testable = |elo: f64| elo.abs() <= WIDEST;
        if let Some(elo) = [elo0, elo1].into_iter().find(|elo| !is_testable(*elo)) {
            return Err(SprtError::OutOfRange(elo));
        }
        if elo0 >= elo1 {
            return Err(SprtError::NoGap { elo0, elo1 });
        }
        let is_chance = |chance: f64| chance > 0.0 && chance < 0.5;
        if let Some(chance) = [alpha, beta].into_iter().find(|chance| !is_chance(*chance)) {
            return Err(SprtError::NotAChance(chance));
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }

    /// Returns the parameters `elo0`, `elo1`, `alpha` and `beta`.
    #[must_use]
    pub const fn parameters(self) -> [f64; 4] {
        [self.elo0, self.elo1, self.alpha, self.beta]
    }

    /// Returns the log-likelihood ratio of the second hypothesis to the first.
    ///
    /// This is the generalised test on pairs: each hypothesis uses the probabilities of the five results that fit it
    /// best. Repeats of a pair add no weight.
    #[must_use]
    pub fn llr(&self, tally: &PairTally) -> f64 {
        let counts = evidence(tally);
        log_likelihood(&counts, elo_to_score(self.elo1))
            - log_likelihood(&counts, elo_to_score(self.elo0))
    }

    /// Returns the bounds of the log-likelihood ratio: the test accepts the first hypothesis at the lower bound and the
    /// second at the upper bound.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Returns the decision after these pairs.
    #[must_use]
    pub fn decision(&self, tally: &PairTally) -> Decision {
        let (lower, upper) = self.bounds();
        match self.llr(tally) {
            llr if llr <= lower => Decision::First,
            llr if llr >= upper => Decision::Second,
            _ => Decision::Open,
        }
    }

    /// States a decision as a sentence about two players.
    ///
    /// ```
    /// use skirmish_play::tournament::sprt::{Decision, Sprt};
    ///
    /// let test = Sprt::new(0.0, 10.0, 0.05, 0.05)?;
    /// assert_eq!(test.sentence(Decision::First, "Ada", "Bob"), "Ada is not stronger than Bob.");
    /// # Ok::<(), skirmish_play::tournament::sprt::SprtError>(())
    /// ```
    #[must_use]
    pub fn sentence(&self, decision: Decision, one: &str, two: &str) -> String {
        let first = at_most(self.elo0);
        let second = at_least(self.elo1);
        match decision {
            Decision::First => format!("{one} is {first} than {two}."),
            Decision::Second => format!("{one} is {second} than {two}."),
            Decision::Open => {
                format!("It is still open whether {one} is {first} than {two} or {second}.")
            }
        }
    }
}

/// Returns the possible scores of a pair and the frequency of each among distinct pairs. Adds a fraction of a lost pair
/// and of a won pair, so that no score is impossible and a few equal pairs at the start do not decide the test.
fn evidence(tally: &PairTally) -> [(f64, f64); 5] {
    let outcomes = tally.outcomes();
    let weight = f64::from(tally.distinct()) / f64::from(tally.pairs().max(1));
    [0, 1, 2, 3, 4].map(|half_points| {
        let is_extreme = half_points == 0 || half_points == MOST_HALF_POINTS;
        let prior = if is_extreme { PRIOR / 2.0 } else { 0.0 };
        let count = f64::from(outcomes[usize::from(half_points)]) * weight;
        (f64::from(half_points) / f64::from(MOST_HALF_POINTS), count + prior)
    })
}

/// Returns the maximum log-likelihood of the counts under the constraint that their mean is `mean`, minus the
/// unconstrained maximum.
fn log_likelihood(counts: &[(f64, f64); 5], mean: f64) -> f64 {
    const HALVINGS: usize = 50;
    // By Lagrange multipliers, the probabilities are the shares divided by `1 + tilt * (score - mean)`. Their mean falls
    // as the tilt grows, over the range in which all probabilities are positive.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..HALVINGS {
        let tilt = f64::midpoint(low, high);
        let excess: f64 = counts
            .iter()
            .map(|(score, count)| count * (score - mean) / (1.0 + tilt * (score - mean)))
            .sum();
        if excess > 0.0 {
            low = tilt;
        } else {
            high = tilt;
        }
    }
    let tilt = f64::midpoint(low, high);
    -counts.iter().map(|(score, count)| count * (tilt * (score - mean)).ln_1p()).sum::<f64>()
}

fn at_most(elo: f64) -> String {
    if elo > 0.0 {
        format!("at most {elo} Elo stronger")
    } else if elo < 0.0 {
        format!("at least {} Elo weaker", -elo)
    } else {
        "not stronger".to_owned()
    }
}

fn at_least(elo: f64) -> String {
    if elo > 0.0 {
        format!("at least {elo} Elo stronger")
    } else if elo < 0.0 {
        format!("at most {} Elo weaker", -elo)
    } else {
        "not weaker".to_owned()
    }
}

#[cfg(test)]
mod tests;
