//! What comes in at a desk.

use skirmish_rules::Side;

use super::ConnectionId;
use crate::clock::Millis;
use crate::event::{AccountId, Person};
use crate::room::{Request, Room};
use crate::wire::MessageId;

/// What comes in.
#[derive(Clone, Debug)]
pub enum DeskInput {
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
    /// The server stops.
    Stop,
    /// The server has started again.
    Resume {
        /// Until when the server is known to have run before. Clocks ran until then.
        until: Millis,
    },
}

impl DeskInput {
    /// The connection that it comes from; none if it is nobody's message.
    #[must_use]
    pub const fn connection(&self) -> Option<ConnectionId> {
        match self {
            Self::Attach { connection, .. }
            | Self::Detach { connection }
            | Self::Request { connection, .. } => Some(*connection),
            _ => None,
        }
    }

    /// The account that it comes from, unless it has a seat in the room.
    #[must_use]
    pub fn stranger_in(&self, room: &Room) -> Option<AccountId> {
        let account = match self {
            Self::Attach { person, .. } => person.account,
            Self::Request { account, .. } => *account,
            _ => return None,
        };
        room.side_of(account).is_none().then_some(account)
    }

    /// The same from another account: the one that a guest has become part of.
    #[must_use]
    pub fn with_account(mut self, now: AccountId) -> Self {
        match &mut self {
            Self::Attach { person, .. } => person.account = now,
            Self::Request { account, request, .. } => {
                *account = now;
                if let Request::Sit(person) = request {
                    person.account = now;
                }
            }
            _ => {}
        }
        self
    }

    /// The version that the sender must have seen; 0 if it does not say. A room that has not reached it yet is not the
    /// newest: the log has more, and the input is handled after that has been read.
    #[must_use]
    pub fn version(&self) -> u64 {
        match self {
            Self::Attach { have, .. } => have.unwrap_or(0),
            Self::Request { seen, request, .. } => match request {
                Request::Act { v, .. } => seen.unwrap_or(0).max(*v),
                _ => seen.unwrap_or(0),
            },
            _ => 0,
        }
    }
}
