//! A local match between people at this terminal and programs.

use std::path::Path;

use anyhow::Result;
use skirmish_arena::referee::Contestant;
use skirmish_play::driver::{Driver, Happened, Input, Question, Request, Seat, Waiting, Word};
use skirmish_play::{MatchState, Plan, Session};
use skirmish_rules::{Both, Ending, Side, Table};
use skirmish_store::{GameResult, Keeper, NotSaved, Overwrite};

use super::console::Console;
use super::game::{HELP, STUCK, Step, Turns};
use super::input::InputLine;
use super::show::Beginning;
use crate::advisor::Advisor;
use crate::exit::Exit;
use crate::output;

/// A game, and the rest of its match.
pub(crate) struct LocalTurns<'a> {
    plan: Plan,
    driver: Driver,
    contestants: Both<Option<Contestant>>,
    console: &'a mut Console,
    keeper: &'a mut Keeper,
    advisor: &'a mut Advisor,
    question: Option<Confirmation>,
    /// Whether the player was already asked in this position.
    again: bool,
}

/// A question that is not part of the game.
enum Confirmation {
    /// Whether to replace a file, with its path as displayed.
    Replace(Request, String),
    /// Whether to leave without saving.
    Leave,
}

impl<'a> LocalTurns<'a> {
    /// Begins or resumes a game.
    pub(crate) fn begin(
        plan: Plan,
        session: Session,
        beginning: Beginning,
        console: &'a mut Console,
        keeper: &'a mut Keeper,
        advisor: &'a mut Advisor,
    ) -> Result<Self> {
        let driver = drive(&plan, session, console);
        let contestants = Both::new(None, None);
        let (question, again) = (None, false);
        let mut game =
            Self { plan, driver, contestants, console, keeper, advisor, question, again };
        game.open(beginning)?;
        Ok(game)
    }

    /// Announces the game and seats the programs.
    fn open(&mut self, beginning: Beginning) -> Result<()> {
        warn(self.keeper.begin(&self.plan, self.driver.session()));
        self.console.keep_secret(self.driver.is_secret());
        self.console.begin(self.driver.session(), beginning)?;
        self.advisor.switch_to(&self.plan);
        self.contestants = self.advisor.contestants(&self.plan)?;
        Ok(())
    }

    /// Ends the game, and begins the next one of the match. Returns the exit code if there is none.
    fn end(&mut self, ending: Ending) -> Result<Option<Exit>> {
        let session = self.driver.session();
        warn(self.keeper.end(session));
        // Print the end first, because reviewing the game may take a moment. Count the game even if printing fails.
        let printed = self.console.end(session, ending);
        warn(self.keeper.deliver());
        warn(self.keeper.count(|| result(&self.plan, session, ending, self.advisor)));
        printed?;
        self.keeper.review_message().into_iter().for_each(output::eprint_line);
        self.dismiss();
        match self.plan.after(ending.outcome) {
            None => Ok(Some(Exit::Done)),
            Some(MatchState::Over(score)) => {
                self.console.score(&score, true)?;
                Ok(Some(Exit::Done))
            }
            Some(MatchState::Next(score, next)) => {
                self.console.score(&score, false)?;
                let beginning = Beginning::after(&self.plan, &next);
                self.plan = *next;
                self.driver = drive(&self.plan, self.plan.begin(), self.console);
                self.again = false;
                self.open(beginning)?;
                Ok(None)
            }
        }
    }

    /// Lets the programs quit. If this is not called, they are killed.
    fn dismiss(&mut self) {
        let contestants = std::mem::replace(&mut self.contestants, Both::new(None, None));
        for mut contestant in [contestants.one, contestants.two].into_iter().flatten() {
            contestant.quit();
        }
    }

    /// Passes input to the driver and shows the effect.
    fn pass_on(&mut self, input: Input) -> Result<Step<Exit>> {
        let happened = self.driver.enter(input);
        let session = self.driver.session();
        let was_asked = std::mem::take(&mut self.again);
        match &happened {
            Happened::Nothing | Happened::Declined(Question::Offer(_) | Question::Resign(_)) => {
                self.again = true;
            }
            Happened::Chosen(side) => self.console.waits(*side)?,
            Happened::Turn => self.console.turn(session)?,
            Happened::TakenBack => self.console.taken_back(session)?,
            Happened::Refused(why) => {
                self.again = was_asked;
                return self.refuse(why);
            }
            Happened::Unknown(why) => {
                self.again = was_asked;
                return self.refuse(&format!("{why} {HELP}"));
            }
            Happened::Declined(Question::Draw(side)) => {
                let name = &session.table().names()[side.other()];
                self.console.note(&format!("{name} declines."))?;
            }
            Happened::Asked(_) | Happened::Ended => {}
            Happened::NoRoom(fault) => {
                self.console.note(&format!("A bot {fault}."))?;
                return self.leave(Exit::Failed);
            }
            Happened::Requested(request) => {
                self.again = was_asked;
                return Ok(Step::Answer(request.clone()));
            }
        }
        if self.driver.saves_after(&happened) {
            warn(self.keeper.keep(self.driver.session()));
        }
        Ok(Step::Continue)
    }

    /// Lets programs choose. All programs of a turn start thinking before the first answer is awaited.
    fn let_choose(&mut self, asked: Both<bool>) -> Result<Step<Exit>> {
        let session = self.driver.session();
        let (table, number, undone) = (session.table(), session.number(), session.undone());
        for side in Side::ALL.into_iter().filter(|&side| asked[side]) {
            if let Some(contestant) = &mut self.contestants[side] {
                contestant.ask_ahead(table, side);
            }
        }
        let mut answers = Both::new(None, None);
        for side in Side::ALL.into_iter().filter(|&side| asked[side]) {
            let contestant = self.contestants[side].as_mut().expect("a program plays this side");
            let answer = contestant.choose(table, side, number, undone);
            if let Ok(choice) = &answer {
                self.console.chose(session, side, choice)?;
                if asked[side.other()] && side == Side::One {
                    self.console.waits(side)?;
                }
            }
            answers[side] = Some(answer);
        }
        self.pass_on(Input::Programs(answers))
    }

    /// The pending yes-or-no question.
    fn question(&self) -> Option<String> {
        let names = self.driver.session().table().names();
        match (&self.question, self.driver.waiting()) {
            (Some(Confirmation::Replace(_, shown)), _) => {
                Some(format!("{shown} exists already. Replace it (yes or no)? "))
            }
            (Some(Confirmation::Leave), _) => {
                Some("The game is not saved. Leave anyway (yes or no)? ".to_owned())
            }
            (None, Waiting::Answer(question)) => Some(match question {
                Question::Draw(offering) => {
                    let (from, to) = (&names[offering], &names[question.answered_by()]);
                    format!("{from} offers a draw. {to}, do you accept (yes or no)? ")
                }
                Question::Offer(side) => {
                    format!("{}, do you offer a draw (yes or no)? ", names[side])
                }
                Question::Resign(side) => {
                    format!("{}, do you resign (yes or no)? ", names[side])
                }
            }),
            (None, _) => None,
        }
    }
}

impl Turns for LocalTurns<'_> {
    type After = Exit;

    fn console(&mut self) -> &mut Console {
        self.console
    }

    fn driver(&self) -> Option<&Driver> {
        Some(&self.driver)
    }

    fn you(&self) -> Option<Side> {
        self.asked()
    }

    fn asked(&self) -> Option<Side> {
        match self.driver.waiting() {
            Waiting::Person(side) => Some(side),
            Waiting::Nothing(_) | Waiting::Pass(_) | Waiting::Programs(_) | Waiting::Answer(_) => {
                None
            }
        }
    }

    fn advance(&mut self) -> Result<Option<Exit>> {
        loop {
            let step = match self.driver.waiting() {
                Waiting::Nothing(ending) => match self.end(ending)? {
                    Some(exit) => Step::Leave(exit),
                    None => Step::Continue,
                },
                Waiting::Pass(_) => self.pass_on(Input::Pass)?,
                Waiting::Programs(asked) => self.let_choose(asked)?,
                Waiting::Answer(question @ Question::Draw(_)) => {
                    let (table, side) = (self.driver.session().table(), question.answered_by());
                    let Some(program) = &self.contestants[side] else { return Ok(None) };
                    let accepts = program.accepts_draw(table, side);
                    self.pass_on(Input::Answer(side, accepts))?
                }
                Waiting::Person(_) | Waiting::Answer(_) => return Ok(None),
            };
            if let Step::Leave(exit) = step {
                return Ok(Some(exit));
            }
        }
    }

    fn next_line(&mut self) -> Result<Option<InputLine>> {
        if let Some(question) = self.question() {
            return Ok(Some(self.console.ask_whether(&question)?));
        }
        let Some(side) = self.asked() else { return Ok(None) };
        let session = self.driver.session();
        let again = std::mem::replace(&mut self.again, true);
        if session.is_stuck() && !again {
            self.console.note(STUCK)?;
        }
        Ok(Some(self.console.ask_choice(session, side, again)?))
    }

    fn is_questioned(&self) -> bool {
        self.question().is_some()
    }

    fn answer(&mut self, yes: bool) -> Result<Step<Exit>> {
        match self.question.take() {
            Some(Confirmation::Replace(request, _)) if yes => {
                self.save(&Request { force: true, ..request })
            }
            Some(Confirmation::Replace(..)) => self.refuse("Not saved."),
            Some(Confirmation::Leave) if yes => self.leave(Exit::Done),
            Some(Confirmation::Leave) => Ok(Step::Continue),
            None => match self.driver.waiting() {
                Waiting::Answer(question) => {
                    self.pass_on(Input::Answer(question.answered_by(), yes))
                }
                _ => Ok(Step::Continue),
            },
        }
    }

    fn enter(&mut self, text: &str) -> Result<Step<Exit>> {
        match self.asked() {
            Some(side) => self.pass_on(Input::Line(side, text)),
            None => Ok(Step::Continue),
        }
    }

    fn words(&self) -> String {
        Word::list()
    }

    fn advice(&mut self) -> std::result::Result<(&mut Advisor, &dyn Table), &'static str> {
        Ok((self.advisor, self.driver.session().table()))
    }

    /// Saves now. Replaces a file that holds something else only if the player agrees.
    fn save(&mut self, request: &Request) -> Result<Step<Exit>> {
        let session = self.driver.session();
        let file = request.argument.as_deref().map(Path::new);
        let overwrite = Overwrite::if_forced(request.force);
        let text = match self.keeper.save_now(session, file, overwrite) {
            Ok(text) => text,
            Err(NotSaved::StandardOutput) => session.record().to_string().trim_end().to_owned(),
            Err(NotSaved::Because(fault)) => return self.refuse(&fault),
            Err(NotSaved::Exists(shown)) if self.console.is_person() => {
                self.question = Some(Confirmation::Replace(request.clone(), shown));
                return Ok(Step::Continue);
            }
            Err(NotSaved::Exists(shown)) => {
                return self.refuse(&format!(
                    "Not saved: {shown} exists already and is not a record of this game. Enter save! FILE to \
                     replace it."
                ));
            }
        };
        self.console.note(&text)?;
        Ok(Step::Continue)
    }

    /// Leaves, after asking if that would lose the game.
    fn quit(&mut self) -> Result<Step<Exit>> {
        if self.console.is_person() && self.keeper.is_at_risk(self.driver.session()) {
            self.question = Some(Confirmation::Leave);
            return Ok(Step::Continue);
        }
        self.leave(Exit::Done)
    }

    fn leave(&mut self, exit: Exit) -> Result<Step<Exit>> {
        self.console.leave(true)?;
        warn(self.keeper.deliver());
        self.keeper.exit_message().into_iter().for_each(output::eprint_line);
        self.dismiss();
        Ok(Step::Leave(exit))
    }
}

fn drive(plan: &Plan, session: Session, console: &Console) -> Driver {
    let driver = Driver::new(session, plan.players.as_ref().map(Seat::from));
    if console.is_person() { driver } else { driver.without_confirmation() }
}

/// The result to count, if a person played.
fn result(plan: &Plan, session: &Session, ending: Ending, advisor: &Advisor) -> Option<GameResult> {
    if Side::ALL.into_iter().all(|side| !plan.players[side].is_human()) {
        return None;
    }
    let record = session.record();
    GameResult::of(plan, ending, record.turns.len(), advisor.accuracy(&record))
}

/// Prints a warning about saving or counting.
fn warn(warning: Option<String>) {
    if let Some(warning) = warning {
        output::eprint_line(warning);
    }
}
