//! The simulated nodes of a server: one room, and everything that can happen between validate, append, acknowledge and
//! broadcast. A server alone is one node without a lease.

use std::collections::VecDeque;

use skirmish_room::wire::{MessageId, ServerMessage};
use skirmish_room::{
    Bell, ConnectionId, Desk, DeskInput, Forward, Lease, Logged, Millis, NodeId, Origin, Outgoing,
    Recipient, Replica, Reply, Report, Request, Room, Served, Task,
};

use super::bus::Asker;
use super::cluster::Force;
use super::database::Append;
use super::delivery::CODE;
use super::drain::Stopping;
use super::sabotage::Sabotage;
use super::world::{Event, World};

/// The place of a node. The process there has a number of its own, which changes when it starts again.
pub(super) type Slot = usize;

/// What a node is to the room.
#[derive(Default)]
pub(super) enum Role {
    /// It does not run.
    #[default]
    Down,
    /// It does not have the room in memory.
    Idle,
    Owner(Box<Desk>),
    Replica(Box<Replica>),
}

impl Role {
    pub(super) fn room(&self) -> Option<&Room> {
        match self {
            Self::Owner(desk) => Some(desk.room()),
            Self::Replica(replica) => Some(replica.room()),
            Self::Down | Self::Idle => None,
        }
    }

    pub(super) fn followers(&self) -> Vec<ConnectionId> {
        match self {
            Self::Owner(desk) => desk.followers().collect(),
            Self::Replica(replica) => replica.followers().collect(),
            Self::Down | Self::Idle => Vec::new(),
        }
    }
}

/// What waits for a node.
#[derive(Debug)]
pub(super) enum Letter {
    Input(DeskInput),
    /// Another node asks.
    Asked(Asker, Forward),
    Reported(Asker, Report),
    Bell(Bell),
    Timer,
    /// Somebody has signed in: the log names another account now.
    Reload,
}

/// What a node is doing.
#[derive(Debug)]
pub(super) enum Busy {
    /// It appends to the log, for another node perhaps.
    Writing(Vec<Logged>, Option<Asker>),
    /// It asks the owner about an input.
    Asking(u64, DeskInput),
    /// The owner has answered, and the log is read.
    Finishing(DeskInput, Vec<ServerMessage>),
    /// It wants to own the room, by force perhaps, and reads the log afterwards.
    Acquiring(Force),
    Reading,
    /// The database is away.
    Waiting,
}

/// A node.
#[derive(Default)]
pub(super) struct Node {
    pub(super) role: Role,
    /// Counts all processes, so that nothing of an earlier one reaches a later one.
    pub(super) id: NodeId,
    pub(super) mailbox: VecDeque<Letter>,
    pub(super) busy: Option<Busy>,
    /// The position for which the computer is thinking.
    pub(super) thinking: Option<u64>,
    pub(super) stopping: Option<Stopping>,
    /// How far its clock is behind.
    pub(super) behind: Millis,
    pub(super) due: Option<Millis>,
    /// The messages that it has refused and remembers.
    pub(super) refused: VecDeque<Origin>,
    /// The lease that it had last, and until when the room was served before.
    pub(super) lease: Option<Lease>,
    pub(super) served: Served,
    /// The owner's lease, as far as it knows.
    pub(super) owner: Option<Lease>,
    /// What it told the others last.
    pub(super) rung: Option<Bell>,
    /// Until when it lets clocks run that it resumes.
    pub(super) resumes: Millis,
    pub(super) is_timed: bool,
    /// When it last reached the database before that was away, and when it first did not, until it has read the log again.
    pub(super) away: Option<(Millis, Millis)>,
    /// For the sabotage: a version up to which it believes to have read the log.
    pub(super) believes: u64,
}

impl Node {
    pub(super) fn desk(&mut self) -> &mut Desk {
        match &mut self.role {
            Role::Owner(desk) => desk,
            _ => panic!("the node owns the room"),
        }
    }
}

impl World {
    pub(super) fn node_now(&self, slot: Slot) -> Millis {
        self.now.saturating_sub(self.nodes[slot].behind)
    }

    pub(super) fn is_up(&self, slot: Slot) -> bool {
        !matches!(self.nodes[slot].role, Role::Down)
    }

    pub(super) fn is_alone(&self) -> bool {
        self.scenario.cluster.is_none()
    }

    pub(super) fn node_takes(&mut self, slot: Slot, input: DeskInput) {
        let node = &mut self.nodes[slot];
        match (&node.role, &node.busy, &input) {
            (Role::Down, ..) => {}
            (Role::Replica(_), Some(Busy::Waiting), DeskInput::Detach { connection }) => {
                self.depart(slot, *connection);
                self.note_seen(slot);
            }
            _ => {
                node.mailbox.push_back(Letter::Input(input));
                self.pump(slot);
            }
        }
    }

    /// Handles what waits, until something has to be waited for.
    pub(super) fn pump(&mut self, slot: Slot) {
        while self.nodes[slot].busy.is_none() && self.is_up(slot) {
            let Some(letter) = self.nodes[slot].mailbox.pop_front() else { break };
            self.take(slot, letter);
        }
        self.note_seen(slot);
        let node = &self.nodes[slot];
        let is_pausing = node.stopping == Some(Stopping::Pausing);
        if is_pausing && node.busy.is_none() && node.mailbox.is_empty() {
            return self.paused(slot);
        }
        self.ring(slot);
        self.plan_ahead(slot);
    }

    fn take(&mut self, slot: Slot, letter: Letter) {
        if matches!(letter, Letter::Input(DeskInput::Stop)) && !self.is_alone() {
            // Clients send again, to another node, what has come meanwhile.
            let is_client = |letter: &Letter| matches!(letter, Letter::Input(input) if Forward::of(input).is_some());
            let letters = std::mem::take(&mut self.nodes[slot].mailbox);
            let (dropped, kept): (VecDeque<Letter>, _) = letters.into_iter().partition(is_client);
            self.nodes[slot].mailbox = kept;
            for letter in dropped {
                self.refuse_at_stop(slot, Some(letter));
            }
        }
        match (letter, &mut self.nodes[slot].role) {
            (Letter::Input(input), Role::Owner(_)) => self.owner_handles(slot, input, None),
            (Letter::Input(input), Role::Replica(_)) => self.replica_handles(slot, input),
            (
                Letter::Input(
                    input
                    @ (DeskInput::Attach { .. } | DeskInput::Request { .. } | DeskInput::Shut),
                ),
                Role::Idle,
            ) => {
                self.nodes[slot].mailbox.push_front(Letter::Input(input));
                self.acquire(slot, Force::No);
            }
            (Letter::Asked(asker, forward), Role::Owner(_)) => {
                self.take_forwarded(slot, asker, forward);
            }
            (Letter::Reported(asker, report), Role::Owner(_)) => {
                self.take_report(slot, asker, report);
            }
            (Letter::Asked(asker, _) | Letter::Reported(asker, _), _) => {
                self.answer(slot, asker, Reply::NotOwner);
            }
            (Letter::Bell(bell), _) => self.hear(slot, &bell),
            (Letter::Timer, _) => self.timer(slot),
            (Letter::Reload, _) => self.reload(slot),
            (Letter::Input(_), Role::Idle | Role::Down) => {}
        }
    }

    pub(super) fn owner_handles(&mut self, slot: Slot, mut input: DeskInput, asker: Option<Asker>) {
        self.tell(|| format!("node {slot} handles {input:?}"));
        if self.database.is_missed(self.now) {
            return self.miss(slot, input, asker);
        }
        let now = self.node_now(slot);
        let version = self.nodes[slot].desk().room().version();
        if input.version() > version && !self.is_alone() {
            // Somebody has seen more: another node must be the owner.
            self.judge.tally.count("owner found itself behind");
            self.put_back(slot, Some(input), asker);
            return self.doubt(slot);
        }
        input = match self.recognise(slot, input) {
            Ok(input) => input,
            Err(input) => return self.hesitate(slot, *input, asker),
        };
        if let DeskInput::Request { id: Some(id), lag, .. } = &mut input {
            *lag = self.lag_of(id);
        }
        if matches!(input, DeskInput::Choice { .. } | DeskInput::DrawAnswer { .. }) {
            self.nodes[slot].thinking = None;
        }
        let again = self.disguise(slot, &mut input);
        let message = match &input {
            DeskInput::Request { connection, id: Some(id), .. } => Some((*connection, id.clone())),
            _ => None,
        };
        if self.sabotage == Some(Sabotage::NeverAnswer)
            && message.is_some()
            && self.random.percent(5)
        {
            return;
        }
        let is_claim = matches!(input, DeskInput::Request { request: Request::Claim, .. });
        let is_early = is_claim && self.sabotage == Some(Sabotage::ClaimAtOnce);
        let desk = self.nodes[slot].desk();
        let kept = input.clone();
        let mut step = desk.handle(now + if is_early { 600_000 } else { 0 }, input);
        if step.refuses() && !self.is_alone() && self.cannot_refuse(slot) {
            return self.hesitate(slot, kept, asker);
        }
        if is_early {
            step.append.iter_mut().for_each(|logged| logged.at = now);
        }
        self.acknowledge_refused(version, &mut step.send);
        self.note_refusals(slot, &step);
        let answer = self.deliver(slot, step.send);
        if step.append.is_empty() {
            return self.reply(slot, asker, answer);
        }
        let mut append = step.append;
        self.falsify(slot, &mut append, again.as_ref());
        if let Some((connection, id)) = message {
            self.acknowledge_early(slot, version, connection, id, &append);
        }
        if self.sabotage == Some(Sabotage::BroadcastBeforeAppend) {
            self.commit(slot, asker);
        }
        self.write(slot, append, asker);
    }

    /// For the sabotage: a message is acknowledged while its events are being appended.
    fn acknowledge_early(
        &mut self,
        slot: Slot,
        version: u64,
        connection: ConnectionId,
        id: MessageId,
        append: &[Logged],
    ) {
        if self.sabotage == Some(Sabotage::AcknowledgeBeforeAppend)
            && append.iter().any(|logged| logged.by.as_ref().is_some_and(|by| by.id == id))
        {
            let v = Some(version + append.len() as u64);
            let message = ServerMessage::Ack { id, code: Some(CODE.to_owned()), v };
            self.deliver(slot, vec![Outgoing { to: Recipient::One(connection), message }]);
        }
    }

    /// Whether a node does not know that it still owns the room.
    fn cannot_refuse(&mut self, slot: Slot) -> bool {
        let is_unsure = self.database.is_away || self.valid_lease(slot).is_none();
        if is_unsure {
            self.judge.tally.count("refusal withheld");
        }
        is_unsure
    }

    fn write(&mut self, slot: Slot, append: Vec<Logged>, asker: Option<Asker>) {
        self.nodes[slot].busy = Some(Busy::Writing(append, asker));
        if self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(2) {
            // In the middle of the append.
            return self.kill(slot);
        }
        let cluster = self.scenario.cluster.unwrap_or_default();
        let is_pausing = self.nodes[slot].stopping.is_some();
        let chance = if is_pausing { 30 } else { 3 };
        let is_slow = cluster.nodes > 0 && !self.is_finale && self.random.percent(chance);
        let after = self.random.below(if is_slow { 3_000 } else { 20 });
        self.after(after, Event::Done(slot, self.nodes[slot].id));
        self.outage_now_and_then(3);
    }

    /// Sends the answer to the node that asked.
    fn reply(&mut self, slot: Slot, asker: Option<Asker>, answer: Vec<ServerMessage>) {
        let node = &self.nodes[slot];
        if let (Some(asker), Role::Owner(desk), Some(lease)) = (asker, &node.role, node.lease) {
            let bell = desk.bell(lease);
            self.answer(slot, asker, Reply::Handled { bell, answer });
        }
    }

    fn take_report(&mut self, slot: Slot, asker: Asker, report: Report) {
        let now = self.node_now(slot);
        self.server.reports.insert(asker.node, report.clone());
        let send = self.nodes[slot].desk().note_elsewhere(now, asker.node, report);
        self.deliver(slot, send);
        self.reply(slot, Some(asker), Vec::new());
    }

    /// What a node waits for has happened.
    pub(super) fn done(&mut self, slot: Slot, node: NodeId) {
        if node != self.nodes[slot].id {
            return;
        }
        match self.nodes[slot].busy.take() {
            Some(Busy::Writing(events, asker)) => self.written(slot, events, asker),
            Some(Busy::Acquiring(force)) => self.acquired(slot, force),
            Some(Busy::Reading) => self.read(slot),
            Some(Busy::Finishing(input, answer)) => self.finish_request(slot, input, answer),
            Some(Busy::Waiting) => self.look(slot),
            busy @ (Some(Busy::Asking(..)) | None) => self.nodes[slot].busy = busy,
        }
        self.pump(slot);
    }

    /// The log has written what it was given, or not.
    fn written(&mut self, slot: Slot, events: Vec<Logged>, asker: Option<Asker>) {
        let node = &mut self.nodes[slot];
        let after = node.desk().room().version();
        let is_fenced = self.sabotage != Some(Sabotage::AppendWithoutLease);
        let after = if self.sabotage == Some(Sabotage::BroadcastBeforeAppend) {
            self.database.durable.len() as u64
        } else {
            after
        };
        let result = self.database.check(node.lease, is_fenced, after);
        if result == Append::Done && self.is_known(slot, &events) {
            return self.give_up(slot);
        }
        if result != Append::Done {
            let input = self.nodes[slot].desk().abandon();
            self.put_back(slot, input, asker);
            if result == Append::Away {
                self.judge.tally.count("append unknown");
                return self.wait(slot);
            }
            self.judge.tally.count("append fenced");
            return self.doubt(slot);
        }
        for logged in events {
            self.make_durable(slot, logged);
        }
        if self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(1) {
            // Durable, but nobody is told.
            return self.kill(slot);
        }
        if self.sabotage != Some(Sabotage::BroadcastBeforeAppend) {
            self.commit(slot, asker);
        }
    }

    fn commit(&mut self, slot: Slot, asker: Option<Asker>) {
        let now = self.node_now(slot);
        let Role::Owner(desk) = &mut self.nodes[slot].role else { return };
        let (mut send, again) = match desk.commit(now) {
            Ok(done) => done,
            Err(error) => return self.check(Err(format!("the events do not fit: {error}"))),
        };
        if self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(1) {
            // Some are told, others are not.
            let told = self.random.index(send.len() + 1);
            let is_answered =
                matches!(send.first(), Some(Outgoing { message: ServerMessage::Ack { .. }, .. }));
            if is_answered && (1..send.len()).contains(&told) {
                self.judge.tally.count("kill between acknowledgement and broadcast");
            }
            send.truncate(told);
            self.deliver(slot, send);
            return self.kill(slot);
        }
        let answer = self.deliver(slot, send);
        match again {
            None => self.reply(slot, asker, answer),
            Some(input) => {
                let letter = match asker.zip(Forward::of(&input)) {
                    Some((asker, forward)) => Letter::Asked(asker, forward),
                    None => Letter::Input(input),
                };
                self.nodes[slot].mailbox.push_front(letter);
            }
        }
    }

    /// Sees to it that time passes and the computer thinks.
    fn plan_ahead(&mut self, slot: Slot) {
        self.arm(slot);
        let node = &self.nodes[slot];
        let Role::Owner(desk) = &node.role else { return };
        if node.busy.is_some() {
            return;
        }
        let due = desk.due().map(|due| due + node.behind);
        let is_ignored = self.sabotage == Some(Sabotage::IgnoreFlags) && desk.room().is_playing();
        let place = desk.room().version();
        let task = desk.task().filter(|_| node.thinking.is_none());
        let id = node.id;
        if let Some(due) = due.filter(|&due| node.due != Some(due) && !is_ignored) {
            self.nodes[slot].due = Some(due);
            let busy = self.random.pick(&[1, 30, 30, 2_000]);
            let late = self.random.below(busy);
            let after = due.saturating_sub(self.now) + late;
            self.after(after, Event::Input(slot, id, DeskInput::Tick));
        }
        if let Some(task) = task {
            self.nodes[slot].thinking = Some(place);
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
            self.after(after, Event::Input(slot, id, input));
        }
    }
}
