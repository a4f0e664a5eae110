//! The value of a position of an alternating game for the side to move, packed into two bytes.

use std::ops::Range;

/// The value of a position or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins in this many plies, the fewest possible.
    Win(u16),
    /// The side to move loses in this many plies, the most possible.
    Loss(u16),
    /// Neither side can force a win, but at least one can force a draw by the rules, in this many plies. If both can,
    /// the smaller number counts.
    Draw(u16),
    /// Neither side can force the game to end.
    Endless,
}

/// A packed value is four times the plies plus a number for the kind.
const LOSS: u16 = 0;
const WIN: u16 = 1;
const DRAW: u16 = 2;
const ENDLESS: u16 = u16::MAX;

/// Codes from here on are undecided; they count the remaining moves, of which there are fewer than 256.
pub(crate) const UNDECIDED: u16 = ENDLESS - u8::MAX as u16;

/// The longest distance that can be packed. Longer distances are clamped.
pub(crate) const MOST_PLIES: u16 = UNDECIDED / 4 - 1;

impl Value {
    pub(crate) const fn pack(self) -> u16 {
        match self {
            Self::Loss(plies) => plies * 4 + LOSS,
            Self::Win(plies) => plies * 4 + WIN,
            Self::Draw(plies) => plies * 4 + DRAW,
            Self::Endless => ENDLESS,
        }
    }

    pub(crate) const fn unpack(code: u16) -> Self {
        let plies = code / 4;
        match (code, code % 4) {
            (UNDECIDED.., _) => Self::Endless,
            (_, LOSS) => Self::Loss(plies),
            (_, WIN) => Self::Win(plies),
            _ => Self::Draw(plies),
        }
    }

    /// The plies to the end, if a result can be forced.
    #[must_use]
    pub const fn plies(self) -> Option<u16> {
        match self {
            Self::Win(plies) | Self::Loss(plies) | Self::Draw(plies) => Some(plies),
            Self::Endless => None,
        }
    }

    /// The kind of value as a word: `win`, `loss`, `draw` or `endless`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Win(_) => "win",
            Self::Loss(_) => "loss",
            Self::Draw(_) => "draw",
            Self::Endless => "endless",
        }
    }

    /// Whether neither side can force a win.
    #[must_use]
    pub const fn is_even(self) -> bool {
        matches!(self, Self::Draw(_) | Self::Endless)
    }

    /// Converts the value of a position for its side to move to the value of a move that leads there, for the side that
    /// makes it.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(later(plies)),
            Self::Loss(plies) => Self::Win(later(plies)),
            Self::Draw(plies) => Self::Draw(later(plies)),
            Self::Endless => Self::Endless,
        }
    }

    /// The rank of the value: a short win is best, then a long win, a draw or an endless game (equal), a long loss, a
    /// short loss.
    #[must_use]
    pub fn rank(self) -> i32 {
        const FAR: i32 = 1 << 20;
        match self {
            Self::Win(plies) => FAR - i32::from(plies),
            Self::Draw(_) | Self::Endless => 0,
            Self::Loss(plies) => i32::from(plies) - FAR,
        }
    }
}

/// One ply more, clamped to the longest distance.
pub(crate) const fn later(plies: u16) -> u16 {
    if plies < MOST_PLIES { plies + 1 } else { MOST_PLIES }
}

/// Converts an index to a node number. A graph has at most 2^32 nodes.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("nodes are 32-bit numbers")
}

/// A set of nodes as a bitmap.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// An empty set for nodes below `size`.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    /// Adds a node and returns whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    /// The words of the bitmap, 64 nodes each.
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    /// The words of the bitmap, mutable.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// Whether the node is in the set.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.0[number as usize / 64] & (1 << (number % 64)) != 0
    }

    /// The number of nodes in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The nodes in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.within(0..self.0.len())
    }

    /// The nodes in some words of the bitmap, in ascending order.
    pub(crate) fn within(&self, words: Range<usize>) -> impl Iterator<Item = u32> {
        self.0[words.clone()].iter().zip(words).flat_map(|(&word, index)| {
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
    fn packed_values_unpack_unchanged() {
        let mut codes = Vec::new();
        for plies in [0, 1, 2, 3, 255, 256, MOST_PLIES - 1, MOST_PLIES] {
            for value in [Value::Win(plies), Value::Loss(plies), Value::Draw(plies)] {
                assert_eq!(Value::unpack(value.pack()), value);
                codes.push(value.pack());
            }
        }
        assert_eq!(Value::unpack(Value::Endless.pack()), Value::Endless);
        codes.push(Value::Endless.pack());
        codes.sort_unstable();
        assert!(codes.is_sorted_by(|one, two| one < two), "no two values share a code");
    }

    #[test]
    fn exactly_the_undecided_codes_are_endless() {
        for code in UNDECIDED..=u16::MAX {
            assert_eq!(Value::unpack(code), Value::Endless);
        }
        assert_ne!(Value::unpack(UNDECIDED - 1), Value::Endless);
        assert!(
            Value::Win(MOST_PLIES).pack() < UNDECIDED && Value::Draw(MOST_PLIES).pack() < UNDECIDED
        );
    }

    #[test]
    fn a_short_win_is_best_and_a_short_loss_worst() {
        let order = [
            Value::Win(0),
            Value::Win(9),
            Value::Win(MOST_PLIES - 1),
            Value::Win(MOST_PLIES),
            Value::Endless,
            Value::Loss(MOST_PLIES),
            Value::Loss(MOST_PLIES - 1),
            Value::Loss(2),
            Value::Loss(0),
        ];
        assert!(order.is_sorted_by(|one, two| one.rank() > two.rank()));
        assert_eq!(Value::Draw(3).rank(), Value::Endless.rank(), "both are worth nothing");
    }

    #[test]
    fn a_move_is_worth_what_it_leaves_the_other_side() {
        let values = [Value::Win(4), Value::Loss(4), Value::Draw(4), Value::Endless];
        let before = [Value::Loss(5), Value::Win(5), Value::Draw(5), Value::Endless];
        assert_eq!(values.map(Value::before), before);
        assert_eq!(values.map(Value::plies), [Some(4), Some(4), Some(4), None]);
        assert_eq!(values.map(Value::is_even), [false, false, true, true]);
        assert_eq!(values.map(Value::word), ["win", "loss", "draw", "endless"]);
    }

    #[test]
    fn a_set_lists_its_nodes() {
        let mut set = Bits::new(200);
        assert!(set.insert(3) && set.insert(64) && set.insert(199) && !set.insert(64));
        assert_eq!(set.iter().collect::<Vec<u32>>(), [3, 64, 199]);
        assert_eq!((set.count(), set.contains(4), set.contains(64)), (3, false, true));
    }
}
