//! Reproducible random numbers from a xorshift generator.

pub(crate) struct Dice(u64);

impl Dice {
    /// Creates a generator from any seed.
    pub(crate) fn new(seed: u64) -> Self {
        // Xorshift never leaves 0, and neighbouring seeds would start with similar numbers.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A random item.
    pub(crate) fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let count = u64::try_from(things.len()).expect("a short list");
        let index = ((self.0 >> 32) * count) >> 32;
        &things[usize::try_from(index).expect("an index of a short list")]
    }
}
