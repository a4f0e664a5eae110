//! `skirmish map GAME`: a picture of the solved game.

use std::io::Write;

use anyhow::Result;
use skirmish_play::Solved;
use skirmish_present::map::{Atlas, MapError};
use skirmish_present::{Manner, json};
use skirmish_rules::{Catalog, printable};

use crate::args::MapArgs;
use crate::destination::Destination;
use crate::exit::{Exit, usage};
use crate::{lookup, output, solving};

pub(crate) fn run(args: &MapArgs, catalog: Catalog) -> Result<Exit> {
    let (entry, settings, first) = lookup::board(catalog, &args.board)?;
    let destination = |path| Destination::of("--svg", path, args.force, args.json);
    let drawing = args.svg.as_deref().map(destination).transpose()?;
    drawing.as_ref().map_or(Ok(()), Destination::check)?;
    let solved = solving::solve(entry, &settings, first)?;
    prepare(&solved)?;
    let atlas = Atlas::of(&solved, args.position.as_deref()).map_err(|error| match error {
        MapError::NoMap(_) => error.into(),
        _ => usage(error),
    })?;
    if let Some(drawing) = &drawing {
        write(&atlas, drawing)?;
    }
    if args.json {
        output::print_data_line(json::text(&atlas.facts()))?;
    } else if drawing.is_none() {
        print(&atlas)?;
    }
    Ok(Exit::Done)
}

/// Computes the data that a map shows besides values.
pub(crate) fn prepare(solved: &Solved) -> Result<()> {
    if Atlas::shows_pressures(solved) {
        solving::watched(|watch| solved.prepare_pressures(watch))?;
    }
    Ok(())
}

/// Prints a map for people.
pub(crate) fn print(atlas: &Atlas) -> Result<()> {
    let drawn = match output::manner() {
        Manner::Usual | Manner::Plain => atlas.text(output::page_width()),
        Manner::Spoken => atlas.speech(),
    };
    Ok(output::print(&output::fitting(&drawn.map_err(usage)?))?)
}

/// Writes a map to a file as a picture, and reports its location.
pub(crate) fn write(atlas: &Atlas, drawing: &Destination) -> Result<()> {
    drawing.write(|file| file.write_all(atlas.svg().as_bytes()))?;
    if !drawing.is_standard_output() {
        let path = printable(&drawing.path.to_string_lossy());
        output::eprint_line(format_args!("The map is in {path}."));
    }
    Ok(())
}
