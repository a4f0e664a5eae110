//! Watching two programs: pausing, stepping, looking back, changing the speed, and seeing who is ahead.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use skirmish_play::driver::Driver;
use skirmish_play::{Plan, Session};
use skirmish_rules::{Record, Side};

use super::super::super::analysis;
use super::super::super::app::FULL;
use super::super::super::context::Context;
use super::super::super::log::Log;
use super::super::super::look::Ink;
use super::super::super::parts::Canvas;
use super::super::super::screen::{Go, Help, Hint, Press};
use super::super::super::stage::glyph;
use super::super::picture::Watched;
use super::super::{Earlier, Turns};
use super::{Local, LocalPlay, Stage};

/// Milliseconds between two turns, from slow to fast.
const PACES: [u64; 6] = [5000, 2500, 1200, 600, 250, 0];

/// The initial speed.
const USUAL_SPEED: usize = 2;

/// Width reserved for the vertical bar.
const BAR: u16 = 4;

/// The state of a spectator of two programs.
pub(super) struct Watching {
    is_paused: bool,
    /// An index into [`PACES`].
    speed: usize,
    /// When the next turn may begin; `None` if immediately.
    next: Option<Instant>,
    /// Whether to play one turn although the game is paused.
    steps: bool,
}

impl Watching {
    /// A spectator's state; `None` unless only programs play.
    pub(super) fn of(driver: &Driver) -> Option<Self> {
        let is_watched = Side::ALL.into_iter().all(|side| !driver.is_person(side));
        is_watched.then_some(Self {
            is_paused: false,
            speed: USUAL_SPEED,
            next: None,
            steps: false,
        })
    }

    /// Whether the programs may be asked for their choices now.
    pub(super) fn may_go_on(&mut self, now: Instant) -> bool {
        let is_due = !self.is_paused && self.next.is_none_or(|next| next <= now);
        std::mem::take(&mut self.steps) || is_due
    }

    /// Schedules the next turn after one has been played.
    pub(super) fn turn_played(&mut self, now: Instant) {
        self.next = Some(now + self.pace());
    }

    /// When the next turn may begin, unless the game is paused.
    pub(super) fn due(&self) -> Option<Instant> {
        self.next.filter(|_| !self.is_paused)
    }

    const fn pace(&self) -> Duration {
        Duration::from_millis(PACES[self.speed])
    }

    fn set_speed(&mut self, speed: usize, now: Instant) {
        self.speed = speed.min(PACES.len() - 1);
        self.next = self.next.map(|next| next.min(now + self.pace()));
    }

    /// The speed in words; `None` if the game is over.
    fn pace_words(&self, live: &Session, width: u16) -> Option<String> {
        let speed = self.speed + 1;
        match live.ending() {
            Some(_) => None,
            None if width >= FULL.0 => Some(format!("speed {speed} of {}", PACES.len())),
            None => Some(format!("speed {speed}")),
        }
    }

    pub(super) fn hints(&self) -> Vec<Hint> {
        let pause = if self.is_paused { "go on" } else { "pause" };
        vec![("Space", pause), ("←→", "step"), ("+-", "speed"), ("a", "analysis")]
    }

    pub(super) fn help(is_over: bool) -> Vec<Help> {
        let pause = ("Space".into(), "pause, or go on from the last turn");
        let mut help: Vec<Help> = if is_over { Vec::new() } else { vec![pause] };
        help.extend([
            ("→ .".into(), "one turn forward"),
            ("← ,".into(), "one turn back; the game waits"),
            ("Home End".into(), "the start, the last turn"),
        ]);
        help.extend((!is_over).then(|| ("+ = -".into(), "faster, slower")));
        help
    }
}

impl LocalPlay {
    /// The game as shown: at an earlier position, or at the current one.
    pub(super) fn looked_at(&self) -> &Session {
        let live = self.source.driver.session();
        self.earlier.as_ref().map_or(live, |earlier| &earlier.session)
    }

    /// The status to show if the spectator has stopped the game.
    pub(super) fn standstill(&self) -> Option<&'static str> {
        let watching = self.source.watching.as_ref()?;
        if self.earlier.is_some() {
            return Some("Looking back");
        }
        (watching.is_paused && self.source.stage == Stage::Between).then_some("Paused")
    }

    /// Shows the position after `turns` turns, and pauses the game.
    fn look_at(&mut self, turns: usize) {
        let Local { plan, driver, watching, .. } = &mut self.source;
        if let Some(watching) = watching {
            watching.is_paused = true;
        }
        let mut record = driver.session().record();
        let is_live = turns >= record.turns.len();
        record.turns.truncate(turns);
        let record = Record { ending: None, ..record };
        let session = if is_live { None } else { Session::resume(record).ok() };
        self.earlier =
            session.map(|session| Earlier { log: Log::new(plan, &session, None), session });
    }

    /// Handles a spectator's key; `None` if the key has no meaning for a spectator.
    pub(super) fn watch(&mut self, press: Press, context: &mut Context) -> Option<Go> {
        let Press::Key(key) = press else { return None };
        let is_over = self.is_over();
        let shown = self.looked_at().record().turns.len();
        let is_between = self.source.stage == Stage::Between;
        let watching = self.source.watching.as_mut()?;
        match key {
            KeyCode::Char(' ') if !is_over => {
                watching.is_paused = !watching.is_paused;
                watching.next = None;
                self.earlier = None;
            }
            KeyCode::Right | KeyCode::Char('.' | 'l') if self.earlier.is_some() => {
                self.look_at(shown + 1);
            }
            KeyCode::Right | KeyCode::Char('.' | 'l') => {
                (watching.is_paused, watching.steps) = (true, is_between);
            }
            KeyCode::Left | KeyCode::Char(',' | 'h') => self.look_at(shown.saturating_sub(1)),
            KeyCode::Home => self.look_at(0),
            KeyCode::End => self.earlier = None,
            KeyCode::Char('+' | '=') if !is_over => {
                watching.set_speed(watching.speed + 1, context.now);
            }
            KeyCode::Char('-') if !is_over => {
                watching.set_speed(watching.speed.saturating_sub(1), context.now);
            }
            _ => return None,
        }
        let was_moving = self.motion.take().is_some();
        Some(if was_moving || is_between { self.advance(context) } else { Go::Stay })
    }

    /// The facts for a spectator, shown in the first row.
    pub(super) fn watched_facts(&self, width: u16, context: &Context) -> Vec<String> {
        let Some(watching) = &self.source.watching else { return Vec::new() };
        let session = self.looked_at();
        let mover = match *session.table().turn() {
            [side] if self.standstill().is_some() => Some(format!("{} to move", glyph(side))),
            _ => None,
        };
        let worth = worth(&self.source.plan, session, context, width);
        let speed = watching.pace_words(self.source.driver.session(), width);
        mover.into_iter().chain(worth).chain(speed).collect()
    }

    /// Additional information for a spectator: who is ahead and, during analysis, the moves.
    pub(super) fn spectacle(&self, context: &Context) -> Option<Watched> {
        self.source.watching.as_ref()?;
        let (shown, live) = (self.looked_at().table(), self.source.driver.session());
        let known = context.known(&self.source.plan);
        let share = known.map(|known| analysis::standing(&known.solved, &shown.position()).share());
        let latest = live.table().history().len() + usize::from(live.ending().is_none());
        let choices = match *shown.turn() {
            [side] if self.is_analysing => shown.choices(side),
            _ => Vec::new(),
        };
        Some(Watched { share, latest_turn: self.earlier.as_ref().map(|_| latest), choices })
    }
}

/// The value of the position in words. A narrow window omits the mover's name, which is elsewhere in the row.
fn worth(plan: &Plan, session: &Session, context: &Context, width: u16) -> Option<String> {
    let table = session.table();
    let solved = context.known(plan)?.solved;
    let judgement = solved.judge_position(&table.position()).ok()??;
    let mover = table.turn().first().copied()?;
    Some(analysis::brief(&judgement, mover, table.names(), width))
}

/// The number of cells of a bar that belong to Player 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // a few cells
fn filled(share: f64, cells: usize) -> usize {
    ((share * cells as f64).round() as usize).min(cells)
}

/// The two parts of a bar of `cells` cells, each with its number of cells, its side and its glyph.
fn parts(share: f64, cells: usize) -> [(usize, Side, &'static str); 2] {
    let own = filled(share, cells);
    [(own, Side::One, "█"), (cells - own, Side::Two, "▒")]
}

/// Draws a horizontal bar.
pub(in super::super) fn across(canvas: &mut Canvas, area: Rect, share: f64) {
    let cells = usize::from(area.width).saturating_sub(6);
    let mut text = vec![canvas.span(Ink::Side(Side::One), format!(" {} ", glyph(Side::One)))];
    for (count, side, cell) in parts(share, cells) {
        let style = canvas.look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED);
        text.push(ratatui::text::Span::styled(cell.repeat(count), style));
    }
    text.push(canvas.span(Ink::Side(Side::Two), format!(" {}", glyph(Side::Two))));
    canvas.line(area, 0, &text.into());
}

/// Draws the bar that shows who is ahead, beside the game or, in a small window, below it. Returns the rest of the area.
pub(in super::super) fn bar(canvas: &mut Canvas, area: Rect, share: f64, is_roomy: bool) -> Rect {
    if !is_roomy {
        let rest = Rect { height: area.height.saturating_sub(1), ..area };
        across(canvas, Rect { y: rest.bottom(), height: 1, ..area }, share);
        return rest;
    }
    let rest = Rect { width: area.width - BAR, ..area };
    down(canvas, Rect { x: rest.right(), width: BAR, ..area }, share);
    rest
}

/// Draws a vertical bar with Player 1 at the top, as in the graph.
fn down(canvas: &mut Canvas, area: Rect, share: f64) {
    let area = Rect { x: area.x + 1, width: 2, ..area };
    let (first, last) = (0, area.height.saturating_sub(1));
    canvas.text(area, first, glyph(Side::One), canvas.look.ink(Ink::Side(Side::One)));
    canvas.text(area, last, glyph(Side::Two), canvas.look.ink(Ink::Side(Side::Two)));
    let rows = first + 1..last;
    let owners = parts(share, rows.len()).into_iter();
    let owners = owners.flat_map(|(count, side, cell)| std::iter::repeat_n((side, cell), count));
    for (row, (side, cell)) in rows.zip(owners) {
        let style = canvas.look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED);
        canvas.text(area, row, &cell.repeat(2), style);
    }
}
