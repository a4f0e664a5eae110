//! The arcade's map of a game: sheets of tiles, and the tile of every position.

use std::collections::HashMap;

use skirmish_play::Solved;
use skirmish_rules::Side;

use super::Atlas;
use super::picture::{Fill, Key, Panel, Picture, Sheet, Tone};
use super::plane::Plane;
use super::slice::{Slice, Space};

/// Maximum number of positions of a chart drawn without a request: larger ones take a while.
const MOST_AT_ONCE: usize = 5_000;

/// Maximum number of positions of a game that has a chart.
const MOST_POSITIONS: usize = 1_000_000;

/// A map to explore, showing all positions of a game or a slice through them.
pub struct Chart {
    sheets: Vec<Tiles>,
    /// The sheet, row and column of each node.
    places: HashMap<u32, (usize, usize, usize)>,
    legend: Vec<Key>,
    slice: Option<Slice>,
}

/// One sheet of a chart.
pub struct Tiles {
    sheet: Sheet,
    /// The width of the widest tile, in columns.
    width: u16,
}

impl Chart {
    /// Whether a chart of this game is quick to make and shows all positions.
    #[must_use]
    pub fn is_quick(solved: &Solved) -> bool {
        solved.reached().count() <= MOST_AT_ONCE && Plane::of(solved).is_some()
    }

    /// The chart of a game; `None` if no map fits the game or it is too large. If the positions do not fit on a plane,
    /// the chart is a slice through the start.
    #[must_use]
    pub fn of(solved: &Solved) -> Option<Self> {
        if solved.reached().count() > MOST_POSITIONS {
            return None;
        }
        if Plane::of(solved).is_none() {
            let scene = solved.graph().scene(solved.graph().start());
            return Some(Self::sliced(solved, Slice::through(Space::of(solved)?.into(), &scene)));
        }
        let Picture { columns, legend, .. } = Atlas::of(solved, None).ok()?.picture();
        let sheets = columns.into_iter().flatten().filter_map(|panel| match panel {
            Panel::Sheet(sheet) => Some(sheet),
            Panel::Bars(_) => None,
        });
        Some(Self::new(solved, sheets, legend, None))
    }

    fn sliced(solved: &Solved, slice: Slice) -> Self {
        let (sheets, legend) = slice.sheets(solved);
        Self::new(solved, sheets, legend, Some(slice))
    }

    fn new(
        solved: &Solved,
        sheets: impl IntoIterator<Item = Sheet>,
        legend: Vec<Key>,
        slice: Option<Slice>,
    ) -> Self {
        let sheets: Vec<Tiles> = sheets.into_iter().map(Tiles::of).collect();
        let mut places = HashMap::new();
        for (sheet, tiles) in sheets.iter().enumerate() {
            for (row, line) in tiles.sheet.tiles.iter().enumerate() {
                for (column, tile) in line.iter().enumerate() {
                    let Some(position) = &tile.position else { continue };
                    if let Ok(Some(node)) = solved.graph().find(position) {
                        places.insert(node, (sheet, row, column));
                    }
                }
            }
        }
        Self { sheets, places, legend, slice }
    }

    /// Whether the chart shows all positions instead of a slice.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.slice.is_none()
    }

    /// A slice through another position; `None` if this chart shows all positions, or the other position is
    /// unreachable.
    #[must_use]
    pub fn through(&self, position: &str, solved: &Solved) -> Option<Self> {
        let slice = self.slice.as_ref()?;
        let scene = solved.graph().scene(solved.graph().find(position).ok().flatten()?);
        let chart = Self::sliced(solved, slice.through_another(&scene));
        Some(chart).filter(|chart| chart.place(position, solved).is_some())
    }

    /// The slice through `position` on which another unit of `side` moves.
    #[must_use]
    pub fn turned(&self, position: &str, side: Side, solved: &Solved) -> Option<Self> {
        let scene = solved.graph().scene(solved.graph().find(position).ok().flatten()?);
        Some(Self::sliced(solved, self.slice.as_ref()?.turned(&scene, side)))
    }

    /// The sheet, row and column of a position.
    pub fn place(&self, position: &str, solved: &Solved) -> Option<(usize, usize, usize)> {
        let node = solved.graph().find(position).ok().flatten()?;
        self.places.get(&node).copied()
    }

    /// The sheets.
    #[must_use]
    pub fn sheets(&self) -> &[Tiles] {
        &self.sheets
    }

    /// The legend, which explains the letters on the tiles.
    pub fn legend(&self) -> impl Iterator<Item = Sign> {
        let keys = self.legend.iter().filter(|key| !key.is_marked);
        keys.map(|&Key { sample, tone, meaning, word, .. }| Sign { sample, tone, meaning, word })
    }
}

/// An entry of the legend.
#[derive(Clone, Copy, Debug)]
pub struct Sign {
    /// The letters, as on a tile.
    pub sample: &'static str,
    /// The colour of the letters.
    pub tone: Tone,
    /// The meaning of the letters, in full.
    pub meaning: &'static str,
    /// The meaning in one word.
    pub word: &'static str,
}

impl Tiles {
    fn of(sheet: Sheet) -> Self {
        let widths = sheet.tiles.iter().flatten().map(|tile| tile.text.chars().count());
        let width = u16::try_from(widths.max().unwrap_or(1)).unwrap_or(u16::MAX);
        Self { sheet, width }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.sheet.tiles.len()
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.sheet.across.ticks.len()
    }

    /// The width of the widest tile, with room for a mark.
    #[must_use]
    pub const fn tile_width(&self) -> u16 {
        self.width.saturating_add(1)
    }

    /// The title of the sheet.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.sheet.title
    }

    /// The labels of the rows and columns.
    #[must_use]
    pub fn labels(&self) -> (&str, &str) {
        (&self.sheet.down.label, &self.sheet.across.label)
    }

    /// The position of a tile, if the tile represents a single position.
    #[must_use]
    pub fn position(&self, row: usize, column: usize) -> Option<&str> {
        self.sheet.tiles[row][column].position.as_deref()
    }

    /// A tile in words; `None` where there is no reachable position.
    #[must_use]
    pub fn words(&self, row: usize, column: usize) -> Option<&str> {
        self.sheet.tiles[row][column].spoken.as_deref()
    }

    /// The caption, which explains the sheet, its rows and its columns.
    #[must_use]
    pub fn caption(&self) -> String {
        format!("{}: {}", self.sheet.title, self.axes())
    }

    /// A very short description of the rows and columns.
    #[must_use]
    pub fn axes(&self) -> String {
        format!("down {}, across {}", self.sheet.down.short, self.sheet.across.short)
    }

    /// The heading of a row or a column.
    #[must_use]
    pub fn tick(&self, is_row: bool, number: usize) -> &str {
        let axis = if is_row { &self.sheet.down } else { &self.sheet.across };
        &axis.ticks[number]
    }

    /// The letters and the colour of a tile.
    #[must_use]
    pub fn tile(&self, row: usize, column: usize) -> (&str, Tone) {
        let tile = &self.sheet.tiles[row][column];
        let tone = match &tile.fill {
            Fill::Whole(tone) => *tone,
            Fill::Shares(_) => Tone::Plain,
        };
        (&tile.text, tone)
    }
}
