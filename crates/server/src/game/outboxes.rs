//! The connections on this node that a room can write to.

use std::collections::HashMap;

use skirmish_room::wire::{Rej, ServerMessage};
use skirmish_room::{ConnectionId, Outgoing, Recipient};

use crate::outbox::{CloseReason, Outbox, frame};

/// The connections that a room can write to.
#[derive(Default)]
pub(super) struct Outboxes(HashMap<ConnectionId, Outbox>);

impl Outboxes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, connection: ConnectionId) -> bool {
        self.0.contains_key(&connection)
    }

    pub(super) fn insert(&mut self, connection: ConnectionId, outbox: Outbox) {
        self.0.insert(connection, outbox);
    }

    pub(super) fn remove(&mut self, connection: ConnectionId) {
        self.0.remove(&connection);
    }

    /// Sends a message to its recipient, or to all followers.
    pub(super) fn deliver(
        &self,
        Outgoing { to, message }: Outgoing,
        followers: impl Iterator<Item = ConnectionId>,
    ) {
        match to {
            Recipient::One(connection) => {
                if let Some(outbox) = self.0.get(&connection) {
                    outbox.send(&message);
                }
            }
            Recipient::All if self.0.is_empty() => {}
            Recipient::All => {
                // All followers get the same text, so nobody sees more than others.
                let frame = frame(&message);
                for outbox in followers.filter_map(|connection| self.0.get(&connection)) {
                    outbox.send_frame(frame.clone());
                }
            }
        }
    }

    /// Sends an unsolicited notice to the selected connections.
    pub(super) fn notify(&self, notice: Rej, is_told: impl Fn(ConnectionId) -> bool) {
        let frame = frame(&ServerMessage::Rej(notice));
        for (connection, outbox) in &self.0 {
            if is_told(*connection) {
                outbox.send_frame(frame.clone());
            }
        }
    }

    /// Sends an unsolicited notice to all connections.
    pub(super) fn notify_all(&self, notice: Rej) {
        self.notify(notice, |_| true);
    }

    /// Closes a connection.
    pub(super) fn close(&self, connection: ConnectionId, reason: CloseReason) {
        if let Some(outbox) = self.0.get(&connection) {
            outbox.close(reason);
        }
    }

    /// Closes all connections.
    pub(super) fn close_all(&self, reason: &CloseReason) {
        for outbox in self.0.values() {
            outbox.close(reason.clone());
        }
    }
}
