//! `skirmish review RECORD`: a recorded game with its mistakes.

use anyhow::Result;
use skirmish_present::json::{self, ReviewObject};
use skirmish_present::review::{annotate, describe};
use skirmish_rules::Catalog;
use skirmish_store::{Overwrite, read_record, same_file, write_record};

use crate::args::ReviewArgs;
use crate::destination::{Destination, forceable, print_beside};
use crate::exit::Exit;
use crate::{lookup, output, solving};

pub(crate) fn run(args: &ReviewArgs, catalog: Catalog) -> Result<Exit> {
    let destination = |path| Destination::of("--annotate", path, args.force, args.json);
    let annotated = args.annotate.as_deref().map(destination).transpose()?;
    let file = lookup::record(&args.record);
    let record = read_record(&file, catalog)?;
    let solved = solving::solve_record(&record)?;
    let review = skirmish_play::review(&record, &solved);
    if let Some(to) = &annotated {
        // Replacing the reviewed record needs no --force: it only gains comments.
        let is_itself = same_file(to.path, &file);
        let overwrite = if is_itself { Overwrite::Allowed } else { to.overwrite };
        let annotated = annotate(record.clone(), &review);
        write_record(to.path, &annotated, None, overwrite).map_err(forceable)?;
    }
    if args.json {
        output::print_data_line(json::text(&ReviewObject::of(&record, &review)))?;
        return Ok(Exit::Done);
    }
    let text = output::paint(&describe(&record, &review), &record.names);
    print_beside(annotated.as_ref(), &text)?;
    Ok(Exit::Done)
}
