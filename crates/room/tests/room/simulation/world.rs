//! One simulation run: all events in virtual time, in the order that the seed determines.

use std::collections::BTreeMap;

use skirmish_room::{AccountId, Announcement, ConnectionId, HostEvent, HostInput, Millis, NodeId};

use super::client::Client;
use super::database::Database;
use super::judge::Judge;
use super::node::{Mail, Node, Slot, Statement};
use super::sabotage::Sabotage;
use super::scenario::Scenario;
use super::truth::Truth;
use crate::random::Random;

/// An upper bound on the events of a run that terminates. Nodes write heartbeats every second.
const MOST_EVENTS: u64 = 150_000;

/// An event in the simulation.
#[derive(Debug)]
pub(super) enum Event {
    /// A client acts.
    Wake(usize),
    /// A client connects.
    Connect(usize),
    /// A frame arrives at the server.
    ToServer(ConnectionId, String),
    ToClient(ConnectionId, String),
    /// One end notices that a connection is gone.
    ClientNotices(ConnectionId),
    ServerNotices(ConnectionId),
    /// A statement arrives at the database.
    Execute(Slot, NodeId, Statement),
    /// The database answers.
    Answer(Slot, NodeId, Mail),
    /// Another message arrives at a node.
    Reach(Slot, NodeId, Mail),
    /// An input arrives at a node.
    Input(Slot, NodeId, HostInput),
    /// A node's timer goes off.
    Due(Slot, NodeId, Millis),
    /// The computer has chosen at this version.
    Thought(Slot, NodeId, u64),
    /// A node starts, writes a heartbeat, recovers from a hang, ends, or reads the operator's orders.
    Start(Slot),
    Beat(Slot, NodeId),
    Wakes(Slot, NodeId),
    Stops(Slot, NodeId, u8),
    Obey(Slot, NodeId),
    /// The database is back.
    Back,
    /// A node is no longer cut off.
    Heal(Slot),
    /// A client leaves a node that has not answered for a long time.
    Leave(ConnectionId),
    /// A connection breaks after losing a frame.
    Break(ConnectionId),
    /// A fault occurs.
    Fault,
}

/// A connection between a client and the server.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) id: ConnectionId,
    pub(super) client: usize,
    /// The client's account.
    pub(super) account: AccountId,
    pub(super) slot: Slot,
    pub(super) process: NodeId,
    /// Whether frames are no longer delivered.
    pub(super) is_dead: bool,
    /// Whether the node knows that the connection is gone.
    pub(super) is_gone: bool,
    /// When the last frame arrives in each direction. A WebSocket preserves the order.
    last: [Millis; 2],
}

/// One simulation run.
pub(super) struct World {
    pub(super) scenario: Scenario,
    pub(super) sabotage: Option<Sabotage>,
    pub(super) random: Random,
    pub(super) now: Millis,
    queue: BTreeMap<(Millis, u64), Event>,
    scheduled: u64,
    /// The number of frames and appends in flight.
    under_way: u64,
    pub(super) connections: Vec<Connection>,
    pub(super) clients: Vec<Client>,
    pub(super) nodes: Vec<Node>,
    pub(super) truth: Truth,
    pub(super) database: Database,
    /// When something last changed that other nodes must still learn of.
    pub(super) changed: Millis,
    /// When a node or the database last failed.
    pub(super) disturbed: Millis,
    pub(super) judge: Judge,
    /// The number of client actions so far.
    pub(super) wakes: u64,
    /// Whether faults are over and the clients finish the game.
    pub(super) is_finale: bool,
    /// The account that never returns after the start of the finale, if any.
    pub(super) deserter: Option<AccountId>,
    /// Every message sent: the log length at the time, the client's index, and the frame.
    pub(super) transcript: Vec<(u64, usize, String)>,
    /// The index of the choice to replace by another one, counted over the run.
    pub(super) instead: Option<usize>,
    pub(super) choices: Vec<skirmish_room::wire::MessageId>,
    /// What the computer chose at each version.
    pub(super) thoughts: BTreeMap<u64, String>,
    /// What each node, even a dead one, announced last about its followers.
    pub(super) reports: BTreeMap<NodeId, Announcement>,
    /// Stop when the log has this many events.
    pub(super) stop_at: Option<u64>,
    pub(super) wrong: Option<String>,
    pub(super) is_told: bool,
}

impl World {
    pub(super) fn new(seed: u64, sabotage: Option<Sabotage>) -> Self {
        let mut random = Random::new(seed);
        let scenario = Scenario::new(&mut random);
        let clients =
            scenario.roles.iter().enumerate().map(|(index, role)| Client::new(index, role));
        let mut world = Self {
            clients: clients.collect(),
            nodes: (0..scenario.cluster.nodes).map(|_| Node::new(0, 0)).collect(),
            truth: Truth::default(),
            database: Database::default(),
            changed: 0,
            disturbed: 0,
            judge: Judge::default(),
            sabotage,
            random,
            now: 1_000_000,
            queue: BTreeMap::new(),
            scheduled: 0,
            under_way: 0,
            connections: Vec::new(),
            wakes: 0,
            is_finale: false,
            deserter: None,
            transcript: Vec::new(),
            instead: None,
            choices: Vec::new(),
            thoughts: BTreeMap::new(),
            reports: BTreeMap::new(),
            stop_at: None,
            wrong: None,
            is_told: false,
            scenario,
        };
        for slot in 0..world.nodes.len() {
            world.set_clock(slot);
        }
        world.create();
        for client in 0..world.clients.len() {
            let after = world.random.below(2 * world.scenario.pace);
            world.after(if client == 0 { 0 } else { after }, Event::Connect(client));
            world.after(after, Event::Wake(client));
        }
        world.after(0, Event::Fault);
        world
    }

    /// Prints a line of the story, if enabled.
    pub(super) fn tell(&self, story: impl FnOnce() -> String) {
        if self.is_told {
            println!("{:>10} {}", self.now - 1_000_000, story());
        }
    }

    /// Records the first error of the run.
    pub(super) fn check(&mut self, result: Result<(), String>) {
        if let (Err(why), None) = (result, &self.wrong) {
            self.wrong = Some(why);
        }
    }

    pub(super) fn after(&mut self, delay: Millis, event: Event) {
        self.at(self.now + delay, event);
    }

    fn at(&mut self, time: Millis, event: Event) {
        self.scheduled += 1;
        self.under_way += u64::from(is_work(&event));
        self.queue.insert((time, self.scheduled), event);
    }

    /// Runs the simulation to its end.
    pub(super) fn run(&mut self) {
        for _ in 0..MOST_EVENTS {
            let Some((key, event)) = self.queue.pop_first() else { break };
            (self.now, _) = key;
            self.under_way -= u64::from(is_work(&event));
            self.happen(event);
            if self.wrong.is_some()
                || self.stop_at.is_some_and(|v| self.judge.log.len() as u64 >= v)
            {
                return;
            }
            if !self.is_finale && self.wakes >= self.scenario.wakes {
                (self.is_finale, self.changed) = (true, self.now);
                self.tell(|| "--- from here on nothing goes wrong".to_owned());
                self.desert();
            }
            if self.is_finale && self.under_way == 0 && self.is_settled() {
                let result = self.finish();
                self.check(result);
                return;
            }
        }
        let open: Vec<String> = self.remaining().filter_map(Client::unsettled).collect();
        self.check(Err(format!("the game does not come to its end: {}", open.join("; "))));
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Wake(client) => self.wake(client),
            Event::Connect(client) => self.connect(client),
            Event::ToServer(connection, frame) => {
                if !self.connections[index(connection)].is_dead {
                    self.server_receives(connection, &frame);
                }
            }
            Event::ToClient(connection, frame) => {
                if !self.connections[index(connection)].is_dead {
                    self.client_receives(connection, &frame);
                }
            }
            Event::ClientNotices(connection) => self.client_notices(connection),
            Event::ServerNotices(connection) => self.detach(connection),
            Event::Execute(slot, process, statement) => self.execute(slot, process, statement),
            Event::Answer(slot, process, mail) => self.answered(slot, process, mail),
            Event::Reach(slot, process, mail) => self.reach(slot, process, mail),
            Event::Input(slot, process, input) => {
                self.reach(slot, process, Mail::Event(HostEvent::Input(input)));
            }
            Event::Due(slot, process, due) => self.due(slot, process, due),
            Event::Thought(slot, process, v) => self.thought(slot, process, v),
            Event::Start(slot) => self.start(slot),
            Event::Beat(slot, process) => self.beat(slot, process),
            Event::Wakes(slot, process) => self.unhang(slot, process),
            Event::Stops(slot, process, times) => self.stops(slot, process, times),
            Event::Obey(slot, process) => self.obey(slot, process),
            Event::Back => self.back(),
            Event::Heal(slot) => self.heal(slot),
            Event::Leave(connection) => self.leave_silent(connection),
            Event::Break(connection) => self.break_connection(connection),
            Event::Fault => self.fault(),
        }
    }

    /// Opens a connection for a client.
    pub(super) fn open(&mut self, client: usize, slot: Slot) -> ConnectionId {
        let id = self.connections.len() as u64 + 1;
        let (account, last) = (self.clients[client].account, [self.now; 2]);
        let (process, is_dead, is_gone) = (self.nodes[slot].id, false, false);
        let connection = Connection { id, client, account, slot, process, is_dead, is_gone, last };
        self.connections.push(connection);
        id
    }

    /// Breaks a connection: frames in flight are lost, and each end notices after a while.
    pub(super) fn sever(&mut self, connection: ConnectionId, client: Millis, server: Millis) {
        let broken = &mut self.connections[index(connection)];
        if !std::mem::replace(&mut broken.is_dead, true) {
            self.after(client, Event::ClientNotices(connection));
            self.after(server, Event::ServerNotices(connection));
        }
    }

    /// Tells the node that a connection is gone.
    fn detach(&mut self, connection: ConnectionId) {
        if let Some(slot) = self.slot_at(connection) {
            self.changed = self.now;
            self.connections[index(connection)].is_gone = true;
            let detach = HostInput::Detach { connection };
            self.reach(slot, self.nodes[slot].id, Mail::Event(HostEvent::Input(detach)));
        }
    }

    /// Returns the number of events scheduled so far.
    pub(super) const fn scheduled(&self) -> u64 {
        self.scheduled
    }

    /// Breaks a connection, which each end notices at a random time.
    fn break_connection(&mut self, connection: ConnectionId) {
        let [client, server] = [0, 0].map(|_: u8| self.random.pick(&[0, 50, 5_000, 70_000]));
        self.tell(|| format!("connection {connection} breaks"));
        self.judge.tally.count("connection broken");
        self.note_own_absence(self.connections[index(connection)].client);
        self.sever(connection, client, server);
    }

    /// Sends a frame to the server or the client.
    pub(super) fn transmit(&mut self, connection: ConnectionId, to_server: bool, frame: String) {
        let delay = self.random.below(self.scenario.delay) + 1;
        let is_wild = self.scenario.faults.wild && !self.is_finale;
        let connection_now = &mut self.connections[index(connection)];
        if connection_now.is_dead {
            return;
        }
        if is_wild && self.random.percent(3) {
            // Later frames still arrive for a while.
            self.judge.tally.count("frame lost");
            let after = self.random.below(20_000);
            return self.after(after, Event::Break(connection));
        }
        let last = &mut connection_now.last[usize::from(to_server)];
        let is_overtaking = is_wild && self.now + delay < *last;
        let time = if is_wild { self.now + delay } else { (*last).max(self.now + delay) };
        *last = time.max(*last);
        let event = |frame: String| {
            if to_server {
                Event::ToServer(connection, frame)
            } else {
                Event::ToClient(connection, frame)
            }
        };
        if is_overtaking {
            self.judge.tally.count("frame overtaken");
        }
        if is_wild && self.random.percent(10) {
            self.judge.tally.count("frame doubled");
            let later = self.now + delay + self.random.below(3 * self.scenario.delay);
            self.at(later, event(frame.clone()));
        }
        self.at(time, event(frame));
    }

    /// Causes a fault and schedules the next one.
    fn fault(&mut self) {
        if self.is_finale {
            return;
        }
        let faults = self.scenario.faults;
        let cluster = self.scenario.cluster;
        let weights = [
            6,
            faults.breaks,
            faults.kills,
            faults.stops,
            faults.drops,
            cluster.hangs,
            cluster.outages,
            cluster.cuts,
            faults.closes,
            u64::from(cluster.skew > 0),
        ];
        let slot = self.random.index(self.nodes.len());
        let mut rest = self.random.below(weights.iter().sum());
        let chosen = weights.iter().position(|&weight| match rest.checked_sub(weight) {
            Some(less) => {
                rest = less;
                false
            }
            None => true,
        });
        match chosen {
            Some(1) => {
                let live: Vec<ConnectionId> =
                    self.clients.iter().filter_map(|client| client.connection).collect();
                if !live.is_empty() {
                    let connection = self.random.pick(&live);
                    self.break_connection(connection);
                }
            }
            Some(2) => self.kill(slot),
            Some(3) => self.stop(slot),
            Some(4) => self.drop_idle_room(slot),
            Some(5) => self.hang(slot),
            Some(6) => self.outage(),
            Some(7) => self.cut(slot),
            Some(8) => self.order(),
            Some(9) => self.set_clock(slot),
            _ => {}
        }
        // Few faults can matter while no client is connected.
        let is_empty = self.clients.iter().all(|client| client.connection.is_none());
        let after = self.random.below(if is_empty { 60 } else { 6 } * self.scenario.pace);
        self.after(after, Event::Fault);
    }
}

pub(super) fn index(connection: ConnectionId) -> usize {
    usize::try_from(connection).expect("connections are few") - 1
}

fn is_work(event: &Event) -> bool {
    match event {
        Event::ToServer(..)
        | Event::ToClient(..)
        | Event::Execute(..)
        | Event::Answer(..)
        | Event::Reach(..)
        | Event::Connect(_)
        | Event::ClientNotices(_)
        | Event::ServerNotices(_)
        | Event::Break(_)
        | Event::Wakes(..)
        | Event::Stops(..)
        | Event::Obey(..)
        | Event::Back
        | Event::Heal(_)
        | Event::Leave(_)
        | Event::Start(_) => true,
        Event::Wake(_)
        | Event::Input(..)
        | Event::Due(..)
        | Event::Thought(..)
        | Event::Beat(..)
        | Event::Fault => false,
    }
}
