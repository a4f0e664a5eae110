//! Queries about the positions of a solved game: `win in 5 and one winning move`.
//!
//! A [`Vocabulary`] lists the properties of a game's positions, [`Query::parse`] parses a query, and [`Query::find`]
//! evaluates it. A query prints as text that parses to the same query.

mod amount;
mod barren;
mod error;
mod find;
mod parse;
mod tokens;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::fmt;

use skirmish_rules::Side;

pub use self::amount::Amount;
pub use self::barren::Barren;
pub use self::error::QueryError;
pub use self::vocabulary::Vocabulary;

/// A condition on positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// A single fact.
    Fact(Fact),
    /// The negation of a query.
    Not(Box<Self>),
    /// The conjunction of at least two queries.
    All(Vec<Self>),
    /// The disjunction of at least two queries.
    Any(Vec<Self>),
}

/// A single property of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    /// The value for the side to move, optionally with the plies to the end.
    Outcome(OutcomeKind, Option<Amount>),
    /// Neither side can force the game to end.
    Endless,
    /// The game is over.
    Over,
    /// The plies to the end, if the end can be forced.
    Plies(Amount),
    /// The number of moves that keep a win.
    WinningMoves(Amount),
    /// The number of moves.
    Moves(Amount),
    /// The number of units of one side, or of both sides together.
    Units(Option<Side>, Amount),
    /// A side has a unit in one of these places.
    On(Side, Amount),
    /// The level of a side's gauge.
    Gauge(Side, &'static str, Amount),
    /// The side to move.
    ToMove(Side),
    /// The value for Player 1 (simultaneous games only).
    Value(Amount),
    /// The side's best mix contains several actions.
    Mixes(Side),
}

/// The result of an alternating game for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// A win.
    Win,
    /// A loss.
    Loss,
    /// A draw.
    Draw,
}

impl OutcomeKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Loss => "loss",
            Self::Draw => "draw",
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |formatter: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    write!(formatter, " {word} ")?;
                }
                // "And" binds more tightly than "or".
                match (self, part) {
                    (Self::Any(_), Self::All(_)) | (_, Self::Fact(_) | Self::Not(_)) => {
                        write!(formatter, "{part}")?;
                    }
                    (_, Self::All(_) | Self::Any(_)) => write!(formatter, "({part})")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Fact(fact) => write!(formatter, "{fact}"),
            Self::Not(inner) => match &**inner {
                Self::Fact(_) | Self::Not(_) => write!(formatter, "not {inner}"),
                Self::All(_) | Self::Any(_) => write!(formatter, "not ({inner})"),
            },
            Self::All(parts) => join(formatter, parts, "and"),
            Self::Any(parts) => join(formatter, parts, "or"),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let player = |side: Side| format!("player {}", side.number());
        match self {
            Self::Outcome(kind, None) => formatter.write_str(kind.word()),
            Self::Outcome(kind, Some(plies)) => write!(formatter, "{} in {plies}", kind.word()),
            Self::Endless => formatter.write_str("endless"),
            Self::Over => formatter.write_str("over"),
            Self::Plies(amount) => write!(formatter, "plies {}", amount.compared()),
            Self::WinningMoves(amount) => formatter.write_str(&amount.of("winning move")),
            Self::Moves(amount) => formatter.write_str(&amount.of("move")),
            Self::Units(None, amount) => formatter.write_str(&amount.of("unit")),
            Self::Units(Some(side), amount) => {
                write!(formatter, "{} has {}", player(*side), amount.of("unit"))
            }
            Self::On(side, amount) => write!(formatter, "{} on {amount}", player(*side)),
            Self::Gauge(side, label, amount) => {
                write!(formatter, "{} has {amount} {label}", player(*side))
            }
            Self::ToMove(side) => write!(formatter, "{} to move", player(*side)),
            Self::Value(amount) => write!(formatter, "value {}", amount.compared()),
            Self::Mixes(side) => write!(formatter, "{} mixes", player(*side)),
        }
    }
}
