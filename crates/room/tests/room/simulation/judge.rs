//! Checks a log as it grows, and remembers what clients may know at each version.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use skirmish_room::wire::{ClientMessage, End, MessageId, Offer, RoomRequest, StageName};
use skirmish_room::{AccountId, Logged, Millis, Mirror, Origin, Request, Room, RoomEvent};
use skirmish_rules::{Both, GAMES, Side};

use super::ensure;
use super::merging::{rename, renamed};
use super::model::{Circumstances, Model};
use super::tally::Tally;

/// The public state at a version.
#[derive(Clone, Debug)]
struct Fact {
    stage: StageName,
    number: u32,
    accounts: Both<Option<AccountId>>,
    history: Vec<String>,
    end: Option<End>,
    offers: Both<Option<Offer>>,
    chosen: Both<bool>,
    clock: Option<(Both<Millis>, Both<bool>)>,
}

/// A choice made before the other side's, which must stay secret until the turn is played.
#[derive(Clone, Debug)]
pub(super) struct Secret {
    pub(super) id: MessageId,
    /// The version at which its turn was played, if any.
    pub(super) told_at: Option<u64>,
}

/// Checks the log of a run.
#[derive(Default)]
pub(super) struct Judge {
    pub(super) log: Vec<Logged>,
    room: Option<Room>,
    model: Option<Model>,
    facts: Vec<Fact>,
    /// All messages sent, with the number of the game they were about.
    sent: BTreeMap<(AccountId, MessageId), (ClientMessage, u32)>,
    /// Messages that were sent more than once.
    resent: BTreeSet<(AccountId, MessageId)>,
    origins: BTreeSet<(AccountId, MessageId)>,
    pub(super) secrets: Vec<Secret>,
    pub(super) tally: Tally,
}

impl Judge {
    /// Checks and records a durable event.
    pub(super) fn observe(
        &mut self,
        logged: &Logged,
        circumstances: &Circumstances,
    ) -> Result<(), String> {
        let v = self.log.len() as u64 + 1;
        if let Some(last) = self.log.last() {
            ensure(last.at <= logged.at, || format!("time goes backwards at version {v}"))?;
        }
        let earliest = self.log.last().map_or(logged.at, |last| last.at);
        ensure(logged.at <= circumstances.now.max(earliest), || {
            format!("version {v} is from the future")
        })?;
        self.check_origin(logged)?;
        match &mut self.room {
            None => {
                self.room = Some(Room::created(GAMES, logged).map_err(|error| error.to_string())?);
            }
            Some(room) => room.apply(logged, None).map_err(|error| error.to_string())?,
        }
        let room = self.room.as_ref().expect("it exists now");
        let mut stage = self.facts.last().map_or(StageName::Open, |fact| fact.stage);
        let is_said = matches!(logged.event, RoomEvent::Said { .. });
        let last = self.log.last().map(|last| &last.event);
        let closes = matches!(last, Some(RoomEvent::Aborted { closes: true, .. }));
        ensure(!closes || logged.event == RoomEvent::Closed, || {
            format!("the room is closed next, not {:?}", logged.event)
        })?;
        ensure(stage != StageName::Closed || is_said || closes, || {
            format!("the room was closed for good before {:?}", logged.event)
        })?;
        match &logged.event {
            RoomEvent::Created { .. } | RoomEvent::Seated { .. } => {}
            RoomEvent::Closed => {
                ensure(circumstances.is_shut, || "nobody has closed the room".to_owned())?;
                stage = StageName::Closed;
                if let Some(model) = &mut self.model {
                    model.offers = Both::default();
                }
            }
            RoomEvent::Began => {
                stage = StageName::Playing;
                let plan = room.plan().ok_or("a game has a plan")?;
                self.model = Some(Model::begin(plan, room.terms().clock, logged.at, v));
            }
            event => {
                self.check_choice(logged)?;
                let model = self.model.as_mut().ok_or("no game has begun")?;
                let before = model.chosen();
                if matches!(event, RoomEvent::Answered { what: Offer::Takeback, yes: true, .. })
                    && (before.one || before.two)
                {
                    self.tally.count("takeback of a waiting choice");
                }
                if *event == RoomEvent::Resumed && logged.left.is_some() {
                    self.tally.count("clocks charged until an outage");
                }
                let takeback = Some(Offer::Takeback);
                model.follow(logged, v, circumstances)?;
                if matches!(event, RoomEvent::Offered { .. })
                    && model.offers == Both::new(takeback, takeback)
                {
                    self.tally.count("takebacks crossed");
                }
                self.note_secret(event, logged.by.as_ref(), before, v);
            }
        }
        let number = self.room.as_ref().map_or(0, Room::number);
        self.tally.event(logged, self.log.last(), number);
        self.log.push(logged.clone());
        self.note(stage, logged.at)
    }

    /// Records that a client sends a message, having seen version `v`.
    pub(super) fn note_sent(&mut self, account: AccountId, message: &ClientMessage, v: u64) {
        let number = self.fact(v).map_or(0, |fact| fact.number);
        let Some(id) = id_of(message) else { return };
        match self.sent.entry((account, id.clone())) {
            Entry::Vacant(entry) => {
                entry.insert((message.clone(), number));
            }
            Entry::Occupied(entry) => {
                self.resent.insert(entry.key().clone());
            }
        }
    }

    /// Whether a message was sent more than once.
    pub(super) fn was_sent_again(&self, account: AccountId, id: &MessageId) -> bool {
        self.resent.contains(&(account, id.clone()))
    }

    /// Returns an account's messages whose ids have this prefix, oldest first.
    pub(super) fn sent_by(&self, account: AccountId, prefix: &str) -> Vec<ClientMessage> {
        let mine = self.sent.iter().filter(|((owner, id), _)| {
            *owner == account && matches!(id, MessageId::Text(text) if text.starts_with(prefix))
        });
        let mut mine: Vec<_> = mine.map(|((_, id), (message, _))| (id, message)).collect();
        mine.sort_by_key(|(id, _)| match id {
            MessageId::Text(text) => text.len(),
            MessageId::Number(_) => 0,
        });
        mine.into_iter().map(|(_, message)| message.clone()).collect()
    }

    fn fact(&self, v: u64) -> Option<&Fact> {
        self.facts.get(usize::try_from(v.checked_sub(1)?).ok()?)
    }

    /// Checks that a message was sent and is carried out only once.
    fn check_origin(&mut self, logged: &Logged) -> Result<(), String> {
        let Some(Origin { account, id }) = &logged.by else { return Ok(()) };
        let key = (*account, id.clone());
        ensure(self.sent.contains_key(&key), || format!("nobody sent {id:?}"))?;
        let goes_on = self.log.last().is_some_and(|last| last.by == logged.by)
            && !matches!(logged.event, RoomEvent::Chose { .. } | RoomEvent::Offered { .. });
        ensure(self.origins.insert(key) || goes_on, || format!("{id:?} is carried out twice"))
    }

    /// Checks that a choice counts only in the turn for which it was made, and any other request only in its game.
    fn check_choice(&self, logged: &Logged) -> Result<(), String> {
        let (Some(Origin { account, id }), Some(model)) = (&logged.by, &self.model) else {
            return Ok(());
        };
        let Some((message, about)) = self.sent.get(&(*account, id.clone())) else {
            return Ok(());
        };
        let number = self.facts.last().map_or(0, |fact| fact.number);
        let ClientMessage::Request(RoomRequest { request, seen, .. }) = message else {
            return Err(format!("{message:?} led to {:?}", logged.event));
        };
        ensure(number == *about || matches!(request, Request::Say { .. }), || {
            format!("{message:?} was about game {about}, not {number}")
        })?;
        match (request, seen, &logged.event) {
            (Request::Act { v, text: choice }, _, RoomEvent::Chose { text, .. }) => {
                ensure(choice == text, || format!("{choice} was sent, {text} is logged"))?;
                ensure((model.turn_v..=self.log.len() as u64).contains(v), || {
                    format!("a choice for version {v} was made in the turn of {}", model.turn_v)
                })
            }
            (Request::Offer { what: Offer::Takeback }, Some(v), event) => {
                let side = self.side_of(*account).ok_or("a player offers")?;
                ensure(*v >= model.choice_v(side), || {
                    format!("{message:?} was about another turn than now")
                })?;
                let is_consent =
                    matches!(event, RoomEvent::Answered { side: by, .. } if *by == side);
                ensure(!is_consent || model.take_back_the_same(), || {
                    "players agree who want to take back different turns".to_owned()
                })
            }
            (Request::Answer { .. }, Some(v), RoomEvent::Answered { side, .. }) => {
                ensure(*v >= model.offer_v[side.other()], || {
                    format!("{message:?} is about an offer that was made later")
                })
            }
            (
                Request::Offer { .. }
                | Request::Answer { .. }
                | Request::Resign
                | Request::Claim
                | Request::Say { .. },
                ..,
            ) => Ok(()),
            (_, _, event) => Err(format!("{message:?} led to {event:?}")),
        }
    }

    fn note_secret(&mut self, event: &RoomEvent, by: Option<&Origin>, before: Both<bool>, v: u64) {
        let model = self.model.as_ref().expect("a game is on");
        if let RoomEvent::Chose { side, .. } = event {
            if model.chosen()[*side] && !before[*side] {
                if let Some(origin) = by {
                    self.secrets.push(Secret { id: origin.id.clone(), told_at: None });
                }
            } else if before[side.other()]
                && let Some(secret) = self.secrets.last_mut()
            {
                secret.told_at = Some(v);
            }
        }
    }

    fn note(&mut self, stage: StageName, at: Millis) -> Result<(), String> {
        let room = self.room.as_ref().ok_or("there is a room")?;
        let account = |side: Side| room.people()[side].as_ref().map(|person| person.account);
        let mut fact = Fact {
            stage,
            number: room.number(),
            accounts: Both::from_fn(account),
            history: Vec::new(),
            end: None,
            offers: Both::default(),
            chosen: Both::default(),
            clock: None,
        };
        if let Some(model) = &self.model {
            if stage != StageName::Closed {
                fact.stage = model.stage;
            }
            fact.history = model.history();
            fact.end = model.end();
            fact.offers = model.offers;
            fact.chosen = model.chosen();
            fact.clock = model.clock(at);
            if fact.history.last().is_some_and(|turn| turn == "pass") {
                self.tally.count("forced pass");
            }
            ensure(room.end() == fact.end, || {
                format!("the room ends with {:?}, not {:?}", room.end(), fact.end)
            })?;
            let history = room.table().ok_or("a game has a table")?.history();
            ensure(history == fact.history, || {
                format!("the room has played {history:?}, not {:?}", fact.history)
            })?;
        }
        self.facts.push(fact);
        Ok(())
    }

    /// Compares a client's mirror with the log, as of the version it has seen.
    pub(super) fn compare(&self, mirror: &Mirror, account: AccountId) -> Result<(), String> {
        let v = mirror.version();
        if v == 0 {
            return Ok(());
        }
        let fact =
            self.fact(v).ok_or_else(|| format!("it has version {v}, which does not exist"))?;
        let you = Side::ALL.into_iter().find(|&side| fact.accounts[side] == Some(account));
        let chosen = Both::from_fn(|side| mirror.has_chosen(side));
        let history = mirror.session().map(|session| session.table().history());
        let history = history.unwrap_or_default();
        let what = if mirror.you() != you {
            "side"
        } else if mirror.stage() != fact.stage {
            "stage"
        } else if mirror.number() != fact.number {
            "game"
        } else if mirror.offers() != fact.offers {
            "offers"
        } else if chosen != fact.chosen {
            "choices"
        } else if mirror.end() != fact.end.as_ref() {
            "end"
        } else if history != fact.history {
            "turns"
        } else {
            return Ok(());
        };
        let (offers, stage) = (mirror.offers(), mirror.stage());
        Err(format!(
            "another {what} at version {v}: {stage:?}, {offers:?}, {chosen:?}, {history:?}; logged: {fact:?}"
        ))
    }

    /// Whether the room is finished, unless there is a rematch.
    pub(super) fn is_finished(&self) -> bool {
        self.room.as_ref().is_some_and(Room::is_over)
    }

    /// Whether a message was carried out.
    pub(super) fn has_carried_out(&self, account: AccountId, id: &MessageId) -> bool {
        self.origins.contains(&(account, id.clone()))
    }

    /// Whether a game has begun.
    pub(super) const fn has_begun(&self) -> bool {
        self.model.is_some()
    }

    /// Whether the next game of a match begins soon.
    pub(super) fn is_between_games(&self) -> bool {
        let is_over = self.model.as_ref().is_some_and(|model| model.stage == StageName::Over);
        is_over && !self.is_finished()
    }

    /// Whether clocks can run.
    pub(super) fn is_running(&self) -> bool {
        self.model.as_ref().is_some_and(|model| model.stage == StageName::Playing)
    }

    /// Returns the account at each seat now.
    pub(super) fn accounts(&self) -> Both<Option<AccountId>> {
        self.facts.last().map_or(Both::default(), |fact| fact.accounts)
    }

    /// Returns an account's side now.
    pub(super) fn side_of(&self, account: AccountId) -> Option<Side> {
        self.room.as_ref()?.side_of(account)
    }

    /// Returns the clocks right after an event, and which of them run.
    pub(super) fn clock_at(&self, v: u64) -> Option<(Both<Millis>, Both<bool>)> {
        self.fact(v).and_then(|fact| fact.clock)
    }

    /// Returns the clocks now, and which of them run.
    pub(super) fn clock_now(&self, now: Millis) -> Option<(Both<Millis>, Both<bool>)> {
        self.model.as_ref()?.clock(now)
    }

    /// Whether an acknowledgement is correct: the message led to this version.
    pub(super) fn is_in_log(&self, account: AccountId, id: &MessageId, v: u64) -> bool {
        let logged = v.checked_sub(1).and_then(|index| self.log.get(usize::try_from(index).ok()?));
        let by = logged.and_then(|logged| logged.by.as_ref());
        by.is_some_and(|origin| origin.account == account && origin.id == *id)
    }

    /// Transfers the guest's messages and seat to the account that the guest signed in to.
    pub(super) fn merge(&mut self) {
        self.log.iter_mut().for_each(rename);
        self.room = Room::fold(GAMES, &self.log).ok();
        for fact in &mut self.facts {
            fact.accounts = fact.accounts.map(|account| account.map(renamed));
        }
        let sent = std::mem::take(&mut self.sent).into_iter();
        self.sent = sent.map(|((account, id), sent)| ((renamed(account), id), sent)).collect();
        for messages in [&mut self.resent, &mut self.origins] {
            let before = std::mem::take(messages);
            *messages = before.into_iter().map(|(account, id)| (renamed(account), id)).collect();
        }
    }

    /// Returns the next time at which something happens without a request.
    pub(super) fn due(&self) -> Option<Millis> {
        self.room.as_ref()?.due()
    }
}

pub(super) fn id_of(message: &ClientMessage) -> Option<&MessageId> {
    match message {
        ClientMessage::Request(sent) => Some(&sent.id),
        _ => None,
    }
}
