//! The simulated database: the log, the nodes' heartbeats, outages, and whether the guest has signed in.

use std::collections::BTreeMap;

use skirmish_room::{AppendError, Logged, Millis, NodeId, Outage, Silence};

use super::merging::rename;

/// How long a heartbeat stays valid.
pub(super) const GAP: Millis = 3_000;

/// How long an ended silence is still reported, and a dead node remembered.
const LATELY: Millis = 30_000;

/// A node's row in the database.
#[derive(Clone, Copy, Debug)]
struct Row {
    beat: Millis,
    /// The last period without a heartbeat that lasted longer than [`GAP`].
    gap: Option<(Millis, Millis)>,
}

/// The view that a node receives with a heartbeat.
pub(super) struct View {
    pub(super) is_alone: bool,
    pub(super) outage: Outage,
    pub(super) silent: Vec<Silence>,
    /// The other nodes with fresh heartbeats.
    pub(super) fresh: Vec<NodeId>,
}

/// The database.
#[derive(Default)]
pub(super) struct Database {
    pub(super) log: Vec<Logged>,
    rows: BTreeMap<NodeId, Row>,
    /// The last heartbeat of any node, including those that have left.
    beat: Option<Millis>,
    pub(super) outage: Outage,
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
    pub(super) fn beat(&mut self, node: NodeId, now: Millis, is_only: bool) -> View {
        let own = self.rows.get(&node).copied();
        let is_fresh = self.beat.is_some_and(|beat| now - beat <= GAP);
        let others = self.rows.iter().filter(|(other, _)| **other != node);
        let is_joined =
            own.is_none() && (is_only || !others.clone().any(|(_, row)| now - row.beat <= GAP));
        if let Some(began) = self.beat.filter(|_| !is_fresh || is_joined) {
            self.outage = Outage { id: self.outage.id + 1, began, ended: now };
        }
        let gap_of = |row: Row| {
            if now - row.beat > GAP { Some((row.beat, now)) } else { row.gap }
        };
        let gap = own.and_then(gap_of);
        self.rows.insert(node, Row { beat: now, gap });
        self.beat = Some(now);
        self.rows.retain(|_, row| now - row.beat <= 2 * LATELY);
        let silence = |(node, row): (&NodeId, &Row)| {
            let is_over = row.gap.filter(|(_, until)| now - until <= LATELY);
            let is_silent = now - row.beat > GAP;
            match (is_silent, is_over) {
                (true, _) => Some(Silence { since: row.beat, until: None, node: *node }),
                (false, Some((since, until))) => {
                    Some(Silence { since, until: Some(until), node: *node })
                }
                (false, None) => None,
            }
        };
        let other = |(other, row): (&NodeId, &Row)| {
            (*other != node && now - row.beat <= GAP).then_some(*other)
        };
        View {
            is_alone: is_only || self.rows.len() == 1,
            outage: self.outage,
            silent: self.rows.iter().filter_map(silence).collect(),
            fresh: self.rows.iter().filter_map(other).collect(),
        }
    }

    /// Records that a node has written heartbeats until now.
    pub(super) fn touch(&mut self, node: NodeId, now: Millis) {
        if let Some(row) = self.rows.get_mut(&node) {
            (row.beat, self.beat) = (now, Some(now));
        }
    }

    /// Whether another node is alive.
    pub(super) fn has_other(&self, node: NodeId, now: Millis) -> bool {
        self.rows.iter().any(|(other, row)| *other != node && now - row.beat <= GAP)
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
        let is_fresh = self.rows.get(&node).is_some_and(|row| now - row.beat <= GAP);
        if outage.is_some_and(|outage| outage != self.outage.id || !is_fresh) {
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
