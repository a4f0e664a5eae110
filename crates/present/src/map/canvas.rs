//! SVG primitives: rectangles, text and colours.

use std::fmt::Write;

use super::picture::Tone;

const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, Inter, 'DejaVu Sans', sans-serif";

const GROUND: &str = "#fcfcfa";
const FRAME: &str = "#d5d8dc";
const INK: &str = "#1f2933";
pub(super) const FAINT_INK: &str = "#5b6773";
pub(super) const EMPTY: &str = "#f1f2f0";

/// Red, green and blue, from 0 to 255.
type Rgb = [f64; 3];

/// Shades from weak to strong. Blue and orange remain distinguishable with red-green colour blindness.
const BLUE: [Rgb; 2] = [[214.0, 229.0, 245.0], [20.0, 82.0, 150.0]];
const ORANGE: [Rgb; 2] = [[253.0, 228.0, 200.0], [178.0, 74.0, 6.0]];
const GREY: Rgb = [203.0, 207.0, 211.0];
const PALE: Rgb = [224.0, 216.0, 236.0];
const SLATE: Rgb = [72.0, 84.0, 97.0];
const TEAL: Rgb = [15.0, 118.0, 110.0];

/// The elements drawn so far.
#[derive(Default)]
pub(super) struct SvgCanvas {
    body: String,
}

/// A text style; `anchor` is SVG's `text-anchor`.
#[derive(Clone, Copy)]
pub(super) struct Type {
    pub(super) size: f64,
    pub(super) weight: u16,
    pub(super) ink: &'static str,
    pub(super) anchor: &'static str,
}

impl Type {
    pub(super) const LEFT: Self = Self { size: 13.0, weight: 400, ink: INK, anchor: "start" };
    pub(super) const MIDDLE: Self = Self { anchor: "middle", ..Self::LEFT };
}

impl SvgCanvas {
    pub(super) fn put(&mut self, arguments: std::fmt::Arguments) {
        self.body.write_fmt(arguments).expect("writing to a string never fails");
        self.body.push('\n');
    }

    pub(super) fn text(&mut self, x: f64, y: f64, look: &Type, text: &str) {
        let Type { size, weight, ink, anchor } = look;
        let text = escape(text);
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-weight=\"{weight}\" \
             fill=\"{ink}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    pub(super) fn upright(&mut self, x: f64, y: f64, text: &str) {
        let text = escape(text);
        self.put(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" font-size=\"13\" \
             fill=\"{FAINT_INK}\" text-anchor=\"middle\">{text}</text>"
        ));
    }

    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        let radius = (height / 8.0).min(4.0);
        self.put(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             rx=\"{radius:.1}\" fill=\"{fill}\"/>"
        ));
    }

    pub(super) fn mark(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.put(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\" \
             fill=\"none\" stroke=\"{INK}\" stroke-width=\"2.5\"/>"
        ));
    }

    /// The complete file, with its own background so that it is readable on any page.
    pub(super) fn finish(self, width: f64, height: f64, title: &str, subtitle: &str) -> String {
        let (title, subtitle, body) = (escape(title), escape(subtitle), self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" font-family=\"{FONT}\">\n\
             <title>{title}</title>\n<desc>{subtitle}</desc>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"12\" fill=\"{GROUND}\" \
             stroke=\"{FRAME}\"/>\n{body}</svg>\n",
            width.round() - 1.0,
            height.round() - 1.0,
        )
    }
}

/// The colour of a tone.
pub(super) fn color(tone: Tone) -> Rgb {
    let between = |[weak, strong]: [Rgb; 2], strength: f64| {
        let strength = strength.clamp(0.0, 1.0);
        std::array::from_fn(|at| weak[at] + (strong[at] - weak[at]) * strength)
    };
    match tone {
        Tone::Win(strength) => between(BLUE, strength),
        Tone::Loss(strength) => between(ORANGE, strength),
        Tone::Even | Tone::Nothing => GREY,
        Tone::Other => PALE,
        Tone::Over => SLATE,
        Tone::Plain => TEAL,
    }
}

/// A text colour that is readable on a background colour.
pub(super) fn ink([red, green, blue]: Rgb) -> &'static str {
    // The relative luminance (WCAG) at which both inks have the same contrast.
    const MIDDLE: f64 = 0.22;
    let linear = |part: f64| (part / 255.0).powf(2.2);
    let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    if luminance > MIDDLE { INK } else { "#ffffff" }
}

/// A colour in SVG notation.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // each part is a byte
pub(super) fn hex(color: Rgb) -> String {
    let [red, green, blue] = color.map(|part| part.round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Escapes text for an element or a quoted attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
