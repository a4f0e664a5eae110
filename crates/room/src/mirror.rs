//! The client's side of one room: a copy of the game, built from messages, and what is new in them.

use std::collections::VecDeque;

use skirmish_play::driver::{Decision, Driver, Happened, Input, Seat};
use skirmish_play::player::{Level, Player};
use skirmish_play::{MatchState, Plan, Score, Session};
use skirmish_rules::{Both, Side, Standing, default_names};

use crate::clock::Millis;
use crate::rejection::RejectionCode;
use crate::terms::Terms;
use crate::wire::{
    ClientMessage, ClockView, End, Ev, EvKind, MatchView, MessageId, Offer, Phrase, Rej,
    ServerMessage, Snap, StageName, SubmittedTurn,
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
    /// The server stops; no clock runs.
    Paused,
    /// The game goes on.
    Resumed,
    /// The room was closed.
    Closed,
    /// A message of this client was carried out.
    Accepted(MessageId),
    /// A message of this client was refused.
    Refused(Rej),
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
    /// Messages without an answer yet, to be sent again after a lost connection.
    unanswered: Vec<(MessageId, ClientMessage)>,
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
    /// A client of a room. The nonce makes its message ids differ from those of other clients.
    #[must_use]
    pub fn new(code: &str, nonce: &str) -> Self {
        Self {
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
            claim_after: None,
            present: Both::default(),
            watchers: 0,
        }
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
            self.unanswered.iter().any(|(_, message)| matches!(message, ClientMessage::Act { .. }));
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
        let have = (self.v > 0).then_some(self.v);
        let join = ClientMessage::Join { id: None, code: self.code.clone(), have, watch };
        let unanswered = self.unanswered.iter().map(|(_, message)| message.clone());
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
        let choice = text.trim().to_owned();
        self.send(|id, code, v| ClientMessage::Act { id, code, v, choice })
    }

    /// An offer, as a message.
    pub fn offer(&mut self, what: Offer) -> ClientMessage {
        self.send(|id, code, v| ClientMessage::Offer { id, code, v: Some(v), what })
    }

    /// An answer, as a message.
    pub fn answer(&mut self, what: Offer, yes: bool) -> ClientMessage {
        self.send(|id, code, v| ClientMessage::Answer { id, code, v: Some(v), what, yes })
    }

    /// A resignation, as a message.
    pub fn resign(&mut self) -> ClientMessage {
        self.send(|id, code, v| ClientMessage::Resign { id, code, v: Some(v) })
    }

    /// A claim, as a message.
    pub fn claim(&mut self) -> ClientMessage {
        self.send(|id, code, v| ClientMessage::Claim { id, code, v: Some(v) })
    }

    /// A phrase, as a message.
    pub fn say(&mut self, phrase: Phrase) -> ClientMessage {
        self.send(|id, code, _| ClientMessage::Say { id, code, phrase })
    }

    fn send(
        &mut self,
        message: impl FnOnce(MessageId, String, u64) -> ClientMessage,
    ) -> ClientMessage {
        self.sent += 1;
        let id = MessageId::Text(format!("{}-{}", self.nonce, self.sent));
        let message = message(id.clone(), self.code.clone(), self.v);
        self.unanswered.push((id, message.clone()));
        message
    }

    /// Takes in a message from the server. What is new in it comes from [`Mirror::advance`].
    pub fn receive(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Snap(snap) if snap.code == self.code => self.receive_snap(&snap),
            ServerMessage::Ev(ev) if ev.code == self.code => self.receive_ev(*ev),
            ServerMessage::Ack { id, v, .. } if self.forget(&id) => {
                self.answered_v = self.answered_v.max(v.unwrap_or(0));
                self.updates.push_back(Update::Show(Notice::Accepted(id)));
            }
            ServerMessage::Rej(rej) if rej.id.as_ref().is_some_and(|id| self.forget(id)) => {
                self.updates.push_back(Update::Show(Notice::Refused(rej)));
            }
            // Not an answer: the computer cannot go on.
            ServerMessage::Rej(rej) if rej.id.is_none() && rej.code == RejectionCode::TooLarge => {
                self.updates.push_back(Update::Show(Notice::Refused(rej)));
            }
            ServerMessage::Presence { code, players, watchers } if code == self.code => {
                let present: Both<bool> = players.into();
                if present != self.present {
                    self.updates.push_back(Update::Show(Notice::Presence(present)));
                }
                (self.present, self.watchers) = (present, watchers);
            }
            ServerMessage::Pong { versions } => {
                self.out_of_step |= versions.get(&self.code).is_some_and(|&v| v > self.v);
            }
            _ => {}
        }
    }

    fn forget(&mut self, id: &MessageId) -> bool {
        let before = self.unanswered.len();
        self.unanswered.retain(|(other, _)| other != id);
        self.unanswered.len() < before
    }

    fn receive_snap(&mut self, snap: &Snap) {
        if snap.v < self.v {
            return;
        }
        let is_news = snap.v > self.v;
        self.v = snap.v;
        self.you = snap.you.and_then(Side::from_number);
        self.terms = Some(snap.terms.clone());
        self.claim_after = snap.claim_after;
        self.present = snap.present.into();
        self.clock.clone_from(&snap.clock);
        self.chosen = sides(&snap.chosen);
        let offers: Both<Option<Offer>> = snap.offers.into();
        let before = std::mem::replace(&mut self.stage, snap.stage);
        match snap.stage {
            StageName::Open if is_news => self.show(Notice::Waiting),
            StageName::Closed if before != StageName::Closed => self.show(Notice::Closed),
            _ => {}
        }
        if snap.number > 0 {
            self.follow(snap);
            if let Some(end) = snap.end.clone().filter(|_| !self.known_end) {
                self.known_end = true;
                self.updates.push_back(Update::End(end));
            }
        }
        for side in Side::ALL {
            if let Some(what) = offers[side].filter(|_| offers[side] != self.offers[side]) {
                self.show(Notice::Offered(side, what));
            }
        }
        self.offers = offers;
    }

    /// Follows a snapshot from what is known to what it says.
    fn follow(&mut self, snap: &Snap) {
        if snap.number != self.known.0 {
            if self.known.0 > 0
                && !self.known_end
                && let Some(end) = snap.earlier.get(self.known.0 as usize - 1)
            {
                self.updates.push_back(Update::End(end.clone()));
            }
            self.known = (snap.number, snap.turns.clone());
            self.known_end = false;
            self.updates.push_back(Update::Begin(Box::new(snap.clone())));
            return;
        }
        let known = &mut self.known.1;
        let same = known.iter().zip(&snap.turns).take_while(|(one, two)| one == two).count();
        if same < known.len() {
            known.truncate(same);
            self.updates.push_back(Update::Undo(same));
        }
        for turn in &snap.turns[same..] {
            known.push(turn.clone());
            self.updates.push_back(Update::Turn(turn.clone()));
        }
    }

    fn show(&mut self, notice: Notice) {
        self.updates.push_back(Update::Show(notice));
    }

    fn receive_ev(&mut self, ev: Ev) {
        if ev.v <= self.v {
            return;
        }
        if ev.v != self.v + 1 {
            self.out_of_step = true;
            return;
        }
        self.v = ev.v;
        if ev.clock.is_some() {
            self.clock.clone_from(&ev.clock);
        }
        let player = ev.player.and_then(Side::from_number);
        match (ev.event, player) {
            (EvKind::Chosen, Some(side)) => {
                self.chosen[side] = true;
                self.show(Notice::Chosen(side));
            }
            (EvKind::Turn, _) => {
                self.chosen = Both::default();
                self.offers = Both::default();
                for turn in ev.turns {
                    self.known.1.push(turn.clone());
                    self.updates.push_back(Update::Turn(turn));
                }
            }
            (EvKind::Undo, player) => {
                let left = ev.left.unwrap_or(0).min(self.known.1.len());
                self.chosen = Both::default();
                self.offers = Both::default();
                self.known.1.truncate(left);
                if let Some(side) = player {
                    self.show(Notice::Answered(side, Offer::Takeback, true));
                }
                self.updates.push_back(Update::Undo(left));
            }
            (EvKind::Offer, Some(side)) => {
                self.offers[side] = ev.what;
                if let Some(what) = ev.what {
                    self.show(Notice::Offered(side, what));
                }
            }
            (EvKind::Answer, Some(side)) => {
                self.offers[side.other()] = None;
                if let (Some(what), Some(yes)) = (ev.what, ev.yes) {
                    self.show(Notice::Answered(side, what, yes));
                }
            }
            (EvKind::Say, Some(side)) => {
                if let Some(phrase) = ev.phrase {
                    self.show(Notice::Said(side, phrase));
                }
            }
            (EvKind::Paused, _) => {
                self.stage = StageName::Paused;
                self.show(Notice::Paused);
            }
            (EvKind::Resumed, _) => {
                self.stage = StageName::Playing;
                self.show(Notice::Resumed);
            }
            (EvKind::Closed, _) => {
                self.stage = StageName::Closed;
                self.show(Notice::Closed);
            }
            (EvKind::End | EvKind::Chosen | EvKind::Offer | EvKind::Answer | EvKind::Say, _) => {}
        }
        if let Some(end) = ev.end.filter(|_| !self.known_end) {
            self.known_end = true;
            self.stage = StageName::Over;
            self.offers = Both::default();
            self.chosen = Both::default();
            self.updates.push_back(Update::End(end));
        }
    }

    /// The next thing to show, if there is one. The session is then as it is right after it.
    pub fn advance(&mut self) -> Option<Notice> {
        while let Some(update) = self.updates.pop_front() {
            let notice = match update {
                Update::Show(notice) => Some(notice),
                Update::Begin(snap) => self.begin(&snap),
                Update::Turn(turn) => self.play(turn).then_some(Notice::Turn),
                Update::Undo(left) => self.take_back(left).then_some(Notice::TakenBack),
                Update::End(end) => self.finish(end),
            };
            if notice.is_some() {
                return notice;
            }
        }
        None
    }

    fn begin(&mut self, snap: &Snap) -> Option<Notice> {
        let plan = plan_of(snap)?;
        let before = self.game.as_ref().map(|game| game.plan.names.clone());
        let swapped = before.is_some_and(|names| names != plan.names);
        let driver = Driver::new(plan.begin(), Both::new(Seat::Person, Seat::Person));
        let (number, turns) = (snap.number, Vec::new());
        self.game = Some(Game { number, plan, driver, turns, end: None });
        for turn in &snap.turns {
            self.play(turn.clone());
        }
        Some(Notice::Began { resumed: !snap.turns.is_empty(), swapped })
    }

    /// Plays a turn as it was submitted. Returns whether it fits.
    fn play(&mut self, submitted: SubmittedTurn) -> bool {
        let Some(game) = &mut self.game else { return false };
        let turn: Both<Option<String>> = submitted.clone().into();
        let mut happened = Happened::Nothing;
        for side in Side::ALL {
            if let Some(text) = &turn[side] {
                happened = game.driver.enter(Input::Choice(side, text));
            }
        }
        let fits = happened == Happened::Turn;
        if fits {
            game.turns.push(submitted);
        }
        self.out_of_step |= !fits;
        fits
    }

    fn take_back(&mut self, left: usize) -> bool {
        let Some(mut game) = self.game.take() else { return false };
        // The session counts what was taken back, as the server's does.
        let mut session = game.driver.into_session();
        while session.table().turns_played() > left && session.undo() {}
        // A turn is taken back with the passes after it, some of which may have been played again.
        let again = game.turns.split_off(session.table().turns_played().min(game.turns.len()));
        let left = left.saturating_sub(game.turns.len());
        game.driver = Driver::new(session, Both::new(Seat::Person, Seat::Person));
        game.end = None;
        self.game = Some(game);
        for turn in again.into_iter().take(left) {
            self.play(turn);
        }
        true
    }

    fn finish(&mut self, end: End) -> Option<Notice> {
        let game = self.game.as_mut()?;
        if game.driver.session().ending().is_none()
            && let Some(decision) = decision_of(&end)
        {
            game.driver.enter(Input::Decided(decision));
        }
        game.end = Some(end.clone());
        let ending = game.driver.session().ending();
        if let Some(after) = ending.and_then(|ending| game.plan.after(ending.outcome)) {
            let (score, over) = match after {
                MatchState::Next(score, _) => (score, false),
                MatchState::Over(score) => (score, true),
            };
            self.updates.push_front(Update::Show(Notice::Score(score, over)));
        }
        Some(Notice::Ended(end))
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

fn sides(numbers: &[u8]) -> Both<bool> {
    Both::from_fn(|side| numbers.contains(&side.number()))
}

/// The plan of the game in a snapshot; none if this program does not know it, or it is impossible.
fn plan_of(snap: &Snap) -> Option<Plan> {
    snap.terms.check().ok()?;
    let is_possible = |standing: &MatchView| {
        let half_points: Both<u32> = standing.half_points.into();
        let played = standing.game.checked_sub(1).filter(|_| standing.game <= standing.of);
        let total = half_points.one.checked_add(half_points.two);
        played.is_some_and(|played| total == played.checked_mul(2))
    };
    if !snap.standing.as_ref().is_none_or(is_possible) {
        return None;
    }
    let players: Both<Option<crate::wire::Seated>> = snap.players.clone().into();
    let seats = default_names();
    Some(Plan {
        entry: snap.terms.entry().ok()?,
        settings: snap.terms.settings().ok()?,
        names: Both::from_fn(|side| match &players[side] {
            Some(player) => player.name.clone(),
            None => seats[side].clone(),
        }),
        players: players.map(|player| match player.and_then(|player| player.level) {
            Some(level) => Level::named(&level).map_or(Player::Human, Player::Computer),
            None => Player::Human,
        }),
        first: Side::from_number(snap.first)?,
        standing: snap.standing.map(|standing| Standing {
            game: standing.game,
            of: standing.of,
            half_points: standing.half_points.into(),
        }),
        date: snap.date.clone(),
        seed: None,
        turn_limit: snap.terms.max_turns,
    })
}

/// How a game ended that the rules did not end.
fn decision_of(end: &End) -> Option<Decision> {
    let loser = match end.result.as_str() {
        "1-0" => Some(Side::Two),
        "0-1" => Some(Side::One),
        _ => None,
    };
    match end.termination.as_str() {
        "resigned" => loser.map(Decision::Resign),
        "agreed" => Some(Decision::Draw),
        "time" => {
            Some(Decision::TimeUp(Both::from_fn(|side| loser.is_none_or(|loser| loser == side))))
        }
        _ => None,
    }
}
