//! Draws the figures on a road, each centred on its place, with bases and the effects of events.

use ratatui::layout::Rect;
use skirmish_rules::{Change, Piece, Pose, Side, Size, Track};

use super::super::look::Paint;
use super::super::parts::Canvas;
use super::layout::{Band, Layout};
use super::pixels::{Raster, Sprite};
use super::{Shown, ground, smaller};

impl Shown<'_> {
    pub(super) fn road(&self, canvas: &mut Canvas, area: Rect, track: &Track, layout: &Layout) {
        for band in &layout.bands {
            ground::landscape(canvas, band.air);
            ground::fill(canvas, Rect { height: 2, ..band.low }, Paint::Road);
            let mut raster = Raster::new(band.air);
            self.bases(&mut raster, track, layout, band);
            self.figures(&mut raster, layout.size, band);
            self.gliding(&mut raster, layout.size, band);
            self.effects(&mut raster, track, layout.size, band);
            raster.draw(canvas);
        }
        self.places(canvas, area, track, &layout.bands);
    }

    /// Draws the bases: beside the ends of the road if there is room, otherwise behind the figures on their places.
    fn bases(&self, raster: &mut Raster, track: &Track, layout: &Layout, band: &Band) {
        let Some(goal) = track.goal else { return };
        let floor = band.air.bottom();
        if goal.one == goal.two {
            let drawn = self.goal_of_both(layout.size).filter(|_| band.holds(goal.one));
            if let Some(drawn) = drawn {
                raster.paint(&drawn, drawn.left(band.centre(goal.one)), floor);
            }
            return;
        }
        for owner in Side::ALL.into_iter().filter(|owner| band.holds(goal[owner.other()])) {
            let place = goal[owner.other()];
            let size = layout.beside.unwrap_or(smaller(layout.size));
            let Some(base) = Sprite::base(&self.gallery, owner, size) else { continue };
            let last = i32::from(band.air.right()) - i32::from(base.width);
            let x = match layout.beside {
                None => base.left(band.centre(place)).min(last).max(band.air.x.into()),
                Some(_) if place == track.first => band.air.x.into(),
                Some(_) => last,
            };
            let base = if layout.beside.is_none() { base.shaded() } else { base };
            raster.paint(&base, x, floor);
        }
    }

    /// Draws one figure for all pieces of a side on a place. Opponents who fight for a place share it.
    fn figures(&self, raster: &mut Raster, size: Size, band: &Band) {
        let mut figures: Vec<(Pose, Side, u16)> = Vec::new();
        for place in band.first..=band.last {
            let here: Vec<Piece> = self.staying().filter(|piece| piece.at == place).collect();
            let is_shared = here.iter().any(|piece| piece.side != here[0].side);
            let aside = if is_shared { band.width / 4 } else { 0 };
            for side in Side::ALL {
                let poses = here.iter().filter(|it| it.side == side).map(|it| self.pose(*it));
                let centre = match side {
                    Side::One => band.centre(place).saturating_sub(aside),
                    Side::Two => band.centre(place) + aside,
                };
                figures.extend(poses.reduce(Ord::max).map(|pose| (pose, side, centre)));
            }
        }
        // Whoever has fallen lies behind the others.
        figures.sort_by_key(|(pose, ..)| *pose != Pose::Fall);
        for (pose, side, centre) in figures {
            let sprite = Sprite::piece(&self.gallery, side, pose, size);
            raster.paint(&sprite, sprite.left(centre), band.air.bottom());
        }
    }

    /// Draws the moving piece.
    fn gliding(&self, raster: &mut Raster, size: Size, band: &Band) {
        let Some(glide) = self.glide.filter(|glide| band.holds(glide.nearest())) else { return };
        let pose = match self.pose(glide.piece) {
            // Two steps on each way.
            Pose::Walk if (4.0 * glide.progress).rem_euclid(2.0) >= 1.0 => Pose::Stand,
            pose => pose,
        };
        let sprite = Sprite::piece(&self.gallery, glide.piece.side, pose, size);
        let is_within = band.holds(glide.piece.at) && band.holds(glide.to);
        let ends = if is_within { [glide.piece.at, glide.to] } else { [glide.nearest(); 2] };
        let [from, to] = ends.map(|place| f64::from(band.centre(place)));
        raster.paint(&sprite, sprite.left(glide.between(from, to)), band.air.bottom());
    }

    /// Draws the latest effect of an event above each place, and the sign of victory above the winner.
    fn effects(&self, raster: &mut Raster, track: &Track, size: Size, band: &Band) {
        let figure = Sprite::piece(&self.gallery, Side::One, Pose::Stand, size);
        let mut shown: Vec<(&str, Side, u8)> = Vec::new();
        for telling in self.told {
            if let Some(piece) = telling.changes.first().and_then(subject) {
                shown.push((telling.kind, piece.side, piece.at));
            }
        }
        if let (Some(winner), Some(goal)) = (self.winner, track.goal) {
            let pieces = self.scene.pieces.iter().filter(|piece| piece.side == winner);
            let first = pieces.min_by_key(|piece| piece.at.abs_diff(goal[winner]));
            shown.extend(first.map(|piece| ("win", winner, piece.at)));
        }
        for (nth, (kind, side, at)) in shown.iter().enumerate().filter(|(_, it)| band.holds(it.2)) {
            // After the turn, no effect may cover a figure.
            let above = band.air.bottom().saturating_sub(figure.rows());
            let room = if self.is_moving { band.air.height } else { above - band.air.y };
            let is_last = shown[nth + 1..].iter().all(|(.., other)| other != at);
            let sprite = Sprite::effect(&self.gallery, kind, *side, smaller(size));
            if let Some(sprite) = sprite.filter(|sprite| is_last && sprite.rows() <= room) {
                let floor = above.max(band.air.y + sprite.rows());
                let left = band.centre(*at).saturating_sub(sprite.width / 2);
                raster.paint(&sprite, left, floor);
            }
        }
    }

    /// The goal of both sides, which the winner takes.
    fn goal_of_both(&self, size: Size) -> Option<Sprite> {
        let name = self.gallery.goal.as_deref().or(self.gallery.base.as_deref());
        Sprite::named(&self.gallery, name, self.winner, Pose::Stand, size)
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
