//! The connections that a room can write to on this node.

use std::collections::HashMap;

use skirmish_room::wire::{Rej, ServerMessage};
use skirmish_room::{ConnectionId, Outgoing, Recipient, RejectionCode};

use crate::outbox::{CloseReason, Outbox, frame};

/// Something that nobody has asked for.
pub(super) fn notice(code: RejectionCode, text: &str) -> ServerMessage {
    let (text, legal) = (text.to_owned(), Vec::new());
    ServerMessage::Rej(Rej { id: None, code, text, legal, seconds: None })
}

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

    /// Sends messages; those for all go to the followers.
    pub(super) fn deliver(
        &self,
        send: Vec<Outgoing>,
        followers: impl Iterator<Item = ConnectionId>,
    ) {
        if send.is_empty() {
            return;
        }
        let followers: Vec<ConnectionId> = followers.collect();
        for Outgoing { to, message } in send {
            match to {
                Recipient::One(connection) => {
                    if let Some(outbox) = self.0.get(&connection) {
                        outbox.send(&message);
                    }
                }
                Recipient::All if self.0.is_empty() => {}
                Recipient::All => {
                    // One text for all: nobody gets to see more than others.
                    let frame = frame(&message);
                    for connection in &followers {
                        if let Some(outbox) = self.0.get(connection) {
                            outbox.send_frame(frame.clone());
                        }
                    }
                }
            }
        }
    }

    /// Tells some connections something that they have not asked for.
    pub(super) fn notify(
        &self,
        code: RejectionCode,
        text: &str,
        is_told: impl Fn(ConnectionId) -> bool,
    ) {
        let frame = frame(&notice(code, text));
        for (connection, outbox) in &self.0 {
            if is_told(*connection) {
                outbox.send_frame(frame.clone());
            }
        }
    }

    /// Closes all connections.
    pub(super) fn close(&self, reason: &CloseReason) {
        for outbox in self.0.values() {
            outbox.close(reason.clone());
        }
    }
}
