//! What travels between the nodes of a server about a room. None of it may get into a log: it contains choices.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::desk::{ConnectionId, DeskInput};
use crate::event::AccountId;
use crate::lease::{Lease, NodeId};
use crate::room::Request;
use crate::wire::{MessageId, ServerMessage};

/// How many bits of a connection's number count the connections of its node.
const COUNTER: u32 = 40;

/// The number of a node's connection. It differs from those of all other nodes.
#[must_use]
pub const fn connection_of(node: NodeId, counter: u64) -> ConnectionId {
    node.cast_unsigned() << COUNTER | counter & ((1 << COUNTER) - 1)
}

/// The node of a connection.
#[must_use]
pub const fn node_of(connection: ConnectionId) -> NodeId {
    (connection >> COUNTER).cast_signed()
}

/// A request on its way to the owner of the room.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Forward {
    /// The connection, which tells the node.
    pub connection: ConnectionId,
    /// Whose it is.
    pub account: AccountId,
    /// The id of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    /// The version that the sender had seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// How long the message was on its way to the node that forwards it.
    pub lag: Millis,
    /// What is asked for.
    pub request: Request,
}

impl Forward {
    /// What only the owner can decide of an input; none if it is nobody's request.
    #[must_use]
    pub fn of(input: &DeskInput) -> Option<Self> {
        match input.clone() {
            DeskInput::Request { connection, account, id, seen, lag, request } => {
                Some(Self { connection, account, id, seen, lag, request })
            }
            DeskInput::Attach { connection, person, id, watch: false, .. } => {
                let (account, request) = (person.account, Request::Sit(person));
                Some(Self { connection, account, id, seen: None, lag: 0, request })
            }
            DeskInput::Attach { .. }
            | DeskInput::Detach { .. }
            | DeskInput::Tick
            | DeskInput::Choice { .. }
            | DeskInput::DrawAnswer { .. }
            | DeskInput::Shut
            | DeskInput::Stop
            | DeskInput::Resume { .. } => None,
        }
    }
}

impl From<Forward> for DeskInput {
    fn from(forward: Forward) -> Self {
        let Forward { connection, account, id, seen, lag, request } = forward;
        Self::Request { connection, account, id, seen, lag, request }
    }
}

/// A choice may be secret: it is not printed.
impl fmt::Debug for Forward {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Forward")
            .field("connection", &self.connection)
            .finish_non_exhaustive()
    }
}

/// Who follows a room on a node that does not own it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The players with a connection there, in order.
    pub players: Vec<AccountId>,
    /// How many connections watch.
    pub watchers: u32,
}

impl Report {
    /// A player has come.
    pub(crate) fn arrive(&mut self, account: AccountId) {
        if let Err(place) = self.players.binary_search(&account) {
            self.players.insert(place, account);
        }
    }

    /// Whether nobody follows the room there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.players.is_empty() && self.watchers == 0
    }
}

/// Who follows a room, on all nodes together. Players are told apart by their accounts: seats change with a rematch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendance {
    /// The players.
    pub players: Vec<Attending>,
    /// How many connections watch.
    pub watchers: u32,
}

/// Whether a player is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attending {
    /// The player.
    pub account: AccountId,
    /// Since when the player is gone; none if they are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<Millis>,
}

/// What the owner of a room tells the other nodes whenever something has changed. What happened is read from the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bell {
    /// The room.
    pub code: String,
    /// The version that it has reached.
    pub v: u64,
    /// Who says so.
    pub lease: Lease,
    /// Who follows the room.
    pub attendance: Attendance,
}

/// What the owner answers to a [`Forward`] or a [`Report`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It has been handled, and is durable if it changed something.
    Handled {
        /// How things are now.
        bell: Bell,
        /// What the connection is sent.
        answer: Vec<ServerMessage>,
    },
    /// The node does not own the room any more, and has not done anything.
    NotOwner,
    /// The node has owned the room, and cannot reach the database. Nobody knows whether it has carried the request out: it is
    /// asked for again, with its id. No clock runs.
    Away,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_different_nodes_differ() {
        let connection = connection_of(7, 12);
        assert_eq!(node_of(connection), 7);
        assert_ne!(connection, connection_of(8, 12));
        assert_eq!(connection_of(0, 12), 12);
    }

    #[test]
    fn a_forwarded_choice_is_not_printed() {
        let request = Request::Act { v: 3, text: "shield".to_owned() };
        let forward = Forward { connection: 1, account: 2, id: None, seen: None, lag: 0, request };
        assert!(!format!("{forward:?}").contains("shield"));
        let text = serde_json::to_string(&forward).expect("it is JSON");
        assert_eq!(serde_json::from_str::<Forward>(&text).ok(), Some(forward));
    }
}
