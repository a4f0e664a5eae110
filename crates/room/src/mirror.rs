//! The client's copy of a room, built from the server's messages, and the news in each message.

mod receive;
mod show;

use std::collections::VecDeque;

use skirmish_play::driver::Driver;
use skirmish_play::{Plan, Score, Session};
use skirmish_rules::{Both, Catalog, Side};

use crate::clock::Millis;
use crate::room::Request;
use crate::terms::Terms;
use crate::wire::{
    ClientMessage, ClockView, End, MessageId, Offer, Phrase, Rej, RoomRequest, Snap, StageName,
    SubmittedTurn,
};

/// News for a front end to show. The mirror's session is in the state immediately after it.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The room waits for its second player.
    Waiting,
    /// A game has begun.
    Began {
        /// Whether this client joined after the game began.
        resumed: bool,
        /// Whether the players have swapped seats since the last game.
        swapped: bool,
    },
    /// The game is unrated although its terms ask for a rated game; the text says why.
    Unrated(String),
    /// A side has chosen, but the other has not yet.
    Chosen(Side),
    /// A turn was played.
    Turn,
    /// Turns were taken back.
    TakenBack,
    /// A side made an offer.
    Offered(Side, Offer),
    /// A side answered an offer, accepting it if `true`.
    Answered(Side, Offer, bool),
    /// The game is over.
    Ended(End),
    /// The match score after a game, and whether the match is over.
    Score(Score, bool),
    /// A side said something.
    Said(Side, Phrase),
    /// A player connected or disconnected. Tells whether each player is connected.
    Presence(Both<bool>),
    /// The game is paused because the last server is stopping.
    Paused,
    /// The game has resumed.
    Resumed,
    /// The room was closed permanently. Any game in it is over, and there is no rematch.
    Closed,
    /// A message of this client was carried out.
    Accepted(MessageId),
    /// A message of this client was refused.
    Refused(Rej),
    /// The computer or the server cannot continue, and says why.
    Stuck {
        /// The server's explanation.
        text: String,
        /// Whether the problem will resolve itself.
        waits: bool,
    },
    /// A problem reported earlier is resolved, with the server's message.
    Unstuck(String),
}

/// News that has not been shown yet.
enum Update {
    Begin(Box<Snap>),
    Turn(SubmittedTurn),
    Undo(usize),
    End(End),
    Show(Notice),
}

/// The client's copy of a room.
pub struct Mirror {
    /// The catalogue of games that this program knows.
    games: Catalog,
    code: String,
    /// Makes this client's message ids differ from those of the account's other clients.
    nonce: String,
    sent: u64,
    /// The last version seen; 0 for none.
    v: u64,
    /// The current game's number and turns as of `v`, including turns not shown yet.
    known: (u32, Vec<SubmittedTurn>),
    known_end: bool,
    updates: VecDeque<Update>,
    /// Unanswered requests, to be resent after a lost connection.
    unanswered: Vec<RoomRequest>,
    /// The version that the last accepted message led to. Until it is reached, nobody is asked to choose.
    answered_v: u64,
    out_of_step: bool,
    you: Option<Side>,
    terms: Option<Terms>,
    stage: StageName,
    game: Option<ShownGame>,
    chosen: Both<bool>,
    offers: Both<Option<Offer>>,
    clock: Option<ClockView>,
    /// Why the server cannot continue now.
    outage: Option<String>,
    /// Whether the clocks come from a notice that no later message has replaced.
    is_clock_noticed: bool,
    claim_after: Option<u64>,
    present: Both<bool>,
    watchers: u32,
}

/// The game as shown.
struct ShownGame {
    number: u32,
    plan: Plan,
    driver: Driver,
    /// The submitted choices of each turn.
    turns: Vec<SubmittedTurn>,
    end: Option<End>,
}

impl Mirror {
    /// Creates a mirror of a room whose game is in `games`. The nonce makes its message ids unique among the account's
    /// clients.
    #[must_use]
    pub fn new(games: Catalog, code: &str, nonce: &str) -> Self {
        Self {
            games,
            code: code.to_owned(),
            nonce: nonce.to_owned(),
            sent: 0,
            v: 0,
            known: (0, Vec::new()),
            known_end: false,
            updates: VecDeque::new(),
            unanswered: Vec::new(),
            answered_v: 0,
            out_of_step: false,
            you: None,
            terms: None,
            stage: StageName::Open,
            game: None,
            chosen: Both::default(),
            offers: Both::default(),
            clock: None,
            outage: None,
            is_clock_noticed: false,
            claim_after: None,
            present: Both::default(),
            watchers: 0,
        }
    }

    /// Returns the catalogue of games that this program knows.
    #[must_use]
    pub const fn games(&self) -> Catalog {
        self.games
    }

    /// Returns the room code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the last version seen; 0 for none.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.v
    }

    /// Returns this client's side, if it plays.
    #[must_use]
    pub const fn you(&self) -> Option<Side> {
        self.you
    }

    /// Returns the terms, once they are known.
    #[must_use]
    pub const fn terms(&self) -> Option<&Terms> {
        self.terms.as_ref()
    }

    /// Returns the stage of the room.
    #[must_use]
    pub const fn stage(&self) -> StageName {
        self.stage
    }

    /// Whether this client can offer a rematch once the game is over.
    #[must_use]
    pub fn may_rematch(&self) -> bool {
        self.you.is_some() && self.stage != StageName::Closed
    }

    /// Returns the game as last shown.
    #[must_use]
    pub fn driver(&self) -> Option<&Driver> {
        self.game.as_ref().map(|game| &game.driver)
    }

    /// Returns the session as last shown.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.driver().map(Driver::session)
    }

    /// Returns the plan of the game as last shown.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.game.as_ref().map(|game| &game.plan)
    }

    /// Returns the number of the game as shown, from 1.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.game.as_ref().map_or(0, |game| game.number)
    }

    /// Returns how the game ended, once shown.
    #[must_use]
    pub fn end(&self) -> Option<&End> {
        self.game.as_ref()?.end.as_ref()
    }

    /// Returns the open offers.
    #[must_use]
    pub const fn offers(&self) -> Both<Option<Offer>> {
        self.offers
    }

    /// Returns the clocks as of the last message that contained them.
    #[must_use]
    pub const fn clock(&self) -> Option<&ClockView> {
        self.clock.as_ref()
    }

    /// Returns the server's explanation of why it cannot continue now. It announces when it can.
    #[must_use]
    pub fn outage(&self) -> Option<&str> {
        self.outage.as_deref()
    }

    /// Returns after how many seconds of the opponent's absence the game can be claimed.
    #[must_use]
    pub const fn claim_after(&self) -> Option<u64> {
        self.claim_after
    }

    /// Whether each player is connected.
    #[must_use]
    pub const fn present(&self) -> Both<bool> {
        self.present
    }

    /// Returns the number of watchers.
    #[must_use]
    pub const fn watchers(&self) -> u32 {
        self.watchers
    }

    /// Whether a side has chosen and is waiting for the other side's choice.
    #[must_use]
    pub fn has_chosen(&self, side: Side) -> bool {
        self.chosen[side]
    }

    /// Returns the side for which this client must choose now. Nobody is asked while updates are still to be shown.
    #[must_use]
    pub fn asked(&self) -> Option<Side> {
        let (side, session) = (self.you?, self.session()?);
        let is_acting =
            self.unanswered.iter().any(|sent| matches!(sent.request, Request::Act { .. }));
        let is_asked = self.stage == StageName::Playing
            && self.updates.is_empty()
            && self.answered_v <= self.v
            && self.end().is_none()
            && session.table().turn().contains(&side)
            && !self.chosen[side]
            && !is_acting;
        is_asked.then_some(side)
    }

    /// Whether messages are unanswered, or the version they led to has not arrived.
    #[must_use]
    pub fn is_waiting_for_answer(&self) -> bool {
        !self.unanswered.is_empty() || self.answered_v > self.v
    }

    /// Whether all updates have been shown.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        self.updates.is_empty()
    }

    /// Returns the messages to send after connecting: a join with the last version seen, and all unanswered requests.
    #[must_use]
    pub fn connected(&mut self, watch: bool) -> Vec<ClientMessage> {
        self.out_of_step = false;
        // The new connection may be to another server, which reports the outage again if it persists.
        self.outage = None;
        // Stopped clocks may have restarted, so a snapshot is needed even if no event is missing.
        let have = (self.v > 0 && !self.is_clock_noticed).then_some(self.v);
        let join = ClientMessage::Join { id: None, code: self.code.clone(), have, watch };
        let unanswered = self.unanswered.iter().cloned().map(ClientMessage::Request);
        std::iter::once(join).chain(unanswered).collect()
    }

    /// Returns a message that requests everything since the last version, if a message was missed.
    pub fn catch_up(&mut self) -> Option<ClientMessage> {
        if !std::mem::take(&mut self.out_of_step) {
            return None;
        }
        let have = (self.v > 0).then_some(self.v);
        Some(ClientMessage::Join { id: None, code: self.code.clone(), have, watch: true })
    }

    /// Makes a choice, and returns the message to send.
    pub fn act(&mut self, text: &str) -> ClientMessage {
        self.ask(Request::Act { v: self.v, text: text.trim().to_owned() })
    }

    /// Makes an offer, and returns the message to send.
    pub fn offer(&mut self, what: Offer) -> ClientMessage {
        self.ask(Request::Offer { what })
    }

    /// Answers the opponent's offer, and returns the message to send.
    pub fn answer(&mut self, what: Offer, yes: bool) -> ClientMessage {
        self.ask(Request::Answer { what, yes })
    }

    /// Resigns, and returns the message to send.
    pub fn resign(&mut self) -> ClientMessage {
        self.ask(Request::Resign)
    }

    /// Claims the game, and returns the message to send.
    pub fn claim(&mut self) -> ClientMessage {
        self.ask(Request::Claim)
    }

    /// Says a phrase, and returns the message to send.
    pub fn say(&mut self, phrase: Phrase) -> ClientMessage {
        self.ask(Request::Say { phrase })
    }

    fn ask(&mut self, request: Request) -> ClientMessage {
        self.sent += 1;
        let id = MessageId::Text(format!("{}-{}", self.nonce, self.sent));
        let request = RoomRequest::new(id, self.code.clone(), Some(self.v), request);
        self.unanswered.push(request.clone());
        ClientMessage::Request(request)
    }

    /// Returns each side's remaining time, `since` milliseconds after the message that contained the clocks.
    #[must_use]
    pub fn time_left(&self, since: Millis) -> Option<Both<Millis>> {
        let clock = self.clock.as_ref()?;
        let left: Both<Millis> = clock.left.into();
        Some(Both::from_fn(|side| {
            if clock.running.contains(&side.number()) {
                left[side].saturating_sub(since)
            } else {
                left[side]
            }
        }))
    }
}
