//! The look of the arcade: colours, glyphs and motion, reduced to what the terminal supports.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use skirmish_present::glyphs;
use skirmish_rules::Side;
use skirmish_store::Theme;

/// The colour depth of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None at all.
    None,
    /// The sixteen ANSI colours.
    Sixteen,
    /// 256 or more.
    Many,
}

/// How every screen is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The colours.
    pub theme: Theme,
    /// The colour depth.
    pub depth: Depth,
    /// Whether to draw only ASCII characters.
    pub ascii: bool,
    /// Whether to animate.
    pub motion: bool,
}

/// The style of the selected item, the same in every theme.
pub(crate) const CHOSEN: Style =
    Style::new().add_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD);

/// The meaning of a colour. Colour is never the only distinction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    Faint,
    Title,
    Key,
    Alarm,
    Side(Side),
    Good,
    Bad,
    Even,
}

impl Look {
    /// The style for text.
    pub(crate) fn ink(&self, ink: Ink) -> Style {
        let style = Style::new();
        match ink {
            Ink::Plain | Ink::Even => style,
            Ink::Faint => match self.theme {
                Theme::HighContrast => style,
                Theme::Default | Theme::Monochrome => style.add_modifier(Modifier::DIM),
            },
            Ink::Title | Ink::Key => style.add_modifier(Modifier::BOLD),

            Ink::Alarm => self.tinted(style, RED).add_modifier(Modifier::BOLD),
            Ink::Side(Side::One) => self.tinted(style, BLUE).add_modifier(Modifier::BOLD),
            Ink::Side(Side::Two) => {
                self.tinted(style, ORANGE).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
            }
            Ink::Good => self.tinted(style, TEAL).add_modifier(Modifier::BOLD),
            Ink::Bad => self.tinted(style, PINK).add_modifier(Modifier::UNDERLINED),
        }
    }

    /// The style for a piece on the board: Player 2's are reversed.
    pub(crate) fn piece(&self, side: Side) -> Style {
        match side {
            Side::One => self.ink(Ink::Side(Side::One)),
            Side::Two => self
                .ink(Ink::Side(Side::Two))
                .remove_modifier(Modifier::UNDERLINED)
                .add_modifier(Modifier::REVERSED),
        }
    }

    fn tinted(&self, style: Style, color: Color) -> Style {
        match self.theme {
            Theme::Monochrome => style,
            Theme::HighContrast => style.fg(brightest(color)),
            Theme::Default => style.fg(color),
        }
    }

    /// Reduces a finished picture to what the terminal supports, in one place for all screens.
    pub(crate) fn finish(&self, buffer: &mut Buffer) {
        for cell in &mut buffer.content {
            // Terminals disagree about text that is both bold and dim.
            if cell.modifier.contains(Modifier::BOLD) {
                cell.modifier.remove(Modifier::DIM);
            }
            cell.fg = self.shown(cell.fg);
            cell.bg = self.shown(cell.bg);
            if self.ascii && !cell.symbol().is_ascii() {
                let plain = cell.symbol().chars().next().and_then(glyphs::plain);
                cell.set_char(plain.unwrap_or('?'));
            }
        }
    }

    fn shown(&self, color: Color) -> Color {
        match (self.depth, self.theme) {
            (Depth::None, _) | (_, Theme::Monochrome) => Color::Reset,
            (Depth::Sixteen, _) => sixteen(color),
            (Depth::Many, _) => color,
        }
    }
}

/// Colours that are readable on dark and light backgrounds.
const BLUE: Color = Color::Indexed(33);
const ORANGE: Color = Color::Indexed(208);
const TEAL: Color = Color::Indexed(37);
const PINK: Color = Color::Indexed(169);
const RED: Color = Color::Indexed(196);

/// Shades of a map from weak to strong.
pub(crate) const BLUES: [Color; 3] = [Color::Indexed(75), BLUE, Color::Indexed(27)];
pub(crate) const ORANGES: [Color; 3] = [Color::Indexed(215), ORANGE, Color::Indexed(166)];

/// The nearest of the sixteen ANSI colours.
fn sixteen(color: Color) -> Color {
    match color {
        blue if BLUES.contains(&blue) => Color::LightBlue,
        orange if ORANGES.contains(&orange) => Color::Yellow,
        TEAL => Color::Cyan,
        PINK | Color::Indexed(213) => Color::LightMagenta,
        RED => Color::LightRed,
        Color::Indexed(51) => Color::LightCyan,
        Color::Indexed(226) => Color::LightYellow,
        Color::Indexed(46) => Color::LightGreen,
        Color::Indexed(_) => Color::White,
        other => other,
    }
}

/// The brightest variant of a colour, for the high-contrast theme.
fn brightest(color: Color) -> Color {
    match color {
        BLUE => Color::Indexed(51),
        ORANGE => Color::Indexed(226),
        TEAL => Color::Indexed(46),
        PINK => Color::Indexed(213),
        _ => Color::Indexed(231),
    }
}
