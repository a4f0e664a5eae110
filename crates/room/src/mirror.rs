//! The client's side of one room: a copy of the game, built from messages, and what is new in them.

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

/// Something new, for a front end to show. The mirror's session is as it is right after it.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The room waits for its second player.
    Waiting,
    /// A game begins.
    Began {
        /// Whether it had begun before this client saw it.
        resumed: bool,
        /// Whether the players have swapped seats since the last game.
        swapped: bool,
    },
    /// The game does not count although its terms say that it is rated; the text says why.
    Unrated(String),
    /// A side has chosen, and the other has not yet.
    Chosen(Side),
    /// A turn was played.
    Turn,
    /// Turns were taken back.
    TakenBack,
    /// A side offers something.
    Offered(Side, Offer),
    /// A side has answered an offer.
    Answered(Side, Offer, bool),
    /// The game is over.
    Ended(End),
    /// The score of the match after a game, and whether the match is over.
    Score(Score, bool),
    /// A side said something.
    Said(Side, Phrase),
    /// A player came or went; whether each is connected.
    Presence(Both<bool>),
    /// No clock runs: the last server stops.
    Paused,
    /// The game goes on.
    Resumed,
    /// The room was closed for good. If a game has been played in it, it is over, and there is no rematch.
    Closed,
    /// A message of this client was carried out.
    Accepted(MessageId),
    /// A message of this client was refused.
    Refused(Rej),
    /// The computer or the server cannot go on, and says why.
    Stuck {
        /// What it says.
        text: String,
        /// Whether it goes on by itself.
        waits: bool,
    },
    /// It can again, and says so.
    Unstuck(String),
}

/// What has not been shown yet.
enum Update {
    Begin(Box<Snap>),
    Turn(SubmittedTurn),
    Undo(usize),
    End(End),
    Show(Notice),
}

/// The client's side of one room.
pub struct Mirror {
    /// The games that this program knows.
    games: Catalog,
    code: String,
    /// Makes this client's message ids differ from those of the account's other clients.
    nonce: String,
    sent: u64,
    /// The last version seen; 0 for none.
    v: u64,
    /// The game as of `v`: its number and its turns, also those that are not shown yet.
    known: (u32, Vec<SubmittedTurn>),
    known_end: bool,
    updates: VecDeque<Update>,
    /// Requests without an answer yet, to be sent again after a lost connection.
    unanswered: Vec<RoomRequest>,
    /// The version that the last accepted message led to. Until it is seen, nobody is asked.
    answered_v: u64,
    out_of_step: bool,
    you: Option<Side>,
    terms: Option<Terms>,
    stage: StageName,
    game: Option<Game>,
    chosen: Both<bool>,
    offers: Both<Option<Offer>>,
    clock: Option<ClockView>,
    /// Why the server cannot go on at the moment.
    outage: Option<String>,
    /// A notice has told the clocks, and nothing since.
    is_clock_noticed: bool,
    claim_after: Option<u64>,
    present: Both<bool>,
    watchers: u32,
}

/// The game that is shown.
struct Game {
    number: u32,
    plan: Plan,
    driver: Driver,
    /// The turns, as they were submitted.
    turns: Vec<SubmittedTurn>,
    end: Option<End>,
}

impl Mirror {
    /// A client of a room whose game is one of `games`. The nonce makes its message ids differ from those of other clients.
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

    /// The games that this program knows.
    #[must_use]
    pub const fn games(&self) -> Catalog {
        self.games
    }

    /// The room's code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The last version seen; 0 for none.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.v
    }

    /// This client's side, if it plays.
    #[must_use]
    pub const fn you(&self) -> Option<Side> {
        self.you
    }

    /// The terms, once they are known.
    #[must_use]
    pub const fn terms(&self) -> Option<&Terms> {
        self.terms.as_ref()
    }

    /// The stage of the room.
    #[must_use]
    pub const fn stage(&self) -> StageName {
        self.stage
    }

    /// Whether this client can offer a rematch when the game is over.
    #[must_use]
    pub fn may_rematch(&self) -> bool {
        self.you.is_some() && self.stage != StageName::Closed
    }

    /// The game as it was last shown.
    #[must_use]
    pub fn driver(&self) -> Option<&Driver> {
        self.game.as_ref().map(|game| &game.driver)
    }

    /// The session as it was last shown.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.driver().map(Driver::session)
    }

    /// The plan of the game.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.game.as_ref().map(|game| &game.plan)
    }

    /// Which game of the room is shown, from 1.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.game.as_ref().map_or(0, |game| game.number)
    }

    /// How the game that is shown ended.
    #[must_use]
    pub fn end(&self) -> Option<&End> {
        self.game.as_ref()?.end.as_ref()
    }

    /// The open offers.
    #[must_use]
    pub const fn offers(&self) -> Both<Option<Offer>> {
        self.offers
    }

    /// The clocks at the time of the last message that told them.
    #[must_use]
    pub const fn clock(&self) -> Option<&ClockView> {
        self.clock.as_ref()
    }

    /// Why the server cannot go on at the moment, in its words. It will go on by itself, and says so.
    #[must_use]
    pub fn outage(&self) -> Option<&str> {
        self.outage.as_deref()
    }

    /// After how many seconds of absence the opponent's game can be claimed.
    #[must_use]
    pub const fn claim_after(&self) -> Option<u64> {
        self.claim_after
    }

    /// Whether each player is connected.
    #[must_use]
    pub const fn present(&self) -> Both<bool> {
        self.present
    }

    /// How many people watch.
    #[must_use]
    pub const fn watchers(&self) -> u32 {
        self.watchers
    }

    /// Whether a side's choice waits for the other side's.
    #[must_use]
    pub fn has_chosen(&self, side: Side) -> bool {
        self.chosen[side]
    }

    /// The side that this client is to choose for now. While updates wait to be shown, nobody is asked.
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

    /// Whether messages wait for their answers, or for what followed from them.
    #[must_use]
    pub fn is_waiting_for_answer(&self) -> bool {
        !self.unanswered.is_empty() || self.answered_v > self.v
    }

    /// Whether everything has been shown.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        self.updates.is_empty()
    }

    /// What to send after the connection has been established: where the client is, and what was not answered.
    #[must_use]
    pub fn connected(&mut self, watch: bool) -> Vec<ClientMessage> {
        self.out_of_step = false;
        // This may be another server, which says it again if it is still so.
        self.outage = None;
        // Clocks that stood still may run again: then a snapshot is needed, even if nothing has happened.
        let have = (self.v > 0 && !self.is_clock_noticed).then_some(self.v);
        let join = ClientMessage::Join { id: None, code: self.code.clone(), have, watch };
        let unanswered = self.unanswered.iter().cloned().map(ClientMessage::Request);
        std::iter::once(join).chain(unanswered).collect()
    }

    /// If a message was missed, what to send to get everything since.
    pub fn catch_up(&mut self) -> Option<ClientMessage> {
        if !std::mem::take(&mut self.out_of_step) {
            return None;
        }
        let have = (self.v > 0).then_some(self.v);
        Some(ClientMessage::Join { id: None, code: self.code.clone(), have, watch: true })
    }

    /// A choice, as a message.
    pub fn act(&mut self, text: &str) -> ClientMessage {
        self.ask(Request::Act { v: self.v, text: text.trim().to_owned() })
    }

    /// An offer, as a message.
    pub fn offer(&mut self, what: Offer) -> ClientMessage {
        self.ask(Request::Offer { what })
    }

    /// An answer, as a message.
    pub fn answer(&mut self, what: Offer, yes: bool) -> ClientMessage {
        self.ask(Request::Answer { what, yes })
    }

    /// A resignation, as a message.
    pub fn resign(&mut self) -> ClientMessage {
        self.ask(Request::Resign)
    }

    /// A claim, as a message.
    pub fn claim(&mut self) -> ClientMessage {
        self.ask(Request::Claim)
    }

    /// A phrase, as a message.
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

    /// What each side has left, this many milliseconds after the message that told the clocks.
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
