//! The simulated database: the log, the nodes' heartbeats, outages, and whether the guest has signed in.

use std::collections::BTreeMap;

use skirmish_room::{Alive, AppendError, Beat, GAP, Logged, Millis, NodeId, Outage};

use super::merging::rename;

/// Maximum age of a heartbeat that a node learns of.
const LISTED: Millis = 60_000;

/// The database.
#[derive(Default)]
pub(super) struct Database {
    pub(super) log: Vec<Logged>,
    /// The nodes' last heartbeats.
    rows: BTreeMap<NodeId, Millis>,
    /// The last heartbeat of any node, including those that have left.
    beat: Option<Millis>,
    pub(super) outages: Vec<Outage>,
    /// Whether the database is unreachable for everybody.
    pub(super) is_away: bool,
    /// Whether the guest has signed in.
    pub(super) is_merged: bool,
    /// When the operator ordered the room to be closed, and when it was.
    pub(super) order: Option<Millis>,
    pub(super) obeyed: Option<Millis>,
}

impl Database {
    /// Records a node's heartbeat. `is_only` means that the node knows it is alone.
    pub(super) fn beat(&mut self, node: NodeId, now: Millis, is_only: bool) -> Beat {
        let before = self.rows.get(&node).copied();
        let is_fresh = self.beat.is_some_and(|beat| now - beat <= GAP);
        let is_joined = before.is_none() && (is_only || !self.has_other(node, now));
        if let Some(began) = self.beat.filter(|_| !is_fresh || is_joined) {
            let id = self.outages.len() as u64 + 1;
            self.outages.push(Outage { id, began, ended: now });
        }
        self.rows.insert(node, now);
        self.beat = Some(now);
        self.rows.retain(|_, beat| now - *beat <= LISTED);
        let alive = |(id, beat): (&NodeId, &Millis)| {
            let (id, name, beat) = (*id, String::new(), *beat);
            Alive { id, name, beat }
        };
        let nodes = self.rows.iter().map(alive).collect();
        Beat { now, outage: self.outage(), before: before.unwrap_or(0), nodes }
    }

    /// Returns the newest outage.
    fn outage(&self) -> Outage {
        self.outages.last().copied().unwrap_or_default()
    }

    /// Records that a node has written heartbeats until now.
    pub(super) fn touch(&mut self, node: NodeId, now: Millis) {
        if let Some(beat) = self.rows.get_mut(&node) {
            (*beat, self.beat) = (now, Some(now));
        }
    }

    /// Whether another node is alive.
    pub(super) fn has_other(&self, node: NodeId, now: Millis) -> bool {
        self.rows.iter().any(|(other, beat)| *other != node && now - beat <= GAP)
    }

    /// Removes a node.
    pub(super) fn leave(&mut self, node: NodeId) {
        self.rows.remove(&node);
    }

    /// Appends events at the expected version, atomically.
    pub(super) fn append(
        &mut self,
        node: NodeId,
        now: Millis,
        (after, outage): (Option<u64>, Option<u64>),
        events: &[Logged],
    ) -> Result<Vec<Logged>, AppendError> {
        let is_fresh = self.rows.get(&node).is_some_and(|beat| now - beat <= GAP);
        if outage.is_some_and(|outage| outage != self.outage().id || !is_fresh) {
            return Err(AppendError::Stale);
        }
        let mut events = events.to_vec();
        if self.is_merged {
            events.iter_mut().for_each(rename);
        }
        let is_known = |by| self.log.iter().any(|logged| logged.by.as_ref() == Some(by));
        let is_next = after.is_none_or(|after| after == self.log.len() as u64);
        if !is_next || events.iter().filter_map(|logged| logged.by.as_ref()).any(is_known) {
            return Err(AppendError::Conflict);
        }
        self.log.extend(events.iter().cloned());
        Ok(events)
    }
}
