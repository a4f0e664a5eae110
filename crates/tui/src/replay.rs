//! The replay screen: step or jump through a recorded game, or watch it at some speed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_arena::tournament::GameId;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{Mark, Plan, Review, ReviewedChoice, review};
use skirmish_present::review::{epilogue, verdict};
use skirmish_rules::{Entry, Record, Scene, Side, StartError, Telling};

use super::analysis;
use super::app::is_roomy;
use super::context::Context;
use super::exercise::Exercise;
use super::jobs::JobReport;
use super::look::{CHOSEN, Ink};
use super::map::MapScreen;
use super::motion::Motion;
use super::parts::{Canvas, below, inset};
use super::screen::{Go, Help, Hint, Press, Screen, Way};
use super::stage::Stage;
use super::tournament::LiveTournament;

pub(super) struct Replay {
    plan: Plan,
    record: Record,
    /// The scene before every turn and after the last, each with the events that led to it.
    frames: Vec<(Scene, Vec<Telling>)>,
    positions: Vec<String>,
    /// The side to move in each position.
    movers: Vec<Option<Side>>,
    at: usize,
    motion: Option<Motion>,
    /// When to show the next turn, while playing.
    next: Option<Instant>,
    speed: usize,
    is_analysing: bool,
    review: Option<Review>,
    /// The tournament's game that is followed while it is played.
    followed: Option<(Arc<LiveTournament>, GameId)>,
}

/// Columns of the list of turns.
const TURNS: u16 = 28;

/// The pause between two turns, from slow to fast.
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

    /// A game of a tournament. One that is being played is shown from its last turn, and followed.
    pub(super) fn of_tournament(
        record: Record,
        live: Arc<LiveTournament>,
        id: GameId,
        context: &mut Context,
    ) -> Self {
        let is_over = record.ending.is_some();
        let replay = Self::new(record, false, context);
        if is_over {
            return replay;
        }
        Self { at: replay.last(), followed: Some((live, id)), ..replay }
    }

    /// Takes the turns that have been played since. Somebody at the last turn sees the next one.
    fn follow(&mut self, context: &mut Context) {
        let Some((live, id)) = &self.followed else { return };
        // A game that has been abandoned has no record.
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

    /// To a game that starts from the position on the screen.
    fn play_on(&mut self, context: &mut Context) -> Go {
        (self.next, self.motion) = (None, None);
        match Exercise::of(&self.plan, &self.positions[self.at]) {
            Ok(exercise) => Go::To(Box::new(exercise)),
            Err(StartError::Over(_)) => {
                Go::refused("The game is over here. Go back a turn to play on.", context)
            }
            Err(why) => Go::refused(why.to_string(), context),
        }
    }

    /// The reviewed choices of a turn, if analysing.
    fn reviewed(&self, turn: usize) -> impl Iterator<Item = &ReviewedChoice> {
        let review = self.review.iter().filter(|_| self.is_analysing);
        review.flat_map(|review| &review.choices).filter(move |choice| choice.turn == turn)
    }

    /// The review's remarks on the turn that led here.
    fn remarks(&self) -> Vec<String> {
        self.reviewed(self.at).map(|choice| verdict(choice, &self.record.names)).collect()
    }

    fn turns(&self, canvas: &mut Canvas, area: Rect) {
        let inside = canvas.panel(area, "Turns");
        let rows = usize::from(inside.height);
        let first = self.at.saturating_sub(rows.saturating_sub(1));
        let turns = self.record.turns.iter().enumerate().skip(first).take(rows);
        for (row, (index, turn)) in (0..).zip(turns) {
            let mark = self.mark(index + 1);
            let text = format!("{:>4}. {}{mark}", index + 1, turn.notation.replace('|', " | "));
            let place = Rect { y: inside.y + row, height: 1, ..inside };
            canvas.text(place, 0, &text, canvas.look.ink(Ink::Plain));
            if index + 1 == self.at {
                canvas.buffer.set_style(place, CHOSEN);
            }
            canvas.target(place, Press::Pick(index + 1));
        }
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
        vec![("PgUp PgDn".into(), "ten turns"), ("Home End".into(), "like g and G")]
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
                return Go::To(Box::new(MapScreen::new(self.plan.clone(), path, context)));
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
        let (scene, tellings) = &self.frames[self.at];
        let roomy = is_roomy(area);
        let rows = if roomy {
            if self.is_analysing {
                7
            } else {
                Stage::rows(scene, area.width - 2, (area.height / 2).max(12) - 2) + 2
            }
        } else {
            Stage::rows(scene, area.width, area.height / 2 - 1).max(1)
        };
        let place = Rect { height: rows, ..area };
        let inside = if roomy && !self.is_analysing { canvas.panel(place, "") } else { place };
        let stage = Stage {
            last_turn: tellings,
            moment: self.motion.as_ref().and_then(|motion| motion.moment(context.now)),
            ..Stage::still(self.record.entry, scene, &self.record.names)
        };
        stage.draw(canvas, inside);
        let lower = below(area, rows);
        let (left, right) = match (roomy, self.is_analysing) {
            (true, true) => analysis::halves(lower),
            (true, false) => {
                let left = Rect { width: lower.width - TURNS, ..lower };
                (left, Rect { x: lower.x + left.width, width: TURNS, ..lower })
            }
            (false, _) => (lower, Rect::ZERO),
        };
        let text_area = if roomy { canvas.panel(left, &self.progress()) } else { left };
        let text_area = inset(text_area);
        let mut text_area = match context.known(&self.plan).filter(|_| roomy && self.is_analysing) {
            Some(known) => analysis::graph_below(canvas, text_area, &known, &self.record, self.at),
            None => text_area,
        };
        if !roomy {
            canvas.text(text_area, 0, &self.progress(), canvas.look.ink(Ink::Title));
            text_area = below(text_area, 1);
        }
        let told: Vec<&str> = tellings.iter().map(|telling| telling.sentence.as_str()).collect();
        // The judgement comes first: in a small window, the board still shows what happened.
        let mut paragraphs: Vec<(String, Ink)> =
            self.remarks().into_iter().map(|remark| (remark, Ink::Key)).collect();
        if self.at == self.last() {
            paragraphs.extend(epilogue(&self.record).map(|text| (text, Ink::Title)));
        }
        paragraphs.push((told.join(" "), Ink::Plain));
        for (text, ink) in paragraphs {
            text_area = below(text_area, canvas.prose(text_area, &text, canvas.look.ink(ink)));
        }
        if roomy && self.is_analysing {
            self.analysed(canvas, right, context);
        } else if roomy {
            self.turns(canvas, right);
        }
    }
}

impl Replay {
    fn analysed(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let Some(known) = context.known(&self.plan) else {
            let inside = canvas.panel(area, "Analysis");
            let text = match context.knowledge(&self.plan) {
                Knowledge::Refused(_, why) => why.to_string(),
                Knowledge::Known(_) | Knowledge::Working(_) | Knowledge::Nothing => {
                    "The game is being solved…".to_owned()
                }
            };
            canvas.prose(inside, &text, canvas.look.ink(Ink::Faint));
            return;
        };
        let (names, position) = (&self.record.names, &self.positions[self.at]);
        let judgement = known.solved.judge_position(position).ok().flatten();
        let mover = self.movers[self.at];
        let title = judgement.as_ref().map(|judgement| analysis::title(judgement, mover, names));
        let inside = canvas.panel(area, &title.unwrap_or_default());
        let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
        analysis::draw(canvas, inside, &known, &self.record, self.at, judgement.as_ref());
    }

    fn progress(&self) -> String {
        let state = if self.followed.is_some() {
            "Being played: ".to_owned()
        } else if self.next.is_some() {
            format!("▶ speed {}: ", self.speed + 1)
        } else {
            String::new()
        };
        format!("{state}Turn {} of {} {}", self.at, self.last(), self.mark(self.at))
            .trim_end()
            .to_owned()
    }
}
