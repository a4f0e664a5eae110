//! The database is away for a while: what nodes notice of it, and what they do.

use skirmish_room::{BEAT, ConnectionId, DeskInput, Millis};

use super::bus::Asker;
use super::node::{Busy, Letter, Role, Slot};
use super::sabotage::Sabotage;
use super::world::{Event, World};

impl World {
    /// The database is away: tries again later.
    pub(super) fn wait(&mut self, slot: Slot) {
        self.tell(|| format!("node {slot} finds the database away"));
        self.judge.tally.count("database found away");
        if self.nodes[slot].stopping.is_some() {
            return self.paused(slot);
        }
        self.step_down(slot);
        let node = &mut self.nodes[slot];
        let beat = self.database.beat(node.id, self.now);
        node.away.get_or_insert((beat, self.now));
        self.work(slot, Busy::Waiting, 1_000);
    }

    /// The owner has noticed that the database is away.
    pub(super) fn miss(&mut self, slot: Slot, input: DeskInput, asker: Option<Asker>) {
        if let DeskInput::Detach { connection } = input {
            self.step_down(slot);
            self.depart(slot, connection);
        } else {
            self.put_back(slot, Some(input), asker);
        }
        self.wait(slot);
    }

    /// A connection is gone while its node waits for the database. That needs no database.
    pub(super) fn depart(&mut self, slot: Slot, connection: ConnectionId) {
        self.tell(|| format!("connection {connection} is gone from node {slot} meanwhile"));
        self.judge.tally.count("departure while the database is away");
        if self.sabotage == Some(Sabotage::KeepDeparted) {
            return;
        }
        let now = self.node_now(slot);
        let node = &mut self.nodes[slot];
        let Role::Replica(replica) = &mut node.role else { return };
        let handled = replica.handle(now, &DeskInput::Detach { connection });
        // What was to let it follow the room is pointless now.
        let is_its = |input: &DeskInput| matches!(input, DeskInput::Attach { connection: other, .. } if *other == connection);
        node.mailbox.retain(|letter| !matches!(letter, Letter::Input(input) if is_its(input)));
        self.deliver(slot, handled.send);
    }

    /// The database may be away just when somebody waits for it.
    pub(super) fn outage_now_and_then(&mut self, percent: u64) {
        let outages = self.scenario.cluster.map_or(0, |cluster| cluster.outages);
        if outages > 0 && !self.is_finale && self.random.percent(percent) {
            self.outage();
        }
    }

    /// The database is away for a while.
    pub(super) fn outage(&mut self) {
        if self.is_alone() || self.database.is_away {
            return;
        }
        self.tell(|| "the database is away".to_owned());
        self.judge.tally.count("database away");
        // What was being written may be durable or not: the nodes cannot know.
        for slot in 0..self.nodes.len() {
            if matches!(self.nodes[slot].busy, Some(Busy::Writing(..))) && self.random.percent(50) {
                self.write_blindly(slot);
            }
        }
        self.database.set_away(true, self.now);
        let after = self.random.pick(&[300, 3_000, 15_000, 40_000]);
        self.after(after, Event::Back);
    }

    /// The database is back.
    pub(super) fn back(&mut self) {
        self.tell(|| "the database is back".to_owned());
        let beats: Vec<Millis> =
            self.nodes.iter().map(|node| self.database.beat(node.id, self.now)).collect();
        self.database.set_away(false, self.now);
        (self.disturbed, self.changed) = (self.now, self.now);
        let mut noticed = Vec::new();
        for (slot, beat) in beats.into_iter().enumerate() {
            if !self.is_up(slot) {
                continue;
            }
            let node = &mut self.nodes[slot];
            // A node notices it if it has tried to note that it is alive.
            if beat + BEAT < self.now {
                node.away.get_or_insert((beat, beat + BEAT));
            }
            if node.away.is_some() {
                noticed.push(slot);
                if self.sabotage != Some(Sabotage::BeatTooSoon) {
                    self.database.silence(node.id);
                }
            }
        }
        for &slot in &noticed {
            self.after(1, Event::Timer(slot, self.nodes[slot].id));
        }
        let owner = self.database.owner();
        let has_noticed = noticed.iter().any(|&slot| Some(self.nodes[slot].id) == owner);
        if !has_noticed && owner.is_some_and(|owner| self.database.is_living(owner)) {
            self.database.excuse();
        }
        self.adopt_later();
    }
}
