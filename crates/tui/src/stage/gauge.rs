//! Draws gauges as bars with numbers: Player 1's on the left, Player 2's on the right, both filling from the outside.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use skirmish_rules::{Both, Gauge, Side, columns};

use super::super::look::Ink;
use super::super::parts::{Canvas, extent};
use super::{Shown, glyph, solid};

/// Height of a gauge: a row of words and a bar.
pub(super) const ROWS: u16 = 2;

/// Number of columns between the two sides.
const GAP: u16 = 2;

impl Shown<'_> {
    /// Draws both sides' gauges in one row or two.
    pub(super) fn gauges(&self, canvas: &mut Canvas, area: Rect, gauges: Both<Gauge>) {
        let half = area.width.saturating_sub(GAP) / 2;
        let place = |side| match side {
            Side::One => Rect { width: half, ..area },
            Side::Two => Rect { x: area.x + area.width - half, width: half, ..area },
        };
        let used = Side::ALL.map(|side| self.head(canvas, place(side), side, gauges[side]));
        // Give both bars the same width, whatever the lengths of the names.
        let used = used.into_iter().max().unwrap_or(0);
        let rest = half.saturating_sub(used + 2);
        let needed = gauges.one.max.max(gauges.two.max);
        for side in Side::ALL {
            let style = solid(&canvas.look, side);
            let place = place(side);
            if area.height > 1 {
                let below = Rect { y: area.y + 1, height: 1, ..place };
                canvas.text(below, 0, &bar(gauges[side], half, side), style);
            } else if rest >= needed.into() {
                let shift = if side == Side::One { half - rest } else { 0 };
                let beside = Rect { x: place.x + shift, width: rest, ..place };
                // The bar fills from the end next to the words.
                canvas.text(beside, 0, &bar(gauges[side], rest, side), style);
            }
        }
    }

    /// Draws the name and the value of a gauge; if there is little room, only the value. Returns the width used.
    fn head(&self, canvas: &mut Canvas, area: Rect, side: Side, gauge: Gauge) -> u16 {
        let ink = canvas.look.ink(Ink::Side(side));
        let is_shaken = self.shaken.contains(&side);
        let style = if is_shaken { ink.add_modifier(Modifier::REVERSED) } else { ink };
        let value = format!("{} {}", gauge.value, gauge.label);
        let room = usize::from(area.width).saturating_sub(columns::width(&value) + 2);
        let name = columns::shorten(&self.names[side], room.saturating_sub(2));
        let mut spans = match side {
            _ if room < 4 => Vec::new(),
            Side::One => {
                vec![Span::styled(format!("{} {name}", glyph(side)), ink), Span::raw("  ")]
            }
            Side::Two => {
                vec![Span::raw("  "), Span::styled(format!("{name} {}", glyph(side)), ink)]
            }
        };
        let number = Span::styled(value, style);
        match side {
            Side::One => spans.push(number),
            Side::Two => spans.insert(0, number),
        }
        let line = Line::from(spans);
        let width = extent(line.width()).min(area.width);
        let shift = if side == Side::Two { area.width - width } else { 0 };
        canvas.line(Rect { x: area.x + shift, width, ..area }, 0, &line)
    }
}

/// Formats a gauge as a bar: a block for each point if there is room, otherwise a continuous bar.
fn bar(gauge: Gauge, width: u16, side: Side) -> String {
    let (width, max) = (usize::from(width), usize::from(gauge.max.max(1)));
    let value = usize::from(gauge.value).min(max);
    let units: Vec<String> = if width + 1 >= 3 * max {
        let block = (width + 1) / max - 1;
        let unit = |point| if point < value { "█".repeat(block) } else { "░".repeat(block) };
        (0..max).map(|point| unit(point) + if point + 1 < max { " " } else { "" }).collect()
    } else {
        // A value above zero fills at least one cell.
        let full = (width * value / max).max(usize::from(value > 0));
        (0..width).map(|point| if point < full { "█" } else { "░" }.to_owned()).collect()
    };
    let bar: String = units.concat();
    match side {
        Side::One => bar,
        Side::Two => columns::pad_start(&bar.chars().rev().collect::<String>(), width),
    }
}
