//! `skirmish find GAME QUERY`: the positions of a solved game that match a query.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use anyhow::Result;
use skirmish_play::query::{Query, Vocabulary};
use skirmish_play::{Judgement, Solved};
use skirmish_present::json::{self, BoardObject, FoundObject, FoundPositions};
use skirmish_present::map::Atlas;
use skirmish_present::{Manner, words};
use skirmish_rules::{Both, Catalog, Setup, Tempo, counted};
use skirmish_solver::{Bits, Value};

use crate::args::FindArgs;
use crate::destination::Destination;
use crate::exit::{Exit, usage};
use crate::{lookup, map, output, solving, table};

pub(crate) fn run(args: &FindArgs, catalog: Catalog) -> Result<Exit> {
    let (entry, settings, first) = lookup::board(catalog, &args.board)?;
    let setup = Setup { settings: settings.clone(), first, ..entry.setup() };
    let vocabulary = Vocabulary::of(entry, &entry.open(setup).map_err(usage)?.scene());
    // Solving can take long: check the arguments first.
    let query = Query::parse(&args.query(), &vocabulary).map_err(usage)?;
    let destination = |path| Destination::of("--svg", path, args.force, false);
    let drawing = args.svg.as_deref().map(destination).transpose()?;
    drawing.as_ref().map_or(Ok(()), Destination::check)?;
    let solved = Arc::new(solving::solve(entry, &settings, first)?);
    let nodes = Arc::new(solving::watched(|watch| query.find(&solved, watch))?);
    if nodes.count() == 0 {
        for barren in solving::watched(|watch| query.barren(&solved, watch))? {
            output::eprint_line(barren);
        }
    }
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
    map::prepare(solved)?;
    let atlas = Atlas::of_found(solved, nodes, query)?;
    match drawing {
        Some(drawing) => map::write(&atlas, drawing),
        None => map::print(&atlas),
    }
}

/// Lists the first positions and says how many there are.
fn list(solved: &Solved, nodes: &Bits, most: usize) -> io::Result<()> {
    let found = nodes.count();
    let heads = match solved.graph().tempo() {
        Tempo::Alternating => ["position", "value", "best", "winning"],
        Tempo::Simultaneous => ["position", "value", "player", "best mix"],
    };
    let shown = nodes.iter().take(most);
    match output::manner() {
        Manner::Usual | Manner::Plain if found > 0 => {
            let rows = shown.flat_map(|node| rows(solved, node));
            let rows: Vec<Vec<String>> =
                std::iter::once(heads.map(str::to_owned)).chain(rows).map(Vec::from).collect();
            output::print_line(output::aligned(&rows, heads.len()))?;
        }
        Manner::Usual | Manner::Plain => {}
        Manner::Spoken => {
            for node in shown {
                output::print_line(sentence(solved, node))?;
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

/// The rows for a position in a list: its value with the best and the winning moves, or with each player's best mix.
fn rows(solved: &Solved, node: u32) -> Vec<[String; 4]> {
    let position = solved.graph().position(node);
    let (value, [(_, one), (_, two)]) = facts(solved, node);
    if solved.graph().tempo() == Tempo::Alternating {
        return vec![[position, value, one, two]];
    }
    let chosen = [(1, one), (2, two)].into_iter().filter(|(_, mix)| !mix.is_empty());
    let mut rows: Vec<[String; 4]> = chosen
        .map(|(player, mix)| [String::new(), String::new(), player.to_string(), mix])
        .collect();
    // A finished game has no mixes, but still gets a row.
    rows.resize(rows.len().max(1), Default::default());
    (rows[0][0], rows[0][1]) = (position, value);
    rows
}

/// Like [`rows`], as a sentence.
fn sentence(solved: &Solved, node: u32) -> String {
    let (value, facts) = facts(solved, node);
    let facts = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    let facts = facts.map(|(name, fact)| format!("{name} {fact}"));
    let all: Vec<String> = std::iter::once(value).chain(facts).collect();
    format!("{}: {}.", solved.graph().position(node), all.join(", "))
}

/// The value of a position, and its best and winning moves, or each player's best mix.
fn facts(solved: &Solved, node: u32) -> (String, [(&'static str, String); 2]) {
    match solved.judge(node) {
        Judgement::Alternating { value, moves, .. } => {
            let best = table::notations(&words::best(&moves), " ");
            let winning = table::notations(&words::winning(&moves), " ");
            (value_words(value), [("best", best), ("winning", winning)])
        }
        Judgement::Simultaneous { value, strategy, .. } => {
            let Both { one, two } = strategy.map(|mix| words::shares(&mix));
            (words::points(value), [("Player 1", one), ("Player 2", two)])
        }
    }
}

fn value_words(value: Value) -> String {
    match value {
        Value::Endless => value.word().to_owned(),
        Value::Win(_) | Value::Loss(_) | Value::Draw(_) => words::value(value),
    }
}
