//! A stage without a road: two figures that face each other, with their actions between them.

use ratatui::layout::Rect;
use skirmish_rules::{Both, Change, Gauge, Side, Telling, columns};

use super::super::look::Ink;
use super::super::parts::{Canvas, below};
use super::pixels::{Raster, Scale, Sprite};
use super::{Shown, gauge, glyph, hills};

/// Height and width of a typical large drawing.
const USUAL: (u16, u16) = (6, 16);

/// Height of a typical small drawing.
const USUAL_SMALL: u16 = 4;

/// Height of the words below the figures.
const WORDS: u16 = 1;

/// The height that a duel uses well.
pub(super) fn rows(width: u16, most: u16) -> u16 {
    let around = gauge::ROWS + WORDS;
    let fits = |factor: &u16| factor * USUAL.0 + around <= most && factor * USUAL.1 * 3 <= width;
    let large = (1..=4).rev().find(fits).map(|factor| factor * USUAL.0 + around + 1);
    let small = USUAL_SMALL + WORDS + 1;
    let small = if most < small { around } else { (small + 1).min(most) };
    large.unwrap_or(small)
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

/// The figures, and the scale of the effects between them.
struct Sizes {
    figures: Both<Sprite>,
    effects: Scale,
}

impl Sizes {
    /// The distance of the figures from the edges.
    fn aside(&self, width: u16) -> u16 {
        (width / 2).saturating_sub(self.figures.one.width) / 4
    }
}

impl Shown<'_> {
    pub(super) fn duel(&self, canvas: &mut Canvas, area: Rect, gauges: Both<Gauge>) {
        let clash = Clash::of(self.told);
        // In a low area, the bars stand beside their words.
        for bars in [gauge::ROWS, 1] {
            let Some(rows) = area.height.checked_sub(bars + WORDS) else { continue };
            let figures = Rect { height: rows, ..below(area, bars) };
            if let Some(sizes) = self.sizes(figures) {
                self.gauges(canvas, Rect { height: bars, ..area }, gauges);
                self.fighters(canvas, figures, &sizes, &clash);
                let aside = sizes.aside(area.width) + sizes.figures.one.width / 2;
                words(canvas, below(area, bars + rows), &clash, aside);
                return;
            }
        }
        self.gauges(canvas, Rect { height: area.height.min(gauge::ROWS), ..area }, gauges);
        words(canvas, below(area, gauge::ROWS), &clash, 0);
    }

    fn sizes(&self, area: Rect) -> Option<Sizes> {
        let widest = |scale| {
            let drawn = self.gallery.effects.iter().filter_map(|(kind, _)| {
                Sprite::effect(&self.gallery, kind, Side::One, scale).map(|sprite| sprite.width)
            });
            drawn.max().unwrap_or(2)
        };
        Scale::ALL.into_iter().find_map(|scale| {
            let figures = Both { one: Side::One, two: Side::Two }
                .map(|side| Sprite::piece(&self.gallery, side, scale));
            let room = area.width.checked_sub(figures.one.width * 2 + 4)?;
            // Actions must not be much smaller than the figures.
            let least = match scale {
                Scale::Large(factor @ 2..) => Scale::Large(factor / 2),
                Scale::Large(_) | Scale::Small => Scale::Small,
            };
            let fits = |effects: &Scale| 2 * widest(*effects) + 2 <= room;
            let effects = scale.and_smaller().find(fits)?;
            (effects >= least && figures.one.rows() <= area.height)
                .then_some(Sizes { figures, effects })
        })
    }

    fn fighters(&self, canvas: &mut Canvas, area: Rect, sizes: &Sizes, clash: &Clash) {
        hills::draw(canvas, area);
        let mut raster = Raster::new(area);
        let floor = area.y + area.height;
        let centre = area.x + area.width / 2;
        let Sizes { figures, effects } = sizes;
        let high = figures.one.rows();
        let aside = sizes.aside(area.width);
        for side in Side::ALL.into_iter().filter(|side| self.winner.is_none_or(|it| it == *side)) {
            let width = figures[side].width;
            let x = match side {
                _ if self.winner.is_some() => centre.saturating_sub(width / 2),
                Side::One => area.x + aside,
                Side::Two => area.x + area.width - aside - width,
            };
            raster.paint(&figures[side], x, floor);
            let sprite = |telling: Option<&Telling>, scale| {
                let telling = telling?;
                Sprite::effect(&self.gallery, telling.kind, side, scale)
            };
            if let Some(act) = sprite(clash.acts[side], *effects) {
                let x = match side {
                    Side::One => centre.saturating_sub(act.width + 1),
                    Side::Two => centre + 1,
                };
                raster.paint(&act, x, floor - high.saturating_sub(act.rows()) / 2);
            }
            let suffers = clash.suffered[side];
            let is_now = suffers.is_some_and(|telling| self.current() == Some(telling));
            let scale = if is_now { *effects } else { Scale::Small };
            if let Some(blow) = sprite(suffers, scale) {
                let x = (x + width / 2).saturating_sub(blow.width / 2);
                raster.paint(&blow, x, floor - high.saturating_sub(blow.rows()) / 2);
            }
        }
        // Paint the event between the figures on top of their actions.
        if let Some(telling) = clash.between.filter(|telling| self.current() == Some(telling))
            && let Some(burst) = Sprite::effect(&self.gallery, telling.kind, Side::One, *effects)
        {
            let x = centre.saturating_sub(burst.width / 2);
            raster.paint(&burst, x, floor - high.saturating_sub(burst.rows()) / 2);
        }
        raster.draw(canvas);
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
