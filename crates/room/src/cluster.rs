//! A node's view of the database and the other nodes, and the announcements that nodes send each other about rooms.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::event::{AccountId, Logged};

/// Identifies a running server process. A restarted process gets a new id.
pub type NodeId = i64;

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
}
