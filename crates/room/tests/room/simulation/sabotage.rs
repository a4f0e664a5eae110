//! Rules that the simulated server breaks on purpose, to show that the checks notice.

use skirmish_room::wire::{EventView, MessageId, Offer, Phrase, Rej, ServerMessage};
use skirmish_room::{
    DeskInput, Logged, Millis, Origin, Outgoing, Recipient, RejectionCode, Request, RoomEvent,
};
use skirmish_rules::{Both, Side};

use super::node::{Letter, Slot};
use super::world::World;

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sabotage {
    /// Events are applied and sent out while they are being appended.
    BroadcastBeforeAppend,
    /// A message is acknowledged while its events are being appended.
    AcknowledgeBeforeAppend,
    /// What was appended last is gone after a kill.
    LoseAppend,
    /// A resent message is carried out again.
    ApplyAgain,
    /// After a restart nobody remembers which messages were carried out.
    ForgetMessages,
    /// A resent message gets another answer.
    AnswerDifferently,
    /// An event tells something about a choice that waits.
    TellChoiceInEvent,
    /// A snapshot tells something about a choice that waits.
    TellChoiceInSnapshot,
    /// The other player's clock is charged.
    ChargeWrongClock,
    /// The time between a stop and the restart is charged.
    ChargeWhilePaused,
    /// After a restart the game just goes on, and the clocks have run.
    ForgetToResume,
    /// A player gets the increment of a turn twice.
    IncrementTwice,
    /// A choice counts, whatever position it was made for.
    ForgetVersionCheck,
    /// A snapshot contains the last turn twice.
    RepeatLastTurn,
    /// A snapshot lacks the last turn.
    LackLastTurn,
    /// Offers are missing in snapshots.
    HideOffers,
    /// Flags do not fall.
    IgnoreFlags,
    /// A message that was refused is acknowledged.
    AcknowledgeRefused,
    /// Some messages are never answered.
    NeverAnswer,
    /// A player can claim the game as soon as the opponent is gone.
    ClaimAtOnce,
    /// A message counts in whatever game is on.
    ForgetGame,
    /// Now and then an event is sent to nobody.
    LoseEvents,
    /// The time between a kill and the restart is charged.
    ChargeWhileAway,
    /// The time before a kill is given back.
    GiveTimeBack,
    /// A snapshot tells the clocks the wrong way round.
    SwapClocksInSnapshot,
    /// Two offers to take back turns count as consent, whatever the turns.
    AgreeToAnyTakeback,
    /// A takeback counts for a turn that its sender has not seen.
    ForgetTurn,
    /// An answer counts for an offer that its sender has not seen.
    ForgetOffer,
    /// If both players run out of time at the same moment, only one of them loses it.
    FlagOneOfTwo,
    /// Nobody can resign.
    RefuseToResign,
    /// Nobody can claim a game.
    RefuseToClaim,
    /// Nobody is told that a player has come or gone.
    HidePresence,
    /// A room that is read from the log again forgets that the operator has closed it.
    Reopen,
    /// The log does not say how much lag was credited, so that the budget never runs out.
    ForgetLag,
    /// Nobody reads a room again after a guest has signed in.
    NeverReload,
    /// The log takes what a node appends that does not have the lease any more.
    AppendWithoutLease,
    /// A node believes that it has read what a bell says that there is.
    TrustBell,
    /// Nodes do not look at the database by themselves.
    NeverLook,
    /// A new owner charges the clocks for the time without one.
    ChargeTakeover,
    /// A new owner just goes on, and the clocks have run.
    ForgetToResumeAtTakeover,
    /// A new owner gives time back from before the last one died.
    GiveTimeBackAtTakeover,
    /// What could not be appended is forgotten.
    DropPending,
    /// What may have been appended is carried out again.
    RepeatPending,
    /// Whoever was connected to a node that is gone stays there.
    NeverForgetNode,
    /// Players can claim games although not all nodes get through.
    ClaimWhileDeaf,
    /// What may have been appended is refused.
    RefuseUnknown,
    /// What the owner may have carried out is refused by the node that asked it.
    RefuseUnanswered,
    /// What waits for the database is refused, and carried out afterwards.
    RefuseWaiting,
    /// A node that stops refuses what it was not asked for in time, although somebody may have carried it out.
    RefuseAtStop,
    /// A node that stops does not note that a game could not be paused.
    ForgetUnpaused,
    /// Nodes read only once what the operator asks.
    OrderOnce,
    /// A lease does not remember that the clocks stand still.
    ForgetStopped,
    /// A node that has found the database away says that it is alive before it has resumed its rooms.
    BeatTooSoon,
    /// Whoever leaves while the database is away stays counted.
    KeepDeparted,
}

impl Sabotage {
    /// Those that only several nodes can commit.
    pub(super) const OF_NODES: [Self; 21] = [
        Self::AppendWithoutLease,
        Self::AcknowledgeBeforeAppend,
        Self::TrustBell,
        Self::NeverLook,
        Self::ChargeTakeover,
        Self::ForgetToResumeAtTakeover,
        Self::GiveTimeBackAtTakeover,
        Self::DropPending,
        Self::RepeatPending,
        Self::NeverForgetNode,
        Self::ClaimWhileDeaf,
        Self::RefuseUnknown,
        Self::RefuseUnanswered,
        Self::RefuseWaiting,
        Self::RefuseAtStop,
        Self::ForgetUnpaused,
        Self::OrderOnce,
        Self::ForgetStopped,
        Self::BeatTooSoon,
        Self::KeepDeparted,
        Self::NeverReload,
    ];

    pub(super) const ALL: [Self; 35] = [
        Self::BroadcastBeforeAppend,
        Self::AcknowledgeBeforeAppend,
        Self::LoseAppend,
        Self::ApplyAgain,
        Self::ForgetMessages,
        Self::AnswerDifferently,
        Self::TellChoiceInEvent,
        Self::TellChoiceInSnapshot,
        Self::ChargeWrongClock,
        Self::ChargeWhilePaused,
        Self::ForgetToResume,
        Self::IncrementTwice,
        Self::ForgetVersionCheck,
        Self::RepeatLastTurn,
        Self::LackLastTurn,
        Self::HideOffers,
        Self::IgnoreFlags,
        Self::AcknowledgeRefused,
        Self::NeverAnswer,
        Self::ClaimAtOnce,
        Self::ForgetGame,
        Self::LoseEvents,
        Self::ChargeWhileAway,
        Self::GiveTimeBack,
        Self::SwapClocksInSnapshot,
        Self::AgreeToAnyTakeback,
        Self::ForgetTurn,
        Self::ForgetOffer,
        Self::FlagOneOfTwo,
        Self::RefuseToResign,
        Self::RefuseToClaim,
        Self::HidePresence,
        Self::Reopen,
        Self::ForgetLag,
        Self::NeverReload,
    ];
}

impl World {
    /// Makes the desk believe something else about a request. Returns the message's origin if it was resent.
    pub(super) fn disguise(&mut self, slot: Slot, input: &mut DeskInput) -> Option<Origin> {
        let room = self.nodes[slot].role.room()?;
        match (self.sabotage, input) {
            (
                Some(Sabotage::ForgetVersionCheck),
                DeskInput::Request { request: Request::Act { v, .. }, .. },
            ) => {
                *v = room.version();
                None
            }
            (Some(Sabotage::ForgetGame), DeskInput::Request { seen, request, .. }) => {
                // What else depends on what was seen is another rule.
                let takeback = Request::Offer { what: Offer::Takeback };
                if !matches!(request, Request::Answer { .. }) && *request != takeback {
                    *seen = None;
                }
                None
            }
            (
                Some(sabotage @ (Sabotage::ForgetTurn | Sabotage::ForgetOffer)),
                DeskInput::Request { seen, request, .. },
            ) => {
                let is_answer = matches!(request, Request::Answer { .. });
                let is_takeback = *request == Request::Offer { what: Offer::Takeback };
                if if sabotage == Sabotage::ForgetOffer { is_answer } else { is_takeback } {
                    *seen = Some(room.version());
                }
                None
            }
            (Some(Sabotage::AgreeToAnyTakeback), DeskInput::Request { account, request, .. })
                if *request == Request::Offer { what: Offer::Takeback } =>
            {
                let offers = Both::from(room.snap(*account, self.now).offers);
                let offered = room.side_of(*account).and_then(|side| offers[side.other()]);
                if offered == Some(Offer::Takeback) {
                    *request = Request::Answer { what: Offer::Takeback, yes: true };
                }
                None
            }
            (
                Some(sabotage @ (Sabotage::RefuseToResign | Sabotage::RefuseToClaim)),
                DeskInput::Request { request, .. },
            ) => {
                let refused = match sabotage {
                    Sabotage::RefuseToResign => Request::Resign,
                    _ => Request::Claim,
                };
                if *request == refused {
                    *request = Request::Act { v: 0, text: String::new() };
                }
                None
            }
            (
                Some(Sabotage::ApplyAgain),
                DeskInput::Request { account, id: Some(id), request, .. },
            ) => {
                let origin = Origin { account: *account, id: id.clone() };
                if !self.server.known.contains(&origin) {
                    self.server.known.push(origin);
                    return None;
                }
                if let Request::Act { v, .. } = request {
                    *v = room.version();
                }
                *id = MessageId::Text(format!("again-{}", self.server.known.len()));
                self.server.known.push(Origin { account: *account, id: id.clone() });
                Some(origin)
            }
            (Some(Sabotage::RepeatPending), DeskInput::Request { account, id, request, .. }) => {
                let origin = Origin { account: *account, id: id.clone()? };
                let (first, _) = self.server.repeated.iter().find(|(_, again)| *again == origin)?;
                if let Request::Act { v, .. } = request {
                    *v = room.version();
                }
                Some(first.clone())
            }
            _ => None,
        }
    }

    /// The log, as a server alone reads it again.
    pub(super) fn remembered(&self) -> Vec<Logged> {
        let mut log = self.database.durable.clone();
        for index in 1..log.len() {
            let logged = &mut log[index];
            match (self.sabotage, &mut logged.event) {
                (Some(Sabotage::ForgetMessages), _) => logged.by = None,
                (Some(Sabotage::Reopen), RoomEvent::Aborted { closes: closes @ true, .. }) => {
                    *closes = false;
                    log[index + 1].event =
                        RoomEvent::Said { side: Side::One, phrase: Phrase::Thanks };
                }
                _ => {}
            }
        }
        log
    }

    /// For the sabotage: a message that was carried out gets another id.
    pub(super) fn forget_id(&mut self, input: &mut DeskInput) {
        if let (Some(Sabotage::RepeatPending), DeskInput::Request { account, id: Some(id), .. }) =
            (self.sabotage, input)
            && self.judge.has_carried_out(*account, id)
        {
            let first = Origin { account: *account, id: id.clone() };
            *id = MessageId::Text(format!("again-{}", self.server.repeated.len()));
            self.server.repeated.push((first, Origin { account: *account, id: id.clone() }));
        }
    }

    /// For the sabotage: a message is refused.
    pub(super) fn refuse(&mut self, slot: Slot, input: &DeskInput) {
        if let DeskInput::Request { connection, account, id, .. } = input {
            let is_done = id.as_ref().is_some_and(|id| self.judge.has_carried_out(*account, id));
            if is_done && self.sabotage == Some(Sabotage::RefuseWaiting) {
                return;
            }
            let text = "The server could not store it.";
            let message = ServerMessage::Rej(Rej::of(id.clone(), RejectionCode::Storage, text));
            self.deliver(slot, vec![Outgoing { to: Recipient::One(*connection), message }]);
        }
    }

    /// For the sabotage: what has found the database away is refused.
    pub(super) fn refuse_waiting(&mut self, slot: Slot) {
        let node = &mut self.nodes[slot];
        let Some(Letter::Input(input @ DeskInput::Request { .. })) = node.mailbox.front() else {
            return;
        };
        let input = input.clone();
        match self.sabotage {
            Some(Sabotage::RefuseWaiting) => self.refuse(slot, &input),
            Some(Sabotage::RefuseUnanswered) => {
                node.mailbox.pop_front();
                self.refuse(slot, &input);
            }
            _ => {}
        }
    }

    /// For the sabotage: a node that stops refuses what it does not do any more.
    pub(super) fn refuse_at_stop(&mut self, slot: Slot, letter: Option<Letter>) {
        if let (Some(Sabotage::RefuseAtStop), Some(Letter::Input(input))) = (self.sabotage, letter)
        {
            self.refuse(slot, &input);
        }
    }

    /// For the sabotage: the owner takes old reports for new ones.
    pub(super) fn remind(&mut self, slot: Slot) {
        let now = self.node_now(slot);
        let reports = self.server.reports.clone();
        for (node, report) in reports {
            if self.sabotage == Some(Sabotage::NeverForgetNode) && node != self.nodes[slot].id {
                let send = self.nodes[slot].desk().note_elsewhere(now, node, report);
                self.deliver(slot, send);
            }
        }
    }

    /// Falsifies what is appended.
    pub(super) fn falsify(&mut self, slot: Slot, append: &mut [Logged], again: Option<&Origin>) {
        for logged in append {
            if let (Some(by), Some(origin)) = (&mut logged.by, again) {
                *by = origin.clone();
            }
            if let (Some(Sabotage::FlagOneOfTwo), RoomEvent::Flagged { sides }) =
                (self.sabotage, &mut logged.event)
            {
                sides.two &= !sides.one;
            }
            if let (Some(Sabotage::ForgetLag), RoomEvent::Chose { lag, .. }) =
                (self.sabotage, &mut logged.event)
            {
                *lag = 0;
            }
            let left = logged.left.map(Both::from);
            let told = match (self.sabotage, &logged.event, left) {
                (Some(Sabotage::ChargeWrongClock), RoomEvent::Chose { .. }, Some(left)) => {
                    left.swapped()
                }
                (Some(Sabotage::IncrementTwice), RoomEvent::Chose { side, .. }, Some(mut left)) => {
                    left[*side] += 1_000;
                    left
                }
                (Some(Sabotage::ChargeWhilePaused), RoomEvent::Resumed, _) => {
                    let room = self.nodes[slot].role.room();
                    let clock = room.and_then(|room| {
                        room.snap(0, self.now).clock.map(|clock| Both::from(clock.left))
                    });
                    let Some(left) = clock else { continue };
                    left.map(|left: Millis| left.saturating_sub(1_000))
                }
                _ => continue,
            };
            logged.left = Some(told.into());
        }
    }

    /// Falsifies what is sent.
    pub(super) fn distort(&self, message: &mut ServerMessage) {
        let waiting = || {
            let last = self.database.durable.iter().rev().find_map(|logged| match &logged.event {
                RoomEvent::Chose { text, .. } => Some(text.clone()),
                _ => None,
            });
            last.unwrap_or_default()
        };
        match (self.sabotage, message) {
            (Some(Sabotage::TellChoiceInEvent), ServerMessage::Ev(ev))
                if matches!(ev.event, EventView::Chosen { .. }) =>
            {
                let told = waiting().bytes().map(u64::from).sum();
                ev.clock.iter_mut().for_each(|clock| clock.abort = Some(told));
            }
            (Some(Sabotage::TellChoiceInSnapshot), ServerMessage::Snap(snap))
                if !snap.chosen.is_empty() =>
            {
                snap.date = Some(waiting());
            }
            (Some(Sabotage::RepeatLastTurn), ServerMessage::Snap(snap)) => {
                snap.turns.extend(snap.turns.last().cloned());
            }
            (Some(Sabotage::LackLastTurn), ServerMessage::Snap(snap)) => {
                snap.turns.pop();
            }
            (Some(Sabotage::HideOffers), ServerMessage::Snap(snap)) => {
                snap.offers = Both::default().into();
            }
            (Some(Sabotage::SwapClocksInSnapshot), ServerMessage::Snap(snap)) => {
                if let Some(clock) = &mut snap.clock {
                    clock.left = Both::from(clock.left).swapped().into();
                }
            }
            (Some(Sabotage::HidePresence), ServerMessage::Presence { players, .. }) => {
                *players = Both::new(true, true).into();
            }
            (Some(Sabotage::AnswerDifferently), ServerMessage::Ack { id, v: Some(v), .. }) => {
                let MessageId::Text(text) = id else { return };
                if *v < self.judge.log.len() as u64 && text.len().is_multiple_of(2) {
                    *v += 1;
                }
            }
            _ => {}
        }
    }
}
