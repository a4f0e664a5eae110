//! Draws one sheet of a map as a grid of tiles, as large as possible, scrolled so that the current tile is visible.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use skirmish_play::Solved;
use skirmish_present::map::{Chart, Tiles, Tone};
use skirmish_rules::columns;

use super::super::look::{CHOSEN, Ink, Look};
use super::super::parts::{Canvas, extent};
use super::super::screen::Press;

/// Width of the row numbers, with a mark where rows are hidden.
const MARGIN: u16 = 5;

/// Height of the column numbers.
const HEAD: u16 = 1;

/// Maximum number of columns by which a tile is widened.
const WIDENED: u16 = 5;

/// A sheet, with everything to draw on its tiles.
pub(in super::super) struct Grid<'a> {
    pub(in super::super) tiles: &'a Tiles,
    /// The current tile, which is kept visible.
    pub(in super::super) here: (usize, usize),
    /// Whether to mark the current tile. Other sheets only scroll along.
    pub(in super::super) is_marked: bool,
    /// The tiles of the positions played so far.
    pub(in super::super) been: &'a [(usize, usize)],
    /// The number of the first tile, for clicks; `None` if tiles are not clickable.
    pub(in super::super) clicks: Option<usize>,
}

/// The range of visible tiles, and their size.
struct Window {
    first: (usize, usize),
    count: (usize, usize),
    size: (u16, u16),
}

impl Grid<'_> {
    /// The minimum width that shows all tiles.
    pub(in super::super) fn width(tiles: &Tiles) -> u16 {
        let columns = extent(tiles.columns());
        columns.saturating_mul(tile_width(tiles)).saturating_add(MARGIN)
    }

    pub(in super::super) fn draw(&self, canvas: &mut Canvas, area: Rect) {
        let window = self.window(area);
        self.heads(canvas, area, &window);
        for down in 0..window.count.0 {
            self.row(canvas, area, &window, down);
        }
    }

    fn window(&self, area: Rect) -> Window {
        let (rows, columns) = (self.tiles.rows(), self.tiles.columns());
        let least = tile_width(self.tiles);
        let across = area.width.saturating_sub(MARGIN);
        let even = across / extent(columns.max(1));
        let size = (even.clamp(least, least + WIDENED), tile_height(self.tiles, area.height));
        let fit = |room: u16, size: u16, count: usize| usize::from(room / size).max(1).min(count);
        let down = area.height.saturating_sub(HEAD);
        let count = (fit(down, size.1, rows), fit(across, size.0, columns));
        let first = (start(self.here.0, count.0, rows), start(self.here.1, count.1, columns));
        Window { first, count, size }
    }

    /// Draws the column numbers, with a mark where columns are hidden.
    fn heads(&self, canvas: &mut Canvas, area: Rect, window: &Window) {
        let (first, count) = (window.first.1, window.count.1);
        for nth in 0..count {
            let column = first + nth;
            let place = window.place(area, 0, nth);
            let head = Rect { y: area.y, height: 1, ..place }.intersection(area);
            let text = centred(self.tiles.tick(false, column), window.size.0);
            canvas.text(head, 0, &text, self.tick(canvas.look, column == self.here.1));
        }
        let key = canvas.look.ink(Ink::Key);
        if first > 0 {
            let place = Rect { x: area.x + MARGIN - 1, width: 1, height: 1, ..area };
            canvas.text(place.intersection(area), 0, "◀", key);
        }
        if first + count < self.tiles.columns() {
            let place = Rect { x: area.right().saturating_sub(1), width: 1, height: 1, ..area };
            canvas.text(place, 0, "▶", key);
        }
    }

    fn row(&self, canvas: &mut Canvas, area: Rect, window: &Window, down: usize) {
        let row = window.first.0 + down;
        let line = Rect { width: MARGIN, ..window.place(area, down, 0) };
        let line = Rect { x: area.x, ..line }.intersection(area);
        let label = format!("{:>3}", self.tiles.tick(true, row));
        let middle = window.size.1 / 2;
        canvas.text(line, middle, &label, self.tick(canvas.look, row == self.here.0));
        let above = down == 0 && row > 0;
        let beneath = down + 1 == window.count.0 && row + 1 < self.tiles.rows();
        if let Some(mark) = above.then_some("▲").or(beneath.then_some("▼")) {
            let place = Rect { x: line.x + 3, width: 1, ..line };
            canvas.text(place.intersection(area), middle, mark, canvas.look.ink(Ink::Key));
        }
        for nth in 0..window.count.1 {
            let place = window.place(area, down, nth).intersection(area);
            self.tile(canvas, place, (row, window.first.1 + nth), middle);
        }
    }

    fn tile(&self, canvas: &mut Canvas, place: Rect, at: (usize, usize), middle: u16) {
        let (text, tone) = self.tiles.tile(at.0, at.1);
        let is_here = self.is_marked && at == self.here;
        let has_been = self.been.contains(&at);
        let text = match (is_here, has_been) {
            (true, _) => format!("[{text}]"),
            (false, true) => format!("{text}•"),
            (false, false) => text.to_owned(),
        };
        let mut style = painted(canvas.look, tone);
        if is_here {
            style = marked(canvas.look, tone);
        } else if has_been {
            style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
        }
        let blank = " ".repeat(place.width.into());
        for row in 0..place.height {
            let shown = if row == middle { &centred(&text, place.width) } else { &blank };
            let style =
                if row == middle { style } else { style.remove_modifier(Modifier::UNDERLINED) };
            canvas.text(place, row, shown, style);
        }
        if let Some(first) = self.clicks {
            canvas.target(place, Press::Pick(first + at.0 * self.tiles.columns() + at.1));
        }
    }

    /// The style of a row or column number.
    fn tick(&self, look: Look, is_here: bool) -> Style {
        look.ink(if is_here && self.is_marked { Ink::Title } else { Ink::Faint })
    }
}

impl Window {
    fn place(&self, area: Rect, down: usize, across: usize) -> Rect {
        let at = |from: u16, size: u16, nth: usize| {
            from.saturating_add(size.saturating_mul(extent(nth)))
        };
        Rect {
            x: at(area.x + MARGIN, self.size.0, across),
            y: at(area.y + HEAD, self.size.1, down),
            width: self.size.0,
            height: self.size.1,
        }
    }
}

/// The tiles of these positions on a sheet, as rows and columns.
pub(in super::super) fn visited(
    path: &[String],
    sheet: usize,
    chart: &Chart,
    solved: &Solved,
) -> Vec<(usize, usize)> {
    let places = path.iter().filter_map(|position| chart.place(position, solved));
    places.filter(|(other, ..)| *other == sheet).map(|(_, row, column)| (row, column)).collect()
}

/// The width of a tile with its brackets.
fn tile_width(tiles: &Tiles) -> u16 {
    tiles.tile_width() + 1
}

/// The height of a tile: three rows if all tiles fit, otherwise one.
fn tile_height(tiles: &Tiles, most: u16) -> u16 {
    let rows = extent(tiles.rows());
    if rows.saturating_mul(3).saturating_add(HEAD) <= most { 3 } else { 1 }
}

/// The first of `count` lines to show so that `chosen` is among the `room` visible lines.
fn start(chosen: usize, room: usize, count: usize) -> usize {
    if count <= room {
        return 0;
    }
    chosen.saturating_sub(room / 2).min(count - room)
}

/// The style of a tile: won and lost positions are solid blocks, if there are colours.
fn painted(look: Look, tone: Tone) -> Style {
    let style = look.tone(tone);
    match tone {
        Tone::Win(_) | Tone::Loss(_) if look.is_colored() => style.add_modifier(Modifier::REVERSED),
        _ => style,
    }
}

/// The style of the marked tile, with the colours reversed.
fn marked(look: Look, tone: Tone) -> Style {
    match tone {
        Tone::Win(_) | Tone::Loss(_) if look.is_colored() => {
            look.tone(tone).add_modifier(Modifier::BOLD)
        }
        _ => CHOSEN,
    }
}

fn centred(text: &str, width: u16) -> String {
    let width = usize::from(width);
    let gap = width.saturating_sub(columns::width(text));
    // Put the odd space on the left, so that the last digits of numbers align.
    let left = gap.div_ceil(2);
    format!("{}{text}{}", " ".repeat(left), " ".repeat(gap - left))
}
