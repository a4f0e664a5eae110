//! A game on a server as the arcade sees it: its keys, its help, and what it does with events.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_room::wire::{Offer, StageName};
use skirmish_rules::{Entry, Side};
use skirmish_store::Overwrite;

use super::super::super::after::After;
use super::super::super::context::Context;
use super::super::super::jobs::JobReport;
use super::super::super::keys::{Keys, Picked};
use super::super::super::motion::Motion;
use super::super::super::palette::Command;
use super::super::super::parts::Canvas;
use super::super::super::screen::{Fate, Go, Help, Hint, Press, Screen, Way};
use super::super::LinkEvent;
use super::super::words::next_tick;
use super::{OnlineGame, view};

impl OnlineGame {
    /// Keys while there is no board: before the second player has come, or if the game cannot be entered.
    fn press_waiting(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => {
                self.leave(context);
                Go::Back
            }
            Press::Key(KeyCode::Char('x')) if self.can_close() => self.close(context),
            Press::Key(_) | Press::Control(_) | Press::Pick(_) | Press::Wheel(_) => Go::Stay,
        }
    }

    fn press_key(&mut self, press: Press, context: &mut Context) -> Go {
        let offered = self.open_offer().is_some();
        let is_over = self.is_over();
        match press {
            Press::Key(KeyCode::Esc) => {
                self.leave(context);
                return Go::Back;
            }
            Press::Key(KeyCode::Char('y' | 'n')) if offered => {
                return self.answer(press.answer() == Some(true), context);
            }
            Press::Key(KeyCode::Char('r')) if is_over => {
                return self.offer(Offer::Rematch, context);
            }
            Press::Key(KeyCode::Enter | KeyCode::Char(' ')) | Press::Pick(_) if is_over => {
                return self.conclude(context);
            }
            Press::Key(KeyCode::Char('u')) => return self.offer(Offer::Takeback, context),
            Press::Key(KeyCode::Char('h')) => return self.hint(context),
            Press::Key(KeyCode::Char('t')) => self.log.open(),
            Press::Key(KeyCode::Char('a')) => return self.analyse(context),
            _ => {
                let Some(session) = self.mirror.session() else { return Go::Stay };
                let (keys, choices) = (Keys::of(session.table()), self.choices());
                match keys.pick(press, &choices, &mut self.chosen) {
                    Picked::Choice(number) => return self.choose(&choices, number, context),
                    Picked::Line(text) if self.asked().is_some() => {
                        return self.type_line(&text, context);
                    }
                    Picked::Line(_) => return self.refuse_key(),
                    Picked::Nothing => {}
                }
            }
        }
        Go::Stay
    }

    /// When a running clock shows another time.
    fn tick(&self) -> Option<Instant> {
        let clock = self.mirror.clock().filter(|_| self.mirror.stage() == StageName::Playing)?;
        let since = self.since(self.now);
        let left = self.mirror.time_left(since)?;
        let running = Side::ALL.into_iter().filter(|side| clock.running.contains(&side.number()));
        let running = running.map(|side| left[side]);
        let abort = clock.abort.map(|abort| abort.saturating_sub(since));
        let next = running.chain(abort).filter(|left| *left > 0).map(next_tick).min()?;
        Some(self.told_at + Duration::from_millis(since + next))
    }
}

impl Screen for OnlineGame {
    fn title(&self) -> String {
        view::title(self)
    }

    fn game(&self) -> Option<&'static Entry> {
        self.mirror.plan().map(|plan| plan.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        if self.mirror.session().is_none() || self.refused.is_some() {
            let mut hints = vec![("Esc", "lobby")];
            if self.can_close() {
                hints.push(("x", "close the game"));
            }
            return hints;
        }
        if self.log.is_open() && self.after.is_none() {
            return self.log.hints();
        }
        if self.is_resigning {
            return vec![("y", "resign"), ("n", "play on")];
        }
        if self.replacing.is_some() {
            return vec![("y", "replace the file"), ("n", "leave it")];
        }
        let mut hints = match self.open_offer() {
            Some(_) => vec![("y", "accept"), ("n", "decline")],
            None => Vec::new(),
        };
        if let Some(after) = &self.after {
            hints.extend(after.hints());
            return hints;
        }
        if self.is_over() {
            hints.insert(0, ("Enter", "continue"));
            if self.mirror.may_rematch() {
                hints.push(("r", "rematch"));
            }
        } else if self.mirror.you().is_some() {
            if self.asked().is_some() {
                hints.push(("Enter", "play"));
            }
            if self.has_hints() {
                hints.extend([("h", "hint"), ("a", "analysis")]);
            }
            if self.turns() > 0 {
                hints.push(("u", "take back"));
            }
        }
        hints.extend([("t", "log"), (":", "more"), ("Esc", "lobby")]);
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        if let Some(after) = &self.after {
            return after.keys();
        }
        if self.log.is_open() {
            return self.log.help();
        }
        let session = self.mirror.session().filter(|_| self.refused.is_none());
        let Some(session) = session.filter(|_| !self.is_asking()) else { return Vec::new() };
        let mut help: Vec<Help> = Vec::new();
        if self.asked().is_some() {
            help.extend(Keys::of(session.table()).help(&self.choices()));
            help.push(("mouse".into(), "click a move, a place or a key"));
        }
        help.extend(self.log.help());
        help
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        self.now = context.now;
        if self.is_moving() {
            self.come_to_rest();
            self.show(true, context);
            // A key that skips the motion must not also make a choice.
            if press.is_enter() {
                return Go::Stay;
            }
        }
        if self.after.is_none() && self.log.press(press) {
            return Go::Stay;
        }
        if self.mirror.session().is_none() || self.refused.is_some() {
            return self.press_waiting(press, context);
        }
        if self.is_resigning {
            return match press.answer() {
                Some(yes) => self.resign(yes, context),
                None => Go::Stay,
            };
        }
        if let Some(file) = self.replacing.take() {
            match press.answer() {
                Some(true) => self.save(&file, Overwrite::Allowed),
                Some(false) => self.message = Some(("Not saved.".to_owned(), false)),
                None => self.replacing = Some(file),
            }
            return Go::Stay;
        }
        let is_offered = self.open_offer().is_some();
        match &mut self.after {
            Some(after) if !after.is_asking() && is_offered && is_answer(press) => {
                self.answer(press.answer() == Some(true), context)
            }
            Some(after) => match after.pick(press, context) {
                Some(item) => self.open_item(item, context),
                None => Go::Stay,
            },
            None => self.press_key(press, context),
        }
    }

    fn on_link(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) -> Go {
        self.now = context.now;
        self.hear(event, is_top, context);
        Go::Stay
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        if let Some(after) = &mut self.after {
            after.on_report(report, context);
        }
        Go::Stay
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        self.now = context.now;
        self.show(true, context);
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        let frame = self.motion.as_ref().map(Motion::frame);
        let pause = self.pause.map(|pause| pause.frame);
        frame.into_iter().chain(pause).chain(self.tick()).min()
    }

    fn resume(&mut self, context: &mut Context) -> Go {
        self.now = context.now;
        // What happened below another screen is not animated.
        loop {
            self.come_to_rest();
            self.show(true, context);
            if !self.is_moving() {
                break;
            }
        }
        Go::Stay
    }

    fn wheel(&mut self, way: Way) -> bool {
        if self.after.is_some() {
            return false;
        }
        self.log.scroll(way);
        true
    }

    fn is_typing(&self) -> bool {
        self.after.as_ref().is_some_and(Screen::is_typing)
    }

    fn commands(&self) -> Vec<Command> {
        if !self.takes_lines() {
            return Vec::new();
        }
        let choices = self.asked().map_or_else(Vec::new, |_| self.choices());
        Command::moves(&choices).chain(self.words()).collect()
    }

    fn enter_line(&mut self, line: &str, context: &mut Context) -> Option<Go> {
        self.now = context.now;
        if self.motion.take().is_some() {
            self.show(true, context);
        }
        self.takes_lines().then(|| self.type_line(line, context))
    }

    fn is_asking(&self) -> bool {
        let after = self.after.as_ref();
        self.is_resigning || self.replacing.is_some() || after.is_some_and(After::is_asking)
    }

    fn fate(&self) -> Fate {
        if self.in_game() {
            Fate::GoesOn { is_timed: self.mirror.clock().is_some() }
        } else {
            Fate::Saved
        }
    }

    fn in_game(&self) -> bool {
        let is_playing = matches!(self.mirror.stage(), StageName::Playing | StageName::Paused);
        is_playing && self.mirror.you().is_some() && self.mirror.end().is_none()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        view::draw(self, canvas, area, context);
    }
}

/// Whether a key answers an offer. Esc does not: it leaves.
const fn is_answer(press: Press) -> bool {
    matches!(press, Press::Key(KeyCode::Char('y' | 'Y' | 'n' | 'N')))
}
