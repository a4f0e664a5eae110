//! The list of choices, in as many columns as needed, with a mark if some choices do not fit.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::Analysis;
use skirmish_present::choice::consequences;
use skirmish_rules::{Side, columns};

use super::super::analysis;
use super::super::keys::keys;
use super::super::look::{CHOSEN, Ink};
use super::super::parts::{Canvas, extent};
use super::super::screen::Press;
use super::picture::PlayView;

/// Number of columns between adjacent choices.
const GAP: u16 = 2;

/// Width of a mark such as `▼ 255 more`.
const MARK: u16 = 11;

/// The choices, laid out in columns.
pub(super) struct Choices {
    items: Vec<Line<'static>>,
    /// Whether a player is to choose.
    is_asked: bool,
    /// The index of the selected choice, if any.
    chosen: Option<usize>,
    columns: u16,
    pub(super) rows: u16,
}

impl Choices {
    /// Lays out the choices in the fewest columns that leave `wanted` rows free, otherwise in as few rows as possible. Leaves
    /// at least `least` rows free, if choices still get a row.
    pub(super) fn of(
        view: &PlayView,
        canvas: &Canvas,
        area: Rect,
        wanted: u16,
        least: u16,
    ) -> Self {
        let count = extent(view.choices.len());
        let left = |rows: u16| area.height.saturating_sub(rows);
        let room = left(least).max(1);
        let side = view.asked.or_else(|| view.session.table().turn().first().copied());
        let all = side.map_or_else(Vec::new, |side| consequences(view.session.table(), side));
        let most = |widest: u16| ((area.width + GAP) / (widest + GAP)).max(1);
        let form = |form: usize| -> Vec<String> {
            all.iter().map(|consequence| consequence.forms()[form].clone()).collect()
        };
        let fits = |words: &Vec<String>, room: u16| {
            let widest = width(&items(view, canvas, words, 0));
            widest <= area.width && count.div_ceil(most(widest)) <= room
        };
        // The most detailed form in which the whole list fits.
        let fitting = |room: u16| (0..3).map(form).find(|words| fits(words, room));
        let words = fitting(left(wanted)).or_else(|| fitting(room)).unwrap_or_else(|| form(2));
        let single = items(view, canvas, &words, area.width);
        let several = items(view, canvas, &words, 0);
        let most = most(width(&several));
        let fits = |room: u16| (1..=most).find(|columns| count.div_ceil(*columns) <= room);
        let columns = fits(left(wanted)).unwrap_or(most);
        let rows = count.div_ceil(columns).min(room);
        let items = if columns == 1 { single } else { several };
        let is_asked = view.asked.is_some();
        Self { items, is_asked, chosen: view.chosen.filter(|_| is_asked), columns, rows }
    }

    /// Draws the choices, with a count of those that do not fit.
    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) {
        let rows = usize::from(area.height.min(self.rows));
        if rows == 0 {
            return;
        }
        let widest = width(&self.items);
        let is_whole = self.items.len() <= rows * usize::from(self.columns);
        let marks = if rows == 1 { 2 * MARK } else { MARK };
        let columns = if is_whole {
            self.columns
        } else {
            ((area.width.saturating_sub(marks) + GAP) / (widest + GAP)).max(1)
        };
        let visible = rows * usize::from(columns);
        let chosen = self.chosen.unwrap_or(0);
        let first = if is_whole { 0 } else { (chosen + 1).saturating_sub(visible) };
        let each = if columns == 1 { area.width } else { widest + GAP };
        let each = if is_whole { each } else { each.min(area.width.saturating_sub(marks)) };
        for (nth, (number, item)) in
            self.items.iter().enumerate().skip(first).take(visible).enumerate()
        {
            let (column, row) = (extent(nth / rows), extent(nth % rows));
            let x = area.x + column * each;
            let place = Rect { x, y: area.y + row, width: each, height: 1 }.intersection(area);
            canvas.line(place, 0, item);
            if self.chosen == Some(number) {
                canvas.buffer.set_style(place, CHOSEN);
            }
            if self.is_asked {
                canvas.target(place, Press::Pick(number));
            }
        }
        let mark = |arrow: &str, count: usize| match count {
            0 => String::new(),
            _ => format!("{arrow} {count} more"),
        };
        let above = mark("▲", first);
        let below = mark("▼", self.items.len().saturating_sub(first + visible));
        let last = extent(rows - 1);
        if rows == 1 {
            canvas.mark(area, 0, format!("{above} {below}").trim());
        } else {
            canvas.mark(area, 0, &above);
            canvas.mark(area, last, &below);
        }
    }
}

/// Formats every choice with its key and, during analysis, its value (in words if `room` columns suffice).
fn items(view: &PlayView, canvas: &Canvas, words: &[String], room: u16) -> Vec<Line<'static>> {
    let choices = view.choices;
    let width = words.iter().map(|words| columns::width(words)).max().unwrap_or(0);
    let rated = view.analysis.as_ref().filter(|_| view.has_values);
    let all_keys = keys(view.session.table(), choices);
    let item = |(number, words): (usize, &String)| {
        let key = match view.asked {
            Some(_) => canvas.span(Ink::Key, format!("{} ", all_keys[number])),
            None => Span::raw(""),
        };
        let Some(Analysis { verdict, .. }) = rated else {
            return Line::from(vec![key, Span::raw(words.clone())]);
        };
        let side = view.asked.unwrap_or(Side::One);
        let room = usize::from(room).saturating_sub(width + 4);
        let notation = &choices[number].notation;
        let mut spans = vec![key, Span::raw(columns::pad(words, width + 2))];
        spans.extend(analysis::value_of(verdict, side, notation, canvas.look, room));
        Line::from(spans)
    };
    words.iter().enumerate().map(item).collect()
}

fn width(items: &[Line]) -> u16 {
    items.iter().map(Line::width).max().map_or(0, extent)
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use skirmish_store::Theme;

    use super::super::super::look::{Depth, Look};
    use super::*;

    /// Draws twenty choices in a small area. Returns the rows as text.
    fn drawn(chosen: usize, height: u16) -> Vec<String> {
        let area = Rect { x: 0, y: 0, width: 40, height };
        let mut buffer = Buffer::empty(area);
        let (mut targets, mut cursor) = (Vec::new(), None);
        let look = Look { theme: Theme::Default, depth: Depth::Many, ascii: false, motion: false };
        let mut canvas =
            Canvas { buffer: &mut buffer, look, targets: &mut targets, cursor: &mut cursor };
        let items = (1..=20).map(|number| Line::raw(format!("move {number}"))).collect();
        Choices { items, is_asked: true, chosen: Some(chosen), columns: 4, rows: height }
            .draw(&mut canvas, area);
        let row = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.split_whitespace().collect::<Vec<&str>>().join(" ")
        };
        buffer.content.chunks(40).map(row).collect()
    }

    #[test]
    fn choices_that_do_not_fit_are_counted_above_and_below() {
        assert_eq!(drawn(0, 2), ["move 1 move 3 move 5", "move 2 move 4 move 6 ▼ 14 more"]);
        assert_eq!(
            drawn(9, 2),
            ["move 5 move 7 move 9 ▲ 4 more", "move 6 move 8 move 10 ▼ 10 more"]
        );
        assert_eq!(drawn(19, 2), ["move 15 move 17 move 19 ▲ 14 more", "move 16 move 18 move 20"]);
        assert_eq!(drawn(9, 1), ["move 9 move 10 ▲ 8 more ▼ 10 more"]);
        let whole = drawn(0, 5).join(" ");
        assert!(whole.contains("move 20") && !whole.contains("more"), "{whole}");
    }
}
