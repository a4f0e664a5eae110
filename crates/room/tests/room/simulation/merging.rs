//! A guest signs in: the log names the account from then on, and nodes that have the room in memory read it again.

use skirmish_room::{AccountId, DeskInput, Logged, Millis, NodeId, Room, RoomEvent};
use skirmish_rules::GAMES;

use super::node::{Letter, Role, Slot};
use super::sabotage::Sabotage;
use super::world::{Event, World};

/// The guest who signs in, and the account to which their seat belongs afterwards.
pub(super) const GUEST: AccountId = 2;
pub(super) const MEMBER: AccountId = 8;

/// How often nodes read who has signed in.
const INTERVAL: Millis = 2_000;

/// Names the account in place of the guest.
pub(super) fn rename(logged: &mut Logged) {
    let person = match &mut logged.event {
        RoomEvent::Created { creator: person, .. } | RoomEvent::Seated { person } => Some(person),
        _ => None,
    };
    let accounts = person.map(|person| &mut person.account);
    for account in accounts.into_iter().chain(logged.by.as_mut().map(|by| &mut by.account)) {
        *account = renamed(*account);
    }
}

/// The account that stands for an account now.
pub(super) const fn renamed(account: AccountId) -> AccountId {
    if account == GUEST { MEMBER } else { account }
}

impl World {
    /// The guest signs in when it is time, if they play.
    pub(super) fn sign_in_if_due(&mut self) {
        let is_due = self.scenario.signs_in.is_some_and(|wakes| wakes <= self.wakes);
        let is_possible = !self.is_finale && !self.database.is_away;
        if is_due && is_possible && self.judge.side_of(GUEST).is_some() {
            self.sign_in();
        }
    }

    fn sign_in(&mut self) {
        self.tell(|| format!("account {GUEST} signs in as {MEMBER}"));
        self.judge.tally.count("guest signed in");
        self.database.is_merged = true;
        self.database.durable.iter_mut().for_each(rename);
        self.judge.merge();
        self.note_signed_in();
        for client in 0..self.clients.len() {
            if self.clients[client].account != GUEST {
                continue;
            }
            self.clients[client].account = MEMBER;
            if let Some(connection) = self.clients[client].connection.take() {
                let notices = self.random.pick(&[0, 500, 30_000]);
                self.sever(connection, 0, notices);
            }
            if !std::mem::replace(&mut self.clients[client].is_connecting, true) {
                let after = 1 + self.random.below(500);
                self.after(after, Event::Connect(client));
            }
        }
        for slot in 0..self.nodes.len() {
            self.reload_later(slot);
        }
        self.changed = self.now;
    }

    /// A node finds out that somebody has signed in.
    fn reload_later(&mut self, slot: Slot) {
        let after = 1 + self.random.below(INTERVAL);
        self.after(after, Event::Reload(slot, self.nodes[slot].id));
    }

    pub(super) fn find_out_who_signed_in(&mut self, slot: Slot, node: NodeId) {
        if self.is_up(slot) && self.nodes[slot].id == node {
            self.nodes[slot].mailbox.push_back(Letter::Reload);
            self.pump(slot);
        }
    }

    /// Whoever has signed in may have a seat of which a node has not heard. The input comes back if nobody can tell.
    pub(super) fn recognise(
        &mut self,
        slot: Slot,
        input: DeskInput,
    ) -> Result<DeskInput, Box<DeskInput>> {
        let Some(room) = self.nodes[slot].role.room() else { return Ok(input) };
        let is_stranger = input.stranger_in(room).is_some_and(|it| renamed(it) == MEMBER);
        if !is_stranger || !self.database.is_merged {
            return Ok(input);
        }
        let (is_old, version) = (room.side_of(MEMBER).is_none(), room.version());
        let is_owner = matches!(self.nodes[slot].role, Role::Owner(_));
        if self.database.is_away || (is_owner && version != self.database.durable.len() as u64) {
            return Err(Box::new(input));
        }
        if is_old {
            self.judge.tally.count("whoever signed in recognised");
            self.reload(slot);
        }
        Ok(input.with_account(MEMBER))
    }

    /// Whether the log has a message already that a node would carry out again, because it does not know yet who has signed
    /// in. The database does not take a message of an account twice.
    pub(super) fn is_known(&self, slot: Slot, events: &[Logged]) -> bool {
        let is_known = |logged: &Logged| {
            let by = logged.by.as_ref().filter(|by| by.account == GUEST);
            by.is_some_and(|by| self.judge.has_carried_out(MEMBER, &by.id))
        };
        self.database.is_merged
            && self.nodes[slot].role.room().is_some_and(|room| room.side_of(GUEST).is_some())
            && events.iter().any(is_known)
    }

    /// A node drops the room with its connections, and whoever needs it reads it anew.
    pub(super) fn give_up(&mut self, slot: Slot) {
        self.tell(|| format!("node {slot} drops the room: the log has the message already"));
        self.judge.tally.count("message known to the database");
        for connection in self.nodes[slot].role.followers() {
            self.sever(connection, 0, 0);
        }
        let lease = self.valid_lease(slot);
        let node = &mut self.nodes[slot];
        node.role = Role::Idle;
        (node.busy, node.thinking, node.due, node.rung) = (None, None, None, None);
        node.refused.clear();
        if let Some(lease) = lease {
            self.let_go(lease);
        }
        self.changed = self.now;
        self.note_seen(slot);
    }

    /// Reads the room again.
    pub(super) fn reload(&mut self, slot: Slot) {
        if self.sabotage == Some(Sabotage::NeverReload) {
            return;
        }
        if self.database.is_away {
            return self.reload_later(slot);
        }
        let is_owner = matches!(self.nodes[slot].role, Role::Owner(_));
        if !is_owner && !self.catch_up(slot, None) {
            return;
        }
        let Some(version) = self.nodes[slot].role.room().map(Room::version) else { return };
        if is_owner && version != self.database.durable.len() as u64 {
            // Somebody else has appended to it.
            self.doubt(slot);
            return self.reload_later(slot);
        }
        let known = usize::try_from(version).expect("logs are short");
        let room = match Room::fold(GAMES, &self.database.durable[..known]) {
            Ok(room) => room,
            Err(error) => return self.check(Err(format!("the log does not fold: {error}"))),
        };
        self.tell(|| format!("node {slot} reads the room again"));
        self.judge.tally.count("room read again");
        let now = self.node_now(slot);
        let send = match &mut self.nodes[slot].role {
            Role::Owner(desk) => desk.replace(now, room),
            Role::Replica(replica) => replica.replace(now, room),
            Role::Idle | Role::Down => Vec::new(),
        };
        self.deliver(slot, send);
        self.report(slot);
    }
}
