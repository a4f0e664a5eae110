//! Simulated pairs with known probabilities, for tests.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use super::tally::{MOST_HALF_POINTS, PairTally};

/// The probabilities of 0, ½, 1, 1½ and 2 points in a pair.
pub(super) type Chances = [f64; 5];

/// A reproducible source of pairs.
pub(super) struct Simulation {
    stream: ChaCha8Rng,
}

impl Simulation {
    pub(super) fn from_seed(seed: u64) -> Self {
        Self { stream: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Returns a whole number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.stream.next_u32() as usize % limit
    }

    /// Returns the half points of one pair.
    pub(super) fn pair(&mut self, chances: &Chances) -> u8 {
        let mut roll = f64::from(self.stream.next_u32()) / 2_f64.powi(32);
        for (half_points, chance) in (0..MOST_HALF_POINTS).zip(chances) {
            if roll < *chance {
                return half_points;
            }
            roll -= chance;
        }
        MOST_HALF_POINTS
    }

    /// Returns a tally of distinct pairs.
    pub(super) fn tally(&mut self, chances: &Chances, pairs: usize) -> PairTally {
        let mut tally = PairTally::default();
        for _ in 0..pairs {
            tally.add(self.pair(chances), false);
        }
        tally
    }
}

/// Returns the expected score per game.
pub(super) fn mean(chances: &Chances) -> f64 {
    (0..=MOST_HALF_POINTS)
        .zip(chances)
        .map(|(points, chance)| f64::from(points) * chance)
        .sum::<f64>()
        / f64::from(MOST_HALF_POINTS)
}

/// Returns the probabilities for a pair of independent games with this expected score and draw rate.
pub(super) fn independent(score: f64, draws: f64) -> Chances {
    let won = score - draws / 2.0;
    let game = [1.0 - won - draws, draws, won];
    let mut chances = [0.0; 5];
    for (first, chance) in game.iter().enumerate() {
        for (second, other) in game.iter().enumerate() {
            chances[first + second] += chance * other;
        }
    }
    chances
}
