//! The painted ground behind the figures: sky, hills and road in three close tones.

use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::super::look::Paint;
use super::super::parts::Canvas;

/// Minimum height of an area with hills.
const FEWEST: u16 = 4;

/// The height of the lowest point, in thousandths of the area's height.
const LOWEST: u16 = 350;

/// The ridges: their length in half columns, and their height in thousandths of the area's height.
const RIDGES: [(u16, u16); 2] = [(148, 450), (52, 100)];

/// Paints the sky and, unless the area is too low, symmetrical hills.
pub(super) fn landscape(canvas: &mut Canvas, area: Rect) {
    fill(canvas, area, Paint::Sky);
    if area.height < FEWEST {
        return;
    }
    for (across, x) in (0..).zip(area.x..area.right()) {
        let aside = (2 * across + 1_u16).abs_diff(area.width);
        let ridges = RIDGES.map(|(length, height)| {
            let slope = (aside % length).abs_diff(length / 2) * 2;
            u32::from(slope) * u32::from(height) / u32::from(length)
        });
        let high = u32::from(LOWEST) + ridges.into_iter().sum::<u32>();
        let rows = u32::from(area.height) * high / 1000;
        let height = u16::try_from(rows).unwrap_or(u16::MAX).min(area.height);
        fill(canvas, Rect { x, y: area.bottom() - height, width: 1, height }, Paint::Hills);
    }
}

/// Fills an area, unless the look leaves the background alone.
pub(super) fn fill(canvas: &mut Canvas, area: Rect, paint: Paint) {
    if let Some(colour) = canvas.look.paint(paint) {
        canvas.buffer.set_style(area, Style::new().bg(colour));
    }
}

/// A style on the road.
pub(super) fn on_road(canvas: &Canvas, style: Style) -> Style {
    style.bg(canvas.look.paint(Paint::Road).unwrap_or(Color::Reset))
}
