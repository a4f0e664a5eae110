//! Nodes that stop: the game is paused, the leases are released a little later, and then the process ends.

use skirmish_room::{DeskInput, Lease, Millis, NodeId};

use super::client::Client;
use super::node::{Letter, Role, Slot};
use super::sabotage::Sabotage;
use super::world::{Event, World};

/// How long a node waits until its games are paused; a busy one has next to no time left.
const LATEST: [Millis; 3] = [10, 500, 10_000];

/// How long after that it releases its leases.
const GAPS: [Millis; 4] = [20, 500, 3_000, 3_000];

/// How far a node is that stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopping {
    /// It pauses the game.
    Pausing,
    /// Nobody is served any more, and it still has the lease.
    Paused,
    Released,
}

impl World {
    /// The node is told to stop. It pauses the game first, if it owns the room.
    pub(super) fn stop(&mut self, slot: Slot) {
        if !self.is_up(slot) || self.nodes[slot].stopping.is_some() {
            return;
        }
        self.tell(|| format!("node {slot} stops"));
        self.nodes[slot].stopping = Some(Stopping::Pausing);
        if !self.is_alone() {
            let latest = self.random.pick(&LATEST);
            self.after(latest, Event::Release(slot, self.nodes[slot].id));
        }
        self.nodes[slot].mailbox.push_back(Letter::Input(DeskInput::Stop));
        self.pump(slot);
    }

    /// The game is paused, if it could be.
    pub(super) fn paused(&mut self, slot: Slot) {
        if self.is_alone() {
            if self.judge.is_running() {
                self.check(Err("the server stops, and the clocks run on".to_owned()));
            }
            return self.kill(slot);
        }
        self.serve_no_more(slot);
        let is_here = |client: &Client| {
            client.connection.is_some_and(|connection| self.slot_at(connection) == Some(slot))
        };
        let here: Vec<usize> =
            (0..self.clients.len()).filter(|&client| is_here(&self.clients[client])).collect();
        for client in here {
            if self.random.percent(50) {
                self.send_again(client);
            }
        }
        let gap = self.random.pick(&GAPS);
        self.after(gap, Event::Release(slot, self.nodes[slot].id));
    }

    /// From here on the node answers that it is not the owner.
    pub(super) fn serve_no_more(&mut self, slot: Slot) {
        let node = &mut self.nodes[slot];
        (node.stopping, node.role) = (Some(Stopping::Paused), Role::Idle);
        (node.busy, node.thinking, node.due, node.rung) = (None, None, None, None);
        node.mailbox.clear();
        self.note_seen(slot);
    }

    /// The node releases its lease, whether or not the game is paused, and ends after a while.
    pub(super) fn release(&mut self, slot: Slot, node: NodeId) {
        if self.nodes[slot].id != node || !self.is_up(slot) {
            return;
        }
        if self.nodes[slot].stopping == Some(Stopping::Released) || self.database.is_away {
            return self.kill(slot);
        }
        self.nodes[slot].stopping = Some(Stopping::Released);
        if let Some(lease) = self.valid_lease(slot) {
            self.judge.tally.count("lease released");
            if self.judge.is_running() {
                self.judge.tally.count("game not paused in time");
            }
            self.tell(|| format!("node {slot} releases the lease"));
            self.let_go(lease);
        }
        let after = 1 + self.random.below(500);
        self.after(after, Event::Release(slot, node));
    }

    /// A lease is released. If clocks run, everybody knows since when they stand still.
    pub(super) fn let_go(&mut self, lease: Lease) {
        let is_running = self.judge.is_running();
        let notes = is_running && self.sabotage != Some(Sabotage::ForgetUnpaused);
        self.database.release(lease, notes, self.now);
        if is_running {
            self.database.idle.get_or_insert(self.now);
            self.database.is_left = true;
        }
        self.adopt_later();
    }
}
