//! The address of a game as a QR code, for a phone's camera.

use std::fmt::Write;

use qrcode::{Color, EcLevel, QrCode};

/// The empty border around a code, in modules; the standard asks for four.
const QUIET: usize = 4;

/// Draws an address as SVG; none if it is too long. Cameras expect dark on light, whatever is around it.
pub(crate) fn draw(address: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(address, EcLevel::M).ok()?;
    let width = code.width();
    let size = width + 2 * QUIET;
    let mut dark = String::new();
    for (y, row) in code.to_colors().chunks(width).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|left, right| left == right) {
            if run[0] == Color::Dark {
                let (left, top, length) = (x + QUIET, y + QUIET, run.len());
                write!(dark, "M{left} {top}h{length}v1h-{length}z")
                    .expect("writing to a string never fails");
            }
            x += run.len();
        }
    }
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" \
         shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/>\
         <path d=\"{dark}\"/></svg>\n"
    ))
}
