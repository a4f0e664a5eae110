//! What a position of an alternating game is worth to the side to move, in two bytes.

/// The value of a position or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins after so many plies, the shortest way.
    Win(u16),
    /// The side to move loses after so many plies, the longest way.
    Loss(u16),
    /// Neither side can force a win.
    Endless,
}

/// A value packed into 16 bits: twice the plies, plus one for a win.
const ENDLESS: u16 = u16::MAX;

/// From here on a code says that nothing is decided yet, and how many moves are open: fewer than 256.
pub(crate) const UNDECIDED: u16 = ENDLESS - u8::MAX as u16;

/// The longest win or loss that can be noted.
pub(crate) const MOST_PLIES: u16 = UNDECIDED / 2 - 1;

impl Value {
    pub(crate) const fn pack(self) -> u16 {
        match self {
            Self::Win(plies) => plies * 2 + 1,
            Self::Loss(plies) => plies * 2,
            Self::Endless => ENDLESS,
        }
    }

    pub(crate) const fn unpack(code: u16) -> Self {
        match code {
            UNDECIDED.. => Self::Endless,
            code if code % 2 == 1 => Self::Win(code / 2),
            code => Self::Loss(code / 2),
        }
    }

    /// The plies to the end, if there is one.
    #[must_use]
    pub const fn plies(self) -> Option<u16> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
            Self::Endless => None,
        }
    }

    /// `win`, `loss` or `endless`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Win(_) => "win",
            Self::Loss(_) => "loss",
            Self::Endless => "endless",
        }
    }

    /// What a move is worth to the side that makes it, if this is what the next position is worth to
    /// the other side.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Loss(plies) => Self::Win(plies + 1),
            Self::Endless => Self::Endless,
        }
    }

    /// How good it is: a short win best, then a long one, endless, a long loss, a short one.
    #[must_use]
    pub fn rank(self) -> i32 {
        const FAR: i32 = 1 << 20;
        match self {
            Self::Win(plies) => FAR - i32::from(plies),
            Self::Endless => 0,
            Self::Loss(plies) => i32::from(plies) - FAR,
        }
    }
}

/// The number of a position from its place in a list; a graph has no more than 32 bits can number.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("positions are numbered by 32 bits")
}

/// A set of numbers, a bit each.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// A set for numbers below `size`, empty.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    /// Adds a number and says whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    /// Makes the set what these words say, 64 numbers each.
    pub(crate) fn fill(&mut self, words: impl Iterator<Item = u64>) {
        self.0.iter_mut().zip(words).for_each(|(word, filled)| *word = filled);
    }

    /// Whether the number is in the set.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.0[number as usize / 64] & (1 << (number % 64)) != 0
    }

    /// How many numbers are in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(number(index * 64) + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_unpacked_as_they_were_packed() {
        for value in [
            Value::Win(1),
            Value::Loss(0),
            Value::Loss(MOST_PLIES),
            Value::Win(MOST_PLIES),
            Value::Endless,
        ] {
            assert_eq!(Value::unpack(value.pack()), value);
        }
    }

    #[test]
    fn a_short_win_is_best_and_a_short_loss_worst() {
        let order = [Value::Win(1), Value::Win(9), Value::Endless, Value::Loss(8), Value::Loss(2)];
        assert!(order.is_sorted_by_key(|value| -value.rank()));
    }

    #[test]
    fn a_set_lists_what_was_put_in() {
        let mut set = Bits::new(200);
        assert!(set.insert(3) && set.insert(64) && set.insert(199) && !set.insert(64));
        assert_eq!(set.iter().collect::<Vec<u32>>(), [3, 64, 199]);
        assert_eq!((set.count(), set.contains(4)), (3, false));
    }
}
