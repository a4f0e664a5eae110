//! Several nodes and one room: who owns it, who follows its log, and the change from one to the other.

use skirmish_room::wire::ServerMessage;
use skirmish_room::{Acquired, Bell, Desk, DeskInput, Lease, Millis, Outage, Replica, Reply, Room};
use skirmish_rules::GAMES;

use super::bus::Asker;
use super::node::{Busy, Letter, Role, Slot};
use super::sabotage::Sabotage;
use super::world::{Event, World};

/// How often a node looks at the database by itself.
const TIMER: Millis = 2_000;

/// Whether a node takes the lease from another one that is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    No,
    /// From the owner with this lease, which has said that it is not the owner: it does not serve the room.
    From(Lease),
    Yes,
}

impl World {
    pub(super) fn work(&mut self, slot: Slot, busy: Busy, longest: Millis) {
        self.nodes[slot].busy = Some(busy);
        let after = 1 + self.random.below(longest);
        self.after(after, Event::Done(slot, self.nodes[slot].id));
    }

    /// Asks for the lease, and then reads the log.
    pub(super) fn acquire(&mut self, slot: Slot, force: Force) {
        let node = &mut self.nodes[slot];
        if node.stopping.is_some() {
            // Clients send it again, to another node, and the operator asks all.
            let letter = node.mailbox.pop_front_if(|letter| matches!(letter, Letter::Input(_)));
            return self.refuse_at_stop(slot, letter);
        }
        self.work(slot, Busy::Acquiring(force), 15);
    }

    /// Reads the log.
    pub(super) fn look(&mut self, slot: Slot) {
        self.work(slot, Busy::Reading, 15);
    }

    /// The owner follows the log like others, until it knows more. Its followers stay.
    pub(super) fn step_down(&mut self, slot: Slot) {
        let node = &mut self.nodes[slot];
        node.role = match std::mem::take(&mut node.role) {
            Role::Owner(desk) => {
                (node.thinking, node.due, node.rung) = (None, None, None);
                node.refused.clear();
                Role::Replica(Box::new(desk.into_replica()))
            }
            other => other,
        };
    }

    /// The owner may not be the owner any more.
    pub(super) fn doubt(&mut self, slot: Slot) {
        self.tell(|| format!("node {slot} doubts that it owns the room"));
        self.step_down(slot);
        self.look(slot);
    }

    /// An owner that cannot tell what to do with an input finds out whether it still is the owner.
    pub(super) fn hesitate(&mut self, slot: Slot, input: DeskInput, asker: Option<Asker>) {
        self.put_back(slot, Some(input), asker);
        if self.database.is_away { self.wait(slot) } else { self.doubt(slot) }
    }

    /// An input that could not be carried out is handled again: here, or by whoever asked.
    pub(super) fn put_back(&mut self, slot: Slot, input: Option<DeskInput>, asker: Option<Asker>) {
        if self.sabotage == Some(Sabotage::DropPending) {
            return;
        }
        match (input, asker) {
            (_, Some(asker)) => self.answer(slot, asker, Reply::NotOwner),
            (Some(input @ DeskInput::Request { .. }), None)
                if self.sabotage == Some(Sabotage::RefuseUnknown) =>
            {
                self.refuse(slot, &input);
            }
            (Some(mut input @ (DeskInput::Attach { .. } | DeskInput::Request { .. })), None) => {
                self.judge.tally.count("pending input put back");
                self.forget_id(&mut input);
                if self.sabotage == Some(Sabotage::RefuseWaiting) {
                    self.refuse(slot, &input);
                }
                self.nodes[slot].mailbox.push_front(Letter::Input(input));
            }
            (Some(input @ DeskInput::Shut), None) => {
                self.judge.tally.count("order put back");
                self.nodes[slot].mailbox.push_front(Letter::Input(input));
            }
            // A game that cannot be paused stands still when the lease is released.
            (_, None) => {}
        }
    }

    /// A new room gets its lease together with its first events.
    pub(super) fn own_new_room(&mut self) {
        let node = &mut self.nodes[0];
        if let (Acquired::Mine { lease, .. }, Ok(room)) = (
            self.database.acquire(node.id, false, self.now),
            Room::fold(GAMES, &self.database.durable),
        ) {
            node.lease = Some(lease);
            node.role = Role::Owner(Box::new(Desk::new(room)));
        }
        self.pump(0);
    }

    pub(super) fn acquired(&mut self, slot: Slot, force: Force) {
        if self.database.is_away {
            self.refuse_waiting(slot);
            return self.wait(slot);
        }
        let id = self.nodes[slot].id;
        let former = self.database.owner().filter(|&owner| owner != id);
        if self.sabotage == Some(Sabotage::ForgetStopped) {
            self.database.forget_stopped();
        }
        let mut acquired = self.database.acquire(id, force == Force::Yes, self.now);
        if let (Force::From(asked), Acquired::HeldBy(owner)) = (force, acquired)
            && asked == owner
        {
            self.judge.tally.count("lease taken from a node that does not serve");
            acquired = self.database.acquire(id, true, self.now);
        }
        self.tell(|| format!("node {slot} ({id}) asks for the lease: {acquired:?}"));
        match acquired {
            Acquired::Mine { lease, stopped, beat } => {
                self.judge.tally.count(match former {
                    None => "lease taken",
                    Some(former) if self.database.is_living(former) => "lease taken by force",
                    Some(_) => "lease taken from the dead",
                });
                let node = &mut self.nodes[slot];
                node.lease = Some(lease);
                (node.served.stopped, node.served.beat) = (stopped, beat);
                self.note_takeover(stopped.map(|stopped| stopped.until));
            }
            Acquired::HeldBy(owner) => self.nodes[slot].owner = Some(owner),
        }
        if self.dies(slot) {
            return self.judge.tally.count("kill during a takeover");
        }
        self.look(slot);
    }

    /// A node may be killed at any point.
    fn dies(&mut self, slot: Slot) -> bool {
        let dies = self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(3);
        if dies {
            self.kill(slot);
        }
        dies
    }

    /// Takes in what the log has. Returns whether it could.
    pub(super) fn catch_up(
        &mut self,
        slot: Slot,
        input: Option<(&DeskInput, Vec<ServerMessage>)>,
    ) -> bool {
        let now = self.node_now(slot);
        let node = &mut self.nodes[slot];
        if let Role::Idle = node.role {
            match Room::fold(GAMES, &self.database.durable) {
                Ok(room) => node.role = Role::Replica(Box::new(Replica::new(room))),
                Err(error) => {
                    self.check(Err(format!("the log does not fold: {error}")));
                    return false;
                }
            }
        }
        let Role::Replica(replica) = &mut node.role else { return false };
        let after = replica.room().version();
        let from = usize::try_from(after.max(node.believes)).expect("logs are short");
        let log = self.database.durable.get(from..).unwrap_or_default();
        let log = if node.believes > after { &[] } else { log };
        let told = match input {
            Some((input, answer)) => replica.answered(now, input, answer, after, log),
            None => replica.advance(now, after, log),
        };
        match told {
            Ok(send) => {
                self.deliver(slot, send);
                true
            }
            Err(error) => {
                self.check(Err(format!("the log does not fit: {error}")));
                false
            }
        }
    }

    /// Reads the log, and finds out who owns the room.
    pub(super) fn read(&mut self, slot: Slot) {
        if self.database.is_away {
            return self.wait(slot);
        }
        if !self.catch_up(slot, None) {
            return;
        }
        let node = &mut self.nodes[slot];
        if let (Some((reached, failed)), Some(room)) = (node.away.take(), node.role.room()) {
            let back = self.now.saturating_sub(node.behind);
            node.served.outage = Outage::noted(room, reached, failed, back);
        }
        let is_mine = self.valid_lease(slot).is_some();
        let now = self.node_now(slot);
        let is_deaf = self.is_deaf(slot) && self.sabotage != Some(Sabotage::ClaimWhileDeaf);
        let node = &mut self.nodes[slot];
        if !is_mine {
            self.database.recover(node.id, self.now);
            (node.lease, node.owner) = (None, self.database.lease());
            return self.report(slot);
        }
        let Role::Replica(replica) = std::mem::take(&mut node.role) else { return };
        let (mut desk, send) = replica.into_desk(now);
        desk.note_deaf(now, is_deaf);
        let served = node.served;
        (node.served.beat, node.owner) = (None, None);
        let resume = served.resume(desk.room(), now);
        node.role = Role::Owner(Box::new(desk));
        self.deliver(slot, send);
        self.tell(|| format!("node {slot} owns the room"));
        if let Some(DeskInput::Resume { until }) = resume {
            let until = match self.sabotage {
                Some(Sabotage::ChargeTakeover) => now,
                Some(Sabotage::GiveTimeBackAtTakeover) => 0,
                _ => until,
            };
            let node = &mut self.nodes[slot];
            node.resumes = until;
            if self.sabotage != Some(Sabotage::ForgetToResumeAtTakeover) {
                node.mailbox.push_front(Letter::Input(DeskInput::Resume { until }));
            }
        } else {
            self.database.recover(self.nodes[slot].id, self.now);
        }
        if self.dies(slot) {
            self.judge.tally.count("kill during a takeover");
        }
    }

    /// Takes in the owner's word. Returns whether there is something to read.
    pub(super) fn listen(&mut self, slot: Slot, bell: &Bell) -> bool {
        let now = self.node_now(slot);
        let node = &mut self.nodes[slot];
        let Role::Replica(replica) = &mut node.role else { return false };
        let heard = replica.hear(now, bell);
        if node.owner.is_none_or(|owner| bell.lease.epoch > owner.epoch) {
            node.owner = Some(bell.lease);
        }
        self.deliver(slot, heard.send);
        heard.read
    }

    pub(super) fn hear(&mut self, slot: Slot, bell: &Bell) {
        let node = &mut self.nodes[slot];
        match &node.role {
            Role::Owner(_) if node.lease.is_some_and(|mine| mine.epoch < bell.lease.epoch) => {
                self.judge.tally.count("owner heard of another");
                self.doubt(slot);
            }
            Role::Replica(_) if self.sabotage == Some(Sabotage::TrustBell) => {
                node.believes = node.believes.max(bell.v);
            }
            Role::Replica(_) => {
                let read = self.listen(slot, bell);
                self.report(slot);
                if read {
                    self.judge.tally.count("read after a bell");
                    self.look(slot);
                }
            }
            Role::Owner(_) | Role::Idle | Role::Down => {}
        }
    }

    /// Sees to it that a node looks at the database now and then, while somebody follows the room there.
    pub(super) fn arm(&mut self, slot: Slot) {
        let node = &self.nodes[slot];
        let is_needed = match &node.role {
            Role::Owner(desk) => desk.due().is_some() || !node.role.followers().is_empty(),
            Role::Replica(_) => !node.role.followers().is_empty(),
            Role::Idle | Role::Down => false,
        };
        if self.is_alone() || node.is_timed || !is_needed {
            return;
        }
        self.nodes[slot].is_timed = true;
        let after = TIMER - 200 + self.random.below(400);
        self.after(after, Event::Timer(slot, self.nodes[slot].id));
    }

    /// A node looks at the database by itself.
    pub(super) fn timer(&mut self, slot: Slot) {
        let now = self.node_now(slot);
        let is_deaf = self.is_deaf(slot) && self.sabotage != Some(Sabotage::ClaimWhileDeaf);
        if self.nodes[slot].stopping.is_some() {
            // Nobody must take its game for served.
            return;
        }
        if matches!(self.nodes[slot].role, Role::Owner(_) | Role::Replica(_))
            && self.database.is_away
        {
            return self.wait(slot);
        }
        let is_orphaned = self.database.is_orphaned(self.now);
        let is_valid = self.valid_lease(slot).is_some();
        let node = &mut self.nodes[slot];
        let never_looks = self.sabotage == Some(Sabotage::NeverLook);
        match &mut node.role {
            Role::Owner(_) if never_looks => {}
            Role::Owner(_) if !is_valid || node.away.is_some() => {
                self.judge.tally.count("owner found out by the timer");
                self.doubt(slot);
            }
            Role::Owner(desk) => {
                desk.note_deaf(now, is_deaf);
                self.remind(slot);
            }
            Role::Replica(_) if is_orphaned => self.acquire(slot, Force::No),
            Role::Replica(replica)
                if node.away.is_some() || (replica.looks(now) && !never_looks) =>
            {
                if replica.room().version() < self.database.durable.len() as u64 {
                    self.judge.tally.count("read by the timer");
                }
                self.look(slot);
            }
            Role::Replica(_) => self.report(slot),
            Role::Idle if is_orphaned && !self.database.is_away && !self.judge.is_finished() => {
                self.judge.tally.count("room adopted");
                self.acquire(slot, Force::No);
            }
            Role::Idle | Role::Down => {
                if !self.database.is_away {
                    node.away = None;
                    self.database.recover(node.id, self.now);
                }
            }
        }
    }

    /// All nodes look at the database when a lease has run out, and find rooms without an owner.
    pub(super) fn adopt_later(&mut self) {
        for slot in 0..self.nodes.len() {
            if self.is_up(slot) {
                let after = skirmish_room::LEASE + 1 + self.random.below(2 * TIMER);
                self.after(after, Event::Timer(slot, self.nodes[slot].id));
            }
        }
    }
}
