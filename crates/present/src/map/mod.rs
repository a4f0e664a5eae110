//! Maps: solved games as pictures.
//!
//! The positions determine the kind of picture. If one number per side (a place, a gauge) identifies a position, the
//! map is a grid with a cell for each position. If a side can have several pieces or none, the map counts positions.

mod canvas;
mod census;
mod chart;
mod found;
mod outcomes;
mod picture;
mod plane;
mod slice;
mod speech;
mod svg;
mod text;
mod values;

#[cfg(test)]
mod tests;

use serde::Serialize;
use skirmish_play::query::Query;
use skirmish_play::{Answer, Solved};
use skirmish_rules::PositionError;
use skirmish_solver::Bits;

pub use self::canvas::escape;
use self::census::Census;
pub use self::chart::{Chart, Sign, Tiles};
use self::found::Highlight;
use self::outcomes::Outcomes;
pub use self::picture::Tone;
use self::picture::{Key, Picture};
use self::plane::{Plane, PlaneAxis};
use self::values::Values;
use crate::json::{AxisObject, MapObject, PerPlayer};
use crate::words;

/// Maximum number of rows or columns of a grid drawn in a terminal.
const MOST_LINES: usize = 60;

/// The reason why a map cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// No kind of picture fits the game.
    #[error(
        "there is no map for {0}: its positions are neither pairs of numbers nor pieces on a line; try the command solve"
    )]
    NoMap(&'static str),
    /// The position to mark is malformed or illegal.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The position to mark is not on the map.
    #[error("{0} cannot arise in play and is not on the map: try the command analyze")]
    Unreachable(String),
    /// The map counts positions instead of showing them.
    #[error("this map counts positions and cannot show a single one: try the command analyze")]
    Counted,
    /// The grid does not fit a terminal.
    #[error("a grid of {rows} by {columns} is too large for a terminal: use --svg FILE or --json")]
    TooLarge {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
}

/// The map of a solved game.
pub struct Atlas<'a> {
    kind: AtlasKind<'a>,
    /// The positions to highlight or count, found by a query; `None` for an ordinary map.
    found: Option<Highlight<'a>>,
}

/// The kinds of maps.
enum AtlasKind<'a> {
    /// Win, loss, draw or endless, for each pair of numbers and each side to move.
    Outcomes(Outcomes<'a>),
    /// The value for Player 1, for each pair of numbers.
    Values(Values<'a>),
    /// Statistics of positions.
    Census(Census<'a>),
}

impl<'a> Atlas<'a> {
    /// Whether the map of a game can show pressures, once they are computed.
    #[must_use]
    pub fn shows_pressures(solved: &Solved) -> bool {
        Plane::of(solved).is_some()
    }

    /// Chooses the kind of map for a game and marks `position`, by default the start.
    ///
    /// # Errors
    /// If no kind of map fits the game, or `position` is not on the map.
    pub fn of(solved: &'a Solved, position: Option<&str>) -> Result<Self, MapError> {
        Self::new(solved, position, None)
    }

    /// A map that highlights or counts only `nodes`, the positions found by `query`.
    ///
    /// # Errors
    /// If no kind of map fits the game.
    pub fn of_found(solved: &'a Solved, nodes: &'a Bits, query: &Query) -> Result<Self, MapError> {
        Self::new(solved, None, Some(Highlight { solved, nodes, query: query.to_string() }))
    }

    fn new(
        solved: &'a Solved,
        position: Option<&str>,
        found: Option<Highlight<'a>>,
    ) -> Result<Self, MapError> {
        let chosen = chosen(solved, position)?;
        let no_map = MapError::NoMap(solved.entry().name);
        let kind = match (Plane::of(solved), solved.answer()) {
            (Some(plane), Answer::Alternating(_)) => {
                AtlasKind::Outcomes(Outcomes::of(solved, plane, chosen))
            }
            (Some(plane), Answer::Simultaneous { .. }) => {
                AtlasKind::Values(Values::of(solved, plane, chosen))
            }
            (None, Answer::Alternating(solution)) => {
                let counted = found.as_ref().map_or(solved.reached(), |found| found.nodes);
                let census = Census::of(solved, solution, counted).ok_or(no_map)?;
                if position.is_some() {
                    return Err(MapError::Counted);
                }
                AtlasKind::Census(census)
            }
            (None, Answer::Simultaneous { .. }) => return Err(no_map),
        };
        Ok(Self { kind, found })
    }

    /// The numbers of rows and columns of the grid; `None` if the map counts positions.
    #[must_use]
    pub fn grid(&self) -> Option<(usize, usize)> {
        let plane = match &self.kind {
            AtlasKind::Outcomes(outcomes) => &outcomes.plane,
            AtlasKind::Values(values) => &values.plane,
            AtlasKind::Census(_) => return None,
        };
        let lines = |axis: PlaneAxis| axis.numbers().count();
        Some((lines(plane.axes.one), lines(plane.axes.two)))
    }

    fn picture(&self) -> Picture {
        let picture = match &self.kind {
            AtlasKind::Outcomes(outcomes) => outcomes.picture(),
            AtlasKind::Values(values) => values.picture(),
            AtlasKind::Census(census) => census.picture(),
        };
        match &self.found {
            Some(found) => found.highlighted(picture),
            None => picture,
        }
    }

    /// The map as JSON for a front end that draws it itself: panels of tiles and bars with their words.
    #[must_use]
    pub fn drawn(&self) -> impl Serialize + Send + use<> {
        self.picture()
    }

    /// The map as an SVG picture.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::draw(&self.picture())
    }

    /// The map as text with colours, for a terminal of `width` columns.
    ///
    /// # Errors
    /// If the grid is too large for any terminal.
    pub fn text(&self, width: usize) -> Result<String, MapError> {
        Ok(text::draw(&self.readable()?, width))
    }

    /// Describes the map in sentences.
    ///
    /// # Errors
    /// If the grid is too large to be read aloud.
    pub fn speech(&self) -> Result<String, MapError> {
        Ok(speech::describe(&self.readable()?))
    }

    fn readable(&self) -> Result<Picture, MapError> {
        let picture = self.picture();
        match picture.largest().filter(|size| size.0.max(size.1) > MOST_LINES) {
            Some((rows, columns)) => Err(MapError::TooLarge { rows, columns }),
            None => Ok(picture),
        }
    }

    /// The facts that the map shows, as a JSON object.
    #[must_use]
    pub fn facts(&self) -> MapObject {
        match &self.kind {
            AtlasKind::Outcomes(outcomes) => MapObject::Outcomes(outcomes.facts()),
            AtlasKind::Values(values) => MapObject::Values(values.facts()),
            AtlasKind::Census(census) => MapObject::Census(census.facts()),
        }
    }
}

/// The node of the position to mark.
fn chosen(solved: &Solved, position: Option<&str>) -> Result<u32, MapError> {
    let Some(position) = position else { return Ok(solved.graph().start()) };
    let found = solved.graph().find(position)?;
    let found = found.filter(|&node| solved.reached().contains(node));
    found.ok_or_else(|| MapError::Unreachable(position.to_owned()))
}

fn title(solved: &Solved) -> String {
    words::game(solved.entry(), solved.settings())
}

/// The legend entry of the marked position.
fn mark(solved: &Solved, chosen: u32) -> Key {
    let is_start = chosen == solved.graph().start();
    Key::mark(if is_start { "the start" } else { "the chosen position" })
}

/// Both axes as JSON objects.
fn axes(plane: &Plane) -> PerPlayer<AxisObject> {
    let axis =
        |axis: PlaneAxis| AxisObject { label: axis.noun, first: axis.first, last: axis.last };
    plane.axes.map(axis).into()
}
