//! What happens in a turn: a sentence in the rulebook's words, and changes to the scene.

use crate::scene::Change;
use crate::side::Names;

/// An event of some game: one step of a turn.
pub trait Narrate {
    /// One word for the kind of event, the same in every game: `move`, `battle`, `push`, `win`, …
    fn kind(&self) -> &'static str;

    /// The sentence a player reads, in the rulebook's words where it has any.
    fn sentence(&self, names: &Names) -> String;

    /// The changes it makes to the scene.
    fn changes(&self) -> Vec<Change>;
}

/// An event as front ends see it, whichever game it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// One word for the kind of event.
    pub kind: &'static str,
    /// The sentence a player reads.
    pub sentence: String,
    /// The changes it makes to the scene.
    pub changes: Vec<Change>,
}

impl Telling {
    /// Describes an event to players with these names.
    pub fn of(event: &impl Narrate, names: &Names) -> Self {
        Self { kind: event.kind(), sentence: event.sentence(names), changes: event.changes() }
    }
}
