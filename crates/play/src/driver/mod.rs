//! The driver runs one game from its first turn to its end, for all players and front ends. It says which input the
//! game waits for, takes that input, and reports what happened. It performs no I/O; that is up to the front ends.

mod exchange;
mod word;

#[cfg(test)]
mod tests;

use std::ops::Deref;

use skirmish_rules::{Both, Refusal, Side, Submitted, Tempo, alternatives, quotable};

pub use self::exchange::{Answers, Decision, Happened, Input, Meaning, Question, Seat, Waiting};
use self::word::Reading;
pub use self::word::{Request, SOLUTION, Word};
use crate::fault::Fault;
use crate::session::Session;

/// The refusal while it is the other side's turn.
const NOT_YOUR_TURN: &str = "It is not your turn.";

/// A game in progress, with the player in each seat and an open question, if any.
pub struct Driver {
    session: Session,
    seats: Both<Seat>,
    question: Option<Question>,
    confirms: bool,
}

impl Driver {
    /// Starts to drive a session.
    #[must_use]
    pub const fn new(session: Session, seats: Both<Seat>) -> Self {
        Self { session, seats, question: None, confirms: true }
    }

    /// Lets players resign and offer draws without confirmation, provided they type the whole word.
    #[must_use]
    pub fn without_confirmation(self) -> Self {
        Self { confirms: false, ..self }
    }

    /// Copies the game for trying out turns. Pending choices and questions are not copied.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self { session: self.session.fork(), question: None, ..*self }
    }

    /// Returns the session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Ends the driver and returns the session.
    #[must_use]
    pub fn into_session(self) -> Session {
        self.session
    }

    /// Whether a person chooses for a side.
    #[must_use]
    pub fn is_person(&self, side: Side) -> bool {
        self.seats[side] == Seat::Person
    }

    /// Whether two people choose simultaneously and must not see each other's choice (R-CL-6).
    #[must_use]
    pub fn is_secret(&self) -> bool {
        let table = self.session.table();
        table.tempo() == Tempo::Simultaneous
            && table.outcome().is_none()
            && Side::ALL.iter().all(|&side| self.is_person(side))
    }

    /// Whether to save the game now. A game between computers can be replayed from its seed, so it is saved only at the
    /// end.
    #[must_use]
    pub fn saves_after(&self, happened: &Happened) -> bool {
        match happened {
            Happened::Turn => self.seats != Both::new(Seat::Computer, Seat::Computer),
            Happened::TakenBack | Happened::Ended => true,
            Happened::Nothing
            | Happened::Chosen(_)
            | Happened::Refused(_)
            | Happened::Unknown(_)
            | Happened::Asked(_)
            | Happened::Declined(_)
            | Happened::NoRoom(_)
            | Happened::Requested(_) => false,
        }
    }

    /// Returns the input that the game is waiting for.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        match (self.turn(), self.question) {
            (over @ Waiting::Nothing(_), _) => over,
            (_, Some(question)) => Waiting::Answer(question),
            (turn, None) => turn,
        }
    }

    /// Returns the input that the game is waiting for, ignoring an open question. If a person and a program choose
    /// simultaneously, the person is asked first. The program sees only the position, so choosing last is no advantage.
    ///
    /// # Panics
    /// Never: until the game ends, a side can choose.
    #[must_use]
    pub fn turn(&self) -> Waiting {
        if let Some(ending) = self.session.ending() {
            return Waiting::Nothing(ending);
        }
        let sides = self.session.table().to_act();
        let person = sides.iter().find(|&&side| self.is_person(side));
        let side = *person.or(sides.first()).expect("until the game ends, a side can choose");
        // If neither side can ever move again, ask a person, who can then resign or offer a draw.
        let is_asked = self.is_person(side) && self.session.is_stuck();
        if self.session.table().must_pass(side) && !is_asked {
            Waiting::Pass(side)
        } else if self.is_person(side) {
            Waiting::Person(side)
        } else {
            let other = side.other();
            let mut asked = Both::new(false, false);
            asked[side] = true;
            asked[other] = sides.contains(&other) && !self.session.table().must_pass(other);
            Waiting::Programs(asked)
        }
    }

    /// Handles an input. A refused input changes nothing.
    pub fn enter(&mut self, input: Input) -> Happened {
        if let Input::Programs(answers) = &input
            && self.session.ending().is_none()
        {
            return self.judge(answers);
        }
        match (input, self.waiting()) {
            (Input::Decided(decision), turn) if !matches!(turn, Waiting::Nothing(_)) => {
                self.carry_out(decision)
            }
            (Input::Pass, _) => match self.turn() {
                Waiting::Pass(side) => {
                    let only = self.session.table().choices(side).swap_remove(0);
                    self.choose(side, &only.notation)
                }
                _ => Happened::Refused("Nobody has to pass.".to_owned()),
            },
            (Input::Answer(side, yes), Waiting::Answer(question))
                if side == question.answered_by() =>
            {
                self.answer(question, yes)
            }
            (Input::Line(_, text), _) if text.trim().is_empty() => Happened::Nothing,
            (_, Waiting::Nothing(_)) => Happened::Refused(Refusal::Over.to_string()),
            (_, Waiting::Answer(_)) => Happened::Refused("Answer yes or no first.".to_owned()),
            (Input::Line(side, text), _) => self.read(side, text),
            (Input::Choice(side, text), _) if self.may_choose(side) => self.choose(side, text),
            (Input::Choice(..), _) => Happened::Refused(NOT_YOUR_TURN.to_owned()),
            (Input::Answer(..) | Input::Programs(_) | Input::Decided(_), _) => {
                Happened::Refused("Nothing was asked.".to_owned())
            }
        }
    }

    /// Whether a side's player may choose now. Both may, if they choose simultaneously.
    fn may_choose(&self, side: Side) -> bool {
        self.is_person(side) && self.session.table().to_act().contains(&side)
    }

    /// Plays the programs' choices. If one program failed, it loses; if both failed, the game is a draw.
    fn judge(&mut self, answers: &Answers) -> Happened {
        let mut faults: Both<Option<Fault>> = Both::new(None, None);
        for side in Side::ALL {
            faults[side] = match &answers[side] {
                Some(Err(fault @ Fault::NoRoom(_))) => return Happened::NoRoom(fault.clone()),
                Some(Err(fault)) => Some(fault.clone()),
                Some(Ok(_)) | None => None,
            };
        }
        let mut happened = Happened::Nothing;
        for side in Side::ALL {
            let Some(Ok(choice)) = &answers[side] else { continue };
            match self.submit(side, choice) {
                Ok(submitted) => happened = submitted,
                Err(_) => faults[side] = Some(self.illegal(side, choice)),
            }
        }
        if faults != Both::new(None, None) {
            // This also withdraws the choice of a side without a fault.
            self.question = None;
            self.session.forfeit(&faults);
            return Happened::Ended;
        }
        happened
    }

    /// Returns the fault of a program that made an illegal choice.
    fn illegal(&self, side: Side, choice: &str) -> Fault {
        let legal = self.session.table().choices(side);
        let possible = alternatives(legal.iter().map(|choice| &choice.notation));
        Fault::Illegal { said: quotable(choice), possible }
    }

    fn choose(&mut self, side: Side, text: &str) -> Happened {
        self.submit(side, text)
            .unwrap_or_else(|refusal| Happened::Refused(self.objection(side, &refusal)))
    }

    fn submit(&mut self, side: Side, text: &str) -> Result<Happened, Refusal> {
        Ok(match self.session.submit(side, text)? {
            Submitted::Waiting => Happened::Chosen(side),
            Submitted::Turn => Happened::Turn,
        })
    }

    /// Handles a typed line.
    fn read(&mut self, side: Side, text: &str) -> Happened {
        match Self::meaning(&mut *self, side, text, |driver| driver.submit(side, text)) {
            Meaning::Nothing => Happened::Nothing,
            Meaning::Choice(happened) => happened,
            Meaning::Word(request, is_whole) => self.run(side, request, is_whole),
            Meaning::Refused(why) => Happened::Refused(why),
            Meaning::Unknown(why) => Happened::Unknown(why),
        }
    }

    /// Interprets a typed line without acting on it.
    #[must_use]
    pub fn interpret(&self, side: Side, text: &str) -> Meaning {
        Self::meaning(self, side, text, |driver| driver.session.check(side, text))
    }

    /// Interprets a typed line: as a whole word, then as a choice, then as the prefix of a word. In this order, no
    /// prefix of a word can hide an action of a game. `choose` makes or checks the choice, so that a line is parsed
    /// only once.
    fn meaning<D: Deref<Target = Self>, C>(
        mut driver: D,
        side: Side,
        text: &str,
        choose: impl FnOnce(&mut D) -> Result<C, Refusal>,
    ) -> Meaning<C> {
        if text.trim().is_empty() {
            return Meaning::Nothing;
        }
        if let Some(request) = word::exact(text) {
            return Meaning::Word(request, true);
        }
        let is_asked = driver.may_choose(side);
        let wrong = if is_asked {
            match choose(&mut driver) {
                Ok(choice) => return Meaning::Choice(choice),
                Err(refusal @ Refusal::Unreadable { .. }) => driver.objection(side, &refusal),
                Err(refusal) => return Meaning::Refused(driver.objection(side, &refusal)),
            }
        } else {
            NOT_YOUR_TURN.to_owned()
        };
        match word::abbreviated(text) {
            Reading::One(request) => Meaning::Word(request, false),
            Reading::Several(words) if is_asked => {
                Meaning::Refused(format!("\"{}\" could be {words}.", quotable(text.trim())))
            }
            Reading::Nothing if is_asked => Meaning::Unknown(wrong),
            Reading::Several(_) | Reading::Nothing => Meaning::Refused(wrong),
        }
    }

    fn run(&mut self, side: Side, request: Request, is_whole: bool) -> Happened {
        match request.word {
            Word::Undo => self.undo(),
            Word::Draw if !is_whole => {
                Happened::Refused("To offer a draw, type the whole word: draw.".to_owned())
            }
            Word::Draw if self.confirms && !self.is_person(side.other()) => {
                self.ask(Question::Offer(side))
            }
            Word::Draw => self.ask(Question::Draw(side)),
            Word::Resign if self.confirms => self.ask(Question::Resign(side)),
            Word::Resign if is_whole => self.resign(side),
            Word::Resign => Happened::Refused("To resign, type the whole word: resign.".to_owned()),
            Word::Help
            | Word::Rules
            | Word::Board
            | Word::Moves
            | Word::History
            | Word::Hint
            | Word::Analyze
            | Word::Save
            | Word::Quit => Happened::Requested(request),
        }
    }

    /// Takes back the last choice of a person and everything after it.
    fn undo(&mut self) -> Happened {
        let people = self.seats.map(|seat| seat == Seat::Person);
        if self.session.undo_choice_of(people) {
            Happened::TakenBack
        } else {
            Happened::Refused("There is no turn to take back.".to_owned())
        }
    }

    /// Carries out a decision made outside the driver. An open question lapses.
    fn carry_out(&mut self, decision: Decision) -> Happened {
        match decision {
            Decision::Resign(side) => self.session.resign(side),
            Decision::Draw => self.session.agree_on_draw(),
            Decision::TimeUp(sides) => self.session.time_up(sides),
            Decision::TakeBack(side) => {
                if !self.session.take_back_choice_of(side) {
                    return Happened::Refused("There is no turn to take back.".to_owned());
                }
                self.question = None;
                return Happened::TakenBack;
            }
        }
        self.question = None;
        Happened::Ended
    }

    fn ask(&mut self, question: Question) -> Happened {
        self.question = Some(question);
        Happened::Asked(question)
    }

    fn resign(&mut self, side: Side) -> Happened {
        self.session.resign(side);
        Happened::Ended
    }

    fn answer(&mut self, question: Question, yes: bool) -> Happened {
        self.question = None;
        match question {
            _ if !yes => Happened::Declined(question),
            Question::Resign(side) => self.resign(side),
            Question::Offer(side) => self.ask(Question::Draw(side)),
            Question::Draw(_) => {
                self.session.agree_on_draw();
                Happened::Ended
            }
        }
    }

    /// Explains why a choice is refused. If both sides choose simultaneously, the message does not quote the input
    /// (R-CL-6): a typo such as "atack" would reveal the choice.
    #[must_use]
    pub fn objection(&self, side: Side, refusal: &Refusal) -> String {
        let secret = self.session.table().tempo() == Tempo::Simultaneous;
        match refusal {
            Refusal::Unreadable { .. } | Refusal::Ambiguous { .. } if secret => {
                format!("That does not name one of your actions: enter {}.", self.choices(side))
            }
            _ => refusal.to_string(),
        }
    }

    /// Lists a side's choices in words, with the notation where it differs.
    #[must_use]
    pub fn choices(&self, side: Side) -> String {
        let shown = self.session.table().choices(side).into_iter().map(|choice| {
            if choice.words.eq_ignore_ascii_case(&choice.notation) {
                choice.words
            } else {
                format!("{} ({})", choice.words, choice.notation)
            }
        });
        alternatives(shown)
    }

    /// Lists the turns so far, one per line.
    #[must_use]
    pub fn history(&self) -> String {
        let turns = self.session.table().history();
        if turns.is_empty() {
            return "No turn has been played yet.".to_owned();
        }
        let lines = turns.iter().enumerate().map(|(index, turn)| format!("{}. {turn}", index + 1));
        lines.collect::<Vec<String>>().join("\n")
    }
}

/// Parses `yes`, `no`, or a prefix of either.
#[must_use]
pub fn yes_or_no(text: &str) -> Option<bool> {
    let word = text.trim().to_lowercase();
    let begins = |whole: &str| !word.is_empty() && whole.starts_with(&word);
    match (begins("yes"), begins("no")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}
