//! The connections that a room can write to on this node.

use std::collections::HashMap;

use skirmish_room::wire::{Rej, ServerMessage};
use skirmish_room::{ConnectionId, Outgoing, Recipient, RejectionCode, Room};

use crate::nodes;
use crate::outbox::{CloseReason, Outbox, frame};

/// What players are told when nodes cannot hear each other, or can again.
pub(super) fn hearing(room: &Room, is_deaf: bool) -> Rej {
    let notice = Rej::about(room.code(), RejectionCode::Storage, nodes::hearing(is_deaf));
    if is_deaf { notice } else { notice.as_over() }
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
    pub(super) fn notify(&self, notice: Rej, is_told: impl Fn(ConnectionId) -> bool) {
        let frame = frame(&ServerMessage::Rej(notice));
        for (connection, outbox) in &self.0 {
            if is_told(*connection) {
                outbox.send_frame(frame.clone());
            }
        }
    }

    /// Tells all connections something that they have not asked for.
    pub(super) fn notify_all(&self, notice: Rej) {
        self.notify(notice, |_| true);
    }

    /// Closes the connections of those who have lost their seats, because they are somebody's account now: they come back as
    /// that, and are not told that they only watch.
    pub(super) fn close_former(
        &self,
        before: &[ConnectionId],
        players: impl Iterator<Item = ConnectionId>,
    ) {
        let players: Vec<ConnectionId> = players.collect();
        for connection in before.iter().filter(|connection| !players.contains(connection)) {
            if let Some(outbox) = self.0.get(connection) {
                outbox.close(CloseReason::signed_in());
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
