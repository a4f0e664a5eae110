//! `skirmish analyze GAME`: a position with the exact value of every move.

use anyhow::Result;
use serde_json::{Map, Value as Json, json};
use skirmish_play::{Analysis, Judgement};
use skirmish_rules::{Both, Catalog, Side};
use skirmish_solver::Value;

use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::{json, output, show, solving, words};

pub(crate) fn run(args: &ShowArgs, catalog: Catalog) -> Result<Exit> {
    let table = show::table(args, catalog)?;
    let analysis = solving::analyse(&*table)?;
    if args.json {
        if analysis.pressure.is_err() {
            output::complain(words::pressure(&analysis.pressure).unwrap_or_default());
        }
        let mut object = json::position(&*table);
        object.extend(fields(&analysis));
        output::print_line(Json::from(object))?;
        return Ok(Exit::Done);
    }
    let mover = if let [side] = *table.turn() { Some(side) } else { None };
    let told = words::analysis(&analysis, mover, table.names());
    let remark = if analysis.is_reachable { "" } else { "\nThis position cannot arise in play." };
    let text = if table.outcome().is_some() {
        show::describe(&*table)
    } else {
        format!("{}\n\nPosition: {}\n{told}", table.board(output::width()), table.position())
    };
    output::print_line(output::paint(&format!("{text}{remark}"), table.names()))?;
    Ok(Exit::Done)
}

/// The fields that `analyze` adds to those of `show`.
pub(crate) fn fields(analysis: &Analysis) -> Map<String, Json> {
    let mut object = match &analysis.verdict {
        Judgement::Alternating { value, moves, forced_draw: (by_mover, by_other) } => {
            let moves: Vec<Json> = moves
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
            let pressure = analysis.pressure.unwrap_or_default();
            let mut fields = vec![
                ("value", value.word().into()),
                ("plies", value.plies().into()),
                ("moves", moves.into()),
                ("draw", json::pressure(pressure)),
            ];
            if matches!(value, Value::Draw(_)) {
                fields.push(("forced", json!({ "mover": by_mover, "other": by_other })));
            }
            fields
        }
        Judgement::Simultaneous { value, error, strategy, worth: _ } => vec![
            ("value", (*value).into()),
            ("strategy", json::both(Both::from_fn(|side: Side| mix(&strategy[side])))),
            ("error", (*error).into()),
        ],
    };
    object.push(("reachable", analysis.is_reachable.into()));
    object.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn mix(shares: &[(String, f64)]) -> Json {
    shares
        .iter()
        .map(|(action, share)| (action.clone(), (*share).into()))
        .collect::<Map<String, Json>>()
        .into()
}
