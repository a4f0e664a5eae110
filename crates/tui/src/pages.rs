//! Scrollable pages: the rules, and lists.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_rules::Entry;
use skirmish_rules::columns::{self, wrap};

use super::context::Context;
use super::look::Ink;
use super::parts::{Canvas, inset};
use super::screen::{Go, Hint, Press, Screen};

/// A text that may be longer than the screen.
pub(super) struct PageScreen {
    title: String,
    text: String,
    /// Whether every line stands for itself; otherwise it is Markdown.
    is_list: bool,
    /// The first visible row.
    top: std::cell::Cell<usize>,
}

/// The rules of a game, with its rulings and options.
pub(super) fn rules_page(entry: &'static Entry) -> PageScreen {
    PageScreen::new(format!("{}: the rules", entry.name), entry.rules_page())
}

impl PageScreen {
    pub(super) const fn new(title: String, text: String) -> Self {
        Self { title, text, is_list: false, top: std::cell::Cell::new(0) }
    }

    /// A list with one item on each line.
    pub(super) fn list(title: &str, text: String) -> Self {
        Self { is_list: true, ..Self::new(title.to_owned(), text) }
    }
}

impl Screen for PageScreen {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn hints(&self) -> Vec<Hint> {
        vec![("↑↓", "scroll"), ("Space", "next page"), ("g", "top"), ("Esc", "back")]
    }

    fn press(&mut self, press: Press, _context: &mut Context) -> Go {
        const PAGE: usize = 10;
        let top = self.top.get();
        match press {
            Press::Key(KeyCode::Esc | KeyCode::Enter | KeyCode::Backspace) => return Go::Back,
            Press::Key(KeyCode::PageDown | KeyCode::Char(' ')) => self.top.set(top + PAGE),
            Press::Key(KeyCode::PageUp) => self.top.set(top.saturating_sub(PAGE)),
            Press::Key(KeyCode::Home | KeyCode::Char('g')) => self.top.set(0),
            Press::Key(KeyCode::End | KeyCode::Char('G')) => self.top.set(usize::MAX / 2),
            _ => self.top.set(press.scrolled(top).unwrap_or(top)),
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let inside = inset(canvas.panel(area, ""));
        let width = usize::from(inside.width);
        let lines = if self.is_list {
            let lines = self.text.lines().flat_map(|line| hung(line, width));
            lines.map(Line::raw).collect()
        } else {
            laid_out(&self.text, width, canvas)
        };
        // Do not scroll past the end.
        let last = lines.len().saturating_sub(usize::from(inside.height));
        self.top.set(self.top.get().min(last));
        for (row, line) in (0..inside.height).zip(lines.iter().skip(self.top.get())) {
            canvas.line(inside, row, line);
        }
        if self.top.get() < last {
            let corner = Rect::new(area.right() - 8, area.bottom() - 1, 6, 1);
            canvas.text(corner, 0, " more ", canvas.look.ink(Ink::Key));
        }
    }
}

/// Wraps an item of a list. If two columns or more separate its head from the rest, the rest stays in its column.
fn hung(line: &str, width: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start().len();
    let gap = line[indent..].find("  ").map(|at| indent + at);
    let Some(gap) = gap.filter(|gap| gap + 2 < width) else { return wrap(line, width) };
    let rest = line[gap..].trim_start();
    let head = &line[..line.len() - rest.len()];
    // `wrap` repeats the indentation on every row.
    let mut rows = wrap(&format!("{:1$}{rest}", "", columns::width(head)), width);
    if let Some(first) = rows.first_mut() {
        *first = format!("{head}{}", first.trim_start());
    }
    rows
}

/// Lays out the Markdown that the rules use: headings, lists, code in backquotes, bold.
fn laid_out(text: &str, width: usize, canvas: &Canvas) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (paragraph, is_verbatim) in paragraphs(text) {
        if is_verbatim || paragraph.is_empty() {
            lines.push(Line::raw(paragraph));
            continue;
        }
        if let Some(heading) = paragraph.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim();
            lines.push(Line::styled(heading.to_owned(), canvas.look.ink(Ink::Title)));
            continue;
        }
        for line in wrap(&paragraph, width) {
            lines.push(marked(&line, canvas));
        }
    }
    lines
}

/// Joins the lines of paragraphs; lists and tables keep their lines. The flag marks verbatim text.
fn paragraphs(text: &str) -> Vec<(String, bool)> {
    let mut all: Vec<(String, bool)> = Vec::new();
    let mut is_open = false;
    let mut is_verbatim = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            is_verbatim = !is_verbatim;
            is_open = false;
            continue;
        }
        let begins = is_verbatim
            || trimmed.is_empty()
            || trimmed.starts_with(['#', '|'])
            || trimmed.starts_with("- ");
        match all.last_mut() {
            Some((last, _)) if is_open && !begins => {
                last.push(' ');
                last.push_str(trimmed);
            }
            _ => all.push((line.trim_end().to_owned(), is_verbatim)),
        }
        is_open = !trimmed.is_empty() && !trimmed.starts_with(['#', '|']) && !is_verbatim;
    }
    all
}

/// What stands in backquotes or between asterisks stands out, without them.
fn marked(line: &str, canvas: &Canvas) -> Line<'static> {
    let mut spans = Vec::new();
    for (index, part) in line.replace("**", "`").split('`').enumerate() {
        let ink = if index % 2 == 1 { Ink::Key } else { Ink::Plain };
        spans.push(Span::styled(part.to_owned(), canvas.look.ink(ink)));
    }
    Line::from(spans)
}
