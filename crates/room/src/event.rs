//! The logged events of a room. A room's state is a fold over its log.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use skirmish_present::json::PerPlayer;
use skirmish_rules::{Both, Side};

use crate::clock::Millis;
use crate::terms::Terms;
use crate::wire::{End, MessageId, Offer, Phrase};

/// An account id, as in the log.
pub type AccountId = i64;

/// A human player at a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The player's account.
    pub account: AccountId,
    /// The player's name, valid in a record.
    pub name: String,
    /// Whether the account is registered, rather than a guest's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub registered: bool,
    /// The account's rating in this game, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// Whether the rating is provisional.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// A keyed hash of the player's network, if the game is rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NonZeroU64>,
    /// A keyed hash of the player's device, if the game is rated and the client has named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<NonZeroU64>,
}

impl Person {
    /// Returns the person as logged: network and device are logged only in rated games.
    #[must_use]
    pub fn in_game(self, is_rated: bool) -> Self {
        if is_rated { self } else { Self { network: None, device: None, ..self } }
    }
}

/// A logged event. Its version is its position in the log, from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logged {
    /// The server's time at the event.
    pub at: Millis,
    /// The message that led to the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Origin>,
    /// Each player's remaining time after the event, if the event changed the clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<PerPlayer<Millis>>,
    /// The event itself.
    #[serde(flatten)]
    pub event: RoomEvent,
}

impl Logged {
    /// Parses an event of a log.
    ///
    /// # Errors
    /// If the text is not the JSON of an event.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the event as JSON, for a log.
    ///
    /// # Panics
    /// Never: every event can be serialised.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every event can be serialised")
    }

    /// Whether the event changes so much that everybody gets a snapshot.
    pub(crate) const fn is_shown_whole(&self) -> bool {
        matches!(
            self.event,
            RoomEvent::Created { .. } | RoomEvent::Seated { .. } | RoomEvent::Began
        )
    }

    /// Whether the event resumes a game.
    #[must_use]
    pub const fn is_resumption(&self) -> bool {
        matches!(self.event, RoomEvent::Resumed)
    }

    /// Whether the event happened because a player ran out of time.
    pub(crate) const fn is_out_of_time(&self) -> bool {
        matches!(self.event, RoomEvent::Flagged { .. } | RoomEvent::Aborted { side: None, .. })
    }
}

/// The message that led to an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The sender's account.
    pub account: AccountId,
    /// The message's id.
    pub id: MessageId,
}

/// A finished game, as needed for lists and ratings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    /// The room code.
    pub code: String,
    /// The game's number in the room, from 1.
    pub number: u32,
    /// The id of the game's rules.
    pub game: String,
    /// The players' names.
    pub names: Both<String>,
    /// The players' accounts; `None` for the computer.
    pub accounts: Both<Option<AccountId>>,
    /// How it ended.
    pub end: End,
    /// The date, as in records.
    pub date: Option<String>,
    /// Whether the game counts for ratings if both players are registered. Requires both to have moved.
    pub rated: bool,
    /// The players to blame if a rated game ended before both had moved.
    pub aborted_by: Both<bool>,
    /// When the game ended.
    pub at: Millis,
    /// Whether the room is over after this game.
    pub is_last: bool,
}

/// An event in a room. `side` is the side that caused it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs)] // `side` is explained above
pub enum RoomEvent {
    /// The room was created. All random choices derive from the seed.
    Created {
        /// The room's code.
        code: String,
        /// The terms of the game.
        terms: Box<Terms>,
        /// The person who created the room.
        creator: Person,
        /// The seed of all random choices.
        seed: u64,
        /// The date, as in records.
        date: Option<String>,
    },
    /// The second player sat down.
    Seated {
        /// The second player.
        person: Person,
    },
    /// A game began: the first, the next of a match, or a rematch.
    Began,
    /// A player made a choice.
    Chose {
        #[serde(with = "side")]
        side: Side,
        /// The choice as submitted.
        text: String,
        /// The lag credited to the player.
        #[serde(default, skip_serializing_if = "is_zero")]
        lag: Millis,
    },
    /// A player made an offer.
    Offered {
        #[serde(with = "side")]
        side: Side,
        /// The offer.
        what: Offer,
    },
    /// A player answered the opponent's offer.
    Answered {
        #[serde(with = "side")]
        side: Side,
        /// The opponent's offer.
        what: Offer,
        /// Whether the player accepted.
        yes: bool,
    },
    /// A player resigned.
    Resigned {
        #[serde(with = "side")]
        side: Side,
    },
    /// A player claimed the game because the opponent was absent.
    Claimed {
        #[serde(with = "side")]
        side: Side,
    },
    /// Players ran out of time.
    Flagged {
        /// The sides that ran out of time.
        #[serde(with = "Sides")]
        sides: Both<bool>,
    },
    /// The game was aborted: before both players had moved, or by the operator.
    Aborted {
        /// The player who aborted the game, or ended it because the opponent was absent; `None` if a first move was late
        /// or the operator aborted the game.
        #[serde(with = "maybe_side", default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
        /// Whether the operator closes the room: [`RoomEvent::Closed`] follows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        closes: bool,
        /// The players whose first move was late, or who were absent when the opponent ended the game.
        #[serde(with = "Sides", default, skip_serializing_if = "is_nobody")]
        late: Both<bool>,
    },
    /// A player said a set phrase.
    Said {
        #[serde(with = "side")]
        side: Side,
        /// The phrase.
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

/// Serializes a side as 1 or 2.
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
        Side::from_number(number).ok_or_else(|| de::Error::custom("expected side 1 or 2"))
    }
}

/// Serializes an optional side as 1, 2 or null.
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

/// Serializes a flag for each side as an object with the keys 1 and 2.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Both<bool>")]
struct Sides {
    #[serde(rename = "1")]
    one: bool,
    #[serde(rename = "2")]
    two: bool,
}
