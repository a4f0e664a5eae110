//! A map for the full screen: sheets of tiles, and the place of every position on them.

use std::collections::HashMap;

use skirmish_play::Solved;

use super::Atlas;
use super::picture::{Fill, Key, Panel, Picture, Sheet, Tone};
use super::plane::Plane;

/// Larger games get a chart only when somebody asks for it: it takes a while.
const MOST_AT_ONCE: usize = 5_000;

/// Larger games get no chart at all.
const MOST_POSITIONS: usize = 1_000_000;

/// The map of a game to explore.
pub struct Chart {
    sheets: Vec<Tiles>,
    /// The sheet, row and column of each node. Empty if tiles stand for many positions each.
    places: HashMap<u32, (usize, usize, usize)>,
    legend: Vec<Key>,
    notes: Vec<String>,
}

/// One sheet of a chart.
pub struct Tiles {
    sheet: Sheet,
    /// The columns of the widest tile.
    width: u16,
}

impl Chart {
    /// Whether a chart of this game is made in no time, and shows single positions.
    #[must_use]
    pub fn is_quick(solved: &Solved) -> bool {
        solved.reached().count() <= MOST_AT_ONCE && Plane::of(solved).is_some()
    }

    /// The chart of a game, if there is a map of it that is not too large.
    #[must_use]
    pub fn of(solved: &Solved) -> Option<Self> {
        if solved.reached().count() > MOST_POSITIONS {
            return None;
        }
        let Picture { columns, legend, mut notes, .. } = Atlas::of(solved, None).ok()?.picture();
        // The last note is about the marked position.
        notes.pop();
        let sheets = columns.into_iter().flatten().filter_map(|panel| match panel {
            Panel::Sheet(sheet) => Some(Tiles::of(sheet)),
            Panel::Bars(_) => None,
        });
        let mut chart = Self { sheets: sheets.collect(), places: HashMap::new(), legend, notes };
        chart.places = chart.places_of(solved);
        Some(chart)
    }

    fn places_of(&self, solved: &Solved) -> HashMap<u32, (usize, usize, usize)> {
        let mut places = HashMap::new();
        for (sheet, tiles) in self.sheets.iter().enumerate() {
            for (row, line) in tiles.sheet.tiles.iter().enumerate() {
                for (column, tile) in line.iter().enumerate() {
                    let Some(position) = &tile.position else { continue };
                    if let Ok(Some(node)) = solved.graph().find(position) {
                        places.insert(node, (sheet, row, column));
                    }
                }
            }
        }
        places
    }

    /// Whether each tile is a single position.
    #[must_use]
    pub fn shows_positions(&self) -> bool {
        !self.places.is_empty()
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

    /// A sample, its tone and its meaning, for everything that a tile can show.
    pub fn legend(&self) -> impl Iterator<Item = (&str, Tone, &str)> {
        let keys = self.legend.iter().filter(|key| !key.is_marked);
        keys.map(|key| (key.sample.as_str(), key.tone, key.meaning.as_str()))
    }

    /// What the whole map shows, in sentences.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
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
