//! The playing screen as the arcade sees it: its keys, its help, and what it does with events.

use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::driver::{Input, Question};
use skirmish_play::library::{Effort, Knowledge};
use skirmish_rules::Entry;
use skirmish_store::is_begun;

use super::super::context::Context;
use super::super::jobs::JobReport;
use super::super::keys::{Keys, Picked};
use super::super::palette::Command;
use super::super::parts::Canvas;
use super::super::screen::{Fate, Go, Help, Hint, Press, Screen, Way};
use super::super::setup::SetupScreen;
use super::watching::Watching;
use super::{Play, PlayStage, view};

/// Shown if Enter is pressed right after the curtain, before a choice is selected.
const PICK_FIRST: &str = "Pick a choice first: its key, or ↑↓ and then Enter.";

impl Play {
    /// Whether a key could play a move: one that ends a pause does nothing else, because the player has not seen the position.
    fn is_choice(&self, press: Press) -> bool {
        let keys = Keys::of(self.session().table());
        match press {
            Press::Pick(_) => true,
            Press::Key(KeyCode::Char(letter)) => {
                letter.is_ascii_digit()
                    || letter == ' '
                    || self.choices().iter().any(|choice| keys.is_played(letter, choice))
            }
            Press::Key(code) => code == KeyCode::Enter,
            Press::Control(_) | Press::Wheel(_) => false,
        }
    }

    /// Away from the game: back to where an exercise came from, otherwise home.
    const fn away(&self) -> Go {
        if self.plan.position.is_some() { Go::Back } else { Go::Home }
    }

    fn press_key(&mut self, press: Press, context: &mut Context) -> Go {
        if let PlayStage::Over(ending) = self.stage {
            return match press {
                Press::Key(KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Esc) | Press::Pick(_) => {
                    self.leave_table(ending, context)
                }
                Press::Key(KeyCode::Char('t')) => {
                    self.log_mut().open();
                    Go::Stay
                }
                Press::Key(_) | Press::Control(_) | Press::Wheel(_) => Go::Stay,
            };
        }
        if let PlayStage::Veiled(side) = self.stage {
            return match press {
                Press::Pick(_) => self.lift_curtain(side),
                press if press.is_enter() => self.lift_curtain(side),
                Press::Key(KeyCode::Esc) => self.away(),
                Press::Key(KeyCode::Char('u')) => self.type_line("undo", context),
                Press::Key(KeyCode::Char('t')) => {
                    self.log_mut().open();
                    Go::Stay
                }
                Press::Key(_) | Press::Control(_) | Press::Wheel(_) => Go::Stay,
            };
        }
        let choices = self.choices();
        match press {
            Press::Key(KeyCode::Esc) => return self.away(),
            Press::Key(KeyCode::Char('u')) if self.watching.is_none() => {
                return self.type_line("undo", context);
            }
            Press::Key(KeyCode::Char('h')) => self.hint(context),
            Press::Key(KeyCode::Char('t')) => self.log_mut().open(),
            Press::Key(KeyCode::Char('a')) => self.analyse(context),
            Press::Key(KeyCode::Char('m')) => return self.map(context),
            Press::Key(KeyCode::Char('n')) => {
                return Go::To(Box::new(SetupScreen::new(self.plan.entry)));
            }
            _ => {
                let keys = Keys::of(self.session().table());
                if self.chosen.is_none() && press.is_enter() && !choices.is_empty() {
                    // A second Enter after the one that lifted the curtain must not play.
                    self.show_message(PICK_FIRST, false);
                    return Go::Stay;
                }
                let from = self.chosen.unwrap_or(match press.way() {
                    Some(Way::Up | Way::Left) => 0,
                    _ => choices.len().saturating_sub(1),
                });
                let mut chosen = from;
                let picked = keys.pick(press, &choices, &mut chosen);
                if chosen != from {
                    self.chosen = Some(chosen);
                }
                match picked {
                    Picked::Choice(number) => return self.choose(number, context),
                    Picked::Line(text) if self.asked().is_some() => {
                        return self.type_line(&text, context);
                    }
                    Picked::Line(_) | Picked::Nothing => {}
                }
            }
        }
        Go::Stay
    }
}

impl Screen for Play {
    fn title(&self) -> String {
        let changes = self.plan.settings.changes();
        let rules = if changes.is_empty() { String::new() } else { format!(" ({changes})") };
        let from = self.plan.position.as_ref().map_or(String::new(), |at| format!(" from {at}"));
        format!("{}{rules}{from}", self.plan.entry.name)
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.plan.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        if self.log().is_open() {
            return self.log().hints();
        }
        match self.question() {
            Some(Question::Draw(_)) => return vec![("y", "accept the draw"), ("n", "decline")],
            Some(Question::Offer(_)) => return vec![("y", "offer a draw"), ("n", "play on")],
            Some(Question::Resign(_)) => return vec![("y", "resign"), ("n", "play on")],
            None => {}
        }
        if self.replacing.is_some() {
            return vec![("y", "replace the file"), ("n", "leave it")];
        }
        let away = ("Esc", if self.plan.position.is_some() { "back" } else { "home" });
        match self.stage {
            _ if self.is_tossing() => vec![("Enter", "go on"), ("t", "log"), away],
            PlayStage::Over(_) => vec![("Enter", "continue"), ("t", "log")],
            PlayStage::Veiled(_) => {
                vec![("Enter", "lift the curtain"), ("u", "undo"), ("t", "log"), away]
            }
            PlayStage::Thinking { .. } | PlayStage::Between | PlayStage::Solving => {
                let watching = self.watching.as_ref().map(Watching::hints);
                let mut hints = watching.unwrap_or_else(|| vec![("u", "undo"), ("a", "analysis")]);
                hints.extend([("t", "log"), away, ("n", "new"), ("m", "map")]);
                hints
            }
            PlayStage::Choosing(_) => vec![
                ("Enter", "play"),
                ("h", "hint"),
                ("a", "analysis"),
                ("u", "undo"),
                ("m", "map"),
                ("n", "new"),
                ("t", "log"),
                (":", "more"),
                away,
            ],
        }
    }

    fn more_help(&self) -> Vec<Help> {
        let mut help = self.log().help();
        if self.log().is_open() {
            return help;
        }
        if self.is_asking() {
            return Vec::new();
        }
        let is_over = matches!(self.stage, PlayStage::Over(_));
        if self.watching.is_some() {
            // Home and End are keys of the game.
            help.truncate(1);
            help.extend(Watching::help(is_over));
        }
        help.extend(is_over.then(|| ("Esc".into(), "like Enter")));
        if self.asked().is_some() {
            help.splice(0..0, Keys::of(self.session().table()).help(&self.choices()));
            help.push(("mouse".into(), "click a move, a place or a key"));
        }
        help
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        let is_free = self.question().is_none() && self.replacing.is_none();
        let is_free = is_free && !self.log().is_open();
        if let Some(go) = is_free.then(|| self.watch(press, context)).flatten() {
            return go;
        }
        if self.motion.is_some() {
            let go = self.skip(context);
            // A key that skips the motion must not also make a choice.
            if matches!(press, Press::Key(KeyCode::Enter | KeyCode::Char(' '))) {
                return go;
            }
        }
        if self.pause.is_some() {
            let go = self.go_on(context);
            if self.is_choice(press) {
                return go;
            }
        }
        if self.log_mut().press(press) {
            return Go::Stay;
        }
        if self.question().is_some() {
            return self.answer(press, context);
        }
        if let Some(file) = self.replacing.take() {
            return self.answer_replacing(file, press);
        }
        self.press_key(press, context)
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        match (report, self.stage) {
            (JobReport::Chosen { ticket, answers }, PlayStage::Thinking { ticket: latest, .. })
                if *ticket == latest =>
            {
                if self.pause.is_some() {
                    self.answers = Some(answers.clone());
                    return Go::Stay;
                }
                let happened = self.enter(Input::Programs(answers.clone()), context);
                self.react(happened, context)
            }
            (JobReport::Solved, PlayStage::Over(_))
            | (JobReport::Chosen { .. } | JobReport::Tournament, _) => Go::Stay,
            (JobReport::Solved, _) => {
                self.seat(context);
                if let Knowledge::Refused(Effort::Full, why) = context.knowledge(&self.plan)
                    && self.stage == PlayStage::Solving
                {
                    self.show_message(format!("The computer cannot play here: {why}."), true);
                    return Go::Stay;
                }
                if self.stage == PlayStage::Solving { self.advance(context) } else { Go::Stay }
            }
        }
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        if let Some(pause) = &mut self.pause {
            if pause.is_over(context.now) {
                return self.go_on(context);
            }
            pause.advance(context.now);
            return Go::Stay;
        }
        let Some(motion) = &self.motion else {
            let is_between = self.stage == PlayStage::Between;
            return if is_between { self.advance(context) } else { Go::Stay };
        };
        if motion.is_over(context.now) {
            return self.skip(context);
        }
        self.frame = motion.due(context.now);
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        if let Some(pause) = &self.pause {
            return Some(pause.frame);
        }
        match (&self.motion, &self.watching) {
            (Some(_), _) => Some(self.frame),
            (None, Some(watching)) if self.stage == PlayStage::Between => watching.due(),
            (None, _) => None,
        }
    }

    fn wheel(&mut self, way: Way) -> bool {
        self.log_mut().scroll(way);
        true
    }

    fn commands(&self) -> Vec<Command> {
        if matches!(self.stage, PlayStage::Over(_)) {
            return Vec::new();
        }
        Command::moves(&self.choices()).chain(Command::words()).collect()
    }

    fn enter_line(&mut self, line: &str, context: &mut Context) -> Option<Go> {
        if self.motion.is_some() {
            // The turn that is being shown is over by now.
            let _ = self.skip(context);
        }
        let is_over = matches!(self.stage, PlayStage::Over(_));
        (!is_over).then(|| self.type_line(line, context))
    }

    fn is_secret(&self) -> bool {
        self.driver.is_secret()
    }

    fn is_asking(&self) -> bool {
        self.question().is_some() || self.replacing.is_some()
    }

    fn fate(&self) -> Fate {
        if !self.in_game() || self.keeper.is_kept() {
            Fate::Saved
        } else if is_begun(&self.session().record()) {
            Fate::Lost
        } else {
            Fate::Unplayed
        }
    }

    fn is_at_risk(&self) -> bool {
        self.in_game() && self.keeper.is_at_risk(self.session())
    }

    fn in_game(&self) -> bool {
        !matches!(self.stage, PlayStage::Over(_)) && self.session().ending().is_none()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        view::draw(self, canvas, area, context);
    }
}
