//! Decides which events a request leads to.

use skirmish_play::{LONGEST_NAME, check_names};
use skirmish_present::json::{PerPlayer, legal};
use skirmish_rules::columns::shorten;
use skirmish_rules::{Both, Refusal, Side};

use super::{Moves, Request, Room};
use crate::clock::Millis;
use crate::event::{AccountId, Logged, Origin, Person, RoomEvent};
use crate::rejection::{Rejection, RejectionCode};
use crate::wire::{Offer, Phrase, StageName};
use crate::words::CLOSED_BY_OPERATOR;

/// Maximum number of phrases a player may say in a turn.
const MOST_PHRASES: u8 = 5;

/// Maximum number of events in a room. A game needs a few dozen; the limit bounds a room's memory use.
const MOST_EVENTS: u64 = 10_000;

/// Maximum length of a submitted choice.
const LONGEST_CHOICE: usize = 100;

fn refuse<T>(code: RejectionCode, text: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection::new(code, text))
}

impl Room {
    /// Returns the event that creates a room, and any that follow immediately.
    #[must_use]
    pub fn create(now: Millis, by: Option<Origin>, event: RoomEvent) -> Vec<Logged> {
        let is_alone = matches!(&event, RoomEvent::Created { terms, .. } if terms.level.is_none());
        let mut events = vec![Logged { at: now, by, left: None, event }];
        if !is_alone {
            // Against the computer, the game begins immediately.
            events.push(Logged { at: now, by: None, left: None, event: RoomEvent::Began });
        }
        events
    }

    /// Returns the events that a request leads to. `lag` is the message's network delay.
    ///
    /// If a player's time has run out, returns that event instead, without an origin.
    ///
    /// # Errors
    /// If the room refuses the request.
    pub fn decide(
        &self,
        now: Millis,
        lag: Millis,
        account: AccountId,
        origin: Option<Origin>,
        request: &Request,
    ) -> Result<Vec<Logged>, Rejection> {
        let now = now.max(self.at);
        if self.v >= MOST_EVENTS && !matches!(request, Request::Resign | Request::Close) {
            let text =
                "This room is full: too much has happened in it. Resign, or create another one.";
            return refuse(RejectionCode::Limit, text);
        }
        let events = match request {
            Request::Sit(person) => self.sit(person)?,
            Request::Close => self.close(account)?,
            Request::Act { v, text } => return self.act(now, lag, account, origin, *v, text),
            Request::Offer { what } => self.offer(self.seat(account)?, *what)?,
            Request::Answer { what, yes } => self.answer(self.seat(account)?, *what, *yes)?,
            Request::Resign => self.resign(self.seat(account)?)?,
            Request::Claim => self.claim(self.seat(account)?, now)?,
            Request::Say { phrase } => self.say(self.seat(account)?, *phrase)?,
        };
        Ok(self.log(now, origin.as_ref(), events))
    }

    /// Returns the version the sender must have seen for the request to be about the current situation.
    pub(crate) fn basis_of(&self, account: AccountId, request: &Request) -> u64 {
        let Some(moves) = &self.moves else { return 0 };
        let changed = self.side_of(account).and_then(|side| match request {
            Request::Answer { .. } => Some(moves.offer_v[side.other()]),
            Request::Offer { what: Offer::Takeback } => Some(moves.choice_v[side]),
            Request::Sit(_)
            | Request::Act { .. }
            | Request::Offer { what: Offer::Draw | Offer::Rematch }
            | Request::Resign
            | Request::Claim
            | Request::Say { .. }
            | Request::Close => None,
        });
        changed.unwrap_or(0).max(moves.game_v)
    }

    /// Returns the rejection of a request based on an outdated version.
    pub(crate) fn outdated(&self, v: u64) -> Rejection {
        let text = if v < self.game_version() {
            "Your request was for a game that is already over.".to_owned()
        } else {
            "The game has changed in the meantime. Look at it again before you choose.".to_owned()
        };
        Rejection::new(RejectionCode::Version, text)
    }

    /// Returns the computer's choice as an event.
    ///
    /// # Errors
    /// If it is not the computer's turn, or the choice is illegal.
    pub fn let_choose(
        &self,
        now: Millis,
        side: Side,
        text: &str,
    ) -> Result<Vec<Logged>, Rejection> {
        if self.asked_programs() != Some(side) {
            return refuse(RejectionCode::NotYourTurn, "It is not the computer's turn.");
        }
        // An illegal choice in the log could never be folded.
        if let Err(refusal) = self.playing()?.driver.session().check(side, text) {
            return refuse(RejectionCode::Illegal, refusal.to_string());
        }
        let event = RoomEvent::Chose { side, text: text.to_owned(), lag: 0 };
        Ok(self.log(now.max(self.at), None, vec![event]))
    }

    /// Returns the computer's answer to a draw offer as events.
    pub(crate) fn let_answer(
        &self,
        now: Millis,
        side: Side,
        yes: bool,
    ) -> Result<Vec<Logged>, Rejection> {
        let events = self.answer(side, Offer::Draw, yes)?;
        Ok(self.log(now.max(self.at), None, events))
    }

    /// Builds log entries from events, and charges the clocks where an event stops or restarts them.
    pub(super) fn log(
        &self,
        now: Millis,
        origin: Option<&Origin>,
        events: Vec<RoomEvent>,
    ) -> Vec<Logged> {
        let logged = events.into_iter().map(|event| {
            let charges = matches!(
                event,
                RoomEvent::Paused
                    | RoomEvent::Answered { what: Offer::Takeback | Offer::Draw, yes: true, .. }
                    | RoomEvent::Flagged { .. }
                    | RoomEvent::Claimed { .. }
                    | RoomEvent::Resigned { .. }
            );
            let left =
                self.moves.as_ref().filter(|moves| charges && moves.is_timed()).map(|moves| {
                    let mut clocks = moves.clocks;
                    clocks.charge(moves.running(), now);
                    PerPlayer::from(clocks.left)
                });
            Logged { at: now, by: origin.cloned(), left, event }
        });
        logged.collect()
    }

    fn seat(&self, account: AccountId) -> Result<Side, Rejection> {
        match self.side_of(account) {
            Some(side) => Ok(side),
            None => refuse(RejectionCode::NotSeated, "You are watching this game, not playing it."),
        }
    }

    /// Returns the game in progress.
    fn playing(&self) -> Result<&Moves, Rejection> {
        match (self.stage, &self.moves) {
            (StageName::Playing, Some(moves)) => Ok(moves),
            (StageName::Paused, _) => refuse(
                RejectionCode::Paused,
                "The game is paused. It resumes when the server is back.",
            ),
            (StageName::Open, _) => refuse(
                RejectionCode::NotBegun,
                "The game has not begun: it is waiting for the second player.",
            ),
            (StageName::Over | StageName::Playing, _) => {
                refuse(RejectionCode::Over, "The game is over. You can offer a rematch.")
            }
            (StageName::Closed, _) => self.refuse_closed(),
        }
    }

    /// Refuses a request to a permanently closed room.
    fn refuse_closed<T>(&self) -> Result<T, Rejection> {
        let why = match &self.moves {
            Some(_) => CLOSED_BY_OPERATOR,
            None => "The game was closed before it began.",
        };
        refuse(RejectionCode::Over, format!("{why} You can create another one."))
    }

    fn sit(&self, person: &Person) -> Result<Vec<RoomEvent>, Rejection> {
        if self.side_of(person.account).is_some() {
            return refuse(RejectionCode::Full, "You are already playing this game.");
        }
        if self.stage != StageName::Open {
            return refuse(RejectionCode::Full, "Both seats of this game are taken.");
        }
        if self.terms.rated && !person.registered {
            let text =
                "This game is rated: register a name to play it, or look for an unrated one.";
            return refuse(RejectionCode::Account, text);
        }
        let taken = [&self.people.one, &self.people.two].into_iter().flatten().next();
        let fits = |name: &String| {
            taken.is_none_or(|other| check_names(Both::new(&other.name, name)).is_ok())
        };
        // Both players may have the same name, and a suffix may make it too long.
        let second = format!("{} 2", shorten(&person.name, LONGEST_NAME - 2));
        let names = [person.name.clone(), second, "Guest".to_owned(), "Visitor".to_owned()];
        let name = names.into_iter().find(fits).unwrap_or_default();
        let person = Person { name, ..person.clone() }.in_game(self.terms.rated);
        Ok(vec![RoomEvent::Seated { person }, RoomEvent::Began])
    }

    fn close(&self, account: AccountId) -> Result<Vec<RoomEvent>, Rejection> {
        self.seat(account)?;
        if self.stage != StageName::Open {
            return refuse(RejectionCode::NotOver, "The game has begun: resign to end it.");
        }
        Ok(vec![RoomEvent::Closed])
    }

    fn act(
        &self,
        now: Millis,
        lag: Millis,
        account: AccountId,
        origin: Option<Origin>,
        v: u64,
        text: &str,
    ) -> Result<Vec<Logged>, Rejection> {
        let side = self.seat(account)?;
        let moves = self.playing()?;
        let table = moves.driver.session().table();
        if v < moves.turn_v || v > self.v {
            return Err(Rejection { legal: legal(table, side), ..self.outdated(v) });
        }
        let text = text.trim();
        let checked = match text.len() {
            0..=LONGEST_CHOICE => moves.driver.session().check(side, text),
            _ => Err(Refusal::Unreadable {
                text: "…".to_owned(),
                possible: moves.driver.choices(side),
            }),
        };
        if let Err(refusal) = checked {
            let code = match refusal {
                Refusal::Over => RejectionCode::Over,
                Refusal::NotYourTurn(_) => RejectionCode::NotYourTurn,
                Refusal::AlreadyChosen(_) => RejectionCode::Chosen,
                _ => RejectionCode::Illegal,
            };
            let text = match refusal {
                Refusal::NotYourTurn(_) => "It is not your turn.".to_owned(),
                Refusal::AlreadyChosen(_) => {
                    "You have chosen already, and cannot change it.".to_owned()
                }
                _ => moves.driver.objection(side, &refusal),
            };
            return Err(Rejection { legal: legal(table, side), ..Rejection::new(code, text) });
        }
        let mut clocks = moves.clocks;
        let running = moves.running();
        let mut credited = 0;
        if running[side] {
            let elapsed = clocks.elapsed(now);
            credited = lag.min(clocks.lag_quota(side)).min(elapsed);
            let used = elapsed - credited;
            if used > clocks.left[side] {
                // The other side may also have run out of time.
                let is_late =
                    |other: Side| running[other] && clocks.elapsed(now) > clocks.left[other];
                let late = Both::from_fn(|other| other == side || is_late(other));
                let event = Self::out_of_time(moves, late);
                return Ok(self.log(now, None, vec![event]));
            }
            clocks.left[side] -= used;
        }
        let left = moves.is_timed().then(|| clocks.left.into());
        let event = RoomEvent::Chose { side, text: text.to_owned(), lag: credited };
        Ok(vec![Logged { at: now, by: origin, left, event }])
    }

    fn offer(&self, side: Side, what: Offer) -> Result<Vec<RoomEvent>, Rejection> {
        let moves = self.ready_for(what)?;
        // Making the same offer as the opponent accepts it, unless the two takebacks are for different turns.
        let last = Both::from_fn(|side| moves.last_choice_of(side));
        let is_same = what != Offer::Takeback || last.one == last.two;
        if moves.offers[side.other()] == Some(what) && is_same {
            return self.answer(side, what, true);
        }
        if moves.offers[side] == Some(what) {
            return refuse(RejectionCode::TooSoon, "Your offer stands: wait for the answer.");
        }
        if moves.declined[side].contains(&what) {
            let text = "Your offer was declined. You can make it again after the next turn.";
            return refuse(RejectionCode::TooSoon, text);
        }
        if what == Offer::Takeback && last[side].is_none() {
            return refuse(RejectionCode::NoTurn, "You have no turn to take back.");
        }
        let mut events = vec![RoomEvent::Offered { side, what }];
        if self.level_of(side.other()).is_some() && what != Offer::Draw {
            // The computer accepts takebacks and rematches.
            events.push(RoomEvent::Answered { side: side.other(), what, yes: true });
            if what == Offer::Rematch {
                events.push(RoomEvent::Began);
            }
        }
        Ok(events)
    }

    /// Returns the game, if this offer can be made now.
    fn ready_for(&self, what: Offer) -> Result<&Moves, Rejection> {
        match (what, &self.moves) {
            (Offer::Draw, _) => match self.playing()? {
                moves if self.terms.rated && moves.can_abort() => refuse(
                    RejectionCode::TooSoon,
                    "You can offer a draw in a rated game once both players have moved.",
                ),
                moves => Ok(moves),
            },
            (Offer::Takeback, _) => self.playing(),
            (Offer::Rematch, _) if self.stage == StageName::Closed => self.refuse_closed(),
            (Offer::Rematch, Some(moves)) if self.is_over() => Ok(moves),
            (Offer::Rematch, Some(_)) => refuse(
                RejectionCode::NotOver,
                "You can offer a rematch once the game and its match are over.",
            ),
            (Offer::Rematch, None) => {
                refuse(RejectionCode::NotBegun, "No game has been played yet.")
            }
        }
    }

    fn answer(&self, side: Side, what: Offer, yes: bool) -> Result<Vec<RoomEvent>, Rejection> {
        let moves = self.ready_for(what)?;
        if moves.offers[side.other()] != Some(what) {
            return refuse(RejectionCode::NoOffer, "You have no such offer to answer now.");
        }
        let mut events = vec![RoomEvent::Answered { side, what, yes }];
        if what == Offer::Rematch && yes {
            events.push(RoomEvent::Began);
        }
        Ok(events)
    }

    fn resign(&self, side: Side) -> Result<Vec<RoomEvent>, Rejection> {
        let moves = self.playing()?;
        Ok(vec![if moves.can_abort() {
            RoomEvent::Aborted { side: Some(side), closes: false, late: Both::default() }
        } else {
            RoomEvent::Resigned { side }
        }])
    }

    fn claim(&self, side: Side, now: Millis) -> Result<Vec<RoomEvent>, Rejection> {
        let left = self.claimable_in(side, now)?;
        if left > 0 {
            let seconds = u32::try_from(left.div_ceil(1000)).unwrap_or(u32::MAX);
            let text = format!("You can claim the game in {seconds} seconds.");
            let rejection = Rejection::new(RejectionCode::NotGone, text);
            return Err(Rejection { seconds: Some(seconds), ..rejection });
        }
        Ok(vec![if self.playing()?.can_abort() {
            // Do not award a win against an opponent who may never have been present.
            let late = Both::seen_from(side, false, true);
            RoomEvent::Aborted { side: Some(side), closes: false, late }
        } else {
            RoomEvent::Claimed { side }
        }])
    }

    /// Returns the time until a side can claim the game if the opponent stays away.
    pub(super) fn claimable_in(&self, side: Side, now: Millis) -> Result<Millis, Rejection> {
        let moves = self.playing()?;
        let Some(after) = self.terms.clock.claim_after() else {
            let text =
                "A game with days per move cannot be claimed: wait for the clock to run out.";
            return refuse(RejectionCode::NotGone, text);
        };
        let other = side.other();
        let gone = self.gone[other].filter(|_| self.level_of(other).is_none());
        let Some(since) = gone else {
            return refuse(RejectionCode::NotGone, "Your opponent is connected.");
        };
        if !moves.asked()[other] || moves.asked()[side] {
            let text = "You can claim the game only while it waits for your opponent alone.";
            return refuse(RejectionCode::NotGone, text);
        }
        // The absence counts only from the start of the opponent's turn.
        let since = since.max(moves.clocks.since.unwrap_or(since));
        Ok((since + after).saturating_sub(now))
    }

    fn say(&self, side: Side, phrase: Phrase) -> Result<Vec<RoomEvent>, Rejection> {
        let said = match &self.moves {
            Some(moves) => moves.said[side],
            None => return refuse(RejectionCode::NotBegun, "Nobody has joined yet."),
        };
        if said >= MOST_PHRASES {
            let text =
                format!("You can say {MOST_PHRASES} phrases in a turn: wait for the next one.");
            return refuse(RejectionCode::TooSoon, text);
        }
        Ok(vec![RoomEvent::Said { side, phrase }])
    }
}
