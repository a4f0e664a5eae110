//! What a room is asked to do, and what its task does in turn.

use std::fmt;

use skirmish_rules::{Side, Table};

use crate::clock::Millis;
use crate::cluster::Announcement;
use crate::event::{AccountId, FinishedGame, Logged, Person};
use crate::room::{Request, Room};
use crate::wire::{MessageId, ServerMessage};

/// A connection to this node.
pub type ConnectionId = u64;

/// What somebody wants of a room.
#[derive(Clone, Debug)]
pub enum HostInput {
    /// A connection follows the room, and takes the free seat unless it only wants to watch.
    Attach {
        /// The connection.
        connection: ConnectionId,
        /// Whose it is.
        person: Person,
        /// The id of the message.
        id: Option<MessageId>,
        /// The version that it has seen.
        have: Option<u64>,
        /// Whether to watch even though a seat is free.
        watch: bool,
    },
    /// A connection is gone, or follows the room no longer.
    Detach {
        /// The connection.
        connection: ConnectionId,
    },
    /// A connection leaves the room for good. A room that nobody has joined is closed if its creator leaves.
    Leave {
        /// The connection.
        connection: ConnectionId,
        /// Whose it is.
        account: AccountId,
    },
    /// A request.
    Request {
        /// The connection.
        connection: ConnectionId,
        /// Whose it is.
        account: AccountId,
        /// The id of the message.
        id: Option<MessageId>,
        /// The version that the sender had seen. A request is refused if it was about something else than it would be
        /// now: an earlier game of the room, another offer, another turn to take back.
        seen: Option<u64>,
        /// How long the message was on its way.
        lag: Millis,
        /// What is asked for.
        request: Request,
    },
    /// Time has passed.
    Tick,
    /// The computer has chosen.
    Choice {
        /// Its side.
        side: Side,
        /// The choice, in notation.
        text: String,
    },
    /// The computer answers an offer of a draw.
    DrawAnswer {
        /// Its side.
        side: Side,
        /// Whether it accepts.
        yes: bool,
    },
    /// The operator closes the room.
    Shut,
    /// The last node stops, and no clock runs until a node is back.
    Pause,
    /// This node stops, and its players have to connect to others: their clocks wait for them.
    Drain,
    /// Accounts were merged: the log names others now.
    Reload,
}

impl HostInput {
    /// The connection that it comes from; none if it is nobody's message.
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

    /// The account of the message, and its id.
    pub(super) fn sender(&self) -> Option<(AccountId, Option<&MessageId>)> {
        match self {
            Self::Attach { person, id, .. } => Some((person.account, id.as_ref())),
            Self::Request { account, id, .. } => Some((*account, id.as_ref())),
            _ => None,
        }
    }

    /// The account that it comes from, unless it has a seat in the room.
    pub(super) fn stranger_in(&self, room: &Room) -> Option<AccountId> {
        let (account, _) = self.sender()?;
        room.side_of(account).is_none().then_some(account)
    }

    /// The same from another account: the one that a guest has become part of.
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

    /// The version that the sender must have seen; 0 if it does not say. If this copy of the room has not reached it, the log
    /// has more.
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

    /// Whether it is the same request, sent again on the same connection, or the same order.
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

/// What happens to a room's task.
#[derive(Debug)]
pub enum HostEvent {
    /// Somebody wants something.
    Input(HostInput),
    /// What became of [`Effect::Append`].
    Appended(Result<(), AppendError>),
    /// What came of [`Effect::Read`]: the events after that version.
    Read(Result<Vec<Logged>, Unavailable>),
    /// What came of [`Effect::Recognise`].
    Recognised(Result<Option<AccountId>, Unavailable>),
    /// Another node announces something.
    Announced(Announcement),
}

/// The database cannot be reached. What was to be written may or may not be durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

/// Why events could not be appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendError {
    /// The log does not end at the expected version. Nothing was written.
    Conflict,
    /// An outage was not known, or this node's heartbeat was too old. Both are up to date now, and nothing was written.
    Stale,
    /// The database cannot be reached. Nobody knows whether the events are durable.
    Unavailable,
}

/// What a room's task has to do.
#[derive(Debug)]
pub enum Effect {
    /// Append to the log, and enter [`HostEvent::Appended`].
    Append {
        /// The version at which the log ends.
        after: u64,
        /// The events.
        events: Vec<Logged>,
        /// The number of the newest outage that the room knows. The log refuses the events if there is a newer one.
        outage: u64,
        /// The game that ends with the events.
        finished: Option<Box<FinishedGame>>,
    },
    /// Read the log after a version, and enter [`HostEvent::Read`].
    Read {
        /// The version; 0 for the whole log.
        after: u64,
    },
    /// Find out who an account without a seat is now, if it has a seat in the room after all, and enter
    /// [`HostEvent::Recognised`].
    Recognise(AccountId),
    /// Announce something to the other nodes.
    Publish(Announcement),
    /// Send a message.
    Send(Outgoing),
    /// Close a connection: of a player who has become somebody else's account, or one that has sent more than can wait for the
    /// database. The client comes back, and sends again what was not answered.
    Close(ConnectionId),
}

/// Whom a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// One connection.
    One(ConnectionId),
    /// All connections that follow the room once the event is handled. The message is the same for all.
    All,
}

/// A message on its way out.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Whom it is for.
    pub to: Recipient,
    /// What it says.
    pub message: ServerMessage,
}

impl From<Outgoing> for Effect {
    fn from(outgoing: Outgoing) -> Self {
        Self::Send(outgoing)
    }
}

/// What the computer has to do.
pub enum Task {
    /// To choose for a side at this table.
    Choose(Side, Box<dyn Table>),
    /// To answer an offer of a draw.
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
