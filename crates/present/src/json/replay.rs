//! JSON objects for a recorded game, position by position.

use skirmish_play::opening_turns;
use skirmish_rules::{Ending, Record, Table};

use super::object::objects;
use super::{OutcomeObject, PositionObject, TurnEventObject};

objects! {
    /// The position after a turn of a record, or at its start.
    pub struct ReplayedTurnObject {
        ..position: PositionObject,
        number: usize = "the number of turns played",
        played: Option<String> = "the previous turn, in notation; null at the start",
        opening: bool = "whether a tournament chose that turn at random",
        comment: Option<String> = "the record's comment on that turn",
        events: Vec<TurnEventObject> = "the events of that turn; see [events of a turn](#events-of-a-turn)",
    }

    /// The ending of a recorded game.
    pub struct EndingObject {
        outcome: Option<OutcomeObject> = "the outcome, as in a position; null if the game is unfinished",
        termination: String =
            "the reason, as in [records](records.md#tags); `unfinished` if the game goes on",
    }
}

impl ReplayedTurnObject {
    /// Describes the position on a table that replays `record`.
    #[must_use]
    pub fn of(table: &dyn Table, record: &Record) -> Self {
        let number = table.turns_played();
        let last = number.checked_sub(1);
        Self {
            position: PositionObject::of(table),
            number,
            played: table.history().pop(),
            opening: last.is_some_and(|turn| turn < opening_turns(record)),
            comment: last.and_then(|turn| record.turns[turn].comment.clone()),
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
