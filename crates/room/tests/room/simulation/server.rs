//! The simulated server: one room, its log, and everything that can happen between validate, append, acknowledge and
//! broadcast.

use std::collections::{BTreeMap, VecDeque};

use skirmish_room::wire::{ClientMessage, MessageId, ServerMessage};
use skirmish_room::{
    AccountId, ConnectionId, Desk, DeskInput, Logged, Millis, Origin, Outgoing, Person, Recipient,
    Request, Room, RoomEvent, SentRequest, Step, Task,
};
use skirmish_rules::{Both, Side};

use super::ensure;
use super::model::Circumstances;
use super::sabotage::Sabotage;
use super::world::{Event, World, index};

/// The room's code.
pub(super) const CODE: &str = "ABCDEF";

/// The most by which a flag falls late: a busy server, and a log that is being written.
const FLAG_SLACK: Millis = 5_000;

/// How many refusals a room remembers.
const MOST_REFUSALS: usize = 64;

/// The server.
#[derive(Default)]
pub(super) struct Server {
    /// None while it is down.
    pub(super) desk: Option<Desk>,
    /// Counts starts, so that nothing of an earlier process reaches a later one.
    pub(super) process: u64,
    pub(super) mailbox: VecDeque<DeskInput>,
    pub(super) durable: Vec<Logged>,
    /// What the log is writing.
    pub(super) writing: Option<Vec<Logged>>,
    /// The position for which the computer is thinking.
    pub(super) thinking: Option<u64>,
    pub(super) is_stopping: bool,
    /// When it was started.
    pub(super) started: Millis,
    /// When it last noted, by its own clock, that it was alive, and what it found noted when it was started.
    pub(super) alive: Millis,
    pub(super) ran_until: Millis,
    /// How far the server's clock is behind.
    pub(super) behind: Millis,
    pub(super) due: Option<Millis>,
    /// What the server can know of the players: the connections of each account, and since when it has none.
    pub(super) seen: BTreeMap<AccountId, (Vec<ConnectionId>, Millis)>,
    /// How many messages it has refused.
    pub(super) refusals: u64,
    /// The messages that it has refused and remembers.
    pub(super) refused: VecDeque<Origin>,
    /// Messages that were refused, forgotten, and carried out when they came again.
    pub(super) forgiven: Vec<Origin>,
    /// For the sabotage: messages that were carried out.
    pub(super) known: Vec<Origin>,
}

pub(super) fn person(account: AccountId) -> Person {
    let names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn"];
    let index = usize::try_from(account).expect("small") % names.len();
    Person { account, name: names[index].to_owned(), registered: true, rating: None }
}

impl World {
    pub(super) fn server_now(&self) -> Millis {
        self.now.saturating_sub(self.server.behind)
    }

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
            self.make_durable(logged);
        }
        self.start();
    }

    pub(super) fn make_durable(&mut self, logged: Logged) {
        let gone_for = |account: AccountId| match self.server.seen.get(&account) {
            Some((connections, since)) if connections.is_empty() => {
                Some(logged.at.saturating_sub(*since))
            }
            Some(_) => None,
            None => Some(logged.at),
        };
        let gone_for = self.judge.accounts().map(|account| account.and_then(gone_for));
        let until = self.server.ran_until;
        let slack = (self.scenario.faults.skews == 0).then_some(FLAG_SLACK);
        let lag = logged.by.as_ref().map_or(0, |by| self.lag_of(&by.id));
        self.tell(|| format!("durable {}: {logged:?}", self.judge.log.len() + 1));
        let result = self.judge.observe(&logged, Circumstances { lag, slack, gone_for, until });
        self.check(result);
        self.server.durable.push(logged);
    }

    /// The lag that the server measures for a message: the same whenever it is asked.
    fn lag_of(&self, id: &MessageId) -> Millis {
        let MessageId::Text(text) = id else { return 0 };
        let sum: u64 = text.bytes().map(u64::from).sum();
        (sum * 7919 % 2_000).min(self.scenario.lag)
    }

    pub(super) fn server_is_up(&self) -> bool {
        self.server.desk.is_some() && !self.server.is_stopping
    }

    /// Whether nothing happens any more, and nothing is waiting to happen.
    pub(super) fn room_is_over(&self) -> bool {
        let room = self.server.desk.as_ref().map(Desk::room);
        room.is_some_and(Room::is_over) && self.server.mailbox.is_empty()
    }

    /// A frame from a client.
    pub(super) fn server_receives(&mut self, connection: ConnectionId, frame: &str) {
        let message = match serde_json::from_str::<ClientMessage>(frame) {
            Ok(message) => message,
            Err(error) => return self.check(Err(format!("{frame} does not parse: {error}"))),
        };
        let client = self.connections[index(connection)].client;
        let account = self.clients[client].account;
        if message == ClientMessage::Ping {
            let Some(desk) = &self.server.desk else { return };
            let follows = desk.followers().any(|follower| follower == connection);
            let version = follows.then(|| (CODE.to_owned(), desk.room().version()));
            let message = ServerMessage::Pong { versions: version.into_iter().collect() };
            return self.deliver(vec![Outgoing { to: Recipient::One(connection), message }]);
        }
        if let Some(input) = input_of(connection, person(account), message) {
            self.server_takes(input);
        }
    }

    pub(super) fn server_takes(&mut self, input: DeskInput) {
        if self.server.desk.is_some() {
            self.server.mailbox.push_back(input);
            self.pump();
        }
    }

    /// Handles what waits, until something has to be appended.
    pub(super) fn pump(&mut self) {
        while self.server.writing.is_none() && self.server.desk.is_some() {
            let Some(input) = self.server.mailbox.pop_front() else { break };
            self.handle(input);
        }
        if self.server.writing.is_none()
            && self.server.mailbox.is_empty()
            && self.server.is_stopping
        {
            self.server.is_stopping = false;
            if self.judge.is_running() {
                self.check(Err("the server stops, and the clocks run on".to_owned()));
            }
            self.kill();
            return;
        }
        self.plan_ahead();
    }

    fn handle(&mut self, mut input: DeskInput) {
        self.tell(|| format!("handle {input:?}"));
        let now = self.server_now();
        self.note_seen(&input, now);
        if let DeskInput::Request { id: Some(id), lag, .. } = &mut input {
            *lag = self.lag_of(id);
        }
        let again = self.disguise(&mut input);
        let asked = match &input {
            DeskInput::Request { connection, id: Some(id), .. } => Some((*connection, id.clone())),
            _ => None,
        };
        if self.sabotage == Some(Sabotage::NeverAnswer) && asked.is_some() && self.random.percent(5)
        {
            return;
        }
        let is_claim = matches!(input, DeskInput::Request { request: Request::Claim, .. });
        let is_early = is_claim && self.sabotage == Some(Sabotage::ClaimAtOnce);
        let desk = self.server.desk.as_mut().expect("the server runs");
        let mut step = desk.handle(now + if is_early { 600_000 } else { 0 }, input);
        if is_early {
            step.append.iter_mut().for_each(|logged| logged.at = now);
        }
        if self.sabotage == Some(Sabotage::AcknowledgeRefused) {
            for outgoing in &mut step.send {
                if let ServerMessage::Rej(rej) = &outgoing.message
                    && let Some(id) = rej.id.clone()
                {
                    let v = desk.room().version();
                    outgoing.message =
                        ServerMessage::Ack { id, code: Some(CODE.to_owned()), v: Some(v) };
                }
            }
        }
        let version = desk.room().version();
        self.note_refusals(&step);
        self.deliver(step.send);
        if step.append.is_empty() {
            return;
        }
        let mut append = step.append;
        self.falsify(&mut append, again.as_ref());
        if self.sabotage == Some(Sabotage::AcknowledgeBeforeAppend)
            && let Some((connection, id)) = asked
            && append.iter().any(|logged| logged.by.as_ref().is_some_and(|by| by.id == id))
        {
            let v = Some(version + append.len() as u64);
            let message = ServerMessage::Ack { id, code: Some(CODE.to_owned()), v };
            self.deliver(vec![Outgoing { to: Recipient::One(connection), message }]);
        }
        if self.sabotage == Some(Sabotage::BroadcastBeforeAppend) {
            self.commit();
        }
        self.server.writing = Some(append);
        if self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(2) {
            // In the middle of the append.
            return self.kill();
        }
        let after = self.random.below(20);
        self.after(after, Event::Appended(self.server.process));
    }

    /// The log has written what it was given.
    pub(super) fn appended(&mut self, process: u64) {
        if process != self.server.process {
            return;
        }
        for logged in self.server.writing.take().unwrap_or_default() {
            self.make_durable(logged);
        }
        if self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(1) {
            // Durable, but nobody is told.
            return self.kill();
        }
        if self.sabotage != Some(Sabotage::BroadcastBeforeAppend) {
            self.commit();
        }
        self.pump();
    }

    fn commit(&mut self) {
        let now = self.server_now();
        let Some(desk) = &mut self.server.desk else { return };
        let (mut send, again) = match desk.commit(now) {
            Ok(done) => done,
            Err(error) => return self.check(Err(format!("the events do not fit: {error}"))),
        };
        if let Some(input) = again {
            self.server.mailbox.push_front(input);
        }
        if self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(1) {
            // Some are told, others are not.
            let told = self.random.index(send.len() + 1);
            let is_answered =
                matches!(send.first(), Some(Outgoing { message: ServerMessage::Ack { .. }, .. }));
            if is_answered && (1..send.len()).contains(&told) {
                self.judge.tally.count("kill between acknowledgement and broadcast");
            }
            send.truncate(told);
            self.deliver(send);
            return self.kill();
        }
        self.deliver(send);
    }

    /// Sends messages out.
    fn deliver(&mut self, send: Vec<Outgoing>) {
        for Outgoing { to, mut message } in send {
            if self.sabotage == Some(Sabotage::LoseEvents)
                && matches!(message, ServerMessage::Ev(_))
                && self.random.percent(5)
            {
                continue;
            }
            self.distort(&mut message);
            self.server.refusals += u64::from(matches!(message, ServerMessage::Rej(_)));
            self.check_outgoing(&message);
            let frame = serde_json::to_string(&message).expect("a message is JSON");
            let connections = match to {
                Recipient::One(connection) => vec![connection],
                Recipient::All => match &self.server.desk {
                    Some(desk) => desk.followers().collect(),
                    None => Vec::new(),
                },
            };
            for connection in connections {
                let client = self.connections[index(connection)].client;
                self.transcript.push((self.judge.log.len() as u64, client, frame.clone()));
                self.transmit(connection, false, frame.clone());
            }
        }
    }

    /// Nothing leaves before it is durable, and the clocks are told as the log has them.
    fn check_outgoing(&mut self, message: &ServerMessage) {
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
                (snap.v, &snap.clock, self.judge.clock_now(self.server_now()))
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

    /// Sees to it that time passes and the computer thinks.
    fn plan_ahead(&mut self) {
        let Some(desk) = self.server.desk.as_ref().filter(|_| self.server.writing.is_none()) else {
            return;
        };
        let due = desk.due().map(|due| due + self.server.behind);
        let is_ignored = self.sabotage == Some(Sabotage::IgnoreFlags) && desk.room().is_playing();
        let place = desk.room().version();
        let task = desk.task().filter(|_| self.server.thinking.is_none());
        if let Some(due) = due.filter(|&due| self.server.due != Some(due) && !is_ignored) {
            self.server.due = Some(due);
            let busy = self.random.pick(&[1, 30, 30, 2_000]);
            let late = self.random.below(busy);
            let after = due.saturating_sub(self.now) + late;
            self.after(after, Event::Input(self.server.process, DeskInput::Tick));
        }
        if let Some(task) = task {
            self.server.thinking = Some(place);
            let input = match task {
                Task::Choose(side, table) => {
                    let text = self.random.pick(&table.choices(side)).notation;
                    DeskInput::Choice { side, text }
                }
                Task::AnswerDraw(side, _) => {
                    DeskInput::DrawAnswer { side, yes: self.random.percent(30) }
                }
            };
            let after = self.random.below(1_500);
            self.after(after, Event::Input(self.server.process, input));
        }
    }

    /// A message that was refused is not carried out when it comes again, as long as the room remembers it.
    fn note_refusals(&mut self, step: &Step) {
        if let Some(by) = step.append.first().and_then(|logged| logged.by.clone()) {
            let is_known = self.server.refused.contains(&by);
            let result = ensure(!is_known, || format!("{by:?} was refused, and is carried out"));
            self.check(result);
            self.server.forgiven.push(by);
        }
        for Outgoing { to, message } in &step.send {
            if let (Recipient::One(connection), ServerMessage::Rej(rej)) = (to, message)
                && let Some(id) = rej.id.clone()
            {
                let client = self.connections[index(*connection)].client;
                let refused = Origin { account: self.clients[client].account, id };
                if !self.server.refused.contains(&refused) {
                    self.server.refused.push_back(refused);
                }
                if self.server.refused.len() > MOST_REFUSALS {
                    self.server.refused.pop_front();
                }
            }
        }
    }

    /// Remembers whom the server has seen.
    fn note_seen(&mut self, input: &DeskInput, now: Millis) {
        match input {
            DeskInput::Attach { connection, person, .. } => {
                let (connections, _) = self.server.seen.entry(person.account).or_default();
                connections.retain(|other| other != connection);
                connections.push(*connection);
            }
            DeskInput::Detach { connection } => {
                for (connections, since) in self.server.seen.values_mut() {
                    let before = connections.len();
                    connections.retain(|other| other != connection);
                    if connections.is_empty() && before > 0 {
                        *since = now;
                    }
                }
            }
            DeskInput::Choice { .. } | DeskInput::DrawAnswer { .. } => self.server.thinking = None,
            DeskInput::Request { .. }
            | DeskInput::Tick
            | DeskInput::Shut
            | DeskInput::Stop
            | DeskInput::Resume { .. } => {}
        }
    }
}

/// A message of a client as the desk sees it.
fn input_of(connection: ConnectionId, person: Person, message: ClientMessage) -> Option<DeskInput> {
    let account = person.account;
    match SentRequest::try_from(message) {
        Ok(SentRequest { id, seen, request, .. }) => {
            let id = Some(id);
            Some(DeskInput::Request { connection, account, id, seen, lag: 0, request })
        }
        Err(ClientMessage::Join { id, have, watch, .. }) => {
            Some(DeskInput::Attach { connection, person, id, have, watch })
        }
        Err(_) => None,
    }
}
