//! The followers of a room on other nodes, according to their announcements.

use crate::clock::Millis;
use crate::cluster::{Cluster, Followers, NodeId};
use crate::event::AccountId;

/// How long an announcement stays valid. Nodes repeat theirs every [`ANNOUNCE_EVERY`].
const COUNTS_FOR: Millis = 15_000;

/// How often a node announces its followers even if nothing has changed.
pub(super) const ANNOUNCE_EVERY: Millis = 5_000;

/// How long players are assumed present in a newly read room, until the other nodes announce their followers.
const ASSUMED_FOR: Millis = 1_000;

/// The followers of a room on other nodes.
#[derive(Default)]
pub(super) struct Elsewhere {
    nodes: Vec<Report>,
}

struct Report {
    /// The announcing node; `None` for players assumed to be connected to some node.
    node: Option<NodeId>,
    /// When the announcement expires.
    until: Millis,
    followers: Followers,
}

impl Elsewhere {
    /// Assumes that these players are connected to some node.
    pub(super) fn assume(now: Millis, players: Vec<AccountId>) -> Self {
        let followers = Followers { players, watchers: 0 };
        Self { nodes: vec![Report { node: None, until: now + ASSUMED_FOR, followers }] }
    }

    /// Records a node's announcement of its followers.
    pub(super) fn note(&mut self, now: Millis, node: NodeId, followers: Followers) {
        self.nodes.retain(|other| other.node != Some(node));
        if !followers.is_empty() {
            self.nodes.push(Report { node: Some(node), until: now + COUNTS_FOR, followers });
        }
    }

    /// Records that a player has connected here, and so has left any unresponsive node.
    pub(super) fn note_left(&mut self, account: AccountId, cluster: &Cluster) {
        let is_silent = |node| cluster.silence_of(node).is_some_and(|it| it.until.is_none());
        for other in &mut self.nodes {
            if other.node.is_some_and(is_silent) {
                other.followers.players.retain(|player| *player != account);
            }
        }
    }

    /// Drops expired announcements. Keeps all of them while announcements may be lost.
    pub(super) fn forget_old(&mut self, now: Millis, cluster: &Cluster) {
        self.nodes
            .retain(|other| other.until > now || (cluster.is_partitioned && other.node.is_some()));
    }

    /// Returns when the next announcement expires.
    pub(super) fn due(&self) -> Option<Millis> {
        self.nodes.iter().map(|other| other.until).min()
    }

    /// Returns the nodes to which a player is connected.
    pub(super) fn nodes_of(&self, account: AccountId) -> impl Iterator<Item = NodeId> {
        let has = move |other: &&Report| other.followers.players.contains(&account);
        self.nodes.iter().filter(has).filter_map(|other| other.node)
    }

    /// Returns when a node last announced that a player is connected to it.
    pub(super) fn last_heard(&self, account: AccountId) -> Option<Millis> {
        let reports = self.nodes.iter().filter(|other| other.node.is_some());
        let reports = reports.filter(|other| other.followers.players.contains(&account));
        reports.map(|other| other.until - COUNTS_FOR).max()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn has(&self, account: AccountId) -> bool {
        self.nodes.iter().any(|other| other.followers.players.contains(&account))
    }

    pub(super) fn watchers(&self) -> u32 {
        self.nodes.iter().fold(0, |sum, other| sum.saturating_add(other.followers.watchers))
    }
}
