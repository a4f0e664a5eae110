//! Positions and moves of the games with one token per side.

use std::fmt;

use super::OneToken;
use crate::game::{Actions, PASS};
use crate::graph::Index;
use crate::line::Line;
use crate::notation::{PositionError, plain_number};
use crate::side::{Both, Side};

/// A position: one token per side, and the side to move, which changes after every move, even the winning move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// The place of each side's token.
    pub at: Both<u8>,
    /// The side to move.
    pub to_move: Side,
}

/// A choice: the number of places to move, or a forced pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Move forward this many places.
    Forward(u8),
    /// R-ALL-3: stay, because every move is illegal.
    Pass,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forward(steps) => steps.fmt(formatter),
            Self::Pass => PASS.fmt(formatter),
        }
    }
}

impl Step {
    /// The legal moves of up to `longest` places, or a pass if there are none.
    pub fn legal(longest: u8, is_legal: impl Fn(u8) -> bool) -> Actions<Self> {
        let mut actions: Actions<Self> =
            (1..=longest).filter(|&steps| is_legal(steps)).map(Self::Forward).collect();
        if actions.is_empty() {
            actions.push(Self::Pass);
        }
        actions
    }
}

impl Tokens {
    /// Both tokens at their ends of the line.
    #[must_use]
    pub const fn start(line: Line, first: Side) -> Self {
        Self { at: Both::new(line.first, line.last), to_move: first }
    }

    /// The place of the token of the side to move.
    #[must_use]
    pub fn mover(&self) -> u8 {
        self.at[self.to_move]
    }

    /// The place of the waiting side's token.
    #[must_use]
    pub fn waiter(&self) -> u8 {
        self.at[self.to_move.other()]
    }

    /// The position after a move that leaves the two tokens on these places.
    #[must_use]
    pub fn after(&self, mover: u8, waiter: u8) -> Self {
        Self { at: Both::seen_from(self.to_move, mover, waiter), to_move: self.to_move.other() }
    }

    /// The same position with the sides swapped.
    #[must_use]
    pub fn mirror(&self, line: Line) -> Self {
        Self {
            at: self.at.swapped().map(|place| line.mirror(place)),
            to_move: self.to_move.other(),
        }
    }

    /// The reason why a position is not legal if the side to move is already on the opponent's base.
    pub(crate) fn overdue(&self, line: Line) -> Option<String> {
        let side = self.to_move;
        (self.mover() == line.base(side.other())).then(|| {
            format!("{side} has reached the opponent's base, so it is {}'s turn", side.other())
        })
    }

    /// Parses a position on this line, such as `0/10/1`.
    ///
    /// # Errors
    /// If `text` is malformed or a place is not on the line.
    pub fn parse(text: &str, line: Line) -> Result<Self, PositionError> {
        let form = format!("P1/P2/MOVER, such as {}/{}/1", line.first, line.last);
        let numbers: Option<Vec<u8>> = text.split('/').map(plain_number).collect();
        let Some([one, two, mover]) = numbers.as_deref() else {
            return Err(PositionError::malformed(text, form));
        };
        let Some(to_move) = Side::from_number(*mover) else {
            return Err(PositionError::malformed(text, form));
        };
        for place in [*one, *two] {
            if !line.contains(place) {
                let why = format!("the board goes from {} to {}", line.first, line.last);
                return Err(PositionError::impossible(text, why));
            }
        }
        Ok(Self { at: Both::new(*one, *two), to_move })
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.at.one, self.at.two, self.to_move.number())
    }
}

/// A dense numbering of a game's legal positions.
pub(super) struct TokenIndex<T>(pub(super) T);

impl<T: OneToken> TokenIndex<T> {
    fn places(&self) -> u32 {
        u32::from(self.0.line().span()) + 1
    }

    fn legal(&self, state: Tokens) -> Option<Tokens> {
        self.0.fault(&state).is_none().then_some(state)
    }
}

impl<T: OneToken> Index<Tokens> for TokenIndex<T> {
    fn size(&self) -> u64 {
        2 * u64::from(self.places()).pow(2)
    }

    fn of(&self, state: &Tokens) -> Option<u32> {
        let Both { one, two } = state.at.map(|place| u32::from(place - self.0.line().first));
        let side = u32::from(state.to_move.number() - 1);
        self.legal(*state).map(|_| (side * self.places() + one) * self.places() + two)
    }

    fn state(&self, index: u32) -> Option<Tokens> {
        let places = self.places();
        let place = |offset: u32| {
            self.0.line().first + u8::try_from(offset % places).expect("the line is short")
        };
        let to_move = if index < places * places { Side::One } else { Side::Two };
        self.legal(Tokens { at: Both::new(place(index / places), place(index)), to_move })
    }
}
