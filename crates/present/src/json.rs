//! The JSON that other programs rely on.

use serde_json::{Map, Value, json};
use skirmish_play::{Analysis, Judgement, Mark, Review, ReviewedChoice, Verdict, Worth};
use skirmish_rules::{
    Both, Change, Outcome, Piece, Record, Settings, Side, Table, Telling, Value as RuleValue,
};
use skirmish_solver::pressure::{Pressure, Victim};

/// `{"1":…,"2":…}`.
#[must_use]
pub fn both(pair: Both<impl Into<Value>>) -> Value {
    json!({ "1": pair.one.into(), "2": pair.two.into() })
}

/// Which player is under pressure in a position that nobody can win by force, and how soon.
#[must_use]
pub fn pressure(pressure: Option<Pressure>) -> Value {
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
#[must_use]
pub fn telling(turn: usize, telling: &Telling) -> Value {
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

/// The fields that `analyze` adds to those of `show`.
#[must_use]
pub fn analysis(analysis: &Analysis) -> Map<String, Value> {
    let mut object = match &analysis.verdict {
        Judgement::Alternating { value, moves, forced_draw: (by_mover, by_other) } => {
            let moves: Vec<Value> = moves
                .iter()
                .map(|option| {
                    json!({
                        "move": option.notation,
                        "position": option.position,
                        "value": option.value.word(),
                        "plies": option.value.plies(),
                    })
                })
                .collect();
            let under = analysis.pressure.unwrap_or_default();
            let mut fields = vec![
                ("value", value.word().into()),
                ("plies", value.plies().into()),
                ("moves", moves.into()),
                ("draw", pressure(under)),
            ];
            if matches!(value, skirmish_solver::Value::Draw(_)) {
                fields.push(("forced", json!({ "mover": by_mover, "other": by_other })));
            }
            fields
        }
        Judgement::Simultaneous { value, error, strategy, worth: _ } => vec![
            ("value", (*value).into()),
            ("strategy", both(Both::from_fn(|side: Side| mix(&strategy[side])))),
            ("error", (*error).into()),
        ],
    };
    object.push(("reachable", analysis.is_reachable.into()));
    object.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn mix(shares: &[(String, f64)]) -> Value {
    shares
        .iter()
        .map(|(action, share)| (action.clone(), (*share).into()))
        .collect::<Map<String, Value>>()
        .into()
}

/// The object of `review`.
#[must_use]
pub fn reviewed(record: &Record, review: &Review) -> Value {
    let ending = record.ending;
    json!({
        "game": record.entry.id,
        "rules": rules(&record.settings),
        "names": both(record.names.clone()),
        "choices": review.choices.iter().map(choice_object).collect::<Vec<Value>>(),
        "accuracy": both(review.accuracy),
        "turning_point": review.turning_point.map(|index| {
            let choice = &review.choices[index];
            json!({ "turn": choice.turn, "player": choice.side.number() })
        }),
        "outcome": ending.map(|ending| outcome(ending.outcome)),
        "termination": ending.map_or("unfinished".to_owned(), |it| it.termination.to_string()),
    })
}

fn choice_object(choice: &ReviewedChoice) -> Value {
    let mut object = json!({
        "turn": choice.turn,
        "player": choice.side.number(),
        "position": choice.position,
        "played": choice.played,
        "forced": choice.is_forced(),
        "verdict": match choice.verdict {
            Verdict::Best => "best",
            Verdict::Good => "good",
            Verdict::GaveAway { .. } => "gave-away",
        },
        "mark": choice.mark().map(Mark::sign),
        "worth": worth_object(choice.worth),
        "best": worth_object(choice.best),
        "best_moves": choice.best_choices,
        "keeping": choice.keeping,
        "given_away": choice.given_away(),
        "at_stake": choice.at_stake,
    });
    if let Worth::Mixed(_) = choice.worth {
        let shares = choice.mix.iter().map(|(action, share)| (action.clone(), (*share).into()));
        object["strategy"] = shares.collect::<Map<String, Value>>().into();
    }
    object
}

fn worth_object(worth: Worth) -> Value {
    let object =
        |value: skirmish_solver::Value| json!({ "value": value.word(), "plies": value.plies() });
    match worth {
        Worth::Exact(value) => object(value),
        Worth::Mixed(points) => json!({ "value": points }),
    }
}
