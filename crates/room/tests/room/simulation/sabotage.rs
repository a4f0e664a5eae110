//! Sabotages break a rule of the simulated server, database or bus on purpose, to prove that the checks notice.

use skirmish_room::wire::{EventView, MessageId, Offer, Phrase, Rej, ServerMessage};
use skirmish_room::{
    Announcement, Cluster, HostEvent, HostInput, Logged, Millis, NodeId, Outage, Outgoing,
    Recipient, RejectionCode, Request, RoomEvent,
};
use skirmish_rules::{Both, Side};

use super::delivery::CODE;
use super::node::{Mail, Slot};
use super::world::World;

/// Declares the sabotages and the list of all of them.
macro_rules! sabotages {
    ($($(#[$about:meta])* $name:ident,)*) => {
        /// A rule to break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Sabotage { $($(#[$about])* $name,)* }

        impl Sabotage {
            pub(super) const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

sabotages! {
    /// Events are applied, acknowledged and announced before they are durable.
    ApplyBeforeDurable,
    /// The database acknowledges an append that it has not stored.
    LoseAppend,
    /// A retry of a message that was carried out is handled under a new id.
    RetryWithAnotherId,
    /// A room that is read again forgets which messages were carried out.
    ForgetMessages,
    /// A resent message gets a different answer.
    AnswerDifferently,
    /// An event reveals a pending choice.
    TellChoiceInEvent,
    /// A snapshot reveals a pending choice.
    TellChoiceInSnapshot,
    /// A node forwards another node's announcements to its followers.
    TellAnnouncement,
    /// The wrong player's clock is charged.
    ChargeWrongClock,
    /// The duration of a pause is charged to a clock.
    ChargeWhilePaused,
    /// After an outage, the game continues without settling the clocks.
    IgnoreOutage,
    /// The duration of an outage is charged to a clock.
    ChargeOutage,
    /// Time used before an outage is credited back.
    GiveTimeBack,
    /// A player's clock runs while their node hangs.
    IgnoreSilence,
    /// A player gets the increment of a turn twice.
    IncrementTwice,
    /// A choice counts for any position, not just the one it was made for.
    ForgetVersionCheck,
    /// A snapshot repeats the last turn.
    RepeatLastTurn,
    /// A snapshot omits the last turn.
    LackLastTurn,
    /// Snapshots omit offers.
    HideOffers,
    /// Clocks and deadlines never cause events.
    IgnoreTime,
    /// A refused message is acknowledged.
    AcknowledgeRefused,
    /// Some messages are never answered.
    NeverAnswer,
    /// A player can claim the game as soon as the opponent is gone.
    ClaimAtOnce,
    /// A player can claim the game although some nodes are unreachable.
    ClaimWhilePartitioned,
    /// A message counts for the current game, even if it was meant for an earlier one.
    ForgetGame,
    /// Some events are sent to nobody.
    LoseEvents,
    /// A snapshot swaps the players' clocks.
    SwapClocksInSnapshot,
    /// Two takeback offers count as consent, even for different turns.
    AgreeToAnyTakeback,
    /// A takeback counts for a turn that its sender has not seen.
    ForgetTurn,
    /// An answer counts for an offer that its sender has not seen.
    ForgetOffer,
    /// Only one flag falls if both are due.
    FlagOneOfTwo,
    /// Nobody can resign.
    RefuseToResign,
    /// Nobody can claim a game.
    RefuseToClaim,
    /// Presence changes are not sent.
    HidePresence,
    /// A room that is read again forgets that the operator closed it.
    Reopen,
    /// The log omits the credited lag, so the budget never runs out.
    ForgetLag,
    /// No node rereads a room after a guest has signed in.
    NeverReload,
    /// Due events are appended at any version.
    TwoFlags,
    /// Announced events are applied although earlier ones are missing.
    IgnoreGap,
    /// An input that met a conflict counts as handled.
    NeverDecideAgain,
    /// The database accepts appends from nodes that missed an outage or a heartbeat.
    SkipHeartbeatCheck,
    /// A message is refused although its events may have been appended.
    RefuseUnknown,
    /// The computer never finishes thinking.
    NeverThink,
    /// No node carries out the operator's orders.
    NeverObey,
    /// A client that disconnects during an outage remains counted as present.
    KeepDeparted,
    /// Nodes never poll the log.
    NeverLook,
    /// A message that arrives during an outage is forgotten.
    DropPending,
    /// A message that arrives during an outage is refused, and carried out afterwards.
    RefuseWaiting,
    /// The last node, when it stops, refuses even messages that were carried out.
    RefuseAtStop,
    /// The players of a node that has died remain counted as present.
    NeverForgetNode,
    /// A player's clock stops for as long as their node is silent.
    ExcuseForEver,
    /// A player gets more time back than their move was under way.
    CreditTooMuch,
    /// Nodes choose differently for the computer.
    ThinkDifferently,
}

impl World {
    /// Alters an input before the host receives it.
    pub(super) fn disguise(&mut self, slot: Slot, input: &mut HostInput) {
        let Some(host) = &self.nodes[slot].host else { return };
        let room = host.room();
        let HostInput::Request { account, id, seen, lag, request, .. } = input else { return };
        let is_answer = matches!(request, Request::Answer { .. });
        let is_takeback = *request == Request::Offer { what: Offer::Takeback };
        match self.sabotage {
            Some(Sabotage::ForgetVersionCheck) => {
                if let Request::Act { v, .. } = request {
                    *v = room.version();
                }
            }
            // Answers and takebacks have sabotages of their own.
            Some(Sabotage::ForgetGame) if !is_answer && !is_takeback => *seen = None,
            Some(Sabotage::ForgetTurn) if is_takeback => *seen = Some(room.version()),
            Some(Sabotage::ForgetOffer) if is_answer => *seen = Some(room.version()),
            Some(Sabotage::AgreeToAnyTakeback) if is_takeback => {
                let offers = Both::from(room.snap(*account, self.now).offers);
                let offered = room.side_of(*account).and_then(|side| offers[side.other()]);
                if offered == Some(Offer::Takeback) {
                    *request = Request::Answer { what: Offer::Takeback, yes: true };
                }
            }
            Some(Sabotage::CreditTooMuch) => *lag += 500,
            Some(Sabotage::RefuseToResign) if *request == Request::Resign => {
                *request = Request::Act { v: 0, text: String::new() };
            }
            Some(Sabotage::RefuseToClaim) if *request == Request::Claim => {
                *request = Request::Act { v: 0, text: String::new() };
            }
            Some(Sabotage::RetryWithAnotherId) => {
                let is_done = |id: &MessageId| self.judge.has_carried_out(*account, id);
                if id.as_ref().is_some_and(is_done) {
                    *id = Some(MessageId::Number(self.scheduled()));
                    if let Request::Act { v, .. } = request {
                        *v = room.version();
                    }
                }
            }
            _ => {}
        }
    }

    /// Alters an event before the host receives it, or withholds it. Returns the time at which the host receives it.
    pub(super) fn mislead(&mut self, slot: Slot, event: &mut HostEvent) -> Option<Millis> {
        let now = self.node_now(slot);
        let host = self.nodes[slot].host.as_ref();
        let is_in_trouble = host.is_some_and(|host| host.is_in_trouble());
        match (self.sabotage, event) {
            (Some(Sabotage::DropPending), HostEvent::Input(HostInput::Request { .. }))
                if is_in_trouble =>
            {
                return None;
            }
            (Some(Sabotage::RefuseWaiting), HostEvent::Input(input)) if is_in_trouble => {
                self.refuse_if(slot, Sabotage::RefuseWaiting, input);
            }
            (
                Some(Sabotage::ClaimAtOnce),
                HostEvent::Input(HostInput::Request { request: Request::Claim, .. }),
            ) => return Some(now + 700_000),
            (Some(Sabotage::KeepDeparted), HostEvent::Input(HostInput::Detach { .. })) => {
                return (!is_in_trouble).then_some(now);
            }
            (Some(Sabotage::IgnoreGap), HostEvent::Announced(announcement)) => {
                let Announcement { v, events, .. } = announcement;
                if let Some(host) = host.filter(|_| !events.is_empty()) {
                    *v = host.room().version() + events.len() as u64;
                }
            }
            (Some(Sabotage::TellAnnouncement), HostEvent::Announced(announcement)) => {
                let chosen = announcement.events.iter().find_map(|logged| match &logged.event {
                    RoomEvent::Chose { text, .. } => Some(text.clone()),
                    _ => None,
                });
                if let Some(text) = chosen.filter(|_| host.is_some()) {
                    let message =
                        ServerMessage::Rej(Rej::about(CODE, RejectionCode::Storage, &text));
                    self.deliver(slot, Outgoing { to: Recipient::All, message });
                }
            }
            _ => {}
        }
        Some(now)
    }

    /// Refuses a message, if sabotaged.
    pub(super) fn refuse_if(&mut self, slot: Slot, sabotage: Sabotage, input: &HostInput) {
        if let HostInput::Request { connection, id, .. } = input
            && self.sabotage == Some(sabotage)
        {
            let text = "The server could not store it.";
            let message = ServerMessage::Rej(Rej::of(id.clone(), RejectionCode::Storage, text));
            self.deliver(slot, Outgoing { to: Recipient::One(*connection), message });
        }
    }

    /// Lets a node hear again what nodes that have died announced, if sabotaged.
    pub(super) fn remind(&mut self, slot: Slot) {
        if self.sabotage != Some(Sabotage::NeverForgetNode) {
            return;
        }
        let is_dead = |id: &NodeId| self.nodes.iter().all(|node| node.id != *id);
        let dead: Vec<Announcement> =
            self.reports.values().filter(|report| is_dead(&report.node)).cloned().collect();
        for announcement in dead {
            let event = HostEvent::Announced(announcement);
            self.reach(slot, self.nodes[slot].id, Mail::Event(event));
        }
    }

    /// Returns the possibly falsified view that a node has of the others.
    pub(super) fn believed(&self, slot: Slot) -> Cluster {
        let mut cluster = self.nodes[slot].cluster.clone();
        let Outage { id, ended, .. } = cluster.outage;
        match self.sabotage {
            Some(Sabotage::IgnoreOutage) => cluster.outage = Outage { id, began: 0, ended: 0 },
            Some(Sabotage::ChargeOutage) => cluster.outage.began = ended,
            Some(Sabotage::GiveTimeBack) => cluster.outage.began = 0,
            Some(Sabotage::IgnoreSilence) => cluster.silent.clear(),
            Some(Sabotage::ClaimWhilePartitioned) => cluster.is_partitioned = false,
            _ => {}
        }
        cluster
    }

    /// Returns the log as a node reads it from the beginning.
    pub(super) fn remembered(&self) -> Vec<Logged> {
        let mut log = self.database.log.clone();
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

    /// Refuses a message whose events may have been appended, if sabotaged.
    pub(super) fn refuse_unknown(&mut self, slot: Slot, events: &[Logged]) {
        let Some(by) =
            events[0].by.clone().filter(|_| self.sabotage == Some(Sabotage::RefuseUnknown))
        else {
            return;
        };
        let connections = self.nodes[slot].followers();
        let mine = |connection: &u64| {
            self.connections[super::world::index(*connection)].account == by.account
        };
        if let Some(connection) = connections.into_iter().find(mine) {
            let text = "The server could not store it.";
            let message = ServerMessage::Rej(Rej::of(Some(by.id), RejectionCode::Storage, text));
            self.deliver(slot, Outgoing { to: Recipient::One(connection), message });
        }
    }

    /// Falsifies events to be appended.
    pub(super) fn falsify(&mut self, slot: Slot, append: &mut [Logged]) {
        for logged in append {
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
            if self.sabotage == Some(Sabotage::ExcuseForEver)
                && logged.is_resumption()
                && self.is_without_outage(slot)
            {
                logged.left = None;
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
                    let room = self.nodes[slot].host.as_ref().map(|host| host.room());
                    let clock = room.and_then(|room| room.snap(0, self.now).clock);
                    let Some(clock) = clock else { continue };
                    Both::from(clock.left).map(|left: Millis| left.saturating_sub(1_000))
                }
                _ => continue,
            };
            logged.left = Some(told.into());
        }
    }

    /// Whether a node's room has recorded all outages.
    fn is_without_outage(&self, slot: Slot) -> bool {
        let last = self.judge.log.last().map_or(0, |last| last.at);
        self.nodes[slot].cluster.outage.ended <= last
    }

    /// Whether the sabotage withholds a message.
    pub(super) fn is_withheld(&mut self, message: &ServerMessage) -> bool {
        match (self.sabotage, message) {
            (Some(Sabotage::LoseEvents), ServerMessage::Ev(_)) => self.random.percent(5),
            (Some(Sabotage::NeverAnswer), ServerMessage::Ack { .. }) => self.random.percent(10),
            _ => false,
        }
    }

    /// Falsifies an outgoing message.
    pub(super) fn distort(&self, message: &mut ServerMessage) {
        let waiting = || {
            let last = self.database.log.iter().rev().find_map(|logged| match &logged.event {
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
            (Some(Sabotage::AcknowledgeRefused), message @ ServerMessage::Rej(_)) => {
                let ServerMessage::Rej(rej) = &*message else { return };
                let Some(id) = rej.id.clone() else { return };
                let v = Some(self.judge.log.len() as u64);
                *message = ServerMessage::Ack { id, code: Some(CODE.to_owned()), v };
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
