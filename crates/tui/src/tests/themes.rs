//! Every theme on every screen uses only its own colours, and its text is legible.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use skirmish_store::Theme;

use super::pictures::furnish;
use super::{Arcade, USUAL};
use crate::look::{Depth, Look, Paint, allowed, contrast, rgb};

/// The keys from the home screen to every screen.
const WAYS: [&str; 27] = [
    "",
    "?",
    ":",
    "1",
    "3 Enter",
    "3 Enter q",
    "3 Down Down Down Right Enter 3 3 3 h",
    "2 Down Down Left Left Down Right Enter 2 2 2 a",
    "4 Down Down Left Left Enter",
    "4 Down Down Left Left Enter Enter 1 Enter 2 a",
    "1 Enter :",
    "1 Enter a",
    "1 m",
    "2 m",
    "4 m",
    "3 Down Down Down Right Enter 3 3 1 1 3 3 3 Wait Enter",
    "Down r",
    "Down t Enter",
    "Up Up Up Up Enter",
    "Up Up Up Up Enter d",
    "Up Up Up Up Enter Enter a End",
    "Up Up Up Up Enter Enter Right p",
    "Up Up Up Enter",
    "Up Up Enter",
    "Up Up Up Up Up Enter",
    "Up Up Up Up Up Up Enter",
    "Up Up Up Up Up Up Enter s",
];

/// The visible background and text colours of a cell.
fn seen(cell: &Cell) -> (Color, Color) {
    if cell.modifier.contains(Modifier::REVERSED) { (cell.fg, cell.bg) } else { (cell.bg, cell.fg) }
}

/// Whether a cell is two pixels of a drawing.
fn is_pixels(cell: &Cell) -> bool {
    matches!(cell.symbol(), "█" | "▀" | "▄")
}

/// Whether a cell belongs to a QR code: a camera needs black on white in every theme.
fn is_scanned(cell: &Cell) -> bool {
    let is_module = matches!(cell.symbol(), "█" | "▀" | "▄" | " ");
    is_module && (cell.fg, cell.bg) == (Color::White, Color::Black)
}

/// The minimum contrast of a cell: letters and digits must be legible, other signs only visible.
fn least(cell: &Cell) -> f64 {
    let is_text = cell.symbol().chars().any(char::is_alphanumeric);
    if is_text { 4.5 } else { 3.0 }
}

#[test]
fn every_screen_has_only_the_colours_of_its_theme() {
    for way in WAYS {
        let mut arcade = Arcade::furnished(USUAL, furnish);
        arcade.press(way);
        keeps_to_its_theme(&mut arcade, way);
    }
}

/// Checks a screen in every theme.
#[track_caller]
pub(super) fn keeps_to_its_theme(arcade: &mut Arcade, name: &str) {
    let before = arcade.app.context.look;
    for theme in Theme::ALL {
        for depth in [Depth::None, Depth::Sixteen, Depth::Many, Depth::True] {
            let look = Look { theme, depth, ..USUAL };
            arcade.app.context.look = look;
            let allowed = allowed(look);
            for (width, height) in [(100, 30), (40, 12)] {
                // Draw directly into a buffer: a terminal omits the second cell of a wide letter.
                let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
                arcade.app.draw(&mut buffer);
                buffer.content.iter().for_each(|cell| check(cell, &allowed, look, name));
            }
        }
    }
    arcade.app.context.look = before;
}

#[track_caller]
fn check(cell: &Cell, allowed: &[Color], look: Look, name: &str) {
    if is_scanned(cell) {
        return;
    }
    let is_own = allowed.contains(&cell.fg) && allowed.contains(&cell.bg);
    assert!(is_own, "{look:?} on \"{name}\": {cell:?}");
    let (ground, ink) = seen(cell);
    if let (Some(ground), Some(ink)) = (rgb(ground), rgb(ink))
        && !cell.symbol().trim().is_empty()
        && !is_pixels(cell)
    {
        let contrast = contrast(ground, ink);
        assert!(contrast >= least(cell), "{look:?} on \"{name}\": {contrast:.2} for {cell:?}");
    }
}

#[test]
fn a_theme_with_a_ground_fills_the_window() {
    for (theme, ground) in
        [(Theme::Dark, Color::Rgb(0x16, 0x1b, 0x22)), (Theme::Light, Color::Rgb(0xfc, 0xfc, 0xfa))]
    {
        let mut arcade = Arcade::open(Look { theme, depth: Depth::True, ..USUAL });
        arcade.sit_down(3);
        let buffer = arcade.draw(80, 24);
        let look = arcade.app.context.look;
        let painted = [Paint::Sky, Paint::Hills, Paint::Road].map(|paint| look.paint(paint));
        let is_ground =
            |cell: &Cell| cell.bg == ground || painted.contains(&Some(cell.bg)) || is_pixels(cell);
        assert!(buffer.content.iter().all(is_ground), "{theme:?}");
    }
    for theme in [Theme::Default, Theme::Terminal] {
        let mut arcade = Arcade::open(Look { theme, depth: Depth::True, ..USUAL });
        let buffer = arcade.draw(80, 24);
        let is_ground = |cell: &Cell| cell.bg == Color::Reset || is_pixels(cell);
        assert!(buffer.content.iter().all(is_ground), "{theme:?}");
    }
}

#[test]
fn the_preview_follows_the_selected_theme() {
    let mut arcade = Arcade::open(Look { depth: Depth::True, ..USUAL });
    arcade.press("Up Up Enter");
    let mut grounds = Vec::new();
    for _ in Theme::ALL {
        arcade.press("Right");
        grounds.push(arcade.draw(100, 30).content[0].bg);
    }
    let [dark, light] = [Color::Rgb(0x16, 0x1b, 0x22), Color::Rgb(0xfc, 0xfc, 0xfa)];
    assert_eq!(grounds[..2], [dark, light]);
    assert_eq!(grounds[5], Color::Reset, "the default again");
}
