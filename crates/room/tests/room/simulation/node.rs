//! A simulated node: it runs the real host of the room, and simulates the server around it. It carries out effects,
//! writes heartbeats, and may hang or be cut off.

use std::collections::VecDeque;

use skirmish_room::wire::{ClientMessage, RoomRequest, ServerMessage};
use skirmish_room::{
    Announcement, Append, AppendError, BEAT, Beat, Cluster, ConnectionId, Effect, Host, HostEvent,
    HostInput, Logged, Millis, NodeId, Others, Outgoing, Person, Recipient, Room, Task,
    Unavailable,
};
use skirmish_rules::{GAMES, History};

use super::delivery::{CODE, person};
use super::ensure;
use super::sabotage::Sabotage;
use super::world::{Event, World, index};

/// The slot of a node, in which processes come and go.
pub(super) type Slot = usize;

/// How long after an event the nodes of its followers must know it, without faults.
const LATEST_NEWS: Millis = 15_000;

/// A message to a node.
#[derive(Debug)]
pub(super) enum Mail {
    Event(HostEvent),
    /// The room's log; `None` if it could not be read.
    Loaded(Option<Vec<Logged>>),
    /// The append was refused because this node's view was outdated: it writes a heartbeat first.
    Stale,
}

/// A statement on its way to the database.
#[derive(Debug)]
pub(super) enum Statement {
    Append { after: u64, events: Vec<Logged>, outage: u64 },
    Read { after: u64 },
    Recognise(skirmish_room::AccountId),
    Load,
}

/// A slot for a process, and the process if it is up.
#[allow(clippy::struct_excessive_bools)] // a node can fail in several ways at once
pub(super) struct Node {
    /// The id of the process.
    pub(super) id: NodeId,
    pub(super) is_up: bool,
    pub(super) is_hung: bool,
    /// Whether the node is cut off from the database, and from the bus.
    pub(super) is_cut: [bool; 2],
    /// Whether the node refuses connections.
    pub(super) is_closed: bool,
    pub(super) is_stopping: bool,
    /// How far the node's clock is behind.
    pub(super) behind: Millis,
    pub(super) host: Option<Box<Host>>,
    pub(super) cluster: Cluster,
    pub(super) others: Others,
    /// The versions that this node has had, and since when.
    pub(super) learned: Vec<(u64, Millis)>,
    /// Messages that arrived while the node hangs.
    pub(super) mailbox: VecDeque<Mail>,
    /// Inputs waiting until the room has been read; `None` if no read is in progress.
    pub(super) loading: Option<Vec<HostInput>>,
    /// Whether the node failed to write heartbeats and has not written one since.
    pub(super) is_silent: bool,
    /// Whether a database request is in progress.
    pub(super) is_busy: bool,
    pub(super) due: Option<Millis>,
    pub(super) thinking: Option<u64>,
}

impl Node {
    pub(super) fn new(id: NodeId, behind: Millis) -> Self {
        Self {
            id,
            is_up: false,
            is_hung: false,
            is_cut: [false; 2],
            is_closed: false,
            is_stopping: false,
            behind,
            host: None,
            cluster: Cluster { node: id, ..Cluster::alone(0) },
            others: Others::default(),
            learned: Vec::new(),
            mailbox: VecDeque::new(),
            loading: None,
            is_silent: false,
            is_busy: false,
            due: None,
            thinking: None,
        }
    }

    /// Whether the node can write.
    pub(super) const fn serves(&self) -> bool {
        self.is_up && !self.is_hung && !self.is_cut[0]
    }

    pub(super) fn followers(&self) -> Vec<ConnectionId> {
        self.host.as_ref().map_or_else(Vec::new, |host| host.followers().collect())
    }

    pub(super) fn is_quiet(&self) -> bool {
        !self.is_busy && self.mailbox.is_empty() && self.loading.is_none()
    }
}

impl World {
    pub(super) fn node_now(&self, slot: Slot) -> Millis {
        self.now - self.nodes[slot].behind
    }

    /// Whether a node can reach the database.
    fn reaches(&self, slot: Slot) -> bool {
        !self.database.is_away && !self.nodes[slot].is_cut[0]
    }

    /// Whether this process is still running in its slot.
    fn is_running(&self, slot: Slot, process: NodeId) -> bool {
        self.nodes[slot].is_up && self.nodes[slot].id == process
    }

    /// Delivers a message to a node, or queues it while the node hangs.
    pub(super) fn reach(&mut self, slot: Slot, process: NodeId, mail: Mail) {
        if !self.is_running(slot, process) {
            return;
        }
        if self.nodes[slot].is_hung {
            return self.nodes[slot].mailbox.push_back(mail);
        }
        match mail {
            Mail::Event(event) => self.handle(slot, event),
            Mail::Loaded(log) => self.loaded(slot, log),
            Mail::Stale => {
                self.beat_now(slot);
                self.handle(slot, HostEvent::Appended(Err(AppendError::Stale)));
            }
        }
    }

    /// Handles a frame from a client.
    pub(super) fn server_receives(&mut self, connection: ConnectionId, frame: &str) {
        let message = match serde_json::from_str::<ClientMessage>(frame) {
            Ok(message) => message,
            Err(error) => return self.check(Err(format!("{frame} does not parse: {error}"))),
        };
        let Some(slot) = self.slot_at(connection) else { return };
        let account = self.connections[index(connection)].account;
        if message == ClientMessage::Ping {
            let node = &self.nodes[slot];
            let room = node.host.as_ref().filter(|_| node.followers().contains(&connection));
            let versions = room.map(|host| (CODE.to_owned(), host.room().version()));
            let message = ServerMessage::Pong { versions: versions.into_iter().collect() };
            if !node.is_hung {
                self.deliver(slot, Outgoing { to: Recipient::One(connection), message });
            }
        } else if let Some(input) = input_of(connection, person(account), message) {
            let process = self.nodes[slot].id;
            self.reach(slot, process, Mail::Event(HostEvent::Input(input)));
        }
    }

    /// Returns the node of a connection, if it is still running.
    pub(super) fn slot_at(&self, connection: ConnectionId) -> Option<Slot> {
        let connection = &self.connections[index(connection)];
        self.is_running(connection.slot, connection.process).then_some(connection.slot)
    }

    /// Handles an event of the room on a node, reading the room first if needed.
    pub(super) fn handle(&mut self, slot: Slot, mut event: HostEvent) {
        let Some(now) = self.mislead(slot, &mut event) else { return };
        if let HostEvent::Input(input) = &mut event {
            if self.nodes[slot].is_stopping && self.is_last(slot) {
                // The game is paused, or is about to be.
                return self.refuse_if(slot, Sabotage::RefuseAtStop, input);
            }
            if let HostInput::Request { id: Some(id), lag, .. } = input {
                *lag = self.lag_of(id);
            }
            self.disguise(slot, input);
            if matches!(input, HostInput::Attach { .. }) {
                (self.changed, self.truth.disturbed) = (self.now, self.now);
            }
        }
        if self.nodes[slot].host.is_none() {
            if let HostEvent::Input(input) = event {
                self.load_for(slot, input);
            }
            return;
        }
        let cluster = self.believed(slot);
        let is_tick = matches!(event, HostEvent::Input(HostInput::Tick));
        let node = &mut self.nodes[slot];
        let host = node.host.as_mut().expect("just looked at");
        let is_timer = is_tick && !host.is_in_trouble();
        let handled = host.handle(now, &cluster, event);
        let v = host.room().version();
        if node.learned.last().is_none_or(|(known, _)| *known < v) {
            node.learned.push((v, now));
        }
        match handled {
            Ok(effects) => self.carry_out(slot, effects, is_timer),
            Err(error) => self.check(Err(format!("the log does not fold: {error}"))),
        }
        self.look_ahead(slot);
        self.note_truth();
    }

    /// Sets the timer, and lets the computer think.
    fn look_ahead(&mut self, slot: Slot) {
        let now = self.node_now(slot);
        let node = &self.nodes[slot];
        let Some(host) = node.host.as_ref().filter(|_| !node.is_busy) else { return };
        let (due, process, v) = (host.due(&node.cluster), node.id, host.room().version());
        let has_task = node.thinking != Some(v) && host.task(now, &node.cluster).is_some();
        if due.is_some() && due != node.due {
            self.nodes[slot].due = due;
            let after = due.unwrap_or(now).saturating_sub(now).max(1);
            self.after(after, Event::Due(slot, process, due.unwrap_or(now)));
        }
        if has_task {
            self.nodes[slot].thinking = Some(v);
            let after = 1 + self.random.below(1_500);
            self.after(after, Event::Thought(slot, process, v));
        }
    }

    /// Handles a timer.
    pub(super) fn due(&mut self, slot: Slot, process: NodeId, due: Millis) {
        if self.is_running(slot, process) && self.nodes[slot].due == Some(due) {
            self.nodes[slot].due = None;
            if self.sabotage != Some(Sabotage::IgnoreTime) {
                self.reach(slot, process, Mail::Event(HostEvent::Input(HostInput::Tick)));
            }
        }
    }

    /// Enters the computer's choice.
    pub(super) fn thought(&mut self, slot: Slot, process: NodeId, v: u64) {
        if !self.is_running(slot, process) || self.nodes[slot].thinking != Some(v) {
            return;
        }
        self.nodes[slot].thinking = None;
        let now = self.node_now(slot);
        let node = &self.nodes[slot];
        let Some(host) = node.host.as_ref().filter(|host| host.room().version() == v) else {
            return;
        };
        // The computer's random numbers depend on these, and on the position.
        let (seed, number, undone) = host.room().chance().expect("a game");
        let turns = host.room().table().map_or(0, History::turns_played);
        let mut dice =
            usize::try_from(seed % 1_000).expect("small") + turns + 7 * (number + undone) as usize;
        if self.sabotage == Some(Sabotage::ThinkDifferently) {
            dice += slot;
        }
        let input = match host.task(now, &node.cluster) {
            Some(Task::Choose(side, table)) => {
                let choices = table.choices(side);
                let text = choices[dice % choices.len()].notation.clone();
                HostInput::Choice { side, text }
            }
            Some(Task::AnswerDraw(side, _)) => {
                HostInput::DrawAnswer { side, yes: dice.is_multiple_of(3) }
            }
            None => return,
        };
        let thought = format!("{input:?}");
        let first = self.thoughts.entry(v).or_insert_with(|| thought.clone()).clone();
        self.check(ensure(first == thought, || format!("nodes think differently: {thought}")));
        if self.sabotage != Some(Sabotage::NeverThink) {
            self.reach(slot, process, Mail::Event(HostEvent::Input(input)));
        }
    }

    fn carry_out(&mut self, slot: Slot, effects: Vec<Effect>, is_timer: bool) {
        for effect in effects {
            match effect {
                Effect::Append { append, outage } => {
                    let Append { after, mut events, .. } = *append;
                    self.falsify(slot, &mut events);
                    if self.sabotage == Some(Sabotage::ApplyBeforeDurable) {
                        let (process, ok) = (self.nodes[slot].id, HostEvent::Appended(Ok(())));
                        self.after(1, Event::Reach(slot, process, Mail::Event(ok)));
                    }
                    self.ask(slot, Statement::Append { after, events, outage });
                }
                Effect::Read { after } => {
                    let is_blind = is_timer && self.sabotage == Some(Sabotage::NeverLook);
                    let after = if is_blind { u64::MAX } else { after };
                    self.ask(slot, Statement::Read { after });
                }
                Effect::Recognise(account) => self.ask(slot, Statement::Recognise(account)),
                Effect::Publish(announcement) => self.publish(slot, &announcement),
                Effect::Send(outgoing) => self.deliver(slot, outgoing),
                Effect::Close(connection) => {
                    let notices = self.random.below(500);
                    self.sever(connection, notices, 0);
                }
            }
        }
    }

    /// Sends a statement to the database.
    fn ask(&mut self, slot: Slot, statement: Statement) {
        let is_twice = std::mem::replace(&mut self.nodes[slot].is_busy, true);
        let is_again = is_twice && self.sabotage != Some(Sabotage::ApplyBeforeDurable);
        self.check(if is_again { Err("asked two things at once".to_owned()) } else { Ok(()) });
        let after = 1 + self.random.below(self.scenario.cluster.statement);
        self.after(after, Event::Execute(slot, self.nodes[slot].id, statement));
    }

    /// Executes a statement that arrives at the database, unless it is lost.
    pub(super) fn execute(&mut self, slot: Slot, process: NodeId, statement: Statement) {
        let is_running = self.is_running(slot, process);
        let is_reached = if is_running { self.reaches(slot) } else { !self.database.is_away };
        let is_sure = is_running && is_reached;
        if let Statement::Append { events, .. } = &statement
            && !is_sure
        {
            self.judge.tally.count("append unknown");
            if is_running {
                self.refuse_unknown(slot, events);
            }
        }
        if !is_sure && !self.random.percent(40) {
            if is_running {
                self.answer(slot, unavailable(&statement), 2_000);
            }
            return;
        }
        if is_running && self.scenario.cluster.nodes == 1 && !self.nodes[slot].is_hung {
            self.touch(slot);
        }
        let log = &self.database.log;
        let from = |after: u64| {
            let first = usize::try_from(after).unwrap_or(usize::MAX).min(log.len());
            log[first..].to_vec()
        };
        let lost = unavailable(&statement);
        let answer = match statement {
            Statement::Append { after, events, outage } => {
                match self.append(slot, process, after, &events, outage) {
                    Err(AppendError::Stale) => Mail::Stale,
                    result => Mail::Event(HostEvent::Appended(result)),
                }
            }
            Statement::Read { after } => Mail::Event(HostEvent::Read(Ok(from(after)))),
            Statement::Recognise(account) => {
                Mail::Event(HostEvent::Recognised(Ok(self.recognise(account))))
            }
            Statement::Load => Mail::Loaded(Some(self.remembered())),
        };
        if is_sure {
            self.nodes[slot].cluster.reached = self.node_now(slot);
        }
        if !is_running || self.kill_now(slot) {
            return;
        }
        let delay = self.scenario.cluster.statement;
        if self.sabotage == Some(Sabotage::ApplyBeforeDurable)
            && matches!(answer, Mail::Event(HostEvent::Appended(Ok(()))))
        {
            return;
        }
        self.answer(slot, if is_sure { answer } else { lost }, delay);
    }

    fn answer(&mut self, slot: Slot, mail: Mail, latest: Millis) {
        let after = 1 + self.random.below(latest);
        self.after(after, Event::Answer(slot, self.nodes[slot].id, mail));
    }

    pub(super) fn answered(&mut self, slot: Slot, process: NodeId, mail: Mail) {
        if self.is_running(slot, process) {
            if self.nodes[slot].is_hung {
                return self.nodes[slot].mailbox.push_back(mail);
            }
            self.nodes[slot].is_busy = false;
            self.reach(slot, process, mail);
        }
    }

    fn append(
        &mut self,
        slot: Slot,
        process: NodeId,
        after: u64,
        events: &[Logged],
        outage: u64,
    ) -> Result<(), AppendError> {
        let mut rules = (Some(after), Some(outage));
        match self.sabotage {
            Some(Sabotage::TwoFlags) if events[0].by.is_none() => rules.0 = None,
            Some(Sabotage::SkipHeartbeatCheck) => rules.1 = None,
            Some(Sabotage::LoseAppend) if self.random.percent(5) => return Ok(()),
            _ => {}
        }
        let now = self.now;
        let result = self.database.append(process, now, rules, events);
        self.judge.tally.count(match &result {
            Ok(_) => "append",
            Err(AppendError::Conflict) => "append in conflict",
            Err(_) => "append stale",
        });
        match result {
            Ok(events) => {
                for logged in events {
                    self.make_durable(slot, &logged);
                }
                Ok(())
            }
            // Sabotage: an input that met a conflict is dropped.
            Err(AppendError::Conflict) if self.sabotage == Some(Sabotage::NeverDecideAgain) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the room on a node that needs it for an input.
    pub(super) fn load_for(&mut self, slot: Slot, input: HostInput) {
        let loading = &mut self.nodes[slot].loading;
        match (&input, &mut *loading) {
            (HostInput::Detach { connection }, Some(waiting)) => {
                waiting.retain(|other| other.connection() != Some(*connection));
            }
            // The log being read may still name the guest.
            (HostInput::Reload, Some(waiting)) => waiting.push(input),
            (
                HostInput::Attach { .. }
                | HostInput::Request { .. }
                | HostInput::Shut
                | HostInput::Tick,
                _,
            ) => {
                let is_new = loading.is_none();
                loading.get_or_insert_default().push(input);
                if is_new {
                    self.ask(slot, Statement::Load);
                }
            }
            _ => {}
        }
    }

    fn loaded(&mut self, slot: Slot, log: Option<Vec<Logged>>) {
        let Some(log) = log else {
            if self.nodes[slot].loading.as_ref().is_some_and(Vec::is_empty) {
                self.nodes[slot].loading = None;
                return;
            }
            return self.ask(slot, Statement::Load);
        };
        let room = match Room::fold(GAMES, &log) {
            Ok(room) => room,
            Err(error) => return self.check(Err(format!("the log does not fold: {error}"))),
        };
        self.tell(|| format!("node {slot} reads the room: {} events", log.len()));
        self.judge.tally.count("room read");
        let now = self.node_now(slot);
        let node = &mut self.nodes[slot];
        node.host = Some(Box::new(Host::new(room, now, &node.cluster)));
        (node.due, node.thinking) = (None, None);
        let waiting = node.loading.take().unwrap_or_default();
        for input in std::iter::once(HostInput::Tick).chain(waiting) {
            self.handle(slot, HostEvent::Input(input));
        }
    }

    /// Drops the room from a node where nobody needs it.
    pub(super) fn drop_idle_room(&mut self, slot: Slot) {
        let node = &mut self.nodes[slot];
        // While the database is unavailable, an input may wait from a client that does not follow the room yet.
        let is_needed = |host: &Host| host.is_in_trouble() || host.followers().next().is_some();
        if node.is_quiet() && node.host.as_ref().is_some_and(|host| !is_needed(host)) {
            (node.host, node.due, node.thinking) = (None, None, None);
            self.judge.tally.count("room dropped");
            self.look_when_due(slot);
        }
    }

    /// Makes a lone node read a room it has dropped, when an event is due there.
    pub(super) fn look_when_due(&mut self, slot: Slot) {
        if let Some(due) = self.judge.due().filter(|_| self.scenario.cluster.nodes == 1) {
            let after = (due + BEAT).saturating_sub(self.now);
            self.after(after, Event::Beat(slot, self.nodes[slot].id));
        }
    }

    /// Announces something to the other nodes.
    fn publish(&mut self, slot: Slot, announcement: &Announcement) {
        let cluster = self.scenario.cluster;
        let is_heard = !self.nodes[slot].cluster.is_alone;
        self.check(ensure(is_heard, || "a single node publishes something".to_owned()));
        if announcement.followers.is_some() {
            let reported =
                Announcement { v: 0, events: Vec::new(), asks: false, ..announcement.clone() };
            self.reports.insert(announcement.node, reported);
        }
        for other in (0..self.nodes.len()).filter(|&other| other != slot) {
            if self.is_cut_from(slot, other) || !self.nodes[other].is_up {
                continue;
            }
            if !self.is_finale && self.random.percent(cluster.loss) {
                self.judge.tally.count("announcement lost");
                continue;
            }
            let is_doubled = self.random.percent(cluster.doubled);
            for _ in 0..=u8::from(is_doubled) {
                let is_late = self.random.percent(cluster.late);
                let after = 1 + self.random.below(if is_late { 4_000 } else { 20 });
                let mail = Mail::Event(HostEvent::Announced(announcement.clone()));
                self.after(after, Event::Reach(other, self.nodes[other].id, mail));
            }
        }
    }

    fn is_cut_from(&self, slot: Slot, other: Slot) -> bool {
        self.nodes[slot].is_cut[1] || self.nodes[other].is_cut[1]
    }

    /// Records that a lone node has been writing heartbeats, which are not simulated individually.
    pub(super) fn touch(&mut self, slot: Slot) {
        let node = &self.nodes[slot];
        let is_alone = self.scenario.cluster.nodes == 1;
        if is_alone && node.serves() && !node.is_silent && self.reaches(slot) {
            self.database.touch(self.nodes[slot].id, self.now);
            self.nodes[slot].cluster.reached = self.node_now(slot);
        }
    }

    /// Writes a periodic heartbeat.
    pub(super) fn beat(&mut self, slot: Slot, process: NodeId) {
        if !self.is_running(slot, process) {
            return;
        }
        if !self.nodes[slot].is_hung {
            self.beat_now(slot);
        }
        // A lone node may believe for a moment that the process that ran before is alive.
        if self.scenario.cluster.nodes > 1 || !self.nodes[slot].cluster.is_alone {
            self.after(BEAT, Event::Beat(slot, process));
        }
    }

    /// Writes a heartbeat, if possible, and updates the view of the other nodes.
    pub(super) fn beat_now(&mut self, slot: Slot) {
        let (now, id) = (self.now, self.nodes[slot].id);
        self.touch(slot);
        let is_only = self.scenario.cluster.nodes == 1;
        let beat = self.reaches(slot).then(|| self.database.beat(id, now, is_only));
        let is_reached = beat.is_some();
        let known = self.nodes[slot].others.ids();
        let has_changed = self.look_around(slot, beat);
        self.greet(slot);
        self.remind(slot);
        let node = &self.nodes[slot];
        // The first remaining node wakes the rooms of a node that has died.
        let is_orphan = !known.is_subset(&node.others.ids())
            && node.others.is_first(id)
            && !self.judge.is_finished();
        let is_due = is_reached && (is_orphan || self.is_room_due());
        if has_changed && node.host.is_some() || is_due && node.host.is_none() {
            self.reach(slot, id, Mail::Event(HostEvent::Input(HostInput::Tick)));
        }
        self.close_if_cut_off(slot);
    }

    /// Greets the other nodes. They notice at once if they believed to be alone.
    fn greet(&mut self, slot: Slot) {
        let Node { id, cluster, .. } = &self.nodes[slot];
        let (id, ago) = (*id, self.node_now(slot).saturating_sub(cluster.reached));
        for other in 0..self.nodes.len() {
            let loss = if self.is_finale { 0 } else { self.scenario.cluster.loss };
            // Nodes greet twice between two heartbeats.
            let is_lost = self.random.percent(loss) && self.random.percent(loss);
            if other == slot || is_lost || self.is_cut_from(slot, other) {
                continue;
            }
            let now = self.node_now(other);
            let node = &mut self.nodes[other];
            node.others.hear(id, ago, 0, now);
            if node.cluster.is_alone && !node.is_hung && self.look_around(other, None) {
                let process = self.nodes[other].id;
                self.reach(other, process, Mail::Event(HostEvent::Input(HostInput::Tick)));
            }
        }
    }

    /// Updates a node's view of the database and the other nodes. Returns whether it has changed.
    fn look_around(&mut self, slot: Slot, beat: Option<Beat>) -> bool {
        let now = self.node_now(slot);
        let node = &mut self.nodes[slot];
        let before = node.cluster.clone();
        if let Some(beat) = beat {
            node.is_silent = false;
            let living: Vec<NodeId> = beat.others(node.id).map(|other| other.id).collect();
            node.others.expect(&living, now);
            let outages = &self.database.outages;
            let earlier = outages[..outages.len().saturating_sub(1)].to_vec();
            node.cluster.note_beat(now, &beat, earlier);
        }
        node.cluster.note_time(now);
        node.cluster.note_others(now, &node.others, Some(true));
        if node.cluster.is_partitioned {
            self.judge.tally.count("node partitioned");
        }
        if !node.cluster.is_available && before.is_available {
            self.judge.tally.count("node finds the database away");
        }
        node.cluster != Cluster { reached: node.cluster.reached, ..before }
    }

    /// Sends a node's clients away if it alone cannot reach the database, or reaches nothing.
    fn close_if_cut_off(&mut self, slot: Slot) {
        let now = self.node_now(slot);
        let node = &self.nodes[slot];
        let silence = now.saturating_sub(node.cluster.reached);
        let is_closed = node.others.are_better_off(silence, now);
        if is_closed && !node.is_closed {
            self.judge.tally.count("node sends its clients away");
            self.tell(|| format!("node {slot} sends its clients away"));
            self.disconnect(slot, 100);
        }
        self.nodes[slot].is_closed = is_closed;
    }

    /// Checks that a node that serves followers learns of every event, even if announcements are lost.
    pub(super) fn check_up_to_date(&mut self) {
        for slot in 0..self.nodes.len() {
            let node = &self.nodes[slot];
            let is_idle = node.serves() && node.is_quiet() && !self.database.is_away;
            let Some(host) = node.host.as_ref().filter(|_| is_idle) else { continue };
            let known = usize::try_from(host.room().version()).expect("small");
            let missing = self.judge.log.get(known).filter(|_| host.followers().next().is_some());
            if let Some(logged) = missing {
                let since = logged.at.max(self.disturbed);
                let is_recent = self.now <= since + LATEST_NEWS;
                let v = known + 1;
                self.check(ensure(is_recent, || format!("node {slot} has not learned of {v}")));
            }
        }
    }

    /// Whether an event is due in a room that no node follows.
    fn is_room_due(&self) -> bool {
        self.nodes.iter().all(|node| node.followers().is_empty())
            && self.judge.due().is_some_and(|due| due <= self.now)
    }
}

fn unavailable(statement: &Statement) -> Mail {
    Mail::Event(match statement {
        Statement::Append { .. } => HostEvent::Appended(Err(AppendError::Unavailable)),
        Statement::Read { .. } => HostEvent::Read(Err(Unavailable)),
        Statement::Recognise(_) => HostEvent::Recognised(Err(Unavailable)),
        Statement::Load => return Mail::Loaded(None),
    })
}

/// Converts a client's message to a host input.
fn input_of(connection: ConnectionId, person: Person, message: ClientMessage) -> Option<HostInput> {
    let account = person.account;
    match message {
        ClientMessage::Request(RoomRequest { id, seen, request, .. }) => {
            let id = Some(id);
            Some(HostInput::Request { connection, account, id, seen, lag: 0, request })
        }
        ClientMessage::Join { id, have, watch, .. } => {
            Some(HostInput::Attach { connection, person, id, have, watch })
        }
        _ => None,
    }
}
