//! The layout of a road in an area: the scale of its drawings, its bands, and the locations of its figures.

use ratatui::layout::Rect;
use skirmish_rules::{Both, Piece, Scene, Side, Track, columns};

use super::super::parts::extent;
use super::crowd::{Wish, arrange, squeeze};
use super::pixels::{Scale, Sprite};
use super::{Shown, compact};

/// Number of rows below the figures: plates, the road and its numbers.
pub(super) const BELOW: u16 = 3;

/// Minimum width of a place, so that the key of a move fits.
const NARROWEST: u16 = 4;

/// Maximum width of a figure, in places.
const WIDE: u16 = 4;

/// Heights of typical, low and tight small drawings, and height and width of a typical large drawing.
const USUAL_SMALL: [u16; 3] = [4, 3, 2];
const USUAL: (u16, u16) = (6, 14);

/// Number of rows above the figures for the effects of recent events.
const SKY: u16 = 3;

/// The layout of a road.
pub(super) struct Layout {
    pub(super) shape: Shape,
    pub(super) bands: Vec<Band>,
    /// The width of a place.
    pub(super) width: u16,
    /// The width at each end that is reserved for a base.
    pub(super) edge: u16,
    pub(super) wording: Wording,
}

/// The parts of a layout that stay the same while a turn is animated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) scale: Scale,
    /// The number of bands.
    bands: u16,
    /// The scale of the bases beside the road's ends, if there is room for bases.
    pub(super) base: Option<Scale>,
    /// Whether the plates cover the figures' feet, because a row is missing.
    pub(super) is_tight: bool,
}

/// How strictly figures must keep to their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Each figure stands over its place, and none hides another.
    Clear,
    /// Each figure stands as near to its place as possible, which is enough for a moment of an animation.
    Crowded,
}

/// The level of detail of the plates, the same for all of them so that both sides look equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wording {
    /// Names, or all strengths as pips and numbers.
    Full,
    /// Tokens, or strengths as numbers.
    Short,
}

/// A band: a part of the road with its figures.
pub(super) struct Band {
    pub(super) first: u8,
    pub(super) last: u8,
    /// The whole area, including the numbers.
    pub(super) area: Rect,
    /// The first column of the band's first place.
    pub(super) left: u16,
    pub(super) groups: Vec<Group>,
}

/// The figures of a side on a place, or the goal of both sides.
pub(super) struct Group {
    pub(super) place: u8,
    /// The owner; `None` for the goal of both sides.
    pub(super) side: Option<Side>,
    pub(super) pieces: Vec<Piece>,
    /// The first column of the group.
    pub(super) x: u16,
    pub(super) width: u16,
    pub(super) packing: Packing,
}

/// How the figures of a group share their place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    /// The distance from one figure to the next; less than the width of a figure if they overlap.
    pub(super) step: u16,
    /// Maximum number of figures stacked on top of each other.
    rows: u16,
}

impl Packing {
    /// Ways to pack figures of width `figure` in stacks of up to `rows`, clearest first.
    fn ways(figure: u16, rows: u16) -> [Self; 4] {
        [
            Self { step: figure, rows },
            Self { step: figure / 2, rows: 1 },
            Self { step: (figure / 4).max(2), rows: 1 },
            Self { step: 1, rows: 1 },
        ]
    }
}

/// The number of places.
pub(super) fn places(track: &Track) -> u16 {
    u16::from(track.last - track.first) + 1
}

/// The height that a road uses well.
pub(super) fn rows(track: &Track, width: u16, most: u16) -> u16 {
    let count = places(track);
    let each = (width / count).max(NARROWEST);
    let bands = count.div_ceil((width / each).max(1));
    let small = USUAL_SMALL.map(|rows| bands.saturating_mul(rows + BELOW));
    let Some(small) = small.into_iter().find(|rows| *rows <= most) else {
        return compact::rows(track, width, most);
    };
    if bands > 1 {
        return small;
    }
    let high = |factor: u16| factor * USUAL.0 + BELOW;
    let fits = |factor: &u16| high(*factor) <= most && factor * USUAL.1 <= WIDE * each;
    (1..=4).rev().find(fits).map_or(small, high).saturating_add(SKY).min(most)
}

impl Shown<'_> {
    /// The largest layout that fits the scenes before and after the turn, if there is one.
    pub(super) fn layout(&self, area: Rect, track: &Track) -> Option<Layout> {
        let shapes = self.shapes(area, track);
        let clear = |shape: Shape, scene: &Scene| {
            self.fitted(area, track, shape, scene, Order::Clear).map(|layout| layout.wording)
        };
        let both = |shape: &Shape| self.ends.iter().all(|end| clear(*shape, end).is_some());
        let own = |end: &Scene| shapes.iter().copied().find(|shape| clear(*shape, end).is_some());
        let shape = shapes.iter().copied().find(both).or_else(|| {
            // No shape fits both scenes. If each fits some shape, use that of the scene before the turn.
            let [before, after] = self.ends.map(own);
            before.and(after)
        })?;
        let layout = self.fitted(area, track, shape, &self.scene, Order::Crowded)?;
        let is_short = |end: &&Scene| clear(shape, end) == Some(Wording::Short);
        let wording = if self.ends.iter().any(is_short) { Wording::Short } else { layout.wording };
        Some(Layout { wording, ..layout })
    }

    /// All shapes that fit the height of the area, best first.
    fn shapes(&self, area: Rect, track: &Track) -> Vec<Shape> {
        // Prefer smaller figures to omitting the bases.
        let one = [(1, true), (1, false)];
        let more = (2..=area.height / BELOW).flat_map(|bands| [(bands, true), (bands, false)]);
        let each = one.into_iter().chain(more).flat_map(|(bands, has_bases)| {
            Scale::ALL.into_iter().filter_map(move |scale| {
                let rows = area.height / bands;
                let high = Side::ALL.map(|side| Sprite::piece(&self.gallery, side, scale).rows());
                let high = high.into_iter().max().unwrap_or(0);
                let is_tight = scale == Scale::Small && high + BELOW == rows + 1;
                let base = self.base_scale(area.width, track, scale).filter(|_| has_bases);
                (high + BELOW <= rows || is_tight).then_some(Shape { scale, bands, base, is_tight })
            })
        });
        each.collect()
    }

    /// The scale of the bases beside the road, which together may take a quarter of the width.
    fn base_scale(&self, width: u16, track: &Track, most: Scale) -> Option<Scale> {
        let (goal, ends) = (track.goal?, [track.first, track.last]);
        if !Side::ALL.into_iter().all(|side| ends.contains(&goal[side])) {
            return None;
        }
        most.and_smaller().find(|scale| {
            let name = self.gallery.base.as_deref();
            let base = Sprite::named(&self.gallery, name, Some(Side::One), *scale);
            base.is_some_and(|base| 8 * (base.width + 1) <= width)
        })
    }

    fn fitted(
        &self,
        area: Rect,
        track: &Track,
        shape: Shape,
        scene: &Scene,
        order: Order,
    ) -> Option<Layout> {
        let Shape { scale, bands, base, .. } = shape;
        let name = self.gallery.base.as_deref();
        let beside =
            base.and_then(|scale| Sprite::named(&self.gallery, name, Some(Side::One), scale));
        let edge = beside.map_or(0, |base| base.width + 1);
        let inner = Rect { x: area.x + edge, width: area.width.checked_sub(2 * edge)?, ..area };
        let per = places(track).div_ceil(bands);
        let width = inner.width / per;
        let figure = Sprite::piece(&self.gallery, Side::One, scale);
        if width < NARROWEST || figure.width > WIDE * width {
            return None;
        }
        // A figure at the end of the road may hide a little of the base.
        let reach = (inner.x - edge / 4, inner.x + inner.width + edge / 4);
        let rows = area.height / bands;
        let starts = (track.first..=track.last).step_by(per.into());
        let bands = (0..).zip(starts).map(|(nth, first)| {
            let last = u16::from(first) + per - 1;
            let last = u8::try_from(last).unwrap_or(u8::MAX).min(track.last);
            let left = inner.x + (inner.width - width * per) / 2;
            let area = Rect { y: area.y + nth * rows, height: rows, ..area };
            let mut band = Band { first, last, area, left, groups: Vec::new() };
            let ways =
                Packing::ways(figure.width, (rows.saturating_sub(BELOW) / figure.rows()).max(1));
            let packed = |packing, order| {
                let mut groups = self.groups(&band, scene, track, scale, packing)?;
                band.arrange(&mut groups, width, reach, order).map(|()| groups)
            };
            let clear = ways.into_iter().find_map(|packing| packed(packing, Order::Clear));
            let crowded = || packed(*ways.last()?, Order::Crowded);
            band.groups = if order == Order::Clear { clear? } else { clear.or_else(crowded)? };
            Some(band)
        });
        let bands: Vec<Band> = bands.collect::<Option<_>>()?;
        let is_full = |group: &Group| {
            columns::cells(&self.label(group, &group.pieces, Wording::Full)) < group.width
        };
        let mut groups = bands.iter().flat_map(|band| &band.groups);
        let wording = if groups.all(is_full) { Wording::Full } else { Wording::Short };
        Some(Layout { shape, bands, width, edge, wording })
    }

    /// The groups of figures on a band, by place; `None` if there are too many figures.
    fn groups(
        &self,
        band: &Band,
        scene: &Scene,
        track: &Track,
        scale: Scale,
        packing: Packing,
    ) -> Option<Vec<Group>> {
        let figure = Sprite::piece(&self.gallery, Side::One, scale).width;
        let mut groups: Vec<Group> = Vec::new();
        for piece in scene.pieces.iter().filter(|piece| band.holds(piece.at)) {
            let known = groups
                .iter_mut()
                .find(|group| group.place == piece.at && group.side == Some(piece.side));
            match known {
                Some(group) => group.pieces.push(*piece),
                None => groups.push(Group {
                    place: piece.at,
                    side: Some(piece.side),
                    pieces: vec![*piece],
                    x: 0,
                    width: 0,
                    packing,
                }),
            }
        }
        for group in &mut groups {
            let others = group.columns() - 1;
            let label = columns::cells(&self.label(group, &group.pieces, Wording::Short));
            let used = others.checked_mul(packing.step)?.checked_add(figure)?;
            group.width = used.max(label).checked_add(if scale == Scale::Small { 1 } else { 2 })?;
        }
        // A figure that has reached the goal of both sides replaces it.
        if let Some(Both { one: goal, two }) = track.goal
            && goal == two
            && band.holds(goal)
            && groups.iter().all(|group| group.place != goal)
            && let Some(drawn) = self.goal_of_both(scale)
        {
            let at = groups.partition_point(|group| group.place < goal);
            let (place, side, pieces, width) = (goal, None, Vec::new(), drawn.width);
            groups.insert(at, Group { place, side, pieces, x: 0, width, packing });
        }
        Some(groups)
    }

    /// Whether a figure of this group is moving to another place.
    pub(super) fn leaves(&self, group: &Group) -> bool {
        self.glide.is_some_and(|glide| group.side == Some(glide.side) && group.place == glide.from)
    }

    pub(super) fn goal_of_both(&self, scale: Scale) -> Option<Sprite> {
        let name = self.gallery.goal.as_deref().or(self.gallery.base.as_deref());
        Sprite::named(&self.gallery, name, None, scale)
    }

    /// The text on the plate of some pieces of a group: their strengths or, without strengths, their owner.
    pub(super) fn label(&self, group: &Group, pieces: &[Piece], wording: Wording) -> String {
        let Some(side) = group.side else { return String::new() };
        let strengths: Vec<u8> = pieces.iter().filter_map(|piece| piece.strength).collect();
        let (short, long) = if strengths.is_empty() {
            (side.token().to_owned(), self.names[side].clone())
        } else {
            (sum(&strengths), pips(&strengths))
        };
        match (wording, side) {
            (Wording::Short, _) => pointed(side, &short),
            (Wording::Full, _) if strengths.is_empty() => match side {
                Side::One => pointed(side, &format!("{long} ")),
                Side::Two => pointed(side, &format!(" {long}")),
            },
            (Wording::Full, Side::One) => pointed(side, &format!("{long} {short}")),
            (Wording::Full, Side::Two) => pointed(side, &format!("{short} {long}")),
        }
    }
}

/// Formats strengths as numbers: `4`, `2×1` or `1+3`.
pub(super) fn sum(strengths: &[u8]) -> String {
    match strengths {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|other| other == first) => {
            format!("{}×{first}", strengths.len())
        }
        _ => strengths.iter().map(u8::to_string).collect::<Vec<_>>().join("+"),
    }
}

/// Formats strengths as pips: `●●●●`, `● ●` or `● ●●●`.
fn pips(strengths: &[u8]) -> String {
    let each = strengths.iter().map(|strength| "●".repeat((*strength).into()));
    each.collect::<Vec<_>>().join(" ")
}

/// Adds an arrow in a side's direction to a text.
pub(super) fn pointed(side: Side, text: &str) -> String {
    match side {
        Side::One => format!("{text}▶"),
        Side::Two => format!("◀{text}"),
    }
}

impl Group {
    /// The number of figures side by side; others are stacked on top.
    pub(super) fn columns(&self) -> u16 {
        let count = extent(self.pieces.len());
        count.div_ceil(self.packing.rows).max(1)
    }
}

impl Band {
    /// Places all groups side by side between two columns; `None` if they do not fit. The goal of both sides stays in place.
    fn arrange(
        &self,
        groups: &mut [Group],
        width: u16,
        (from, to): (u16, u16),
        order: Order,
    ) -> Option<()> {
        if let Some(at) = groups.iter().position(|group| group.side.is_none()) {
            let (before, rest) = groups.split_at_mut(at);
            let (goal, after) = rest.split_first_mut()?;
            goal.x = self.centre(goal.place, width).checked_sub(goal.width / 2)?;
            self.arrange(before, width, (from, goal.x), order)?;
            return self.arrange(after, width, (goal.x + goal.width, to), order);
        }
        let wish = |group: &Group| Wish {
            centre: self.centre(group.place, width).into(),
            width: group.width.into(),
        };
        let wishes: Vec<Wish> = groups.iter().map(wish).collect();
        let (from, to) = (i32::from(from), i32::from(to));
        let places = match order {
            Order::Clear => arrange(&wishes, from, to)?,
            Order::Crowded => squeeze(&wishes, from, to),
        };
        for (group, x) in groups.iter_mut().zip(places) {
            group.x = u16::try_from(x).ok()?;
            group.width = group.width.min(u16::try_from(to - x).ok()?);
        }
        Some(())
    }

    pub(super) fn holds(&self, place: u8) -> bool {
        (self.first..=self.last).contains(&place)
    }

    /// The row of the plates.
    pub(super) fn floor(&self) -> u16 {
        self.area.y + self.area.height - BELOW
    }

    /// The middle column of a place.
    pub(super) fn centre(&self, place: u8, width: u16) -> u16 {
        self.left + u16::from(place - self.first) * width + (width - 1) / 2
    }
}
