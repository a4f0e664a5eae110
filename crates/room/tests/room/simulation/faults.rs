//! Faults of nodes, database and bus, and orders of the operator.

use skirmish_room::{BEAT, GAP, HostEvent, HostInput, Millis, NodeId};

use super::ensure;
use super::node::{Mail, Node, Slot};
use super::sabotage::Sabotage;
use super::world::{Event, World};

/// How often nodes check for orders of the operator.
const INTERVAL: Millis = 2_000;

/// How soon the room must be closed after the order, without faults.
const PROMPT: Millis = 20_000;

impl World {
    /// Records a change in the nodes or the database.
    fn disturb(&mut self) {
        (self.changed, self.disturbed, self.truth.disturbed) = (self.now, self.now, self.now);
        self.note_truth();
    }

    /// Starts a node.
    pub(super) fn start(&mut self, slot: Slot) {
        if self.nodes[slot].is_up {
            return;
        }
        self.truth.processes += 1;
        let id = self.truth.processes;
        let (behind, is_cut) = (self.nodes[slot].behind, self.nodes[slot].is_cut);
        self.nodes[slot] = Node { is_cut, is_up: true, ..Node::new(id, behind) };
        self.nodes[slot].cluster.reached = self.node_now(slot);
        self.tell(|| format!("node {slot} starts as process {id}"));
        self.beat(slot, id);
        self.look_when_due(slot);
        self.obey_later(slot);
        self.disturb();
    }

    fn start_later(&mut self, slot: Slot) {
        let away = self.random.pick(&[100, 2_000, 10_000, 60_000]);
        self.after(away, Event::Start(slot));
    }

    /// Closes all connections of a node, including those whose clients silently disappeared. The clients reconnect.
    pub(super) fn disconnect(&mut self, slot: Slot, latest: Millis) {
        let process = self.nodes[slot].id;
        for number in 0..self.connections.len() {
            let connection = &self.connections[number];
            if connection.process == process && connection.slot == slot {
                let (id, is_dead) = (connection.id, connection.is_dead);
                let notices = self.random.below(latest);
                if is_dead {
                    self.after(0, Event::ServerNotices(id));
                } else {
                    self.sever(id, notices, 0);
                }
            }
        }
    }

    /// Kills a process: everything not durable is lost, and its connections break.
    pub(super) fn kill(&mut self, slot: Slot) {
        if !self.nodes[slot].is_up {
            return;
        }
        self.tell(|| format!("node {slot} is killed"));
        self.judge.tally.count("kill");
        if self.nodes[slot].is_busy {
            self.judge.tally.count("kill while the database is asked");
        }
        self.touch(slot);
        self.note_stuck(slot);
        self.end(slot, 3_000);
    }

    fn end(&mut self, slot: Slot, latest: Millis) {
        self.disconnect(slot, latest);
        let Node { id, behind, is_cut, .. } = self.nodes[slot];
        self.nodes[slot] = Node { is_cut, ..Node::new(id, behind) };
        self.disturb();
        self.start_later(slot);
    }

    /// May kill a node between a statement and its answer.
    pub(super) fn kill_now(&mut self, slot: Slot) -> bool {
        let dies = self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(1);
        if dies {
            self.judge.tally.count("kill after the statement was carried out");
            self.kill(slot);
        }
        dies
    }

    /// Hangs a process for a while. Clients leave it if unanswered for too long.
    pub(super) fn hang(&mut self, slot: Slot) {
        if !self.nodes[slot].is_up || self.nodes[slot].is_hung {
            return;
        }
        let lasts = self.random.pick(&[500, 2_000, 5_000, 15_000, 15_000]);
        self.tell(|| format!("node {slot} hangs for {lasts} ms"));
        self.judge.tally.count("node hangs");
        self.touch(slot);
        self.note_stuck(slot);
        (self.nodes[slot].is_hung, self.nodes[slot].is_silent) = (true, true);
        self.disturb();
        self.after(lasts, Event::Wakes(slot, self.nodes[slot].id));
        let connections: Vec<u64> =
            self.clients.iter().filter_map(|client| client.connection).collect();
        for connection in connections {
            if self.slot_at(connection) == Some(slot) {
                self.leave_later(connection);
            }
        }
    }

    pub(super) fn unhang(&mut self, slot: Slot, process: NodeId) {
        if self.nodes[slot].id != process || !self.nodes[slot].is_hung {
            return;
        }
        self.tell(|| format!("node {slot} goes on"));
        self.nodes[slot].is_hung = false;
        self.beat_now(slot);
        let waiting = std::mem::take(&mut self.nodes[slot].mailbox);
        for mail in waiting {
            // A node that does not read announcements loses them.
            let is_announced = matches!(mail, Mail::Event(HostEvent::Announced(_)));
            if is_announced && self.random.percent(50) {
                continue;
            }
            if !matches!(mail, Mail::Event(HostEvent::Input(_) | HostEvent::Announced(_))) {
                self.nodes[slot].is_busy = false;
            }
            self.reach(slot, process, mail);
        }
        self.disturb();
    }

    /// Cuts a node off from the database, the bus, or both.
    pub(super) fn cut(&mut self, slot: Slot) {
        if self.nodes[slot].is_cut != [false; 2] {
            return;
        }
        let mut is_cut = self.random.pick(&[[true, false], [false, true], [true, true]]);
        let mut lasts = self.random.pick(&[500, 5_000, 15_000, 40_000]);
        if self.scenario.cluster.is_thoughtful && self.random.percent(50) {
            (is_cut, lasts) = ([false, true], 200_000);
        }
        self.tell(|| format!("node {slot} is cut off for {lasts} ms: {is_cut:?}"));
        self.judge.tally.count(match is_cut {
            [true, false] => "node cut off from the database",
            [false, _] => "node cut off from the bus",
            _ => "node cut off from both",
        });
        self.touch(slot);
        if is_cut[0] {
            self.note_stuck(slot);
            self.nodes[slot].is_silent = true;
        }
        if is_cut[1] {
            self.truth.bus_failed = Some(self.now);
        }
        self.nodes[slot].is_cut = is_cut;
        self.disturb();
        self.after(lasts, Event::Heal(slot));
    }

    pub(super) fn heal(&mut self, slot: Slot) {
        self.tell(|| format!("node {slot} is not cut off any more"));
        if self.nodes[slot].is_cut[1] {
            self.truth.bus_failed = Some(self.now);
        }
        self.nodes[slot].is_cut = [false; 2];
        self.beat_soon(slot);
        self.disturb();
    }

    /// Makes a lone node write a heartbeat soon; it does so only after changes.
    fn beat_soon(&mut self, slot: Slot) {
        if self.scenario.cluster.nodes == 1 && self.nodes[slot].is_up {
            let after = 1 + self.random.below(BEAT);
            self.after(after, Event::Beat(slot, self.nodes[slot].id));
        }
    }

    /// Makes the database unreachable for all nodes.
    pub(super) fn outage(&mut self) {
        if self.database.is_away {
            return;
        }
        let lasts = self.random.pick(&[300, 3_000, 15_000, 40_000]);
        self.tell(|| format!("the database is away for {lasts} ms"));
        self.judge.tally.count("database away");
        (0..self.nodes.len()).for_each(|slot| self.touch(slot));
        self.database.is_away = true;
        self.nodes.iter_mut().for_each(|node| node.is_silent = true);
        if self.nodes.len() == 1 {
            // A lone node notices it when its heartbeats fail.
            self.after(GAP + BEAT, Event::Beat(0, self.nodes[0].id));
        }
        self.disturb();
        self.after(lasts, Event::Back);
    }

    pub(super) fn back(&mut self) {
        self.tell(|| "the database is back".to_owned());
        self.database.is_away = false;
        (0..self.nodes.len()).for_each(|slot| self.beat_soon(slot));
        self.disturb();
    }

    /// Adjusts the node's clock by up to a second.
    pub(super) fn set_clock(&mut self, slot: Slot) {
        self.nodes[slot].behind = self.random.below(self.scenario.cluster.skew + 1);
        self.judge.tally.count("clock set");
    }

    /// Whether no other node is alive.
    pub(super) fn is_last(&self, slot: Slot) -> bool {
        !self.database.has_other(self.nodes[slot].id, self.now)
    }

    /// Tells a node to stop: its clients move elsewhere, and the last node pauses the game.
    pub(super) fn stop(&mut self, slot: Slot) {
        if !self.nodes[slot].is_up || self.nodes[slot].is_stopping {
            return;
        }
        self.touch(slot);
        let process = self.nodes[slot].id;
        let is_last = self.is_last(slot);
        self.tell(|| format!("node {slot} stops; it is the last: {is_last}"));
        self.judge.tally.count(if is_last { "last node stopped" } else { "node drained" });
        self.truth.note_incident(self.now);
        let input = if is_last { HostInput::Pause } else { HostInput::Drain };
        self.reach(slot, process, Mail::Event(HostEvent::Input(input)));
        self.nodes[slot].is_stopping = true;
        self.disconnect_soon(slot);
    }

    fn disconnect_soon(&mut self, slot: Slot) {
        let process = self.nodes[slot].id;
        self.after(50, Event::Stops(slot, process, 0));
    }

    /// Ends a stopping node once no request waits for the database, or after a while.
    pub(super) fn stops(&mut self, slot: Slot, process: NodeId, times: u8) {
        if self.nodes[slot].id != process || !self.nodes[slot].is_up {
            return;
        }
        if times < 10 && !self.nodes[slot].is_quiet() {
            return self.after(200, Event::Stops(slot, process, times + 1));
        }
        self.touch(slot);
        self.truth.note_incident(self.now);
        if !self.database.is_away && self.nodes[slot].serves() {
            self.database.leave(process);
        }
        self.tell(|| format!("node {slot} ends"));
        self.end(slot, 100);
    }

    /// Lets the operator order the game closed.
    pub(super) fn order(&mut self) {
        if self.database.is_away || self.database.order.is_some() || self.judge.is_finished() {
            return;
        }
        self.tell(|| "the operator closes the game".to_owned());
        self.judge.tally.count("game to be closed");
        self.database.order = Some(self.now);
        for slot in 0..self.nodes.len() {
            self.obey_later(slot);
        }
    }

    /// May order a match closed between two of its games.
    pub(super) fn order_between_games(&mut self) {
        let is_between = self.judge.is_between_games();
        if is_between && self.scenario.faults.closes > 0 && self.random.percent(50) {
            self.order();
        }
    }

    /// Makes a node check for orders soon, if there is one.
    fn obey_later(&mut self, slot: Slot) {
        if self.database.order.is_some() && self.nodes[slot].is_up {
            let after = 1 + self.random.below(INTERVAL);
            self.after(after, Event::Obey(slot, self.nodes[slot].id));
        }
    }

    /// Lets a node check for orders.
    pub(super) fn obey(&mut self, slot: Slot, node: NodeId) {
        if self.nodes[slot].id != node || !self.nodes[slot].is_up || self.database.order.is_none() {
            return;
        }
        if !self.database.is_away && self.nodes[slot].serves() {
            if self.judge.is_finished() {
                (self.database.order, self.database.obeyed) = (None, Some(self.now));
            } else if self.sabotage != Some(Sabotage::NeverObey) {
                self.reach(slot, node, Mail::Event(HostEvent::Input(HostInput::Shut)));
            }
        }
        self.obey_later(slot);
    }

    /// Whether the operator has ordered the game closed. A node that received the order just before the room was over
    /// closes it when possible, or closes an immediate rematch.
    pub(super) fn is_ordered(&self) -> bool {
        let is_recent = |at: Millis| self.now - at.max(self.disturbed) <= PROMPT;
        self.database.order.is_some() || self.database.obeyed.is_some_and(is_recent)
    }

    /// Checks that orders are carried out promptly.
    pub(super) fn check_order(&mut self) {
        let is_served = self.nodes.iter().any(Node::serves) && !self.database.is_away;
        if let Some(since) = self.database.order.filter(|_| is_served && !self.judge.is_finished())
        {
            let since = since.max(self.disturbed);
            self.check(ensure(self.now - since <= PROMPT, || {
                format!("nobody has closed the game as the operator asked, since {since}")
            }));
        }
    }
}
