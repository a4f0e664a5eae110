//! One game, or match, between people who are apart. A room decides what a request leads to, and is folded from the log
//! of what happened. It reads no clock: callers say what time it is.

mod decide;
mod view;

use std::collections::HashMap;

use skirmish_play::driver::{Answers, Decision, Driver, Happened, Input, Seat, Waiting};
use skirmish_play::player::Level;
use skirmish_play::{Chance, MatchState, Plan};
use skirmish_present::json::TurnEventObject;
use skirmish_rules::{Both, Ending, Outcome, Record, Side, Starter, Table};

pub use self::decide::{Request, SentRequest};
pub(crate) use self::view::Shown;
use crate::clock::{Clocks, Millis};
use crate::event::{AccountId, Logged, Origin, Person, RoomEvent};
use crate::terms::Terms;
use crate::wire::{End, Offer};

/// How long the result of a game of a match is shown before the next game begins.
const INTERVAL: Millis = 3_000;

/// How long a room waits for its second player.
const OPEN_FOR: Millis = 7 * 24 * 60 * 60 * 1000;

/// One game, or match, between people who are apart.
pub struct Room {
    code: String,
    terms: Terms,
    seed: u64,
    date: Option<String>,
    /// The number of events folded.
    v: u64,
    /// When the last event happened.
    at: Millis,
    stage: Stage,
    /// Who sits where in the current game. The computer has no entry.
    people: Both<Option<Person>>,
    /// Which game of the room this is, from 1; 0 before the first.
    number: u32,
    moves: Option<Box<Moves>>,
    /// How the earlier games of the room ended.
    earlier: Vec<End>,
    /// The messages that led to events, with their versions. All are kept: the log refuses an id that it contains.
    answered: HashMap<Origin, u64>,
    /// Since when each player has been gone. It is not logged: when a room has been folded everybody is gone.
    gone: Both<Option<Millis>>,
}

/// The stage of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Open,
    Playing,
    /// The server stopped.
    Paused,
    Over,
    Closed,
}

/// The game that is being played, or was played last.
struct Moves {
    plan: Plan,
    driver: Driver,
    /// The turns, as they were submitted.
    turns: Vec<Both<Option<String>>>,
    /// Choices that wait for the other side's.
    pending: Both<Option<String>>,
    clocks: Clocks,
    /// Whether each side has made a choice in this game.
    moved: Both<bool>,
    /// The version at which the game began.
    game_v: u64,
    /// The version at which the current turn began.
    turn_v: u64,
    offers: Both<Option<Offer>>,
    /// The offers of each side that were declined in this turn.
    declined: Both<Vec<Offer>>,
    /// The number of phrases that each side has said in this turn.
    said: Both<u8>,
    aborted: bool,
}

/// Why a log cannot be folded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {v} of the log does not fit: {why}")]
pub struct FoldError {
    /// The event's version.
    pub v: u64,
    /// What is wrong with it.
    pub why: String,
}

impl Room {
    /// The room that a log describes.
    ///
    /// # Errors
    /// If the log is empty, or an event does not fit those before it.
    pub fn fold<'a>(log: impl IntoIterator<Item = &'a Logged>) -> Result<Self, FoldError> {
        let mut log = log.into_iter();
        let wrong = |why: &str| FoldError { v: 1, why: why.to_owned() };
        let first = log.next().ok_or_else(|| wrong("the log is empty"))?;
        let mut room = Self::created(first)?;
        for logged in log {
            room.apply(logged, None)?;
        }
        Ok(room)
    }

    /// The room after its first event.
    ///
    /// # Errors
    /// If it is not the creation of a room, or its terms are not possible.
    pub fn created(first: &Logged) -> Result<Self, FoldError> {
        let wrong = |why: String| FoldError { v: 1, why };
        let RoomEvent::Created { code, terms, creator, seed, date } = &first.event else {
            return Err(wrong("a log begins with a creation".to_owned()));
        };
        terms.check().map_err(|error| wrong(error.to_string()))?;
        let mut people = Both::new(None, None);
        people[terms.creator_side(seat_toss(*seed))] = Some(creator.clone());
        let mut room = Self {
            code: code.clone(),
            terms: (**terms).clone(),
            seed: *seed,
            date: date.clone(),
            v: 1,
            at: first.at,
            stage: Stage::Open,
            people,
            number: 0,
            moves: None,
            earlier: Vec::new(),
            answered: HashMap::new(),
            gone: Both::new(Some(first.at), Some(first.at)),
        };
        room.remember(first);
        Ok(room)
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The terms.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The version: the number of events so far.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.v
    }

    /// When the last event happened.
    #[must_use]
    pub const fn last_event(&self) -> Millis {
        self.at
    }

    /// Which game of the room this is, from 1; 0 before the first.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Who sits where in the current game.
    #[must_use]
    pub const fn people(&self) -> &Both<Option<Person>> {
        &self.people
    }

    /// The side of an account in the current game.
    #[must_use]
    pub fn side_of(&self, account: AccountId) -> Option<Side> {
        let sits =
            |side: Side| self.people[side].as_ref().is_some_and(|person| person.account == account);
        Side::ALL.into_iter().find(|&side| sits(side))
    }

    /// Whether the room waits for its second player.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    /// Whether a game is being played.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        matches!(self.stage, Stage::Playing | Stage::Paused)
    }

    /// Whether the server has stopped, and not said that it is back.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.stage == Stage::Paused
    }

    /// Whether nothing happens here any more, unless there is a rematch.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over | Stage::Closed) && self.next_plan().is_none()
    }

    /// The record of the current game.
    #[must_use]
    pub fn record(&self) -> Option<Record> {
        let moves = self.moves.as_ref()?;
        let mut record = moves.driver.session().record();
        // The seed would tell a player what the computer chooses next, also in the next game.
        record.seed = None;
        Some(record)
    }

    /// The plan of the current game.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.moves.as_ref().map(|moves| &moves.plan)
    }

    /// The table of the current game.
    #[must_use]
    pub fn table(&self) -> Option<&dyn Table> {
        self.moves.as_ref().map(|moves| moves.driver.session().table())
    }

    /// The version at which the current game began; 0 before the first.
    pub(crate) fn game_version(&self) -> u64 {
        self.moves.as_ref().map_or(0, |moves| moves.game_v)
    }

    /// How many turns of the current game have been played.
    pub(crate) fn turns_played(&self) -> usize {
        self.moves.as_ref().map_or(0, |moves| moves.turns.len())
    }

    /// How the current game ended; none if it goes on.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.moves.as_ref()?.driver.session().ending()
    }

    /// How the current game ended, aborted games included.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        self.moves.as_ref()?.end()
    }

    /// The room that a log describes, and the records of all its games, in order.
    ///
    /// # Errors
    /// If an event does not fit those before it.
    pub fn with_records(log: &[Logged]) -> Result<(Self, Vec<Record>), FoldError> {
        let empty = || FoldError { v: 1, why: "the log is empty".to_owned() };
        let mut room = Self::created(log.first().ok_or_else(empty)?)?;
        let mut records = Vec::new();
        for logged in &log[1..] {
            if logged.event == RoomEvent::Began {
                records.extend(room.record());
            }
            room.apply(logged, None)?;
        }
        records.extend(room.record());
        Ok((room, records))
    }

    /// The version that a message led to, if it was carried out.
    #[must_use]
    pub fn answer_to(&self, origin: &Origin) -> Option<u64> {
        self.answered.get(origin).copied()
    }

    /// Takes over who is there from the same room as it was before.
    pub fn keep_presence_of(&mut self, before: &Self) {
        self.gone = before.gone;
    }

    /// A player comes or goes. This is not logged.
    pub fn note_presence(&mut self, side: Side, is_present: bool, now: Millis) {
        self.gone[side] = match (is_present, self.gone[side]) {
            (true, _) => None,
            (false, since @ Some(_)) => since,
            (false, None) => Some(now),
        };
    }

    /// Nobody is connected yet, and nobody knows since when: an absence counts from now on.
    pub(crate) fn note_all_gone(&mut self, now: Millis) {
        self.gone = Both::new(Some(now), Some(now));
    }

    /// Whether each player is connected. The computer always is.
    #[must_use]
    pub fn present(&self) -> Both<bool> {
        Both::from_fn(|side| match self.level_of(side) {
            Some(_) => true,
            None => self.people[side].is_some() && self.gone[side].is_none(),
        })
    }

    /// The level of the computer on a side.
    #[must_use]
    pub fn level_of(&self, side: Side) -> Option<Level> {
        match &self.moves {
            Some(moves) => moves.plan.players[side].level(),
            None if self.people[side].is_none() => self.terms.opponent().ok().flatten(),
            None => None,
        }
    }

    /// The sides whose choices the computer makes now.
    #[must_use]
    pub fn asked_programs(&self) -> Option<Side> {
        let moves = self.moves.as_ref().filter(|_| self.stage == Stage::Playing)?;
        match moves.driver.waiting() {
            Waiting::Programs(asked) => Side::ALL.into_iter().find(|&side| asked[side]),
            Waiting::Pass(_) | Waiting::Person(_) | Waiting::Answer(_) | Waiting::Nothing(_) => {
                None
            }
        }
    }

    /// The computer's side, if it has to answer an offer of a draw.
    #[must_use]
    pub fn asked_for_draw(&self) -> Option<Side> {
        let moves = self.moves.as_ref().filter(|_| self.stage == Stage::Playing)?;
        let is_asked = |side: Side| {
            self.level_of(side).is_some() && moves.offers[side.other()] == Some(Offer::Draw)
        };
        Side::ALL.into_iter().find(|&side| is_asked(side))
    }

    /// The number of the game in its match, and how often a turn was taken back: what the computer's chance depends on.
    #[must_use]
    pub fn chance(&self) -> Option<(u64, u32, u32)> {
        let moves = self.moves.as_ref()?;
        let session = moves.driver.session();
        Some((moves.plan.seed.unwrap_or_default(), session.number(), session.undone()))
    }

    /// Applies an event. If `told` is given, what happened in its turns is added to it.
    ///
    /// # Errors
    /// If the event does not fit the room.
    pub fn apply(
        &mut self,
        logged: &Logged,
        told: Option<&mut Vec<TurnEventObject>>,
    ) -> Result<(), FoldError> {
        let v = self.v + 1;
        self.change(logged, v, told).map_err(|why| FoldError { v, why })?;
        self.v = v;
        self.at = logged.at;
        self.remember(logged);
        Ok(())
    }

    fn remember(&mut self, logged: &Logged) {
        let Some(origin) = &logged.by else { return };
        // A message that leads to several events is answered with the last version.
        self.answered.insert(origin.clone(), self.v);
    }

    fn change(
        &mut self,
        logged: &Logged,
        v: u64,
        told: Option<&mut Vec<TurnEventObject>>,
    ) -> Result<(), String> {
        let at = logged.at;
        match &logged.event {
            RoomEvent::Created { .. } => return Err("the room exists already".to_owned()),
            RoomEvent::Seated { person } => {
                let free = Side::ALL.into_iter().find(|&side| self.people[side].is_none());
                let free = free.filter(|_| self.stage == Stage::Open).ok_or("no seat is free")?;
                self.people[free] = Some(person.clone());
                return Ok(());
            }
            RoomEvent::Began => return self.begin(at, v, told),
            RoomEvent::Closed => {
                self.stage = Stage::Closed;
                return Ok(());
            }
            _ => {}
        }
        let stage = self.stage;
        let moves = self.moves.as_deref_mut().ok_or("no game has begun")?;
        if let Some(left) = logged.left {
            moves.clocks.left = left.into();
        }
        let in_play = matches!(stage, Stage::Playing | Stage::Paused);
        let needs_play = !matches!(
            &logged.event,
            RoomEvent::Offered { what: Offer::Rematch, .. }
                | RoomEvent::Answered { what: Offer::Rematch, .. }
                | RoomEvent::Said { .. }
        );
        if needs_play && !in_play {
            return Err("the game is over".to_owned());
        }
        match &logged.event {
            RoomEvent::Chose { side, text } => moves.choose(*side, text, at, v, told)?,
            RoomEvent::Offered { side, what } => moves.offers[*side] = Some(*what),
            RoomEvent::Answered { side, what, yes } => moves.answer(*side, *what, *yes, at, v)?,
            RoomEvent::Resigned { side } => moves.decided(Decision::Resign(*side))?,
            RoomEvent::Claimed { side } => {
                let gone = Both::seen_from(*side, false, true);
                moves.decided(Decision::TimeUp(gone))?;
            }
            RoomEvent::Flagged { sides } => moves.decided(Decision::TimeUp(*sides))?,
            RoomEvent::Aborted { .. } => moves.aborted = true,
            RoomEvent::Said { side, .. } => moves.said[*side] = moves.said[*side].saturating_add(1),
            RoomEvent::Paused => {
                moves.clocks.since = None;
                self.stage = Stage::Paused;
            }
            RoomEvent::Resumed => {
                moves.clocks.since = Some(at);
                self.stage = Stage::Playing;
            }
            RoomEvent::Created { .. }
            | RoomEvent::Seated { .. }
            | RoomEvent::Began
            | RoomEvent::Closed => {
                unreachable!("handled above")
            }
        }
        if moves.end().is_some() && in_play {
            moves.clocks.since = None;
            moves.pending = Both::default();
            moves.offers = Both::default();
            moves.said = Both::default();
            self.stage = Stage::Over;
        }
        Ok(())
    }

    /// Begins the next game.
    fn begin(
        &mut self,
        at: Millis,
        v: u64,
        told: Option<&mut Vec<TurnEventObject>>,
    ) -> Result<(), String> {
        let plan = match &self.moves {
            None => self.first_plan()?,
            Some(moves) => {
                self.earlier.extend(moves.end());
                let (plan, swaps) =
                    self.next_plan().unwrap_or_else(|| (moves.plan.rematch(), true));
                if swaps {
                    self.people = std::mem::take(&mut self.people).swapped();
                    self.gone = self.gone.swapped();
                }
                plan
            }
        };
        let driver = Driver::new(plan.begin(), plan.players.as_ref().map(Seat::from));
        let mut moves = Moves {
            driver,
            turns: Vec::new(),
            pending: Both::default(),
            clocks: Clocks::begin(self.terms.clock, at),
            // In later games of a match the clocks run from the start.
            moved: plan.standing.map_or(Both::default(), |standing| {
                Both::new(standing.game > 1, standing.game > 1)
            }),
            game_v: v,
            turn_v: v,
            offers: Both::default(),
            declined: Both::default(),
            said: Both::default(),
            aborted: false,
            plan,
        };
        moves.pass(told)?;
        self.moves = Some(Box::new(moves));
        self.number += 1;
        self.stage = Stage::Playing;
        Ok(())
    }

    /// The name of the computer, which differs from that of its opponent.
    fn computer_name(&self, level: Level) -> String {
        let name = format!("{level} computer");
        let people = [&self.people.one, &self.people.two].into_iter().flatten();
        let is_taken = people.into_iter().any(|person| person.name.eq_ignore_ascii_case(&name));
        if is_taken { format!("the {name}") } else { name }
    }

    fn first_plan(&self) -> Result<Plan, String> {
        let creator = self.terms.creator_side(seat_toss(self.seed));
        let level = self.terms.opponent().map_err(|error| error.to_string())?;
        let names = Both::from_fn(|side| match (&self.people[side], level) {
            (Some(person), _) => Some(person.name.clone()),
            (None, Some(level)) => Some(self.computer_name(level)),
            (None, None) => None,
        });
        if names.one.is_none() || names.two.is_none() {
            return Err("a seat is free".to_owned());
        }
        let plan = self.terms.plan(creator, names, self.seed, self.date.clone());
        plan.map_err(|error| error.to_string())
    }

    /// The next game of the match, and whether the players swap seats for it (R-ALL-5).
    fn next_plan(&self) -> Option<(Plan, bool)> {
        let moves = self.moves.as_ref().filter(|_| self.stage == Stage::Over)?;
        let ending = moves.driver.session().ending().filter(|_| !moves.aborted)?;
        match moves.plan.after(ending.outcome)? {
            MatchState::Next(_, plan) => {
                let swaps = plan.entry.starter == Starter::PlayerOne;
                Some((*plan, swaps))
            }
            MatchState::Over(_) => None,
        }
    }
}

/// Which side the creator gets if a coin decides. It is not the toss that decides who starts.
fn seat_toss(seed: u64) -> Side {
    const SEATS: u64 = 1;
    Chance::from_seed(seed).branch(SEATS).toss()
}

impl Moves {
    /// How the game ended.
    fn end(&self) -> Option<End> {
        if self.aborted {
            return Some(End { result: "*".to_owned(), termination: "unfinished".to_owned() });
        }
        self.driver.session().ending().map(|ending| End {
            result: match ending.outcome {
                Outcome::Won(Side::One) => "1-0",
                Outcome::Won(Side::Two) => "0-1",
                Outcome::Draw => "1/2-1/2",
            }
            .to_owned(),
            termination: ending.termination.to_string(),
        })
    }

    /// The people whose choice the game waits for.
    fn asked(&self) -> Both<bool> {
        let table = self.driver.session().table();
        let over = self.end().is_some();
        let sides = table.to_act();
        Both::from_fn(|side| !over && self.driver.is_person(side) && sides.contains(&side))
    }

    /// The sides whose clocks run.
    fn running(&self) -> Both<bool> {
        let asked = self.asked();
        let is_timed = self.clocks.control.initial().is_some() && self.clocks.since.is_some();
        Both::from_fn(|side| is_timed && asked[side] && self.moved[side])
    }

    fn choose(
        &mut self,
        side: Side,
        text: &str,
        at: Millis,
        v: u64,
        mut told: Option<&mut Vec<TurnEventObject>>,
    ) -> Result<(), String> {
        let input = if self.driver.is_person(side) {
            Input::Choice(side, text)
        } else {
            let mut answers: Answers = Both::new(None, None);
            answers[side] = Some(Ok(text.to_owned()));
            Input::Programs(answers)
        };
        match self.driver.enter(input) {
            Happened::Chosen(_) => self.pending[side] = Some(text.to_owned()),
            Happened::Turn => {
                let mut turn = std::mem::take(&mut self.pending);
                turn[side] = Some(text.to_owned());
                let chose = turn.as_ref().map(Option::is_some);
                self.turns.push(turn);
                self.tell(&mut told);
                self.pass(told)?;
                self.clocks.turn_played(chose, at);
                self.turn_v = v;
                self.offers = Both::default();
                self.declined = Both::default();
                self.said = Both::default();
            }
            Happened::Refused(why) => return Err(why),
            other => return Err(format!("{other:?}")),
        }
        self.moved[side] = true;
        Ok(())
    }

    /// Plays forced passes (R-ALL-3).
    fn pass(&mut self, mut told: Option<&mut Vec<TurnEventObject>>) -> Result<(), String> {
        while let Waiting::Pass(side) = self.driver.waiting() {
            if self.driver.enter(Input::Pass) != Happened::Turn {
                return Err("a pass is a turn".to_owned());
            }
            let mut turn = Both::default();
            turn[side] = Some("pass".to_owned());
            self.turns.push(turn);
            self.tell(&mut told);
        }
        Ok(())
    }

    fn tell(&self, told: &mut Option<&mut Vec<TurnEventObject>>) {
        if let Some(told) = told {
            told.extend(TurnEventObject::last_turn(self.driver.session().table()));
        }
    }

    fn answer(
        &mut self,
        side: Side,
        what: Offer,
        yes: bool,
        at: Millis,
        v: u64,
    ) -> Result<(), String> {
        let offering = side.other();
        self.offers[offering] = None;
        match what {
            _ if !yes => self.declined[offering].push(what),
            Offer::Draw => self.decided(Decision::Draw)?,
            Offer::Takeback => {
                self.pending = Both::default();
                self.decided(Decision::TakeBack(offering))?;
                self.turns.truncate(self.driver.session().table().turns_played());
                self.clocks.turn_taken_back(at);
                self.turn_v = v;
                self.offers = Both::default();
                self.declined = Both::default();
            }
            // `Began` follows.
            Offer::Rematch => {}
        }
        Ok(())
    }

    fn decided(&mut self, decision: Decision) -> Result<(), String> {
        match self.driver.enter(Input::Decided(decision)) {
            Happened::Ended | Happened::TakenBack => Ok(()),
            Happened::Refused(why) => Err(why),
            other => Err(format!("{other:?}")),
        }
    }
}
