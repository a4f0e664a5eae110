//! How the full screen looks: colours, glyphs and motion, brought down to what the terminal can show.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use skirmish_play::Theme;
use skirmish_rules::Side;

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    None,
    Sixteen,
    Many,
}

/// What every screen is drawn with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) theme: Theme,
    pub(crate) depth: Depth,
    /// Only letters that every terminal has.
    pub(crate) ascii: bool,
    pub(crate) motion: bool,
}

/// A style for what the cursor is on, the same in every theme.
pub(crate) const CHOSEN: Style =
    Style::new().add_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD);

/// What a colour says. Nothing is said by colour alone.
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
    /// A style for text.
    pub(crate) fn ink(&self, ink: Ink) -> Style {
        let style = Style::new();
        match ink {
            Ink::Plain | Ink::Even => style,
            Ink::Faint => match self.theme {
                Theme::HighContrast => style,
                Theme::Default | Theme::Monochrome => style.add_modifier(Modifier::DIM),
            },
            Ink::Title => style.add_modifier(Modifier::BOLD),
            Ink::Key => self.tinted(style, Color::Indexed(250)).add_modifier(Modifier::BOLD),
            Ink::Alarm => self.tinted(style, Color::Indexed(203)).add_modifier(Modifier::BOLD),
            Ink::Side(Side::One) => {
                self.tinted(style, Color::Indexed(75)).add_modifier(Modifier::BOLD)
            }
            Ink::Side(Side::Two) => self
                .tinted(style, Color::Indexed(214))
                .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            Ink::Good => self.tinted(style, Color::Indexed(43)).add_modifier(Modifier::BOLD),
            Ink::Bad => self.tinted(style, Color::Indexed(176)).add_modifier(Modifier::UNDERLINED),
        }
    }

    /// A style for a piece on the board: Player 2's are shown in reverse.
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

    /// Brings a finished picture down to what the terminal can show: one place, so that no screen forgets it.
    pub(crate) fn finish(&self, buffer: &mut Buffer) {
        for cell in &mut buffer.content {
            cell.fg = self.shown(cell.fg);
            cell.bg = self.shown(cell.bg);
            if self.ascii && !cell.symbol().is_ascii() {
                let plain = plain(cell.symbol());
                cell.set_char(plain);
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

/// The nearest of the sixteen colours that every colour terminal has.
fn sixteen(color: Color) -> Color {
    match color {
        Color::Indexed(75 | 25 | 68 | 111) => Color::LightBlue,
        Color::Indexed(153) => Color::Blue,
        Color::Indexed(214 | 130 | 172 | 215) => Color::Yellow,
        Color::Indexed(223) => Color::LightYellow,
        Color::Indexed(203) => Color::LightRed,
        Color::Indexed(43) => Color::LightCyan,
        Color::Indexed(176) => Color::LightMagenta,
        Color::Indexed(16) => Color::Black,
        Color::Indexed(231) => Color::White,
        Color::Indexed(_) => Color::Gray,
        other => other,
    }
}

fn brightest(color: Color) -> Color {
    match color {
        Color::Indexed(75) => Color::Indexed(51),
        Color::Indexed(214) => Color::Indexed(226),
        Color::Indexed(43) => Color::Indexed(46),
        Color::Indexed(176) => Color::Indexed(213),
        _ => Color::Indexed(231),
    }
}

/// What stands for a glyph where there are only ASCII letters.
fn plain(symbol: &str) -> char {
    match symbol.chars().next().unwrap_or(' ') {
        '─' | '━' | '═' | '–' | '—' | '−' => '-',
        '│' | '┃' | '║' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╰' | '╯' => {
            '+'
        }
        '▶' | '→' | '›' => '>',
        '◀' | '←' | '‹' => '<',
        '▲' | '↑' => '^',
        '▼' | '↓' => 'v',
        '█' | '■' | '▓' | '▒' => '#',
        '░' | '·' | '…' | '□' => '.',
        '●' | '◆' | '★' | '•' => '*',
        '○' | '◇' => 'o',
        '✓' | '×' => 'x',
        '½' => '5',
        '’' => '\'',
        ' ' | '\u{a0}' => ' ',
        _ => '?',
    }
}
