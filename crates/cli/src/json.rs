//! The JSON that other programs rely on.

use serde_json::{Map, Value, json};
use skirmish_rules::{
    Both, Change, Outcome, Piece, Settings, Side, Table, Telling, Value as RuleValue,
};

/// The object of `show`, which other commands add to.
pub(crate) fn position(table: &dyn Table) -> Map<String, Value> {
    let turn = table.turn();
    let legal: Map<String, Value> =
        turn.iter().map(|&side| (side.number().to_string(), choices(table, side))).collect();
    let mut object = Map::new();
    object.insert("game".into(), table.entry().id.into());
    object.insert("rules".into(), rules(table.settings()));
    object.insert("position".into(), table.position().into());
    object.insert("turn".into(), turn.iter().map(|side| side.number()).collect());
    object.insert("legal".into(), legal.into());
    object.insert("outcome".into(), table.outcome().map_or(Value::Null, outcome));
    object
}

/// The notation of what a side may choose.
pub(crate) fn choices(table: &dyn Table, side: Side) -> Value {
    table.choices(side).into_iter().map(|choice| choice.notation).collect()
}

/// Every rule option with its value.
pub(crate) fn rules(settings: &Settings) -> Value {
    let value = |value| match value {
        RuleValue::Number(number) => Value::from(number),
        RuleValue::Word(word) => Value::from(word),
    };
    settings
        .iter()
        .map(|(option, chosen)| (option.name.to_owned(), value(chosen)))
        .collect::<Map<String, Value>>()
        .into()
}

/// `{"winner":1}` or `{"draw":true}`.
pub(crate) fn outcome(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Won(side) => json!({ "winner": side.number() }),
        Outcome::Draw => json!({ "draw": true }),
    }
}

/// `{"1":…,"2":…}`.
pub(crate) fn both(pair: Both<impl Into<Value>>) -> Value {
    json!({ "1": pair.one.into(), "2": pair.two.into() })
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
