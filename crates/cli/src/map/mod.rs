//! `skirmish map GAME`: a picture of the solved game.
//!
//! Which picture follows from the positions, not from the game: where a position is a number for each side
//! (a place, a gauge), it is a cell of a grid; where a side has several pieces or none, positions are counted.

mod canvas;
mod census;
mod chart;
mod outcomes;
mod picture;
mod plane;
mod speech;
mod svg;
mod text;
mod values;

#[cfg(test)]
mod tests;

use std::io::Write;

use anyhow::{Result, bail};
use serde_json::{Map, Value as Json, json};
use skirmish_play::{Answer, Solved};
use skirmish_rules::{Catalog, Scene, Setup, Side, Starter, default_names, printable};

pub(crate) use self::chart::Chart;
pub(crate) use self::picture::Tone;

use self::census::Census;
use self::outcomes::Outcomes;
use self::picture::Picture;
use self::plane::Plane;
use self::values::Values;
use crate::args::MapArgs;
use crate::destination::Destination;
use crate::exit::{Exit, usage};
use crate::output::Manner;
use crate::{json, lookup, output, solving};

/// The most rows or columns of a grid that anybody would read in a terminal.
const MOST_LINES: usize = 60;

pub(crate) fn run(args: &MapArgs, catalog: Catalog) -> Result<Exit> {
    let (entry, settings, first) = lookup::board(catalog, &args.board)?;
    let destination = |path| Destination::of("--svg", path, args.force, args.json);
    let drawing = args.svg.as_deref().map(destination).transpose()?;
    drawing.as_ref().map_or(Ok(()), Destination::check)?;
    let solved = solving::solve(entry, &settings, first)?;
    let atlas = Atlas::of(&solved, args.position.as_deref())?;
    if let Some(drawing) = &drawing {
        let picture = svg::draw(&atlas.picture());
        drawing.write(|file| file.write_all(picture.as_bytes()))?;
    }
    if args.json {
        let first = (entry.starter != Starter::Nobody).then(|| first.number());
        let mut object = Map::new();
        object.insert("game".into(), entry.id.into());
        object.insert("rules".into(), json::rules(&settings));
        object.insert("first".into(), first.into());
        object.extend(atlas.facts());
        output::print_data_line(Json::from(object))?;
    } else if let Some(drawing) = &drawing {
        if !drawing.is_standard_output() {
            let path = printable(&drawing.path.to_string_lossy());
            output::complain(format_args!("The map is in {path}."));
        }
    } else {
        let picture = atlas.picture();
        if let Some((rows, columns)) =
            picture.largest().filter(|size| size.0.max(size.1) > MOST_LINES)
        {
            return Err(usage(format!(
                "a grid of {rows} by {columns} is too large for a terminal: draw it with --svg FILE, \
                 or print its facts with --json"
            )));
        }
        output::print(&match output::manner() {
            Manner::Usual | Manner::Plain => text::draw(&picture, output::width()),
            Manner::Spoken => speech::tell(&picture),
        })?;
    }
    Ok(Exit::Done)
}

/// What there is to draw of a solved game.
enum Atlas<'a> {
    /// Won, lost or endless, for each pair of numbers and each side to move.
    Outcomes(Outcomes<'a>),
    /// The value for Player 1, for each pair of numbers.
    Values(Values<'a>),
    /// Positions counted.
    Census(Census<'a>),
}

impl<'a> Atlas<'a> {
    /// Finds the picture that fits a game; `position` is the one to mark, the start if there is none.
    fn of(solved: &'a Solved, position: Option<&str>) -> Result<Self> {
        let chosen = chosen(solved, position)?;
        match (Plane::of(solved), solved.answer()) {
            (Some(plane), Answer::Alternating(_)) => {
                Ok(Self::Outcomes(Outcomes::of(solved, plane, chosen)))
            }
            (Some(plane), Answer::Simultaneous { .. }) => {
                Ok(Self::Values(Values::of(solved, plane, chosen)))
            }
            (None, Answer::Alternating(solution)) => {
                let Some(census) = Census::of(solved, solution) else { return no_map(solved) };
                if position.is_some() {
                    return Err(usage(
                        "this map counts positions and has none to choose: try skirmish analyze",
                    ));
                }
                Ok(Self::Census(census))
            }
            (None, Answer::Simultaneous { .. }) => no_map(solved),
        }
    }

    fn picture(&self) -> Picture {
        match self {
            Self::Outcomes(outcomes) => outcomes.picture(),
            Self::Values(values) => values.picture(),
            Self::Census(census) => census.picture(),
        }
    }

    /// What the picture shows, for programs.
    fn facts(&self) -> Map<String, Json> {
        let facts = match self {
            Self::Outcomes(outcomes) => outcomes.facts(),
            Self::Values(values) => values.facts(),
            Self::Census(census) => census.facts(),
        };
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

fn no_map<T>(solved: &Solved) -> Result<T> {
    bail!(
        "there is no map for {}: its positions are neither pairs of numbers nor pieces on a line; \
         skirmish solve counts them",
        solved.entry().name
    )
}

/// The number of the position to mark.
fn chosen(solved: &Solved, position: Option<&str>) -> Result<u32> {
    let Some(position) = position else { return Ok(solved.graph().start()) };
    let found = solved.graph().find(position).map_err(usage)?;
    found.filter(|&node| solved.reached().contains(node)).ok_or_else(|| {
        usage(format!(
            "{position} cannot arise in play and is not on the map; skirmish analyze takes it all the same"
        ))
    })
}

/// A position as any screen would draw it.
fn scene(solved: &Solved, node: u32) -> Scene {
    let setup = Setup {
        settings: solved.settings().clone(),
        first: Side::One,
        names: default_names(),
        position: Some(solved.graph().position(node)),
    };
    let table = solved.entry().open(setup).expect("the graph writes positions that can be read");
    table.scene()
}

/// The name of the game, with the rule options that differ from the rulebook's.
fn title(solved: &Solved) -> String {
    let changes = solved.settings().changes();
    let rules = if changes.is_empty() { String::new() } else { format!(" ({changes})") };
    format!("{}{rules}", solved.entry().name)
}

/// The lines of both grids' sides, for programs.
fn axes(plane: &Plane) -> Json {
    json::both(
        plane
            .axes
            .as_ref()
            .map(|axis| json!({ "label": axis.noun, "first": axis.first, "last": axis.last })),
    )
}
