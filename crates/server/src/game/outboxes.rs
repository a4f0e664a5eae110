//! Messages from a room to the connections on this node.

use skirmish_room::wire::{Rej, ServerMessage};
use skirmish_room::{ConnectionId, Outgoing, Recipient};

use super::LiveRoom;
use crate::outbox::frame;

impl LiveRoom {
    /// Sends a message to its recipient, or to all followers.
    pub(super) fn deliver(&self, Outgoing { to, message }: Outgoing) {
        match to {
            Recipient::One(connection) => {
                if let Some(outbox) = self.outboxes.get(&connection) {
                    outbox.send(&message);
                }
            }
            Recipient::All if self.outboxes.is_empty() => {}
            Recipient::All => {
                // All followers get the same text, so nobody sees more than others.
                let frame = frame(&message);
                for outbox in self.host.followers().filter_map(|to| self.outboxes.get(&to)) {
                    outbox.send_frame(frame.clone());
                }
            }
        }
    }

    /// Sends an unsolicited notice to the selected connections.
    pub(super) fn notify(&self, notice: Rej, is_told: impl Fn(ConnectionId) -> bool) {
        let frame = frame(&ServerMessage::Rej(notice));
        for (connection, outbox) in &self.outboxes {
            if is_told(*connection) {
                outbox.send_frame(frame.clone());
            }
        }
    }
}
