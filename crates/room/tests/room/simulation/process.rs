//! The processes of nodes: they start from what is durable, are killed or stop, and drop a room that nobody follows. What
//! nobody notices of it is the judge's business: whether the room was served, and who was there.

use std::collections::BTreeMap;

use skirmish_room::{
    AccountId, BEAT, ConnectionId, Desk, DeskInput, Logged, Millis, NodeId, Origin, Report, Room,
    RoomEvent,
};
use skirmish_rules::GAMES;

use super::database::Append;
use super::ensure;
use super::merging::{GUEST, MEMBER};
use super::node::{Busy, Letter, Role, Slot};
use super::sabotage::Sabotage;
use super::world::{Event, World, index};

/// How often a server alone notes that it is alive.
const ALIVE: Millis = 20_000;

/// For how long clocks may run although no owner is alive: nobody can know yet that it is dead.
const UNNOTICED: Millis = 5_000;

/// How long it may take until the owner knows that a player is connected to another node.
const HEARSAY: Millis = 20_000;

/// How long nothing must have changed before everybody must know who is there.
const SETTLED: Millis = 25_000;

/// Those who may sit down.
const PLAYERS: [AccountId; 4] = [1, GUEST, 3, MEMBER];

/// What all nodes have in common, or nobody knows but the judge.
#[derive(Default)]
pub(super) struct Server {
    /// How many processes there have been.
    pub(super) processes: i64,
    /// When a server alone was started.
    started: Millis,
    /// When it last noted, by its own clock, that it was alive, and what it found noted when it was started.
    alive: Millis,
    pub(super) ran_until: Millis,
    /// Whether each player is connected to a node, and since when.
    seen: BTreeMap<AccountId, Seen>,
    /// How many messages have been refused.
    pub(super) refusals: u64,
    /// Messages that were refused, forgotten, and carried out when they came again.
    pub(super) forgiven: Vec<Origin>,
    /// For the sabotage: messages that were carried out.
    pub(super) known: Vec<Origin>,
    /// For the sabotage: messages that are carried out again, under another id.
    pub(super) repeated: Vec<(Origin, Origin)>,
    /// For the sabotage: what nodes have reported last.
    pub(super) reports: BTreeMap<NodeId, Report>,
}

/// Whether somebody is connected.
#[derive(Clone, Copy, Debug)]
struct Seen {
    is_there: bool,
    since: Millis,
    /// Since when they were gone before.
    gone: Millis,
}

impl World {
    /// A node starts.
    pub(super) fn start(&mut self, slot: Slot) {
        if self.is_up(slot) {
            return;
        }
        self.server.processes += 1;
        self.nodes[slot].id = self.server.processes;
        self.nodes[slot].refused.clear();
        (self.changed, self.disturbed) = (self.now, self.now);
        self.tell(|| format!("node {slot} starts: process {}", self.server.processes));
        if self.is_alone() {
            self.start_alone(slot);
        } else {
            self.nodes[slot].role = Role::Idle;
            self.database.join(self.nodes[slot].id, self.now);
            let after = 1 + self.random.below(500);
            self.after(after, Event::Timer(slot, self.nodes[slot].id));
            self.adopt_later();
        }
        self.obey_later(slot);
        self.pump(slot);
    }

    fn start_alone(&mut self, slot: Slot) {
        match Room::fold(GAMES, &self.remembered()) {
            Ok(room) => self.nodes[slot].role = Role::Owner(Box::new(Desk::new(room))),
            Err(error) => return self.check(Err(format!("the log does not fold: {error}"))),
        }
        (self.server.started, self.server.ran_until) = (self.now, self.server.alive);
        let is_first = self.server.processes == 1;
        self.judge.restarted = !is_first;
        let now = self.node_now(slot);
        for account in PLAYERS {
            self.server.seen.insert(account, Seen { is_there: false, since: now, gone: now });
        }
        if !is_first && self.sabotage != Some(Sabotage::ForgetToResume) {
            let until = match self.sabotage {
                Some(Sabotage::ChargeWhileAway) => now,
                Some(Sabotage::GiveTimeBack) => 0,
                _ => self.server.ran_until,
            };
            self.nodes[slot].mailbox.push_back(Letter::Input(DeskInput::Resume { until }));
        }
    }

    /// The process is gone, with everything that was not durable, and all its connections.
    pub(super) fn kill(&mut self, slot: Slot) {
        if !self.is_up(slot) {
            return;
        }
        self.tell(|| format!("node {slot} is killed"));
        self.judge.tally.count("kill");
        let noted = (self.now - self.server.started) / ALIVE * ALIVE;
        if noted > 0 {
            self.server.alive =
                (self.server.started + noted).saturating_sub(self.nodes[slot].behind);
        }
        let is_owner = self.valid_lease(slot).is_some();
        if matches!(self.nodes[slot].busy, Some(Busy::Writing(..))) {
            if self.random.percent(50) {
                self.tell(|| "what it was writing is durable".to_owned());
                self.judge.tally.count("kill after the append was durable");
                self.write_blindly(slot);
            } else {
                self.judge.tally.count("kill before the append was durable");
            }
        }
        if self.sabotage == Some(Sabotage::LoseAppend) && self.database.durable.len() > 4 {
            self.database.durable.pop();
            self.judge.forget();
            for logged in std::mem::take(&mut self.database.durable) {
                self.make_durable(slot, logged);
            }
        }
        let node = &mut self.nodes[slot];
        let (id, behind) = (node.id, node.behind);
        *node = super::node::Node { id, behind, ..Default::default() };
        for number in 0..self.connections.len() {
            let connection = self.connections[number].id;
            if skirmish_room::node_of(connection) == id {
                let notices = self.random.below(3_000);
                self.sever(connection, notices, 0);
            }
        }
        (self.changed, self.disturbed) = (self.now, self.now);
        self.note_seen(slot);
        if !self.is_alone() {
            self.database.bury(id, self.now);
            if is_owner {
                self.judge.tally.count("owner killed");
            }
            self.adopt_later();
        }
        self.start_later(slot);
    }

    /// What a node was writing becomes durable, if the database lets it, and the node does not know.
    pub(super) fn write_blindly(&mut self, slot: Slot) {
        let node = &self.nodes[slot];
        let Role::Owner(desk) = &node.role else { return };
        let Some(Busy::Writing(events, _)) = &node.busy else { return };
        let events = events.clone();
        let is_fenced = self.sabotage != Some(Sabotage::AppendWithoutLease);
        let is_early = self.sabotage == Some(Sabotage::BroadcastBeforeAppend);
        let v = self.database.durable.len() as u64;
        let after = if is_early { v } else { desk.room().version() };
        let is_done = self.database.check(node.lease, is_fenced, after) == Append::Done;
        if is_done && !self.is_known(slot, &events) {
            for logged in events {
                self.make_durable(slot, logged);
            }
        }
    }

    /// Nobody follows the room: it is dropped, and folded from its log when it is needed.
    pub(super) fn drop_idle_room(&mut self, slot: Slot) {
        let node = &self.nodes[slot];
        let is_idle = node.busy.is_none() && node.mailbox.is_empty();
        let Role::Owner(desk) = &node.role else { return };
        if is_idle && desk.followers().next().is_none() && self.is_alone() {
            self.tell(|| "the room is dropped and folded".to_owned());
            self.judge.tally.count("room dropped");
            let node = &mut self.nodes[slot];
            node.refused.clear();
            (node.thinking, node.due) = (None, None);
            match Room::fold(GAMES, &self.remembered()) {
                Ok(room) => self.nodes[slot].role = Role::Owner(Box::new(Desk::new(room))),
                Err(error) => self.check(Err(format!("the log does not fold: {error}"))),
            }
            self.pump(slot);
        }
    }

    /// Remembers who is connected to which node.
    pub(super) fn note_seen(&mut self, slot: Slot) {
        let now = if self.is_alone() { self.node_now(slot) } else { self.now };
        let hearsay = if self.is_alone() { 0 } else { HEARSAY };
        let mut there: Vec<AccountId> = Vec::new();
        for node in &self.nodes {
            let account = |connection: &ConnectionId| self.connections[index(*connection)].account;
            there.extend(node.role.followers().iter().map(account));
        }
        for account in PLAYERS {
            let is_there = there.contains(&account);
            let new = Seen { is_there, since: now, gone: now };
            let seen = self.server.seen.entry(account).or_insert(new);
            if seen.is_there != is_there {
                self.changed = self.now;
                // The owner may never have heard of a short visit.
                let is_short = !is_there && now.saturating_sub(seen.since) < hearsay;
                *seen = match is_there {
                    true => Seen { gone: seen.since, ..new },
                    false if is_short => Seen { since: seen.gone, ..new },
                    false => new,
                };
            }
        }
    }

    /// Whoever signs in was there as long as the guest was, and comes back.
    pub(super) fn note_signed_in(&mut self) {
        let now = if self.is_alone() { self.node_now(0) } else { self.now };
        let left = Seen { is_there: false, since: now, gone: now };
        let guest = self.server.seen.get(&GUEST).copied().filter(|seen| !seen.is_there);
        self.server.seen.insert(MEMBER, guest.unwrap_or(left));
    }

    /// For how long a player has been gone, as far as the server can know.
    pub(super) fn gone_for(&self, account: AccountId, at: Millis) -> Option<Millis> {
        let now = if self.is_alone() { at } else { self.now };
        let Some(seen) = self.server.seen.get(&account) else { return Some(now) };
        let hearsay = if self.is_alone() { 0 } else { HEARSAY };
        let lasts = now.saturating_sub(seen.since);
        match seen.is_there {
            false => Some(lasts + hearsay),
            true if lasts < hearsay => Some(seen.since.saturating_sub(seen.gone) + hearsay),
            true => None,
        }
    }

    /// A node has taken the lease. Its clocks run on if nobody could know that the last owner was dead.
    pub(super) fn note_takeover(&mut self, stopped: Option<Millis>) {
        self.database.taken = [self.database.taken, stopped].into_iter().flatten().min();
        let is_short = self.database.idle.is_some_and(|since| self.now - since <= UNNOTICED);
        if stopped.is_none() && is_short && !self.database.is_left {
            self.database.idle = None;
        }
    }

    /// Only the owner appends, and no clock is charged while there was none.
    pub(super) fn check_service(&mut self, slot: Slot, logged: &Logged) {
        if self.is_alone() || self.server.processes == 0 {
            return;
        }
        if self.valid_lease(slot).is_none() {
            self.check(Err(format!("a node that is not the owner appends {:?}", logged.event)));
        }
        let idle = self.database.idle.take();
        let is_left = std::mem::take(&mut self.database.is_left);
        let taken = self.database.taken.take();
        if !self.judge.is_running() {
            return;
        }
        let until = self.nodes[slot].resumes;
        let is_resumed = logged.event == RoomEvent::Resumed;
        let result = match idle {
            Some(since) if is_resumed => {
                self.judge.tally.count("clocks resumed by another owner");
                let latest = if is_left { since + UNNOTICED } else { since };
                let earliest = taken.unwrap_or(since).min(since - BEAT - 1);
                ensure((earliest..=latest).contains(&until), || {
                    format!("nobody served the room from {since} on, and clocks run until {until}")
                })
            }
            Some(since) if self.now - since <= UNNOTICED && !is_left => Ok(()),
            Some(since) => Err(format!("clocks ran from {since} on while nobody served the room")),
            None => {
                let since = taken.unwrap_or(self.now).min(self.now - UNNOTICED);
                ensure(!is_resumed || until >= since, || {
                    format!("time is given back from {until} to {}", self.now)
                })
            }
        };
        self.check(result);
    }

    /// Whether nothing happens any more, and nothing is waiting to happen.
    pub(super) fn nodes_are_settled(&self) -> bool {
        let v = self.database.durable.len() as u64;
        let is_quiet = |slot: Slot| {
            let node = &self.nodes[slot];
            node.mailbox.is_empty()
                && node.busy.is_none()
                && (node.role.followers().is_empty()
                    || node.role.room().is_some_and(|room| room.version() == v))
        };
        let is_calm = self.is_alone() || self.now - self.changed > SETTLED;
        is_calm
            && self.judge.is_finished()
            && (0..self.nodes.len()).all(|slot| self.is_up(slot) && is_quiet(slot))
    }
}
