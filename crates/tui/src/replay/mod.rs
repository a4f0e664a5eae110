//! The replay screen: step or jump through a recorded game, or play it at an adjustable speed.

mod view;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_arena::tournament::GameId;
use skirmish_play::library::Effort;
use skirmish_play::{Mark, Plan, Review, ReviewedChoice, opening_turns, review};
use skirmish_rules::{Entry, Record, Scene, Side, Telling};

use super::analysis;
use super::context::Context;
use super::exercise::Exercise;
use super::jobs::JobReport;
use super::map::MapScreen;
use super::motion::Motion;
use super::parts::Canvas;
use super::screen::{Clip, Go, Help, Hint, Press, Screen, Way};
use super::tournament::LiveTournament;

pub(super) struct Replay {
    plan: Plan,
    record: Record,
    /// The scene before each turn and after the last, each with the events that led to it.
    frames: Vec<(Scene, Vec<Telling>)>,
    positions: Vec<String>,
    /// The side to move in each position.
    movers: Vec<Option<Side>>,
    at: usize,
    motion: Option<Motion>,
    /// When to show the next turn, while the replay is playing.
    next: Option<Instant>,
    speed: usize,
    is_analysing: bool,
    review: Option<Review>,
    /// The tournament game being followed while it is in progress.
    followed: Option<(Arc<LiveTournament>, GameId)>,
}

/// Milliseconds between two turns, from slow to fast.
const PACES: [u64; 5] = [3000, 1500, 800, 400, 200];

impl Replay {
    pub(super) fn new(record: Record, is_analysing: bool, context: &mut Context) -> Self {
        let plan = Plan::of(&record);
        context.learn(&plan, if is_analysing { Effort::Full } else { Effort::Slight });
        let mut table = record.table();
        let mut frames = vec![(table.scene(), Vec::new())];
        let mut movers = vec![table.turn().first().copied()];
        for turn in &record.turns {
            table.play(&turn.notation).expect("the record was checked");
            frames.push((table.scene(), table.last_turn()));
            movers.push(table.turn().first().copied());
        }
        let positions = analysis::positions(&record);
        let mut replay = Self {
            plan,
            record,
            frames,
            positions,
            movers,
            at: 0,
            motion: None,
            next: None,
            speed: 2,
            is_analysing,
            review: None,
            followed: None,
        };
        replay.judge(context);
        replay
    }

    /// A replay of a tournament game, which follows the game if it is still in progress.
    pub(super) fn of_tournament(
        record: Record,
        live: Arc<LiveTournament>,
        id: GameId,
        context: &mut Context,
    ) -> Self {
        let is_over = record.ending.is_some();
        let replay = Self::new(record, false, context);
        let followed = (!is_over).then_some((live, id));
        Self { at: replay.last(), followed, ..replay }
    }

    /// Adds the turns played since. If the last turn was on screen, shows the next.
    fn follow(&mut self, context: &mut Context) {
        let Some((live, id)) = &self.followed else { return };
        // An abandoned game has no record.
        let Ok(record) = live.record(*id) else { return };
        if record.turns.len() == self.record.turns.len() && record.ending.is_none() {
            return;
        }
        let followed = self.followed.take().filter(|_| record.ending.is_none());
        let (at, is_last) = (self.at, self.at == self.last());
        let Self { next, speed, is_analysing, .. } = *self;
        let replay = Self::new(record, is_analysing, context);
        *self = Self { at, next, speed, followed, ..replay };
        if is_last && self.at < self.last() {
            self.jump(self.last() - 1);
            self.step(Way::Right, context);
        }
    }

    fn judge(&mut self, context: &Context) {
        if self.review.is_none()
            && let Some(known) = context.known(&self.plan)
        {
            self.review = Some(review(&self.record, &known.solved));
        }
    }

    fn last(&self) -> usize {
        self.frames.len() - 1
    }

    const fn pace(&self) -> Duration {
        Duration::from_millis(PACES[self.speed])
    }

    fn step(&mut self, way: Way, context: &Context) {
        let before = self.at;
        self.jump(match way {
            Way::Left | Way::Up => self.at.saturating_sub(1),
            Way::Right | Way::Down => (self.at + 1).min(self.last()),
        });
        if self.at > before && context.look.motion {
            let (scene, _) = &self.frames[before];
            self.motion = Motion::of(scene.clone(), self.frames[self.at].1.clone(), context.now);
        }
    }

    fn jump(&mut self, to: usize) {
        self.motion = None;
        self.at = to.min(self.last());
        if self.at == self.last() {
            self.next = None;
        }
    }

    fn play_or_pause(&mut self, now: Instant) {
        if self.next.take().is_some() {
            return;
        }
        if self.at == self.last() {
            self.jump(0);
        }
        self.next = (self.last() > 0).then(|| now + self.pace());
    }

    /// Starts a game from the position on the screen.
    fn play_on(&mut self, context: &mut Context) -> Go {
        (self.next, self.motion) = (None, None);
        let position = &self.positions[self.at];
        Exercise::go(&self.plan, position, "Go back a turn to play on.", context)
    }

    /// Whether the tournament chose this turn, counted from 1, at random.
    fn is_opening(&self, turn: usize) -> bool {
        (1..=opening_turns(&self.record)).contains(&turn)
    }

    /// The reviewed choices of a turn, if analysing.
    fn reviewed(&self, turn: usize) -> impl Iterator<Item = &ReviewedChoice> {
        let review = self.review.iter().filter(|_| self.is_analysing);
        review.flat_map(|review| &review.choices).filter(move |choice| choice.turn == turn)
    }

    /// The review's marks for a turn.
    fn mark(&self, turn: usize) -> String {
        self.reviewed(turn).filter_map(ReviewedChoice::mark).map(Mark::sign).collect()
    }
}

impl Screen for Replay {
    fn title(&self) -> String {
        let names = &self.record.names;
        format!("{}: {} against {}", self.plan.entry.name, names.one, names.two)
    }

    fn clip(&self, what: Clip, _context: &Context) -> Option<String> {
        match what {
            Clip::Position => Some(self.positions[self.at].clone()),
            Clip::Record => Some(self.record.to_string()),
            Clip::Code => None,
        }
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.plan.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        vec![
            ("←→", "step"),
            ("Space", "play"),
            ("a", "analysis"),
            ("Esc", "back"),
            ("p", "play on"),
            ("m", "map"),
            ("+-", "speed"),
            ("g G", "first, last"),
        ]
    }

    fn more_help(&self) -> Vec<Help> {
        vec![
            ("+ = -".into(), "faster, slower"),
            ("PgUp PgDn".into(), "ten turns"),
            ("Home End".into(), "like g and G"),
            ("↓ Enter".into(), "like →"),
            ("↑".into(), "like ←"),
            ("mouse".into(), "click a turn"),
        ]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Home | KeyCode::Char('g')) => self.jump(0),
            Press::Key(KeyCode::End | KeyCode::Char('G')) => self.jump(self.last()),
            Press::Key(KeyCode::PageUp) => self.jump(self.at.saturating_sub(10)),
            Press::Key(KeyCode::PageDown) => self.jump(self.at + 10),
            Press::Key(KeyCode::Char(' ')) => self.play_or_pause(context.now),
            Press::Key(KeyCode::Char('+' | '=')) => {
                self.speed = (self.speed + 1).min(PACES.len() - 1);
            }
            Press::Key(KeyCode::Char('-')) => self.speed = self.speed.saturating_sub(1),
            Press::Key(KeyCode::Char('a')) => {
                self.is_analysing = !self.is_analysing;
                context.learn(&self.plan, Effort::Full);
            }
            Press::Key(KeyCode::Char('m')) => {
                (self.next, self.motion) = (None, None);
                let path = self.positions[..=self.at].to_vec();
                return Go::to(MapScreen::new(self.plan.clone(), path, context));
            }
            Press::Key(KeyCode::Char('p')) => return self.play_on(context),
            Press::Key(KeyCode::Enter) => self.step(Way::Right, context),
            Press::Pick(turn) => self.jump(turn),
            _ => {
                if let Some(way) = press.way() {
                    self.next = None;
                    self.step(way, context);
                }
            }
        }
        Go::Stay
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        match report {
            JobReport::Solved => self.judge(context),
            JobReport::Tournament => self.follow(context),
            JobReport::Chosen { .. } => {}
        }
        Go::Stay
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        Motion::advance(&mut self.motion, context.now);
        if self.next.is_some_and(|next| next <= context.now) {
            self.next = Some(context.now + self.pace());
            self.step(Way::Right, context);
        }
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        let frame = self.motion.as_ref().map(Motion::frame);
        frame.into_iter().chain(self.next).min()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        view::draw(self, canvas, area, context);
    }
}
