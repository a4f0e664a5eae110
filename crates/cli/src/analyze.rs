//! `skirmish analyze GAME`: a position with the exact value of every move.

use anyhow::Result;
use skirmish_present::json::{self, AnalysisObject};
use skirmish_present::words;
use skirmish_rules::Catalog;

use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::{output, show, solving};

pub(crate) fn run(args: &ShowArgs, catalog: Catalog) -> Result<Exit> {
    let table = show::table(args, catalog)?;
    let analysis = solving::analyse(&*table)?;
    if args.json {
        if analysis.pressure.is_err() {
            output::complain(words::pressure(&analysis.pressure).unwrap_or_default());
        }
        output::print_data_line(json::text(&AnalysisObject::of(&*table, analysis)))?;
        return Ok(Exit::Done);
    }
    let mover = if let [side] = *table.turn() { Some(side) } else { None };
    let told = words::analysis(&analysis, mover, table.names(), output::manner());
    let remark = if analysis.is_reachable { "" } else { "\nThis position cannot arise in play." };
    let text = if table.outcome().is_some() {
        show::describe(&*table)
    } else {
        format!("{}\n\nPosition: {}\n{told}", output::board(&*table), table.position())
    };
    output::print_line(output::paint(&format!("{text}{remark}"), table.names()))?;
    Ok(Exit::Done)
}
