//! The arcade's interface to the puzzle screen: keys, help and events.

use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::puzzle::Trial;
use skirmish_present::{puzzle as say, words};
use skirmish_rules::Entry;

use super::super::context::Context;
use super::super::jobs::JobReport;
use super::super::keys::{Keys, Picked};
use super::super::motion::Motion;
use super::super::parts::Canvas;
use super::super::screen::{Go, Help, Hint, Press, Screen};
use super::{PuzzleScreen, view};

impl Screen for PuzzleScreen {
    fn title(&self) -> String {
        let game = words::game(self.request.entry, &self.request.settings);
        match self.daily {
            Some(_) => format!("Today's puzzle: {game}"),
            None => format!("Puzzle: {game}"),
        }
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.request.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = match self.trial() {
            None => Vec::new(),
            Some(trial) if trial.is_over() => vec![("Enter", "next puzzle")],
            Some(Trial::Win(_)) => vec![("Enter", "play"), ("h", "hint"), ("s", "solution")],
            Some(Trial::Mix(_)) => vec![
                ("Enter", "guess"),
                ("←→", "share"),
                ("↑↓", "action"),
                ("h", "hint"),
                ("s", "solution"),
            ],
        };
        hints.extend([("n", "next"), ("g", "game"), ("d", "difficulty"), ("Esc", "back")]);
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        match self.trial() {
            Some(Trial::Mix(_)) => vec![("+ -".into(), "change the share by one percent")],
            Some(trial @ Trial::Win(_)) => Keys::of(trial.table()).help(&self.choices()),
            None => Vec::new(),
        }
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.motion.is_some() {
            self.skip(context);
            // A key that skips the animation must not also make a choice.
            if press.is_enter() {
                return Go::Stay;
            }
        }
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Char('n')) => self.next(context),
            Press::Key(KeyCode::Char('g')) => self.change_game(context),
            Press::Key(KeyCode::Char('d')) => self.change_level(context),
            Press::Key(KeyCode::Char('h')) => self.help(context, say::hint),
            Press::Key(KeyCode::Char('s')) => self.help(context, |trial, _| say::solution(trial)),
            press if self.is_over() => {
                if press.is_enter() {
                    self.next(context);
                }
            }
            press if matches!(self.trial(), Some(Trial::Mix(_))) => {
                self.press_in_mix(press, context);
            }
            press => {
                let Some(trial) = self.trial() else { return Go::Stay };
                let (keys, choices) = (Keys::of(trial.table()), self.choices());
                match keys.pick(press, &choices, &mut self.chosen) {
                    Picked::Choice(number) => {
                        if let Some(choice) = choices.get(number) {
                            self.answer(&choice.notation, context);
                        }
                    }
                    Picked::Line(text) => self.answer(&text, context),
                    Picked::Nothing => {}
                }
            }
        }
        Go::Stay
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        if let JobReport::Solved = report {
            self.look_again(context);
        }
        Go::Stay
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        let was_moving = self.motion.is_some();
        Motion::advance(&mut self.motion, context.now);
        if was_moving {
            self.reply_unless_moving(context);
        }
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        self.motion.as_ref().map(Motion::frame)
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        view::draw(self, canvas, area, context);
    }
}
