//! The address of a game as a QR code, for a phone's camera.

use qrcode::render::svg::Color;
use qrcode::{EcLevel, QrCode};

/// Draws an address as SVG; none if it is too long. Cameras expect dark on light, whatever is around it.
pub(crate) fn draw(address: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(address, EcLevel::M).ok()?;
    Some(code.render::<Color<'_>>().module_dimensions(1, 1).build())
}
