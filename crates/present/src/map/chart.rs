//! A map kept for the full screen: sheets of tiles, and where every position is on them.

use std::collections::HashMap;

use skirmish_play::{Answer, Solved};

use super::outcomes::Outcomes;
use super::picture::{Fill, Panel, Picture, Sheet, Tone};
use super::plane::Plane;
use super::values::Values;

/// The most positions whose map is made in passing.
const MOST_POSITIONS: usize = 5_000;

/// The map of a game whose positions are a number for each side.
pub struct Chart {
    sheets: Vec<Tiles>,
    /// The sheet, row and column of a position, by its number.
    places: HashMap<u32, (usize, usize, usize)>,
}

/// One sheet of it.
pub struct Tiles(Sheet);

impl Chart {
    /// The map of a game, if it has one and it is not too large.
    pub fn of(solved: &Solved) -> Option<Self> {
        if solved.reached().count() > MOST_POSITIONS {
            return None;
        }
        let plane = Plane::of(solved)?;
        let axes = plane.axes;
        let sheet_of = |mover: Option<skirmish_rules::Side>| match mover {
            None | Some(skirmish_rules::Side::One) => 0,
            Some(skirmish_rules::Side::Two) => 1,
        };
        let places = plane.points.iter().map(|(point, &node)| {
            let (row, column) = (point.one - axes.one.first, point.two - axes.two.first);
            (node, (sheet_of(point.mover), row.into(), column.into()))
        });
        let places = places.collect();
        let start = solved.graph().start();
        let picture: Picture = match solved.answer() {
            Answer::Alternating(_) => Outcomes::of(solved, plane, start).picture(),
            Answer::Simultaneous { .. } => Values::of(solved, plane, start).picture(),
        };
        let sheets = picture.columns.into_iter().flatten().filter_map(|panel| match panel {
            Panel::Sheet(sheet) => Some(Tiles(sheet)),
            Panel::Bars(_) => None,
        });
        Some(Self { sheets: sheets.collect(), places })
    }

    /// The sheet, row and column of a position.
    pub fn place(&self, position: &str, solved: &Solved) -> Option<(usize, usize, usize)> {
        let node = solved.graph().find(position).ok().flatten()?;
        self.places.get(&node).copied()
    }

    /// The sheet of that number.
    #[must_use]
    pub fn sheet(&self, number: usize) -> &Tiles {
        &self.sheets[number]
    }
}

impl Tiles {
    /// Its rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.tiles.len()
    }

    /// Its columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.0.across.ticks.len()
    }

    /// The columns of the widest tile, with room for a mark.
    #[must_use]
    pub fn tile_width(&self) -> u16 {
        let widths = self.0.tiles.iter().flatten().map(|tile| tile.text.chars().count());
        u16::try_from(widths.max().unwrap_or(1)).unwrap_or(u16::MAX).saturating_add(1)
    }

    /// What the rows and the columns are.
    #[must_use]
    pub fn caption(&self) -> String {
        format!("{}: down {}, across {}", self.0.title, self.0.down.short, self.0.across.short)
    }

    /// The head of a row or a column.
    #[must_use]
    pub fn tick(&self, is_row: bool, number: usize) -> &str {
        let axis = if is_row { &self.0.down } else { &self.0.across };
        &axis.ticks[number]
    }

    /// The letters and the colour of a tile.
    #[must_use]
    pub fn tile(&self, row: usize, column: usize) -> (&str, Tone) {
        let tile = &self.0.tiles[row][column];
        let tone = match &tile.fill {
            Fill::Whole(tone) => *tone,
            Fill::Shares(_) => Tone::Plain,
        };
        (&tile.text, tone)
    }
}
