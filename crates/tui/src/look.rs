//! The look of the arcade: colours, glyphs and motion, reduced to what the terminal supports.

mod colors;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use skirmish_present::glyphs;
use skirmish_present::map::Tone;
use skirmish_rules::Side;
use skirmish_store::Theme;

use self::colors::{Colors, Swatch};

/// The colour depth of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// No colours.
    None,
    /// The sixteen ANSI colours.
    Sixteen,
    /// The 256 colours of xterm.
    Many,
    /// 24-bit colour.
    True,
}

/// The settings that determine how screens are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The colour theme.
    pub theme: Theme,
    /// The colour depth.
    pub depth: Depth,
    /// Whether to draw only ASCII characters.
    pub ascii: bool,
    /// Whether to animate.
    pub motion: bool,
}

/// The style of the selected item in every theme.
pub(crate) const CHOSEN: Style =
    Style::new().add_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD);

/// The meaning of a colour. No distinction relies on colour alone.
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

/// What a spot of the stage shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Side(Side),
    Highlight(Side),
    Shade(Side),
    Outline,
    Neutral,
    Sky,
    Hills,
    Road,
}

impl Look {
    /// The colour of a spot of the stage; `None` if this look does not paint it.
    pub(crate) fn paint(&self, paint: Paint) -> Option<Color> {
        let is_limited = self.ascii || !matches!(self.depth, Depth::Many | Depth::True);
        let painting = self.colors().painting.filter(|_| !is_limited)?;
        let swatch = match paint {
            Paint::Side(side) => self.colors().sides[side],
            Paint::Highlight(side) => painting.sides[side][0],
            Paint::Shade(side) => painting.sides[side][1],
            Paint::Outline => painting.outline,
            Paint::Neutral => painting.neutral,
            Paint::Sky => painting.grounds?[0],
            Paint::Hills => painting.grounds?[1],
            Paint::Road => painting.grounds?[2],
        };
        Some(swatch.at(self.depth))
    }

    /// The style for text.
    pub(crate) fn ink(&self, ink: Ink) -> Style {
        let colors = self.colors();
        let style = Style::new();
        match ink {
            Ink::Plain | Ink::Even => style,
            Ink::Faint => match colors.faint {
                Some(faint) if self.is_colored() => self.painted(faint),
                Some(_) | None => style.add_modifier(Modifier::DIM),
            },
            // Reset to the text colour, because the frame may be faint.
            Ink::Title | Ink::Key => style.fg(Color::Reset).add_modifier(Modifier::BOLD),
            Ink::Alarm => self.painted(colors.alarm).add_modifier(Modifier::BOLD),
            Ink::Side(Side::One) => self.painted(colors.sides.one).add_modifier(Modifier::BOLD),
            Ink::Side(Side::Two) => {
                self.painted(colors.sides.two).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
            }
            Ink::Good => self.painted(colors.good).add_modifier(Modifier::BOLD),
            Ink::Bad => self.painted(colors.bad).add_modifier(Modifier::UNDERLINED),
        }
    }

    /// The style of a side's pieces on the board; Player 2's are reversed.
    pub(crate) fn piece(&self, side: Side) -> Style {
        match side {
            Side::One => self.ink(Ink::Side(Side::One)),
            Side::Two => self
                .ink(Ink::Side(Side::Two))
                .remove_modifier(Modifier::UNDERLINED)
                .add_modifier(Modifier::REVERSED),
        }
    }

    /// The change that fills text with a side's colour.
    pub(crate) fn filled(&self, side: Side) -> Style {
        self.painted(self.colors().sides[side])
            .remove_modifier(Modifier::DIM | Modifier::UNDERLINED)
            .add_modifier(Modifier::REVERSED)
    }

    /// The style for the letters of a map.
    pub(crate) fn tone(&self, tone: Tone) -> Style {
        let shades = self.colors().shades;
        match tone {
            Tone::Win(strength) => self.painted(shade(strength, shades.one)),
            Tone::Loss(strength) => self.painted(shade(strength, shades.two)),
            Tone::Even | Tone::Plain => Style::new(),
            Tone::Over | Tone::Other | Tone::Nothing => self.ink(Ink::Faint),
        }
    }

    /// Whether this look uses colours.
    pub(crate) fn is_colored(&self) -> bool {
        self.depth != Depth::None && self.theme != Theme::Monochrome
    }

    const fn colors(&self) -> &'static Colors {
        Colors::of(self.theme)
    }

    fn painted(&self, swatch: Swatch) -> Style {
        if self.is_colored() { Style::new().fg(swatch.at(self.depth)) } else { Style::new() }
    }

    /// Reduces a finished screen to what the terminal supports, and gives text and background the theme's own colours.
    pub(crate) fn finish(&self, buffer: &mut Buffer) {
        let is_colored = self.is_colored();
        let [text, ground] = [self.colors().text, self.colors().ground].map(|it| it.at(self.depth));
        let shown = |color: Color, usual: Color| match (is_colored, color) {
            (false, _) => Color::Reset,
            (true, Color::Reset) => usual,
            (true, color) => color,
        };
        for cell in &mut buffer.content {
            // Terminals disagree about text that is both bold and dim.
            if cell.modifier.contains(Modifier::BOLD) {
                cell.modifier.remove(Modifier::DIM);
            }
            cell.fg = shown(cell.fg, text);
            cell.bg = shown(cell.bg, ground);
            if self.ascii && !cell.symbol().is_ascii() {
                let plain = cell.symbol().chars().next().and_then(glyphs::plain);
                cell.set_char(plain.unwrap_or('?'));
            }
        }
    }
}

fn shade(strength: f64, shades: [Swatch; 3]) -> Swatch {
    match strength {
        weak if weak < 0.34 => shades[0],
        middling if middling < 0.67 => shades[1],
        _ => shades[2],
    }
}

/// Every colour that a screen in this look may have.
#[cfg(test)]
pub(crate) fn allowed(look: Look) -> Vec<Color> {
    if !look.is_colored() {
        return vec![Color::Reset];
    }
    look.colors().all().map(|swatch| swatch.at(look.depth)).collect()
}

#[cfg(test)]
pub(crate) use self::colors::{contrast, rgb};
