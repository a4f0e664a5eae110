//! The stage: draws any scene as large as the area allows, with recent events and the targets of moves.
//!
//! It is independent of the games: each supplies drawings of pieces, bases and effects; without drawings, it uses tokens.

mod compact;
mod crowd;
mod duel;
mod gauge;
mod hills;
mod layout;
mod moves;
mod pixels;
mod road;
mod skyline;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use skirmish_rules::{Change, Entry, Gallery, Names, Scene, Side, Table, Telling, Track, columns};

pub(super) use self::moves::{MoveTarget, targets};
use super::look::{Ink, Look};
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
    /// The winner, who is shown alone on a stage without a road.
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
    pub(super) fn rows(scene: &Scene, width: u16, most: u16) -> u16 {
        let wanted = match (&scene.track, &scene.gauges) {
            (Some(track), None) => layout::rows(track, width, most),
            (Some(track), Some(_)) => {
                layout::rows(track, width, most.saturating_sub(gauge::ROWS)) + gauge::ROWS
            }
            (None, Some(_)) => duel::rows(width, most),
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
                match shown.layout(left, &track) {
                    Some(layout) => shown.road(canvas, &track, &layout),
                    None => shown.compact(canvas, left, &track),
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
    let still = Stage::still(table.entry(), &scene, table.names());
    Stage { targets, last_turn: &last_turn, moment, ..still }.draw(canvas, area);
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
    let rows = Stage::rows(&table.scene(), area.width, most).max(1);
    draw_table(canvas, Rect { height: rows, ..area }, table, targets, moment);
    below(area, rows)
}

/// The contents of the stage at one moment.
struct Shown<'a> {
    gallery: Gallery,
    scene: Scene,
    /// The scenes before and after the turn, which determine the layout of the whole animation.
    ends: [&'a Scene; 2],
    names: &'a Names,
    targets: &'a [MoveTarget],
    /// The events told so far.
    told: &'a [Telling],
    glide: Option<Glide>,
    is_moving: bool,
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
            ends: stage.moment.map_or([stage.scene; 2], |moment| moment.ends),
            names: stage.names,
            targets: stage.targets,
            told,
            glide: stage.moment.and_then(|moment| moment.glide),
            is_moving,
            winner: stage.winner,
            touched: if is_moving { Vec::new() } else { places },
            shaken,
        }
    }

    /// The event being animated.
    fn current(&self) -> Option<&'a Telling> {
        self.told.last().filter(|_| self.is_moving)
    }

    /// The style of a place's number, which highlights places that were changed.
    fn number_style(&self, look: &Look, track: &Track, place: u8) -> Style {
        let style = match Mark::of(track, place) {
            Some(Mark::Base(side)) => {
                look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED)
            }
            Some(Mark::Goal) => look.ink(Ink::Title),
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
