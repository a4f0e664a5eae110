//! The tutorial screen: lessons, most of which ask for a move.

use std::cell::Cell;
use std::cmp::Ordering;
use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_rules::{Choice, Entry, Lesson, Scene, Side, Table, Task, Tempo};

use super::app::is_roomy;
use super::context::Context;
use super::keys::{Keys, Picked, lines};
use super::look::Ink;
use super::motion::Motion;
use super::parts::{Canvas, inset, split};
use super::screen::{Go, Help, Hint, Press, Screen};
use super::setup::SetupScreen;
use super::stage::{draw_above, targets};

/// Minimum width of a window that lists the lessons.
const WIDE: u16 = 100;

pub(super) struct TutorialScreen {
    entry: &'static Entry,
    lessons: Vec<Lesson>,
    at: usize,
    table: Box<dyn Table>,
    /// The opponent's remaining moves, last first.
    replies: Vec<String>,
    motion: Option<Motion>,
    stage: LessonStage,
    /// The events in this lesson.
    told: Vec<String>,
    /// The reason why the last move was illegal.
    refused: Option<String>,
    /// Whether the text of the lesson fills a small window, before the board is shown.
    is_reading: bool,
    is_small: Cell<bool>,
    chosen: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LessonStage {
    /// The lesson is shown, and asks for a move if it has a task.
    Asking,
    /// A wrong move was made.
    Advised,
    /// The right move was made; the lesson is done.
    Praised,
}

/// The learner's seat.
const LEARNER: Side = Side::One;

impl TutorialScreen {
    /// Opens the tutorial of a game, if there is one.
    pub(super) fn go(entry: &'static Entry) -> Go {
        Self::of(entry).map_or(Go::Stay, Go::to)
    }

    fn of(entry: &'static Entry) -> Option<Self> {
        let lessons = entry.lessons()?.lessons;
        let table = entry.open(entry.setup()).ok()?;
        let mut tutorial = Self {
            entry,
            lessons,
            at: 0,
            table,
            replies: Vec::new(),
            motion: None,
            stage: LessonStage::Asking,
            told: Vec::new(),
            refused: None,
            is_reading: true,
            is_small: Cell::new(false),
            chosen: 0,
        };
        tutorial.begin();
        Some(tutorial)
    }

    fn lesson(&self) -> &Lesson {
        &self.lessons[self.at]
    }

    /// Sets up the board for the lesson.
    fn begin(&mut self) {
        self.stage = LessonStage::Asking;
        self.motion = None;
        self.replies.clear();
        self.told.clear();
        self.refused = None;
        self.is_reading = true;
        self.chosen = 0;
        if let Some(position) = self.lesson().position.clone() {
            let mut setup = self.entry.setup();
            setup.position = Some(position);
            self.table = self.entry.open(setup).expect("the positions of lessons are checked");
        }
    }

    fn is_asking(&self) -> bool {
        self.lesson().task != Task::Read
            && self.stage != LessonStage::Praised
            && self.motion.is_none()
    }

    fn choices(&self) -> Vec<Choice> {
        if self.is_asking() { self.table.choices(LEARNER) } else { Vec::new() }
    }

    fn is_right(&self, choice: &Choice) -> bool {
        match &self.lesson().task {
            Task::Read => false,
            Task::PlayAny => true,
            Task::Play(moves) => moves.contains(&choice.notation),
        }
    }

    fn choose(&mut self, number: usize, context: &Context) {
        let choices = self.choices();
        if let Some(choice) = choices.get(number) {
            self.judge(choice, &choice.notation, context);
        }
    }

    /// Enters a move that is illegal as typed, but that the rules may shorten to a legal move (R-CTL-1).
    fn enter(&mut self, text: &str, context: &Context) {
        let mut trial = self.table.fork();
        if let Err(refusal) = trial.submit(LEARNER, text) {
            self.stage = LessonStage::Advised;
            self.refused = Some(refusal.to_string());
            return;
        }
        let played = trial.history().pop();
        let choices = self.choices();
        let choice = choices.iter().find(|choice| Some(&choice.notation) == played.as_ref());
        if let Some(choice) = choice {
            self.judge(choice, text, context);
        }
    }

    /// Judges a choice and, if it is right, plays it as it was typed.
    fn judge(&mut self, choice: &Choice, text: &str, context: &Context) {
        self.refused = None;
        if !self.is_right(choice) {
            self.stage = LessonStage::Advised;
            return;
        }
        self.replies = self.lesson().replies.clone();
        self.replies.reverse();
        self.stage = LessonStage::Praised;
        // In a simultaneous game, the reply is part of the turn.
        if self.table.tempo() == Tempo::Simultaneous {
            let reply = self.replies.pop().unwrap_or_default();
            return self.play(&format!("{}|{reply}", choice.notation), context);
        }
        let before = self.table.scene();
        self.table.submit(LEARNER, text).expect("it is legal, or becomes so");
        self.tell(before, context);
    }

    fn play(&mut self, turn: &str, context: &Context) {
        let before = self.table.scene();
        self.table.play(turn).expect("the moves of lessons are checked");
        self.tell(before, context);
    }

    /// Adds the events of the last turn to the text, and animates them.
    fn tell(&mut self, before: Scene, context: &Context) {
        self.told.extend(self.table.last_turn().into_iter().map(|telling| telling.sentence));
        if context.look.motion {
            self.motion = Motion::of(before, self.table.last_turn(), context.now);
        }
        if self.motion.is_none() {
            self.reply(context);
        }
    }

    /// Plays the next reply, if there is one.
    fn reply(&mut self, context: &Context) {
        if let Some(reply) = self.replies.pop() {
            self.play(&reply, context);
        }
    }

    fn next(&mut self, context: &Context) -> Go {
        // The next lesson may continue from here, so play the right move if the player has not.
        if let Some(number) = self.choices().iter().position(|choice| self.is_right(choice)) {
            self.choose(number, context);
            self.skip(context);
        }
        if self.at + 1 == self.lessons.len() {
            return Go::replace(SetupScreen::new(self.entry, context));
        }
        self.at += 1;
        self.begin();
        Go::Stay
    }

    fn skip(&mut self, context: &Context) {
        while self.motion.take().is_some() {
            self.reply(context);
        }
    }

    /// Lists the lessons beside the text in a wide window. Returns the area that is left.
    fn contents(&self, canvas: &mut Canvas, area: Rect) -> Rect {
        if area.width < WIDE {
            return area;
        }
        let (left, right) = split(area, area.width * 2 / 3);
        let inside = inset(canvas.panel(right, "Lessons"));
        let first = (self.at + 1).saturating_sub(inside.height.into());
        for (row, (number, lesson)) in
            (0..inside.height).zip(self.lessons.iter().enumerate().skip(first))
        {
            let (mark, ink) = match number.cmp(&self.at) {
                Ordering::Less => ("●", Ink::Plain),
                Ordering::Equal => ("▶", Ink::Key),
                Ordering::Greater => ("·", Ink::Faint),
            };
            canvas.line(inside, row, &canvas.led(ink, format!("{mark} {}", lesson.title), ""));
        }
        left
    }

    /// Explains what is wrong with the last move.
    fn advice(&self) -> String {
        match &self.refused {
            Some(refused) => refused.clone(),
            None => format!("Not that one. {}", self.lesson().advice),
        }
    }

    /// The text of the lesson, and a comment on the move.
    fn words(&self) -> Vec<(String, Ink)> {
        let lesson = self.lesson();
        match self.stage {
            // In a small window, the player has already read the text, and the moves need the space.
            LessonStage::Asking if self.is_small.get() => {
                vec![(format!("{}: your move.", lesson.title), Ink::Key)]
            }
            LessonStage::Advised if self.is_small.get() => {
                vec![(self.advice(), Ink::Key)]
            }
            LessonStage::Asking => {
                let ask = if lesson.task == Task::Read { "" } else { "Your move." };
                vec![(lesson.text.clone(), Ink::Plain), (ask.to_owned(), Ink::Key)]
            }
            LessonStage::Advised => {
                vec![(lesson.text.clone(), Ink::Plain), (self.advice(), Ink::Alarm)]
            }
            LessonStage::Praised => {
                let praise =
                    if self.motion.is_some() { String::new() } else { lesson.praise.clone() };
                vec![(self.told.join(" "), Ink::Plain), (praise, Ink::Good)]
            }
        }
    }
}

impl Screen for TutorialScreen {
    fn title(&self) -> String {
        format!("Lesson {} of {}: {}", self.at + 1, self.lessons.len(), self.entry.name)
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        let is_last = self.at + 1 == self.lessons.len();
        let mut hints = Vec::new();
        if self.is_small.get() && self.is_reading && self.lesson().task != Task::Read {
            hints.push(("Enter", "to the board"));
        } else if self.is_asking() {
            hints.push(("Enter", "play the move"));
        } else {
            hints.push(("Enter", if is_last { "to a real game" } else { "next lesson" }));
        }
        hints.push(("n", "next"));
        hints.extend((self.at > 0).then_some(("b", "back a lesson")));
        hints.push(("Esc", "leave"));
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        let mut help = Vec::new();
        if self.is_asking() {
            help.extend(Keys::of(&*self.table).help(&self.choices()));
            help.push(("mouse".into(), "click a move, a place or a key"));
        }
        help.extend((self.at > 0).then(|| ("Backspace".into(), "like b")));
        help
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        let was_moving = self.motion.is_some();
        self.skip(context);
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Char('n')) => return self.next(context),
            Press::Key(KeyCode::Char('b') | KeyCode::Backspace) => {
                // A lesson without a position continues from the previous one.
                self.at = self.at.saturating_sub(1);
                while self.at > 0 && self.lesson().position.is_none() {
                    self.at -= 1;
                }
                if self.at == 0 {
                    while self.table.undo() {}
                    self.table =
                        self.entry.open(self.entry.setup()).expect("the default start is valid");
                }
                self.begin();
            }
            press if press.is_enter() => {
                if self.is_small.get() && self.is_reading && self.lesson().task != Task::Read {
                    self.is_reading = false;
                    return Go::Stay;
                }
                if was_moving {
                    return Go::Stay;
                }
                if !self.is_asking() {
                    return self.next(context);
                }
                self.choose(self.chosen, context);
            }
            _ => {
                let keys = Keys::of(&*self.table);
                match keys.pick(press, &self.choices(), &mut self.chosen) {
                    Picked::Choice(number) => self.choose(number, context),
                    Picked::Line(text) if self.is_asking() => self.enter(&text, context),
                    Picked::Line(_) | Picked::Nothing => {}
                }
            }
        }
        Go::Stay
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        let was_moving = self.motion.is_some();
        Motion::advance(&mut self.motion, context.now);
        if was_moving && self.motion.is_none() {
            self.reply(context);
        }
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        self.motion.as_ref().map(Motion::frame)
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        self.is_small.set(!is_roomy(area));
        if self.is_small.get() && self.is_reading {
            let inside = inset(canvas.panel(area, &self.lesson().title));
            canvas.prose(inside, &self.lesson().text, canvas.look.ink(Ink::Plain));
            return;
        }
        let (table, choices) = (&*self.table, self.choices());
        let targets = targets(table, LEARNER, &choices, Some(self.chosen));
        let moment = self.motion.as_ref().and_then(|motion| motion.moment(context.now));
        let lower = draw_above(canvas, area, table, &targets, moment);
        let roomy = lower.height > 8;
        let lower = if roomy { self.contents(canvas, lower) } else { lower };
        let left = if roomy { canvas.panel(lower, &self.lesson().title) } else { lower };
        let shown_choices = u16::try_from(choices.len()).unwrap_or(0);
        let reserved = if roomy { shown_choices } else { shown_choices.min(3) };
        let left = canvas.texts(inset(left), self.words(), reserved);
        canvas.list(left, &lines(table, LEARNER, &choices, canvas), self.chosen);
    }
}
