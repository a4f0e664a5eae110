//! Predicts the effect of events by applying them to a fork of the room.

use std::collections::HashMap;

use skirmish_rules::{Both, Side};

use super::{Moves, Room};
use crate::event::{FinishedGame, Logged, RoomEvent};

impl Room {
    /// Returns the game that these events would end, if any.
    pub(crate) fn finished_after(&self, events: &[Logged]) -> Option<FinishedGame> {
        let may_end = |logged: &Logged| match &logged.event {
            RoomEvent::Chose { side, text, .. } => {
                self.moves.as_deref().is_some_and(|moves| moves.may_end_with(*side, text))
            }
            RoomEvent::Answered { .. }
            | RoomEvent::Resigned { .. }
            | RoomEvent::Claimed { .. }
            | RoomEvent::Flagged { .. }
            | RoomEvent::Aborted { .. } => true,
            RoomEvent::Created { .. }
            | RoomEvent::Seated { .. }
            | RoomEvent::Began
            | RoomEvent::Offered { .. }
            | RoomEvent::Said { .. }
            | RoomEvent::Paused
            | RoomEvent::Resumed
            | RoomEvent::Closed => false,
        };
        if self.end().is_some() || !events.iter().any(may_end) {
            return None;
        }
        let mut fork = self.fork();
        for logged in events {
            // An event that does not fit is reported when it is applied.
            fork.apply(logged, None).ok()?;
        }
        fork.finished()
    }

    /// Returns the current game, if it is over.
    #[must_use]
    pub fn finished(&self) -> Option<FinishedGame> {
        let (end, plan) = (self.end()?, self.plan()?);
        let is_rated = self.is_rated();
        Some(FinishedGame {
            code: self.code.clone(),
            number: self.number,
            game: plan.entry.id.to_owned(),
            names: plan.names.clone(),
            accounts: self.people.as_ref().map(|person| Some(person.as_ref()?.account)),
            end,
            date: plan.date.clone(),
            rated: is_rated && self.moves.as_ref()?.is_played(),
            aborted_by: if is_rated { self.aborted_by() } else { Both::default() },
            at: self.at,
            is_last: self.is_over(),
        })
    }

    /// Copies the room without the data needed only for answering messages and building views.
    fn fork(&self) -> Self {
        Self {
            code: self.code.clone(),
            terms: self.terms.clone(),
            date: self.date.clone(),
            people: self.people.clone(),
            moves: self.moves.as_deref().map(|moves| Box::new(moves.fork())),
            earlier: Vec::new(),
            answered: HashMap::new(),
            ..*self
        }
    }
}

impl Moves {
    /// Whether a choice may end the game. Usually it cannot, and forking only the table is cheap.
    fn may_end_with(&self, side: Side, text: &str) -> bool {
        let session = self.driver.session();
        let mut table = session.table().fork();
        if let Some(other) = &self.pending[side.other()] {
            // A forked table has no pending choices.
            let _ = table.submit(side.other(), other);
        }
        let _ = table.submit(side, text);
        // A forced pass may follow and also end the game.
        let is_pass_next = Side::ALL.into_iter().any(|side| table.must_pass(side));
        let is_last =
            session.turn_limit().is_some_and(|limit| table.turns_played() >= limit as usize);
        table.outcome().is_some() || is_pass_next || is_last
    }

    fn fork(&self) -> Self {
        let mut fork = Self {
            plan: self.plan.clone(),
            driver: self.driver.fork(),
            turns: Vec::new(),
            pending: self.pending.clone(),
            declined: self.declined.clone(),
            ..*self
        };
        // A forked table has no pending choices.
        for side in Side::ALL {
            if let Some(text) = &self.pending[side] {
                fork.submit(side, text);
            }
        }
        fork
    }
}
