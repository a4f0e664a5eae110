//! JSON objects for saved games.

use skirmish_play::Plan;
use skirmish_rules::Record;

use super::object::objects;
use super::types::PerPlayer;
use super::{OutcomeObject, VariantObject};

objects! {
    /// A saved game.
    pub struct SavedGameObject {
        file: String = "its file",
        state: &'static str =
            "`unfinished`, `playing` while a program plays it, `over`, or `damaged` if it cannot be read",
        resume: Option<String> = "the command that resumes the game; null unless it is unfinished",
        error: Option<String> = "the error in a damaged file, otherwise null",
        ; ..game: Option<SavedRecordObject>,
    }

    /// The contents of a saved game's record; missing if the file is damaged.
    pub struct SavedRecordObject {
        ..variant: VariantObject,
        from: Option<String> = "the starting position; null for the rulebook's start",
        names: PerPlayer<String> = "the players' names",
        players: PerPlayer<String> = "who plays: `human`, a level, or the command of a bot",
        date: Option<String> = "the date of the start, `YYYY.MM.DD`",
        turns: usize = "the number of turns played",
        outcome: Option<OutcomeObject> = "as in a position; null if it is unfinished",
    }
}

impl SavedRecordObject {
    /// Describes the contents of a record.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let players = Plan::of(record).players;
        Self {
            variant: VariantObject::of(record.entry, &record.settings),
            from: record.position.clone(),
            names: record.names.clone().into(),
            players: players.map(|player| player.to_string()).into(),
            date: record.date.clone(),
            turns: record.turns.len(),
            outcome: record.ending.map(|ending| ending.outcome.into()),
        }
    }
}
