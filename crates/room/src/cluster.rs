//! A node's view of the database and the other nodes, and the announcements that nodes send each other about rooms.

mod others;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::others::Others;
use self::others::{PARTITIONED, POLL_AFTER};
use crate::clock::Millis;
use crate::event::{AccountId, Logged};

/// Identifies a running server process. A restarted process gets a new id.
pub type NodeId = i64;

/// How often a node writes a heartbeat.
pub const BEAT: Millis = 1_000;

/// Maximum age of a heartbeat with which a node may append. If all heartbeats are older, there is an outage.
pub const GAP: Millis = 3_000;

/// Maximum size of an announcement in bytes. A larger one carries only the version, and the log is read.
const MOST_BYTES: usize = 64 << 10;

/// How long the clock of a player on an unresponsive node stops. Longer than clients take to leave such a node.
pub const GRACE: Millis = 20_000;

/// A period in which no node could write to the database and no clock ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outage {
    /// The number of the outage, from 1; 0 if there has been none.
    pub id: u64,
    /// The time of the last heartbeat before the outage.
    pub began: Millis,
    /// The time of the first heartbeat after the outage.
    pub ended: Millis,
}

/// A period in which a node wrote no heartbeat, although others did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Silence {
    /// The node's last heartbeat before the silence.
    pub since: Millis,
    /// The node's first heartbeat after the silence; `None` if it is still silent.
    pub until: Option<Millis>,
    /// The silent node.
    pub node: NodeId,
}

/// A node with a recent heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alive {
    /// The node's number.
    pub id: NodeId,
    /// The node's name.
    pub name: String,
    /// The time of its last heartbeat.
    pub beat: Millis,
}

/// The database's answer to a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// The database's time, or the server's on `SQLite`.
    pub now: Millis,
    /// The newest outage.
    pub outage: Outage,
    /// This node's previous heartbeat; 0 if the node had been forgotten.
    pub before: Millis,
    /// All nodes with a heartbeat within the last minute, including this one.
    pub nodes: Vec<Alive>,
}

impl Beat {
    /// Returns the other nodes that are alive.
    pub fn others(&self, own: NodeId) -> impl Iterator<Item = &Alive> {
        self.nodes.iter().filter(move |node| node.id != own && self.is_alive(node))
    }

    /// Whether a node is alive according to its heartbeats. After an outage, every node gets time to write its next one.
    fn is_alive(&self, node: &Alive) -> bool {
        let outage = &self.outage;
        let is_just_over = self.now < outage.ended + GAP && node.beat + GAP > outage.began;
        node.beat + GAP > self.now || is_just_over
    }
}

/// A node's view of the database and the other nodes, shared by all its rooms.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // four independent flags
pub struct Cluster {
    /// This node's id.
    pub node: NodeId,
    /// Whether no other node uses the database.
    pub is_alone: bool,
    /// The newest outage.
    pub outage: Outage,
    /// Earlier outages, oldest first.
    pub earlier: Vec<Outage>,
    /// When this node last reached the database.
    pub reached: Millis,
    /// Whether the database seems reachable.
    pub is_available: bool,
    /// Nodes that are, or recently were, missing heartbeats. Includes this node just after it has hung.
    pub silent: Vec<Silence>,
    /// Whether announcements from a living node may be lost. If so, rooms poll the log.
    pub polls: bool,
    /// How many times announcements have arrived again after some may have been lost. After each, rooms read the log.
    pub gaps: u64,
    /// Whether this has lasted so long that connections to other nodes are unknown.
    pub is_partitioned: bool,
}

impl Cluster {
    /// Creates the view of a single server that has just reached its database.
    #[must_use]
    pub const fn alone(now: Millis) -> Self {
        Self {
            node: 0,
            is_alone: true,
            outage: Outage { id: 0, began: 0, ended: 0 },
            earlier: Vec::new(),
            reached: now,
            is_available: true,
            silent: Vec::new(),
            polls: false,
            gaps: 0,
            is_partitioned: false,
        }
    }

    /// Records the database's answer to a heartbeat sent at this time, and the earlier outages.
    pub fn note_beat(&mut self, sent: Millis, beat: &Beat, earlier: Vec<Outage>) {
        (self.outage, self.earlier) = (beat.outage, earlier);
        (self.reached, self.is_available) = (sent, true);
        let silent = beat.nodes.iter().filter_map(|node| self.silence_after(beat, node));
        self.silent = silent.collect();
    }

    /// Returns a node's silence if it writes no heartbeats now, or recently did not.
    fn silence_after(&self, beat: &Beat, node: &Alive) -> Option<Silence> {
        let is_own = node.id == self.node;
        let known = self.silence_of(node.id);
        // If no node wrote heartbeats, the gap was an outage.
        let has_hung = is_own
            && beat.before > 0
            && beat.before + GAP < beat.now
            && self.outage.ended < beat.now;
        let is_silent = !is_own && !beat.is_alive(node);
        let new = match known {
            _ if has_hung => {
                Some(Silence { since: beat.before, until: Some(beat.now), node: node.id })
            }
            Some(Silence { until: None, .. }) if is_silent => known,
            Some(silence) if silence.until.is_none() => {
                Some(Silence { until: Some(node.beat), ..silence })
            }
            _ if is_silent => Some(Silence { since: node.beat, until: None, node: node.id }),
            known => known,
        };
        let counts = |silence: &Silence| {
            silence.until.is_none_or(|until| beat.now.saturating_sub(until) < GRACE)
        };
        new.filter(counts)
    }

    /// Records how long ago the database was reached.
    pub const fn note_time(&mut self, now: Millis) {
        self.is_available = now.saturating_sub(self.reached) <= GAP;
    }

    /// Records whether there are other nodes, and whether they are heard. `is_connected` says whether the bus is connected;
    /// `None` without a bus.
    pub fn note_others(&mut self, now: Millis, others: &Others, is_connected: Option<bool>) {
        self.is_alone = others.count() == 0;
        let is_disconnected = !self.is_alone && is_connected != Some(true);
        let polls = is_disconnected || others.is_one_silent(now, POLL_AFTER);
        self.gaps += u64::from(self.polls && !polls);
        self.polls = polls;
        self.is_partitioned = match is_connected {
            None => !self.is_alone,
            Some(_) => others.is_one_silent(now, PARTITIONED),
        };
    }

    /// Returns a node's current or recent silence.
    pub(crate) fn silence_of(&self, node: NodeId) -> Option<Silence> {
        self.silent.iter().copied().find(|silence| silence.node == node)
    }
}

/// The followers of a room on one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followers {
    /// The players connected to the node, sorted.
    pub players: Vec<AccountId>,
    /// The number of spectator connections.
    pub watchers: u32,
}

impl Followers {
    /// Whether there are neither players nor watchers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.players.is_empty() && self.watchers == 0
    }
}

/// A node's announcement about a room. It contains secret choices, so it must never be written to a server log file.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    /// The announcing node.
    pub node: NodeId,
    /// The room's version on that node.
    pub v: u64,
    /// The last events up to that version; empty if the receiver should read the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Logged>,
    /// The room's followers on that node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followers: Option<Followers>,
    /// Whether the node has just read the room and asks the others to announce their followers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
}

impl Announcement {
    /// Returns the message for the other nodes, which omits the events if it would become too large.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        let bytes = |announcement: &Self| serde_json::to_vec(announcement).unwrap_or_default();
        let whole = bytes(&self);
        if whole.len() <= MOST_BYTES {
            return whole;
        }
        self.events.clear();
        bytes(&self)
    }
}

/// Omits the events, which may contain secret choices.
impl fmt::Debug for Announcement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Announcement")
            .field("node", &self.node)
            .field("v", &self.v)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::Side;

    use super::*;
    use crate::event::RoomEvent;

    #[test]
    fn an_announced_choice_is_not_printed() {
        let event = RoomEvent::Chose { side: Side::One, text: "shield".to_owned(), lag: 0 };
        let events = vec![Logged { at: 1, by: None, left: None, event }];
        let announcement = Announcement { node: 1, v: 5, events, followers: None, asks: false };
        assert!(!format!("{announcement:?}").contains("shield"));
        let text = serde_json::to_string(&announcement).expect("valid JSON");
        assert_eq!(serde_json::from_str::<Announcement>(&text).ok(), Some(announcement));
    }

    #[test]
    fn a_large_announcement_contains_only_the_version() {
        let said = |length: usize| {
            let event = RoomEvent::Chose { side: Side::One, text: "x".repeat(length), lag: 0 };
            let events = vec![Logged { at: 1, by: None, left: None, event }];
            let followers = Some(Followers { players: vec![7], watchers: 2 });
            let announcement = Announcement { node: 1, v: 5, events, followers, asks: true };
            let bytes = announcement.clone().into_bytes();
            assert!(bytes.len() <= MOST_BYTES);
            (announcement, serde_json::from_slice::<Announcement>(&bytes).expect("valid JSON"))
        };
        let (small, told) = said(MOST_BYTES - 200);
        assert_eq!(small, told);
        let (large, told) = said(MOST_BYTES);
        assert_eq!(told, Announcement { events: Vec::new(), ..large });
    }
}
