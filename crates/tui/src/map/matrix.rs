//! The payoff matrix of a position in which both sides choose simultaneously.

use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::Payoffs;
use skirmish_present::words;
use skirmish_rules::{Side, columns};

use super::super::look::Ink;
use super::super::parts::{Canvas, extent};
use super::super::stage::glyph;

/// Maximum width of a column of values.
const WIDEST: usize = 9;

/// The height of the matrix.
pub(super) fn rows(payoffs: &Payoffs) -> u16 {
    extent(payoffs.actions.one.len()).saturating_add(1)
}

/// Draws Player 1's value of every pair of choices, with a row for each of Player 1's choices.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, payoffs: &Payoffs) {
    let label = payoffs.actions.one.iter().map(|action| columns::width(action)).max().unwrap_or(0);
    let count = payoffs.actions.two.len().max(1);
    let width = (usize::from(area.width).saturating_sub(label) / count).min(WIDEST);
    let cell = |text: &str| {
        // Long names are truncated, but a space always separates them.
        columns::pad_start(&columns::shorten(text, width.saturating_sub(1)), width)
    };
    let corner = columns::pad(&format!("{}\\{}", glyph(Side::One), glyph(Side::Two)), label);
    let mut head = Line::from(vec![canvas.span(Ink::Faint, corner)]);
    for action in &payoffs.actions.two {
        head.push_span(canvas.span(Ink::Side(Side::Two), cell(action)));
    }
    canvas.line(area, 0, &head);
    for (row, (action, values)) in (1..).zip(payoffs.actions.one.iter().zip(&payoffs.values)) {
        let name = columns::pad(action, label);
        let mut line = Line::from(vec![canvas.span(Ink::Side(Side::One), name)]);
        for &value in values {
            let ink = match value {
                better if better > Payoffs::EQUAL => Ink::Good,
                worse if worse < -Payoffs::EQUAL => Ink::Bad,
                _ => Ink::Even,
            };
            line.push_span(canvas.span(ink, cell(&words::points(value))));
        }
        canvas.line(area, row, &line);
    }
}
