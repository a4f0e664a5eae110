//! The game loop: asks for choices, plays turns and answers requests.

use std::path::Path;

use anyhow::Result;
use skirmish_arena::referee::Contestant;
use skirmish_play::driver::{
    Driver, Happened, Input, Question, Request, Seat, Waiting, Word, yes_or_no,
};
use skirmish_play::{MatchState, Plan, Session};
use skirmish_rules::{Both, Ending, Side};
use skirmish_store::{GameResult, Keeper, NotSaved, Overwrite};

use super::front::FrontEnd;
use super::input::InputLine;
use crate::advisor::Advisor;
use crate::exit::{Exit, INTERRUPTED};
use crate::{games, output};

/// How a game begins, for the front end to announce.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Opening {
    /// The seed, if it is announced.
    pub(crate) seed: Option<u64>,
    /// New, tossed, swapped or resumed.
    pub(crate) beginning: Beginning,
    /// Two people choose at once, and neither may see the other's choice (R-CL-6).
    pub(crate) secret: bool,
}

/// How a game begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// As the players or the rulebook decide.
    #[default]
    Plain,
    /// A coin toss decided who starts.
    Tossed,
    /// The players have swapped seats since the last game of the match.
    Swapped,
    /// A saved game is resumed.
    Resumed,
}

impl Beginning {
    /// How the next game of a match begins.
    pub(crate) fn after(before: &Plan, next: &Plan) -> Self {
        if before.names == next.names { Self::Plain } else { Self::Swapped }
    }
}

/// How a game ended.
enum PlayResult {
    Over(Ending),
    Left(Exit),
}

/// What the loop does next.
enum LoopStep {
    /// Continue.
    Continue,
    /// Ask again, without repeating the situation.
    Again,
    Left(Exit),
}

/// The answer to a yes-or-no question, or how the program exits.
type YesNo = std::result::Result<bool, Exit>;

/// Plays a game, and the rest of its match.
pub(crate) fn play(
    mut plan: Plan,
    mut session: Session,
    mut opening: Opening,
    front: &mut dyn FrontEnd,
    keeper: &mut Keeper,
    advisor: &mut Advisor,
) -> Result<Exit> {
    loop {
        warn(keeper.begin(&plan, &session));
        let mut driver = Driver::new(session, plan.players.as_ref().map(Seat::from));
        if !front.is_person() {
            driver = driver.without_confirmation();
        }
        opening.secret = driver.is_secret();
        front.begin(driver.session(), &opening)?;
        advisor.switch_to(&plan);
        let mut contestants = advisor.contestants(&plan)?;
        let mut game_loop =
            GameLoop { driver: &mut driver, front, keeper, advisor, contestants: &mut contestants };
        let ending = match game_loop.play()? {
            PlayResult::Over(ending) => ending,
            PlayResult::Left(exit) => {
                front.leave()?;
                warn(keeper.deliver());
                keeper.exit_message().into_iter().for_each(output::eprint_line);
                quit_all(contestants);
                return Ok(exit);
            }
        };
        let ended = driver.into_session();
        warn(keeper.end(&ended));
        // Print the end first, because reviewing the game may take a moment. Count the game even if printing fails.
        let printed = front.end(&ended, ending);
        warn(keeper.deliver());
        warn(keeper.count(|| result(&plan, &ended, ending, advisor)));
        printed?;
        keeper.review_message().into_iter().for_each(output::eprint_line);
        quit_all(contestants);
        match plan.after(ending.outcome) {
            None => return Ok(Exit::Done),
            Some(MatchState::Over(score)) => {
                front.score(&score, true)?;
                return Ok(Exit::Done);
            }
            Some(MatchState::Next(score, next)) => {
                front.score(&score, false)?;
                let beginning = Beginning::after(&plan, &next);
                opening = Opening { beginning, ..Opening::default() };
                plan = *next;
                session = plan.begin();
            }
        }
    }
}

/// Lets the programs quit. Where this is not reached, they are killed.
fn quit_all(contestants: Both<Option<Contestant>>) {
    for mut contestant in [contestants.one, contestants.two].into_iter().flatten() {
        contestant.quit();
    }
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

/// One game with everything that it needs.
struct GameLoop<'a> {
    driver: &'a mut Driver,
    front: &'a mut dyn FrontEnd,
    keeper: &'a mut Keeper,
    advisor: &'a mut Advisor,
    contestants: &'a mut Both<Option<Contestant>>,
}

impl GameLoop<'_> {
    fn play(&mut self) -> Result<PlayResult> {
        let mut again = false;
        loop {
            let step = match self.driver.waiting() {
                Waiting::Nothing(ending) => return Ok(PlayResult::Over(ending)),
                Waiting::Pass(_) => self.enter(Input::Pass)?,
                Waiting::Programs(asked) => self.let_choose(asked)?,
                Waiting::Person(side) => self.ask(side, again)?,
                Waiting::Answer(question) => self.put_question(question)?,
            };
            match step {
                LoopStep::Continue => again = false,
                LoopStep::Again => again = true,
                LoopStep::Left(exit) => return Ok(PlayResult::Left(exit)),
            }
        }
    }

    /// Passes input to the driver, and the effect to the front end.
    fn enter(&mut self, input: Input) -> Result<LoopStep> {
        let happened = self.driver.enter(input);
        let session = self.driver.session();
        match &happened {
            Happened::Nothing | Happened::Declined(Question::Offer(_) | Question::Resign(_)) => {
                return Ok(LoopStep::Again);
            }
            Happened::Chosen(side) => self.front.waits(session, *side)?,
            Happened::Turn => self.front.turn(session)?,
            Happened::TakenBack => self.front.taken_back(session)?,
            Happened::Refused(why) => return self.refuse(why),
            Happened::Unknown(why) => {
                return self.refuse(&format!("{why} (\"help\" lists what else you can enter.)"));
            }
            Happened::Declined(Question::Draw(side)) => {
                let name = &session.table().names()[side.other()];
                self.front.note(session, &format!("{name} declines."))?;
            }
            Happened::Asked(_) | Happened::Ended => {}
            Happened::NoRoom(fault) => {
                self.front.note(session, &format!("A bot {fault}."))?;
                return Ok(LoopStep::Left(Exit::Failed));
            }
            Happened::Requested(request) => return self.answer(request),
        }
        if self.driver.saves_after(&happened) {
            warn(self.keeper.keep(self.driver.session()));
        }
        Ok(LoopStep::Continue)
    }

    /// Lets programs choose. All programs of a turn start thinking before the first answer is awaited.
    fn let_choose(&mut self, asked: Both<bool>) -> Result<LoopStep> {
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
                self.front.chose(session, side, choice)?;
                if asked[side.other()] && side == Side::One {
                    self.front.waits(session, side)?;
                }
            }
            answers[side] = Some(answer);
        }
        self.enter(Input::Programs(answers))
    }

    fn ask(&mut self, side: Side, again: bool) -> Result<LoopStep> {
        let session = self.driver.session();
        if session.is_stuck() && !again {
            self.front
                .note(session, "Neither player can move. Enter pass, draw, resign or quit.")?;
        }
        match self.front.ask(session, side, again)? {
            InputLine::Text(text) => self.enter(Input::Line(side, &text)),
            InputLine::Unusable(why) => {
                self.refuse(&format!("{why} Enter {}.", self.driver.choices(side)))
            }
            InputLine::End => Ok(LoopStep::Left(Exit::InputEnded)),
            InputLine::Interrupted => Ok(LoopStep::Left(INTERRUPTED)),
        }
    }

    /// Puts a question to the side that answers it.
    fn put_question(&mut self, question: Question) -> Result<LoopStep> {
        let (table, side) = (self.driver.session().table(), question.answered_by());
        let names = table.names();
        let asked = match (question, &self.contestants[side]) {
            (Question::Draw(_), Some(program)) => {
                let accepts = program.accepts_draw(table, side);
                return self.enter(Input::Answer(side, accepts));
            }
            (Question::Draw(offering), None) => {
                let (from, to) = (&names[offering], &names[side]);
                format!("{from} offers a draw. {to}, do you accept (yes or no)? ")
            }
            (Question::Offer(_), _) => {
                format!("{}, do you offer a draw (yes or no)? ", names[side])
            }
            (Question::Resign(_), _) => {
                format!("{}, do you resign (yes or no)? ", names[side])
            }
        };
        match self.ask_whether(&asked)? {
            Ok(answer) => self.enter(Input::Answer(side, answer)),
            Err(exit) => Ok(LoopStep::Left(exit)),
        }
    }

    fn refuse(&mut self, text: &str) -> Result<LoopStep> {
        self.front.refuse(self.driver.session(), text)?;
        Ok(LoopStep::Again)
    }

    /// Answers a player's request.
    fn answer(&mut self, request: &Request) -> Result<LoopStep> {
        let Waiting::Person(side) = self.driver.waiting() else { return Ok(LoopStep::Again) };
        let table = self.driver.session().table();
        let text = match request.word {
            Word::Help => {
                let choices = self.driver.choices(side);
                format!("Enter your move: {choices}.\nOr, at any time:\n{}", Word::list())
            }
            Word::Rules => {
                let parts = games::rules_in_game(table.entry(), request.argument.is_some());
                self.front.pages(self.driver.session(), &parts)?;
                return Ok(LoopStep::Again);
            }
            Word::Board => output::board(table),
            Word::Moves => format!("You can enter {}.", self.driver.choices(side)),
            Word::History => self.driver.history(),
            Word::Hint => self.advisor.hint(table, side),
            Word::Analyze => self.advisor.analysis(table, side),
            Word::Save => {
                let file = request.argument.as_deref().map(Path::new);
                return self.save(file, Overwrite::if_forced(request.force));
            }
            Word::Quit => return self.quit(),
            Word::Undo | Word::Draw | Word::Resign => unreachable!("the driver does these itself"),
        };
        self.front.note(self.driver.session(), &text)?;
        Ok(LoopStep::Again)
    }

    /// Saves now. Replaces a file that holds something else only if the player agrees.
    fn save(&mut self, file: Option<&Path>, overwrite: Overwrite) -> Result<LoopStep> {
        let session = self.driver.session();
        let text = match self.keeper.save_now(session, file, overwrite) {
            Ok(text) => text,
            Err(NotSaved::StandardOutput) => session.record().to_string().trim_end().to_owned(),
            Err(NotSaved::Because(fault)) => return self.refuse(&fault),
            Err(NotSaved::Exists(shown)) if self.front.is_person() => {
                let question = format!("{shown} exists already. Replace it (yes or no)? ");
                return match self.ask_whether(&question)? {
                    Ok(true) => self.save(file, Overwrite::Allowed),
                    Ok(false) => self.refuse("Not saved."),
                    Err(exit) => Ok(LoopStep::Left(exit)),
                };
            }
            Err(NotSaved::Exists(shown)) => {
                return self.refuse(&format!(
                    "Not saved: {shown} exists already and is not a record of this game. Enter save! FILE to \
                     replace it."
                ));
            }
        };
        self.front.note(session, &text)?;
        Ok(LoopStep::Again)
    }

    /// Leaves, after asking if that would lose the game.
    fn quit(&mut self) -> Result<LoopStep> {
        if self.front.is_person() && self.keeper.is_at_risk(self.driver.session()) {
            return match self.ask_whether("The game is not saved. Leave anyway (yes or no)? ")? {
                Ok(true) => Ok(LoopStep::Left(Exit::Done)),
                Ok(false) => Ok(LoopStep::Again),
                Err(exit) => Ok(LoopStep::Left(exit)),
            };
        }
        Ok(LoopStep::Left(Exit::Done))
    }

    /// Asks until the answer is yes or no.
    fn ask_whether(&mut self, question: &str) -> Result<YesNo> {
        let session = self.driver.session();
        loop {
            let text = match self.front.ask_whether(session, question)? {
                InputLine::Text(text) => text,
                InputLine::Unusable(why) => {
                    self.front.refuse(session, why)?;
                    continue;
                }
                InputLine::End => return Ok(Err(Exit::InputEnded)),
                InputLine::Interrupted => return Ok(Err(INTERRUPTED)),
            };
            match yes_or_no(&text) {
                Some(answer) => return Ok(Ok(answer)),
                None => self.front.refuse(session, "Enter yes or no.")?,
            }
        }
    }
}
