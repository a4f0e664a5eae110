//! The simulated clients: each plays, watches or misbehaves through a mirror, and checks the messages it receives.

use std::collections::BTreeMap;

use skirmish_room::wire::{ClientMessage, MessageId, ServerMessage};
use skirmish_room::{AccountId, ConnectionId, Millis, Mirror, Notice};
use skirmish_rules::{Both, GAMES};

use super::delivery::CODE;
use super::ensure;
use super::node::Node;
use super::scenario::Role;
use super::world::{Event, World, index};

/// The answer to a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answered {
    Yes(Option<u64>),
    No(String),
}

/// A simulated client.
pub(super) struct Client {
    pub(super) account: AccountId,
    pub(super) watch: bool,
    pub(super) mirror: Mirror,
    pub(super) connection: Option<ConnectionId>,
    /// Whether the client will connect soon.
    pub(super) is_connecting: bool,
    pub(super) answers: BTreeMap<MessageId, Answered>,
    /// Messages whose answers the mirror has shown.
    told: Vec<MessageId>,
    /// The turns shown so far, with the number of their game.
    shown: (u32, Vec<String>),
    ended: Vec<u32>,
    /// How often the client has acted in the finale.
    pub(super) finale: u64,
}

impl Client {
    pub(super) fn new(number: usize, role: &Role) -> Self {
        Self {
            account: role.account,
            watch: role.watch,
            mirror: Mirror::new(GAMES, CODE, &format!("c{number}")),
            connection: None,
            is_connecting: true,
            answers: BTreeMap::new(),
            told: Vec::new(),
            shown: (0, Vec::new()),
            ended: Vec::new(),
            finale: 0,
        }
    }

    /// Shows all news, as a front end does, and checks that nothing is shown twice.
    fn show(&mut self) -> Result<(), String> {
        while let Some(notice) = self.mirror.advance() {
            let number = self.mirror.number();
            let history = self.mirror.session().map(|session| session.table().history());
            let history = history.unwrap_or_default();
            let (shown_number, shown) = &mut self.shown;
            match notice {
                Notice::Began { .. } => {
                    ensure(number > *shown_number, || format!("game {number} begins again"))?;
                    self.shown = (number, history);
                }
                Notice::Turn => {
                    let is_next = history.len() == shown.len() + 1 && history.starts_with(shown);
                    ensure(is_next && number == *shown_number, || {
                        format!("a turn is shown twice or is missing: {shown:?}, {history:?}")
                    })?;
                    self.shown.1 = history;
                }
                Notice::TakenBack => {
                    let is_shorter = history.len() < shown.len() && shown.starts_with(&history);
                    ensure(is_shorter, || format!("taken back to {history:?} from {shown:?}"))?;
                    self.shown.1 = history;
                }
                Notice::Ended(_) => {
                    ensure(!self.ended.contains(&number), || format!("game {number} ends twice"))?;
                    self.ended.push(number);
                }
                Notice::Accepted(id) => self.note_told(id)?,
                Notice::Refused(rej) => self.note_told(rej.id.ok_or("the mirror knows the id")?)?,
                Notice::Waiting
                | Notice::Unrated(_)
                | Notice::Chosen(_)
                | Notice::Offered(..)
                | Notice::Answered(..)
                | Notice::Score(..)
                | Notice::Said(..)
                | Notice::Presence(_)
                | Notice::Paused
                | Notice::Resumed
                | Notice::Closed
                | Notice::Stuck { .. }
                | Notice::Unstuck(_) => {}
            }
        }
        Ok(())
    }

    fn note_told(&mut self, id: MessageId) -> Result<(), String> {
        ensure(!self.told.contains(&id), || format!("{id:?} is answered twice to the user"))?;
        self.told.push(id);
        Ok(())
    }

    /// Records an answer, and checks that a message gets only one, however often it is sent.
    fn note_answer(&mut self, message: &ServerMessage, is_again: bool) -> Result<(), String> {
        let (id, answer) = match message {
            ServerMessage::Ack { id, v, .. } => (id, Answered::Yes(*v)),
            ServerMessage::Rej(rej) => {
                let Some(id) = &rej.id else { return Ok(()) };
                (id, Answered::No(rej.text.clone()))
            }
            _ => return Ok(()),
        };
        let first = self.answers.entry(id.clone()).or_insert_with(|| answer.clone());
        // A room remembers a limited number of refusals, none from before a restart, and none of other nodes.
        let may_differ = match (&first, &answer) {
            (Answered::No(_), Answered::No(_)) => true,
            (Answered::No(_), Answered::Yes(_)) => is_again,
            (Answered::Yes(_), _) => false,
        };
        ensure(*first == answer || may_differ, || {
            format!("{id:?} was answered with {first:?}, and then with {answer:?}")
        })
    }

    /// Returns what this client is still waiting for, if anything.
    pub(super) fn unsettled(&self) -> Option<String> {
        (self.connection.is_none() || self.mirror.is_waiting_for_answer()).then(|| {
            let (v, account) = (self.mirror.version(), self.account);
            format!("account {account} is connected by {:?} at version {v}", self.connection)
        })
    }
}

impl World {
    pub(super) fn show(&mut self, client: usize) {
        let shown = self.clients[client].show();
        let Client { mirror, account, .. } = &self.clients[client];
        let compared = shown.and_then(|()| self.judge.compare(mirror, *account));
        self.check(compared.map_err(|why| format!("client {client}: {why}")));
    }

    pub(super) fn connect(&mut self, client: usize) {
        let Client { connection: None, account, .. } = &self.clients[client] else { return };
        if self.deserter == Some(*account) {
            return;
        }
        let node = self.any_node();
        let node = node.filter(|_| self.is_finale || !self.random.percent(10));
        let Some(slot) = node else {
            let after = 100 + self.random.below(5_000);
            return self.after(after, Event::Connect(client));
        };
        if self.nodes[slot].is_hung && self.random.percent(60) {
            return self.connect_later(client, 1_000);
        }
        let connection = self.open(client, slot);
        let Client { mirror, watch, .. } = &mut self.clients[client];
        let messages = mirror.connected(*watch);
        self.clients[client].connection = Some(connection);
        if self.nodes[slot].is_hung {
            self.leave_later(connection);
        }
        self.clients[client].is_connecting = false;
        self.tell(|| format!("client {client} connects to node {slot} as {connection}"));
        for message in messages {
            self.client_sends(client, &message);
        }
    }

    pub(super) fn client_notices(&mut self, connection: ConnectionId) {
        let client = self.connections[index(connection)].client;
        if self.clients[client].connection == Some(connection) {
            self.clients[client].connection = None;
            if !self.clients[client].is_connecting {
                self.connect_later(client, 3_000);
            }
        }
    }

    /// Schedules a reconnection.
    pub(super) fn connect_later(&mut self, client: usize, latest: Millis) {
        self.clients[client].is_connecting = true;
        let after = 1 + self.random.below(latest);
        self.after(after, Event::Connect(client));
    }

    /// Schedules leaving a node: clients ping every three seconds, and leave if unanswered for six.
    pub(super) fn leave_later(&mut self, connection: ConnectionId) {
        let after = 6_000 + self.random.below(3_000);
        self.after(after, Event::Leave(connection));
    }

    pub(super) fn leave_silent(&mut self, connection: ConnectionId) {
        let client = self.connections[index(connection)].client;
        let is_hung = self.slot_at(connection).is_some_and(|slot| self.nodes[slot].is_hung);
        if is_hung && self.clients[client].connection == Some(connection) {
            self.judge.tally.count("client leaves a silent node");
            self.tell(|| format!("client {client} leaves a node that does not answer"));
            let notices = self.random.pick(&[0, 100, 30_000]);
            self.sever(connection, 0, notices);
        }
    }

    /// Returns a node that accepts connections, starting the search at random.
    fn any_node(&mut self) -> Option<usize> {
        let first = self.random.index(self.nodes.len());
        let mut slots = (0..self.nodes.len()).map(|slot| (first + slot) % self.nodes.len());
        slots.find(|&slot| {
            let node = &self.nodes[slot];
            node.is_up && !node.is_stopping && !node.is_closed
        })
    }

    pub(super) fn client_sends(&mut self, client: usize, message: &ClientMessage) {
        let Client { account, mirror, .. } = &self.clients[client];
        self.judge.note_sent(*account, message, mirror.version());
        let frame = serde_json::to_string(message).expect("a message is JSON");
        if let Some(connection) = self.clients[client].connection {
            self.tell(|| format!("client {client} sends {frame}"));
            self.transmit(connection, true, frame);
        }
    }

    pub(super) fn client_receives(&mut self, connection: ConnectionId, frame: &str) {
        let client = self.connections[index(connection)].client;
        if self.clients[client].connection != Some(connection) {
            return;
        }
        self.tell(|| format!("client {client} gets {}", shortened(frame)));
        let message = match serde_json::from_str::<ServerMessage>(frame) {
            Ok(message) => message,
            Err(error) => return self.check(Err(format!("{frame} does not parse: {error}"))),
        };
        let account = self.clients[client].account;
        let id = match &message {
            ServerMessage::Ack { id, .. } => Some(id),
            _ => None,
        };
        let is_again = id.is_some_and(|id| self.judge.was_sent_again(account, id));
        let noted = self.clients[client].note_answer(&message, is_again);
        self.check(noted);
        if let ServerMessage::Ack { id, v: Some(v), .. } = &message
            && !self.judge.is_in_log(self.clients[client].account, id, *v)
        {
            self.check(Err(format!("{id:?} was acknowledged, but is not in the log")));
        }
        let about_choice = match &message {
            ServerMessage::Ack { id, v: Some(v), .. } if self.choices.contains(id) => Some(*v),
            _ => None,
        };
        let Client { mirror, .. } = &mut self.clients[client];
        mirror.receive(message);
        if about_choice.is_some_and(|v| v > mirror.version()) && mirror.asked().is_some() {
            self.check(Err(format!("client {client} is asked for a choice that was accepted")));
        }
        if let Some(message) = self.clients[client].mirror.catch_up() {
            if !self.scenario.faults.wild {
                self.check(Err(format!("client {client} was not sent everything in order")));
            }
            self.client_sends(client, &message);
        }
        if self.random.percent(70) {
            self.show(client);
        }
    }

    /// Whether the run has reached its end.
    pub(super) fn is_settled(&self) -> bool {
        const SETTLED: Millis = 25_000;
        let v = self.judge.log.len() as u64;
        let is_settled = |node: &Node| {
            let is_current = node.host.as_ref().is_none_or(|host| host.room().version() == v);
            node.is_up && node.is_quiet() && (is_current || node.followers().is_empty())
        };
        self.judge.is_finished()
            && self.now - self.changed > SETTLED
            && self.nodes.iter().all(is_settled)
            && self.remaining().all(|client| client.unsettled().is_none())
    }

    /// Returns the clients whose account has not left for good.
    pub(super) fn remaining(&self) -> impl Iterator<Item = &Client> {
        self.clients.iter().filter(|client| Some(client.account) != self.deserter)
    }

    /// Makes one of two players leave for good, so that the other must be able to end the game.
    pub(super) fn desert(&mut self) {
        let Both { one: Some(one), two: Some(two) } = self.judge.accounts() else { return };
        if !self.scenario.is_deserted || !self.judge.is_running() {
            return;
        }
        let deserter = self.random.pick(&[one, two]);
        self.tell(|| format!("account {deserter} leaves for good"));
        self.deserter = Some(deserter);
        for client in 0..self.clients.len() {
            if self.clients[client].account == deserter {
                self.note_own_absence(client);
            }
        }
        let mut left = Vec::new();
        for client in &mut self.clients {
            if client.account == deserter
                && let Some(connection) = client.connection.take()
            {
                self.connections[index(connection)].is_dead = true;
                left.push(connection);
            }
        }
        for connection in left {
            self.after(1, Event::ServerNotices(connection));
        }
    }

    /// Returns whether each player should be connected at the end.
    fn expected_presence(&self) -> Both<bool> {
        // The computer is always present; a free seat in a closed room counts as absent.
        let is_there = |account: Option<AccountId>| match account {
            None => self.judge.has_begun(),
            Some(_) => account != self.deserter,
        };
        self.judge.accounts().map(is_there)
    }

    /// Checks the state at the end of the run.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let v = self.judge.log.len() as u64;
        if self.deserter.is_some() {
            self.judge.tally.count("deserted game ended");
        }
        for number in 0..self.clients.len() {
            let client = &mut self.clients[number];
            client.show()?;
            let Client { mirror, account, answers, .. } = &self.clients[number];
            self.judge.compare(mirror, *account)?;
            let is_there = Some(*account) != self.deserter;
            let may_see = is_there && (self.scenario.terms.spectators || mirror.you().is_some());
            if may_see && !self.scenario.faults.wild {
                let watch = |client: &&Client| self.judge.side_of(client.account).is_none();
                let watchers = self.clients.iter().filter(watch).count();
                let watchers = if self.scenario.terms.spectators { watchers } else { 0 };
                let (present, seen) = (mirror.present(), mirror.watchers());
                ensure(present == self.expected_presence() && seen as usize == watchers, || {
                    format!("client {number} sees {present:?} and {seen} watchers, not {watchers}")
                })?;
            }
            ensure(mirror.version() == v || !may_see, || {
                format!("client {number} is connected and idle at {}, not {v}", mirror.version())
            })?;
            for (id, answer) in answers {
                if let Answered::Yes(Some(v)) = answer {
                    ensure(self.judge.is_in_log(*account, id, *v), || {
                        format!("{id:?} was acknowledged, and is lost")
                    })?;
                }
            }
        }
        Ok(())
    }
}

fn shortened(frame: &str) -> &str {
    const LONGEST: usize = 300;
    frame.get(..LONGEST).unwrap_or(frame)
}
