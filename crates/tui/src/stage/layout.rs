//! The layout of a road in an area: the size of its drawings, its bands and its places.
//!
//! It depends only on the track and the area, so a piece that does not move stays where it is.

use ratatui::layout::Rect;
use skirmish_rules::{Gallery, Pose, Side, Size, Track};

use super::pixels::Sprite;
use super::places;

/// Number of rows below the figures: labels of pieces, numbers and keys.
const BELOW: u16 = 3;

/// Minimum width of a place with figures, so that the key of a move fits.
const NARROWEST: u16 = 4;

/// Number of rows above the figures for the effects of events.
const SKY: u16 = 4;

/// The layout of a road with figures.
pub(super) struct Layout {
    pub(super) size: Size,
    /// The size of the bases beside the road's ends; `None` if they stand behind the figures.
    pub(super) beside: Option<Size>,
    pub(super) bands: Vec<Band>,
}

/// A band: a part of the road.
pub(super) struct Band {
    pub(super) first: u8,
    pub(super) last: u8,
    /// The first column of the band's first place.
    pub(super) left: u16,
    /// The width of a place.
    pub(super) width: u16,
    /// The area of the figures, directly above the road.
    pub(super) air: Rect,
    /// The rows of labels, numbers and keys, as far as there is room.
    pub(super) low: Rect,
}

/// The number of places.
pub(super) fn places(track: &Track) -> u16 {
    u16::from(track.last - track.first) + 1
}

/// The height that a road uses well.
pub(super) fn rows(gallery: &Gallery, track: &Track, width: u16, most: u16) -> u16 {
    let area = Rect { x: 0, y: 0, width, height: most };
    let Some(layout) = Layout::of(gallery, track, area) else {
        return places::rows(track, width, most);
    };
    let figure = Sprite::piece(gallery, Side::One, Pose::Stand, layout.size);
    let bands = u16::try_from(layout.bands.len()).unwrap_or(u16::MAX);
    let sky = if bands == 1 { SKY } else { 0 };
    (bands.saturating_mul(figure.rows() + BELOW) + sky).min(most)
}

impl Layout {
    /// The layout with the fewest bands and the largest figures that fit, with the narrowest margins at which the figures at
    /// the ends are completely visible; `None` if none fit. Only the smallest figures may lose their arms at the ends, because
    /// tokens would show less.
    pub(super) fn of(gallery: &Gallery, track: &Track, area: Rect) -> Option<Self> {
        let figure = |side, size| Sprite::piece(gallery, side, Pose::Stand, size);
        let sizes = Size::ALL.into_iter().rev();
        let figures: Vec<(Size, [Sprite; 2])> =
            sizes.map(|size| (size, Side::ALL.map(|side| figure(side, size)))).collect();
        (1..=area.height / BELOW).find_map(|bands| {
            figures.iter().find_map(|(size, both)| {
                let beside = Size::ALL.into_iter().rev().filter(|base| {
                    bands == 1 && base <= size && is_base_beside(gallery, track, area, *base)
                });
                let [figure, _] = both;
                let fits = |layout: &Self, is_whole: bool| {
                    let band = &layout.bands[0];
                    let is_within = |it: &Sprite| {
                        let ends = [band.first, band.last];
                        ends.into_iter().all(|place| it.is_within(band.centre(place), area))
                    };
                    band.width >= NARROWEST.max(figure.body_width())
                        && figure.rows() <= band.air.height
                        && (!is_whole || both.iter().all(is_within))
                };
                let of = |beside: Option<Size>, is_whole: bool| {
                    let base = beside.and_then(|size| Sprite::base(gallery, Side::One, size));
                    // The figures at the ends may stand in front of half a base.
                    let least = base.map_or(0, |base| base.width.div_ceil(2));
                    let margins = least..=least.max(figure.width);
                    let mut layouts = margins.filter_map(|margin| {
                        Self::fitted(track, area, bands, *size, beside, margin)
                    });
                    layouts.find(|layout| fits(layout, is_whole))
                };
                let mut beside = beside.map(Some).chain([None]);
                let whole = beside.clone().find_map(|base| of(base, true));
                let is_smallest = *size == Size::Small;
                whole.or_else(|| beside.find_map(|base| of(base, false).filter(|_| is_smallest)))
            })
        })
    }

    /// The layout in this number of bands between these margins, whether or not the figures fit.
    fn fitted(
        track: &Track,
        area: Rect,
        bands: u16,
        size: Size,
        beside: Option<Size>,
        margin: u16,
    ) -> Option<Self> {
        let inner = Rect { x: area.x + margin, width: area.width.checked_sub(2 * margin)?, ..area };
        let per = places(track).div_ceil(bands);
        let (width, rows) = (inner.width / per, area.height / bands);
        let left = inner.x + (inner.width - width * per) / 2;
        let above = rows.checked_sub(BELOW)?;
        let starts = (track.first..=track.last).step_by(per.into());
        let band = |(y, first): (u16, u8)| {
            let last = u16::from(first) + per - 1;
            let last = u8::try_from(last).unwrap_or(u8::MAX).min(track.last);
            let air = Rect { y, height: above, ..area };
            let low = Rect { y: air.bottom(), height: BELOW, ..area };
            Band { first, last, left, width, air, low }
        };
        let bands = (area.y..).step_by(rows.into()).zip(starts).map(band).collect();
        Some(Self { size, beside, bands })
    }
}

/// Whether bases of this size fit at the ends of the road, where together they may take half of the width.
fn is_base_beside(gallery: &Gallery, track: &Track, area: Rect, size: Size) -> bool {
    let (Some(goal), ends) = (track.goal, [track.first, track.last]) else { return false };
    goal.one != goal.two
        && Side::ALL.into_iter().all(|side| ends.contains(&goal[side]))
        && Sprite::base(gallery, Side::One, size)
            .is_some_and(|base| 4 * base.width <= area.width && base.rows() + BELOW <= area.height)
}

impl Band {
    pub(super) const fn has_figures(&self) -> bool {
        self.air.height > 0
    }

    pub(super) fn holds(&self, place: u8) -> bool {
        (self.first..=self.last).contains(&place)
    }

    /// The first column of a place.
    pub(super) fn column(&self, place: u8) -> u16 {
        self.left + u16::from(place - self.first) * self.width
    }

    /// The middle column of a place.
    pub(super) fn centre(&self, place: u8) -> u16 {
        self.column(place) + (self.width - 1) / 2
    }
}
