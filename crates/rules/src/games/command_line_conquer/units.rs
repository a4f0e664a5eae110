//! One side's units, stored as the number of steps that each has gone from its own base.

/// The maximum number of units per side with any rule options: one byte of a word for each.
pub const MAX_UNITS: u8 = 8;

const BYTE: usize = u8::BITS as usize;

/// The steps that one side's units have gone, in ascending order: one byte each in the low half of the word, with their
/// rank and count above. A single word is passed in registers; a struct would be passed through memory.
///
/// The rank among all lists of the same length, in colexicographic order, is kept up to date, so that numbering a
/// position is cheap. On boards that are too large to number, the rank wraps around and is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Units(u128);

impl Units {
    /// The empty list of units.
    pub const NONE: Self = Self(0);

    #[inline]
    fn new(packed: u64, rank: u32, count: u8) -> Self {
        Self(
            u128::from(packed)
                | u128::from(u64::from(rank) | u64::from(count) << u32::BITS) << u64::BITS,
        )
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the low half
    const fn packed(self) -> u64 {
        self.0 as u64
    }

    /// The number of units.
    #[must_use]
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // one byte of the high half
    pub const fn count(self) -> u8 {
        (self.0 >> (u64::BITS + u32::BITS)) as u8
    }

    /// The rank among lists of the same length.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // four bytes of the high half
    pub(super) const fn rank(self) -> u32 {
        (self.0 >> u64::BITS) as u32
    }

    /// The steps that each unit has gone, in ascending order.
    #[must_use]
    pub fn steps(self) -> impl DoubleEndedIterator<Item = u8> + ExactSizeIterator + Clone {
        (0..usize::from(self.count())).map(move |nth| self.nth(nth))
    }

    /// Steps taken by the `nth` unit, rearmost first.
    #[inline]
    pub(super) const fn nth(self, nth: usize) -> u8 {
        (self.packed() >> (BYTE * nth)).to_le_bytes()[0]
    }

    /// Steps taken by the foremost unit.
    #[must_use]
    #[inline]
    pub fn foremost(self) -> Option<u8> {
        self.count().checked_sub(1).map(|last| self.nth(last.into()))
    }

    /// Whether a unit has gone exactly `steps`.
    #[must_use]
    #[inline]
    pub fn contains(self, steps: u8) -> bool {
        self.marks(steps) != 0
    }

    /// The number of units that have gone exactly `steps`.
    #[inline]
    pub(super) fn how_many(self, steps: u8) -> u32 {
        self.marks(steps).count_ones()
    }

    /// The distinct numbers of steps, in ascending order.
    #[inline]
    pub(super) fn distinct(self) -> impl DoubleEndedIterator<Item = u8> {
        // Skip units that have gone as far as the previous unit. The first unit always counts.
        let before = self.packed() << BYTE | u64::from(!self.nth(0));
        Marks(!zeros(self.packed() ^ before) & HIGH & self.used()).map(move |nth| self.nth(nth))
    }

    /// The highest bit of every byte whose unit has gone exactly `steps`.
    #[inline]
    fn marks(self, steps: u8) -> u64 {
        zeros(self.packed() ^ u64::from_le_bytes([steps; 8])) & self.used()
    }

    /// The bits of the bytes that represent a unit.
    #[inline]
    fn used(self) -> u64 {
        u64::MAX.checked_shr(u64::BITS - u32::from(self.count()) * u8::BITS).unwrap_or(0)
    }

    /// Adds a unit that has gone at least as far as all others.
    #[must_use]
    #[inline]
    pub fn with_foremost(self, steps: u8) -> Self {
        let count = usize::from(self.count());
        let packed = self.packed() | u64::from(steps) << (BYTE * count);
        Self::new(packed, self.rank().wrapping_add(term(steps, count)), self.count() + 1)
    }

    /// Adds a unit on the base.
    #[must_use]
    #[inline]
    pub fn with_recruit(self) -> Self {
        // The recruit adds nothing to the rank, but each other unit moves up one index.
        let terms = self.steps().enumerate().map(|(nth, steps)| term(steps, nth + 1));
        Self::new(self.packed() << BYTE, terms.fold(0, u32::wrapping_add), self.count() + 1)
    }

    /// Advances a unit that has gone `steps` by one step. If there are several such units, advances the last one to
    /// keep the order.
    ///
    /// # Panics
    /// If there is no such unit.
    #[must_use]
    #[inline]
    pub fn advanced(self, steps: u8) -> Self {
        let marks = self.marks(steps);
        assert!(marks != 0, "a unit stands where it moves from");
        let nth = (u64::BITS - 1 - marks.leading_zeros()) as usize / BYTE;
        let rank = self.rank().wrapping_add(CHOOSE[nth][usize::from(steps) + nth]);
        Self::new(self.packed() + (1 << (BYTE * nth)), rank, self.count())
    }

    /// Removes a unit that has gone `steps`, if there is one.
    #[must_use]
    #[inline]
    pub fn without(self, steps: u8) -> Self {
        let marks = self.marks(steps);
        if marks == 0 {
            return self;
        }
        let taken = marks.trailing_zeros() as usize / BYTE;
        let kept = self.packed() & ((1 << (BYTE * taken)) - 1);
        // Move the later units down by one byte. Use two shifts, because a single shift by 64 bits overflows.
        let later = self.packed() >> (BYTE * taken) >> BYTE << (BYTE * taken);
        let moved = self
            .steps()
            .enumerate()
            .skip(taken + 1)
            .map(|(nth, steps)| term(steps, nth - 1).wrapping_sub(term(steps, nth)));
        let rank = moved.fold(self.rank().wrapping_sub(term(steps, taken)), u32::wrapping_add);
        Self::new(kept | later, rank, self.count() - 1)
    }
}

/// The highest bit of every byte.
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// The highest bit of every byte that is 0, computed for all bytes in parallel.
#[inline]
const fn zeros(bytes: u64) -> u64 {
    // In every byte that is not 0, adding to the lower bits carries into the highest bit.
    !(((bytes & !HIGH) + !HIGH) | bytes) & HIGH
}

/// The indices of the bytes whose highest bit is set.
struct Marks(u64);

impl Iterator for Marks {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let nth = self.0.trailing_zeros() as usize / BYTE;
        let rest = self.0.checked_sub(1)?;
        self.0 &= rest;
        Some(nth)
    }
}

impl DoubleEndedIterator for Marks {
    #[inline]
    fn next_back(&mut self) -> Option<usize> {
        let last = self.0.checked_ilog2()?;
        self.0 ^= 1 << last;
        Some(last as usize / BYTE)
    }
}

/// The `nth` unit's contribution to the rank: the number of ways to choose `nth` + 1 out of `steps` + `nth`.
#[inline]
pub(super) fn term(steps: u8, nth: usize) -> u32 {
    CHOOSE[nth + 1][usize::from(steps) + nth]
}

const ROWS: usize = 256 + MAX_UNITS as usize;
const COLUMNS: usize = MAX_UNITS as usize + 2;

/// Binomial coefficients, `many` choose `few`: `CHOOSE[few][many]`, wrapping at 32 bits.
static CHOOSE: [[u32; ROWS]; COLUMNS] = {
    let mut columns = [[0_u32; ROWS]; COLUMNS];
    columns[0] = [1; ROWS];
    let mut few = 1;
    while few < COLUMNS {
        let mut many = 1;
        while many < ROWS {
            columns[few][many] = columns[few][many - 1].wrapping_add(columns[few - 1][many - 1]);
            many += 1;
        }
        few += 1;
    }
    columns
};

impl FromIterator<u8> for Units {
    fn from_iter<I: IntoIterator<Item = u8>>(steps: I) -> Self {
        let mut steps: Vec<u8> = steps.into_iter().collect();
        steps.sort_unstable();
        steps.into_iter().fold(Self::NONE, Self::with_foremost)
    }
}
