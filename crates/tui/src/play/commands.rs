//! Player commands other than choices: words typed after `:`, hints, analysis, and saving.

use std::path::PathBuf;

use skirmish_play::driver::{Request, Word};
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{Judgement, Plan, Session};
use skirmish_present::words;
use skirmish_room::words::listed;
use skirmish_store::Overwrite;

use super::super::context::{Context, named_file};
use super::super::pages::{PageScreen, history_page, rules_page};
use super::super::save::save;
use super::super::screen::{Go, Press};
use super::{ActiveGame, Turns};
use crate::Closed;

impl<S> ActiveGame<S>
where
    Self: Turns,
{
    /// Carries out a command that works at every prompt and does not change the game.
    pub(crate) fn run_request(&mut self, request: &Request, context: &mut Context) -> Go {
        let Some((plan, driver)) = self.game() else { return Go::Stay };
        match request.word {
            Word::Help => {
                let words = listed(self.words().into_iter());
                Go::to(PageScreen::list("Words to type behind :", words))
            }
            Word::Rules => Go::to(rules_page(plan.entry)),
            Word::History => Go::to(history_page(&driver.session().record())),
            Word::Board => {
                self.message = None;
                Go::Stay
            }
            Word::Moves => {
                let text = match self.asked() {
                    Some(side) => format!("You can enter {}.", driver.choices(side)),
                    None => self.not_asked().to_owned(),
                };
                self.say(text, false)
            }
            Word::Hint => self.hint(context),
            Word::Analyze => self.analyse(context),
            Word::Save => {
                let file = request.argument.as_ref().map(|name| named_file(name, context));
                self.save(file, Overwrite::if_forced(request.force), context)
            }
            Word::Quit => Go::Leave(Closed::Left),
            Word::Undo | Word::Draw | Word::Resign => {
                unreachable!("they change the game, so its source handles them")
            }
        }
    }

    /// Saves the record. Asks before overwriting a file with other contents.
    fn save(&mut self, file: Option<PathBuf>, overwrite: Overwrite, context: &Context) -> Go {
        let file = file.or_else(|| self.usual_file(context));
        let mut replacing = None;
        let write = || self.write(file.as_deref(), overwrite);
        let saved = save(file.as_deref(), &mut replacing, write);
        self.replacing = replacing;
        match saved {
            Ok(text) => self.say(text, false),
            Err(text) => self.say(text, true),
        }
    }

    /// Answers the question whether to replace a file.
    pub(super) fn answer_replacing(
        &mut self,
        file: PathBuf,
        press: Press,
        context: &Context,
    ) -> Go {
        match press.answer() {
            Some(true) => self.save(Some(file), Overwrite::Allowed, context),
            Some(false) => self.say("Not saved.", false),
            None => {
                self.replacing = Some(file);
                Go::Stay
            }
        }
    }

    /// Shows the best move and its result.
    pub(super) fn hint(&mut self, context: &mut Context) -> Go {
        if let Some(why) = self.ban() {
            return self.say(why, true);
        }
        let (Some(side), Some((plan, driver))) = (self.asked(), self.game()) else {
            return self.say(self.not_asked(), false);
        };
        let text = match judgement(plan, driver.session(), context) {
            Ok(judgement) => words::hint(&judgement, side),
            Err(why) => why,
        };
        self.say(text, false)
    }

    /// Switches the analysis on or off.
    pub(super) fn analyse(&mut self, context: &mut Context) -> Go {
        if let Some(why) = self.ban().filter(|_| !self.is_analysing) {
            return self.say(why, true);
        }
        self.is_analysing = !self.is_analysing;
        if let Some((plan, _)) = self.game().filter(|_| self.is_analysing) {
            context.learn(plan, Effort::Full);
        }
        Go::Stay
    }
}

/// The judgement of the current position, or why it is not available.
fn judgement(plan: &Plan, session: &Session, context: &mut Context) -> Result<Judgement, String> {
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
