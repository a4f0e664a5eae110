//! Paints drawings with half blocks: a cell of the screen is two pixels high.

use std::sync::LazyLock;

use ratatui::layout::Rect;
use ratatui::style::Style;
use skirmish_rules::{Drawing, Gallery, Pose, Side, Size};

use super::super::look::{Depth, Ink, Look, Paint};
use super::super::parts::{Canvas, extent};

/// The drawing of pieces in games without drawings: an arrowhead in their direction.
static TOKEN: LazyLock<Gallery> = LazyLock::new(|| {
    let rows = "##....\n####..\n######\n######\n####..\n##....";
    Gallery::parse(&format!("piece: token\n## token small\n{rows}")).expect("a test draws it")
});

/// A drawing in one size and pose for one side.
#[derive(Clone, Debug)]
pub(super) struct Sprite {
    /// The width in columns.
    pub(super) width: u16,
    /// The height in pixels.
    high: u16,
    dots: Vec<Option<Paint>>,
    /// The columns of the body, as [from, to).
    body: (u16, u16),
}

impl Sprite {
    /// A game's drawing with this name.
    pub(super) fn named(
        gallery: &Gallery,
        name: Option<&str>,
        owner: Option<Side>,
        pose: Pose,
        size: Size,
    ) -> Option<Self> {
        Some(Self::of(gallery.named(name?)?, owner, pose, size))
    }

    /// The drawing of a side's pieces, by default an arrowhead.
    pub(super) fn piece(gallery: &Gallery, owner: Side, pose: Pose, size: Size) -> Self {
        let own = gallery.piece.as_deref().and_then(|name| gallery.named(name));
        Self::of(own.unwrap_or(&TOKEN.drawings[0]), Some(owner), pose, size)
    }

    /// The drawing of a side's base.
    pub(super) fn base(gallery: &Gallery, owner: Side, size: Size) -> Option<Self> {
        Self::named(gallery, gallery.base.as_deref(), Some(owner), Pose::Stand, size)
    }

    /// The same shape in its side's shade, so that figures in front of it stand out.
    pub(super) fn shaded(mut self) -> Self {
        for dot in self.dots.iter_mut().flatten() {
            if let Paint::Side(owner) | Paint::Highlight(owner) = *dot {
                *dot = Paint::Shade(owner);
            }
        }
        self
    }

    /// The drawing of the effect of a kind of event, if it has one.
    pub(super) fn effect(gallery: &Gallery, kind: &str, owner: Side, size: Size) -> Option<Self> {
        let (_, name) = gallery.effects.iter().find(|(of, _)| of == kind)?;
        Self::named(gallery, Some(name), Some(owner), Pose::Stand, size)
    }

    /// A drawing for its owner. Player 2's drawings are mirrored, and drawings without an owner are neutral.
    fn of(drawing: &Drawing, owner: Option<Side>, pose: Pose, size: Size) -> Self {
        let rows = drawing.rows(pose, size);
        let mut dots = Vec::new();
        for row in &rows {
            let start = dots.len();
            dots.extend(row.bytes().map(|pixel| match (pixel, owner) {
                (b'.', _) => None,
                (b'@', _) => Some(Paint::Outline),
                (b'#', Some(owner)) => Some(Paint::Side(owner)),
                (b'+', Some(owner)) => Some(Paint::Highlight(owner)),
                (b'%', Some(owner)) => Some(Paint::Shade(owner)),
                _ => Some(Paint::Neutral),
            }));
            if owner == Some(Side::Two) {
                dots[start..].reverse();
            }
        }
        let columns = rows.first().map_or(0, String::len);
        let body = body(&dots, columns);
        Self { width: extent(columns), high: extent(rows.len()), dots, body }
    }

    /// The non-empty pixels, with their columns and rows.
    fn pixels(&self) -> impl Iterator<Item = (i32, i32, Paint)> {
        let rows = (0..).zip(self.dots.chunks(usize::from(self.width).max(1)));
        rows.flat_map(|(down, row)| {
            (0..).zip(row).filter_map(move |(across, dot)| dot.map(|dot| (across, down, dot)))
        })
    }

    /// The height in rows of the screen.
    pub(super) const fn rows(&self) -> u16 {
        self.high.div_ceil(2)
    }

    /// The width of the body in columns.
    pub(super) const fn body_width(&self) -> u16 {
        self.body.1 - self.body.0
    }

    /// The first column of the drawing if its body stands on the column `centre`.
    pub(super) fn left(&self, centre: u16) -> i32 {
        i32::from(centre)
            - i32::from(self.body.0)
            - i32::from(self.body_width().saturating_sub(1) / 2)
    }

    /// Whether no column of the drawing is outside an area if its body stands on the column `centre`.
    pub(super) fn is_within(&self, centre: u16, area: Rect) -> bool {
        let left = self.left(centre);
        left >= i32::from(area.x) && left + i32::from(self.width) <= i32::from(area.right())
    }
}

/// The columns of a figure's body, as [from, to): the longest run of columns of which at least three fifths are filled. Arms
/// and weapons fill less, or stand apart.
fn body(dots: &[Option<Paint>], columns: usize) -> (u16, u16) {
    let rows = dots.chunks(columns.max(1)).filter(|row| row.iter().any(Option::is_some)).count();
    let is_body = |column: &usize| {
        let filled = dots.iter().skip(*column).step_by(columns).filter(|dot| dot.is_some());
        filled.count() * 5 >= rows * 3
    };
    let mut longest = 0..0;
    let mut from = 0;
    while let Some(start) = (from..columns).find(is_body) {
        let end = (start..columns).find(|column| !is_body(column)).unwrap_or(columns);
        if longest.len() < end - start {
            longest = start..end;
        }
        from = end;
    }
    let body = if longest.is_empty() { 0..columns } else { longest };
    (extent(body.start), extent(body.end))
}

/// An area of the screen to paint sprites on, two pixels to a cell.
pub(super) struct Raster {
    area: Rect,
    dots: Vec<Option<Paint>>,
}

impl Raster {
    pub(super) fn new(area: Rect) -> Self {
        Self { area, dots: vec![None; usize::from(area.width) * usize::from(area.height) * 2] }
    }

    /// Paints a sprite with its first column at `left` and its feet directly above the row `floor`. Clips it to the area.
    pub(super) fn paint(&mut self, sprite: &Sprite, left: impl Into<i32>, floor: u16) {
        let left = left.into() - i32::from(self.area.x);
        let top = 2 * (i32::from(floor) - i32::from(self.area.y)) - i32::from(sprite.high);
        let (width, high) = (i32::from(self.area.width), 2 * i32::from(self.area.height));
        for (across, down, dot) in sprite.pixels() {
            let (x, y) = (left + across, top + down);
            if (0..width).contains(&x) && (0..high).contains(&y) {
                self.dots[usize::try_from(y * width + x).unwrap_or_default()] = Some(dot);
            }
        }
    }

    /// Draws everything painted so far on the screen. Empty pixels show the ground.
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
                    let ground = cell.bg;
                    cell.set_char(glyph).set_style(Style::reset().bg(ground)).set_style(style);
                }
            }
        }
    }
}

/// The inks of pixels in one look.
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
    fn cell(&self, top: Option<Paint>, bottom: Option<Paint>) -> Option<(char, Style)> {
        let is_painted = self.look.paint(Paint::Outline).is_some();
        let [top, bottom] =
            [top, bottom].map(|dot| if is_painted { dot } else { dot.and_then(plain) });
        if top.is_none() && bottom.is_none() {
            None
        } else if self.has_colours && !self.look.ascii {
            Some(self.coloured(top, bottom))
        } else {
            Some(self.shaped(top, bottom))
        }
    }

    fn coloured(&self, top: Option<Paint>, bottom: Option<Paint>) -> (char, Style) {
        match (top, bottom) {
            (None, None) => (' ', Style::new()),
            (Some(dot), None) => ('▀', self.ink(dot)),
            (None, Some(dot)) => ('▄', self.ink(dot)),
            (Some(above), Some(below)) if above == below => ('█', self.ink(above)),
            // If the neutral colour is the text colour, it cannot be a background.
            (Some(above), Some(Paint::Neutral)) => ('▄', self.over(Paint::Neutral, above)),
            (Some(above), Some(below)) => ('▀', self.over(above, below)),
        }
    }

    /// A cell in ASCII or without colours. A neutral pixel above or below a side's is a gap, elsewhere a fainter shape.
    fn shaped(&self, top: Option<Paint>, bottom: Option<Paint>) -> (char, Style) {
        use Paint::{Neutral, Side};
        let (glyph, plain) = match (top, bottom) {
            (Some(Side(_)), Some(Side(_))) => ('█', '#'),
            (Some(Side(_)), _) => ('▀', '"'),
            (_, Some(Side(_))) => ('▄', 'o'),
            (Some(_), Some(_)) => ('▒', ':'),
            (Some(_), None) => ('▀', '\''),
            (None, Some(_)) => ('▄', '.'),
            (None, None) => (' ', ' '),
        };
        let dot = [top, bottom].into_iter().flatten().find(|dot| *dot != Neutral);
        (if self.look.ascii { plain } else { glyph }, self.ink(dot.unwrap_or(Neutral)))
    }

    fn ink(&self, dot: Paint) -> Style {
        let side = |side| self.look.ink(Ink::Side(side)).fg;
        let usual = if let Paint::Side(it) = dot { side(it) } else { None };
        self.look.paint(dot).or(usual).map_or(Style::new(), |colour| Style::new().fg(colour))
    }

    /// The style of a pixel on the background of another one.
    fn over(&self, dot: Paint, ground: Paint) -> Style {
        let style = self.ink(dot);
        self.ink(ground).fg.map_or(style, |colour| style.bg(colour))
    }
}

/// A pixel on a screen without tones; `None` if it is empty there.
const fn plain(dot: Paint) -> Option<Paint> {
    match dot {
        Paint::Side(side) | Paint::Highlight(side) | Paint::Shade(side) => Some(Paint::Side(side)),
        Paint::Neutral => Some(Paint::Neutral),
        Paint::Outline | Paint::Sky | Paint::Hills | Paint::Road => None,
    }
}
