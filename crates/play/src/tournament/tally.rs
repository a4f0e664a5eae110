//! Scores of pairs of games, and their confidence intervals.
//!
//! The unit of evidence is the pair: two games from the same opening with the seats swapped. Its games are not
//! independent, so counting them one by one would give wrong intervals.

/// The maximum number of half points in a pair.
pub const MOST_HALF_POINTS: u8 = 4;

/// The prior, in pairs. As half a drawn pair, it removes the bias that the logarithm in Elo has for independent games;
/// as half a pair of maximum variance, it keeps error bars from collapsing when every pair ends alike.
pub(super) const PRIOR: f64 = 0.5;

/// The Elo difference that changes the odds tenfold.
pub(super) const ELO_PER_DECADE: f64 = 400.0;

/// A pair of games between two entrants with the seats swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The index of one entrant.
    pub one: usize,
    /// The index of the other.
    pub two: usize,
    /// The half points of the entrant `one`: from 0 to 4.
    pub half_points: u8,
    /// Whether the same two games have been played before, so that they add no evidence.
    pub is_repeat: bool,
}

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// An Elo difference with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The estimate; always finite.
    pub elo: f64,
    /// The lower end: minus infinity if no point was scored.
    pub low: f64,
    /// The upper end: infinity if no point was lost.
    pub high: f64,
}

/// The frequency of each result of a pair, for one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairTally {
    outcomes: [u32; MOST_HALF_POINTS as usize + 1],
    repeats: u32,
}

impl PairTally {
    /// Tallies all pairs of an entrant.
    ///
    /// # Panics
    /// If a pair has more than four half points.
    #[must_use]
    pub fn of(entrant: usize, pairs: &[Pair]) -> Self {
        let mut tally = Self::default();
        for pair in pairs {
            if pair.one == entrant {
                tally.add(pair.half_points, pair.is_repeat);
            } else if pair.two == entrant {
                tally.add(MOST_HALF_POINTS - pair.half_points, pair.is_repeat);
            }
        }
        tally
    }

    /// Adds a pair.
    ///
    /// # Panics
    /// If the pair has more than four half points.
    pub fn add(&mut self, half_points: u8, is_repeat: bool) {
        assert!(half_points <= MOST_HALF_POINTS, "a pair has no more than two points");
        self.outcomes[usize::from(half_points)] += 1;
        self.repeats += u32::from(is_repeat);
    }

    /// Returns the same pairs from the opponent's point of view.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.outcomes.reverse();
        self
    }

    /// Returns the numbers of pairs that ended with 0, ½, 1, 1½ and 2 points.
    #[must_use]
    pub const fn outcomes(&self) -> [u32; 5] {
        self.outcomes
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u32 {
        self.outcomes.iter().sum()
    }

    /// Returns the number of distinct pairs, which measures the amount of evidence.
    #[must_use]
    pub fn distinct(&self) -> u32 {
        // The first occurrence of a repeated pair may be in another tally.
        self.pairs().saturating_sub(self.repeats).max(self.pairs().min(1))
    }

    /// Returns the mean points per game, from 0 to 1; one half without games.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.mean(|score| score).unwrap_or(0.5)
    }

    /// The 95 % interval of the mean points per game. This is Wilson's interval for a proportion, with its variance
    /// `score * (1 - score)` scaled to the variance of the pairs: small if most pairs are drawn, full if the same
    /// player wins both games of every pair. Student's quantile accounts for that scale being an estimate. In
    /// simulations it contains the true score in at least 94 of 100 cases, even with few pairs and at lopsided scores.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let distinct = self.distinct();
        if distinct == 0 {
            return Interval { low: 0.0, high: 1.0 };
        }
        let score = self.score();
        let variance = score * (1.0 - score);
        let share =
            variance_share(self.mean_square_around(score), variance, PRIOR / f64::from(distinct));
        let spread = student(distinct).powi(2) * share / f64::from(distinct);
        let centre = (score + spread / 2.0) / (1.0 + spread);
        let half_width = (spread * variance + (spread / 2.0).powi(2)).sqrt() / (1.0 + spread);
        // Rounding must not push an end past the score, which lies between 0 and 1.
        Interval {
            low: (centre - half_width).clamp(0.0, score),
            high: (centre + half_width).clamp(score, 1.0),
        }
    }

    /// Returns the Elo difference from the opponent.
    #[must_use]
    pub fn elo(&self) -> Elo {
        let distinct = f64::from(self.distinct());
        let shrunk = (distinct * self.score() + PRIOR / 2.0) / (distinct + PRIOR);
        let Interval { low, high } = self.interval();
        Elo { elo: score_to_elo(shrunk), low: score_to_elo(low), high: score_to_elo(high) }
    }

    /// Returns the mean squared deviation of the pairs' scores from an expected score.
    pub(super) fn mean_square_around(&self, expected: f64) -> f64 {
        self.mean(|score| (score - expected).powi(2)).unwrap_or(0.0)
    }

    /// Returns the mean of a function of the points per game over all pairs.
    fn mean(&self, of: impl Fn(f64) -> f64) -> Option<f64> {
        let pairs = self.pairs();
        let total: f64 = (0..=MOST_HALF_POINTS)
            .zip(self.outcomes)
            .map(|(half_points, count)| {
                f64::from(count) * of(f64::from(half_points) / f64::from(MOST_HALF_POINTS))
            })
            .sum();
        (pairs > 0).then(|| total / f64::from(pairs))
    }
}

/// Returns the observed share of the maximum variance, after adding `prior` pairs of maximum variance per pair.
pub(super) fn variance_share(found: f64, greatest: f64, prior: f64) -> f64 {
    (found + prior) / (greatest + prior)
}

/// Returns half the width of a 95 % interval in standard errors: the quantile of Student's distribution.
pub(super) fn student(degrees_of_freedom: u32) -> f64 {
    // Abramowitz and Stegun 26.7.5: a series in the reciprocal of the degrees of freedom, accurate from three on.
    const SERIES: [f64; 5] = [1.959_964, 2.372_271, 2.822_499, 2.555_850, 1.589_534];
    match degrees_of_freedom {
        0 => f64::INFINITY,
        1 => 12.706,
        2 => 4.303,
        more => SERIES.iter().rev().fold(0.0, |sum, term| sum / f64::from(more) + term),
    }
}

/// Returns the expected score per game at this Elo difference.
pub(crate) fn elo_to_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / ELO_PER_DECADE))
}

/// Returns the Elo difference at which this score per game is expected; infinite at 0 and 1.
pub(crate) fn score_to_elo(score: f64) -> f64 {
    ELO_PER_DECADE * (score / (1.0 - score)).log10()
}

#[cfg(test)]
mod tests;
