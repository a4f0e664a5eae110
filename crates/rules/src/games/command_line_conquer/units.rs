//! One side's units: how far each has gone from its own base.

/// The most units a side can have on the battlefield, whatever the rule options: a byte of a word for each.
pub const MAX_UNITS: u8 = 8;

const BYTE: usize = u8::BITS as usize;

/// The steps one side's units have gone, ascending, packed into one word.
///
/// They know their rank among all lists of the same length in colexicographic order, so that numbering a
/// position costs next to nothing. On boards too large to be numbered the rank wraps around and is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Units {
    packed: u64,
    rank: u32,
    count: u8,
}

impl Units {
    /// No units at all.
    pub const NONE: Self = Self { packed: 0, rank: 0, count: 0 };

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u8 {
        self.count
    }

    /// The steps each has gone, ascending.
    #[must_use]
    pub fn steps(self) -> impl DoubleEndedIterator<Item = u8> + ExactSizeIterator + Clone {
        (0..usize::from(self.count)).map(move |nth| self.nth(nth))
    }

    /// The steps of the one before which `nth` others come.
    #[inline]
    pub(super) const fn nth(self, nth: usize) -> u8 {
        (self.packed >> (BYTE * nth)).to_le_bytes()[0]
    }

    /// The steps of the foremost.
    #[must_use]
    #[inline]
    pub fn foremost(&self) -> Option<u8> {
        self.count.checked_sub(1).map(|last| self.nth(last.into()))
    }

    /// Whether one has gone just so far.
    #[must_use]
    #[inline]
    pub fn contains(&self, steps: u8) -> bool {
        self.steps().any(|gone| gone == steps)
    }

    /// Adds one that has gone at least as far as the others.
    #[must_use]
    #[inline]
    pub fn with_foremost(self, steps: u8) -> Self {
        let count = usize::from(self.count);
        Self {
            packed: self.packed | u64::from(steps) << (BYTE * count),
            rank: self.rank.wrapping_add(term(steps, count)),
            count: self.count + 1,
        }
    }

    /// Adds one on the base.
    #[must_use]
    #[inline]
    pub fn with_recruit(self) -> Self {
        // The recruit itself adds nothing to the rank, but the others come one later.
        let terms = self.steps().enumerate().map(|(nth, steps)| term(steps, nth + 1));
        Self {
            packed: self.packed << BYTE,
            rank: terms.fold(0, u32::wrapping_add),
            count: self.count + 1,
        }
    }

    /// Advances one that has gone so far by a step; of several the last, so that the order stays.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    #[inline]
    pub fn advanced(self, steps: u8) -> Self {
        let last = self.steps().rposition(|gone| gone == steps);
        let nth = last.expect("a unit stands where it moves from");
        Self {
            packed: self.packed + (1 << (BYTE * nth)),
            rank: self.rank.wrapping_add(CHOOSE[nth][usize::from(steps) + nth]),
            ..self
        }
    }

    /// Takes away one that has gone so far, if there is one.
    #[must_use]
    #[inline]
    pub fn without(self, steps: u8) -> Self {
        let Some(taken) = self.steps().position(|gone| gone == steps) else { return self };
        let kept = self.packed & ((1 << (BYTE * taken)) - 1);
        // All units but those before it, one byte later; shifted twice, since 64 bits at once are too many.
        let later = self.packed >> (BYTE * taken) >> BYTE << (BYTE * taken);
        let moved = self
            .steps()
            .enumerate()
            .skip(taken + 1)
            .map(|(nth, steps)| term(steps, nth - 1).wrapping_sub(term(steps, nth)));
        let rank = moved.fold(self.rank.wrapping_sub(term(steps, taken)), u32::wrapping_add);
        Self { packed: kept | later, rank, count: self.count - 1 }
    }

    /// The rank among the lists of this length.
    pub(super) const fn rank(&self) -> u32 {
        self.rank
    }

    /// The rank of the others without the foremost, among the lists one shorter.
    #[inline]
    pub(super) fn rank_behind(&self, foremost: u8) -> u32 {
        self.rank.wrapping_sub(term(foremost, usize::from(self.count) - 1))
    }
}

/// What a unit adds to the rank if `nth` others come before it: the number of ways to choose `nth` + 1 of its
/// steps and those others.
#[inline]
fn term(steps: u8, nth: usize) -> u32 {
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
