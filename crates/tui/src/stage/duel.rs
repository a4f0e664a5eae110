//! A stage without a road: two figures that face each other, with their actions between them.

use ratatui::layout::Rect;
use skirmish_rules::{Both, Change, Gallery, Gauge, Pose, Side, Size, Telling, columns};

use super::super::look::Ink;
use super::super::parts::{Canvas, below};
use super::pixels::{Raster, Sprite};
use super::{Shown, gauge, glyph, ground, smaller};

/// Height of the words below the figures.
const WORDS: u16 = 1;

/// The height that a duel uses well.
pub(super) fn rows(gallery: &Gallery, width: u16, most: u16) -> u16 {
    let around = gauge::ROWS + WORDS;
    let area = Rect { x: 0, y: 0, width, height: most.saturating_sub(around) };
    let sizes = Sizes::of(gallery, area);
    sizes.map_or(around, |sizes| (sizes.high + around + 1).min(most))
}

/// The events of a turn, by their role in a duel.
#[derive(Default)]
struct Clash<'a> {
    /// Each side's action: the first event that changed its gauge.
    acts: Both<Option<&'a Telling>>,
    /// The effect on each side: the last of the other events that changed its gauge.
    suffered: Both<Option<&'a Telling>>,
    /// The last event that changed no gauge.
    between: Option<&'a Telling>,
}

impl<'a> Clash<'a> {
    fn of(told: &'a [Telling]) -> Self {
        let mut clash = Self::default();
        for telling in told {
            let side = telling.changes.iter().find_map(|change| match change {
                Change::Gauge { side, .. } => Some(*side),
                _ => None,
            });
            match side {
                Some(side) if clash.acts[side].is_none() => clash.acts[side] = Some(telling),
                Some(side) => clash.suffered[side] = Some(telling),
                None => clash.between = Some(telling),
            }
        }
        clash
    }
}

/// The sizes of the figures and of the effects between them.
struct Sizes {
    figures: Size,
    effects: Size,
    /// The width and height of a figure.
    width: u16,
    high: u16,
}

impl Sizes {
    /// The largest sizes that fit an area, if any do.
    fn of(gallery: &Gallery, area: Rect) -> Option<Self> {
        let widest = |size| {
            let drawn = gallery.effects.iter().filter_map(|(kind, _)| {
                Sprite::effect(gallery, kind, Side::One, size).map(|sprite| sprite.width)
            });
            drawn.max().unwrap_or(2)
        };
        Size::ALL.into_iter().rev().find_map(|figures| {
            let figure = Sprite::piece(gallery, Side::One, Pose::Stand, figures);
            let (width, high) = (figure.width, figure.rows());
            let room = area.width.checked_sub(width * 2 + 4)?;
            // Actions must not be much smaller than the figures.
            let effects = [figures, smaller(figures)];
            let effects = effects.into_iter().find(|size| 2 * widest(*size) + 2 <= room)?;
            (high <= area.height).then_some(Self { figures, effects, width, high })
        })
    }

    /// The distance of the figures from the edges.
    fn aside(&self, width: u16) -> u16 {
        (width / 2).saturating_sub(self.width) / 4
    }
}

impl Shown<'_> {
    pub(super) fn duel(&self, canvas: &mut Canvas, area: Rect, gauges: Both<Gauge>) {
        let clash = Clash::of(self.told);
        // In a low area, the bars stand beside their words.
        for bars in [gauge::ROWS, 1] {
            let Some(rows) = area.height.checked_sub(bars + WORDS) else { continue };
            let figures = Rect { height: rows, ..below(area, bars) };
            if let Some(sizes) = Sizes::of(&self.gallery, figures) {
                self.gauges(canvas, Rect { height: bars, ..area }, gauges);
                self.fighters(canvas, figures, &sizes, &clash);
                let aside = sizes.aside(area.width) + sizes.width / 2;
                words(canvas, below(area, bars + rows), &clash, aside);
                return;
            }
        }
        self.gauges(canvas, Rect { height: area.height.min(gauge::ROWS), ..area }, gauges);
        words(canvas, below(area, gauge::ROWS), &clash, 0);
    }

    fn fighters(&self, canvas: &mut Canvas, area: Rect, sizes: &Sizes, clash: &Clash) {
        ground::landscape(canvas, area);
        let mut raster = Raster::new(area);
        let floor = area.bottom();
        let centre = area.x + area.width / 2;
        let aside = sizes.aside(area.width);
        let effect = |telling: Option<&Telling>, side| {
            Sprite::effect(&self.gallery, telling?.kind, side, sizes.effects)
        };
        let high = |sprite: &Sprite| floor - sizes.high.saturating_sub(sprite.rows()) / 2;
        for side in Side::ALL {
            let pose = self.fighter(side, clash);
            let figure = Sprite::piece(&self.gallery, side, pose, sizes.figures);
            let x = match side {
                Side::One => area.x + aside,
                Side::Two => area.right() - aside - figure.width,
            };
            raster.paint(&figure, x, floor);
            if let Some(act) = effect(clash.acts[side], side) {
                let x = match side {
                    Side::One => centre.saturating_sub(act.width + 1),
                    Side::Two => centre + 1,
                };
                raster.paint(&act, x, high(&act));
            }
            let size = smaller(sizes.effects);
            let blow = clash.suffered[side].filter(|_| self.winner.is_none());
            let blow = blow.and_then(|it| Sprite::effect(&self.gallery, it.kind, side, size));
            if let Some(blow) = blow {
                let x = (x + figure.width / 2).saturating_sub(blow.width / 2);
                raster.paint(&blow, x, high(&blow));
            }
        }
        // Paint the event between the figures on top of their actions.
        let between = clash.between.filter(|telling| self.current() == Some(telling));
        if let Some(burst) = effect(between, Side::One) {
            raster.paint(&burst, centre.saturating_sub(burst.width / 2), high(&burst));
        }
        raster.draw(canvas);
    }

    /// The pose of a figure: it strikes while it pays for an action, and falls when it is hit.
    fn fighter(&self, side: Side, clash: &Clash) -> Pose {
        let is_now = |telling: Option<&Telling>| telling.is_some() && telling == self.current();
        match self.winner {
            Some(winner) if winner == side => Pose::Cheer,
            Some(_) => Pose::Fall,
            None if is_now(clash.suffered[side]) => Pose::Fall,
            None if is_now(clash.acts[side]) => Pose::Strike,
            None => Pose::Stand,
        }
    }
}

/// Names the events below the figures they concern, which are centred `aside` columns from the edges.
fn words(canvas: &mut Canvas, area: Rect, clash: &Clash, aside: u16) {
    if area.is_empty() {
        return;
    }
    let between = clash.between.map_or("", |telling| telling.kind);
    let middle = columns::cells(between).min(area.width);
    let half = (area.width - middle) / 2;
    let x = area.x + half;
    canvas.text(Rect { x, width: middle, ..area }, 0, between, canvas.look.ink(Ink::Title));
    let halves = Both {
        one: Rect { width: half.saturating_sub(1), ..area },
        two: Rect {
            x: x + middle + 1,
            width: area.width.saturating_sub(half + middle + 1),
            ..area
        },
    };
    for side in Side::ALL {
        let place = halves[side].intersection(area);
        let ink = canvas.look.ink(Ink::Side(side));
        let suffered = clash.suffered[side].map_or("", |telling| telling.kind);
        let act = clash.acts[side].map_or(String::new(), |telling| match side {
            Side::One => format!("{} {}", telling.kind, glyph(side)),
            Side::Two => format!("{} {}", glyph(side), telling.kind),
        });
        let alarm = canvas.look.ink(Ink::Alarm);
        let aside = aside.saturating_sub(columns::cells(suffered) / 2);
        let free = place.width.saturating_sub(columns::cells(&act) + 1);
        let aside = aside.min(free.saturating_sub(columns::cells(suffered)));
        match side {
            Side::One => {
                let under = Rect { x: place.x + aside, width: place.width - aside, ..place };
                canvas.text(under, 0, suffered, alarm);
                canvas.right(place, 0, &act, ink);
            }
            Side::Two => {
                let under = Rect { width: place.width - aside, ..place };
                canvas.right(under, 0, suffered, alarm);
                canvas.text(place, 0, &act, ink);
            }
        }
    }
}
