//! The arcade's interface to an active game: keys, help, drawing and events.

use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::driver::Question;
use skirmish_rules::Entry;

use super::super::after::{After, AfterItem};
use super::super::context::Context;
use super::super::jobs::JobReport;
use super::super::keys::{Keys, Picked};
use super::super::motion::Motion;
use super::super::online::LinkEvent;
use super::super::palette::Command;
use super::super::parts::Canvas;
use super::super::screen::{Clip, Fate, Go, Help, Hint, Press, Screen, Way};
use super::picture::{self, PlayView};
use super::{ActiveGame, Turns};

/// Shown if the player presses Enter after lifting the curtain, before selecting a choice.
const PICK_FIRST: &str = "Pick a choice first: its key, or ↑↓ and then Enter.";

impl<S> ActiveGame<S>
where
    Self: Turns,
{
    /// Whether a key could play a move. During a pause, such a key only ends the pause, because the player has not seen the
    /// position yet.
    fn is_choice(&self, press: Press) -> bool {
        match press {
            Press::Pick(_) => true,
            Press::Key(KeyCode::Char(letter)) if !letter.is_ascii_digit() && letter != ' ' => {
                let choices = self.choices();
                self.session().is_some_and(|session| {
                    let keys = Keys::of(session.table());
                    choices.iter().any(|choice| keys.is_played(letter, choice))
                })
            }
            Press::Key(code) => matches!(code, KeyCode::Enter | KeyCode::Char(_)),
            Press::Control(_) | Press::Wheel(_) => false,
        }
    }

    /// Handles the keys that work in every game.
    fn press_key(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => return self.leave(context),
            Press::Key(KeyCode::Char('u')) => return self.type_line("undo", context),
            Press::Key(KeyCode::Char('h')) => return self.hint(context),
            Press::Key(KeyCode::Char('a')) => return self.analyse(context),
            Press::Key(KeyCode::Char('t')) => self.log_mut().open(),
            _ => return self.pick(press, context),
        }
        Go::Stay
    }

    /// Opens an item of the screen after the game.
    fn open_item(&mut self, item: AfterItem, context: &mut Context) -> Go {
        if let Some(go) = self.open_own(item, context) {
            return go;
        }
        self.after.as_mut().map_or(Go::Stay, |after| after.open(item, context))
    }

    /// Moves the cursor, or plays a choice.
    fn pick(&mut self, press: Press, context: &mut Context) -> Go {
        let Some(session) = self.session() else { return Go::Stay };
        let (keys, choices) = (Keys::of(session.table()), self.choices());
        if self.chosen.is_none() && press.is_enter() && !choices.is_empty() {
            // A second Enter after lifting the curtain must not play a move.
            return self.say(PICK_FIRST, false);
        }
        let from = self.chosen.unwrap_or(match press.way() {
            Some(Way::Up | Way::Left) => 0,
            Some(Way::Down | Way::Right) | None => choices.len().saturating_sub(1),
        });
        let mut chosen = from;
        let picked = keys.pick(press, &choices, &mut chosen);
        if chosen != from {
            self.chosen = Some(chosen);
        }
        match (picked, self.asked()) {
            (Picked::Choice(number), Some(side)) if number < choices.len() => {
                self.log.follow_newest();
                self.play(side, &choices[number].notation, context)
            }
            (Picked::Line(text), Some(_)) => self.type_line(&text, context),
            (Picked::Line(_), None) => {
                self.refuse_key();
                Go::Stay
            }
            (Picked::Choice(_) | Picked::Nothing, _) => Go::Stay,
        }
    }
}

/// The effects of `y` and `n`.
const fn answers(question: Question) -> [Hint; 2] {
    match question {
        Question::Draw(_) => [("y", "accept the draw"), ("n", "decline")],
        Question::Offer(_) => [("y", "offer a draw"), ("n", "play on")],
        Question::Resign(_) => [("y", "resign"), ("n", "play on")],
    }
}

impl<S: Send> Screen for ActiveGame<S>
where
    Self: Turns,
{
    fn title(&self) -> String {
        Turns::title(self)
    }

    fn game(&self) -> Option<&'static Entry> {
        Turns::game(self).map(|(plan, _)| plan.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        if self.log().is_open() {
            return self.log().hints();
        }
        if let Some(question) = self.question() {
            return answers(question).to_vec();
        }
        if self.replacing.is_some() {
            return vec![("y", "replace the file"), ("n", "leave it")];
        }
        if self.deaf_until().is_some() {
            return Vec::new();
        }
        self.own_hints()
    }

    fn more_help(&self) -> Vec<Help> {
        if let Some(after) = &self.after {
            return after.keys();
        }
        let mut help = self.log().help();
        if self.log().is_open() {
            return help;
        }
        if Screen::is_asking(self) {
            return Vec::new();
        }
        if let (Some(_), Some(session)) = (self.asked(), self.session()) {
            help.splice(0..0, Keys::of(session.table()).help(&self.choices()));
            help.push(("mouse".into(), "click a move, a place or a key"));
        }
        self.adapt_help(help)
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        self.now = context.now;
        if let Some(go) = self.press_first(press, context) {
            return go;
        }
        if let Some(after) = &mut self.after {
            return match after.pick(press, context) {
                Some(item) => self.open_item(item, context),
                None => Go::Stay,
            };
        }
        if self.motion.take().is_some() {
            self.settled = Some(context.now);
            let go = self.advance(context);
            // Enter must not both skip the animation and choose, nor must the key of a secret choice.
            if press.is_enter() || Turns::is_secret(self) && self.is_choice(press) {
                return go;
            }
        }
        if self.pause.take().is_some() {
            let go = self.end_pause(context);
            if self.is_choice(press) {
                return go;
            }
        }
        if self.log_mut().press(press) {
            return Go::Stay;
        }
        if let Some(question) = self.question() {
            return match press.answer() {
                Some(yes) => self.answer(question, yes, context),
                None => Go::Stay,
            };
        }
        if let Some(file) = self.replacing.take() {
            return self.answer_replacing(file, press, context);
        }
        if self.is_over() {
            if self.deaf_until().is_some() {
                return Go::Stay;
            }
            let mut steps = self.next_steps().into_iter();
            if let Some(step) = steps.find(|step| step.is_pressed(press)) {
                let _ = self.press_own(Press::Key(KeyCode::Enter), context);
                return self.open_item(step, context);
            }
        }
        match self.press_own(press, context) {
            Some(go) => go,
            None => self.press_key(press, context),
        }
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        if let (Some(after), JobReport::Solved) = (&mut self.after, report) {
            after.judge(context);
        }
        self.report(report, context)
    }

    fn on_link(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) -> Go {
        self.now = context.now;
        self.hear(event, is_top, context);
        Go::Stay
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        self.now = context.now;
        if let Some(pause) = &mut self.pause {
            pause.advance(context.now);
            if !pause.is_over(context.now) {
                return Go::Stay;
            }
            self.pause = None;
            return self.end_pause(context);
        }
        if self.motion.is_none() {
            return self.on_timer(context);
        }
        Motion::advance(&mut self.motion, context.now);
        if self.motion.is_some() { Go::Stay } else { self.advance(context) }
    }

    fn due(&self) -> Option<Instant> {
        let motion = self.motion.as_ref().map(Motion::frame);
        let pause = self.pause.map(|pause| pause.frame);
        motion.into_iter().chain(pause).chain(self.deaf_until()).chain(self.timer()).min()
    }

    fn wheel(&mut self, way: Way) -> bool {
        let is_scrolled = !self.has_front() && self.after.is_none();
        if is_scrolled {
            self.log_mut().scroll(way);
        }
        is_scrolled
    }

    fn commands(&self) -> Vec<Command> {
        if self.after.is_some() || !self.takes_lines() {
            return Vec::new();
        }
        Command::moves(&self.choices())
            .chain(self.words().into_iter().flat_map(Command::words))
            .collect()
    }

    fn enter_line(&mut self, line: &str, context: &mut Context) -> Option<Go> {
        self.now = context.now;
        // The line refers to the position after all pending turns, so finish showing them.
        if self.motion.take().is_some() {
            let _ = self.advance(context);
        }
        if self.pause.take().is_some() {
            let _ = self.end_pause(context);
        }
        let takes_lines = self.after.is_none() && self.takes_lines();
        takes_lines.then(|| self.type_line(line, context))
    }

    fn awaits_you(&self) -> bool {
        Turns::awaits_you(self)
    }

    fn clip(&self, what: Clip, context: &Context) -> Option<String> {
        let session = self.earlier.as_ref().map(|earlier| &earlier.session).or(self.session());
        match what {
            Clip::Position => Some(session?.table().position()),
            Clip::Record => Some(session?.record().to_string()),
            Clip::Code => self.invitation(context),
        }
    }

    fn is_typing(&self) -> bool {
        self.after.as_ref().is_some_and(After::is_typing)
    }

    fn is_secret(&self) -> bool {
        self.after.is_none() && Turns::is_secret(self)
    }

    fn is_asking(&self) -> bool {
        let is_asking = self.after.as_ref().is_some_and(After::is_asking);
        is_asking || self.replacing.is_some() || self.question().is_some()
    }

    fn fate(&self) -> Fate {
        Turns::fate(self).unwrap_or(Fate::Saved)
    }

    fn is_at_risk(&self) -> bool {
        Turns::is_at_risk(self)
    }

    fn in_game(&self) -> bool {
        Turns::fate(self).is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        if self.has_front() {
            return self.draw_front(canvas, area, context);
        }
        if let Some(after) = &self.after {
            return after.draw(canvas, area, context);
        }
        let Some((plan, driver)) = Turns::game(self) else { return };
        let session = self.earlier.as_ref().map_or(driver.session(), |earlier| &earlier.session);
        let motion = self.motion.as_ref();
        let is_analysed = self.is_analysing && motion.is_none();
        let analysis = if is_analysed { picture::analysis(plan, session, context) } else { None };
        let outlook = self.outlook(area, analysis.as_ref(), context);
        let choices = match &outlook.watched {
            Some(watched) => watched.choices.clone(),
            None => self.choices(),
        };
        let view = PlayView {
            plan,
            session,
            motion,
            is_over: self.has_ended() && self.earlier.is_none(),
            next_steps: self.next_steps(),
            question: self.question(),
            log: self.log(),
            asked: self.asked(),
            choices: &choices,
            chosen: self.chosen,
            has_values: !Turns::is_secret(self),
            is_analysing: self.is_analysing,
            analysis,
            outlook,
        };
        picture::draw(&view, canvas, area, context);
    }
}
