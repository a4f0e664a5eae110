//! The simulated database: the log, the nodes' heartbeats, outages, and who has signed in.

use std::collections::BTreeMap;

use skirmish_room::{AppendError, Logged, Millis, NodeId, Outage, Silence};

use super::merging::rename;

/// How long a heartbeat counts.
pub(super) const GAP: Millis = 3_000;

/// How long a silence is told after it is over, and how long a node that has died is known.
const LATELY: Millis = 30_000;

/// What a node has written about itself.
#[derive(Clone, Copy, Debug)]
struct Row {
    beat: Millis,
    /// The last time in which it wrote nothing for longer than [`GAP`].
    gap: Option<(Millis, Millis)>,
}

/// What a node learns with a heartbeat.
pub(super) struct View {
    pub(super) is_alone: bool,
    pub(super) outage: Outage,
    pub(super) silent: Vec<Silence>,
    /// The other nodes whose heartbeat is fresh.
    pub(super) fresh: Vec<NodeId>,
}

/// The database.
#[derive(Default)]
pub(super) struct Database {
    pub(super) log: Vec<Logged>,
    rows: BTreeMap<NodeId, Row>,
    /// The last heartbeat of any node, also of those that have left.
    beat: Option<Millis>,
    pub(super) outage: Outage,
    /// Whether nobody can reach it.
    pub(super) is_away: bool,
    /// Whether the guest has signed in.
    pub(super) is_merged: bool,
    /// Since when the operator wants the room to be closed, and when it was.
    pub(super) order: Option<Millis>,
    pub(super) obeyed: Option<Millis>,
}

impl Database {
    /// A node writes a heartbeat, its first one perhaps. `is_only` says that it knows to be the only one.
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

    /// A node has written heartbeats until now.
    pub(super) fn touch(&mut self, node: NodeId, now: Millis) {
        if let Some(row) = self.rows.get_mut(&node) {
            (row.beat, self.beat) = (now, Some(now));
        }
    }

    /// Whether another node than this one is alive.
    pub(super) fn has_other(&self, node: NodeId, now: Millis) -> bool {
        self.rows.iter().any(|(other, row)| *other != node && now - row.beat <= GAP)
    }

    /// A node leaves.
    pub(super) fn leave(&mut self, node: NodeId) {
        self.rows.remove(&node);
    }

    /// Appends events at the expected version, all or none.
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
