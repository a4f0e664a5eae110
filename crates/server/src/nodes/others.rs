//! What a node hears of the others, and what that says about its own line to the database.

use std::collections::HashMap;
use std::sync::Mutex;

use skirmish_room::{BEAT, Millis, NodeId};

use crate::lock::lock;

/// After how long a node that is alive should have been heard.
const SILENCE: Millis = 3 * BEAT;

/// The other nodes that are alive.
#[derive(Default)]
pub(crate) struct Others(Mutex<HashMap<NodeId, Heard>>);

/// What was heard of a node.
#[derive(Clone, Copy)]
struct Heard {
    /// When it was last heard, or first expected.
    at: Millis,
    /// When it last reached the database, by the clock of the node that hears it.
    reached: Option<Millis>,
}

impl Others {
    /// These nodes are alive, and no others.
    pub(super) fn expect(&self, living: Vec<NodeId>, now: Millis) {
        let mut heard = lock(&self.0);
        heard.retain(|node, _| living.contains(node));
        for node in living {
            heard.entry(node).or_insert(Heard { at: now, reached: None });
        }
    }

    /// How many others are alive.
    pub(crate) fn count(&self) -> usize {
        lock(&self.0).len()
    }

    /// A node was heard. It said how long ago it had reached the database, unless its version of the program does not.
    pub(super) fn hear(&self, node: NodeId, ago: Option<Millis>, now: Millis) {
        let reached = ago.map(|ago| now.saturating_sub(ago));
        lock(&self.0).insert(node, Heard { at: now, reached });
    }

    /// Whether this node has not been heard for long, although it is alive: asking it would only take time.
    pub(crate) fn is_silent(&self, node: NodeId, now: Millis) -> bool {
        lock(&self.0).get(&node).is_some_and(|heard| now.saturating_sub(heard.at) > SILENCE)
    }

    /// Whether a node that is alive has not been heard for long.
    pub(super) fn is_one_silent(&self, now: Millis) -> bool {
        lock(&self.0).values().any(|heard| now.saturating_sub(heard.at) > SILENCE)
    }

    /// When one of them last reached the database.
    pub(super) fn reached(&self) -> Option<Millis> {
        lock(&self.0).values().filter_map(|heard| heard.reached).max()
    }
}

/// Finds out whether the database is away for all nodes, or only this node's connection to it is broken.
#[derive(Default)]
pub(super) struct OwnLine {
    /// When the first attempt began that has failed since the database was last reached.
    failed: Option<Millis>,
    /// Since when others reach it, after that.
    elsewhere: Option<Millis>,
}

impl OwnLine {
    /// The database was reached.
    pub(super) fn works(&mut self) {
        *self = Self::default();
    }

    /// An attempt to reach the database has failed that began at `asked`; another node last reached it at `elsewhere`.
    /// Returns whether others have reached it for longer than a heartbeat in which this node could not: they notice an outage
    /// of the database, and its end, somewhat sooner or later than this one.
    pub(super) fn fails(&mut self, asked: Millis, elsewhere: Option<Millis>) -> bool {
        let failed = *self.failed.get_or_insert(asked);
        let last =
            elsewhere.filter(|&at| at > failed + BEAT && asked.saturating_sub(at) <= SILENCE);
        self.elsewhere = last.and(self.elsewhere.or(last));
        last.zip(self.elsewhere).is_some_and(|(last, first)| last.min(asked) > first + BEAT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a node takes its own line for cut at each of its attempts, one every heartbeat; another node reaches the
    /// database at these times.
    fn cut(attempts: u64, reaches: impl Fn(Millis) -> bool) -> Vec<bool> {
        let mut line = OwnLine::default();
        (0..attempts)
            .map(|number| {
                let asked = 10_000 + number * BEAT;
                let elsewhere = (0..=asked).rev().step_by(100).find(|&at| reaches(at));
                line.fails(asked, elsewhere)
            })
            .collect()
    }

    #[test]
    fn a_node_is_cut_off_if_another_reaches_the_database_all_the_time() {
        assert_eq!(cut(6, |_| true), [false, false, false, false, true, true]);
    }

    #[test]
    fn a_node_is_not_cut_off_if_the_database_is_away_for_all() {
        // The other one has noticed it a heartbeat later.
        assert_eq!(cut(30, |at| at < 10_000 + BEAT), [false; 30]);
        assert_eq!(cut(30, |_| false), [false; 30]);
    }

    #[test]
    fn a_node_is_not_cut_off_if_another_one_notices_first_that_the_database_is_back() {
        let back = 10_000 + 10 * BEAT - 100;
        assert_eq!(cut(11, |at| at < 10_000 || at >= back), [false; 11]);
        let mut line = OwnLine::default();
        assert!(!line.fails(0, Some(0)));
        assert!(!line.fails(5 * BEAT, Some(5 * BEAT)));
        line.works();
        assert!(!line.fails(8 * BEAT, Some(8 * BEAT)), "this is another outage");
    }

    #[test]
    fn a_node_is_not_cut_off_if_others_reach_the_database_for_a_moment() {
        // The other one notices the outage later, or reaches the database once.
        assert_eq!(cut(30, |at| at < 10_000 + 3 * BEAT / 2), [false; 30]);
        let moment = 10_000 + 5 * BEAT;
        assert_eq!(cut(30, |at| (moment..moment + 500).contains(&at)), [false; 30]);
        // And again when it is back for all.
        let back = moment + 10 * BEAT;
        assert_eq!(cut(16, |at| (moment..moment + 500).contains(&at) || at >= back), [false; 16]);
    }

    #[test]
    fn a_node_is_not_cut_off_any_more_if_nobody_reaches_the_database() {
        let cut = cut(20, |at| at < 10_000 + 10 * BEAT);
        assert!(cut[10] && !cut[19], "{cut:?}");
    }

    #[test]
    fn the_times_of_others_count_by_ones_own_clock() {
        let others = Others::default();
        others.expect(vec![2, 3], 1_000);
        assert_eq!((others.count(), others.reached()), (2, None));
        others.hear(2, None, 5_000);
        others.hear(3, Some(1_400), 5_500);
        others.hear(4, Some(400), 5_000);
        assert_eq!((others.count(), others.reached()), (3, Some(4_600)));
        others.expect(vec![3], 5_500);
        assert_eq!((others.count(), others.reached()), (1, Some(4_100)));
        assert!(!others.is_silent(3, 5_500 + SILENCE) && others.is_silent(3, 5_501 + SILENCE));
        assert!(others.is_one_silent(5_501 + SILENCE));
    }
}
