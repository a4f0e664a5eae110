//! What is logged of a room. A room is the fold of its log.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use skirmish_present::json::PerPlayer;
use skirmish_rules::{Both, Side};

use crate::clock::Millis;
use crate::terms::Terms;
use crate::wire::{End, MessageId, Offer, Phrase};

/// An account, as the log names it.
pub type AccountId = i64;

/// A person at a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The account.
    pub account: AccountId,
    /// The name, valid for a record.
    pub name: String,
    /// Whether the account is registered, and not a guest's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub registered: bool,
    /// The rating in this game, if the account has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// Whether the rating is provisional.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// A keyed hash of the network that the person came from, if the game is rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NonZeroU64>,
    /// A keyed hash of the person's device, if the game is rated and the client has named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<NonZeroU64>,
}

impl Person {
    /// The person as logged in a game: network and device matter only in rated games.
    #[must_use]
    pub fn in_game(self, is_rated: bool) -> Self {
        if is_rated { self } else { Self { network: None, device: None, ..self } }
    }
}

/// A logged event. Its version is its place in the log, from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logged {
    /// The server's time.
    pub at: Millis,
    /// The message that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// What each player had left after it, if there are clocks and the event changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<PerPlayer<Millis>>,
    /// What happened.
    #[serde(flatten)]
    pub event: RoomEvent,
}

impl Logged {
    /// Whether so much changes that everybody gets a snapshot.
    pub(crate) const fn is_shown_whole(&self) -> bool {
        matches!(
            self.event,
            RoomEvent::Created { .. } | RoomEvent::Seated { .. } | RoomEvent::Began
        )
    }

    /// Whether it lets a game go on.
    #[must_use]
    pub const fn is_resumption(&self) -> bool {
        matches!(self.event, RoomEvent::Resumed)
    }

    /// Whether it happened because time ran out.
    pub(crate) const fn is_out_of_time(&self) -> bool {
        matches!(self.event, RoomEvent::Flagged { .. } | RoomEvent::Aborted { side: None, .. })
    }
}

/// The message that led to an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// Whose message it was.
    pub account: AccountId,
    /// Its id.
    pub id: MessageId,
}

/// A finished game, as lists and ratings need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    /// The room.
    pub code: String,
    /// Which game of the room it was, from 1.
    pub number: u32,
    /// The game's id.
    pub game: String,
    /// The players' names.
    pub names: Both<String>,
    /// The players; none for the computer.
    pub accounts: Both<Option<AccountId>>,
    /// How it ended.
    pub end: End,
    /// The date, as in records.
    pub date: Option<String>,
    /// Whether it counts for ratings, if both players are registered. What nobody has played does not.
    pub rated: bool,
    /// The players who have left a rated game before both had moved.
    pub aborted_by: Both<bool>,
    /// When it ended.
    pub at: Millis,
    /// Whether the room is over with it.
    pub is_last: bool,
}

/// What can happen in a room. `side` is whoever did it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs)] // `side` is explained above
pub enum RoomEvent {
    /// The room was created. Everything random follows from the seed.
    Created {
        /// The room's code.
        code: String,
        /// The terms.
        terms: Box<Terms>,
        /// Who created it.
        creator: Person,
        /// The seed.
        seed: u64,
        /// The date, as in records.
        date: Option<String>,
    },
    /// The second player sat down.
    Seated {
        /// Who.
        person: Person,
    },
    /// A game began: the first, the next of a match, or a rematch.
    Began,
    /// A player made a choice.
    Chose {
        #[serde(with = "side")]
        side: Side,
        /// What was submitted.
        text: String,
        /// The time credited to the player for a slow connection.
        #[serde(default, skip_serializing_if = "is_zero")]
        lag: Millis,
    },
    /// A player offers something.
    Offered {
        #[serde(with = "side")]
        side: Side,
        /// What.
        what: Offer,
    },
    /// A player answers the other one's offer.
    Answered {
        #[serde(with = "side")]
        side: Side,
        /// What was offered.
        what: Offer,
        /// Whether it is accepted.
        yes: bool,
    },
    /// A player resigned.
    Resigned {
        #[serde(with = "side")]
        side: Side,
    },
    /// A player claimed the game, because the other one was gone.
    Claimed {
        #[serde(with = "side")]
        side: Side,
    },
    /// Players ran out of time.
    Flagged {
        /// Who.
        #[serde(with = "Sides")]
        sides: Both<bool>,
    },
    /// The game was aborted: before both players had moved, or by the operator.
    Aborted {
        /// The player who aborted it, or ended it because the other one was gone; none if a first move was not made in
        /// time, or if it was the operator.
        #[serde(with = "maybe_side", default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
        /// Whether the operator closes the room: [`RoomEvent::Closed`] follows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        closes: bool,
        /// The players who did not make their first move in time, or were gone when the other one ended the game.
        #[serde(with = "Sides", default, skip_serializing_if = "is_nobody")]
        late: Both<bool>,
    },
    /// A player said something.
    Said {
        #[serde(with = "side")]
        side: Side,
        /// What.
        phrase: Phrase,
    },
    /// The server stopped.
    Paused,
    /// The server is back.
    Resumed,
    /// The room was closed for good: before anybody joined, or later by the operator.
    Closed,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes references
const fn is_zero(lag: &Millis) -> bool {
    *lag == 0
}

const fn is_nobody(sides: &Both<bool>) -> bool {
    !sides.one && !sides.two
}

/// A side as a number.
pub(crate) mod side {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use skirmish_rules::Side;

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde passes references
    pub(crate) fn serialize<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(side.number())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Side, D::Error> {
        let number = u8::deserialize(deserializer)?;
        Side::from_number(number).ok_or_else(|| de::Error::custom("a side is 1 or 2"))
    }
}

/// A side as a number, or nothing.
pub(crate) mod maybe_side {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use skirmish_rules::Side;

    #[allow(clippy::ref_option)] // serde passes references
    pub(crate) fn serialize<S: Serializer>(
        side: &Option<Side>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        side.map(Side::number).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Side>, D::Error> {
        Ok(Option::<u8>::deserialize(deserializer)?.and_then(Side::from_number))
    }
}

/// Something for each side, as an object.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Both<bool>")]
struct Sides {
    #[serde(rename = "1")]
    one: bool,
    #[serde(rename = "2")]
    two: bool,
}
