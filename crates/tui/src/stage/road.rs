//! Draws a road with figures: below them their plates (strength or name), the road itself and its numbers.

use ratatui::layout::Rect;
use skirmish_rules::{Change, Piece, Side, Track, columns};

use super::super::look::{CHOSEN, Ink};
use super::super::parts::Canvas;
use super::super::screen::Press;
use super::layout::{Band, Group, Layout};
use super::moves::leading;
use super::pixels::{Raster, Scale, Sprite};
use super::{Mark, Shown, hills, middle, plate, solid};

impl Shown<'_> {
    pub(super) fn road(&self, canvas: &mut Canvas, track: &Track, layout: &Layout) {
        for band in &layout.bands {
            let floor = band.floor() + u16::from(layout.shape.is_tight);
            // Include the row of the plates, because bases stand on the ground.
            let air = Rect { height: band.floor() + 1 - band.area.y, ..band.area };
            let mut raster = Raster::new(air);
            hills::draw(canvas, Rect { height: air.height - 1, ..air });
            self.bases(&mut raster, track, layout, band, floor);
            for group in &band.groups {
                self.figures(&mut raster, layout, group, floor);
            }
            self.gliding(&mut raster, layout, band, floor);
            self.effects(&mut raster, layout, band, floor);
            raster.draw(canvas);
            for group in &band.groups {
                self.plate(canvas, layout, band, group);
            }
            for place in band.first..=band.last {
                self.place(canvas, track, layout, band, place);
            }
        }
    }

    /// Draws the bases: beside the ends of the road if there is room, otherwise behind the figures on their places.
    fn bases(&self, raster: &mut Raster, track: &Track, layout: &Layout, band: &Band, floor: u16) {
        let Some(goal) = track.goal.filter(|goal| goal.one != goal.two) else { return };
        let name = self.gallery.base.as_deref();
        for owner in Side::ALL {
            let place = goal[owner.other()];
            let is_beside = layout.shape.base.is_some();
            if !band.holds(place) || (!is_beside && layout.bands.len() == 1) {
                continue;
            }
            let scale = layout.shape.base.unwrap_or(Scale::Small);
            let Some(base) = Sprite::named(&self.gallery, name, Some(owner), scale) else {
                continue;
            };
            let last = (band.area.x + band.area.width).saturating_sub(base.width);
            let x = if !is_beside {
                let x = band.centre(place, layout.width).saturating_sub(base.width / 2);
                x.min(last).max(band.area.x)
            } else if place == track.first {
                band.area.x
            } else {
                last
            };
            raster.paint(&base, x, if is_beside { band.floor() + 1 } else { floor });
        }
    }

    /// Draws the figures of a group, except one that is moving.
    fn figures(&self, raster: &mut Raster, layout: &Layout, group: &Group, floor: u16) {
        let Some(side) = group.side else {
            if let Some(goal) = self.goal_of_both(layout.shape.scale) {
                raster.paint(&goal, group.x, floor);
            }
            return;
        };
        let count = group.pieces.len() - usize::from(self.leaves(group));
        let sprite = Sprite::piece(&self.gallery, side, layout.shape.scale);
        // Paint the front figure last.
        let order: Vec<usize> = match side {
            Side::One => (0..count).collect(),
            Side::Two => (0..count).rev().collect(),
        };
        let (columns, step) = (group.columns(), group.packing.step);
        let start = group.x + group.width.saturating_sub(step * (columns - 1) + sprite.width) / 2;
        for nth in order {
            let nth = u16::try_from(nth).unwrap_or(0);
            let up = nth / columns * sprite.rows();
            raster.paint(&sprite, start + nth % columns * step, floor.saturating_sub(up));
        }
    }

    /// Draws the plate of a group, as near to the place as possible while below its figures.
    fn plate(&self, canvas: &mut Canvas, layout: &Layout, band: &Band, group: &Group) {
        let Some(side) = group.side else { return };
        let staying = &group.pieces[usize::from(self.leaves(group))..];
        if staying.is_empty() {
            return;
        }
        let label = self.label(group, staying, layout.wording);
        let length = columns::cells(&label).min(group.width);
        let centre = band.centre(group.place, layout.width);
        let shift = (centre + 1).saturating_sub(group.x + length.div_ceil(2));
        // Leave a column free before the next plate and, if possible, do not hide a base.
        let most = group.x + group.width.saturating_sub(length + 1);
        let last = band.area.right().saturating_sub(layout.edge + length);
        let x = (group.x + shift).max(band.area.x + layout.edge).min(last).min(most).max(group.x);
        let row = Rect { x, y: band.floor(), width: length, height: 1 };
        canvas.text(row, 0, &label, plate(&canvas.look, side));
    }

    fn gliding(&self, raster: &mut Raster, layout: &Layout, band: &Band, floor: u16) {
        let Some(glide) = self.glide.filter(|glide| band.holds(glide.nearest())) else { return };
        let sprite = Sprite::piece(&self.gallery, glide.side, layout.shape.scale);
        let left = |place: u8| {
            let standing = band
                .groups
                .iter()
                .find(|group| group.place == place && group.side == Some(glide.side));
            let right = (band.area.x + band.area.width).saturating_sub(sprite.width);
            let centre = band.centre(place, layout.width).saturating_sub(sprite.width / 2);
            f64::from(standing.map_or(centre.clamp(band.area.x, right.max(band.area.x)), |it| it.x))
        };
        let x = if band.holds(glide.from) && band.holds(glide.to) {
            glide.between(left(glide.from), left(glide.to))
        } else {
            glide.between(left(glide.nearest()), left(glide.nearest()))
        };
        raster.paint(&sprite, x, floor);
    }

    /// Draws the effect of each event: during the event at its place, afterwards above it if there is room.
    fn effects(&self, raster: &mut Raster, layout: &Layout, band: &Band, floor: u16) {
        let high = Sprite::piece(&self.gallery, Side::One, layout.shape.scale).rows();
        let mut taken: Vec<(u16, u16)> = Vec::new();
        for telling in self.told.iter().rev() {
            let Some(piece) = telling.changes.first().and_then(subject) else { continue };
            if !band.holds(piece.at) {
                continue;
            }
            let is_now = self.current() == Some(telling);
            let scale = if is_now { layout.shape.scale } else { Scale::Small };
            let kind = telling.kind;
            let Some(sprite) = Sprite::effect(&self.gallery, kind, piece.side, scale) else {
                continue;
            };
            let right = (band.area.x + band.area.width).saturating_sub(sprite.width);
            let x = band.centre(piece.at, layout.width).saturating_sub(sprite.width / 2);
            let x = x.clamp(band.area.x, right.max(band.area.x));
            let room = floor.saturating_sub(high).saturating_sub(band.area.y);
            let is_free = taken.iter().all(|&(from, to)| x + sprite.width <= from || to <= x);
            if is_now {
                raster.paint(&sprite, x, floor);
            } else if room >= sprite.rows() && is_free {
                taken.push((x, x + sprite.width));
                raster.paint(&sprite, x, floor - high);
            }
        }
    }

    /// Draws a place of the road: its tile, or the key of the move that leads there, and its number.
    fn place(&self, canvas: &mut Canvas, track: &Track, layout: &Layout, band: &Band, place: u8) {
        let Layout { width, .. } = *layout;
        let x = band.left + u16::from(place - band.first) * width;
        let bottom = band.area.y + band.area.height;
        let tile = Rect { x, y: bottom - 2, width: width - 1, height: 1 };
        let standing = self.scene.pieces.iter().find(|piece| piece.at == place);
        let (bar, style) = match (standing, Mark::of(track, place)) {
            (Some(piece), _) => ("▀", solid(&canvas.look, piece.side)),
            (None, Some(mark)) => ("━", mark.style(&canvas.look)),
            (None, None) => ("━", canvas.look.ink(Ink::Faint)),
        };
        let ground = Rect { width, y: bottom - 1, ..tile };
        let number = Rect { width: width - 1, ..ground };
        middle(
            canvas,
            number,
            0,
            &place.to_string(),
            self.number_style(&canvas.look, track, place),
        );
        let Some(moves) = leading(self.targets, place, width - 3) else {
            canvas.text(tile, 0, &bar.repeat(tile.width.into()), style);
            return;
        };
        let style = if moves.is_chosen { CHOSEN } else { canvas.look.ink(Ink::Key) };
        let room = usize::from(tile.width) - 2;
        let before = room.saturating_sub(columns::width(&moves.keys)) / 2;
        let cap = format!("[{}]", columns::pad(&(" ".repeat(before) + &moves.keys), room));
        canvas.text(tile, 0, &cap, style);
        let column = Rect { x, y: band.area.y, width, height: band.area.height };
        canvas.target(column, Press::Pick(moves.number));
    }
}

/// The piece that a change concerns; `None` for a gauge.
const fn subject(change: &Change) -> Option<Piece> {
    match *change {
        Change::Appears(piece)
        | Change::Moves { piece, .. }
        | Change::Strengthens { piece, .. }
        | Change::Vanishes(piece) => Some(piece),
        Change::Gauge { .. } => None,
    }
}
