//! Events caused by the passing of time.

use skirmish_rules::{Both, Side};

use super::{Moves, Room};
use crate::clock::Millis;
use crate::cluster::GRACE;
use crate::event::{Logged, RoomEvent};
use crate::wire::StageName;

/// How long a game's result is shown before the next game of the match begins.
const INTERVAL: Millis = 3_000;

/// How long a room waits for its second player.
const OPEN_FOR: Millis = 7 * 24 * 60 * 60 * 1000;

/// How long a public or rated room stays open after its creator has left.
const WITHDRAWN_AFTER: Millis = 2 * 60 * 1000;

impl Room {
    /// Returns the next time at which something happens without a request: a flag falls, a game is aborted or begins, or
    /// the room closes.
    #[must_use]
    pub fn due(&self) -> Option<Millis> {
        match self.stage {
            StageName::Open => {
                let expiry = self.at + OPEN_FOR;
                Some(self.withdrawal().map_or(expiry, |withdrawal| withdrawal.min(expiry)))
            }
            StageName::Closed | StageName::Paused => None,
            StageName::Over => self.next_plan().map(|_| self.at + INTERVAL),
            StageName::Playing => {
                Side::ALL.into_iter().filter_map(|side| self.deadline(side)).min()
            }
        }
    }

    /// Returns when a side runs out of time. A player who may be connected to an unresponsive node gets extra time.
    fn deadline(&self, side: Side) -> Option<Millis> {
        let deadline = self.moves.as_ref()?.deadline(side)?;
        Some(deadline + if self.excused[side] { GRACE } else { 0 })
    }

    /// Returns when the invitation is withdrawn if its creator stays away. Nobody should join a rated game whose creator
    /// is absent, or find a public one in the lobby. The creator of a private game may share its code and return later.
    fn withdrawal(&self) -> Option<Millis> {
        let creator = Side::ALL.into_iter().find(|&side| self.people[side].is_some())?;
        let since = self.gone[creator].filter(|_| self.terms.public || self.terms.rated)?;
        Some(since + WITHDRAWN_AFTER)
    }

    /// Returns the events that have become due by now.
    pub(crate) fn expire(&self, now: Millis) -> Vec<Logged> {
        let Some(due) = self.due().filter(|&due| due <= now) else { return Vec::new() };
        let event = match self.stage {
            StageName::Open => RoomEvent::Closed,
            StageName::Over => RoomEvent::Began,
            StageName::Playing | StageName::Paused | StageName::Closed => {
                let Some(moves) = &self.moves else { return Vec::new() };
                // Sides that run out of time at the same moment both lose on time.
                let late = Both::from_fn(|side| self.deadline(side) == Some(due));
                Self::out_of_time(moves, late)
            }
        };
        self.log(now.max(self.at), None, vec![event])
    }

    /// Pauses the game because the server is stopping: the clocks stop.
    #[must_use]
    pub fn pause(&self, now: Millis) -> Vec<Logged> {
        if self.stage != StageName::Playing {
            return Vec::new();
        }
        self.log(now.max(self.at), None, vec![RoomEvent::Paused])
    }

    /// Closes the room permanently on the operator's behalf: aborts a game in progress, which nobody loses, and rules out
    /// a rematch.
    #[must_use]
    pub fn shut(&self, now: Millis) -> Vec<Logged> {
        let events = match self.stage {
            StageName::Playing | StageName::Paused => {
                vec![
                    RoomEvent::Aborted { side: None, closes: true, late: Both::default() },
                    RoomEvent::Closed,
                ]
            }
            // A game may just have ended, or the next game of the match may be due.
            StageName::Open | StageName::Over => vec![RoomEvent::Closed],
            StageName::Closed => Vec::new(),
        };
        self.log(now.max(self.at), None, events)
    }

    /// Stops the clocks until the players return, because a node with connected players is stopping.
    #[must_use]
    pub fn wait(&self, now: Millis) -> Vec<Logged> {
        let runs = self.stage == StageName::Playing && self.turn_began().is_some();
        if runs { self.resume(now, now) } else { Vec::new() }
    }

    /// Resumes the game after an outage. The server is known to have run until `until`; later time is charged to nobody.
    #[must_use]
    pub fn resume(&self, now: Millis, until: Millis) -> Vec<Logged> {
        let Some(moves) = self.moves.as_ref().filter(|_| self.is_playing()) else {
            return Vec::new();
        };
        let mut events = self.log(now.max(self.at), None, vec![RoomEvent::Resumed]);
        if self.stage == StageName::Playing && moves.is_timed() {
            let mut clocks = moves.clocks;
            clocks.charge(moves.running(), until);
            let has_changed = clocks.left != moves.clocks.left;
            events[0].left = has_changed.then(|| clocks.left.into());
        }
        events
    }

    /// Returns the event for sides that are out of time. Before the first moves of a room or match, nobody loses on time.
    pub(super) fn out_of_time(moves: &Moves, late: Both<bool>) -> RoomEvent {
        if moves.can_abort() {
            RoomEvent::Aborted { side: None, closes: false, late }
        } else {
            RoomEvent::Flagged { sides: late }
        }
    }
}

impl Moves {
    pub(super) fn is_timed(&self) -> bool {
        self.clocks.control.initial().is_some()
    }

    /// Whether running out of time still aborts the game: a player has not moved, and no earlier game of the match
    /// depends on it.
    pub(super) fn can_abort(&self) -> bool {
        let moved = self.moved.one && self.moved.two;
        !moved && self.plan.standing.is_none_or(|standing| standing.game == 1)
    }

    /// Returns when a side runs out of time, if the game is waiting for its choice.
    pub(super) fn deadline(&self, side: Side) -> Option<Millis> {
        let since = self.clocks.since.filter(|_| self.asked()[side])?;
        if self.moved[side] {
            self.is_timed().then(|| since + self.clocks.left[side] + self.clocks.lag_quota(side))
        } else {
            self.clocks.control.first_move().map(|first| since + first)
        }
    }
}
