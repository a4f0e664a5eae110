//! Lays out the Markdown of rules and lessons for a terminal: headings, paragraphs, code, tables and lists.

mod inline;
mod table;

use ratatui::text::{Line, Span};
use skirmish_present::json::{BlockObject, SpanObject};
use skirmish_rules::columns::{self, cut, width};

use self::inline::{Words, wrapped};
use super::look::{Ink, Look};

/// A text laid out as lines.
pub(super) struct LaidOut {
    pub(super) lines: Vec<Line<'static>>,
    /// Number of columns by which the widest code exceeds the page.
    pub(super) hidden: usize,
}

/// Lays out blocks. Code is not wrapped; its first `shift` columns are hidden.
pub(super) fn lay_out(blocks: &[BlockObject], width: usize, shift: usize, look: Look) -> LaidOut {
    let mut page = Page { look, shift, hidden: 0 };
    let lines = page.blocks(blocks, width.max(1));
    LaidOut { lines, hidden: page.hidden }
}

/// The prefix of a line of code.
const BAR: &str = "│ ";

struct Page {
    look: Look,
    shift: usize,
    hidden: usize,
}

impl Page {
    /// Lays out blocks, separated by empty lines except below headings.
    fn blocks(&mut self, blocks: &[BlockObject], width: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            if index > 0 && !matches!(blocks[index - 1], BlockObject::Heading { .. }) {
                lines.push(Line::default());
            }
            lines.extend(self.block(block, width));
        }
        lines
    }

    fn block(&mut self, block: &BlockObject, width: usize) -> Vec<Line<'static>> {
        match block {
            BlockObject::Heading { level, text } => self.heading(*level, text, width),
            BlockObject::Paragraph { text } => wrapped(&Words::of(text, self.look), width),
            BlockObject::Code { lines } => self.code(lines, width),
            BlockObject::Table { rows } => {
                table::lay_out(rows, width, self.look, |cell| Words::of(cell, self.look))
            }
            BlockObject::List { start, items } => self.list(*start, items, width),
        }
    }

    fn heading(&self, level: u8, text: &[SpanObject], width: usize) -> Vec<Line<'static>> {
        let style = self.look.ink(Ink::Title);
        let mut lines = wrapped(&Words::of(text, self.look).restyled(style), width);
        if level == 1 {
            let rule = "═".repeat(lines.iter().map(Line::width).max().unwrap_or(0));
            lines.push(Line::styled(rule, self.look.ink(Ink::Faint)));
        }
        lines
    }

    /// Lays out code with a bar before each line. Only code that is too wide is shifted.
    fn code(&mut self, code: &[String], width: usize) -> Vec<Line<'static>> {
        let room = width.saturating_sub(columns::width(BAR)).max(1);
        let widest = code.iter().map(|line| columns::width(line)).max().unwrap_or(0);
        let hidden = widest.saturating_sub(room);
        self.hidden = self.hidden.max(hidden);
        let shift = self.shift.min(hidden);
        let bar = Span::styled(BAR, self.look.ink(Ink::Faint));
        let line = |line: &String| vec![bar.clone(), Span::raw(part(line, shift, room))].into();
        code.iter().map(line).collect()
    }

    /// Lays out list items with hanging indentation.
    fn list(
        &mut self,
        start: Option<u64>,
        items: &[Vec<BlockObject>],
        width: usize,
    ) -> Vec<Line<'static>> {
        let mark = |at| start.map_or_else(|| "•".to_owned(), |first| format!("{}.", first + at));
        let marks: Vec<String> = (0..).map(mark).take(items.len()).collect();
        let indent = marks.iter().map(|mark| columns::width(mark)).max().unwrap_or(0) + 1;
        let room = width.saturating_sub(indent).max(1);
        let mut lines = Vec::new();
        for (mark, item) in marks.iter().zip(items) {
            let mut is_first = true;
            for mut line in self.item(item, room) {
                let mark = if is_first { mark.as_str() } else { "" };
                is_first = false;
                let mark = format!("{} ", columns::pad_start(mark, indent - 1));
                line.spans.insert(0, Span::styled(mark, self.look.ink(Ink::Key)));
                lines.push(line);
            }
        }
        lines
    }

    /// Lays out the blocks of an item. A nested list follows without an empty line.
    fn item(&mut self, blocks: &[BlockObject], width: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for block in blocks {
            if !lines.is_empty() && !matches!(block, BlockObject::List { .. }) {
                lines.push(Line::default());
            }
            lines.extend(self.block(block, width));
        }
        if lines.is_empty() { vec![Line::default()] } else { lines }
    }
}

/// The part of a line from column `shift`, with `…` where it is cut.
fn part(line: &str, shift: usize, room: usize) -> String {
    let skipped = cut(line, shift);
    let rest = &line[skipped.len()..];
    let mut shown = cut(rest, room).to_owned();
    if shown.len() < rest.len() {
        shown = format!("{}…", cut(rest, room - 1));
    }
    if !skipped.trim().is_empty() && !shown.is_empty() {
        let first = shown.chars().next().map_or(0, char::len_utf8);
        shown.replace_range(..first, "…");
    }
    shown
}

/// Lays out a table of plain text without markup. The first row is the header.
pub(super) fn table(rows: &[Vec<String>], columns: usize, look: Look) -> Vec<Line<'static>> {
    table::lay_out(rows, columns.max(1), look, |cell| Words::plain(cell))
}

/// Lays out lines of the form `head  text` or `12. text`, with a highlighted head and aligned text.
pub(super) fn definitions(text: &str, columns: usize, look: Look) -> Vec<Line<'static>> {
    let columns = columns.max(1);
    let heads = text.lines().filter_map(|line| line.split_once(". ").map(|(head, _)| width(head)));
    let numbers = heads.max().unwrap_or(0);
    text.lines()
        .flat_map(|line| match Definition::of(line, numbers).filter(|it| it.margin() < columns) {
            Some(definition) => definition.lines(columns, look),
            None => wrapped(&Words::plain(line), columns),
        })
        .collect()
}

struct Definition<'a> {
    /// The head, with the spaces before and after it.
    head: String,
    text: &'a str,
}

impl<'a> Definition<'a> {
    /// Parses a line, right-aligning a number to `numbers` columns.
    fn of(line: &'a str, numbers: usize) -> Option<Self> {
        if let Some((number, text)) = line.split_once(". ")
            && number.chars().all(|letter| letter.is_ascii_digit())
        {
            return Some(Self { head: format!("{number:>numbers$}. "), text });
        }
        let indent = line.len() - line.trim_start().len();
        let gap = indent + line[indent..].find("  ")?;
        let text = line[gap..].trim_start();
        Some(Self { head: line[..line.len() - text.len()].to_owned(), text })
    }

    fn margin(&self) -> usize {
        width(&self.head)
    }

    fn lines(&self, columns: usize, look: Look) -> Vec<Line<'static>> {
        let mut lines = wrapped(&Words::plain(self.text), columns - self.margin());
        for (row, line) in lines.iter_mut().enumerate() {
            let head = if row == 0 { self.head.clone() } else { " ".repeat(self.margin()) };
            line.spans.insert(0, Span::styled(head, look.ink(Ink::Key)));
        }
        lines
    }
}

#[cfg(test)]
mod tests;
