//! What a node receives from clients and sends to them, and what must be true of it.

use skirmish_room::wire::{ClientMessage, MessageId, RoomRequest, ServerMessage};
use skirmish_room::{
    AccountId, ConnectionId, DeskInput, Logged, Millis, Origin, Outgoing, Person, Recipient, Room,
    RoomEvent, Step,
};
use skirmish_rules::{Both, Side};

use super::client::{Answered, Client};
use super::ensure;
use super::merging::rename;
use super::model::Circumstances;
use super::node::Slot;
use super::sabotage::Sabotage;
use super::world::{Event, World, index};

/// The room's code.
pub(super) const CODE: &str = "ABCDEF";

/// The most by which a flag falls late: a busy server, and a log that is being written.
const FLAG_SLACK: Millis = 5_000;

/// How many refusals a room remembers.
const MOST_REFUSALS: usize = 64;

pub(super) fn person(account: AccountId) -> Person {
    let names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn"];
    let index = usize::try_from(account).expect("small") % names.len();
    Person { account, name: names[index].to_owned(), registered: true, ..Person::default() }
}

impl World {
    /// The room is created, and the server runs.
    pub(super) fn create(&mut self) {
        let event = RoomEvent::Created {
            code: CODE.to_owned(),
            terms: Box::new(self.scenario.terms.clone()),
            creator: person(1),
            seed: self.scenario.seed,
            date: None,
        };
        for logged in Room::create(self.now, None, event) {
            self.make_durable(0, logged);
        }
        for slot in 0..self.nodes.len() {
            self.start(slot);
        }
        if !self.is_alone() {
            self.own_new_room();
        }
    }

    pub(super) fn make_durable(&mut self, slot: Slot, mut logged: Logged) {
        if self.database.is_merged {
            rename(&mut logged);
        }
        let gone_for = self.judge.accounts().map(|account| self.gone_for(account?, logged.at));
        let node = &mut self.nodes[slot];
        let is_alone = self.scenario.cluster.is_none();
        let until = if is_alone { self.server.ran_until } else { node.resumes };
        node.served.outage = None;
        self.database.recover(node.id, self.now);
        let slack = (self.scenario.faults.skews == 0).then_some(FLAG_SLACK);
        let lag = logged.by.as_ref().map_or(0, |by| self.lag_of(&by.id));
        self.tell(|| format!("durable {}: {logged:?}", self.judge.log.len() + 1));
        self.check_service(slot, &logged);
        self.check_was_not_refused(&logged);
        let is_shut = self.is_ordered();
        let result =
            self.judge.observe(&logged, Circumstances { lag, slack, gone_for, until, is_shut });
        self.check(result);
        self.database.durable.push(logged);
        self.changed = self.now;
        self.order_between_games();
    }

    /// The lag that the server measures for a message: the same whenever it is asked.
    pub(super) fn lag_of(&self, id: &MessageId) -> Millis {
        let MessageId::Text(text) = id else { return 0 };
        let sum: u64 = text.bytes().map(u64::from).sum();
        (sum * 7919 % 2_000).min(self.scenario.lag)
    }

    /// A frame from a client.
    pub(super) fn server_receives(&mut self, connection: ConnectionId, frame: &str) {
        let message = match serde_json::from_str::<ClientMessage>(frame) {
            Ok(message) => message,
            Err(error) => return self.check(Err(format!("{frame} does not parse: {error}"))),
        };
        let client = self.connections[index(connection)].client;
        let Some(slot) = self.slot_at(connection) else { return };
        let account = self.clients[client].account;
        if message == ClientMessage::Ping {
            let role = &self.nodes[slot].role;
            let follows = role.followers().contains(&connection);
            let version = role.room().filter(|_| follows).map(Room::version);
            let versions = version.map(|v| (CODE.to_owned(), v)).into_iter().collect();
            let message = ServerMessage::Pong { versions };
            self.deliver(slot, vec![Outgoing { to: Recipient::One(connection), message }]);
            return;
        }
        if let Some(input) = input_of(connection, person(account), message) {
            self.node_takes(slot, input);
        }
    }

    /// Sends messages out. Returns those for connections of another node.
    pub(super) fn deliver(&mut self, slot: Slot, send: Vec<Outgoing>) -> Vec<ServerMessage> {
        let mut elsewhere = Vec::new();
        for Outgoing { to, mut message } in send {
            if self.sabotage == Some(Sabotage::LoseEvents)
                && matches!(message, ServerMessage::Ev(_))
                && self.random.percent(5)
            {
                continue;
            }
            self.distort(&mut message);
            let connections = match to {
                Recipient::One(connection) if self.slot_at(connection) == Some(slot) => {
                    vec![connection]
                }
                Recipient::One(connection) => {
                    self.check_refusal(connection, &message);
                    elsewhere.push(message);
                    continue;
                }
                Recipient::All => self.nodes[slot].role.followers(),
            };
            self.server.refusals += u64::from(matches!(message, ServerMessage::Rej(_)));
            self.check_outgoing(slot, &message);
            let frame = serde_json::to_string(&message).expect("a message is JSON");
            for connection in connections {
                self.check_refusal(connection, &message);
                let client = self.connections[index(connection)].client;
                self.transcript.push((self.judge.log.len() as u64, client, frame.clone()));
                self.transmit(connection, false, frame.clone());
            }
        }
        elsewhere
    }

    /// A message that was carried out is not refused.
    fn check_refusal(&mut self, connection: ConnectionId, message: &ServerMessage) {
        if let ServerMessage::Rej(rej) = message
            && let Some(id) = rej.id.clone()
        {
            // Nobody hears what is said to a guest who has signed in: their connection is gone.
            let account = self.connections[index(connection)].account;
            let is_done = self.judge.has_carried_out(account, &id);
            self.check(ensure(!is_done, || format!("{id:?} is refused, but was carried out")));
        }
    }

    /// A message is not carried out once its sender knows that it was refused. One that was sent again, over another
    /// connection perhaps, may reach nodes that do not know of each other's refusals.
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

    /// Nothing leaves before it is durable, and the clocks are told as the log has them.
    fn check_outgoing(&mut self, slot: Slot, message: &ServerMessage) {
        let v = match message {
            ServerMessage::Snap(snap) => Some(snap.v),
            ServerMessage::Ev(ev) => Some(ev.v),
            ServerMessage::Ack { v, .. } => *v,
            _ => None,
        };
        if v.is_some_and(|v| v > self.judge.log.len() as u64) {
            self.check(Err(format!("{message:?} is sent before it is durable")));
        }
        let length = self.judge.log.len() as u64;
        let (v, clock, logged) = match message {
            ServerMessage::Ev(ev) if ev.v <= length => (ev.v, &ev.clock, self.judge.clock_at(ev.v)),
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

    /// For the sabotage: refusals become acknowledgements.
    pub(super) fn acknowledge_refused(&self, v: u64, send: &mut [Outgoing]) {
        if self.sabotage != Some(Sabotage::AcknowledgeRefused) {
            return;
        }
        for outgoing in send {
            if let ServerMessage::Rej(rej) = &outgoing.message
                && let Some(id) = rej.id.clone()
            {
                outgoing.message =
                    ServerMessage::Ack { id, code: Some(CODE.to_owned()), v: Some(v) };
            }
        }
    }

    /// A message that was refused is not carried out when it comes again, as long as the room remembers it.
    pub(super) fn note_refusals(&mut self, slot: Slot, step: &Step) {
        if let Some(by) = step.append.first().and_then(|logged| logged.by.clone()) {
            let is_known = self.nodes[slot].refused.contains(&by);
            let result = ensure(!is_known, || format!("{by:?} was refused, and is carried out"));
            self.check(result);
            self.server.forgiven.push(by);
        }
        for Outgoing { to, message } in &step.send {
            if let (Recipient::One(connection), ServerMessage::Rej(rej)) = (to, message)
                && let Some(id) = rej.id.clone()
            {
                let account = self.connections[index(*connection)].account;
                let origin = Origin { account, id };
                let refused = &mut self.nodes[slot].refused;
                if !refused.contains(&origin) {
                    refused.push_back(origin);
                }
                if refused.len() > MOST_REFUSALS {
                    refused.pop_front();
                }
            }
        }
    }

    /// A connection is gone.
    pub(super) fn detach(&mut self, connection: ConnectionId) {
        if let Some(slot) = self.slot_at(connection) {
            // Bells overtake each other: it may take until the next report before all nodes know it.
            self.changed = self.now;
            self.node_takes(slot, DeskInput::Detach { connection });
        }
    }

    /// The node of a connection, if it still runs.
    pub(super) fn slot_at(&self, connection: ConnectionId) -> Option<Slot> {
        let slot = self.connections[index(connection)].slot;
        let is_same = self.nodes[slot].id == skirmish_room::node_of(connection);
        (is_same && self.is_up(slot)).then_some(slot)
    }

    /// Something arrives at a node by itself.
    pub(super) fn input(&mut self, slot: Slot, node: skirmish_room::NodeId, input: DeskInput) {
        if node == self.nodes[slot].id {
            self.node_takes(slot, input);
        }
    }

    /// Looks for a node that is up, starting at any.
    pub(super) fn any_node(&mut self) -> Option<Slot> {
        let first = self.random.index(self.nodes.len());
        let mut slots = (0..self.nodes.len()).map(|slot| (first + slot) % self.nodes.len());
        slots.find(|&slot| self.is_up(slot) && self.nodes[slot].stopping.is_none())
    }

    /// The server's clock is set.
    pub(super) fn set_clock(&mut self, slot: Slot) {
        let behind = self.random.pick(&[0, 500, 5_000, 40_000]);
        self.tell(|| format!("the clock of node {slot} is {behind} ms behind"));
        self.judge.tally.count("clock set");
        self.nodes[slot].behind = behind;
    }

    /// Starts a node after a while.
    pub(super) fn start_later(&mut self, slot: Slot) {
        let away = self.random.pick(&[100, 2_000, 30_000, 200_000]);
        self.after(away, Event::Start(slot));
    }
}

/// A message of a client as the desk sees it.
fn input_of(connection: ConnectionId, person: Person, message: ClientMessage) -> Option<DeskInput> {
    let account = person.account;
    match message {
        ClientMessage::Request(RoomRequest { id, seen, request, .. }) => {
            let id = Some(id);
            Some(DeskInput::Request { connection, account, id, seen, lag: 0, request })
        }
        ClientMessage::Join { id, have, watch, .. } => {
            Some(DeskInput::Attach { connection, person, id, have, watch })
        }
        _ => None,
    }
}
