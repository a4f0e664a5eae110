//! Paints drawings with half blocks: a cell of the screen is two pixels high.

use ratatui::layout::Rect;
use ratatui::style::Style;
use skirmish_rules::{Drawing, Gallery, Side};

use super::super::look::{Depth, Ink, Look};
use super::super::parts::Canvas;

/// The default drawing of a piece: an arrowhead in its direction.
const ARROW: [&str; 8] = [
    "##......", "####....", "######..", "########", "########", "######..", "####....", "##......",
];
const SMALL_ARROW: [&str; 6] = ["##....", "####..", "######", "######", "####..", "##...."];

/// A pixel that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dot {
    Side(Side),
    Neutral,
}

/// The scale of drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scale {
    Small,
    /// The large drawing, with its pixels enlarged by this factor.
    Large(u16),
}

impl Scale {
    /// All scales, from the largest to the smallest.
    pub(super) const ALL: [Self; 5] =
        [Self::Large(4), Self::Large(3), Self::Large(2), Self::Large(1), Self::Small];

    /// This scale and the smaller ones.
    pub(super) fn and_smaller(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |scale| *scale <= self)
    }
}

/// A drawing at one scale for one side.
#[derive(Clone, Debug)]
pub(super) struct Sprite {
    /// The width in columns.
    pub(super) width: u16,
    /// The height in pixels.
    high: u16,
    dots: Vec<Option<Dot>>,
}

impl Sprite {
    /// A game's drawing with this name.
    pub(super) fn named(
        gallery: &Gallery,
        name: Option<&str>,
        owner: Option<Side>,
        scale: Scale,
    ) -> Option<Self> {
        let drawing =
            gallery.drawings.iter().find(|drawing| Some(drawing.name.as_str()) == name)?;
        let Drawing { large, small, .. } = drawing;
        let rows = if scale == Scale::Small { small } else { large };
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        Some(Self::of(&rows, owner, scale))
    }

    /// The drawing of a side's pieces, by default an arrowhead.
    pub(super) fn piece(gallery: &Gallery, side: Side, scale: Scale) -> Self {
        let drawn = Self::named(gallery, gallery.piece.as_deref(), Some(side), scale);
        drawn.unwrap_or_else(|| match scale {
            Scale::Small => Self::of(&SMALL_ARROW, Some(side), scale),
            Scale::Large(_) => Self::of(&ARROW, Some(side), scale),
        })
    }

    /// The drawing of the effect of a kind of event, if it has one.
    pub(super) fn effect(gallery: &Gallery, kind: &str, side: Side, scale: Scale) -> Option<Self> {
        let (_, name) = gallery.effects.iter().find(|(of, _)| of == kind)?;
        Self::named(gallery, Some(name), Some(side), scale)
    }

    /// Scales a drawing for its owner. Player 2's drawings are mirrored, and drawings without an owner are neutral.
    fn of(rows: &[&str], owner: Option<Side>, scale: Scale) -> Self {
        let factor = match scale {
            Scale::Small => 1,
            Scale::Large(factor) => factor,
        };
        let times = usize::from(factor);
        let mut dots = Vec::new();
        for row in rows {
            let pixels = row.bytes().map(|pixel| match (pixel, owner) {
                (b'#', Some(side)) => Some(Dot::Side(side)),
                (b'#' | b'o', _) => Some(Dot::Neutral),
                _ => None,
            });
            let mut line: Vec<Option<Dot>> =
                pixels.flat_map(|dot| std::iter::repeat_n(dot, times)).collect();
            if owner == Some(Side::Two) {
                line.reverse();
            }
            for _ in 0..times {
                dots.extend_from_slice(&line);
            }
        }
        let length = |count: usize| u16::try_from(count).unwrap_or(0) * factor;
        let columns = rows.first().map_or(0, |row| row.len());
        Self { width: length(columns), high: length(rows.len()), dots }
    }

    /// The non-empty pixels, with their columns and rows.
    fn pixels(&self) -> impl Iterator<Item = (i32, i32, Dot)> {
        let rows = (0..).zip(self.dots.chunks(usize::from(self.width).max(1)));
        rows.flat_map(|(down, row)| {
            (0..).zip(row).filter_map(move |(across, dot)| dot.map(|dot| (across, down, dot)))
        })
    }

    /// The height in rows of the screen.
    pub(super) const fn rows(&self) -> u16 {
        self.high.div_ceil(2)
    }
}

/// An area of the screen to paint sprites on, two pixels to a cell.
pub(super) struct Raster {
    area: Rect,
    dots: Vec<Option<Dot>>,
}

impl Raster {
    pub(super) fn new(area: Rect) -> Self {
        Self { area, dots: vec![None; usize::from(area.width) * usize::from(area.height) * 2] }
    }

    /// Paints a sprite with its first column at `x` and its feet directly above the row `floor`. Clips it to the area, and
    /// leaves a gap of one pixel around it.
    pub(super) fn paint(&mut self, sprite: &Sprite, x: u16, floor: u16) {
        let left = i32::from(x) - i32::from(self.area.x);
        let top = 2 * (i32::from(floor) - i32::from(self.area.y)) - i32::from(sprite.high);
        for (across, down, _) in sprite.pixels() {
            for (aside, above) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                self.set(left + across + aside, top + down + above, None);
            }
        }
        for (across, down, dot) in sprite.pixels() {
            self.set(left + across, top + down, Some(dot));
        }
    }

    fn set(&mut self, across: i32, down: i32, dot: Option<Dot>) {
        let (width, high) = (i32::from(self.area.width), 2 * i32::from(self.area.height));
        if (0..width).contains(&across) && (0..high).contains(&down) {
            self.dots[usize::try_from(down * width + across).unwrap_or_default()] = dot;
        }
    }

    /// Draws everything painted so far on the screen.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let inks = Inks::of(&canvas.look);
        let width = usize::from(self.area.width);
        if width == 0 {
            return;
        }
        for (y, pair) in (self.area.y..).zip(self.dots.chunks(2 * width)) {
            for (x, (top, bottom)) in (self.area.x..).zip(pair[..width].iter().zip(&pair[width..]))
            {
                if let Some((glyph, style)) = inks.cell(*top, *bottom)
                    && let Some(cell) = canvas.buffer.cell_mut((x, y))
                {
                    cell.set_char(glyph).set_style(Style::reset()).set_style(style);
                }
            }
        }
    }
}

/// The appearance of pixels on this terminal.
struct Inks {
    look: Look,
    has_colours: bool,
}

impl Inks {
    fn of(look: &Look) -> Self {
        let is_tinted = look.ink(Ink::Side(Side::One)).fg.is_some();
        Self { look: *look, has_colours: is_tinted && look.depth != Depth::None }
    }

    /// The character and style for a cell of two pixels, one above the other.
    fn cell(&self, top: Option<Dot>, bottom: Option<Dot>) -> Option<(char, Style)> {
        let shape = if top.is_none() && bottom.is_none() {
            return None;
        } else if self.has_colours && !self.look.ascii {
            self.coloured(top, bottom)
        } else {
            self.shaped(top, bottom)
        };
        Some(shape)
    }

    fn coloured(&self, top: Option<Dot>, bottom: Option<Dot>) -> (char, Style) {
        match (top, bottom) {
            (None, None) => (' ', Style::new()),
            (Some(dot), None) => ('▀', self.ink(dot)),
            (None, Some(dot)) => ('▄', self.ink(dot)),
            (Some(above), Some(below)) if above == below => ('█', self.ink(above)),
            // The neutral colour is the text colour, which cannot be a background.
            (Some(side), Some(Dot::Neutral)) => ('▄', self.ground(side)),
            (Some(above), Some(side)) => {
                let style = self.ground(side);
                ('▀', self.ink(above).fg.map_or(style, |colour| style.fg(colour)))
            }
        }
    }

    /// A cell in ASCII or without colours. A neutral pixel above or below a side's is a gap, elsewhere a fainter shape.
    fn shaped(&self, top: Option<Dot>, bottom: Option<Dot>) -> (char, Style) {
        use Dot::{Neutral, Side};
        let (glyph, plain) = match (top, bottom) {
            (Some(Side(_)), Some(Side(_))) => ('█', '#'),
            (Some(Side(_)), _) => ('▀', '"'),
            (_, Some(Side(_))) => ('▄', 'o'),
            (Some(Neutral), Some(Neutral)) => ('▒', ':'),
            (Some(Neutral), None) => ('▀', '\''),
            (None, Some(Neutral)) => ('▄', '.'),
            (None, None) => (' ', ' '),
        };
        let dot = [top, bottom].into_iter().flatten().find(|dot| *dot != Neutral);
        (if self.look.ascii { plain } else { glyph }, self.ink(dot.unwrap_or(Neutral)))
    }

    fn ink(&self, dot: Dot) -> Style {
        let style = Style::new();
        match dot {
            Dot::Neutral => style,
            Dot::Side(side) => {
                self.look.ink(Ink::Side(side)).fg.map_or(style, |colour| style.fg(colour))
            }
        }
    }

    fn ground(&self, dot: Dot) -> Style {
        self.ink(dot).fg.map_or(Style::new(), |colour| Style::new().bg(colour))
    }
}
