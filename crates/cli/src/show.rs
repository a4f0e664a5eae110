//! `skirmish show GAME`: a position, whose turn it is and the legal moves.

use anyhow::Result;
use skirmish_present::json::{self, PositionObject};
use skirmish_rules::{Catalog, Outcome, Setup, Table, alternatives, conjunction};

use crate::args::ShowArgs;
use crate::exit::{Exit, usage};
use crate::{lookup, output};

pub(crate) fn run(args: &ShowArgs, catalog: Catalog) -> Result<Exit> {
    let table = table(args, catalog)?;
    if args.json {
        output::print_data_line(json::text(&PositionObject::of(&*table)))?;
    } else {
        output::print_line(output::paint(&describe(&*table), table.names()))?;
    }
    Ok(Exit::Done)
}

/// Opens a table in the position that the arguments describe.
pub(crate) fn table(args: &ShowArgs, catalog: Catalog) -> Result<Box<dyn Table>> {
    let (entry, settings, first) = lookup::board(catalog, &args.board)?;
    let setup = Setup { settings, first, position: args.position.clone(), ..entry.setup() };
    let mut table = entry.open(setup).map_err(usage)?;
    let moves = args.moves.as_deref().unwrap_or_default();
    for (index, turn) in moves.split_whitespace().enumerate() {
        table.play(turn).map_err(|refusal| usage(format!("move {}: {refusal}", index + 1)))?;
    }
    Ok(table)
}

/// Describes the position in words.
pub(crate) fn describe(table: &dyn Table) -> String {
    let names = table.names();
    let situation = match table.outcome() {
        Some(Outcome::Won(side)) => format!("The game is over: {} has won.", names[side]),
        Some(Outcome::Draw) => "The game is over: it is a draw.".to_owned(),
        None => {
            let sides = table.turn();
            let who = conjunction(sides.iter().map(|&side| &names[side]));
            let verb = if sides.len() > 1 { "choose at once" } else { "moves" };
            let lines = sides.iter().map(|&side| {
                let choices = table.choices(side);
                let shown = alternatives(choices.iter().map(|choice| &choice.notation));
                format!("\nLegal for {}: {shown}", names[side])
            });
            format!("{who} {verb}.{}", lines.collect::<String>())
        }
    };
    format!("{}\n\nPosition: {}\n{situation}", output::board(table), table.position())
}
