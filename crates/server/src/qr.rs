//! The QR code of a game's address, for phone cameras.

use qrcode::render::svg::Color;
use qrcode::{EcLevel, QrCode};

/// Draws an address as SVG; `None` if it is too long. Always dark on light, as cameras expect.
pub(crate) fn draw(address: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(address, EcLevel::M).ok()?;
    Some(code.render::<Color<'_>>().module_dimensions(1, 1).build())
}
