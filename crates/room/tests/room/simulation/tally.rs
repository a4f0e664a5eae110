//! Counts events in the runs: a simulation in which nobody ever claims a game proves nothing about claims.

use std::collections::BTreeMap;

use skirmish_room::wire::Offer;
use skirmish_room::{Logged, RoomEvent};

/// The number of occurrences of each event.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(BTreeMap<&'static str, u64>);

/// The events that must occur.
pub(super) const EXPECTED: &[&str] = &[
    "seated",
    "first game",
    "later game",
    "choice",
    "choice of the computer",
    "draw offered",
    "draw agreed",
    "draw declined",
    "takeback offered",
    "takeback agreed",
    "takeback declined",
    "takeback of a waiting choice",
    "takebacks crossed",
    "rematch offered",
    "rematch agreed",
    "resigned",
    "claimed",
    "flag",
    "both flags",
    "aborted by a player",
    "aborted by the clock",
    "said",
    "paused",
    "resumed",
    "forced pass",
    "kill",
    "kill while the database is asked",
    "kill after the statement was carried out",
    "append in conflict",
    "append stale",
    "append unknown",
    "room read",
    "room dropped",
    "connection broken",
    "client vanished",
    "message sent again",
    "frame lost",
    "frame doubled",
    "frame overtaken",
    "clock set",
    "clocks charged until an outage",
    "deserted game ended",
    "secret compared",
    "game closed by the operator",
    "match closed by the operator",
    "room closed by the operator",
    "guest signed in",
    "node hangs",
    "client leaves a silent node",
    "player stuck",
    "node cut off from the database",
    "node cut off from the bus",
    "node cut off from both",
    "node sends its clients away",
    "node partitioned",
    "node finds the database away",
    "announcement lost",
    "database away",
    "last node stopped",
    "node drained",
];

impl Tally {
    pub(super) fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Counts an event of a log.
    pub(super) fn event(&mut self, logged: &Logged, last: Option<&Logged>, number: u32) {
        let is_aborted =
            last.is_some_and(|last| matches!(last.event, RoomEvent::Aborted { closes: true, .. }));
        self.count(match &logged.event {
            RoomEvent::Created { .. } => "created",
            RoomEvent::Seated { .. } => "seated",
            RoomEvent::Began if number > 1 => "later game",
            RoomEvent::Began => "first game",
            RoomEvent::Chose { .. } if logged.by.is_none() => "choice of the computer",
            RoomEvent::Chose { .. } => "choice",
            RoomEvent::Offered { what: Offer::Draw, .. } => "draw offered",
            RoomEvent::Offered { what: Offer::Takeback, .. } => "takeback offered",
            RoomEvent::Offered { what: Offer::Rematch, .. } => "rematch offered",
            RoomEvent::Answered { what: Offer::Draw, yes: true, .. } => "draw agreed",
            RoomEvent::Answered { what: Offer::Draw, .. } => "draw declined",
            RoomEvent::Answered { what: Offer::Takeback, yes: true, .. } => "takeback agreed",
            RoomEvent::Answered { what: Offer::Takeback, .. } => "takeback declined",
            RoomEvent::Answered { what: Offer::Rematch, yes: true, .. } => "rematch agreed",
            RoomEvent::Answered { what: Offer::Rematch, .. } => "rematch declined",
            RoomEvent::Resigned { .. } => "resigned",
            RoomEvent::Claimed { .. } => "claimed",
            RoomEvent::Flagged { sides } if sides.one && sides.two => "both flags",
            RoomEvent::Flagged { .. } => "flag",
            RoomEvent::Aborted { side: Some(_), .. } => "aborted by a player",
            RoomEvent::Aborted { closes: true, .. } => "aborted by the operator",
            RoomEvent::Aborted { .. } => "aborted by the clock",
            RoomEvent::Said { .. } => "said",
            RoomEvent::Paused => "paused",
            RoomEvent::Resumed => "resumed",
            RoomEvent::Closed if is_aborted => "game closed by the operator",
            RoomEvent::Closed if number > 0 => "match closed by the operator",
            RoomEvent::Closed => "room closed by the operator",
        });
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (what, times) in &other.0 {
            *self.0.entry(what).or_default() += times;
        }
    }

    /// Returns the expected events that never occurred.
    pub(super) fn missing<'a>(&self, expected: &[&'a str]) -> Vec<&'a str> {
        expected.iter().copied().filter(|what| !self.0.contains_key(what)).collect()
    }
}
