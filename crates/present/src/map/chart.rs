//! A map for the full screen: sheets of tiles, and the place of every position on them.

use std::collections::HashMap;

use skirmish_play::Solved;
use skirmish_rules::Side;

use super::Atlas;
use super::picture::{Fill, Key, Panel, Picture, Sheet, Tone};
use super::plane::Plane;
use super::slice::{Slice, Space};

/// Larger games get a chart only when somebody asks for it: it takes a while.
const MOST_AT_ONCE: usize = 5_000;

/// Larger games get no chart at all.
const MOST_POSITIONS: usize = 1_000_000;

/// The map of a game to explore: all its positions, or a slice through them.
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
    /// The columns of the widest tile.
    width: u16,
}

impl Chart {
    /// Whether a chart of this game is made in no time, and shows all positions.
    #[must_use]
    pub fn is_quick(solved: &Solved) -> bool {
        solved.reached().count() <= MOST_AT_ONCE && Plane::of(solved).is_some()
    }

    /// The chart of a game, if there is a map of it that is not too large. If its positions do not fit on a plane, a slice
    /// through the start.
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

    /// Whether it shows all positions, not a slice through them.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.slice.is_none()
    }

    /// A slice through another position; `None` if this chart shows all positions, or that one cannot arise.
    #[must_use]
    pub fn through(&self, position: &str, solved: &Solved) -> Option<Self> {
        let slice = self.slice.as_ref()?;
        let scene = solved.graph().scene(solved.graph().find(position).ok().flatten()?);
        let chart = Self::sliced(solved, slice.through_another(&scene));
        Some(chart).filter(|chart| chart.place(position, solved).is_some())
    }

    /// The slice through a position of this one on which another unit of a side moves.
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

    /// What the letters on the tiles mean.
    pub fn legend(&self) -> impl Iterator<Item = Sign> {
        let keys = self.legend.iter().filter(|key| !key.is_marked);
        keys.map(|&Key { sample, tone, meaning, word, .. }| Sign { sample, tone, meaning, word })
    }
}

/// What some letters on a tile mean.
#[derive(Clone, Copy, Debug)]
pub struct Sign {
    /// The letters.
    pub sample: &'static str,
    /// Their colour.
    pub tone: Tone,
    /// What they mean.
    pub meaning: &'static str,
    /// The same in a word.
    pub word: &'static str,
}

impl Tiles {
    fn of(sheet: Sheet) -> Self {
        let widths = sheet.tiles.iter().flatten().map(|tile| tile.text.chars().count());
        let width = u16::try_from(widths.max().unwrap_or(1)).unwrap_or(u16::MAX);
        Self { sheet, width }
    }

    /// Its rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.sheet.tiles.len()
    }

    /// Its columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.sheet.across.ticks.len()
    }

    /// The width of the widest tile, with room for a mark.
    #[must_use]
    pub const fn tile_width(&self) -> u16 {
        self.width.saturating_add(1)
    }

    /// What the sheet shows.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.sheet.title
    }

    /// The numbers that run down and across.
    #[must_use]
    pub fn labels(&self) -> (&str, &str) {
        (&self.sheet.down.label, &self.sheet.across.label)
    }

    /// The position of a tile, if it is a single one.
    #[must_use]
    pub fn position(&self, row: usize, column: usize) -> Option<&str> {
        self.sheet.tiles[row][column].position.as_deref()
    }

    /// A tile in words; `None` where no position can arise.
    #[must_use]
    pub fn words(&self, row: usize, column: usize) -> Option<&str> {
        self.sheet.tiles[row][column].spoken.as_deref()
    }

    /// What the sheet, its rows and its columns stand for.
    #[must_use]
    pub fn caption(&self) -> String {
        format!("{}: {}", self.sheet.title, self.axes())
    }

    /// What the rows and the columns stand for, in a few letters.
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
