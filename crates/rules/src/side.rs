//! The two sides of every game, and pairs with one value for each side.

use std::fmt;
use std::ops::{Index, IndexMut};

/// One of the two seats at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Player 1.
    One,
    /// Player 2.
    Two,
}

impl Side {
    /// Both sides, Player 1 first.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }

    /// The number of the side in names and notation: 1 or 2.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The side with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.number() == number)
    }

    /// The label of the side's piece on a board: `P1` or `P2`.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::One => "P1",
            Self::Two => "P2",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Player {}", self.number())
    }
}

/// A pair of values, one for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Both<T> {
    /// Player 1's value.
    pub one: T,
    /// Player 2's value.
    pub two: T,
}

impl<T> Both<T> {
    /// A pair, with Player 1's value first.
    pub const fn new(one: T, two: T) -> Self {
        Self { one, two }
    }

    /// Computes a pair by calling `part` for each side.
    pub fn from_fn(mut part: impl FnMut(Side) -> T) -> Self {
        Self { one: part(Side::One), two: part(Side::Two) }
    }

    /// The pair with `mine` for `side` and `theirs` for the opponent.
    pub fn seen_from(side: Side, mine: T, theirs: T) -> Self {
        match side {
            Side::One => Self::new(mine, theirs),
            Side::Two => Self::new(theirs, mine),
        }
    }

    /// The same pair with the values swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { one: self.two, two: self.one }
    }

    /// Applies a function to both values.
    pub fn map<U>(self, mut part: impl FnMut(T) -> U) -> Both<U> {
        Both { one: part(self.one), two: part(self.two) }
    }

    /// A pair of references.
    pub const fn as_ref(&self) -> Both<&T> {
        Both { one: &self.one, two: &self.two }
    }
}

impl<T> Index<Side> for Both<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::One => &self.one,
            Side::Two => &self.two,
        }
    }
}

impl<T> IndexMut<Side> for Both<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::One => &mut self.one,
            Side::Two => &mut self.two,
        }
    }
}

/// The players' names; by default `Player 1` and `Player 2`.
pub type Names = Both<String>;

impl Names {
    /// A player's name without a final remark in parentheses, as in `Player 1 (perfect)`, unless only the remark
    /// distinguishes the players.
    #[must_use]
    pub fn short(&self, side: Side) -> &str {
        let short = |name: &str| {
            let open = name.strip_suffix(')').and_then(|name| name.find(" ("));
            open.filter(|&at| at > 0).unwrap_or(name.len())
        };
        let (mine, theirs) = (&self[side], &self[side.other()]);
        let name = &mine[..short(mine)];
        if name == &theirs[..short(theirs)] { mine } else { name }
    }

    /// The possessive form of a player's name: `Player 1's`, even for `Player 1 (perfect)`.
    #[must_use]
    pub fn possessive(&self, side: Side) -> String {
        format!("{}'s", self.short(side))
    }
}

/// The players' names in the rulebooks.
#[must_use]
pub fn default_names() -> Names {
    Both::from_fn(|side| side.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_possessive_of_a_name_reads_as_english() {
        for (one, two, possessive) in [
            ("Player 1 (perfect)", "Player 2", "Player 1's"),
            ("Ann (guest)", "Bob (guest)", "Ann's"),
            ("Ann (guest)", "Ann", "Ann (guest)'s"),
            ("(o_o)", "Ann", "(o_o)'s"),
            (" (x)", "Ann", " (x)'s"),
        ] {
            let names = Both::new(one.to_owned(), two.to_owned());
            assert_eq!(names.possessive(Side::One), possessive);
        }
    }
}
