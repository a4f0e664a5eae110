//! One side's units: where they stand, in ascending order.

/// The most units a side can have on the battlefield, whatever the rule options.
pub const MAX_UNITS: u8 = 9;

/// Room for that many, and as much more as makes the whole list 16 bytes: copied at one stroke.
const ROOM: usize = 15;

/// What fills the unused end of the list, so that equal units are equal values.
const NOWHERE: u8 = u8::MAX;

/// The positions of one side's units, ascending, without allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Units {
    places: [u8; ROOM],
    count: u8,
}

impl Units {
    /// No units at all.
    pub const NONE: Self = Self { places: [NOWHERE; ROOM], count: 0 };

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u8 {
        self.count
    }

    /// Where they stand, ascending.
    #[must_use]
    pub fn places(&self) -> &[u8] {
        &self.places[..usize::from(self.count)]
    }

    /// Whether one stands there.
    #[must_use]
    pub fn contains(&self, place: u8) -> bool {
        self.places().contains(&place)
    }

    /// Adds one.
    ///
    /// # Panics
    /// When there are `MAX_UNITS` already: the rules allow no more.
    #[must_use]
    pub fn with(mut self, place: u8) -> Self {
        let mut index = usize::from(self.count);
        while index > 0 && self.places[index - 1] > place {
            self.places[index] = self.places[index - 1];
            index -= 1;
        }
        self.places[index] = place;
        self.count += 1;
        self
    }

    /// Adds one that stands nowhere above any other, below the rest.
    #[must_use]
    pub(super) fn with_lowest(mut self, place: u8) -> Self {
        self.places.copy_within(..usize::from(self.count), 1);
        self.places[0] = place;
        self.count += 1;
        self
    }

    /// Adds one that stands above the rest.
    #[must_use]
    pub(super) fn with_highest(mut self, place: u8) -> Self {
        self.places[usize::from(self.count)] = place;
        self.count += 1;
        self
    }

    /// Moves one a place on, up or down. The order stays: of those on one place, the uppermost goes up and the
    /// lowermost down.
    #[must_use]
    pub(super) fn moved(mut self, from: u8, to: u8) -> Self {
        let places = self.places().iter();
        let index = if from < to {
            places.clone().rposition(|&place| place == from)
        } else {
            places.clone().position(|&place| place == from)
        };
        self.places[index.expect("a unit stands where it moves from")] = to;
        self
    }

    /// Takes one away, if one stands there.
    #[must_use]
    pub fn without(mut self, place: u8) -> Self {
        let Some(mut index) = self.places().iter().position(|&there| there == place) else {
            return self;
        };
        self.count -= 1;
        while index < usize::from(self.count) {
            self.places[index] = self.places[index + 1];
            index += 1;
        }
        self.places[index] = NOWHERE;
        self
    }
}

impl FromIterator<u8> for Units {
    fn from_iter<I: IntoIterator<Item = u8>>(places: I) -> Self {
        places.into_iter().fold(Self::NONE, Self::with)
    }
}
