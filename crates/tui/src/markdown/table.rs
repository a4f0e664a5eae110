//! Lays out tables: with wrapped cells if necessary or, in a very narrow area, with stacked cells.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::look::{Ink, Look};
use super::inline::{Words, wrapped};

/// Number of columns between adjacent cells.
const GAP: usize = 2;

/// Lays out a table whose first row is the header.
pub(super) fn lay_out<T>(
    rows: &[Vec<T>],
    width: usize,
    look: Look,
    words: impl Fn(&T) -> Words,
) -> Vec<Line<'static>> {
    let Some((head, body)) = rows.split_first() else { return Vec::new() };
    let title = look.ink(Ink::Title);
    let head: Vec<Words> = head.iter().map(|cell| words(cell).restyled(title)).collect();
    let cell = |row: &Vec<T>, column: usize| row.get(column).map(&words).unwrap_or_default();
    let body: Vec<Vec<Words>> =
        body.iter().map(|row| (0..head.len()).map(|column| cell(row, column)).collect()).collect();
    let Some(widths) = widths(&head, &body, width) else { return stacked(&head, &body, width) };
    let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<String>>();
    let mut lines = row(&head, &widths);
    lines.push(Line::styled(rule.join(&" ".repeat(GAP)), look.ink(Ink::Faint)));
    lines.extend(body.iter().flat_map(|cells| row(cells, &widths)));
    lines
}

/// The width of each column; `None` if a word would have to be broken.
fn widths(head: &[Words], body: &[Vec<Words>], width: usize) -> Option<Vec<usize>> {
    let of_column = |column: usize, measure: fn(&Words) -> usize| {
        let cells = body.iter().map(|row| measure(&row[column]));
        cells.chain([measure(&head[column])]).max().unwrap_or(0)
    };
    let columns = 0..head.len();
    let wanted: Vec<usize> = columns.clone().map(|at| of_column(at, Words::width)).collect();
    let mut widths: Vec<usize> = columns.map(|at| of_column(at, Words::widest)).collect();
    let room = width.checked_sub(GAP * head.len().saturating_sub(1))?;
    let spare = room.checked_sub(widths.iter().sum())?;
    for _ in 0..spare {
        // Widen the column that lacks most.
        let lacking = (0..widths.len()).max_by_key(|&at| wanted[at].saturating_sub(widths[at]))?;
        if widths[lacking] >= wanted[lacking] {
            break;
        }
        widths[lacking] += 1;
    }
    Some(widths)
}

fn row(cells: &[Words], widths: &[usize]) -> Vec<Line<'static>> {
    let wrapped: Vec<Vec<Line>> =
        cells.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let mut spans: Vec<Span> = Vec::new();
        let mut owed = 0;
        for (cell, width) in wrapped.iter().zip(widths) {
            let line = cell.get(at).cloned().unwrap_or_default();
            let used = line.width();
            if used > 0 {
                spans.push(Span::styled(" ".repeat(owed), Style::new()));
                owed = 0;
            }
            spans.extend(line.spans);
            owed += width - used + GAP;
        }
        Line::from(spans)
    };
    (0..height).map(line).collect()
}

/// Lays out every row as stacked cells, each after the name of its column.
fn stacked(head: &[Words], body: &[Vec<Words>], width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line> = Vec::new();
    for cells in body {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        for (name, cell) in head.iter().zip(cells) {
            let mut named = name.clone();
            named.join(cell);
            lines.extend(wrapped(&named, width));
        }
    }
    lines
}
