//! The address of a game as a QR code for a phone's camera.

use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use skirmish_rules::columns;

use super::super::parts::{Canvas, extent};

/// Minimum width of the text beside the code.
const TEXT_WIDTH: u16 = 30;
/// Number of columns between the text and the code.
const GAP: u16 = 2;

/// Draws the code at the right edge if it fits and the terminal can show half blocks. Returns the columns used.
pub(super) fn beside(canvas: &mut Canvas, area: Rect, address: &str) -> u16 {
    if canvas.look.ascii {
        return 0;
    }
    let Ok(code) = QrCode::with_error_correction_level(address, EcLevel::L) else { return 0 };
    // Cameras expect dark on light. Without colours, assume a dark terminal and draw the light modules.
    let mut drawing = code.render::<Dense1x2>();
    let picture = drawing.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
    let width = picture.lines().next().map_or(0, columns::cells);
    let rows = extent(picture.lines().count());
    if rows > area.height || width.saturating_add(GAP + TEXT_WIDTH) > area.width {
        return 0;
    }
    let place = Rect { x: area.right() - width, width, ..area };
    let style = Style::new().fg(Color::White).bg(Color::Black);
    for (row, line) in (0..rows).zip(picture.lines()) {
        canvas.text(place, row, line, style);
    }
    width + GAP
}
