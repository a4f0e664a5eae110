//! Those who follow a room on other nodes, as these report it to the owner.

use crate::clock::Millis;
use crate::event::AccountId;
use crate::lease::NodeId;
use crate::node::Report;

/// How long a report counts. Nodes report every [`REPORT_EVERY`].
const REPORT_FOR: Millis = 15_000;

/// How often a node reports who follows a room, even if nothing has changed.
pub(crate) const REPORT_EVERY: Millis = 5_000;

/// Those who follow a room on other nodes.
#[derive(Default)]
pub(crate) struct Elsewhere {
    nodes: Vec<Reported>,
}

struct Reported {
    /// None for what the last owner knew.
    node: Option<NodeId>,
    at: Millis,
    report: Report,
}

impl Elsewhere {
    /// A node reports, or the last owner knew.
    pub(crate) fn note(&mut self, now: Millis, node: Option<NodeId>, report: Report) {
        self.nodes.retain(|other| other.node != node);
        if !report.is_empty() {
            self.nodes.push(Reported { node, at: now, report });
        }
    }

    /// A player has just come on a node, which will report it.
    pub(crate) fn arrive(&mut self, now: Millis, node: NodeId, account: AccountId) {
        let known = self.nodes.iter().find(|other| other.node == Some(node));
        let mut report = known.map_or_else(Report::default, |known| known.report.clone());
        report.arrive(account);
        self.note(now, Some(node), report);
    }

    /// The nodes on which somebody follows the room.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().filter_map(|other| other.node)
    }

    pub(crate) fn forget(&mut self, node: NodeId) {
        self.nodes.retain(|other| other.node != Some(node));
    }

    /// All nodes get time to report.
    pub(crate) fn wait_for_all(&mut self, now: Millis) {
        self.nodes.iter_mut().for_each(|other| other.at = now);
    }

    /// Whether a node has not reported for long.
    pub(crate) fn is_outdated(&self, now: Millis) -> bool {
        self.nodes.iter().any(|other| is_old(other, now))
    }

    /// Forgets nodes that have not reported for long.
    pub(crate) fn forget_silent(&mut self, now: Millis) {
        self.nodes.retain(|other| !is_old(other, now));
    }

    /// When a node will be silent for long.
    pub(crate) fn due(&self) -> Option<Millis> {
        self.nodes.iter().map(|other| other.at + REPORT_FOR).min()
    }

    pub(crate) fn has(&self, account: AccountId) -> bool {
        self.nodes.iter().any(|other| other.report.players.contains(&account))
    }

    pub(crate) fn watchers(&self) -> u32 {
        self.nodes.iter().fold(0, |sum, other| sum.saturating_add(other.report.watchers))
    }
}

/// A clock that is set back makes nobody stay forever.
const fn is_old(reported: &Reported, now: Millis) -> bool {
    now.abs_diff(reported.at) >= REPORT_FOR
}
