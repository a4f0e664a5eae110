//! `skirmish analyze GAME`: a position with the exact value of every move.

use std::sync::Arc;

use anyhow::Result;
use skirmish_play::player::{self, Against, Policy};
use skirmish_play::{BestLine, Solved};
use skirmish_present::json::{self, AnalysisObject};
use skirmish_present::{study, words};
use skirmish_rules::{Catalog, Table};

use crate::args::AnalyzeArgs;
use crate::exit::Exit;
use crate::{output, show, solving};

pub(crate) fn run(args: &AnalyzeArgs, catalog: Catalog) -> Result<Exit> {
    let table = show::table(&args.show, catalog)?;
    let (solved, analysis) = solving::analyse(&*table)?;
    let solved = Arc::new(solved);
    let position = table.position();
    let line = if args.line { solved.line(&position)? } else { None };
    let against = forecast(args, &solved, &position)?;
    let mover = if let [side] = *table.turn() { Some(side) } else { None };
    if args.show.json {
        if let (Err(_), Some(mover)) = (&analysis.pressure, mover) {
            let why = words::pressure(&analysis.pressure, mover, table.names());
            why.into_iter().for_each(output::eprint_line);
        }
        let mut object = AnalysisObject::of(&*table, analysis);
        object = line.into_iter().fold(object, AnalysisObject::with_line);
        object = against.into_iter().fold(object, AnalysisObject::with_against);
        output::print_data_line(json::text(&object))?;
        return Ok(Exit::Done);
    }
    let values = output::paged(&words::analysis(&analysis, mover, table.names(), output::manner()));
    let mut text = if table.outcome().is_some() {
        show::describe(&*table)
    } else {
        let whole = format!("{}\n\nPosition: {position}\n{values}", output::board(&*table));
        let more = more(&*table, line.as_ref(), against.as_ref());
        [vec![whole], more].concat().join("\n\n")
    };
    if !analysis.is_reachable {
        text.push_str("\nThis position cannot arise in play.");
    }
    output::print_line(output::paint(&text, table.names()))?;
    Ok(Exit::Done)
}

/// The value of every move against the level given with `--against`.
fn forecast(args: &AnalyzeArgs, solved: &Arc<Solved>, position: &str) -> Result<Option<Against>> {
    let Some(level) = args.against else { return Ok(None) };
    solving::watched(|watch| {
        solved.prepare_players(watch)?;
        let policy = Policy::new(level, Arc::clone(solved));
        Ok(Some(player::against(&policy, position, watch)?))
    })
}

/// The optional parts of the output that were requested.
fn more(table: &dyn Table, line: Option<&BestLine>, against: Option<&Against>) -> Vec<String> {
    let names = table.names();
    let against = against.map(|against| study::against(against, names, output::manner()));
    let line = line.map(|line| study::line(line, names, output::page_width()));
    against.into_iter().chain(line).collect()
}
