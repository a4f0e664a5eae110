//! The game loop: asks whoever has to choose, plays the turn, and answers whatever else is asked.

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
use crate::output;

/// How a game comes about, for the front end to tell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Opening {
    /// The seed, where it is to be told.
    pub(crate) seed: Option<u64>,
    /// How it begins.
    pub(crate) beginning: Beginning,
    /// Two people choose at once, and neither may see the other's choice (R-CL-6).
    pub(crate) secret: bool,
}

/// How a game begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// As the players or the rulebook have it.
    #[default]
    Plain,
    /// A coin toss decided who starts.
    Tossed,
    /// The people have swapped seats since the last game of the match.
    Swapped,
    /// It goes on where it was left.
    Resumed,
}

impl Beginning {
    /// How the game after one of a match begins.
    pub(crate) fn after(before: &Plan, next: &Plan) -> Self {
        if before.names == next.names { Self::Plain } else { Self::Swapped }
    }
}

/// What became of a game.
enum PlayResult {
    Over(Ending),
    Left(Exit),
}

/// What becomes of a turn.
enum LoopStep {
    /// Go on asking.
    On,
    /// Go on, and do not tell the whole situation again.
    Again,
    Left(Exit),
}

/// What was answered to a question.
enum YesNo {
    Yes,
    No,
    Left(Exit),
}

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
        advisor.turn_to(&plan);
        let mut contestants = advisor.contestants(&plan)?;
        let mut conversation = Conversation {
            driver: &mut driver,
            front,
            keeper,
            advisor,
            contestants: &mut contestants,
        };
        let ending = match conversation.play()? {
            PlayResult::Over(ending) => ending,
            PlayResult::Left(exit) => {
                front.leave()?;
                warn(keeper.deliver());
                keeper.exit_message().into_iter().for_each(output::complain);
                dismiss(contestants);
                return Ok(exit);
            }
        };
        let ended = driver.into_session();
        warn(keeper.end(&ended));
        // The end is told first, because judging the game may take a moment; it counts if nobody listens, too.
        let told = front.end(&ended, ending);
        warn(keeper.deliver());
        warn(keeper.count(|| result(&plan, &ended, ending, advisor)));
        told?;
        dismiss(contestants);
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

/// Lets the programs end that took part. Wherever this is not reached, they are ended at once.
fn dismiss(contestants: Both<Option<Contestant>>) {
    for mut contestant in [contestants.one, contestants.two].into_iter().flatten() {
        contestant.quit();
    }
}

/// What is counted of a game, if a person played it.
fn result(plan: &Plan, session: &Session, ending: Ending, advisor: &Advisor) -> Option<GameResult> {
    if Side::ALL.into_iter().all(|side| !plan.players[side].is_human()) {
        return None;
    }
    let record = session.record();
    GameResult::of(plan, ending, record.turns.len(), advisor.accuracy(&record))
}

/// Tells what went wrong in keeping a game.
fn warn(warning: Option<String>) {
    if let Some(warning) = warning {
        output::complain(warning);
    }
}

/// One game with those who take part in it.
struct Conversation<'a> {
    driver: &'a mut Driver,
    front: &'a mut dyn FrontEnd,
    keeper: &'a mut Keeper,
    advisor: &'a mut Advisor,
    contestants: &'a mut Both<Option<Contestant>>,
}

impl Conversation<'_> {
    fn play(&mut self) -> Result<PlayResult> {
        let mut again = false;
        loop {
            let step = match self.driver.waiting() {
                Waiting::Nothing(ending) => return Ok(PlayResult::Over(ending)),
                Waiting::Pass(_) => self.enter(Input::Pass)?,
                Waiting::Program(side) => self.let_choose(side)?,
                Waiting::Person(side) => self.ask(side, again)?,
                Waiting::Answer(question) => self.put(question)?,
            };
            match step {
                LoopStep::On => again = false,
                LoopStep::Again => again = true,
                LoopStep::Left(exit) => return Ok(PlayResult::Left(exit)),
            }
        }
    }

    /// Tells the driver something, and the front what came of it.
    fn enter(&mut self, input: Input) -> Result<LoopStep> {
        let happened = self.driver.enter(input);
        let session = self.driver.session();
        match &happened {
            Happened::Nothing | Happened::Declined(Question::Resign(_)) => {
                return Ok(LoopStep::Again);
            }
            Happened::Chosen(side) => self.front.waits(session, *side)?,
            Happened::Turn => self.front.turn(session)?,
            Happened::TakenBack => self.front.taken_back(session)?,
            Happened::Refused(why) => return self.refuse(why),
            Happened::Declined(Question::Draw(side)) => {
                let name = &session.table().names()[side.other()];
                self.front.note(session, &format!("{name} declines."))?;
            }
            Happened::Asked(_) | Happened::Ended => {}
            Happened::Requested(request) => return self.obey(request),
        }
        if self.driver.saves_after(&happened) {
            warn(self.keeper.keep(self.driver.session()));
        }
        Ok(LoopStep::On)
    }

    /// Lets a program choose. All programs of a turn are asked before the first of them is waited for.
    fn let_choose(&mut self, side: Side) -> Result<LoopStep> {
        let session = self.driver.session();
        for side in session.table().to_act() {
            if let Some(contestant) = &mut self.contestants[side] {
                contestant.ask_ahead(session.table(), side);
            }
        }
        let contestant = self.contestants[side].as_mut().expect("a program plays this side");
        let (number, undone) = (session.number(), session.undone());
        match contestant.choose(session.table(), side, number, undone) {
            Ok(choice) => {
                self.front.chose(session, side, &choice)?;
                self.enter(Input::Choice(side, &choice))
            }
            Err(fault) => {
                let mut faults = Both::new(None, None);
                faults[side] = Some(fault);
                self.enter(Input::Faults(faults))
            }
        }
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

    /// Puts a question to whoever has to answer it.
    fn put(&mut self, question: Question) -> Result<LoopStep> {
        let (table, side) = (self.driver.session().table(), question.answered_by());
        let names = table.names();
        let asked = match (question, &self.contestants[side]) {
            (Question::Draw(_), Some(program)) => {
                let accepts = program.accepts_draw(table, side);
                return self.enter(Input::Answer(accepts));
            }
            (Question::Draw(offering), None) => {
                let (from, to) = (&names[offering], &names[side]);
                format!("{from} offers a draw. {to}, do you accept (yes or no)? ")
            }
            (Question::Resign(_), _) => {
                format!("{}, do you resign (yes or no)? ", names[side])
            }
        };
        match self.ask_whether(&asked)? {
            YesNo::Yes => self.enter(Input::Answer(true)),
            YesNo::No => self.enter(Input::Answer(false)),
            YesNo::Left(exit) => Ok(LoopStep::Left(exit)),
        }
    }

    fn refuse(&mut self, text: &str) -> Result<LoopStep> {
        self.front.refuse(self.driver.session(), text)?;
        Ok(LoopStep::Again)
    }

    /// Answers what a player asks for beside the game.
    fn obey(&mut self, request: &Request) -> Result<LoopStep> {
        let Waiting::Person(side) = self.driver.waiting() else { return Ok(LoopStep::Again) };
        let table = self.driver.session().table();
        let told = match request.word {
            Word::Help => {
                let choices = self.driver.choices(side);
                format!("Enter your move: {choices}.\nOr, at any time:\n{}", Word::list())
            }
            Word::Rules => table.entry().rules_page(),
            Word::Board => output::board(table),
            Word::Moves => format!("You can enter {}.", self.driver.choices(side)),
            Word::History => self.driver.history(),
            Word::Hint => self.advisor.hint(table, side),
            Word::Analyze => self.advisor.analysis(table, side),
            Word::Save => {
                let file = request.file.as_deref().map(Path::new);
                return self.save(file, Overwrite::if_forced(request.force));
            }
            Word::Quit => return self.quit(),
            Word::Undo | Word::Draw | Word::Resign => unreachable!("the driver does these itself"),
        };
        self.front.note(self.driver.session(), &told)?;
        Ok(LoopStep::Again)
    }

    /// Saves now. A file that holds something else is replaced only if the player says so.
    fn save(&mut self, file: Option<&Path>, overwrite: Overwrite) -> Result<LoopStep> {
        let session = self.driver.session();
        let told = match self.keeper.save_now(session, file, overwrite) {
            Ok(told) => told,
            Err(NotSaved::StandardOutput) => session.record().to_string().trim_end().to_owned(),
            Err(NotSaved::Because(fault)) => return self.refuse(&fault),
            Err(NotSaved::Exists(shown)) if self.front.is_person() => {
                let question = format!("{shown} exists already. Replace it (yes or no)? ");
                return match self.ask_whether(&question)? {
                    YesNo::Yes => self.save(file, Overwrite::Allowed),
                    YesNo::No => self.refuse("Not saved."),
                    YesNo::Left(exit) => Ok(LoopStep::Left(exit)),
                };
            }
            Err(NotSaved::Exists(shown)) => {
                return self.refuse(&format!(
                    "Not saved: {shown} exists already and is not a record of this game. Enter save! FILE to \
                     replace it."
                ));
            }
        };
        self.front.note(session, &told)?;
        Ok(LoopStep::Again)
    }

    /// Leaves, but asks where that would lose the game.
    fn quit(&mut self) -> Result<LoopStep> {
        if self.front.is_person() && self.keeper.is_at_risk(self.driver.session()) {
            return match self.ask_whether("The game is not saved. Leave anyway (yes or no)? ")? {
                YesNo::Yes => Ok(LoopStep::Left(Exit::Done)),
                YesNo::No => Ok(LoopStep::Again),
                YesNo::Left(exit) => Ok(LoopStep::Left(exit)),
            };
        }
        Ok(LoopStep::Left(Exit::Done))
    }

    /// Asks until a question is answered.
    fn ask_whether(&mut self, question: &str) -> Result<YesNo> {
        let session = self.driver.session();
        loop {
            let text = match self.front.ask_whether(session, question)? {
                InputLine::Text(text) => text,
                InputLine::Unusable(why) => {
                    self.front.refuse(session, why)?;
                    continue;
                }
                InputLine::End => return Ok(YesNo::Left(Exit::InputEnded)),
                InputLine::Interrupted => return Ok(YesNo::Left(INTERRUPTED)),
            };
            match yes_or_no(&text) {
                Some(true) => return Ok(YesNo::Yes),
                Some(false) => return Ok(YesNo::No),
                None => self.front.refuse(session, "Enter yes or no.")?,
            }
        }
    }
}
