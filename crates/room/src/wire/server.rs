//! What a server sends.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skirmish_present::json::{PerPlayer, PositionObject, TurnEventObject};
use skirmish_rules::Side;

use super::{End, MessageId, Offer, Phrase, Rej};
use crate::clock::Millis;
use crate::event::{maybe_side, side};
use crate::rejection::RejectionCode;
use crate::terms::Terms;

/// What a server sends.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ServerMessage {
    /// The answer to `hello`.
    Welcome(Welcome),
    /// A whole game as the receiver may see it.
    Snap(Box<Snap>),
    /// Something happened in a game.
    Ev(Box<Ev>),
    /// A message was carried out, and that is durable.
    Ack {
        /// The message's id.
        id: MessageId,
        /// The game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// The version of the game that the message led to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        v: Option<u64>,
    },
    /// A message was refused, and nothing has changed; or, as a notice, something that nobody has asked for.
    Rej(Rej),
    /// Who is connected to a game.
    Presence {
        /// The game.
        code: String,
        /// Whether each player is connected.
        players: PerPlayer<bool>,
        /// How many people watch.
        watchers: u32,
    },
    /// The answer to `ping`.
    Pong {
        /// The current version of every game that the connection follows.
        versions: BTreeMap<String, u64>,
    },
    /// The server stops, or knows the client as another account now.
    Restart {
        /// When to come back, in seconds; 0 if the server goes on.
        seconds: u32,
    },
    /// The server closes the connection.
    Bye {
        /// Why.
        code: RejectionCode,
        /// Why, in a sentence.
        text: String,
        /// When to come back, in seconds, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u32>,
    },
    /// The lobby.
    Lobby(Lobby),
    /// The leaderboard of a game.
    Leaders {
        /// The game's id.
        game: String,
        /// The best players, best first.
        players: Vec<Leader>,
    },
    /// The finished games of the account, newest first.
    History {
        /// The games.
        games: Vec<Finished>,
    },
    /// The answer to `register`.
    Registered {
        /// The message's id.
        id: MessageId,
        /// The name.
        name: String,
        /// The recovery code, which is shown once.
        recovery: String,
    },
    /// The answer to `link`.
    Link {
        /// The message's id.
        id: MessageId,
        /// The code.
        link: String,
        /// For how many seconds it is valid.
        seconds: u32,
    },
}

/// The answer to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The version of the protocol.
    pub proto: u32,
    /// The name and version of the server.
    pub server: String,
    /// The name of the account.
    pub name: String,
    /// Whether the account is a guest's.
    pub guest: bool,
    /// The token, if it is new. It identifies the account at the next connection, and is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The address of the server as seen from outside, without a slash at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The codes of one's games that are not over.
    pub games: Vec<String>,
}

/// What stage a game is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StageName {
    /// It waits for the second player.
    Open,
    /// It is being played.
    Playing,
    /// The server has stopped meanwhile; the clocks stand still.
    Paused,
    /// It is over.
    Over,
    /// It was closed for good: before anybody joined, or later by the operator.
    Closed,
}

/// A player as others see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seated {
    /// The name.
    pub name: String,
    /// Whether it is a guest, whose name is not an account's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The level, if it is the computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The rating at the start, if the player has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// Whether the rating is provisional.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
}

impl Seated {
    /// The name and the rating, if there is one: `Ann (1662)`, or `Ann (1662?)` if it is provisional.
    #[must_use]
    pub fn with_rating(&self) -> String {
        let doubt = if self.provisional { "?" } else { "" };
        match self.rating {
            Some(rating) => format!("{} ({rating}{doubt})", self.name),
            None => self.name.clone(),
        }
    }
}

/// The choices of a turn, as they were submitted.
pub type SubmittedTurn = PerPlayer<Option<String>>;

/// The clocks at the moment of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockView {
    /// What each player has left, in milliseconds.
    pub left: PerPlayer<Millis>,
    /// The players whose clocks run.
    pub running: Vec<u8>,
    /// When the game is aborted unless the first move is made, in milliseconds from now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort: Option<Millis>,
}

/// The state of a match before a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchView {
    /// Which game of the match this is, from 1.
    pub game: u32,
    /// The number of games in the match.
    pub of: u32,
    /// Each player's score before this game, in half points.
    pub half_points: PerPlayer<u32>,
}

/// A whole game as the receiver may see it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snap {
    /// The game.
    pub code: String,
    /// The version.
    pub v: u64,
    /// The stage.
    pub stage: StageName,
    /// The terms on which it was created.
    pub terms: Terms,
    /// Why the game does not count although its terms say that it is rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrated: Option<String>,
    /// The receiver's side; null for spectators.
    pub you: Option<u8>,
    /// The players; null for a free seat.
    pub players: PerPlayer<Option<Seated>>,
    /// Which game of this room it is, from 1. A match or a rematch goes on in the same room.
    pub number: u32,
    /// Who makes the first move.
    pub first: u8,
    /// The state of the match.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub standing: Option<MatchView>,
    /// The date, as in records.
    pub date: Option<String>,
    /// The turns, as they were submitted.
    pub turns: Vec<SubmittedTurn>,
    /// How often a turn has been taken back.
    pub undone: u32,
    /// The players whose choice waits for the other one's.
    pub chosen: Vec<u8>,
    /// The open offers.
    pub offers: PerPlayer<Option<Offer>>,
    /// The clocks, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockView>,
    /// After how many seconds of absence in their turn the opponent loses if the other claims; null if never.
    pub claim_after: Option<u64>,
    /// Whether each player is connected.
    pub present: PerPlayer<bool>,
    /// In how many seconds the receiver can claim the game, if the opponent stays away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_in: Option<u64>,
    /// How the earlier games of the room ended.
    pub earlier: Vec<End>,
    /// How the game ended.
    pub end: Option<End>,
    /// The position, once the game has begun; as in `skirmish show --json`.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionObject>,
}

/// Something that happened in a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ev {
    /// The game.
    pub code: String,
    /// The version of the game after it.
    pub v: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: EventView,
    /// How the game ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// The clocks, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockView>,
}

/// An event as everybody sees it. `player` is whoever did it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[allow(missing_docs)] // `player` is explained above
pub enum EventView {
    /// A player has chosen, and the other has not yet.
    Chosen {
        #[serde(with = "side")]
        player: Side,
    },
    /// A turn was played.
    Turn {
        #[serde(with = "side")]
        player: Side,
        /// The turns as they were submitted: one, and forced passes after it.
        turns: Vec<SubmittedTurn>,
        /// What happened in them, in words and as changes on the board; as in `skirmish play --json`.
        #[serde(skip_deserializing)]
        told: Vec<TurnEventObject>,
        /// The position after them; as in `skirmish show --json`.
        #[serde(skip_deserializing)]
        position: Option<PositionObject>,
    },
    /// A player has accepted a takeback.
    Undo {
        #[serde(with = "side")]
        player: Side,
        /// How many turns are left.
        left: usize,
        /// The position after it; as in `skirmish show --json`.
        #[serde(skip_deserializing)]
        position: Option<PositionObject>,
    },
    /// An offer was made.
    Offer {
        #[serde(with = "side")]
        player: Side,
        /// What is offered.
        what: Offer,
    },
    /// An offer was declined, or accepted without a further event.
    Answer {
        #[serde(with = "side")]
        player: Side,
        /// What was offered.
        what: Offer,
        /// Whether it was accepted.
        yes: bool,
    },
    /// The game ended without a turn.
    End {
        #[serde(with = "maybe_side", default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
        /// Whether the operator has aborted the game: `closed` follows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        closes: bool,
    },
    /// A phrase.
    Say {
        #[serde(with = "side")]
        player: Side,
        /// What was said.
        phrase: Phrase,
    },
    /// No clock runs: the last server stops.
    Paused,
    /// The game goes on.
    Resumed,
    /// The game was closed for good: before anybody joined, or later by the operator.
    Closed,
}

/// The lobby.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lobby {
    /// Public games that wait for a player.
    pub open: Vec<LobbyGame>,
    /// Games that can be watched.
    pub live: Vec<LobbyGame>,
    /// One's own games that are not over.
    pub yours: Vec<LobbyGame>,
}

/// A game in the lobby.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LobbyGame {
    /// Its code.
    pub code: String,
    /// Its terms.
    pub terms: Terms,
    /// The players; null for a free seat.
    pub players: PerPlayer<Option<Seated>>,
    /// How many turns have been played.
    pub turns: usize,
    /// Whether it is the receiver's turn.
    #[serde(default)]
    pub your_turn: bool,
}

/// A line of a leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leader {
    /// The name.
    pub name: String,
    /// The rating.
    pub rating: i32,
    /// How uncertain it is.
    pub deviation: i32,
    /// The number of rated games.
    pub games: u32,
}

/// A finished game in one's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The room.
    pub code: String,
    /// Which game of the room it was.
    pub number: u32,
    /// The game's id.
    pub game: String,
    /// The players' names.
    pub names: PerPlayer<String>,
    /// Which player one was.
    pub you: u8,
    /// How it ended.
    #[serde(flatten)]
    pub end: End,
    /// The date.
    pub date: Option<String>,
    /// One's rating after it, if it was rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}
