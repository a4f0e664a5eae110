//! Reproducible random numbers: the seed determines everything random in a game.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use skirmish_rules::Side;

/// The source of all random numbers in a match.
///
/// It reads raw words of the `ChaCha8` stream, so that no library upgrade changes the meaning of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    seed: u64,
}

impl Chance {
    /// Starts from a seed.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the seed.
    #[must_use]
    pub const fn seed(self) -> u64 {
        self.seed
    }

    /// Tosses the coin that decides who starts.
    #[must_use]
    pub fn toss(self) -> Side {
        if self.stream(0).next_u32().is_multiple_of(2) { Side::One } else { Side::Two }
    }

    /// Returns a number in 0..1 for a side's choice, derived only from the seed, the game, the turn and the number of
    /// takebacks. A resumed game therefore continues as if it had never stopped.
    #[must_use]
    pub fn roll(self, game: u32, turn: usize, undone: u32, side: Side) -> f64 {
        const PRECISION: u32 = 53;
        // Exceeds the number of turns in any game.
        const APART: u64 = 1 << 20;
        let choice = (turn as u64).wrapping_mul(2).wrapping_add(u64::from(side.number()));
        let choice = choice.wrapping_add(u64::from(undone) * APART);
        let number = (u64::from(game) << 32).wrapping_add(choice);
        let word = self.stream(number).next_u64() >> (u64::BITS - PRECISION);
        #[allow(clippy::cast_precision_loss)] // 53 bits fit exactly
        let share = word as f64 / (1_u64 << PRECISION) as f64;
        share
    }

    /// Returns a random index below `count`, from [`Chance::roll`].
    #[must_use]
    pub fn pick(self, count: usize, game: u32, turn: usize, side: Side) -> usize {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        // A side has only a handful of choices.
        let picked = (self.roll(game, turn, 0, side) * count as f64) as usize;
        picked
    }

    /// Derives an independent source for one of several users of the same seed.
    #[must_use]
    pub fn branch(self, number: u64) -> Self {
        // Neither the toss nor choices use these streams.
        const BRANCHES: u64 = 1 << 63;
        Self { seed: self.stream(BRANCHES | number).next_u64() }
    }

    fn stream(self, number: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        let mut stream = ChaCha8Rng::from_seed(key);
        stream.set_stream(number);
        stream
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records contain their seed, so its meaning must never change.
    #[test]
    fn the_tosses_of_the_first_seeds_never_change() {
        let tosses: String =
            (0..32).map(|seed| Chance::from_seed(seed).toss().number().to_string()).collect();
        assert_eq!(tosses, "12222122122112211222121222212211");
    }

    #[test]
    fn the_coin_is_fair() {
        let ones = (0..10_000).filter(|&seed| Chance::from_seed(seed).toss() == Side::One).count();
        assert!((4_800..5_200).contains(&ones), "{ones} of 10000");
    }
}
