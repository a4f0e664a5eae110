//! The JSON that other programs rely on.

use serde_json::{Value, json};
pub(crate) use skirmish_present::wire::{choices, outcome, position, rules};
use skirmish_rules::{Both, Change, Piece, Telling};
use skirmish_solver::pressure::{Pressure, Victim};

/// `{"1":…,"2":…}`.
pub(crate) fn both(pair: Both<impl Into<Value>>) -> Value {
    json!({ "1": pair.one.into(), "2": pair.two.into() })
}

/// Which player is under pressure in a position that nobody can win by force, and how soon.
pub(crate) fn pressure(pressure: Option<Pressure>) -> Value {
    let object = |Pressure { level, on, plies }| {
        let victim = match on {
            Victim::Mover => "mover",
            Victim::Other => "other",
        };
        json!({ "pressure": victim, "plies": plies, "level": level })
    };
    pressure.map_or(Value::Null, object)
}

/// Something that happened in a turn.
pub(crate) fn telling(turn: usize, telling: &Telling) -> Value {
    json!({
        "event": telling.kind,
        "turn": turn,
        "text": telling.sentence,
        "changes": telling.changes.iter().map(change).collect::<Vec<Value>>(),
    })
}

fn change(change: &Change) -> Value {
    match *change {
        Change::Appears(piece) => json!({ "appears": self::piece(piece) }),
        Change::Moves { piece, to } => json!({ "moves": self::piece(piece), "to": to }),
        Change::Strengthens { piece, to } => json!({ "strengthens": self::piece(piece), "to": to }),
        Change::Vanishes(piece) => json!({ "vanishes": self::piece(piece) }),
        Change::Gauge { side, to } => json!({ "gauge": side.number(), "to": to }),
    }
}

fn piece(piece: Piece) -> Value {
    json!({ "player": piece.side.number(), "at": piece.at, "strength": piece.strength })
}
