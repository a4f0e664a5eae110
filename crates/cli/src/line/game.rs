//! The game loop: asks whoever has to choose, plays the turn, and answers whatever else is asked.

use std::path::Path;

use anyhow::Result;
use skirmish_arena::referee::Contestant;
use skirmish_play::{MatchState, Plan, Session};
use skirmish_rules::{Both, Ending, Refusal, Side, Submitted, Tempo, alternatives, quotable};
use skirmish_store::{GameResult, Keeper, NotSaved, Overwrite};

use super::command::{Begun, Command, RESIGN_IN_FULL, Request};
use super::front::Front;
use super::input::Line;
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
enum Played {
    Over(Ending),
    Left(Exit),
}

/// What becomes of a turn.
enum Step {
    /// Go on asking.
    On,
    /// Go on, and do not tell the whole situation again.
    Again,
    Left(Exit),
}

/// What was answered to a question.
enum Answer {
    Yes,
    No,
    Left(Exit),
}

/// Plays a game, and the rest of its match.
pub(crate) fn play(
    mut plan: Plan,
    mut session: Session,
    mut opening: Opening,
    front: &mut dyn Front,
    keeper: &mut Keeper,
    advisor: &mut Advisor,
) -> Result<Exit> {
    loop {
        warn(keeper.begin(&plan, &session));
        opening.secret =
            plan.entry.tempo() == Tempo::Simultaneous && plan.players == Both::default();
        front.begin(&session, &opening)?;
        advisor.turn_to(&plan);
        let mut contestants = advisor.contestants(&plan)?;
        let mut conversation = Conversation {
            plan: &plan,
            session: &mut session,
            front,
            keeper,
            advisor,
            contestants: &mut contestants,
        };
        let ending = match conversation.play()? {
            Played::Over(ending) => ending,
            Played::Left(exit) => {
                front.leave()?;
                warn(keeper.deliver());
                keeper.exit_message().into_iter().for_each(output::complain);
                dismiss(contestants);
                return Ok(exit);
            }
        };
        warn(keeper.end(&session));
        // The end is told first, because judging the game may take a moment; it counts if nobody listens, too.
        let told = front.end(&session, ending);
        warn(keeper.deliver());
        warn(keeper.count(|| result(&plan, &session, ending, advisor)));
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
    plan: &'a Plan,
    session: &'a mut Session,
    front: &'a mut dyn Front,
    keeper: &'a mut Keeper,
    advisor: &'a mut Advisor,
    contestants: &'a mut Both<Option<Contestant>>,
}

impl Conversation<'_> {
    fn play(&mut self) -> Result<Played> {
        let mut again = false;
        loop {
            if let Some(ending) = self.session.ending() {
                return Ok(Played::Over(ending));
            }
            let side = self.to_act();
            let pass = self.session.table().forced_pass(side);
            let step = if let Some(pass) = pass.filter(|_| !self.is_stuck_for(side)) {
                // R-ALL-3: nobody is asked where there is nothing to choose.
                self.session.submit(side, &pass.notation).expect("a forced pass is legal");
                self.turn_played()?
            } else if self.contestants[side].is_some() {
                self.ask_ahead();
                let contestant = self.contestants[side].as_mut().expect("it is there");
                let (number, undone) = (self.session.number(), self.session.undone());
                match contestant.choose(self.session.table(), side, number, undone) {
                    Ok(choice) => self.take(side, &choice)?,
                    Err(fault) => {
                        self.session.forfeit_by(side, fault);
                        Step::On
                    }
                }
            } else {
                self.ask(side, again)?
            };
            match step {
                Step::On => again = false,
                Step::Again => again = true,
                Step::Left(exit) => return Ok(Played::Left(exit)),
            }
        }
    }

    /// Asks all programs of a turn before the first of them is waited for.
    fn ask_ahead(&mut self) {
        for side in self.session.table().to_act() {
            if let Some(contestant) = &mut self.contestants[side] {
                contestant.ask_ahead(self.session.table(), side);
            }
        }
    }

    /// What a program has chosen.
    fn take(&mut self, side: Side, choice: &str) -> Result<Step> {
        self.front.chose(self.session, side, choice)?;
        Ok(self.submit(side, choice)?.expect("a program's choice has been checked"))
    }

    /// Whoever has to choose next; a person where both do. A program sees only the position, so it
    /// gains nothing by choosing last.
    fn to_act(&self) -> Side {
        let sides = self.session.table().to_act();
        let person = sides.iter().find(|&&side| self.contestants[side].is_none());
        *person.or(sides.first()).expect("somebody can choose until the game ends")
    }

    /// Whether a person has to be asked what to do about a game in which nobody can move any more.
    fn is_stuck_for(&self, side: Side) -> bool {
        self.contestants[side].is_none() && self.session.is_stuck()
    }

    fn turn_played(&mut self) -> Result<Step> {
        self.front.turn(self.session)?;
        // A game between computers can be played again from its seed: it is saved when it ends.
        if !self.plan.is_repeatable() {
            warn(self.keeper.keep(self.session));
        }
        Ok(Step::On)
    }

    fn ask(&mut self, side: Side, again: bool) -> Result<Step> {
        if self.session.is_stuck() && !again {
            self.front
                .note(self.session, "Neither player can move. Enter pass, draw, resign or quit.")?;
        }
        match self.front.ask(self.session, side, again)? {
            Line::Text(text) => self.answer(side, &text),
            Line::Unusable(why) => {
                self.refuse(&format!("{why} Enter {}.", choices(self.session, side)))
            }
            Line::End => Ok(Step::Left(Exit::InputEnded)),
            Line::Interrupted => Ok(Step::Left(INTERRUPTED)),
        }
    }

    /// What a line typed by `side` does.
    fn answer(&mut self, side: Side, text: &str) -> Result<Step> {
        if text.trim().is_empty() {
            return Ok(Step::Again);
        }
        if let Some(request) = Command::exact(text) {
            return self.obey(side, &request);
        }
        let refusal = match self.submit(side, text)? {
            Ok(step) => return Ok(step),
            Err(refusal) => refusal,
        };
        let wrong = objection(self.session, side, &refusal);
        if !matches!(refusal, Refusal::Unreadable { .. }) {
            return self.refuse(&wrong);
        }
        match Command::begun(text) {
            Begun::One(request) => self.obey(side, &request),
            Begun::Several(commands) => {
                self.refuse(&format!("\"{}\" could be {commands}.", quotable(text.trim())))
            }
            Begun::Nothing => {
                self.refuse(&format!("{wrong} (\"help\" tells what else you can enter.)"))
            }
        }
    }

    /// Hands in a choice, and plays the turn if it was the last one missing.
    fn submit(&mut self, side: Side, text: &str) -> Result<Result<Step, Refusal>> {
        match self.session.submit(side, text) {
            Ok(Submitted::Waiting) => {
                self.front.waits(self.session, side)?;
                Ok(Ok(Step::On))
            }
            Ok(Submitted::Turn) => self.turn_played().map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    fn refuse(&mut self, text: &str) -> Result<Step> {
        self.front.refuse(self.session, text)?;
        Ok(Step::Again)
    }

    fn obey(&mut self, side: Side, request: &Request) -> Result<Step> {
        let table = self.session.table();
        let told = match request.command {
            Command::Help => {
                let choices = choices(self.session, side);
                format!("Enter your move: {choices}.\nOr, at any time:\n{}", Command::list())
            }
            Command::Rules => table.entry().rules_page(),
            Command::Board => output::board(table),
            Command::Moves => format!("You can enter {}.", choices(self.session, side)),
            Command::History => history(self.session),
            Command::Hint => self.advisor.hint(table, side),
            Command::Analyze => self.advisor.analysis(table, side),
            Command::Save => {
                let file = request.argument.as_deref().map(Path::new);
                return self.save(file, Overwrite::if_forced(request.force));
            }
            Command::Undo => return self.undo(),
            Command::Draw => return self.offer_draw(side),
            Command::Resign => return self.resign(side, request.is_whole),
            Command::Quit => return self.quit(),
        };
        self.front.note(self.session, &told)?;
        Ok(Step::Again)
    }

    /// Saves now. A file that holds something else is replaced only if the player says so.
    fn save(&mut self, file: Option<&Path>, overwrite: Overwrite) -> Result<Step> {
        let told = match self.keeper.save_now(self.session, file, overwrite) {
            Ok(told) => told,
            Err(NotSaved::StandardOutput) => {
                self.session.record().to_string().trim_end().to_owned()
            }
            Err(NotSaved::Because(fault)) => return self.refuse(&fault),
            Err(NotSaved::Exists(shown)) if self.front.is_person() => {
                let question = format!("{shown} exists already. Replace it (yes or no)? ");
                return match self.ask_whether(&question)? {
                    Answer::Yes => self.save(file, Overwrite::Allowed),
                    Answer::No => self.refuse("Not saved."),
                    Answer::Left(exit) => Ok(Step::Left(exit)),
                };
            }
            Err(NotSaved::Exists(shown)) => {
                return self.refuse(&format!(
                    "Not saved: {shown} exists already and is not a record of this game. Enter save! FILE to \
                     replace it."
                ));
            }
        };
        self.front.note(self.session, &told)?;
        Ok(Step::Again)
    }

    /// Leaves, but asks where that would lose the game.
    fn quit(&mut self) -> Result<Step> {
        if self.front.is_person() && self.keeper.is_at_risk(self.session) {
            return match self.ask_whether("The game is not saved. Leave anyway (yes or no)? ")? {
                Answer::Yes => Ok(Step::Left(Exit::Done)),
                Answer::No => Ok(Step::Again),
                Answer::Left(exit) => Ok(Step::Left(exit)),
            };
        }
        Ok(Step::Left(Exit::Done))
    }

    /// Asks until a question is answered.
    fn ask_whether(&mut self, question: &str) -> Result<Answer> {
        loop {
            let text = match self.front.ask_whether(self.session, question)? {
                Line::Text(text) => text,
                Line::Unusable(why) => {
                    self.front.refuse(self.session, why)?;
                    continue;
                }
                Line::End => return Ok(Answer::Left(Exit::InputEnded)),
                Line::Interrupted => return Ok(Answer::Left(INTERRUPTED)),
            };
            match yes_or_no(&text) {
                Some(true) => return Ok(Answer::Yes),
                Some(false) => return Ok(Answer::No),
                None => self.front.refuse(self.session, "Enter yes or no.")?,
            }
        }
    }

    /// Takes back the last choice of a person, and what programs did since.
    fn undo(&mut self) -> Result<Step> {
        let people = self.contestants.as_ref().map(Option::is_none);
        if !self.session.undo_choice_of(people) {
            return self.refuse("There is no turn to take back.");
        }
        warn(self.keeper.keep(self.session));
        self.front.taken_back(self.session)?;
        Ok(Step::On)
    }

    fn offer_draw(&mut self, side: Side) -> Result<Step> {
        let names = self.session.table().names().clone();
        let other = side.other();
        if let Some(contestant) = &self.contestants[other] {
            let accepts = contestant.accepts_draw(self.session.table(), other);
            return self.draw_answered(&names[other], accepts);
        }
        let question =
            format!("{} offers a draw. {}, do you accept (yes or no)? ", names[side], names[other]);
        match self.ask_whether(&question)? {
            Answer::Yes => self.draw_answered(&names[other], true),
            Answer::No => self.draw_answered(&names[other], false),
            Answer::Left(exit) => Ok(Step::Left(exit)),
        }
    }

    /// Gives the game up: after a question to a person, and without one to a program that says the whole word.
    fn resign(&mut self, side: Side, is_whole: bool) -> Result<Step> {
        if self.front.is_person() {
            let name = &self.session.table().names()[side];
            let question = format!("{name}, do you resign (yes or no)? ");
            match self.ask_whether(&question)? {
                Answer::Yes => {}
                Answer::No => return Ok(Step::Again),
                Answer::Left(exit) => return Ok(Step::Left(exit)),
            }
        } else if !is_whole {
            return self.refuse(RESIGN_IN_FULL);
        }
        self.session.resign(side);
        Ok(Step::On)
    }

    fn draw_answered(&mut self, name: &str, accepts: bool) -> Result<Step> {
        if accepts {
            self.session.agree_on_draw();
        } else {
            self.front.note(self.session, &format!("{name} declines."))?;
        }
        Ok(Step::On)
    }
}

/// What is wrong with a line. Where both choose at once it is not repeated (R-CL-6): a slip such as
/// "atack" would give the choice away.
pub(crate) fn objection(session: &Session, side: Side, refusal: &Refusal) -> String {
    let secret = session.table().tempo() == Tempo::Simultaneous;
    match refusal {
        Refusal::Unreadable { .. } | Refusal::Ambiguous { .. } if secret => {
            format!("That does not name one of your actions: enter {}.", choices(session, side))
        }
        _ => refusal.to_string(),
    }
}

/// What a side may enter: words, with the notation where it differs.
pub(crate) fn choices(session: &Session, side: Side) -> String {
    let shown = session.table().choices(side).into_iter().map(|choice| {
        if choice.words.eq_ignore_ascii_case(&choice.notation) {
            choice.words
        } else {
            format!("{} ({})", choice.words, choice.notation)
        }
    });
    alternatives(shown)
}

pub(crate) fn history(session: &Session) -> String {
    let turns = session.table().history();
    if turns.is_empty() {
        return "No turn has been played yet.".to_owned();
    }
    let lines: Vec<String> =
        turns.iter().enumerate().map(|(index, turn)| format!("{}. {turn}", index + 1)).collect();
    lines.join("\n")
}

/// `yes`, `no`, or the beginning of either.
pub(crate) fn yes_or_no(text: &str) -> Option<bool> {
    let word = text.trim().to_lowercase();
    let begins = |whole: &str| !word.is_empty() && whole.starts_with(&word);
    match (begins("yes"), begins("no")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}
