//! The legend of a map: one sign per line or, in a small area, several per line with one word each.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_present::map::{Chart, Sign};
use skirmish_rules::columns;

use super::super::parts::{Canvas, extent};

/// Number of columns between two signs on a line.
const GAP: usize = 2;

/// The legend of a map, laid out for a given width.
pub(super) struct Legend {
    lines: Vec<Vec<LegendSign>>,
}

/// A sign with one line of its meaning.
struct LegendSign {
    sign: Sign,
    /// The sign as drawn, with trailing spaces.
    sample: String,
    text: String,
}

impl Legend {
    /// Lays out every sign with its full meaning.
    pub(super) fn full(chart: &Chart, width: u16) -> Self {
        let sample = chart.legend().map(|sign| sign.sample.len()).max().unwrap_or(0) + 1;
        let room = usize::from(width).saturating_sub(sample);
        let lines = chart.legend().flat_map(|sign| {
            let samples = std::iter::once(sign.sample).chain(std::iter::repeat(""));
            let parts = samples.zip(columns::wrap(sign.meaning, room));
            parts.map(move |(it, text)| {
                vec![LegendSign { sign, sample: format!("{it:<sample$}"), text }]
            })
        });
        Self { lines: lines.collect() }
    }

    /// Lays out every sign with a one-word meaning.
    pub(super) fn short(chart: &Chart, width: u16) -> Self {
        let mut lines: Vec<Vec<LegendSign>> = vec![Vec::new()];
        let mut left = usize::from(width);
        for sign in chart.legend() {
            let entry = LegendSign {
                sign,
                sample: format!("{} ", sign.sample),
                text: sign.word.to_owned(),
            };
            let needed = entry.width();
            if needed > left {
                lines.push(Vec::new());
                left = usize::from(width);
            }
            left = left.saturating_sub(needed + GAP);
            if let Some(line) = lines.last_mut() {
                line.push(entry);
            }
        }
        Self { lines }
    }

    pub(super) fn rows(&self) -> u16 {
        extent(self.lines.len())
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) {
        for (row, entries) in (0..area.height).zip(&self.lines) {
            let mut line = Line::default();
            for entry in entries {
                if !line.spans.is_empty() {
                    line.push_span(Span::raw(" ".repeat(GAP)));
                }
                line.push_span(Span::styled(
                    entry.sample.clone(),
                    canvas.look.tone(entry.sign.tone),
                ));
                line.push_span(Span::raw(entry.text.clone()));
            }
            canvas.line(area, row, &line);
        }
    }
}

impl LegendSign {
    fn width(&self) -> usize {
        columns::width(&self.sample) + columns::width(&self.text)
    }
}
