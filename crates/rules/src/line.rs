//! A line of numbered places that the two sides cross from opposite ends.

use crate::scene::Track;
use crate::side::{Both, Side};

/// The places of a line. Player 1 moves towards higher numbers, Player 2 towards lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The place where Player 1 starts.
    pub first: u8,
    /// The place where Player 2 starts.
    pub last: u8,
}

/// A piece's move from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The owner of the piece.
    pub side: Side,
    /// The old place.
    pub from: u8,
    /// The new place.
    pub to: u8,
}

impl Line {
    /// A line of `positions` places, numbered from `first`.
    #[must_use]
    pub const fn new(first: u8, positions: u8) -> Self {
        Self { first, last: first + (positions - 1) }
    }

    /// The number of steps from end to end.
    #[must_use]
    pub const fn span(self) -> u8 {
        self.last - self.first
    }

    /// The end where a side starts.
    #[must_use]
    pub const fn base(self, side: Side) -> u8 {
        match side {
            Side::One => self.first,
            Side::Two => self.last,
        }
    }

    /// The distance of a place from a side's own base.
    #[must_use]
    pub const fn distance(self, side: Side, place: u8) -> u8 {
        self.base(side).abs_diff(place)
    }

    /// The place `steps` away from a side's own base. The line must be long enough.
    #[must_use]
    pub const fn away(self, side: Side, steps: u8) -> u8 {
        match side {
            Side::One => self.first + steps,
            Side::Two => self.last - steps,
        }
    }

    /// The place `steps` ahead of `place` for a side, unless the line ends first.
    #[must_use]
    pub const fn ahead(self, side: Side, place: u8, steps: u8) -> Option<u8> {
        if steps > self.base(side.other()).abs_diff(place) {
            return None;
        }
        Some(match side {
            Side::One => place + steps,
            Side::Two => place - steps,
        })
    }

    /// The place one step behind `place` for a side, unless `place` is its base.
    #[must_use]
    pub const fn behind(self, side: Side, place: u8) -> Option<u8> {
        self.ahead(side.other(), place, 1)
    }

    /// The mirror image of a place.
    #[must_use]
    pub const fn mirror(self, place: u8) -> u8 {
        self.last - (place - self.first)
    }

    /// Whether the line contains a place.
    #[must_use]
    pub const fn contains(self, place: u8) -> bool {
        self.first <= place && place <= self.last
    }

    /// The line as a track on which each side heads for the other side's base.
    #[must_use]
    pub const fn track(self) -> Track {
        Track { first: self.first, last: self.last, goal: Some(Both::new(self.last, self.first)) }
    }
}
