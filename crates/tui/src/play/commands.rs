//! What a player can ask for beside choosing: hints, undo, and the words of the line mode behind `:`.

use std::path::PathBuf;

use ratatui::crossterm::event::KeyCode;
use skirmish_play::Judgement;
use skirmish_play::driver::{Input, Question, Request, Word};
use skirmish_play::library::{Effort, Knowledge};
use skirmish_present::words;
use skirmish_rules::Side;
use skirmish_store::{NotSaved, Overwrite};

use super::super::context::{Context, is_screen, named_file};
use super::super::pages::{PageScreen, rules_page};
use super::super::parts::Typing;
use super::super::rival::Rival;
use super::super::screen::{Go, Press};
use super::{Play, PlayStage};
use crate::Closed;

impl Play {
    pub(super) fn type_key(&mut self, press: Press, context: &mut Context) -> Go {
        let Some(typed) = &mut self.typed else { return Go::Stay };
        let is_rubbed_out = typed.text.is_empty() && press == Press::Key(KeyCode::Backspace);
        match typed.press(press) {
            Typing::On if !is_rubbed_out => Go::Stay,
            Typing::On | Typing::Left => {
                self.typed = None;
                Go::Stay
            }
            Typing::Done(text) => {
                self.typed = None;
                self.say(&text, context)
            }
        }
    }

    /// The side that speaks: the one that is asked, or the person who waits.
    fn speaker(&self) -> Side {
        let person = Side::ALL.into_iter().find(|&side| self.driver.is_person(side));
        match self.stage {
            PlayStage::Choosing(side) | PlayStage::Veiled(side) => side,
            PlayStage::Thinking { .. }
            | PlayStage::Solving
            | PlayStage::Answering
            | PlayStage::Over(_) => person.unwrap_or(Side::One),
        }
    }

    /// Does what a line says, as the line mode would.
    pub(super) fn say(&mut self, text: &str, context: &mut Context) -> Go {
        let happened = self.enter(Input::Line(self.speaker(), text), context);
        self.react(happened, context)
    }

    /// Answers what a player asks for beside the game.
    pub(super) fn obey(&mut self, request: &Request, context: &mut Context) -> Go {
        let page =
            |title: &str, text: String| Go::To(Box::new(PageScreen::new(title.to_owned(), text)));
        match request.word {
            Word::Help => return page("Words to type behind :", Word::list()),
            Word::Rules => return Go::To(Box::new(rules_page(self.plan.entry))),
            Word::Board => self.says = None,
            Word::Moves => self.tell(
                match self.asked() {
                    Some(side) => format!("You can enter {}.", self.driver.choices(side)),
                    None => "It is not your turn.".to_owned(),
                },
                false,
            ),
            Word::History => return page("The turns so far", self.driver.history()),
            Word::Hint => self.hint(context),
            Word::Analyze => self.analyse(context),
            Word::Save => {
                let file = request.file.as_ref().map(|name| named_file(name, context));
                self.save_now(file, Overwrite::if_forced(request.force));
            }
            Word::Quit => return Go::Leave(Closed::Left),
            Word::Undo | Word::Draw | Word::Resign => unreachable!("the driver does these itself"),
        }
        Go::Stay
    }

    /// Saves now. A file that holds something else is replaced only after a yes.
    fn save_now(&mut self, file: Option<PathBuf>, overwrite: Overwrite) {
        if file.as_deref().is_some_and(is_screen) {
            return self.tell("Not saved: the screen is no place for a record. Name a file.", true);
        }
        match self.keeper.save_now(self.driver.session(), file.as_deref(), overwrite) {
            Ok(told) => self.tell(told, false),
            Err(NotSaved::Because(fault)) => self.tell(fault, true),
            Err(NotSaved::StandardOutput) => self.tell("Not saved: name a file.", true),
            Err(NotSaved::Exists(shown)) => {
                self.tell(format!("{shown} exists already. Replace it? (y or n)"), true);
                self.replacing = file;
            }
        }
    }

    pub(super) fn answer_replacing(&mut self, file: PathBuf, press: Press) -> Go {
        match press {
            Press::Key(KeyCode::Char('y' | 'Y')) => {
                self.save_now(Some(file), Overwrite::Allowed);
            }
            Press::Key(KeyCode::Char('n' | 'N') | KeyCode::Esc) => self.tell("Not saved.", false),
            Press::Key(_) | Press::Control(_) | Press::Pick(_) => self.replacing = Some(file),
        }
        Go::Stay
    }

    /// The best move, and what it leads to.
    pub(super) fn hint(&mut self, context: &mut Context) {
        let Some(side) = self.asked() else { return };
        match self.judgement(context) {
            Ok(judgement) => self.tell(words::hint(&judgement, side), false),
            Err(why) => self.tell(why, false),
        }
    }

    /// Switches the analysis on or off.
    pub(super) fn analyse(&mut self, context: &mut Context) {
        self.is_analysing = !self.is_analysing;
        if self.is_analysing {
            context.learn(&self.plan, Effort::Full);
        }
    }

    /// What is known of the position, or why nothing is.
    pub(super) fn judgement(&self, context: &mut Context) -> Result<Judgement, String> {
        context.learn(&self.plan, Effort::Full);
        match context.knowledge(&self.plan) {
            Knowledge::Known(solved) => {
                let judgement = solved.judge_position(&self.session().table().position());
                let nothing = || "Nothing is known of this position.".to_owned();
                judgement.ok().flatten().ok_or_else(nothing)
            }
            Knowledge::Refused(_, why) => Err(format!("This game cannot be solved here: {why}.")),
            Knowledge::Working(_) | Knowledge::Nothing => {
                Err("The game is being solved; ask again in a moment.".to_owned())
            }
        }
    }

    /// A turn or more has been taken back.
    pub(super) fn taken_back(&mut self, context: &mut Context) -> Go {
        if let PlayStage::Thinking { side, .. } = self.stage
            && self.rivals[side].as_ref().is_some_and(Rival::is_bot)
        {
            // What it thinks about is no more, and it cannot be told so: it is ended, and another one takes its seat.
            self.rivals[side] = None;
            self.seat(context);
        }
        self.tell("The last turn has been taken back.", false);
        let says = self.says.take();
        let go = self.go_on(context);
        self.says = says;
        go
    }

    /// A question is open: people are asked by the screen, and programs at once.
    pub(super) fn put(&mut self, question: Question, context: &mut Context) -> Go {
        let side = question.answered_by();
        if self.driver.is_person(side) {
            return Go::Stay;
        }
        let table = self.session().table();
        let accepts =
            self.rivals[side].as_ref().is_some_and(|rival| rival.accepts_draw(table, side));
        let happened = self.enter(Input::Answer(accepts), context);
        self.react(happened, context)
    }

    pub(super) fn answer(&mut self, press: Press, context: &mut Context) -> Go {
        let agrees = match press {
            Press::Key(KeyCode::Char('y' | 'Y')) => true,
            Press::Key(KeyCode::Char('n' | 'N') | KeyCode::Esc) => false,
            Press::Key(_) | Press::Control(_) | Press::Pick(_) => return Go::Stay,
        };
        let happened = self.enter(Input::Answer(agrees), context);
        self.react(happened, context)
    }
}
