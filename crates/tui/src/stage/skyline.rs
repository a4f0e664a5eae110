//! The area above a road too long for full drawings: hills, bases, and figures as near to their places as possible.

use ratatui::layout::Rect;
use skirmish_rules::{Side, Track};

use super::super::parts::Canvas;
use super::compact::BareBand;
use super::crowd::{Wish, squeeze};
use super::pixels::{Raster, Scale, Sprite};
use super::{Shown, hills};

/// Draws the skyline above a road, unless the area is too small for drawings.
pub(super) fn draw(shown: &Shown, canvas: &mut Canvas, area: Rect, track: &Track, band: &BareBand) {
    let figure = Sprite::piece(&shown.gallery, Side::One, Scale::Small);
    if area.height < figure.rows() || area.width < figure.width {
        return;
    }
    hills::draw(canvas, area);
    let mut raster = Raster::new(area);
    bases(shown, &mut raster, area, track, band);
    figures(shown, &mut raster, area, band);
    raster.draw(canvas);
}

/// Draws the bases, beside the ends of the road if there is room.
fn bases(shown: &Shown, raster: &mut Raster, area: Rect, track: &Track, band: &BareBand) {
    let paint = |raster: &mut Raster, base: &Sprite, x: u16| {
        raster.paint(base, x.min(area.right().saturating_sub(base.width)), area.bottom());
    };
    let Some(goal) = track.goal else { return };
    if goal.one == goal.two {
        if let Some(drawn) = shown.goal_of_both(Scale::Small) {
            paint(raster, &drawn, band.middle(goal.one).saturating_sub(drawn.width / 2));
        }
        return;
    }
    for owner in Side::ALL {
        let place = goal[owner.other()];
        let name = shown.gallery.base.as_deref();
        let Some(base) = Sprite::named(&shown.gallery, name, Some(owner), Scale::Small) else {
            continue;
        };
        let x = match place {
            place if place == track.first => band.area.x.saturating_sub(base.width),
            place if place == track.last => band.area.right(),
            place => band.middle(place).saturating_sub(base.width / 2),
        };
        paint(raster, &base, x.max(area.x));
    }
}

/// Draws one figure for all pieces of a side on a place; the road below shows their number.
fn figures(shown: &Shown, raster: &mut Raster, area: Rect, band: &BareBand) {
    let mut standing: Vec<(u8, Side)> = Vec::new();
    let mut leaving = shown.glide.map(|glide| (glide.from, glide.side));
    for piece in &shown.scene.pieces {
        let here = (piece.at, piece.side);
        if leaving == Some(here) {
            leaving = None;
        } else if !standing.contains(&here) {
            standing.push(here);
        }
    }
    let sprites = Side::ALL.map(|side| Sprite::piece(&shown.gallery, side, Scale::Small));
    let [one, two] = &sprites;
    let sprite = |side| if side == Side::One { one } else { two };
    let wish = |&(place, side): &(u8, Side)| Wish {
        centre: band.middle(place).into(),
        width: (sprite(side).width + 1).into(),
    };
    let wishes: Vec<Wish> = standing.iter().map(wish).collect();
    let places = squeeze(&wishes, area.x.into(), area.right().into());
    for ((_, side), x) in standing.iter().zip(places) {
        raster.paint(sprite(*side), u16::try_from(x).unwrap_or(area.x), area.bottom());
    }
    if let Some(glide) = shown.glide {
        let figure = sprite(glide.side);
        let middle = |place| f64::from(band.middle(place));
        let x = glide.between(middle(glide.from), middle(glide.to));
        let last = area.right().saturating_sub(figure.width);
        let x = x.saturating_sub(figure.width / 2).max(area.x).min(last);
        raster.paint(figure, x, area.bottom());
    }
}
