//! How a road fills an area: the scale of its drawings, its bands, and where everyone on it stands.

use ratatui::layout::Rect;
use skirmish_rules::{Piece, Side, Track, columns};

use super::crowd::{Wish, arrange};
use super::pixels::{Scale, Sprite};
use super::{Shown, compact};

/// The rows below the figures: plates, the road, its numbers.
pub(super) const BELOW: u16 = 3;

/// The fewest columns of a place, so that the key of a move fits on it.
const NARROWEST: u16 = 4;

/// A figure is at most so many places wide.
const WIDE: u16 = 4;

/// The rows of low and of usual small drawings, and the rows and columns of the usual large one.
const USUAL_SMALL: [u16; 2] = [4, 3];
const USUAL: (u16, u16) = (6, 14);

/// The rows above the figures for what has just happened there.
const SKY: u16 = 3;

/// How a road fills an area.
pub(super) struct Layout {
    pub(super) scale: Scale,
    pub(super) bands: Vec<Band>,
    /// The columns of a place.
    pub(super) width: u16,
    /// The bases beside the road's ends, if there is room for them.
    pub(super) base: Option<Scale>,
}

/// A part of the road.
pub(super) struct Band {
    pub(super) first: u8,
    pub(super) last: u8,
    /// All of it, down to the numbers.
    pub(super) area: Rect,
    /// The column of its first place.
    pub(super) left: u16,
    pub(super) groups: Vec<Group>,
}

/// Those who stand side by side on a place.
pub(super) struct Group {
    pub(super) place: u8,
    /// Whose they are; nobody's is the goal of both.
    pub(super) side: Option<Side>,
    pub(super) pieces: Vec<Piece>,
    /// The first column of the first of them.
    pub(super) x: u16,
    pub(super) width: u16,
    /// The columns from one to the next; less than a figure's if they overlap.
    pub(super) step: u16,
}

/// The number of places.
pub(super) fn places(track: &Track) -> u16 {
    u16::from(track.last - track.first) + 1
}

/// How many rows a road fills well.
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
    /// The largest layout that fits, if any does.
    pub(super) fn layout(&self, area: Rect, track: &Track) -> Option<Layout> {
        // Rather smaller figures than no bases.
        let one = [(1, true), (1, false)];
        let more = (2..=area.height / BELOW).map(|bands| (bands, false));
        one.into_iter().chain(more).find_map(|(bands, has_bases)| {
            let rows = area.height / bands;
            Scale::ALL.into_iter().find_map(|scale| {
                let high = Side::ALL.map(|side| Sprite::piece(&self.gallery, side, scale).rows());
                if high.into_iter().any(|high| high + BELOW > rows) {
                    return None;
                }
                let base = self.base_scale(area.width, track, scale).filter(|_| has_bases);
                self.fitted(area, track, bands, scale, base)
            })
        })
    }

    /// The scale of bases that stand beside the road, while they take no more than a quarter of it.
    fn base_scale(&self, width: u16, track: &Track, most: Scale) -> Option<Scale> {
        let ends = [track.first, track.last];
        if !Side::ALL.into_iter().all(|side| ends.contains(&track.goal[side])) {
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
        bands: u16,
        scale: Scale,
        base: Option<Scale>,
    ) -> Option<Layout> {
        let name = self.gallery.base.as_deref();
        let beside =
            base.and_then(|scale| Sprite::named(&self.gallery, name, Some(Side::One), scale));
        let edge = beside.map_or(0, |base| base.width + 1);
        let inner = Rect { x: area.x + edge, width: area.width.checked_sub(2 * edge)?, ..area };
        let per = places(track).div_ceil(bands);
        let width = inner.width / per;
        let figure = Sprite::piece(&self.gallery, Side::One, scale).width;
        if width < NARROWEST || figure > WIDE * width {
            return None;
        }
        let rows = area.height / bands;
        let starts = (track.first..=track.last).step_by(per.into());
        let bands = (0..).zip(starts).map(|(nth, first)| {
            let last = u16::from(first) + per - 1;
            let last = u8::try_from(last).unwrap_or(u8::MAX).min(track.last);
            let left = inner.x + (inner.width - width * per) / 2;
            let area = Rect { y: area.y + nth * rows, height: rows, ..area };
            let mut band = Band { first, last, area, left, groups: Vec::new() };
            [figure, figure / 2, (figure / 4).max(2)].into_iter().find_map(|step| {
                band.groups = self.groups(&band, track, width, scale, step, inner)?;
                Some(())
            })?;
            Some(band)
        });
        Some(Layout { scale, bands: bands.collect::<Option<_>>()?, width, base })
    }

    /// Everyone on a part of the road, where they can stand; `None` if they cannot.
    fn groups(
        &self,
        band: &Band,
        track: &Track,
        width: u16,
        scale: Scale,
        step: u16,
        inner: Rect,
    ) -> Option<Vec<Group>> {
        let figure = Sprite::piece(&self.gallery, Side::One, scale).width;
        let mut groups: Vec<Group> = Vec::new();
        for piece in self.scene.pieces.iter().filter(|piece| band.holds(piece.at)) {
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
                    step,
                }),
            }
        }
        for group in &mut groups {
            let others = u16::try_from(group.pieces.len()).unwrap_or(u16::MAX).saturating_sub(1);
            let label = columns::cells(&self.label(group, 0));
            let gap = if scale == Scale::Small { 1 } else { 2 };
            group.width = others.checked_mul(step)?.checked_add(figure)?.max(label) + gap;
        }
        let goal = track.goal.one;
        if goal == track.goal.two
            && band.holds(goal)
            && let Some(drawn) = self.goal_of_both(scale)
        {
            let at = groups.partition_point(|group| group.place < goal);
            let (side, pieces) = (None, Vec::new());
            groups.insert(at, Group { place: goal, side, pieces, x: 0, width: drawn.width, step });
        }
        let wish = |group: &Group| Wish {
            centre: band.centre(group.place, width).into(),
            width: group.width.into(),
        };
        let wishes: Vec<Wish> = groups.iter().map(wish).collect();
        let (from, to) = (i32::from(inner.x), i32::from(inner.x + inner.width));
        for (group, x) in groups.iter_mut().zip(arrange(&wishes, from, to)?) {
            group.x = u16::try_from(x).ok()?;
        }
        Some(groups)
    }

    pub(super) fn goal_of_both(&self, scale: Scale) -> Option<Sprite> {
        let name = self.gallery.goal.as_deref().or(self.gallery.base.as_deref());
        Sprite::named(&self.gallery, name, None, scale)
    }

    /// What the plate below a group says: strengths with as many pips as there is room for, or else whose it is.
    pub(super) fn label(&self, group: &Group, room: u16) -> String {
        let Some(side) = group.side else { return String::new() };
        let strengths: Vec<u8> = group.pieces.iter().filter_map(|piece| piece.strength).collect();
        let fits = |text: &String| columns::cells(text) <= room;
        let pointed = |text: &str| match side {
            Side::One => format!("{text}▶"),
            Side::Two => format!("◀{text}"),
        };
        match strengths[..] {
            [] => {
                let name = pointed(&match side {
                    Side::One => format!("{} ", self.names[side]),
                    Side::Two => format!(" {}", self.names[side]),
                });
                Some(name).filter(fits).unwrap_or_else(|| pointed(side.token()))
            }
            [strength] => {
                let pips = "●".repeat(strength.into());
                let full = pointed(&match side {
                    Side::One => format!("{pips} {strength}"),
                    Side::Two => format!("{strength} {pips}"),
                });
                Some(full).filter(fits).unwrap_or_else(|| pointed(&strength.to_string()))
            }
            [first, ..] if strengths.iter().all(|strength| *strength == first) => {
                pointed(&format!("{}×{first}", strengths.len()))
            }
            _ => {
                let all: Vec<String> = strengths.iter().map(u8::to_string).collect();
                pointed(&all.join("+"))
            }
        }
    }
}

impl Band {
    pub(super) fn holds(&self, place: u8) -> bool {
        (self.first..=self.last).contains(&place)
    }

    /// The column in the middle of a place.
    pub(super) fn centre(&self, place: u8, width: u16) -> u16 {
        self.left + u16::from(place - self.first) * width + (width - 1) / 2
    }
}
