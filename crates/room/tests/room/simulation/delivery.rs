//! Outgoing messages and durable events, with the checks on both.

use skirmish_room::wire::{MessageId, ServerMessage};
use skirmish_room::{
    AccountId, Logged, Millis, Origin, Outgoing, Person, Recipient, Room, RoomEvent,
};
use skirmish_rules::{Both, Side};

use super::client::{Answered, Client};
use super::ensure;
use super::model::Circumstances;
use super::node::Slot;
use super::sabotage::Sabotage;
use super::world::{World, index};

/// The room code.
pub(super) const CODE: &str = "ABCDEF";

pub(super) fn person(account: AccountId) -> Person {
    let names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn"];
    let index = usize::try_from(account).expect("small") % names.len();
    Person { account, name: names[index].to_owned(), registered: true, ..Person::default() }
}

impl World {
    /// Creates the room.
    pub(super) fn create(&mut self) {
        let event = RoomEvent::Created {
            code: CODE.to_owned(),
            terms: Box::new(self.scenario.terms.clone()),
            creator: person(1),
            seed: self.scenario.seed,
            date: None,
        };
        for logged in Room::create(self.now, None, event) {
            self.database.log.push(logged.clone());
            self.make_durable(0, &logged);
        }
        for slot in 0..self.nodes.len() {
            self.start(slot);
        }
    }

    /// Passes a durable event to the judge.
    pub(super) fn make_durable(&mut self, slot: Slot, logged: &Logged) {
        let lag = logged.by.as_ref().map_or(0, |by| self.lag_of(&by.id));
        self.tell(|| format!("durable {} by node {slot}: {logged:?}", self.judge.log.len() + 1));
        self.check_was_not_refused(logged);
        let learned = self.nodes[slot].learned.clone();
        let accounts = self.judge.accounts();
        let circumstances = Circumstances {
            lag,
            learned,
            is_shut: self.is_ordered(),
            ..self.truth.circumstances(self.now, accounts)
        };
        let result = self.judge.observe(logged, &circumstances);
        self.check(result);
        self.changed = self.now;
        self.order_between_games();
    }

    /// Returns the lag that the server measures for a message, which is always the same.
    pub(super) fn lag_of(&self, id: &MessageId) -> Millis {
        let MessageId::Text(text) = id else { return 0 };
        let sum: u64 = text.bytes().map(u64::from).sum();
        (sum * 7919 % 2_000).min(self.scenario.lag)
    }

    /// Sends a message to its recipients.
    pub(super) fn deliver(&mut self, slot: Slot, Outgoing { to, mut message }: Outgoing) {
        if self.is_withheld(&message) {
            return;
        }
        self.distort(&mut message);
        self.truth.refusals += u64::from(matches!(message, ServerMessage::Rej(_)));
        self.check_outgoing(slot, &message);
        let connections = match to {
            Recipient::One(connection) => vec![connection],
            Recipient::All => self.nodes[slot].followers(),
        };
        let frame = serde_json::to_string(&message).expect("a message is JSON");
        for connection in connections {
            self.check_refusal(connection, &message);
            let client = self.connections[index(connection)].client;
            self.transcript.push((self.judge.log.len() as u64, client, frame.clone()));
            self.transmit(connection, false, frame.clone());
        }
    }

    /// Checks that a message that was carried out is not refused.
    fn check_refusal(&mut self, connection: u64, message: &ServerMessage) {
        if let ServerMessage::Rej(rej) = message
            && let Some(id) = rej.id.clone()
        {
            // A guest who has signed in has lost the connection and receives nothing. After a long wait, a node may
            // refuse a message that another node, to which its sender moved, has carried out.
            let Some(slot) = self.slot_at(connection) else { return };
            let account = self.connections[index(connection)].account;
            let is_heard = !self.connections[index(connection)].is_dead;
            let is_done = self.judge.has_carried_out(account, &id) && is_heard;
            let is_wrong = is_done && self.sabotage != Some(Sabotage::NeverReload);
            self.check(ensure(!is_wrong, || {
                format!("{id:?} is refused by node {slot}, but was carried out")
            }));
        }
    }

    /// Checks that a message is not carried out after its sender was told of its refusal. A message resent over another
    /// connection may reach a node that does not know of the refusal.
    fn check_was_not_refused(&mut self, logged: &Logged) {
        let Some(Origin { account, id }) = &logged.by else { return };
        let knows = |client: &Client| {
            client.account == *account && matches!(client.answers.get(id), Some(Answered::No(_)))
        };
        let is_wrong = !self.scenario.faults.wild
            && !self.judge.was_sent_again(*account, id)
            && self.clients.iter().any(knows);
        self.check(ensure(!is_wrong, || format!("{id:?} was refused, but is carried out")));
    }

    /// Checks that only durable events are sent, and that the clocks match the log.
    fn check_outgoing(&mut self, slot: Slot, message: &ServerMessage) {
        let v = match message {
            ServerMessage::Snap(snap) => Some(snap.v),
            ServerMessage::Ev(ev) => Some(ev.v),
            ServerMessage::Ack { v, .. } => *v,
            _ => None,
        };
        let length = self.judge.log.len() as u64;
        if v.is_some_and(|v| v > length) {
            return self.check(Err(format!("{message:?} is sent before it is durable")));
        }
        let (v, clock, logged) = match message {
            ServerMessage::Ev(ev) => (ev.v, &ev.clock, self.judge.clock_at(ev.v)),
            ServerMessage::Snap(snap) if snap.v == length => {
                (snap.v, &snap.clock, self.judge.clock_now(self.node_now(slot)))
            }
            _ => return,
        };
        let told = clock.as_ref().map(|clock| {
            let runs = |side: Side| clock.running.contains(&side.number());
            (Both::from(clock.left), Both::from_fn(runs))
        });
        if told != logged {
            self.check(Err(format!("version {v} tells clocks {told:?}, not {logged:?}")));
        }
    }
}
