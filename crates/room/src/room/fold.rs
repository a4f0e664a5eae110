//! Rebuilds rooms from their event logs.

use std::collections::HashMap;

use skirmish_play::driver::{Decision, Driver, Seat};
use skirmish_present::json::TurnEventObject;
use skirmish_rules::{Both, Catalog, Record, Side};

use super::{Moves, Room, seat_toss};
use crate::clock::{Clocks, Millis, RETURN};
use crate::event::{Logged, RoomEvent};
use crate::wire::{Offer, StageName};

/// Why a log cannot be folded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {v} of the log does not fit: {why}")]
pub struct FoldError {
    /// The event's version.
    pub v: u64,
    /// The reason.
    pub why: String,
}

impl Room {
    /// Rebuilds a room from its log. Its game must be in `games`.
    ///
    /// # Errors
    /// If the log is empty, or an event does not fit the preceding ones.
    pub fn fold<'a>(
        games: Catalog,
        log: impl IntoIterator<Item = &'a Logged>,
    ) -> Result<Self, FoldError> {
        let mut log = log.into_iter();
        let wrong = |why: &str| FoldError { v: 1, why: why.to_owned() };
        let first = log.next().ok_or_else(|| wrong("the log is empty"))?;
        let mut room = Self::created(games, first)?;
        for logged in log {
            room.apply(logged, None)?;
        }
        Ok(room)
    }

    /// Returns the room after its first event.
    ///
    /// # Errors
    /// If the event is not a creation, or its terms are invalid.
    pub fn created(games: Catalog, first: &Logged) -> Result<Self, FoldError> {
        let wrong = |why: String| FoldError { v: 1, why };
        let RoomEvent::Created { code, terms, creator, seed, date } = &first.event else {
            return Err(wrong("a log must begin with the creation of a room".to_owned()));
        };
        terms.proposal(games).map_err(|error| wrong(error.to_string()))?;
        let mut people = Both::new(None, None);
        people[terms.creator_side(seat_toss(*seed))] = Some(creator.clone());
        let mut room = Self {
            code: code.clone(),
            games,
            terms: (**terms).clone(),
            seed: *seed,
            date: date.clone(),
            v: 1,
            at: first.at,
            stage: StageName::Open,
            people,
            number: 0,
            moves: None,
            earlier: Vec::new(),
            answered: HashMap::new(),
            gone: Both::new(Some(first.at), Some(first.at)),
            excused: Both::default(),
        };
        room.remember(first);
        Ok(room)
    }

    /// Rebuilds a room from its log, and returns it with the records of all its games, in order.
    ///
    /// # Errors
    /// If an event does not fit the preceding ones.
    pub fn with_records(games: Catalog, log: &[Logged]) -> Result<(Self, Vec<Record>), FoldError> {
        let empty = || FoldError { v: 1, why: "the log is empty".to_owned() };
        let mut room = Self::created(games, log.first().ok_or_else(empty)?)?;
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

    /// Applies an event. If `told` is given, appends the descriptions of its turns to it.
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
        // If a message leads to several events, its answer is the last version.
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
            RoomEvent::Created { .. } => return Err("the room already exists".to_owned()),
            RoomEvent::Seated { person } => {
                let free = Side::ALL.into_iter().find(|&side| self.people[side].is_none());
                let free =
                    free.filter(|_| self.stage == StageName::Open).ok_or("no seat is free")?;
                self.people[free] = Some(person.clone());
                return Ok(());
            }
            RoomEvent::Began => return self.begin(at, v, told),
            RoomEvent::Closed => {
                self.stage = StageName::Closed;
                if let Some(moves) = &mut self.moves {
                    moves.offers = Both::default();
                }
                return Ok(());
            }
            _ => {}
        }
        let stage = self.stage;
        let moves = self.moves.as_deref_mut().ok_or("no game has begun")?;
        if let Some(left) = logged.left {
            moves.clocks.left = left.into();
        }
        let in_play = matches!(stage, StageName::Playing | StageName::Paused);
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
            RoomEvent::Chose { side, text, lag } => {
                let budget = &mut moves.clocks.lag_budget[*side];
                *budget = budget.saturating_sub(*lag);
                moves.choose(*side, text, at, v, told)?;
            }
            RoomEvent::Offered { side, what } => {
                (moves.offers[*side], moves.offer_v[*side]) = (Some(*what), v);
            }
            RoomEvent::Answered { side, what, yes } => moves.answer(*side, *what, *yes, at, v)?,
            RoomEvent::Resigned { side } => {
                moves.blame(Both::seen_from(*side, true, false));
                moves.decided(Decision::Resign(*side))?;
            }
            RoomEvent::Claimed { side } => {
                let gone = Both::seen_from(*side, false, true);
                moves.blame(gone);
                moves.decided(Decision::TimeUp(gone))?;
            }
            RoomEvent::Flagged { sides } => {
                moves.blame(*sides);
                moves.decided(Decision::TimeUp(*sides))?;
            }
            RoomEvent::Aborted { side, late, .. } => {
                moves.aborted = true;
                let is_by_choice = !late.one && !late.two;
                moves.aborted_by =
                    Both::from_fn(|it| late[it] || (is_by_choice && *side == Some(it)));
            }
            RoomEvent::Said { side, .. } => moves.said[*side] = moves.said[*side].saturating_add(1),
            RoomEvent::Paused => {
                moves.clocks.since = None;
                self.stage = StageName::Paused;
            }
            RoomEvent::Resumed => {
                moves.clocks.since = Some(at + RETURN);
                self.stage = StageName::Playing;
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
            let closes = matches!(logged.event, RoomEvent::Aborted { closes: true, .. });
            self.stage = if closes { StageName::Closed } else { StageName::Over };
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
                    self.excused = self.excused.swapped();
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
            // In later games of a match, the clocks run from the start.
            moved: plan.standing.map_or(Both::default(), |standing| {
                Both::new(standing.game > 1, standing.game > 1)
            }),
            game_v: v,
            turn_v: v,
            choice_v: Both::new(v, v),
            offers: Both::default(),
            offer_v: Both::default(),
            declined: Both::default(),
            said: Both::default(),
            aborted: false,
            aborted_by: Both::default(),
            plan,
        };
        moves.pass(told)?;
        self.moves = Some(Box::new(moves));
        self.number += 1;
        self.stage = StageName::Playing;
        Ok(())
    }
}
