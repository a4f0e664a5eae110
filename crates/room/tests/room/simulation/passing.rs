//! Requests that a node passes on to the owner of the room, and what it does if the owner does not serve it.

use skirmish_room::wire::ServerMessage;
use skirmish_room::{DeskInput, Forward, NodeId, Reply};

use super::bus::Asker;
use super::cluster::Force;
use super::node::{Busy, Letter, Role, Slot};
use super::world::World;

impl World {
    pub(super) fn replica_handles(&mut self, slot: Slot, mut input: DeskInput) {
        self.tell(|| format!("node {slot} gets {input:?}"));
        if matches!(input, DeskInput::Attach { .. }) {
            // Whoever watches need not wait for the database.
            input = self.recognise(slot, input).unwrap_or_else(|input| *input);
        }
        let now = self.node_now(slot);
        let node = &mut self.nodes[slot];
        let Role::Replica(replica) = &mut node.role else { return };
        if input.version() > replica.room().version() {
            self.judge.tally.count("replica found itself behind");
            node.mailbox.push_front(Letter::Input(input));
            return self.look(slot);
        }
        let handled = replica.handle(now, &input);
        let owner = node.owner.filter(|owner| owner.node != node.id);
        self.deliver(slot, handled.send);
        match (handled.forward, owner) {
            (None, _) => self.report(slot),
            (Some(forward), Some(owner)) => {
                let ticket = self.ask(slot, owner, forward);
                self.nodes[slot].busy = Some(Busy::Asking(ticket, input));
                self.outage_now_and_then(2);
            }
            (Some(_), None) => {
                self.nodes[slot].mailbox.push_front(Letter::Input(input));
                self.acquire(slot, Force::No);
            }
        }
    }

    /// Another node asks the owner. It may mean an earlier lease, and have taken that and refused the request since.
    pub(super) fn take_forwarded(&mut self, slot: Slot, asker: Asker, forward: Forward) {
        if self.nodes[slot].lease == Some(asker.lease) {
            return self.owner_handles(slot, forward.into(), Some(asker));
        }
        self.judge.tally.count("request meant for an earlier lease");
        self.answer(slot, asker, Reply::NotOwner);
    }

    /// Takes the input back for which a node waits with this ticket.
    fn asked(&mut self, slot: Slot, ticket: u64) -> Option<DeskInput> {
        match self.nodes[slot].busy.take() {
            Some(Busy::Asking(asked, input)) if asked == ticket => Some(input),
            busy => {
                self.nodes[slot].busy = busy;
                None
            }
        }
    }

    /// The owner answers what was forwarded.
    pub(super) fn answered(&mut self, slot: Slot, ticket: u64, reply: Reply) {
        let Some(input) = self.asked(slot, ticket) else { return };
        match reply {
            Reply::NotOwner | Reply::Away => {
                let asked = self.nodes[slot].owner;
                self.nodes[slot].mailbox.push_front(Letter::Input(input));
                self.acquire(slot, asked.map_or(Force::No, Force::From));
            }
            Reply::Handled { bell, answer } => {
                self.listen(slot, &bell);
                self.work(slot, Busy::Finishing(input, answer), 15);
                self.outage_now_and_then(3);
            }
        }
    }

    pub(super) fn finish_request(
        &mut self,
        slot: Slot,
        input: DeskInput,
        answer: Vec<ServerMessage>,
    ) {
        if !self.database.is_away {
            self.catch_up(slot, Some((&input, answer)));
            return self.report(slot);
        }
        if let DeskInput::Attach { .. } = input {
            // The answer is known, but not the room to which it belongs: it is asked for again.
            self.nodes[slot].mailbox.push_front(Letter::Input(input));
        } else {
            self.judge.tally.count("answer passed on without the log");
            self.pass_on(slot, &input, answer);
        }
        self.wait(slot);
    }

    /// No answer has come: the node takes the lease, whoever has it.
    pub(super) fn timeout(&mut self, slot: Slot, node: NodeId, ticket: u64) {
        if node == self.nodes[slot].id
            && let Some(input) = self.asked(slot, ticket)
        {
            self.judge.tally.count("owner unreachable");
            self.nodes[slot].mailbox.push_front(Letter::Input(input));
            self.acquire(slot, Force::Yes);
        }
    }

    /// Passes the owner's answer on. What follows from it is read from the log later.
    fn pass_on(&mut self, slot: Slot, input: &DeskInput, answer: Vec<ServerMessage>) {
        let now = self.node_now(slot);
        let Role::Replica(replica) = &mut self.nodes[slot].role else { return };
        let after = replica.room().version();
        match replica.answered(now, input, answer, after, &[]) {
            Ok(send) => drop(self.deliver(slot, send)),
            Err(error) => self.check(Err(format!("an answer does not fit: {error}"))),
        }
    }
}
