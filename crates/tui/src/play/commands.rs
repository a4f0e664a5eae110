//! Commands besides choices: hints, undo, and the words of line mode after `:`.

use std::path::PathBuf;

use ratatui::crossterm::event::KeyCode;
use skirmish_play::driver::{Input, Question, Request, Word};
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{Judgement, Plan, Session};
use skirmish_present::words;
use skirmish_rules::Side;
use skirmish_store::{NotSaved, Overwrite};

use super::super::analysis::positions;
use super::super::context::{Context, is_screen, named_file};
use super::super::map::MapScreen;
use super::super::pages::{PageScreen, history_page, rules_page};
use super::super::screen::{Go, Press};
use super::{Play, PlayStage};
use crate::Closed;

impl Play {
    /// The side that types: the one that is asked, or the person who waits.
    fn speaker(&self) -> Side {
        let person = Side::ALL.into_iter().find(|&side| self.driver.is_person(side));
        match self.stage {
            PlayStage::Choosing(side) | PlayStage::Veiled(side) => side,
            PlayStage::Thinking { .. }
            | PlayStage::Between
            | PlayStage::Solving
            | PlayStage::Over(_) => person.unwrap_or(Side::One),
        }
    }

    /// Enters a typed line, as in line mode.
    pub(super) fn type_line(&mut self, text: &str, context: &mut Context) -> Go {
        let happened = self.enter(Input::Line(self.speaker(), text), context);
        self.react(happened, context)
    }

    /// Carries out a request besides the game.
    pub(super) fn run_request(&mut self, request: &Request, context: &mut Context) -> Go {
        let page = |title: &str, text: String| Go::To(Box::new(PageScreen::list(title, text)));
        match request.word {
            Word::Help => return page("Words to type behind :", Word::list()),
            Word::Rules => return Go::To(Box::new(rules_page(self.plan.entry))),
            Word::Board => self.message = None,
            Word::Moves => self.show_message(
                match self.asked() {
                    Some(side) => format!("You can enter {}.", self.driver.choices(side)),
                    None => "It is not your turn.".to_owned(),
                },
                false,
            ),
            Word::History => return Go::To(Box::new(history_page(&self.session().record()))),
            Word::Hint => self.hint(context),
            Word::Analyze => self.analyse(context),
            Word::Save => {
                let file = request.argument.as_ref().map(|name| named_file(name, context));
                self.save_now(file, Overwrite::if_forced(request.force));
            }
            Word::Quit => return Go::Leave(Closed::Left),
            Word::Undo | Word::Draw | Word::Resign => unreachable!("the driver does these itself"),
        }
        Go::Stay
    }

    /// Saves now. Asks before overwriting a file that holds something else.
    fn save_now(&mut self, file: Option<PathBuf>, overwrite: Overwrite) {
        if file.as_deref().is_some_and(is_screen) {
            return self.show_message(
                "Not saved: a record cannot be saved to the screen. Name a file.",
                true,
            );
        }
        match self.keeper.save_now(self.driver.session(), file.as_deref(), overwrite) {
            Ok(message) => self.show_message(message, false),
            Err(NotSaved::Because(fault)) => self.show_message(fault, true),
            Err(NotSaved::StandardOutput) => self.show_message("Not saved: name a file.", true),
            Err(NotSaved::Exists(shown)) => {
                self.show_message(format!("{shown} exists already. Replace it? (y or n)"), true);
                self.replacing = file;
            }
        }
    }

    pub(super) fn answer_replacing(&mut self, file: PathBuf, press: Press) -> Go {
        match press {
            Press::Key(KeyCode::Char('y' | 'Y')) => {
                self.save_now(Some(file), Overwrite::Allowed);
            }
            Press::Key(KeyCode::Char('n' | 'N') | KeyCode::Esc) => {
                self.show_message("Not saved.", false);
            }
            _ => self.replacing = Some(file),
        }
        Go::Stay
    }

    /// The best move, and what it leads to.
    pub(super) fn hint(&mut self, context: &mut Context) {
        let Some(side) = self.asked() else { return };
        match judgement(&self.plan, self.driver.session(), context) {
            Ok(judgement) => self.show_message(words::hint(&judgement, side), false),
            Err(why) => self.show_message(why, false),
        }
    }

    /// Switches the analysis on or off.
    pub(super) fn analyse(&mut self, context: &mut Context) {
        self.is_analysing = !self.is_analysing;
        if self.is_analysing {
            context.learn(&self.plan, Effort::Full);
        }
    }

    /// To the map of the game, with the turns so far.
    pub(super) fn map(&self, context: &mut Context) -> Go {
        let path = positions(&self.session().record());
        Go::To(Box::new(MapScreen::new(self.plan.clone(), path, context)))
    }

    /// One or more turns have been taken back.
    pub(super) fn taken_back(&mut self, context: &mut Context) -> Go {
        (self.pause, self.answers) = (None, None);
        if let PlayStage::Thinking { asked, .. } = self.stage {
            for side in Side::ALL.into_iter().filter(|&side| asked[side]) {
                // A bot thinks about an obsolete position, and the protocols cannot cancel that: replace it.
                self.rivals[side].take_if(|rival| rival.is_bot());
            }
            self.seat(context);
        }
        let message = self.message.take();
        let go = self.advance(context);
        self.message = message;
        go
    }

    /// Puts a question: the screen asks a person, and a program answers at once.
    pub(super) fn ask(&mut self, question: Question, context: &mut Context) -> Go {
        let side = question.answered_by();
        if self.driver.is_person(side) {
            return Go::Stay;
        }
        let table = self.session().table();
        let accepts =
            self.rivals[side].as_ref().is_some_and(|rival| rival.accepts_draw(table, side));
        let happened = self.enter(Input::Answer(side, accepts), context);
        self.react(happened, context)
    }

    pub(super) fn answer(&mut self, press: Press, context: &mut Context) -> Go {
        let agrees = match press {
            Press::Key(KeyCode::Char('y' | 'Y')) => true,
            Press::Key(KeyCode::Char('n' | 'N') | KeyCode::Esc) => false,
            _ => return Go::Stay,
        };
        let Some(question) = self.question() else { return Go::Stay };
        let happened = self.enter(Input::Answer(question.answered_by(), agrees), context);
        self.react(happened, context)
    }
}

/// The judgement of a position, or why there is none.
pub(in super::super) fn judgement(
    plan: &Plan,
    session: &Session,
    context: &mut Context,
) -> Result<Judgement, String> {
    context.learn(plan, Effort::Full);
    match context.knowledge(plan) {
        Knowledge::Known(solved) => {
            let judgement = solved.judge_position(&session.table().position());
            let nothing = || "Nothing is known about this position.".to_owned();
            judgement.ok().flatten().ok_or_else(nothing)
        }
        Knowledge::Refused(_, why) => Err(format!("This game cannot be solved here: {why}.")),
        Knowledge::Working(_) | Knowledge::Nothing => {
            Err("The game is being solved; ask again in a moment.".to_owned())
        }
    }
}
