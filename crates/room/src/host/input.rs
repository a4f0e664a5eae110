//! The inputs and effects of a room's host.

use std::fmt;

use skirmish_rules::{Side, Table};

use crate::clock::Millis;
use crate::cluster::Announcement;
use crate::event::{AccountId, FinishedGame, Logged, Person};
use crate::room::{Request, Room};
use crate::wire::{MessageId, ServerMessage};

/// A connection to this node.
pub type ConnectionId = u64;

/// An input to a room: a client's message, the computer's choice, or an order.
#[derive(Clone, Debug)]
pub enum HostInput {
    /// A connection follows the room, and takes the free seat unless it only wants to watch.
    Attach {
        /// The connection that joins.
        connection: ConnectionId,
        /// The connection's person.
        person: Person,
        /// The id of the message.
        id: Option<MessageId>,
        /// The last version the client has seen.
        have: Option<u64>,
        /// Whether to watch even though a seat is free.
        watch: bool,
    },
    /// A connection was closed, or no longer follows the room.
    Detach {
        /// The closed or departing connection.
        connection: ConnectionId,
    },
    /// A connection leaves the room deliberately. If its creator leaves, a room that nobody has joined is closed.
    Leave {
        /// The leaving connection.
        connection: ConnectionId,
        /// The connection's account.
        account: AccountId,
    },
    /// A request to the room.
    Request {
        /// The sender's connection.
        connection: ConnectionId,
        /// The connection's account.
        account: AccountId,
        /// The id of the message.
        id: Option<MessageId>,
        /// The last version the sender had seen. Rejects a request whose subject has since changed: an earlier game of
        /// the room, another offer, or another turn to take back.
        seen: Option<u64>,
        /// The message's network delay.
        lag: Millis,
        /// The requested action.
        request: Request,
    },
    /// Time has passed.
    Tick,
    /// The computer has chosen.
    Choice {
        /// The computer's side.
        side: Side,
        /// The choice, in notation.
        text: String,
    },
    /// The computer answers an offer of a draw.
    DrawAnswer {
        /// The computer's side.
        side: Side,
        /// Whether the computer accepts.
        yes: bool,
    },
    /// The operator closes the room.
    Shut,
    /// The last node is stopping: the clocks stop until a node is back.
    Pause,
    /// This node is stopping: clocks wait for its players to connect to other nodes.
    Drain,
    /// Accounts were merged: account ids in the log have changed.
    Reload,
}

impl HostInput {
    /// Returns the connection that sent the input, if any.
    #[must_use]
    pub const fn connection(&self) -> Option<ConnectionId> {
        match self {
            Self::Attach { connection, .. }
            | Self::Detach { connection }
            | Self::Leave { connection, .. }
            | Self::Request { connection, .. } => Some(*connection),
            _ => None,
        }
    }

    /// Returns the sender's account and the message id.
    pub(super) fn sender(&self) -> Option<(AccountId, Option<&MessageId>)> {
        match self {
            Self::Attach { person, id, .. } => Some((person.account, id.as_ref())),
            Self::Request { account, id, .. } => Some((*account, id.as_ref())),
            _ => None,
        }
    }

    /// Returns the sender's account, unless it has a seat in the room.
    pub(super) fn stranger_in(&self, room: &Room) -> Option<AccountId> {
        let (account, _) = self.sender()?;
        room.side_of(account).is_none().then_some(account)
    }

    /// Replaces the sender's account with the one that the guest was merged into.
    pub(super) fn set_account(&mut self, now: AccountId) {
        match self {
            Self::Attach { person, .. } => person.account = now,
            Self::Request { account, request, .. } => {
                *account = now;
                if let Request::Sit(person) = request {
                    person.account = now;
                }
            }
            _ => {}
        }
    }

    /// Returns the last version the sender has seen; 0 if unknown. If this copy is behind that version, the log has newer
    /// events.
    pub(super) fn version(&self) -> u64 {
        match self {
            Self::Attach { have, .. } => have.unwrap_or(0),
            Self::Request { seen, request, .. } => match request {
                Request::Act { v, .. } => seen.unwrap_or(0).max(*v),
                _ => seen.unwrap_or(0),
            },
            _ => 0,
        }
    }

    /// Whether both inputs are the same request, resent on the same connection, or the same order.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Request { connection, id: Some(id), .. },
                Self::Request { connection: to, id: Some(again), .. },
            ) => (connection, id) == (to, again),
            (Self::Shut, Self::Shut) | (Self::Reload, Self::Reload) => true,
            _ => false,
        }
    }
}

/// An event for a room's host.
#[derive(Debug)]
pub enum HostEvent {
    /// A new input.
    Input(HostInput),
    /// The result of [`Effect::Append`].
    Appended(Result<(), AppendError>),
    /// The result of [`Effect::Read`]: the events after the version.
    Read(Result<Vec<Logged>, Unavailable>),
    /// The result of [`Effect::Recognise`].
    Recognised(Result<Option<AccountId>, Unavailable>),
    /// Another node's announcement.
    Announced(Announcement),
    /// An announcement that this version cannot read.
    Unreadable,
}

/// The database is unreachable. Pending writes may or may not be durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

/// Why events could not be appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendError {
    /// The log does not end at the expected version. Nothing was written.
    Conflict,
    /// This node missed an outage, or its heartbeat was too old. Both are up to date now, and nothing was written.
    Stale,
    /// The database is unreachable. The events may or may not be durable.
    Unavailable,
}

/// Events to append to the log of a room.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// The room.
    pub code: String,
    /// The version at which the log must end; 0 for a new room.
    pub after: u64,
    /// The events, at least one. The first one gets version `after + 1`.
    pub events: Vec<Logged>,
    /// The game that the events finish, if any.
    pub finished: Option<FinishedGame>,
}

/// An effect that the host requests.
#[derive(Debug)]
pub enum Effect {
    /// Append to the log, and enter [`HostEvent::Appended`].
    Append {
        /// The events.
        append: Box<Append>,
        /// The newest outage that the room knows. If there is a newer one, the log refuses the events.
        outage: u64,
    },
    /// Read the log after a version, and enter [`HostEvent::Read`]. If the host [is in trouble](super::Host::is_in_trouble),
    /// first write a heartbeat: the outage is over once both have succeeded.
    Read {
        /// The version; 0 reads the whole log.
        after: u64,
    },
    /// Look up whether an account without a seat was merged into one that has a seat, and enter
    /// [`HostEvent::Recognised`].
    Recognise(AccountId),
    /// Publish an announcement to the other nodes.
    Publish(Announcement),
    /// Send a message.
    Send(Outgoing),
    /// Close a connection, because its player was merged into another account, or because it sent too many messages
    /// during an outage. The client reconnects and resends unanswered messages.
    Close(ConnectionId),
}

/// The recipients of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// One connection.
    One(ConnectionId),
    /// All connections that follow the room after the event. All receive the same message.
    All,
}

/// An outgoing message.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The recipients.
    pub to: Recipient,
    /// The message.
    pub message: ServerMessage,
}

impl From<Outgoing> for Effect {
    fn from(outgoing: Outgoing) -> Self {
        Self::Send(outgoing)
    }
}

/// A task for the computer player.
pub enum Task {
    /// Choose for a side at this table.
    Choose(Side, Box<dyn Table>),
    /// Answer a draw offer.
    AnswerDraw(Side, Box<dyn Table>),
}

impl fmt::Debug for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Choose(..) => "Choose",
            Self::AnswerDraw(..) => "AnswerDraw",
        })
    }
}
