//! Messages from the server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skirmish_present::json::{PerPlayer, PositionObject, TurnEventObject};
use skirmish_rules::Side;

use super::{End, MessageId, Offer, Phrase, Rej};
use crate::clock::Millis;
use crate::event::{maybe_side, side};
use crate::rejection::RejectionCode;
use crate::terms::Terms;

/// A message from the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ServerMessage {
    /// The answer to `hello`.
    Welcome(Welcome),
    /// A snapshot of a game, as the receiver may see it.
    Snap(Box<Snap>),
    /// An event in a game.
    Ev(Box<Ev>),
    /// A message was carried out, and its effect is durable.
    Ack {
        /// The message's id.
        id: MessageId,
        /// The room code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// The version of the game that the message led to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        v: Option<u64>,
    },
    /// A refusal: nothing has changed. Or a notice, which answers no message.
    Rej(Rej),
    /// The connected players of a game, and the number of watchers.
    Presence {
        /// The room code.
        code: String,
        /// Whether each player is connected.
        players: PerPlayer<bool>,
        /// The number of watchers.
        watchers: u32,
    },
    /// The answer to `ping`.
    Pong {
        /// The current version of every game that the connection follows.
        versions: BTreeMap<String, u64>,
    },
    /// Asks the client to reconnect, because the server is stopping or the client's guest account was merged into
    /// another.
    Restart {
        /// When to reconnect, in seconds; 0 if the server keeps running.
        seconds: u32,
    },
    /// The server closes the connection.
    Bye {
        /// The reason, for programs.
        code: RejectionCode,
        /// The reason, as a sentence.
        text: String,
        /// When to reconnect, in seconds, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u32>,
    },
    /// The lobby.
    Lobby(Lobby),
    /// The leaderboard of a game.
    Leaders {
        /// The game's id.
        game: String,
        /// The leading players, best first.
        players: Vec<Leader>,
    },
    /// The finished games of the account, newest first.
    History {
        /// The finished games, newest first.
        games: Vec<Finished>,
    },
    /// The answer to `register`.
    Registered {
        /// The message's id.
        id: MessageId,
        /// The new name.
        name: String,
        /// The recovery code, which is shown only once.
        recovery: String,
    },
    /// The answer to `link`.
    Link {
        /// The message's id.
        id: MessageId,
        /// The link code.
        link: String,
        /// How long the code is valid, in seconds.
        seconds: u32,
    },
}

impl ServerMessage {
    /// Returns the message as JSON.
    ///
    /// # Panics
    /// Never: every message can be serialised.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every message can be serialised")
    }
}

/// The answer to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The protocol version.
    pub proto: u32,
    /// The name and version of the server.
    pub server: String,
    /// The name of the account.
    pub name: String,
    /// Whether the account is a guest's.
    pub guest: bool,
    /// The account's token, if it is new. It is secret, and identifies the account on later connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The server's external URL, without a trailing slash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The codes of the account's unfinished games.
    pub games: Vec<String>,
}

/// The stage of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StageName {
    /// Waiting for the second player.
    Open,
    /// In progress.
    Playing,
    /// Paused with stopped clocks, because the server was stopped.
    Paused,
    /// Over.
    Over,
    /// Closed permanently: before a second player joined, or by the operator.
    Closed,
}

/// A player as others see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seated {
    /// The player's name.
    pub name: String,
    /// Whether the player is a guest, whose name is not unique.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The computer's level; `None` for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The player's rating at the start, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// Whether the rating is provisional.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
}

impl Seated {
    /// Returns the name and any rating: `Ann (1662)`, or `Ann (1662?)` if the rating is provisional.
    #[must_use]
    pub fn with_rating(&self) -> String {
        let doubt = if self.provisional { "?" } else { "" };
        match self.rating {
            Some(rating) => format!("{} ({rating}{doubt})", self.name),
            None => self.name.clone(),
        }
    }
}

/// The choices of a turn as submitted.
pub type SubmittedTurn = PerPlayer<Option<String>>;

/// The clocks at the time of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockView {
    /// Each player's remaining time, in milliseconds.
    pub left: PerPlayer<Millis>,
    /// The players whose clocks are running.
    pub running: Vec<u8>,
    /// Milliseconds until the game is aborted, unless the first move is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort: Option<Millis>,
}

/// The match standing before a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchView {
    /// The game's number in the match, from 1.
    pub game: u32,
    /// The number of games in the match.
    pub of: u32,
    /// Each player's score before this game, in half points.
    pub half_points: PerPlayer<u32>,
}

/// A snapshot of a game, as the receiver may see it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snap {
    /// The room code.
    pub code: String,
    /// The room's version.
    pub v: u64,
    /// The stage of the game.
    pub stage: StageName,
    /// The terms of the game.
    pub terms: Terms,
    /// Why the game is unrated although its terms ask for a rated game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrated: Option<String>,
    /// The receiver's side; null for spectators.
    pub you: Option<u8>,
    /// The players; null for a free seat.
    pub players: PerPlayer<Option<Seated>>,
    /// The game's number in the room, from 1. Matches and rematches continue in the same room.
    pub number: u32,
    /// The player who moves first.
    pub first: u8,
    /// The match standing.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub standing: Option<MatchView>,
    /// The date, as in records.
    pub date: Option<String>,
    /// The turns as submitted.
    pub turns: Vec<SubmittedTurn>,
    /// The number of takebacks.
    pub undone: u32,
    /// The players who have chosen and are waiting for the opponent's choice.
    pub chosen: Vec<u8>,
    /// The open offers.
    pub offers: PerPlayer<Option<Offer>>,
    /// The clocks, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockView>,
    /// After how many seconds of absence in their turn a player's game can be claimed; null if never.
    pub claim_after: Option<u64>,
    /// Whether each player is connected.
    pub present: PerPlayer<bool>,
    /// In how many seconds the receiver can claim the game if the opponent stays away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_in: Option<u64>,
    /// The results of the room's earlier games.
    pub earlier: Vec<End>,
    /// How the game ended.
    pub end: Option<End>,
    /// The position, once the game has begun; as in `skirmish show --json`.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionObject>,
}

/// An event in a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ev {
    /// The room code.
    pub code: String,
    /// The room's version after the event.
    pub v: u64,
    /// The event itself.
    #[serde(flatten)]
    pub event: EventView,
    /// How the game ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// The clocks, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockView>,
}

/// An event as everybody sees it. `player` is the player who caused it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[allow(missing_docs)] // `player` is explained above
pub enum EventView {
    /// A player has chosen, but the other has not yet.
    Chosen {
        #[serde(with = "side")]
        player: Side,
    },
    /// A turn was played.
    Turn {
        #[serde(with = "side")]
        player: Side,
        /// The turns as submitted: a turn, and any forced passes after it.
        turns: Vec<SubmittedTurn>,
        /// The turns' events, in words and as changes on the board; as in `skirmish play --json`.
        #[serde(skip_deserializing)]
        told: Vec<TurnEventObject>,
        /// The position after the turns; as in `skirmish show --json`.
        #[serde(skip_deserializing)]
        position: Option<PositionObject>,
    },
    /// A player has accepted a takeback.
    Undo {
        #[serde(with = "side")]
        player: Side,
        /// The number of remaining turns.
        left: usize,
        /// The position after the takeback; as in `skirmish show --json`.
        #[serde(skip_deserializing)]
        position: Option<PositionObject>,
    },
    /// An offer was made.
    Offer {
        #[serde(with = "side")]
        player: Side,
        /// The offer.
        what: Offer,
    },
    /// An offer was declined, or accepted with no further effect.
    Answer {
        #[serde(with = "side")]
        player: Side,
        /// The offer.
        what: Offer,
        /// Whether it was accepted.
        yes: bool,
    },
    /// The game ended without a turn.
    End {
        #[serde(with = "maybe_side", default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
        /// Whether the operator aborted the game: a `closed` event follows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        closes: bool,
    },
    /// A player said a set phrase.
    Say {
        #[serde(with = "side")]
        player: Side,
        /// The phrase.
        phrase: Phrase,
    },
    /// The game is paused because the last server is stopping.
    Paused,
    /// The game has resumed.
    Resumed,
    /// The room was closed permanently: before a second player joined, or by the operator.
    Closed,
}

/// The lobby.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lobby {
    /// Public games waiting for a player.
    pub open: Vec<LobbyGame>,
    /// Games that can be watched.
    pub live: Vec<LobbyGame>,
    /// The account's unfinished games.
    pub yours: Vec<LobbyGame>,
}

/// A game in the lobby.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LobbyGame {
    /// The room code.
    pub code: String,
    /// The terms of the game.
    pub terms: Terms,
    /// The players; null for a free seat.
    pub players: PerPlayer<Option<Seated>>,
    /// The number of turns played.
    pub turns: usize,
    /// Whether it is the receiver's turn.
    #[serde(default)]
    pub your_turn: bool,
}

/// A line of a leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leader {
    /// The player's name.
    pub name: String,
    /// The player's rating.
    pub rating: i32,
    /// The rating deviation.
    pub deviation: i32,
    /// The number of rated games.
    pub games: u32,
}

/// A finished game in an account's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The room code.
    pub code: String,
    /// The game's number in the room.
    pub number: u32,
    /// The game's id.
    pub game: String,
    /// The players' names.
    pub names: PerPlayer<String>,
    /// The account's player number.
    pub you: u8,
    /// How it ended.
    #[serde(flatten)]
    pub end: End,
    /// The date of the game, as in records.
    pub date: Option<String>,
    /// The account's rating after the game, if it was rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}
