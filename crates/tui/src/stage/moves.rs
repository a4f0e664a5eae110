//! The targets of the legal moves, and the keys that play them.

use skirmish_rules::{Change, Choice, Side, Table, Telling};

use super::super::keys::keys;
use super::super::motion::touched;

/// The target of a legal move, and its key.
#[derive(Clone, Debug)]
pub(in super::super) struct MoveTarget {
    pub(in super::super) place: u8,
    pub(in super::super) key: String,
    pub(in super::super) is_chosen: bool,
    pub(in super::super) number: usize,
}

/// The target of each of a side's choices, found by playing it on a fork of the table. Empty in simultaneous games.
pub(in super::super) fn targets(
    table: &dyn Table,
    side: Side,
    choices: &[Choice],
    chosen: Option<usize>,
) -> Vec<MoveTarget> {
    let all_keys = keys(table, choices);
    let leads = |(number, choice): (usize, &Choice)| {
        let mut after = table.fork();
        after.play(&choice.notation).ok()?;
        let place = destination(&after.last_turn(), side)?;
        let (key, is_chosen) = (all_keys[number].to_string(), Some(number) == chosen);
        Some(MoveTarget { place, key, is_chosen, number })
    };
    choices.iter().enumerate().filter_map(leads).collect()
}

/// The target of a move: the place that a piece of `side` moves to or appears on, otherwise the first place changed.
fn destination(tellings: &[Telling], side: Side) -> Option<u8> {
    let own =
        tellings.iter().flat_map(|telling| &telling.changes).find_map(|change| match *change {
            Change::Moves { piece, to } if piece.side == side => Some(to),
            Change::Appears(piece) if piece.side == side => Some(piece.at),
            _ => None,
        });
    own.or_else(|| touched(tellings).0.first().copied())
}

/// The moves that lead to one place.
pub(super) struct Leading {
    /// The keys of these moves, joined.
    pub(super) keys: String,
    pub(super) is_chosen: bool,
    /// The number of the first of these moves.
    pub(super) number: usize,
}

/// The moves that lead to a place, if any, with their keys shortened to `room` columns.
pub(super) fn leading(targets: &[MoveTarget], place: u8, room: u16) -> Option<Leading> {
    let here: Vec<&MoveTarget> = targets.iter().filter(|target| target.place == place).collect();
    let first = here.first()?;
    let keys: Vec<&str> = here.iter().map(|target| target.key.as_str()).collect();
    let room = usize::from(room);
    let mut text = keys.join(",");
    if text.len() > room {
        text = keys.concat();
    }
    if text.len() > room {
        text = format!("{}…", keys[0]);
    }
    let is_chosen = here.iter().any(|target| target.is_chosen);
    Some(Leading { keys: text, is_chosen, number: first.number })
}
