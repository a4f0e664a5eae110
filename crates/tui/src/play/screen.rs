//! The playing screen as the arcade sees it: its keys, its help, and what it does with events.

use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::driver::{Input, Question};
use skirmish_play::library::{Effort, Knowledge};
use skirmish_store::is_begun;

use super::super::context::Context;
use super::super::jobs::JobReport;
use super::super::keys::{self, Picked, pick, played};
use super::super::log;
use super::super::parts::{Canvas, TextField};
use super::super::screen::{Fate, Go, Help, Hint, Press, Screen, Way};
use super::super::setup::SetupScreen;
use super::{Play, PlayStage, view};

/// The most characters after `:`.
const MOST_TYPED: usize = 200;

impl Play {
    /// Whether a key could play a move: one that ends a pause does nothing else, because the player has not seen the position.
    fn is_choice(&self, press: Press) -> bool {
        match press {
            Press::Pick(_) => true,
            Press::Key(KeyCode::Char(letter)) => {
                letter.is_ascii_digit()
                    || letter == ' '
                    || played(letter, &self.choices()).is_some()
            }
            Press::Key(code) => code == KeyCode::Enter,
            Press::Control(_) => false,
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
                    self.log.open();
                    Go::Stay
                }
                Press::Key(_) | Press::Control(_) => Go::Stay,
            };
        }
        if let PlayStage::Veiled(side) = self.stage {
            return match press {
                Press::Pick(_) => self.lift_curtain(side),
                press if press.is_enter() => self.lift_curtain(side),
                Press::Key(KeyCode::Esc) => self.away(),
                Press::Key(KeyCode::Char('u')) => self.enter_line("undo", context),
                Press::Key(KeyCode::Char('t')) => {
                    self.log.open();
                    Go::Stay
                }
                Press::Key(_) | Press::Control(_) => Go::Stay,
            };
        }
        let choices = self.choices();
        match press {
            Press::Key(KeyCode::Esc) => return self.away(),
            Press::Key(KeyCode::Char(':')) => self.typed = Some(TextField::new("", MOST_TYPED)),
            Press::Key(KeyCode::Char('u')) => return self.enter_line("undo", context),
            Press::Key(KeyCode::Char('h')) => self.hint(context),
            Press::Key(KeyCode::Char('t')) => self.log.open(),
            Press::Key(KeyCode::Char('a')) => self.analyse(context),
            Press::Key(KeyCode::Char('n')) => {
                return Go::Replace(Box::new(SetupScreen::new(self.plan.entry)));
            }
            _ => match pick(press, &choices, &mut self.chosen) {
                Picked::Choice(number) => return self.choose(number, context),
                // Treat a digit that is not a choice as typed text: it may be shortened, or refused with the reason.
                Picked::Digit(digit) if self.asked().is_some() => {
                    return self.enter_line(&digit.to_string(), context);
                }
                Picked::Digit(_) | Picked::Nothing => {}
            },
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

    fn hints(&self) -> Vec<Hint> {
        if self.typed.is_some() {
            return vec![("Enter", "run"), ("Esc", "cancel"), (":help", "the words")];
        }
        if self.log.is_open() {
            return log::HINTS.to_vec();
        }
        match self.question() {
            Some(Question::Draw(_)) => return vec![("y", "accept the draw"), ("n", "decline")],
            Some(Question::Resign(_)) => return vec![("y", "resign"), ("n", "play on")],
            None => {}
        }
        if self.replacing.is_some() {
            return vec![("y", "replace the file"), ("n", "leave it")];
        }
        let away = ("Esc", if self.plan.position.is_some() { "back" } else { "home" });
        match self.stage {
            PlayStage::Over(_) => vec![("Enter", "continue"), ("t", "log")],
            PlayStage::Veiled(_) => {
                vec![("Enter", "lift the curtain"), ("u", "undo"), ("t", "log"), away]
            }
            PlayStage::Thinking { .. } | PlayStage::Solving => {
                vec![("u", "undo"), ("n", "new"), ("t", "log"), away]
            }
            PlayStage::Choosing(_) => vec![
                ("Enter", "play"),
                ("h", "hint"),
                ("a", "analysis"),
                ("u", "undo"),
                ("n", "new"),
                ("t", "log"),
                (":", "words"),
                away,
            ],
        }
    }

    fn more_help(&self) -> Vec<Help> {
        let mut help = keys::help(&self.choices());
        help.extend([
            ("PgUp PgDn".into(), "scroll the log; so do Home, End and the wheel"),
            ("mouse".into(), "click a move, a place or a key"),
            (":".into(), "move 3, save FILE, draw, resign, …"),
        ]);
        help
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.motion.is_some() {
            let go = self.skip(context);
            // A key that skips the motion must not also make a choice.
            if matches!(press, Press::Key(KeyCode::Enter | KeyCode::Char(' '))) {
                return go;
            }
        }
        if self.pause.is_some() && !self.log.is_open() && self.typed.is_none() {
            let go = self.go_on(context);
            if self.is_choice(press) {
                return go;
            }
        }
        if self.typed.is_some() {
            return self.type_key(press, context);
        }
        if self.log.press(press) {
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
            (JobReport::Solved, PlayStage::Over(_)) | (JobReport::Chosen { .. }, _) => Go::Stay,
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
        let Some(motion) = &self.motion else { return Go::Stay };
        if motion.is_over(context.now) {
            return self.skip(context);
        }
        self.frame = motion.due(context.now);
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        let motion = self.motion.as_ref().map(|_| self.frame);
        self.pause.map(|pause| pause.frame).or(motion)
    }

    fn wheel(&mut self, way: Way) -> bool {
        self.log.scroll(way);
        true
    }

    fn is_typing(&self) -> bool {
        self.typed.is_some()
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
