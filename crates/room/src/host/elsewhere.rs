//! Who follows a room on other nodes, as those announce it.

use crate::clock::Millis;
use crate::cluster::{Cluster, Followers, NodeId};
use crate::event::AccountId;

/// How long an announcement counts. Nodes repeat theirs every [`ANNOUNCE_EVERY`].
const COUNTS_FOR: Millis = 15_000;

/// How often a node announces its followers even if nothing has changed.
pub(super) const ANNOUNCE_EVERY: Millis = 5_000;

/// How long players count as present in a room that was just read, until the other nodes have announced theirs.
const ASSUMED_FOR: Millis = 1_000;

/// Who follows a room on other nodes.
#[derive(Default)]
pub(super) struct Elsewhere {
    nodes: Vec<Announced>,
}

struct Announced {
    /// None for players who are assumed to be somewhere.
    node: Option<NodeId>,
    /// Until when it counts.
    until: Millis,
    followers: Followers,
}

impl Elsewhere {
    /// Assumes that these players are connected to some node.
    pub(super) fn assume(now: Millis, players: Vec<AccountId>) -> Self {
        let followers = Followers { players, watchers: 0 };
        Self { nodes: vec![Announced { node: None, until: now + ASSUMED_FOR, followers }] }
    }

    /// A node announces its followers.
    pub(super) fn note(&mut self, now: Millis, node: NodeId, followers: Followers) {
        self.nodes.retain(|other| other.node != Some(node));
        if !followers.is_empty() {
            self.nodes.push(Announced { node: Some(node), until: now + COUNTS_FOR, followers });
        }
    }

    /// A player has come here, and has left the nodes that do not answer.
    pub(super) fn note_left(&mut self, account: AccountId, cluster: &Cluster) {
        let is_silent = |node| cluster.silence_of(node).is_some_and(|it| it.until.is_none());
        for other in &mut self.nodes {
            if other.node.is_some_and(is_silent) {
                other.followers.players.retain(|player| *player != account);
            }
        }
    }

    /// Forgets announcements that do not count any more. Nobody is forgotten while announcements may not arrive.
    pub(super) fn forget_old(&mut self, now: Millis, cluster: &Cluster) {
        self.nodes
            .retain(|other| other.until > now || (cluster.is_partitioned && other.node.is_some()));
    }

    /// When the next announcement stops counting.
    pub(super) fn due(&self) -> Option<Millis> {
        self.nodes.iter().map(|other| other.until).min()
    }

    /// The nodes to which a player is connected.
    pub(super) fn nodes_of(&self, account: AccountId) -> impl Iterator<Item = NodeId> {
        let has = move |other: &&Announced| other.followers.players.contains(&account);
        self.nodes.iter().filter(has).filter_map(|other| other.node)
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
