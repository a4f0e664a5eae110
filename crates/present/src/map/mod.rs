//! A solved game as a picture.
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

use skirmish_play::{Answer, Solved};
use skirmish_rules::PositionError;

use self::census::Census;
pub use self::chart::{Chart, Tiles};
use self::outcomes::Outcomes;
use self::picture::Picture;
pub use self::picture::Tone;
use self::plane::{Plane, PlaneAxis};
use self::values::Values;
use crate::json::{AxisObject, MapObject, PerPlayer};

/// The most rows or columns of a grid that anybody would read in a terminal.
const MOST_LINES: usize = 60;

/// Why a map cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// No kind of picture fits the game.
    #[error(
        "there is no map for {0}: its positions are neither pairs of numbers nor pieces on a line; skirmish solve \
         counts them"
    )]
    NoMap(&'static str),
    /// The position to mark cannot be read.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The position to mark is on no map.
    #[error(
        "{0} cannot arise in play and is not on the map; skirmish analyze takes it all the same"
    )]
    Unreachable(String),
    /// The picture has no place for a single position.
    #[error("this map counts positions and has none to choose: try skirmish analyze")]
    Counted,
    /// The grid does not fit a terminal.
    #[error(
        "a grid of {rows} by {columns} is too large for a terminal: draw it with --svg FILE, or print its facts \
         with --json"
    )]
    TooLarge {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
}

/// What there is to draw of a solved game.
pub struct Atlas<'a>(AtlasKind<'a>);

/// Its kinds.
enum AtlasKind<'a> {
    /// Won, lost or endless, for each pair of numbers and each side to move.
    Outcomes(Outcomes<'a>),
    /// The value for Player 1, for each pair of numbers.
    Values(Values<'a>),
    /// Positions counted.
    Census(Census<'a>),
}

impl<'a> Atlas<'a> {
    /// Finds the picture that fits a game; `position` is the one to mark, the start if there is none.
    ///
    /// # Errors
    /// If no picture fits the game, or the position is not on it.
    pub fn of(solved: &'a Solved, position: Option<&str>) -> Result<Self, MapError> {
        let chosen = chosen(solved, position)?;
        let no_map = MapError::NoMap(solved.entry().name);
        Ok(Self(match (Plane::of(solved), solved.answer()) {
            (Some(plane), Answer::Alternating(_)) => {
                AtlasKind::Outcomes(Outcomes::of(solved, plane, chosen))
            }
            (Some(plane), Answer::Simultaneous { .. }) => {
                AtlasKind::Values(Values::of(solved, plane, chosen))
            }
            (None, Answer::Alternating(solution)) => {
                let census = Census::of(solved, solution).ok_or(no_map)?;
                if position.is_some() {
                    return Err(MapError::Counted);
                }
                AtlasKind::Census(census)
            }
            (None, Answer::Simultaneous { .. }) => return Err(no_map),
        }))
    }

    fn picture(&self) -> Picture {
        match &self.0 {
            AtlasKind::Outcomes(outcomes) => outcomes.picture(),
            AtlasKind::Values(values) => values.picture(),
            AtlasKind::Census(census) => census.picture(),
        }
    }

    /// The map as an SVG picture.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::draw(&self.picture())
    }

    /// The map for a terminal of so many columns, with colours.
    ///
    /// # Errors
    /// If the grid is too large for any terminal.
    pub fn text(&self, width: usize) -> Result<String, MapError> {
        Ok(text::draw(&self.readable()?, width))
    }

    /// The map in sentences.
    ///
    /// # Errors
    /// If the grid is too large for anybody to listen to.
    pub fn speech(&self) -> Result<String, MapError> {
        Ok(speech::tell(&self.readable()?))
    }

    fn readable(&self) -> Result<Picture, MapError> {
        let picture = self.picture();
        match picture.largest().filter(|size| size.0.max(size.1) > MOST_LINES) {
            Some((rows, columns)) => Err(MapError::TooLarge { rows, columns }),
            None => Ok(picture),
        }
    }

    /// What the picture shows, for programs.
    #[must_use]
    pub fn facts(&self) -> MapObject {
        match &self.0 {
            AtlasKind::Outcomes(outcomes) => MapObject::Outcomes(outcomes.facts()),
            AtlasKind::Values(values) => MapObject::Values(values.facts()),
            AtlasKind::Census(census) => MapObject::Census(census.facts()),
        }
    }
}

/// The number of the position to mark.
fn chosen(solved: &Solved, position: Option<&str>) -> Result<u32, MapError> {
    let Some(position) = position else { return Ok(solved.graph().start()) };
    let found = solved.graph().find(position)?;
    let found = found.filter(|&node| solved.reached().contains(node));
    found.ok_or_else(|| MapError::Unreachable(position.to_owned()))
}

/// The name of the game, with the rule options that differ from the rulebook's.
fn title(solved: &Solved) -> String {
    let changes = solved.settings().changes();
    let rules = if changes.is_empty() { String::new() } else { format!(" ({changes})") };
    format!("{}{rules}", solved.entry().name)
}

/// The lines of both grids' sides, for programs.
fn axes(plane: &Plane) -> PerPlayer<AxisObject> {
    let axis =
        |axis: PlaneAxis| AxisObject { label: axis.noun, first: axis.first, last: axis.last };
    plane.axes.map(axis).into()
}
