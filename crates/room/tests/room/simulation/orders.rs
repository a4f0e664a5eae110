//! The operator closes the game. The order is in the database, and every node reads it again and again until the room is over.

use skirmish_room::{DeskInput, Millis, NodeId};

use super::ensure;
use super::node::{Busy, Letter, Slot};
use super::sabotage::Sabotage;
use super::world::{Event, World};

/// How often nodes read what the operator asks.
const INTERVAL: Millis = 2_000;

/// How long it may take, while nothing goes wrong, until the room is over.
const PROMPT: Millis = 20_000;

impl World {
    /// The operator closes the game.
    pub(super) fn order(&mut self) {
        if self.database.is_away || self.database.order.is_some() || self.judge.is_finished() {
            return;
        }
        self.tell(|| "the operator closes the game".to_owned());
        self.judge.tally.count("game to be closed");
        self.database.order = Some(self.now);
        for slot in 0..self.nodes.len() {
            self.obey_later(slot);
        }
    }

    /// The operator may close a match between two of its games.
    pub(super) fn order_between_games(&mut self) {
        let is_between = self.judge.is_between_games();
        if is_between && self.scenario.faults.closes > 0 && self.random.percent(50) {
            self.order();
        }
    }

    /// A node reads before long what the operator asks, if there is something.
    pub(super) fn obey_later(&mut self, slot: Slot) {
        if self.database.order.is_some() && self.is_up(slot) {
            let after = 1 + self.random.below(INTERVAL);
            self.after(after, Event::Obey(slot, self.nodes[slot].id));
        }
    }

    /// A node reads what the operator asks.
    pub(super) fn obey(&mut self, slot: Slot, node: NodeId) {
        if self.nodes[slot].id != node || !self.is_up(slot) || self.database.order.is_none() {
            return;
        }
        if !self.database.is_away {
            self.nodes[slot].mailbox.push_back(Letter::Input(DeskInput::Shut));
            self.pump(slot);
            self.disturb_order(slot);
            if self.judge.is_finished() {
                self.database.order = None;
                self.database.obeyed = Some(self.now);
            }
            if self.sabotage == Some(Sabotage::OrderOnce) {
                return;
            }
        }
        if self.nodes[slot].id == node {
            self.obey_later(slot);
        }
    }

    /// The node may die, or the database be away, while it carries out what the operator asks.
    fn disturb_order(&mut self, slot: Slot) {
        if !matches!(self.nodes[slot].busy, Some(Busy::Writing(..))) {
            return;
        }
        self.outage_now_and_then(30);
        if self.scenario.faults.kills > 0 && !self.is_finale && self.random.percent(30) {
            self.judge.tally.count("kill while the operator is obeyed");
            self.kill(slot);
        }
    }

    /// Whether the operator closes the game. A node may have been told just before the room was over, and closes it for good
    /// as soon as it can, or a rematch that begins at once.
    pub(super) fn is_ordered(&self) -> bool {
        let is_recent = |at: Millis| self.now - at.max(self.disturbed) <= PROMPT;
        self.database.order.is_some() || self.database.obeyed.is_some_and(is_recent)
    }

    /// What the operator asks is done as soon as it can be.
    pub(super) fn check_order(&mut self) {
        let is_served = (0..self.nodes.len()).any(|slot| self.is_up(slot));
        if let Some(since) = self.database.order.filter(|_| is_served && !self.database.is_away)
            && !self.judge.is_finished()
        {
            let since = since.max(self.disturbed);
            self.check(ensure(self.now - since <= PROMPT, || {
                format!("nobody has closed the game as the operator asked, since {since}")
            }));
        }
    }
}
