//! One side's units: how far each has gone from its own base.

/// The most units a side can have on the battlefield, whatever the rule options: a byte of a word for each.
pub const MAX_UNITS: u8 = 8;

const BYTE: usize = u8::BITS as usize;

/// The steps one side's units have gone, ascending, a byte each in the low half of a long word; above them
/// their rank and their number. One word is handed on in registers, where a struct would go through memory.
///
/// They know their rank among all lists of the same length in colexicographic order, so that numbering a
/// position costs next to nothing. On boards too large to be numbered the rank wraps around and is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Units(u128);

impl Units {
    /// No units at all.
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

    /// How many there are.
    #[must_use]
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // one byte of the high half
    pub const fn count(self) -> u8 {
        (self.0 >> (u64::BITS + u32::BITS)) as u8
    }

    /// The rank among the lists of this length.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // four bytes of the high half
    pub(super) const fn rank(self) -> u32 {
        (self.0 >> u64::BITS) as u32
    }

    /// The steps each has gone, ascending.
    #[must_use]
    pub fn steps(self) -> impl DoubleEndedIterator<Item = u8> + ExactSizeIterator + Clone {
        (0..usize::from(self.count())).map(move |nth| self.nth(nth))
    }

    /// The steps of the one before which `nth` others come.
    #[inline]
    pub(super) const fn nth(self, nth: usize) -> u8 {
        (self.packed() >> (BYTE * nth)).to_le_bytes()[0]
    }

    /// The steps of the foremost.
    #[must_use]
    #[inline]
    pub fn foremost(self) -> Option<u8> {
        self.count().checked_sub(1).map(|last| self.nth(last.into()))
    }

    /// Whether one has gone just so far.
    #[must_use]
    #[inline]
    pub fn contains(self, steps: u8) -> bool {
        self.marks(steps) != 0
    }

    /// How many have gone just so far.
    #[inline]
    pub(super) fn how_many(self, steps: u8) -> u32 {
        self.marks(steps).count_ones()
    }

    /// The steps that at least one has gone, ascending, each once.
    #[inline]
    pub(super) fn distinct(self) -> impl DoubleEndedIterator<Item = u8> {
        // A unit counts unless the one before it has gone just as far; the first always counts.
        let before = self.packed() << BYTE | u64::from(!self.nth(0));
        Marks(!zeros(self.packed() ^ before) & HIGH & self.used()).map(move |nth| self.nth(nth))
    }

    /// The highest bit of every byte whose unit has gone just so far.
    #[inline]
    fn marks(self, steps: u8) -> u64 {
        zeros(self.packed() ^ u64::from_le_bytes([steps; 8])) & self.used()
    }

    /// The bits of the bytes that hold a unit.
    #[inline]
    fn used(self) -> u64 {
        u64::MAX.checked_shr(u64::BITS - u32::from(self.count()) * u8::BITS).unwrap_or(0)
    }

    /// Adds one that has gone at least as far as the others.
    #[must_use]
    #[inline]
    pub fn with_foremost(self, steps: u8) -> Self {
        let count = usize::from(self.count());
        let packed = self.packed() | u64::from(steps) << (BYTE * count);
        Self::new(packed, self.rank().wrapping_add(term(steps, count)), self.count() + 1)
    }

    /// Adds one on the base.
    #[must_use]
    #[inline]
    pub fn with_recruit(self) -> Self {
        // The recruit itself adds nothing to the rank, but the others come one later.
        let terms = self.steps().enumerate().map(|(nth, steps)| term(steps, nth + 1));
        Self::new(self.packed() << BYTE, terms.fold(0, u32::wrapping_add), self.count() + 1)
    }

    /// Advances one that has gone so far by a step; of several the last, so that the order stays.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    #[inline]
    pub fn advanced(self, steps: u8) -> Self {
        let marks = self.marks(steps);
        assert!(marks != 0, "a unit stands where it moves from");
        let nth = (u64::BITS - 1 - marks.leading_zeros()) as usize / BYTE;
        let rank = self.rank().wrapping_add(CHOOSE[nth][usize::from(steps) + nth]);
        Self::new(self.packed() + (1 << (BYTE * nth)), rank, self.count())
    }

    /// Takes away one that has gone so far, if there is one.
    #[must_use]
    #[inline]
    pub fn without(self, steps: u8) -> Self {
        let marks = self.marks(steps);
        if marks == 0 {
            return self;
        }
        let taken = marks.trailing_zeros() as usize / BYTE;
        let kept = self.packed() & ((1 << (BYTE * taken)) - 1);
        // All units but those before it, one byte later; shifted twice, since 64 bits at once are too many.
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

/// The highest bit of every byte that is 0, found for all at once.
#[inline]
const fn zeros(bytes: u64) -> u64 {
    // Adding to its lower bits carries into the highest of every byte that is not 0.
    !(((bytes & !HIGH) + !HIGH) | bytes) & HIGH
}

/// The numbers of the bytes whose highest bit is set.
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

/// What a unit adds to the rank if `nth` others come before it: the number of ways to choose `nth` + 1 of its
/// steps and those others.
#[inline]
pub(super) fn term(steps: u8, nth: usize) -> u32 {
    CHOOSE[nth + 1][usize::from(steps) + nth]
}

const ROWS: usize = 256 + MAX_UNITS as usize;
const COLUMNS: usize = MAX_UNITS as usize + 2;

/// `CHOOSE[few][many]`: Pascal's triangle, as far as 32 bits go.
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
