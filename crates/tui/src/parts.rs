//! Building blocks of screens: panels, menus, wrapped text, text fields.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Widget};
use skirmish_rules::Side;
use skirmish_rules::columns::{cells, cut, width, without_last, wrap};

use super::look::{CHOSEN, Ink, Look};
use super::screen::{Press, Way};

/// A clickable area.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) area: Rect,
    /// The key presses that a click stands for.
    pub(super) presses: Vec<Press>,
}

/// The drawing surface of a screen, with its clickable areas.
pub(super) struct Canvas<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) look: Look,
    pub(super) targets: &'a mut Vec<Target>,
    /// The cursor's position while text is being typed.
    pub(super) cursor: &'a mut Option<Position>,
}

impl Canvas<'_> {
    /// Draws a line of text, clipped to the area. Returns its width.
    pub(super) fn line(&mut self, area: Rect, row: u16, line: &Line) -> u16 {
        if row >= area.height || area.width == 0 {
            return 0;
        }
        let width = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
        // Reset the style first: `set_line` only adds to the existing one.
        let place = Rect { y: area.y + row, width, height: 1, ..area };
        self.buffer.set_style(place.intersection(self.buffer.area), Style::reset());
        self.buffer.set_line(area.x, area.y + row, line, area.width);
        width
    }

    /// Draws plain text in one style.
    pub(super) fn text(&mut self, area: Rect, row: u16, text: &str, style: Style) {
        self.line(area, row, &Line::styled(text.to_owned(), style));
    }

    /// Draws wrapped text, with an ellipsis if it is cut off. Returns the number of rows used.
    pub(super) fn prose(&mut self, area: Rect, text: &str, style: Style) -> u16 {
        let mut lines = wrap(text, area.width.into());
        let rows = usize::from(area.height);
        if let Some(last) = rows.checked_sub(1).filter(|_| rows < lines.len()) {
            let shown = lines[last].trim_end_matches(['.', ',', ';', ':']);
            lines[last] = format!("{}…", cut(shown, usize::from(area.width).saturating_sub(1)));
        }
        for (row, line) in (0..area.height).zip(&lines) {
            self.text(area, row, line, style);
        }
        u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height)
    }

    /// Draws texts below each other, leaving `reserved` rows free. Returns the rest of the area.
    pub(super) fn texts<T: AsRef<str>>(
        &mut self,
        area: Rect,
        texts: impl IntoIterator<Item = (T, Ink)>,
        reserved: u16,
    ) -> Rect {
        let mut left = area;
        for (text, ink) in texts {
            let room = Rect { height: left.height.saturating_sub(reserved), ..left };
            if !text.as_ref().is_empty() {
                left = below(left, self.prose(room, text.as_ref(), self.look.ink(ink)));
            }
        }
        left
    }

    /// Draws a frame with a title. Returns the area inside.
    pub(super) fn panel(&mut self, area: Rect, title: &str) -> Rect {
        let title = if title.is_empty() { String::new() } else { format!(" {title} ") };
        let block = Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(self.look.ink(Ink::Faint))
            .title(Span::styled(title.as_str(), self.look.ink(Ink::Title)));
        let inside = block.inner(area);
        block.render(area, self.buffer);
        // The title begins after the corner.
        if let Some((left, right)) = arrows(&title) {
            let top =
                Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: 1, ..area };
            self.change_targets(top, left, right, None);
        }
        inside
    }

    /// Makes the arrows around a value clickable, at columns `left` and `right`. If the row is not selected yet, a click
    /// first selects it by its number `other`.
    fn change_targets(&mut self, row: Rect, left: u16, right: u16, other: Option<usize>) {
        for (at, key) in [(left, KeyCode::Left), (right, KeyCode::Right)] {
            // Include the cells beside the arrow.
            let area = Rect { x: row.x + at.saturating_sub(1), width: 3, ..row }.intersection(row);
            let presses = other.map(Press::Pick).into_iter().chain([Press::Key(key)]).collect();
            self.targets.push(Target { area, presses });
        }
    }

    /// Writes a short text at the right end of a panel's lower edge.
    pub(super) fn footnote(&mut self, panel: Rect, text: &str) {
        let text = format!(" {text} ");
        let width = cells(&text);
        let Some(x) = (panel.right()).checked_sub(width + 2).filter(|x| *x > panel.x) else {
            return;
        };
        let place = Rect { x, y: panel.bottom() - 1, width, height: 1 };
        self.text(place, 0, &text, self.look.ink(Ink::Key));
    }

    /// Draws text at the right end of a row. Returns its width.
    pub(super) fn right(&mut self, area: Rect, row: u16, text: &str, style: Style) -> u16 {
        let width = cells(text).min(area.width);
        let place = Rect { x: area.right() - width, width, ..area };
        self.text(place, row, text, style);
        width
    }

    /// Writes a mark at the right end of a row.
    pub(super) fn mark(&mut self, area: Rect, row: u16, text: &str) {
        self.right(area, row, text, self.look.ink(Ink::Key));
    }

    /// Fills a finished row with the colours of these sides, next to each other.
    pub(super) fn fill(&mut self, row: Rect, sides: &[Side]) {
        let (left, right) = split(row, if sides.len() > 1 { row.width / 2 } else { row.width });
        for (part, side) in [left, right].into_iter().zip(sides) {
            self.buffer.set_style(part, self.look.filled(*side));
        }
    }

    /// Clears an area for an overlay.
    pub(super) fn clear(&mut self, area: Rect) {
        ratatui::widgets::Clear.render(area, self.buffer);
    }

    /// Makes an area clickable.
    pub(super) fn target(&mut self, area: Rect, press: Press) {
        self.targets.push(Target { area, presses: vec![press] });
    }

    /// Creates a span in this ink.
    pub(super) fn span(&self, ink: Ink, text: impl Into<Cow<'static, str>>) -> Span<'static> {
        Span::styled(text, self.look.ink(ink))
    }

    /// Creates a line that begins with highlighted text.
    pub(super) fn led(
        &self,
        ink: Ink,
        head: impl Into<Cow<'static, str>>,
        rest: impl Into<Cow<'static, str>>,
    ) -> Line<'static> {
        Line::from(vec![self.span(ink, head), Span::raw(rest)])
    }

    /// Creates a menu row with a value to change.
    pub(super) fn setting(&self, name: &str, value: &str) -> Line<'static> {
        let value = self.span(Ink::Key, format!("‹ {value} ›"));
        Line::from(vec![Span::raw(format!("{name:<14}")), value])
    }

    /// Draws a text field after its label, with the cursor.
    pub(super) fn field(&mut self, area: Rect, label: &'static str, field: &TextField) {
        let used = self.line(area, 0, &self.led(Ink::Key, label, field.text.clone()));
        *self.cursor = Some((area.x + used.min(area.width.saturating_sub(1)), area.y).into());
    }

    /// Draws a menu: a list with a mark before the selected item.
    pub(super) fn menu(&mut self, area: Rect, items: Vec<Line<'static>>, chosen: usize) {
        let mark = |(index, item): (usize, Line<'static>)| {
            let mark = if index == chosen { "▶ " } else { "  " };
            let mark = Span::styled(mark, self.look.ink(Ink::Key));
            std::iter::once(mark).chain(item.spans).collect()
        };
        let items: Vec<Line> = items.into_iter().enumerate().map(mark).collect();
        self.list(area, &items, chosen);
    }

    /// Draws a list of clickable items, scrolled so that the selected one is visible. Arrows at the right edge mark items
    /// that are hidden.
    pub(super) fn list(&mut self, area: Rect, items: &[Line], chosen: usize) {
        let rows = usize::from(area.height);
        let first = chosen.saturating_sub(rows.saturating_sub(1));
        for (row, (index, item)) in (0..).zip(items.iter().enumerate().skip(first).take(rows)) {
            let place = Rect { y: area.y + row, height: 1, ..area };
            self.item(place, item, index, index == chosen);
            if let Some((left, right)) = arrows(&item.to_string()) {
                self.change_targets(place, left, right, (index != chosen).then_some(index));
            }
        }
        let edge = Rect { x: area.right().saturating_sub(1), width: 1, ..area };
        if first > 0 {
            self.text(edge, 0, "↑", self.look.ink(Ink::Key));
        }
        if first + rows < items.len() && rows > 0 {
            self.text(edge, area.height - 1, "↓", self.look.ink(Ink::Key));
        }
    }

    /// Draws a clickable item of a list in a single row.
    pub(super) fn item(&mut self, row: Rect, line: &Line, number: usize, is_chosen: bool) {
        self.line(row, 0, line);
        if is_chosen {
            self.buffer.set_style(row, CHOSEN);
        }
        self.target(row, Press::Pick(number));
    }
}

/// The columns of the arrows around an adjustable value; `None` if there are none.
fn arrows(text: &str) -> Option<(u16, u16)> {
    let (left, right) = (text.find("‹ ")?, text.rfind(" ›")? + 1);
    (left < right).then(|| (cells(&text[..left]), cells(&text[..right])))
}

/// An area of at most this size, centred in `area`.
pub(super) fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

/// Splits an area into its first `columns` columns and the rest.
pub(super) fn split(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    let rest = Rect { x: area.x + columns, width: area.width - columns, ..area };
    (Rect { width: columns, ..area }, rest)
}

/// The item after or before `current`, wrapping around. An unlisted `current` counts as the first item.
pub(super) fn beside<T: Clone + PartialEq>(all: &[T], current: &T, way: Way) -> T {
    let now = all.iter().position(|item| item == current).unwrap_or(0);
    all[way.step(now, all.len())].clone()
}

/// A bar that shows `part` of `whole` in `columns` columns, to an eighth of a column.
pub(super) fn bar(part: u32, whole: u32, columns: u16) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let length = u64::from(part) * u64::from(columns) * 8 / u64::from(whole.max(1));
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    "█".repeat(length / 8) + EIGHTHS[length % 8]
}

/// Converts a count to a number of rows or columns.
pub(super) fn extent(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The height of a text when wrapped to `width`.
pub(super) fn rows_of(text: &str, width: u16) -> u16 {
    if text.is_empty() { 0 } else { extent(wrap(text, width.into()).len()) }
}

/// The part of an area below its first `rows` rows.
pub(super) const fn below(area: Rect, rows: u16) -> Rect {
    Rect { y: area.y + rows, height: area.height.saturating_sub(rows), ..area }
}

/// An area without its first and last columns.
pub(super) const fn inset(area: Rect) -> Rect {
    Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}

/// Maximum number of bytes per column of a text field: enough for emoji sequences.
const BYTES_A_COLUMN: usize = 16;

/// A text field.
#[derive(Clone, Debug, Default)]
pub(super) struct TextField {
    pub(super) text: String,
    most: usize,
}

impl TextField {
    /// A field with this text, limited to `most` columns.
    pub(super) fn new(text: &str, most: usize) -> Self {
        Self { text: text.to_owned(), most }
    }

    /// Handles a key and returns the new state.
    pub(super) fn press(&mut self, press: Press) -> Typing {
        match press {
            Press::Key(KeyCode::Esc) => return Typing::Cancelled,
            Press::Key(KeyCode::Enter) => return Typing::Done(self.text.trim().to_owned()),
            Press::Key(KeyCode::Backspace) => {
                self.text.truncate(without_last(&self.text).len());
            }
            Press::Key(KeyCode::Char(letter)) => {
                let longer = format!("{}{letter}", self.text);
                // Combining marks and joiners have no width, so limit the bytes as well.
                let fits =
                    width(&longer) <= self.most && longer.len() <= BYTES_A_COLUMN * self.most;
                if !letter.is_control() && fits {
                    self.text = longer;
                }
            }
            Press::Control('u') => self.text.clear(),
            Press::Key(_) | Press::Control(_) | Press::Pick(_) | Press::Wheel(_) => {}
        }
        Typing::On
    }

    /// Handles a key in an open field. Closes it on Esc or Enter, and returns the text on Enter.
    pub(super) fn finish(open: &mut Option<Self>, press: Press) -> Option<String> {
        let text = match open.as_mut()?.press(press) {
            Typing::On => return None,
            Typing::Cancelled => None,
            Typing::Done(text) => Some(text),
        };
        *open = None;
        text
    }
}

/// The state of a text field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typing {
    On,
    /// Input was cancelled.
    Cancelled,
    /// Input is complete, with this text.
    Done(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_exact_to_an_eighth_of_a_column() {
        for (part, whole, shown) in
            [(0, 5, ""), (1, 16, "▎"), (1, 2, "██"), (15, 16, "███▊"), (3, 3, "████"), (0, 0, "")]
        {
            assert_eq!(bar(part, whole, 4), shown, "{part} of {whole}");
        }
    }

    #[test]
    fn a_line_is_as_wide_as_it_is_shown_and_loses_whole_characters() {
        let mut typed = TextField::new("", 6);
        for letter in "李雷👨\u{200d}👩\u{200d}👧x".chars() {
            assert_eq!(typed.press(Press::Key(KeyCode::Char(letter))), Typing::On);
        }
        assert_eq!(typed.text, "李雷👨\u{200d}👩\u{200d}👧", "six columns are full");
        for left in ["李雷", "李", "", ""] {
            typed.press(Press::Key(KeyCode::Backspace));
            assert_eq!(typed.text, left);
        }
    }
}
