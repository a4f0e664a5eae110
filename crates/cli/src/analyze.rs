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
        output::print_data_line(Json::from(object))?;
        return Ok(Exit::Done);
    }
    let mover = if let [side] = *table.turn() { Some(side) } else { None };
    let told = words::analysis(&analysis, mover, table.names());
    let remark = if analysis.is_reachable { "" } else { "\nThis position cannot arise in play." };
    let text = if table.outcome().is_some() {
        show::describe(&*table)
    } else {
        format!("{}\n\nPosition: {}\n{told}", output::board(&*table), table.position())
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

#[cfg(test)]
mod tests {
    use skirmish_play::{Budget, Solved};
    use skirmish_rules::{Settings, default_names};

    use super::*;
    use crate::sixth::SIX_GAMES;

    fn solved(game: &str, rules: &[&str], budget: Budget) -> Solved {
        let entry = SIX_GAMES.find(game).unwrap();
        let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
        Solved::of(entry, &settings, Side::One, budget, &|_| {}).unwrap()
    }

    #[test]
    fn a_draw_by_the_rules_is_told_with_who_can_force_it() {
        let budget = Budget { bytes: 1 << 30 };
        let solved = solved("last-stone", &["stones=4", "winner=most"], budget);
        let analysis = solved.analyse("0/0/1").unwrap().unwrap();
        assert_eq!(
            words::analysis(&analysis, Some(Side::One), &default_names()),
            "Player 1: draw in 2\n  * 1     to 1/0/2        draw in 3\n  * 2     to 2/0/2        \
             draw in 2\nYou can force a draw in 2 plies. The other side can force a draw in 3 plies.\n\
             You can steer the other side in 1 ply to a position in which a mistake lets the opponent force a win."
        );
        let object = Json::from(fields(&analysis));
        assert_eq!(object["value"], "draw");
        assert_eq!(object["plies"], 2);
        assert_eq!(object["moves"][0]["value"], "draw");
        assert_eq!(object["forced"], json!({ "mover": 2, "other": 3 }));
        assert_eq!(object["draw"], json!({ "pressure": "other", "plies": 1, "level": 0 }));
        let over = solved.analyse("2/2/1").unwrap().unwrap();
        assert_eq!(words::analysis(&over, None, &default_names()), "The side to move: drawn");
    }

    #[test]
    fn without_memory_for_pressure_the_values_remain() {
        // Enough to solve the game, and a little less than telling its endless positions apart takes.
        let (game, rules) = ("capture-and-conquer", ["positions=40", "steps=9"]);
        let roomy = solved(game, &rules, Budget { bytes: 1 << 30 });
        let tight = Budget { bytes: 40 * 40 * 2 * 33 };
        let tight = solved(game, &rules, tight);
        let position = "0/39/1";
        let [known, unknown] =
            [&roomy, &tight].map(|solved| solved.analyse(position).unwrap().unwrap());
        assert!(known.pressure.is_ok());
        let told = words::analysis(&unknown, Some(Side::One), &default_names());
        assert!(
            told.contains("Who is under pressure cannot be told here: that would need"),
            "{told}"
        );
        let (known, unknown) = (Json::from(fields(&known)), Json::from(fields(&unknown)));
        assert_eq!((&known["value"], &known["moves"]), (&unknown["value"], &unknown["moves"]));
        assert_eq!(unknown["draw"], Json::Null);
    }
}
