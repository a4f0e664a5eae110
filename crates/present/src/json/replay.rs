//! A recorded game, position by position.

use skirmish_rules::{Ending, Table};

use super::object::objects;
use super::{OutcomeObject, PositionObject, TurnEventObject};

objects! {
    /// The position after a turn of a record, or at its start.
    pub struct ReplayedTurnObject {
        ..position: PositionObject,
        number: usize = "the number of turns played",
        played: Option<String> = "the turn that led here, in notation; null at the start",
        comment: Option<String> = "the record's comment on that turn",
        events: Vec<TurnEventObject> = "what happened in it; see [events of a turn](#events-of-a-turn)",
    }

    /// How a record ends.
    pub struct EndingObject {
        outcome: Option<OutcomeObject> = "the outcome, as in a position; null if the game is unfinished",
        termination: String =
            "the reason, as in [records](records.md#tags); `unfinished` if the game goes on",
    }
}

impl ReplayedTurnObject {
    /// The position on a table; `comment` is the record's on the last turn.
    #[must_use]
    pub fn of(table: &dyn Table, comment: Option<&str>) -> Self {
        Self {
            position: PositionObject::of(table),
            number: table.turns_played(),
            played: table.history().pop(),
            comment: comment.map(str::to_owned),
            events: TurnEventObject::last_turn(table),
        }
    }
}

impl From<Option<Ending>> for EndingObject {
    fn from(ending: Option<Ending>) -> Self {
        Self {
            outcome: ending.map(|ending| ending.outcome.into()),
            termination: ending.map_or("unfinished".to_owned(), |it| it.termination.to_string()),
        }
    }
}
