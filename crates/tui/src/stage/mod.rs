//! The stage: any scene, drawn as large as its area allows, with what has just happened and where the moves lead.
//!
//! It knows no game: pieces, bases and effects are a game's own drawings, and a game without any gets plain tokens.

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

/// A scene with everything to draw on it.
pub(super) struct Stage<'a> {
    pub(super) entry: &'static Entry,
    pub(super) scene: &'a Scene,
    pub(super) names: &'a Names,
    /// Where the legal moves lead.
    pub(super) targets: &'a [MoveTarget],
    /// The events that led to the scene.
    pub(super) last_turn: &'a [Telling],
    /// A moment on the way to the scene, which is shown instead of it.
    pub(super) moment: Option<Moment<'a>>,
    /// Who has won and has the stage alone, if it has no road.
    pub(super) winner: Option<Side>,
}

/// The glyph of a side's pieces, which points in their direction.
pub(super) const fn glyph(side: Side) -> &'static str {
    match side {
        Side::One => "▶",
        Side::Two => "◀",
    }
}

impl<'a> Stage<'a> {
    /// A scene at rest, without marks.
    pub(super) const fn still(entry: &'static Entry, scene: &'a Scene, names: &'a Names) -> Self {
        Self { entry, scene, names, targets: &[], last_turn: &[], moment: None, winner: None }
    }

    /// How many of at most `most` rows a scene fills well in this width.
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

    /// Fills the area as well as it can.
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

/// Draws the board of a game: where the moves lead, or the turn that is being shown.
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

/// What is drawn at this moment.
struct Shown<'a> {
    gallery: Gallery,
    scene: Scene,
    /// The scenes at rest that decide how all of the turn is drawn.
    ends: [&'a Scene; 2],
    names: &'a Names,
    targets: &'a [MoveTarget],
    /// The events told so far.
    told: &'a [Telling],
    glide: Option<Glide>,
    is_moving: bool,
    winner: Option<Side>,
    /// The places that the last turn touched, while nothing moves.
    touched: Vec<u8>,
    /// The sides whose gauges the events told so far touched.
    shaken: Vec<Side>,
}

impl<'a> Shown<'a> {
    fn of(stage: &Stage<'a>) -> Self {
        let mut scene = stage.moment.map_or(stage.scene, |moment| moment.scene).clone();
        let told = stage.moment.map_or(stage.last_turn, |moment| moment.told);
        if let Some((last, _)) = told.split_last().filter(|_| stage.moment.is_some()) {
            // A gauge shows at once what the event did to it; a piece is still on its way.
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

    /// The event that is shown while something moves.
    fn current(&self) -> Option<&'a Telling> {
        self.told.last().filter(|_| self.is_moving)
    }

    /// The style of a place's number, in which what was touched stands out.
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

/// A place with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// Where the other side wants to go.
    Base(Side),
    /// Where both want to go.
    Goal,
}

impl Mark {
    fn of(track: &Track, place: u8) -> Option<Self> {
        let is_goal = |side: Side| track.goal[side] == place;
        match (is_goal(Side::One), is_goal(Side::Two)) {
            (true, true) => Some(Self::Goal),
            (true, false) => Some(Self::Base(Side::Two)),
            (false, true) => Some(Self::Base(Side::One)),
            (false, false) => None,
        }
    }

    /// A shape in its owner's colour.
    fn style(self, look: &Look) -> Style {
        match self {
            Self::Base(side) => solid(look, side),
            Self::Goal => look.ink(Ink::Title),
        }
    }
}

/// The style of a side's name or strength on the stage: the same weight for both.
fn plate(look: &Look, side: Side) -> Style {
    let style = look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED);
    style.add_modifier(Modifier::REVERSED)
}

/// A side's ink for shapes, which are never underlined.
fn solid(look: &Look, side: Side) -> Style {
    look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED | Modifier::BOLD)
}

/// Draws text in the middle of a row.
fn middle(canvas: &mut Canvas, area: Rect, row: u16, text: &str, style: Style) {
    let length = columns::cells(text).min(area.width);
    let x = area.x + (area.width - length) / 2;
    canvas.text(Rect { x, width: length, ..area }, row, text, style);
}
