//! The simulated database: the log, the room's lease, when nodes were last known to be alive, and outages.

use std::collections::BTreeMap;

use skirmish_room::{Acquired, BEAT, Held, LEASE, Lease, Logged, Millis, NodeId, Stopped};

/// What comes of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Append {
    Done,
    /// The lease is somebody else's, or the log has gone on.
    Fenced,
    Away,
}

/// When a node ran.
#[derive(Clone, Copy, Debug)]
struct Life {
    /// From when it notes that it is alive.
    from: Millis,
    /// The last note, once it is dead or the database away.
    last: Millis,
    is_dead: bool,
    /// Whether it has found the database away, and waits until its rooms have been resumed.
    is_silent: bool,
}

/// The database. It has the only clock that is right.
#[derive(Default)]
pub(super) struct Database {
    pub(super) durable: Vec<Logged>,
    held: Option<Held>,
    lives: BTreeMap<NodeId, Life>,
    pub(super) is_away: bool,
    /// Whether the guest has signed in.
    pub(super) is_merged: bool,
    /// Since when the operator wants the game to be closed.
    pub(super) order: Option<Millis>,
    /// For the judge: when that was last done.
    pub(super) obeyed: Option<Millis>,
    went: Millis,
    /// For the judge: since when nobody could append to the log, and nobody has.
    pub(super) idle: Option<Millis>,
    /// For the judge: when the last owner was known to be alive, if the lease was taken from it and nothing has been appended
    /// since.
    pub(super) taken: Option<Millis>,
    /// For the judge: the last owner has released a game that was not paused, and everybody knows since when.
    pub(super) is_left: bool,
}

impl Database {
    pub(super) fn join(&mut self, node: NodeId, now: Millis) {
        self.lives.insert(node, Life { from: now, last: now, is_dead: false, is_silent: false });
    }

    /// When a node last noted that it is alive.
    pub(super) fn beat(&self, node: NodeId, now: Millis) -> Millis {
        match self.lives.get(&node) {
            Some(life) if life.is_dead || life.is_silent || self.is_away => life.last,
            Some(life) => life.from + (now - life.from) / BEAT * BEAT,
            None => 0,
        }
    }

    /// Whether the database is away, and all nodes know it by now.
    pub(super) fn is_missed(&self, now: Millis) -> bool {
        self.is_away && now > self.went + BEAT
    }

    pub(super) fn is_living(&self, node: NodeId) -> bool {
        self.lives.get(&node).is_some_and(|life| !life.is_dead)
    }

    /// A node dies.
    pub(super) fn bury(&mut self, node: NodeId, now: Millis) {
        let last = self.beat(node, now);
        if let Some(life) = self.lives.get_mut(&node) {
            (life.last, life.is_dead) = (last, true);
        }
        if self.owner() == Some(node) {
            self.idle.get_or_insert(now);
        }
    }

    /// The database is away, or back.
    pub(super) fn set_away(&mut self, is_away: bool, now: Millis) {
        let nodes: Vec<NodeId> = self.lives.keys().copied().collect();
        for node in nodes {
            let last = self.beat(node, now);
            if let Some(life) = self.lives.get_mut(&node).filter(|life| !life.is_dead) {
                (life.from, life.last) = (now, last);
            }
        }
        self.is_away = is_away;
        if is_away {
            self.went = now;
            self.idle.get_or_insert(now);
        }
    }

    /// For the judge: the owner has not noticed that the database was away.
    pub(super) fn excuse(&mut self) {
        self.idle = self.idle.filter(|&since| since != self.went);
    }

    /// A node that has found the database away does not say that it is alive, until its rooms have been resumed: else it
    /// might die before that, and nobody would know for how long they had not been served.
    pub(super) fn silence(&mut self, node: NodeId) {
        if let Some(life) = self.lives.get_mut(&node) {
            life.is_silent = true;
        }
    }

    /// The rooms of a node have been resumed.
    pub(super) fn recover(&mut self, node: NodeId, now: Millis) {
        if let Some(life) = self.lives.get_mut(&node).filter(|life| life.is_silent && !life.is_dead)
        {
            (life.is_silent, life.from) = (false, now);
        }
    }

    /// The room's lease, with its owner's last note.
    pub(super) fn held(&self, now: Millis) -> Option<Held> {
        let held = self.held?;
        let beat = held.node.map_or(0, |node| self.beat(node, now));
        Some(Held { beat, ..held })
    }

    pub(super) fn owner(&self) -> Option<NodeId> {
        self.held?.node
    }

    /// The lease of the owner.
    pub(super) fn lease(&self) -> Option<Lease> {
        let Held { node, epoch, .. } = self.held?;
        node.map(|node| Lease { node, epoch })
    }

    pub(super) fn is_held_by(&self, lease: Lease) -> bool {
        self.held.is_some_and(|held| held.node == Some(lease.node) && held.epoch == lease.epoch)
    }

    /// Whether the room has no living owner.
    pub(super) fn is_orphaned(&self, now: Millis) -> bool {
        self.held(now)
            .is_none_or(|held| held.node.is_none() || now.saturating_sub(held.beat) > LEASE)
    }

    pub(super) fn acquire(&mut self, node: NodeId, force: bool, now: Millis) -> Acquired {
        let v = self.durable.len() as u64;
        let acquired = skirmish_room::acquire(self.held(now), node, force, v, now);
        if let Acquired::Mine { lease: Lease { node, epoch }, stopped, .. } = acquired {
            self.held = Some(Held { node: Some(node), epoch, beat: 0, stopped });
        }
        acquired
    }

    /// For the sabotage.
    pub(super) fn forget_stopped(&mut self) {
        if let Some(held) = &mut self.held {
            held.stopped = None;
        }
    }

    /// Releases the lease, if the node has it. A game that could not be paused stands still.
    pub(super) fn release(&mut self, lease: Lease, is_running: bool, now: Millis) {
        let v = self.durable.len() as u64;
        if let Some(mut held) = self.held(now).filter(|_| self.is_held_by(lease)) {
            if is_running {
                let until = skirmish_room::released(held.beat, now);
                let valid = held.stopped.filter(|stopped| stopped.v == v);
                held.stopped = Some(valid.unwrap_or(Stopped { until, v }));
            }
            held.node = None;
            self.held = Some(held);
        }
    }

    /// What an append would come to. Lease and version are checked in one transaction with it.
    pub(super) fn check(&self, lease: Option<Lease>, is_fenced: bool, after: u64) -> Append {
        if self.is_away {
            Append::Away
        } else if after != self.durable.len() as u64
            || lease.is_some_and(|lease| is_fenced && !self.is_held_by(lease))
        {
            Append::Fenced
        } else {
            Append::Done
        }
    }
}
