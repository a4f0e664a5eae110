//! Who follows a room, on this node and on others.

use skirmish_rules::{Both, Side};

use super::{Desk, Outgoing, Recipient};
use crate::audience::presence;
use crate::clock::Millis;
use crate::elsewhere::Elsewhere;
use crate::lease::{Lease, NodeId};
use crate::node::{Attendance, Attending, Bell, Report};

impl Desk {
    /// Another node reports who follows the room there. Returns what to send.
    pub fn note_elsewhere(&mut self, now: Millis, node: NodeId, report: Report) -> Vec<Outgoing> {
        self.wake(now);
        self.change_elsewhere(now, |elsewhere| elsewhere.note(now, Some(node), report))
    }

    /// Another node is gone, and with it its connections. Returns what to send.
    pub fn forget_node(&mut self, now: Millis, node: NodeId) -> Vec<Outgoing> {
        self.wake(now);
        self.change_elsewhere(now, |elsewhere| elsewhere.forget(node))
    }

    /// The other nodes on which somebody follows the room.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.elsewhere.nodes()
    }

    /// Whether living nodes do not get through. Nobody can be called gone then: they may be connected there.
    pub fn note_deaf(&mut self, now: Millis, is_deaf: bool) {
        if std::mem::replace(&mut self.is_deaf, is_deaf) && !is_deaf {
            self.elsewhere.wait_for_all(now);
            self.room.note_absent_since(now);
        }
    }

    /// What the other nodes are told after every change.
    #[must_use]
    pub fn bell(&self, lease: Lease) -> Bell {
        let attending = |side: Side| {
            let account = self.room.people()[side].as_ref()?.account;
            Some(Attending { account, gone: self.room.gone_since(side) })
        };
        let players = Side::ALL.into_iter().filter_map(attending).collect();
        let attendance = Attendance { players, watchers: self.watchers() };
        Bell { code: self.room.code().to_owned(), v: self.room.version(), lease, attendance }
    }

    /// Notes in the room which players are there, on any node.
    pub(super) fn note_presence(&mut self, now: Millis) {
        for side in Side::ALL {
            let Some(person) = &self.room.people()[side] else { continue };
            let account = person.account;
            let is_present = self.audience.has(account) || self.elsewhere.has(account);
            self.room.note_presence(side, is_present, now);
        }
    }

    /// Changes what is known of other nodes, and tells the followers if others are there now.
    pub(super) fn change_elsewhere(
        &mut self,
        now: Millis,
        change: impl FnOnce(&mut Elsewhere),
    ) -> Vec<Outgoing> {
        let before = self.present_and_watching();
        change(&mut self.elsewhere);
        self.note_presence(now);
        if before == self.present_and_watching() { Vec::new() } else { vec![self.presence()] }
    }

    pub(crate) fn present_and_watching(&self) -> (Both<bool>, u32) {
        (self.room.present(), self.watchers())
    }

    pub(super) fn watchers(&self) -> u32 {
        self.audience.report(&self.room).watchers.saturating_add(self.elsewhere.watchers())
    }

    pub(crate) fn presence(&self) -> Outgoing {
        Outgoing { to: Recipient::All, message: presence(&self.room, self.watchers()) }
    }
}
