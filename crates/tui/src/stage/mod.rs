//! The stage: draws any scene as large as the area allows, with recent events and the targets of moves.
//!
//! It is independent of the games: each supplies drawings of pieces, bases and effects; without drawings, it uses tokens.

mod crowd;
mod duel;
mod gauge;
mod ground;
mod layout;
mod moves;
mod pixels;
mod places;
mod road;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use skirmish_rules::{
    Change, Entry, Gallery, Names, Outcome, Piece, Pose, Scene, Side, Size, Table, Telling, Track,
    columns,
};

use self::layout::Layout;
pub(super) use self::moves::{MoveTarget, targets};
use super::look::{Ink, Look, Paint};
use super::motion::{Glide, Moment, touched};
use super::parts::{Canvas, below};

/// A scene, with everything to draw on the stage.
pub(super) struct Stage<'a> {
    pub(super) entry: &'static Entry,
    pub(super) scene: &'a Scene,
    pub(super) names: &'a Names,
    /// The targets of the legal moves.
    pub(super) targets: &'a [MoveTarget],
    /// The events of the turn that led to the scene.
    pub(super) last_turn: &'a [Telling],
    /// A moment of the animation towards the scene, to be drawn instead of the scene.
    pub(super) moment: Option<Moment<'a>>,
    /// The winner, who cheers, while the opponent has fallen.
    pub(super) winner: Option<Side>,
}

/// The glyph of a side's pieces, which points in their direction of movement.
pub(super) const fn glyph(side: Side) -> &'static str {
    match side {
        Side::One => "▶",
        Side::Two => "◀",
    }
}

impl<'a> Stage<'a> {
    /// A scene at rest, without targets or events.
    pub(super) const fn still(entry: &'static Entry, scene: &'a Scene, names: &'a Names) -> Self {
        Self { entry, scene, names, targets: &[], last_turn: &[], moment: None, winner: None }
    }

    /// The height that a scene uses well at this width, at most `most`.
    pub(super) fn rows(entry: &Entry, scene: &Scene, width: u16, most: u16) -> u16 {
        let gallery = entry.gallery();
        let wanted = match (&scene.track, &scene.gauges) {
            (Some(track), None) => layout::rows(&gallery, track, width, most),
            (Some(track), Some(_)) => {
                let most = most.saturating_sub(gauge::ROWS);
                layout::rows(&gallery, track, width, most) + gauge::ROWS
            }
            (None, Some(_)) => duel::rows(&gallery, width, most),
            (None, None) => 0,
        };
        wanted.min(most)
    }

    /// Draws the scene as large as the area allows.
    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) {
        let area = area.intersection(canvas.buffer.area);
        if area.is_empty() {
            return;
        }
        let shown = Shown::of(self);
        let mut left = area;
        match (shown.scene.track, shown.scene.gauges) {
            (Some(track), gauges) => {
                if let Some(gauges) = gauges {
                    let rows = if area.height < 8 { 1 } else { gauge::ROWS };
                    shown.gauges(canvas, Rect { height: rows, ..area }, gauges);
                    left = below(area, rows);
                }
                match Layout::of(&shown.gallery, &track, left) {
                    Some(layout) => shown.road(canvas, left, &track, &layout),
                    None => shown.bare_road(canvas, left, &track),
                }
            }
            (None, Some(gauges)) => shown.duel(canvas, area, gauges),
            (None, None) => {}
        }
    }
}

/// Draws the board of a game, with the targets of moves or a moment of the turn being animated.
pub(super) fn draw_table(
    canvas: &mut Canvas,
    area: Rect,
    table: &dyn Table,
    targets: &[MoveTarget],
    moment: Option<Moment>,
) {
    let (scene, last_turn) = (table.scene(), table.last_turn());
    let winner = table.outcome().and_then(Outcome::winner);
    let still = Stage::still(table.entry(), &scene, table.names());
    Stage { targets, last_turn: &last_turn, moment, winner, ..still }.draw(canvas, area);
}

/// Draws the board in about the upper half of an area. Returns the area below.
pub(super) fn draw_above(
    canvas: &mut Canvas,
    area: Rect,
    table: &dyn Table,
    targets: &[MoveTarget],
    moment: Option<Moment>,
) -> Rect {
    let most = (area.height / 2).saturating_sub(1).max(3);
    let rows = Stage::rows(table.entry(), &table.scene(), area.width, most).max(1);
    draw_table(canvas, Rect { height: rows, ..area }, table, targets, moment);
    below(area, rows)
}

/// The contents of the stage at one moment.
struct Shown<'a> {
    gallery: Gallery,
    scene: Scene,
    names: &'a Names,
    targets: &'a [MoveTarget],
    /// The events told so far.
    told: &'a [Telling],
    glide: Option<Glide>,
    is_moving: bool,
    /// The winner, once the end has been told.
    winner: Option<Side>,
    /// The places that the last turn changed; empty during an animation.
    touched: Vec<u8>,
    /// The sides whose gauges have been changed by the events told so far.
    shaken: Vec<Side>,
}

impl<'a> Shown<'a> {
    fn of(stage: &Stage<'a>) -> Self {
        let mut scene = stage.moment.map_or(stage.scene, |moment| moment.scene).clone();
        let told = stage.moment.map_or(stage.last_turn, |moment| moment.told);
        if let Some((last, _)) = told.split_last().filter(|_| stage.moment.is_some()) {
            // Gauges change at the start of an event, whereas pieces are still moving.
            for change in &last.changes {
                if let (Change::Gauge { side, to }, Some(gauges)) = (*change, &mut scene.gauges) {
                    gauges[side].value = to;
                }
            }
        }
        let is_moving = stage.moment.is_some();
        let (places, shaken) = touched(told);
        Self {
            gallery: stage.entry.gallery(),
            scene,
            names: stage.names,
            targets: stage.targets,
            told,
            glide: stage.moment.and_then(|moment| moment.glide),
            is_moving,
            winner: stage
                .winner
                .filter(|_| !is_moving || told.last().is_some_and(|telling| telling.kind == "win")),
            touched: if is_moving { Vec::new() } else { places },
            shaken,
        }
    }

    /// The event being animated.
    fn current(&self) -> Option<&'a Telling> {
        self.told.last().filter(|_| self.is_moving)
    }

    /// All pieces but the one that is moving.
    fn staying(&self) -> impl Iterator<Item = Piece> + '_ {
        let moving = self
            .glide
            .and_then(|glide| self.scene.pieces.iter().position(|piece| *piece == glide.piece));
        let pieces = self.scene.pieces.iter().enumerate();
        pieces.filter(move |(nth, _)| Some(*nth) != moving).map(|(_, piece)| *piece)
    }

    /// The pose of a piece.
    fn pose(&self, piece: Piece) -> Pose {
        match (self.winner, self.current()) {
            (Some(winner), _) if winner == piece.side => Pose::Cheer,
            (Some(_), _) => Pose::Fall,
            (None, Some(telling)) => self.gallery.pose(telling, piece),
            (None, None) => Pose::Stand,
        }
    }

    /// The style of a place's number, which highlights places that were changed.
    fn number_style(&self, look: &Look, track: &Track, place: u8) -> Style {
        let style = match Mark::of(track, place) {
            // On a painted road, text in a side's colour would be hard to read.
            Some(Mark::Base(side)) if look.paint(Paint::Road).is_none() => {
                look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED)
            }
            Some(_) => look.ink(Ink::Title),
            None => look.ink(Ink::Faint),
        };
        if self.touched.contains(&place) {
            style.remove_modifier(Modifier::DIM).add_modifier(Modifier::REVERSED)
        } else {
            style
        }
    }
}

/// A place with a special meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// The base of this side, which is the goal of the other.
    Base(Side),
    /// The goal of both sides.
    Goal,
}

impl Mark {
    fn of(track: &Track, place: u8) -> Option<Self> {
        let is_goal = |side: Side| track.goal.is_some_and(|goal| goal[side] == place);
        match (is_goal(Side::One), is_goal(Side::Two)) {
            (true, true) => Some(Self::Goal),
            (true, false) => Some(Self::Base(Side::Two)),
            (false, true) => Some(Self::Base(Side::One)),
            (false, false) => None,
        }
    }

    /// The style of the mark, in its owner's colour.
    fn style(self, look: &Look) -> Style {
        match self {
            Self::Base(side) => solid(look, side),
            Self::Goal => look.ink(Ink::Title),
        }
    }
}

/// The next smaller size, if there is one.
const fn smaller(size: Size) -> Size {
    match size {
        Size::Large => Size::Medium,
        Size::Medium | Size::Small => Size::Small,
    }
}

/// The style of a side's plates, equally prominent for both sides.
fn plate(look: &Look, side: Side) -> Style {
    let style = look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED);
    style.add_modifier(Modifier::REVERSED)
}

/// A side's style for shapes, which are never underlined or bold.
fn solid(look: &Look, side: Side) -> Style {
    look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED | Modifier::BOLD)
}

/// Draws text in the middle of a row.
fn middle(canvas: &mut Canvas, area: Rect, row: u16, text: &str, style: Style) {
    let length = columns::cells(text).min(area.width);
    let x = area.x + (area.width - length) / 2;
    canvas.text(Rect { x, width: length, ..area }, row, text, style);
}
