//! The other nodes that are alive, and when each was last heard.

use std::collections::{BTreeMap, BTreeSet};

use super::NodeId;
use crate::clock::Millis;

/// After this time without a greeting, rooms poll the log, since announcements may not arrive either.
pub(super) const POLL_AFTER: Millis = 1_000;

/// After this time without a greeting, it is unknown who is connected to a node.
pub(super) const PARTITIONED: Millis = 5_000;

/// How long a node may be without its database before it sends its clients to other nodes.
const CUT_OFF: Millis = 6_000;

/// How recently another node must have reached the database to serve clients better than this one.
const RECENTLY: Millis = 3_000;

/// The other nodes that are alive, as one node sees them.
#[derive(Debug, Default)]
pub struct Others(BTreeMap<NodeId, Heard>);

/// The last greeting from a node.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// When the node was last heard, or first expected to be heard.
    at: Millis,
    /// When the node last reached the database, by this node's clock.
    reached: Millis,
    /// Since when the node has reached the database without a long gap.
    since: Millis,
    /// The number of the node's connection to the bus, once it is heard.
    connection: Option<u64>,
}

impl Others {
    /// Sets which other nodes are alive.
    pub fn expect(&mut self, living: &[NodeId], now: Millis) {
        self.0.retain(|node, _| living.contains(node));
        for node in living {
            let new = Heard { at: now, reached: now, since: now, connection: None };
            self.0.entry(*node).or_insert(new);
        }
    }

    /// Returns the number of other living nodes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the numbers of the other living nodes.
    #[must_use]
    pub fn ids(&self) -> BTreeSet<NodeId> {
        self.0.keys().copied().collect()
    }

    /// Whether this node has the lowest number. That node does the work that must be done only once.
    #[must_use]
    pub fn is_first(&self, own: NodeId) -> bool {
        self.0.keys().all(|other| own < *other)
    }

    /// Records a greeting, which says how long ago the node reached the database, and the number of its connection to the
    /// bus. A node that cannot reach the database counts as dead. Returns whether the node is heard for the first time or has
    /// reconnected, and so may have announced something that was lost.
    pub fn hear(&mut self, node: NodeId, ago: Millis, connection: u64, now: Millis) -> bool {
        let before = self.0.get(&node).copied();
        if ago <= RECENTLY || before.is_some() {
            let reached = now.saturating_sub(ago);
            let is_steady = |before: &Heard| reached <= before.reached + RECENTLY;
            let since = before.filter(is_steady).map_or(reached, |before| before.since);
            let connection = Some(connection);
            self.0.insert(node, Heard { at: now, reached, since, connection });
        }
        before.is_some_and(|before| before.connection != Some(connection))
    }

    /// Records that this node did not run for this long, and so could not hear the others.
    pub fn note_pause(&mut self, pause: Millis) {
        for heard in self.0.values_mut() {
            heard.at += pause;
        }
    }

    /// Whether a node that has not reached the database for some time should send its clients away: it alone cannot reach
    /// the database, as far as it can tell.
    #[must_use]
    pub fn are_better_off(&self, silence: Millis, now: Millis) -> bool {
        let ago = |at: Millis| now.saturating_sub(at);
        // After an outage of all nodes, the first one that reaches the database is not better off for long.
        let is_better_off =
            |heard: &Heard| ago(heard.reached) <= RECENTLY && ago(heard.since) > CUT_OFF;
        let may_reach =
            self.0.values().any(is_better_off) || (self.count() > 0 && self.are_all_silent(now));
        silence > CUT_OFF && may_reach
    }

    /// Whether some living node has been silent for longer than this.
    pub(super) fn is_one_silent(&self, now: Millis, long: Millis) -> bool {
        self.0.values().any(|heard| now.saturating_sub(heard.at) > long)
    }

    /// Whether no other node is heard.
    fn are_all_silent(&self, now: Millis) -> bool {
        self.0.values().all(|heard| now.saturating_sub(heard.at) > PARTITIONED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_others_count_by_ones_own_clock() {
        let mut others = Others::default();
        others.expect(&[2, 3], 1_000);
        assert_eq!(others.count(), 2);
        assert!(others.is_first(1) && !others.is_first(3));
        assert!(
            others.hear(3, 1_400, 1, 5_500),
            "it may have announced something before it was heard"
        );
        others.expect(&[3], 5_500);
        // A node that does not reach the database is not alive, although it is heard.
        assert!(!others.hear(4, RECENTLY + 1, 1, 5_500));
        assert_eq!(others.ids(), BTreeSet::from([3]));
        assert!(!others.hear(3, 1_400, 1, 5_500));
        assert!(others.hear(3, 1_400, 2, 5_500), "the node has reconnected");
        assert!(!others.is_one_silent(5_500 + POLL_AFTER, POLL_AFTER));
        assert!(others.is_one_silent(5_501 + POLL_AFTER, POLL_AFTER));
        assert!(!others.are_all_silent(5_500 + PARTITIONED));
        assert!(others.are_all_silent(5_501 + PARTITIONED));
    }

    /// Regression: a node that was stopped for a moment blamed the others for not being heard.
    #[test]
    fn nobody_is_silent_while_this_node_does_not_run() {
        let mut others = greeted(10_000, |_| true);
        others.note_pause(8_000);
        assert!(!others.is_one_silent(18_000 + POLL_AFTER, POLL_AFTER));
        assert!(others.is_one_silent(18_001 + POLL_AFTER, POLL_AFTER));
    }

    /// Returns the other nodes as of this time, if one greets every half second and can reach the database at some times.
    fn greeted(until: Millis, has_database: impl Fn(Millis) -> bool) -> Others {
        let mut others = Others::default();
        others.expect(&[2], 0);
        let mut reached = 0;
        for now in (0..=until).step_by(500) {
            reached = if has_database(now) { now } else { reached };
            others.hear(2, now - reached, 1, now);
        }
        others
    }

    #[test]
    fn a_node_is_cut_off_once_another_has_reached_the_database_all_the_time() {
        let better_off = |silence, now| greeted(now, |_| true).are_better_off(silence, now);
        assert!(!better_off(CUT_OFF, 20_000));
        assert!(better_off(CUT_OFF + 1, 20_000));
        assert!(!greeted(20_000, |at| at < 17_000).are_better_off(CUT_OFF + 1, 20_000));
        // Regression: at the end of an outage of all nodes, the first to recover made the others send their clients away.
        let after_outage = |now: Millis| {
            let others = greeted(now, |at| !(10_000..20_000).contains(&at));
            others.are_better_off(now - 10_000, now)
        };
        assert!(!after_outage(19_500) && !after_outage(20_000) && !after_outage(20_500));
        assert!(!after_outage(20_000 + CUT_OFF));
        assert!(after_outage(20_500 + CUT_OFF));
    }
}
