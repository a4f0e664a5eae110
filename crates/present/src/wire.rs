//! Positions as the JSON that other programs rely on.

use serde_json::{Map, Value, json};
use skirmish_rules::{Outcome, Settings, Side, Table, Value as RuleValue};

/// The object of `show`, which other commands add to.
#[must_use]
pub fn position(table: &dyn Table) -> Map<String, Value> {
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
#[must_use]
pub fn choices(table: &dyn Table, side: Side) -> Value {
    table.choices(side).into_iter().map(|choice| choice.notation).collect()
}

/// Every rule option with its value.
#[must_use]
pub fn rules(settings: &Settings) -> Value {
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
#[must_use]
pub fn outcome(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Won(side) => json!({ "winner": side.number() }),
        Outcome::Draw => json!({ "draw": true }),
    }
}
