//! The cursor of a map, which stops only on tiles that represent positions.

use ratatui::crossterm::event::KeyCode;
use skirmish_present::map::Chart;

use super::super::screen::{Press, Way};

/// Number of rows by which a page key moves the cursor.
const PAGE: usize = 8;

/// The location of a tile.
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
    /// The tile with this number. Tiles are numbered row by row, sheet after sheet.
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

    /// The tile that a key leads to, skipping tiles without a position.
    pub(super) fn step(self, press: Press, chart: &Chart) -> Self {
        let tiles = &chart.sheets()[self.sheet];
        let Self { row, column, .. } = self;
        let in_row = |column: usize| Self { column, ..self };
        let in_column = |row: usize| Self { row, ..self };
        let found = match press {
            Press::Key(KeyCode::Home) => first(chart, (0..tiles.columns()).map(in_row)),
            Press::Key(KeyCode::End) => first(chart, (0..tiles.columns()).rev().map(in_row)),
            Press::Key(KeyCode::PageUp) => {
                first(chart, (row.saturating_sub(PAGE)..row).map(in_column))
            }
            Press::Key(KeyCode::PageDown) => {
                let last = (row + PAGE).min(tiles.rows() - 1);
                first(chart, (row + 1..=last).rev().map(in_column))
            }
            Press::Key(KeyCode::Tab | KeyCode::Char(' ')) => {
                let sheet = (self.sheet + 1) % chart.sheets().len();
                Self { sheet, ..self }.nearest(chart, |_| true)
            }
            _ => match press.way() {
                Some(way) => {
                    let straight = match way {
                        Way::Up => first(chart, (0..row).rev().map(in_column)),
                        Way::Down => first(chart, (row + 1..tiles.rows()).map(in_column)),
                        Way::Left => first(chart, (0..column).rev().map(in_row)),
                        Way::Right => first(chart, (column + 1..tiles.columns()).map(in_row)),
                    };
                    // If there is no position straight ahead, take the nearest in that direction.
                    straight.or_else(|| self.nearest(chart, |spot| self.leads(spot, way)))
                }
                None => None,
            },
        };
        found.unwrap_or(self)
    }

    /// Whether tile `to` lies in this direction.
    const fn leads(self, to: Self, way: Way) -> bool {
        match way {
            Way::Up => to.row < self.row,
            Way::Down => to.row > self.row,
            Way::Left => to.column < self.column,
            Way::Right => to.column > self.column,
        }
    }

    /// The nearest tile on the same sheet that has a position and satisfies `is_wanted`.
    fn nearest(self, chart: &Chart, is_wanted: impl Fn(Self) -> bool) -> Option<Self> {
        let tiles = &chart.sheets()[self.sheet];
        let all = (0..tiles.rows())
            .flat_map(|row| (0..tiles.columns()).map(move |column| Self { row, column, ..self }));
        let distance = |spot: &Self| {
            spot.row.abs_diff(self.row).pow(2) + spot.column.abs_diff(self.column).pow(2)
        };
        all.filter(|spot| spot.position(chart).is_some() && is_wanted(*spot)).min_by_key(distance)
    }
}

/// The first tile with a position.
fn first(chart: &Chart, mut spots: impl Iterator<Item = Spot>) -> Option<Spot> {
    spots.find(|spot| spot.position(chart).is_some())
}

#[cfg(test)]
mod tests {
    use skirmish_play::{Budget, Solved};
    use skirmish_rules::{Settings, Side, Unwatched};

    use super::*;
    use crate::sixth::SIX_GAMES;

    /// Regression: in Capture the Line, no position lies straight ahead of the start.
    #[test]
    fn every_position_can_be_reached_with_arrows_and_tab() {
        for entry in SIX_GAMES.iter() {
            let settings = Settings::defaults(entry.options);
            let budget = Budget { bytes: 1 << 30 };
            let solved = Solved::of(entry, &settings, Side::One, budget, &Unwatched);
            let solved = solved.expect("the usual board is small");
            let Some(chart) = Chart::of(&solved) else { continue };
            let start = solved.graph().position(solved.graph().start());
            let start: Spot = chart.place(&start, &solved).expect("it is on the map").into();
            let mut found = vec![start];
            let mut next = 0;
            while let Some(&spot) = found.get(next) {
                let keys =
                    [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Tab];
                for to in keys.map(|key| spot.step(Press::Key(key), &chart)) {
                    assert!(to.position(&chart).is_some(), "{} {to:?}", entry.id);
                    if !found.contains(&to) {
                        found.push(to);
                    }
                }
                next += 1;
            }
            let tiles = chart.sheets().iter().map(|tiles| tiles.rows() * tiles.columns()).sum();
            let all = (0..tiles).filter_map(|number| Spot::numbered(number, &chart));
            let positions = all.filter(|spot| spot.position(&chart).is_some()).count();
            assert_eq!(found.len(), positions, "{}", entry.id);
        }
    }
}
