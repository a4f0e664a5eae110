//! The events of a turn: each has a sentence in the rulebook's words, and changes to the scene.

use crate::scene::Change;
use crate::side::Names;

/// An event of a game: one step of a turn.
pub trait Narrate {
    /// One word for the kind of event, drawn from words that all games share: `move`, `battle`, `push`, `win`, …
    fn kind(&self) -> &'static str;

    /// The sentence for the players, in the rulebook's words if possible.
    fn sentence(&self, names: &Names) -> String;

    /// The changes to the scene.
    fn changes(&self) -> Vec<Change>;
}

/// An event of any game, as front ends see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// One word for the kind of event.
    pub kind: &'static str,
    /// The sentence for the players.
    pub sentence: String,
    /// The changes to the scene.
    pub changes: Vec<Change>,
}

impl Telling {
    /// Describes an event to players with these names.
    pub fn of(event: &impl Narrate, names: &Names) -> Self {
        Self { kind: event.kind(), sentence: event.sentence(names), changes: event.changes() }
    }
}
