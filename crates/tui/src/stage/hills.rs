//! Hills behind the figures, which fill the empty space of a large stage.

use ratatui::layout::Rect;

use super::super::look::Ink;
use super::super::parts::Canvas;

/// Minimum height of an area with hills.
const FEWEST: u16 = 7;

/// The height of the lowest point, in thousandths of the area's height.
const LOWEST: u16 = 350;

/// The ridges: their length in half columns, and their height in thousandths of the area's height.
const RIDGES: [(u16, u16); 2] = [(148, 500), (52, 120)];

/// Draws symmetrical hills, unless the area is too low. In ASCII, which has no suitable shade, draws only their outlines.
pub(super) fn draw(canvas: &mut Canvas, area: Rect) {
    if area.height < FEWEST {
        return;
    }
    let style = canvas.look.ink(Ink::Faint);
    for (across, x) in (0..).zip(area.x..area.x + area.width) {
        let aside = (2 * across + 1_u16).abs_diff(area.width);
        let ridges = RIDGES.map(|(length, height)| {
            let slope = (aside % length).abs_diff(length / 2) * 2;
            u32::from(slope) * u32::from(height) / u32::from(length)
        });
        let high = u32::from(LOWEST) + ridges.into_iter().sum::<u32>();
        let rows = u32::from(area.height) * high / 1000;
        let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(area.height);
        let shown = if canvas.look.ascii { rows.min(1) } else { rows };
        let top = area.bottom() - rows;
        for y in top..top + shown {
            if let Some(cell) = canvas.buffer.cell_mut((x, y)) {
                cell.set_char('░').set_style(style);
            }
        }
    }
}
