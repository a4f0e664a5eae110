//! The cursor of a map: it stands only on tiles that are positions.

use ratatui::crossterm::event::KeyCode;
use skirmish_present::map::{Chart, Tiles};

use super::super::screen::{Press, Way};

/// Rows that a page key moves the cursor by.
const PAGE: usize = 8;

/// A tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) sheet: usize,
    pub(super) row: usize,
    pub(super) column: usize,
}

impl From<(usize, usize, usize)> for Spot {
    fn from((sheet, row, column): (usize, usize, usize)) -> Self {
        Self { sheet, row, column }
    }
}

impl Spot {
    /// The tile with a number: row by row, one sheet after the other.
    pub(super) fn numbered(number: usize, chart: &Chart) -> Option<Self> {
        let mut left = number;
        for (sheet, tiles) in chart.sheets().iter().enumerate() {
            let count = tiles.rows() * tiles.columns();
            if left < count {
                let spot =
                    Self { sheet, row: left / tiles.columns(), column: left % tiles.columns() };
                return Some(spot);
            }
            left -= count;
        }
        None
    }

    pub(super) fn position(self, chart: &Chart) -> Option<&str> {
        chart.sheets()[self.sheet].position(self.row, self.column)
    }

    /// Where a key leads. Tiles that are no positions are skipped.
    pub(super) fn step(self, press: Press, chart: &Chart) -> Self {
        let tiles = &chart.sheets()[self.sheet];
        let Self { row, column, .. } = self;
        let in_row = |mut columns: Box<dyn Iterator<Item = usize>>| {
            let found = columns.find(|&column| tiles.position(row, column).is_some());
            found.map(|column| Self { column, ..self })
        };
        let in_column = |mut rows: Box<dyn Iterator<Item = usize>>| {
            let found = rows.find(|&row| tiles.position(row, column).is_some());
            found.map(|row| Self { row, ..self })
        };
        let found = match press {
            Press::Key(KeyCode::Home) => in_row(Box::new(0..tiles.columns())),
            Press::Key(KeyCode::End) => in_row(Box::new((0..tiles.columns()).rev())),
            Press::Key(KeyCode::PageUp) => in_column(Box::new(row.saturating_sub(PAGE)..row)),
            Press::Key(KeyCode::PageDown) => {
                let last = (row + PAGE).min(tiles.rows() - 1);
                in_column(Box::new((row + 1..=last).rev()))
            }
            Press::Key(KeyCode::Tab | KeyCode::Char(' ')) => {
                let sheet = (self.sheet + 1) % chart.sheets().len();
                Self { sheet, ..self }.settled(chart)
            }
            _ => match press.way() {
                Some(Way::Up) => in_column(Box::new((0..row).rev())),
                Some(Way::Down) => in_column(Box::new(row + 1..tiles.rows())),
                Some(Way::Left) => in_row(Box::new((0..column).rev())),
                Some(Way::Right) => in_row(Box::new(column + 1..tiles.columns())),
                None => None,
            },
        };
        found.unwrap_or(self)
    }

    /// The nearest position on the same sheet.
    fn settled(self, chart: &Chart) -> Option<Self> {
        let tiles: &Tiles = &chart.sheets()[self.sheet];
        let all = (0..tiles.rows())
            .flat_map(|row| (0..tiles.columns()).map(move |column| Self { row, column, ..self }));
        let distance = |spot: &Self| {
            spot.row.abs_diff(self.row).pow(2) + spot.column.abs_diff(self.column).pow(2)
        };
        all.filter(|spot| spot.position(chart).is_some()).min_by_key(distance)
    }
}
