//! The parts specific to a game at this terminal: its stages, its keys, and saving.

use std::path::Path;
use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::driver::{Driver, Input, Question, Waiting, Word};
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{Analysis, MatchState, Plan};
use skirmish_present::words;
use skirmish_rules::Side;
use skirmish_store::{NotSaved, Overwrite, is_begun};

use super::super::super::after::AfterItem;
use super::super::super::analysis::positions;
use super::super::super::context::Context;
use super::super::super::jobs::JobReport;
use super::super::super::map::MapScreen;
use super::super::super::screen::{Fate, Go, Help, Hint, Press, Screen};
use super::super::super::setup::SetupScreen;
use super::super::picture::Outlook;
use super::super::{Turns, together};
use super::watching::Watching;
use super::{LocalPlay, Stage, view};

impl Turns for LocalPlay {
    fn game(&self) -> Option<(&Plan, &Driver)> {
        Some((&self.source.plan, &self.source.driver))
    }

    fn chooser(&self) -> Option<Side> {
        if let Stage::Choosing(side) = self.source.stage { Some(side) } else { None }
    }

    fn awaits_you(&self) -> bool {
        self.source.plan.only_person().is_some() && self.chooser().is_some()
    }

    fn has_ended(&self) -> bool {
        self.source.driver.session().ending().is_some()
    }

    fn advance(&mut self, context: &mut Context) -> Go {
        while self.motion.is_none() {
            match self.source.driver.turn() {
                Waiting::Nothing(ending) => {
                    self.end(ending, context);
                    break;
                }
                Waiting::Pass(_) => {
                    self.drive(Input::Pass, context);
                    continue;
                }
                Waiting::Person(side) => {
                    if self.source.driver.session().is_stuck() && self.message.is_none() {
                        self.say("Neither player can move: pass, or :draw, :resign.", true);
                    }
                    let Some(stage) = self.stage_for(side, context) else {
                        let table = self.source.driver.session().table();
                        let only = table.choices(side).swap_remove(0).notation;
                        self.drive(Input::Choice(side, &only), context);
                        continue;
                    };
                    self.source.stage = stage;
                }
                Waiting::Programs(asked) if self.are_seated(asked) => {
                    self.ask_programs(asked, context);
                }
                Waiting::Programs(_) => self.source.stage = Stage::Solving,
                Waiting::Answer(_) => unreachable!("a question is not a turn"),
            }
            self.chosen = Some(0);
            break;
        }
        Go::Stay
    }

    fn end_pause(&mut self, context: &mut Context) -> Go {
        match self.source.answers.take() {
            Some(answers) => self.enter(Input::Programs(answers), context),
            None => Go::Stay,
        }
    }

    fn play(&mut self, side: Side, notation: &str, context: &mut Context) -> Go {
        self.enter(Input::Choice(side, notation), context)
    }

    fn type_line(&mut self, line: &str, context: &mut Context) -> Go {
        self.enter(Input::Line(self.speaker(), line), context)
    }

    fn takes_lines(&self) -> bool {
        !self.is_over()
    }

    fn words(&self) -> Vec<(&'static str, String)> {
        Word::ALL.map(|word| (word.text(), word.about().to_owned())).to_vec()
    }

    fn question(&self) -> Option<Question> {
        let waiting = self.source.driver.waiting();
        if let Waiting::Answer(question) = waiting { Some(question) } else { None }
    }

    fn answer(&mut self, question: Question, yes: bool, context: &mut Context) -> Go {
        self.enter(Input::Answer(question.answered_by(), yes), context)
    }

    fn write(&mut self, file: Option<&Path>, overwrite: Overwrite) -> Result<String, NotSaved> {
        self.source.keeper.save_now(self.source.driver.session(), file, overwrite)
    }

    /// Returns from an exercise to the screen that started it, otherwise to the home screen.
    fn leave(&mut self, _context: &mut Context) -> Go {
        if self.source.plan.position.is_some() { Go::Back } else { Go::Home }
    }

    fn press_first(&mut self, press: Press, context: &mut Context) -> Option<Go> {
        let is_free = !Screen::is_asking(self) && self.after.is_none() && !self.log().is_open();
        is_free.then(|| self.watch(press, context)).flatten()
    }

    fn press_own(&mut self, press: Press, context: &mut Context) -> Option<Go> {
        let stage = self.source.stage;
        let is_forward = press.is_enter() || matches!(press, Press::Pick(_));
        let letter = match press {
            Press::Key(KeyCode::Char(letter)) => letter,
            _ => ' ',
        };
        let table = self.source.driver.session().table();
        if let Some((side, action)) = self.ready().and_then(|_| together::picked(table, press)) {
            return Some(self.choose_together(side, &action, context));
        }
        match stage {
            _ if letter == 't' => return None,
            Stage::Over(ending) if is_forward || press == Press::Key(KeyCode::Esc) => {
                return Some(self.conclude(ending, context));
            }
            Stage::Veiled(side) if is_forward => {
                self.source.stage = Stage::Choosing(side);
                (self.message, self.chosen) = (None, None);
            }
            Stage::Veiled(_) if letter == 'u' || press == Press::Key(KeyCode::Esc) => return None,
            Stage::Over(_) | Stage::Veiled(_) => {}
            _ if letter == 'u' && self.source.watching.is_some() => {}
            // A hint would be for one player, but both would see it.
            Stage::Together if letter == 'h' => {}
            _ if letter == 'm' => {
                let path = positions(&self.source.driver.session().record());
                let map = MapScreen::new(self.source.plan.clone(), path, context);
                return Some(Go::to(map));
            }
            _ if letter == 'n' => {
                return Some(Go::to(SetupScreen::new(self.source.plan.entry, context)));
            }
            Stage::Choosing(_)
            | Stage::Together
            | Stage::Thinking { .. }
            | Stage::Between
            | Stage::Solving => return None,
        }
        Some(Go::Stay)
    }

    fn title(&self) -> String {
        let plan = &self.source.plan;
        if self.after.is_some() {
            return format!("{}: the game is over", plan.entry.name);
        }
        let from = plan.position.as_ref().map_or(String::new(), |at| format!(" from {at}"));
        format!("{}{from}", words::game(plan.entry, &plan.settings))
    }

    fn own_hints(&self) -> Vec<Hint> {
        if let Some(after) = &self.after {
            return after.hints();
        }
        let away = ("Esc", if self.source.plan.position.is_some() { "back" } else { "home" });
        match self.source.stage {
            _ if self.is_tossing() => vec![("Enter", "go on"), ("t", "log"), away],
            Stage::Over(_) => {
                let steps = self.next_steps().into_iter().map(AfterItem::hint);
                std::iter::once(("Enter", "continue")).chain(steps).chain([("t", "log")]).collect()
            }
            Stage::Veiled(_) => {
                vec![("Enter", "lift the curtain"), ("u", "undo"), ("t", "log"), away]
            }
            Stage::Thinking { .. } | Stage::Between | Stage::Solving => {
                let watching = self.source.watching.as_ref().map(Watching::hints);
                let mut hints = watching.unwrap_or_else(|| vec![("u", "undo"), ("a", "analysis")]);
                hints.extend([("t", "log"), away, ("n", "new"), ("m", "map")]);
                hints
            }
            Stage::Together => vec![
                ("a", "analysis"),
                ("u", "undo"),
                ("m", "map"),
                ("n", "new"),
                ("t", "log"),
                (":", "more"),
                away,
            ],
            Stage::Choosing(_) => vec![
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

    fn adapt_help(&self, mut help: Vec<Help>) -> Vec<Help> {
        if self.source.watching.is_some() {
            // Home and End are keys of the game.
            help.truncate(1);
            help.extend(Watching::help(self.is_over()));
        }
        if self.ready().is_some() {
            help.splice(0..0, together::help(self.source.driver.session().table()));
        }
        help.extend(self.is_over().then(|| ("Esc".into(), "like Enter")));
        help
    }

    fn outlook(&self, area: Rect, analysis: Option<&Analysis>, context: &Context) -> Outlook {
        view::outlook(self, area, analysis, context)
    }

    fn not_asked(&self) -> &'static str {
        match self.source.stage {
            Stage::Together => "Both players choose: the analysis (a) shows the best mixes.",
            _ => "It is not your turn.",
        }
    }

    fn is_secret(&self) -> bool {
        self.source.driver.is_secret()
    }

    fn timer(&self) -> Option<Instant> {
        let watching = self.source.watching.as_ref()?;
        watching.due().filter(|_| self.source.stage == Stage::Between && !self.is_moving())
    }

    fn on_timer(&mut self, context: &mut Context) -> Go {
        if self.source.stage == Stage::Between { self.advance(context) } else { Go::Stay }
    }

    fn report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        match (report, self.source.stage) {
            (JobReport::Chosen { ticket, answers }, Stage::Thinking { ticket: latest, .. })
                if *ticket == latest =>
            {
                self.source.answers = Some(answers.clone());
                if self.pause.is_some() { Go::Stay } else { self.end_pause(context) }
            }
            (JobReport::Solved, Stage::Over(_))
            | (JobReport::Chosen { .. } | JobReport::Tournament, _) => Go::Stay,
            (JobReport::Solved, stage) => {
                self.seat(context);
                let knowledge = context.knowledge(&self.source.plan);
                match (stage, knowledge) {
                    (Stage::Solving, Knowledge::Refused(Effort::Full, why)) => {
                        self.say(format!("The computer cannot play here: {why}."), true)
                    }
                    (Stage::Solving, _) => self.advance(context),
                    _ => Go::Stay,
                }
            }
        }
    }

    fn next_steps(&self) -> Vec<AfterItem> {
        let local = &self.source;
        match local.stage {
            Stage::Over(ending) if local.watching.is_none() => {
                let after = local.plan.after(ending.outcome);
                AfterItem::next_steps(&local.plan, matches!(after, Some(MatchState::Next(..))))
            }
            _ => Vec::new(),
        }
    }

    fn fate(&self) -> Option<Fate> {
        let local = &self.source;
        if self.has_ended() {
            None
        } else if local.keeper.is_kept() {
            Some(Fate::Saved)
        } else if is_begun(&local.driver.session().record()) {
            Some(Fate::Lost)
        } else {
            Some(Fate::Unplayed)
        }
    }

    fn is_at_risk(&self) -> bool {
        !self.has_ended() && self.source.keeper.is_at_risk(self.source.driver.session())
    }
}
