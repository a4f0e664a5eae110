//! The simulated bus between nodes: what is sent may be lost, late or doubled, and nodes can be cut off.

use serde::Serialize;
use serde::de::DeserializeOwned;
use skirmish_room::{Bell, Forward, Lease, Millis, NodeId, Reply, Report};

use super::node::{Letter, Role, Slot};
use super::world::{Event, World};

/// How long a node waits for an answer.
const PATIENCE: Millis = 1_000;

/// How long a node must not have been heard before the others note it.
const SILENCE: Millis = 6_000;

/// Who waits for an answer, and from whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asker {
    pub(super) slot: Slot,
    pub(super) node: NodeId,
    pub(super) ticket: u64,
    /// The lease of the owner that is asked.
    pub(super) lease: Lease,
}

/// What nodes send each other.
#[derive(Clone, Debug)]
pub(super) enum Message {
    Bell(Bell),
    Ask(Asker, Forward),
    Report(Asker, Report),
    Answer(u64, Reply),
}

impl Message {
    /// As it is when it has been sent as JSON.
    fn sent(self) -> Self {
        match self {
            Self::Bell(bell) => Self::Bell(as_json(&bell)),
            Self::Ask(asker, forward) => Self::Ask(asker, as_json(&forward)),
            Self::Report(asker, report) => Self::Report(asker, as_json(&report)),
            Self::Answer(ticket, reply) => Self::Answer(ticket, as_json(&reply)),
        }
    }
}

fn as_json<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("it can be written");
    serde_json::from_str(&text).expect("it can be read")
}

/// The bus.
#[derive(Default)]
pub(super) struct Bus {
    /// Since when each place is cut off.
    pub(super) cut: Vec<Option<Millis>>,
    pub(super) tickets: u64,
}

impl World {
    /// Since when two places do not reach each other.
    fn severed(&self, one: Slot, two: Slot) -> Option<Millis> {
        [self.bus.cut[one], self.bus.cut[two]].into_iter().flatten().min()
    }

    /// Whether a living node has not been heard for a while.
    pub(super) fn is_deaf(&self, slot: Slot) -> bool {
        let others = (0..self.nodes.len()).filter(|&other| other != slot && self.is_up(other));
        let silent =
            |other: Slot| self.severed(slot, other).is_some_and(|since| self.now - since > SILENCE);
        others.into_iter().any(silent)
    }

    /// Sends a message to a node, if it is the one that the sender means.
    fn send_to(&mut self, from: Slot, to: Slot, node: NodeId, message: Message) {
        let faults = self.scenario.cluster.unwrap_or_default();
        let is_calm = self.is_finale;
        let longest = match message {
            // Long enough for the lease to go away and come back.
            Message::Ask(..) => 30_000,
            Message::Bell(_) | Message::Report(..) | Message::Answer(..) => 4_000,
        };
        let late = if !is_calm && self.random.percent(faults.late) { longest } else { 20 };
        let delay = 1 + self.random.below(late);
        let is_lost = !is_calm && self.random.percent(faults.loss);
        let is_doubled = !is_calm && self.random.percent(faults.doubled);
        if self.severed(from, to).is_some() || is_lost {
            return self.judge.tally.count("node message lost");
        }
        let message = message.sent();
        if late > 20 {
            self.judge.tally.count("node message late");
        }
        if is_doubled {
            self.judge.tally.count("node message doubled");
            let again = 1 + self.random.below(2_000);
            self.after(again, Event::Arrive(to, node, message.clone()));
        }
        self.after(delay, Event::Arrive(to, node, message));
    }

    fn slot_of(&self, node: NodeId) -> Option<Slot> {
        (0..self.nodes.len()).find(|&slot| self.nodes[slot].id == node && self.is_up(slot))
    }

    /// Asks the owner for what is forwarded of an input.
    pub(super) fn ask(&mut self, slot: Slot, owner: Lease, forward: Forward) -> u64 {
        self.bus.tickets += 1;
        let ticket = self.bus.tickets;
        let asker = Asker { slot, node: self.nodes[slot].id, ticket, lease: owner };
        self.judge.tally.count("request forwarded");
        let patience = match self.slot_of(owner.node) {
            Some(to) => {
                self.send_to(slot, to, owner.node, Message::Ask(asker, forward));
                PATIENCE
            }
            // There are no responders.
            None => 5,
        };
        self.after(patience, Event::Timeout(slot, asker.node, ticket));
        ticket
    }

    /// Reports to the owner who follows the room here, if there is news.
    pub(super) fn report(&mut self, slot: Slot) {
        let now = self.node_now(slot);
        let node = &mut self.nodes[slot];
        let (Role::Replica(replica), Some(owner)) = (&mut node.role, node.owner) else { return };
        let Some(report) = replica.report(now) else { return };
        let asker = Asker { slot, node: node.id, ticket: 0, lease: owner };
        if let Some(to) = self.slot_of(owner.node) {
            self.send_to(slot, to, owner.node, Message::Report(asker, report));
        }
    }

    pub(super) fn answer(&mut self, slot: Slot, asker: Asker, reply: Reply) {
        if self.slot_of(asker.node) == Some(asker.slot) {
            self.send_to(slot, asker.slot, asker.node, Message::Answer(asker.ticket, reply));
        }
    }

    /// Tells the other nodes how things are, if something has changed.
    pub(super) fn ring(&mut self, slot: Slot) {
        let node = &self.nodes[slot];
        let (Role::Owner(desk), Some(lease)) = (&node.role, node.lease) else { return };
        let bell = desk.bell(lease);
        if self.nodes[slot].rung.as_ref() == Some(&bell) {
            return;
        }
        for to in (0..self.nodes.len()).filter(|&to| to != slot) {
            if self.is_up(to) {
                self.send_to(slot, to, self.nodes[to].id, Message::Bell(bell.clone()));
            }
        }
        self.nodes[slot].rung = Some(bell);
    }

    /// A message arrives at a node.
    pub(super) fn arrive(&mut self, slot: Slot, node: NodeId, message: Message) {
        if !self.is_up(slot) || self.nodes[slot].id != node {
            return;
        }
        let is_owner = matches!(self.nodes[slot].role, Role::Owner(_));
        match message {
            Message::Ask(asker, _) | Message::Report(asker, _) if !is_owner => {
                if self.nodes[slot].stopping.is_some() {
                    self.judge.tally.count("node that stops asked");
                }
                self.answer(slot, asker, Reply::NotOwner);
            }
            Message::Ask(asker, forward) => {
                self.nodes[slot].mailbox.push_back(Letter::Asked(asker, forward));
            }
            Message::Report(asker, report) => {
                self.nodes[slot].mailbox.push_back(Letter::Reported(asker, report));
            }
            Message::Bell(bell) => self.nodes[slot].mailbox.push_back(Letter::Bell(bell)),
            // The answer to a report.
            Message::Answer(0, Reply::Handled { bell, .. }) => {
                self.nodes[slot].mailbox.push_back(Letter::Bell(bell));
            }
            Message::Answer(0, Reply::NotOwner) => self.nodes[slot].owner = None,
            Message::Answer(ticket, reply) => self.answered(slot, ticket, reply),
        }
        self.pump(slot);
    }

    /// The lease that a node believes it has, if it still has it.
    pub(super) fn valid_lease(&self, slot: Slot) -> Option<Lease> {
        self.nodes[slot].lease.filter(|&lease| self.database.is_held_by(lease))
    }

    /// A place, or all, is cut off from the others for a while.
    pub(super) fn cut(&mut self, slot: Slot) {
        let is_all = self.random.percent(25);
        let slots = if is_all { 0..self.nodes.len() } else { slot..slot + 1 };
        let is_thoughtful = self.scenario.cluster.is_some_and(|cluster| cluster.is_thoughtful);
        let longest = if is_thoughtful { 300_000 } else { 90_000 };
        let for_long = self.random.pick(&[1_500, 10_000, longest, longest]);
        for slot in slots.filter(|&slot| self.bus.cut[slot].is_none()).collect::<Vec<Slot>>() {
            self.tell(|| format!("node {slot} is cut off from the others"));
            self.judge.tally.count("node cut off");
            self.bus.cut[slot] = Some(self.now);
            self.after(for_long, Event::Heal(slot));
        }
    }

    pub(super) fn heal(&mut self, slot: Slot) {
        self.tell(|| format!("node {slot} reaches the others"));
        self.bus.cut[slot] = None;
        self.changed = self.now;
        // All nodes notice that.
        self.adopt_later();
    }
}
