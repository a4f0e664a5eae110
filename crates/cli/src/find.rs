//! `skirmish find GAME QUERY`: the positions of a solved game of which something is true.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use anyhow::Result;
use skirmish_play::query::{Query, Vocabulary};
use skirmish_play::{Judgement, Solved};
use skirmish_present::json::{self, BoardObject, FoundObject, FoundPositions};
use skirmish_present::map::Atlas;
use skirmish_present::{Manner, words};
use skirmish_rules::{Catalog, Setup, Tempo, counted, default_names, printable};
use skirmish_solver::{Bits, Value};

use crate::args::FindArgs;
use crate::destination::Destination;
use crate::exit::{Exit, usage};
use crate::{lookup, output, solving, table};

pub(crate) fn run(args: &FindArgs, catalog: Catalog) -> Result<Exit> {
    let (entry, settings, first) = lookup::board(catalog, &args.board)?;
    let setup = Setup { settings: settings.clone(), first, names: default_names(), position: None };
    let vocabulary = Vocabulary::of(entry, &entry.open(setup).map_err(usage)?.scene());
    // Solving can take long: look for mistakes before it.
    let query = Query::parse(&args.query(), &vocabulary).map_err(usage)?;
    let destination = |path| Destination::of("--svg", path, args.force, false);
    let drawing = args.svg.as_deref().map(destination).transpose()?;
    drawing.as_ref().map_or(Ok(()), Destination::check)?;
    let solved = Arc::new(solving::solve(entry, &settings, first)?);
    let nodes = Arc::new(solving::watched(|watch| query.find(&solved, watch))?);
    let most = args.most();
    if args.count && !args.json {
        output::print_data_line(nodes.count())?;
    } else if args.csv {
        let mut out = BufWriter::new(io::stdout().lock());
        table::write(&solved, nodes.iter().take(most), &mut out)?;
        out.flush()?;
    } else if args.json {
        let object = FoundObject {
            board: BoardObject::of(&solved),
            query: query.to_string(),
            states: solved.reached().count(),
            found: nodes.count(),
            positions: FoundPositions { solved, nodes, most },
        };
        let mut out = BufWriter::new(io::stdout().lock());
        json::write(&object, &mut out)?;
        writeln!(out)?;
        out.flush()?;
    } else if args.map || drawing.is_some() {
        draw(&solved, &nodes, &query, drawing.as_ref())?;
    } else {
        list(&solved, &nodes, most)?;
    }
    Ok(Exit::Done)
}

/// Draws the map with these positions marked.
fn draw(solved: &Solved, nodes: &Bits, query: &Query, drawing: Option<&Destination>) -> Result<()> {
    if Atlas::shows_pressures(solved) {
        solving::watched(|watch| solved.prepare_pressures(watch))?;
    }
    let atlas = Atlas::of_found(solved, nodes, query)?;
    let Some(drawing) = drawing else {
        let drawn = match output::manner() {
            Manner::Usual | Manner::Plain => atlas.text(output::width()),
            Manner::Spoken => atlas.speech(),
        };
        return Ok(output::print(&drawn.map_err(usage)?)?);
    };
    drawing.write(|file| file.write_all(atlas.svg().as_bytes()))?;
    if !drawing.is_standard_output() {
        let path = printable(&drawing.path.to_string_lossy());
        output::eprint_line(format_args!("The map is in {path}."));
    }
    Ok(())
}

/// Lists the first positions and says how many there are.
fn list(solved: &Solved, nodes: &Bits, most: usize) -> io::Result<()> {
    let found = nodes.count();
    let heads = match solved.graph().tempo() {
        Tempo::Alternating => ["position", "value", "best", "winning"],
        Tempo::Simultaneous => ["position", "value", "p1", "p2"],
    };
    let shown = nodes.iter().take(most).map(|node| row(solved, node));
    match output::manner() {
        Manner::Usual | Manner::Plain if found > 0 => {
            let rows: Vec<Vec<String>> =
                std::iter::once(heads.map(str::to_owned)).chain(shown).map(Vec::from).collect();
            output::print(&output::aligned(&rows, heads.len()))?;
            output::print_line("")?;
        }
        Manner::Usual | Manner::Plain => {}
        Manner::Spoken => {
            for cells in shown {
                let named = heads.iter().zip(&cells).skip(2).filter(|(_, cell)| !cell.is_empty());
                let named = named.map(|(head, cell)| format!(", {head} {cell}"));
                let [position, value, ..] = &cells;
                output::print_line(format_args!(
                    "{position}: {value}{}.",
                    named.collect::<String>()
                ))?;
            }
        }
    }
    let all = counted(solved.reached().count() as u64, "position");
    let rest = match found.saturating_sub(most) {
        0 => String::new(),
        more => format!(" … and {more} more: --limit 0 shows all."),
    };
    output::print_line(format_args!("{found} of {all}.{rest}"))
}

/// What a list says about a position: its value, and the best and the winning moves or the best mixes.
fn row(solved: &Solved, node: u32) -> [String; 4] {
    let position = solved.graph().position(node);
    match solved.judge(node) {
        Judgement::Alternating { value, moves, .. } => {
            let value = match value {
                Value::Endless => value.word().to_owned(),
                Value::Win(_) | Value::Loss(_) | Value::Draw(_) => words::value(value),
            };
            let best = table::notations(&words::best(&moves), " ");
            [position, value, best, table::notations(&words::winning(&moves), " ")]
        }
        Judgement::Simultaneous { value, strategy, .. } => {
            let mixes = strategy.map(|mix| words::shares(&mix));
            [position, words::points(value), mixes.one, mixes.two]
        }
    }
}
