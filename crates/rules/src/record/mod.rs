//! Game records: PGN tag lines, a blank line, then numbered turns.

mod elsewhere;
mod parse;
mod print;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::catalog::{Catalog, Entry, Setup};
use crate::game::Outcome;
use crate::settings::Settings;
use crate::side::{Both, Names, Side};
use crate::starting_point::StartingPoint;
use crate::table::{Refusal, Table};

/// The record of a game, finished or not. Printing, parsing and replaying a record reproduces it.
#[derive(Clone, Debug)]
pub struct Record {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: Settings,
    /// The players' names.
    pub names: Names,
    /// The side that made the first move.
    pub first: Side,
    /// The starting position, unless it was the rulebook's start.
    pub position: Option<String>,
    /// The date on which the game began, as `YYYY.MM.DD`.
    pub date: Option<String>,
    /// The game's place in a match.
    pub standing: Option<Standing>,
    /// The seed of the random numbers.
    pub seed: Option<u64>,
    /// The turn limit in force.
    pub turn_limit: Option<u32>,
    /// The ending, unless the game is unfinished.
    pub ending: Option<Ending>,
    /// Unknown tags, kept unchanged.
    pub other_tags: Vec<(String, String)>,
    /// The turns.
    pub turns: Vec<Turn>,
}

/// One turn in a record.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The notation of the turn.
    pub notation: String,
    /// A comment on the turn.
    pub comment: Option<String>,
    /// The line from which the turn was parsed, or 0.
    pub line: usize,
}

impl Turn {
    /// A turn that was not parsed from a text.
    pub fn new(notation: impl Into<String>) -> Self {
        Self { notation: notation.into(), comment: None, line: 0 }
    }
}

/// The ending of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The result.
    pub outcome: Outcome,
    /// The reason for the ending.
    pub termination: Termination,
}

/// The reason why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// The rules of the game.
    Rules,
    /// A player resigned.
    Resigned,
    /// The players agreed on a draw.
    Agreed,
    /// The turn limit (R-ALL-2).
    TurnLimit,
    /// A player ran out of time.
    Time,
    /// A program played an illegal move.
    IllegalMove,
}

impl Termination {
    /// Every way a game can end.
    pub const ALL: [Self; 6] =
        [Self::Rules, Self::Resigned, Self::Agreed, Self::TurnLimit, Self::Time, Self::IllegalMove];

    /// The `Termination` tag of an unfinished game.
    pub const UNFINISHED: &str = "unfinished";

    /// The name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Resigned => "resigned",
            Self::Agreed => "agreed",
            Self::TurnLimit => "turn limit",
            Self::Time => "time",
            Self::IllegalMove => "illegal move",
        }
    }

    /// The termination with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A game's place in a match (R-ALL-5), as it stands before the game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The number of this game in the match, from 1.
    pub game: u32,
    /// The maximum number of games.
    pub of: u32,
    /// The score of this game's Player 1 and Player 2, in half points.
    pub half_points: Both<u32>,
}

/// An error in a record, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// The cause of the error.
    pub cause: String,
}

impl Record {
    /// The record of a table in its current state.
    #[must_use]
    pub fn of(table: &dyn Table) -> Self {
        let StartingPoint { first, position } = StartingPoint::of(table);
        Self {
            entry: table.entry(),
            settings: table.settings().clone(),
            names: table.names().clone(),
            first,
            position,
            date: None,
            standing: None,
            seed: None,
            turn_limit: None,
            ending: table
                .outcome()
                .map(|outcome| Ending { outcome, termination: Termination::Rules }),
            other_tags: Vec::new(),
            turns: table.history().into_iter().map(Turn::new).collect(),
        }
    }

    /// Parses a record and checks every move.
    ///
    /// # Errors
    /// If `text` is malformed or a turn is illegal. The error names the line.
    pub fn parse(text: &str, catalog: Catalog) -> Result<Self, RecordError> {
        let (record, ending_line) = parse::read(text, catalog)?;
        match record.check(ending_line) {
            Ok(()) => Ok(record),
            Err(error) => Err(elsewhere::explain(&record, error)),
        }
    }

    /// The table before the first turn.
    #[must_use]
    pub fn table(&self) -> Box<dyn Table> {
        let setup = Setup {
            settings: self.settings.clone(),
            first: self.first,
            names: self.names.clone(),
            position: self.position.clone(),
        };
        self.entry.open(setup).unwrap_or_else(|_| unreachable!("the position was checked"))
    }

    /// The table after the last turn.
    ///
    /// # Errors
    /// If a turn is illegal.
    pub fn replay(&self) -> Result<Box<dyn Table>, RecordError> {
        self.play_through().map_err(|(index, refusal)| RecordError {
            line: self.turns[index].line,
            cause: format!("turn {}: {refusal}", index + 1),
        })
    }

    /// The table after the last turn, or the index of the first illegal turn and the reason for its refusal.
    fn play_through(&self) -> Result<Box<dyn Table>, (usize, Refusal)> {
        let mut table = self.table();
        for (index, turn) in self.turns.iter().enumerate() {
            table.play(&turn.notation).map_err(|refusal| (index, refusal))?;
        }
        Ok(table)
    }

    /// Checks that the turns are legal and agree with the result.
    fn check(&self, ending_line: usize) -> Result<(), RecordError> {
        let table = self.replay()?;
        let wrong = |cause: &str| Err(RecordError { line: ending_line, cause: cause.to_owned() });
        match (table.outcome(), self.ending) {
            (None, Some(Ending { termination: Termination::Rules, .. })) => {
                wrong("the turns do not end the game, but the tags say that it ended by the rules")
            }
            (None, None | Some(_)) => Ok(()),
            (Some(_), None) => {
                wrong("the turns end the game, but the tags say that it is unfinished")
            }
            (Some(outcome), Some(ending)) => {
                if ending == (Ending { outcome, termination: Termination::Rules }) {
                    Ok(())
                } else {
                    wrong("the turns and the tags disagree on the result")
                }
            }
        }
    }
}
