//! What a node knows about the database and the other nodes, and what nodes announce to each other about a room.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::event::{AccountId, Logged};

/// A running server process. One that starts again is another node, with a number of its own.
pub type NodeId = i64;

/// How long the clock of a player stands still whose node does not answer. Longer than clients need to leave such a node.
pub const GRACE: Millis = 20_000;

/// A time in which no node could write to the database. No clock ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outage {
    /// Counts outages, from 1. 0 if there has been none.
    pub id: u64,
    /// When a node last wrote a heartbeat before it.
    pub began: Millis,
    /// When a node first wrote one again.
    pub ended: Millis,
}

/// A time in which a node wrote no heartbeat, although others did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Silence {
    /// Its last heartbeat before.
    pub since: Millis,
    /// Its first one again; none if it is still silent.
    pub until: Option<Millis>,
    /// The node.
    pub node: NodeId,
}

/// What a node knows about the database and the other nodes. All its rooms share it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // four things that are so or not
pub struct Cluster {
    /// This node.
    pub node: NodeId,
    /// Whether no other node uses the database.
    pub is_alone: bool,
    /// The newest outage.
    pub outage: Outage,
    /// Those before it, oldest first.
    pub earlier: Vec<Outage>,
    /// When this node last reached the database.
    pub reached: Millis,
    /// Whether it reaches the database, as far as it knows.
    pub is_available: bool,
    /// Nodes that write no heartbeats, or did not lately. This node is among them just after it has hung.
    pub silent: Vec<Silence>,
    /// Whether announcements of a living node may not arrive: rooms poll the log instead.
    pub polls: bool,
    /// Whether this has lasted so long that nobody can tell who is connected to the other nodes.
    pub is_partitioned: bool,
}

impl Cluster {
    /// A server alone, which has just reached its database.
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
            is_partitioned: false,
        }
    }

    /// The silence of a node, now or lately.
    pub(crate) fn silence_of(&self, node: NodeId) -> Option<Silence> {
        self.silent.iter().copied().find(|silence| silence.node == node)
    }
}

/// Who follows a room on one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followers {
    /// The players with a connection there, in order.
    pub players: Vec<AccountId>,
    /// How many connections watch.
    pub watchers: u32,
}

impl Followers {
    /// Whether nobody follows the room there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.players.is_empty() && self.watchers == 0
    }
}

/// What a node announces about a room. None of it may get into a log: it contains choices.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    /// The node.
    pub node: NodeId,
    /// The version that the room has reached.
    pub v: u64,
    /// The last events up to that version; none if the receiver should read the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Logged>,
    /// Who follows the room on that node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followers: Option<Followers>,
    /// Whether the node has just read the room, and wants to know who follows it elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
}

/// A choice may be secret: it is not printed.
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
