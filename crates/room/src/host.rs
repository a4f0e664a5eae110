//! Runs a room on a node, without I/O. Every node with a connection to the room runs the same loop: decide a request on
//! the local copy, append the result at the expected version, and only then apply, acknowledge and announce it. If
//! another node appended first, read its events and decide again.
//!
//! The server and the simulation both run this code and carry out the [`Effect`]s of each [`HostEvent`] in order.

mod audience;
mod deciding;
mod elsewhere;
mod input;
mod presence;
mod storing;
mod trouble;

use std::collections::VecDeque;

use skirmish_rules::{Both, Side, Table};

use self::audience::{Audience, acknowledge};
use self::elsewhere::Elsewhere;
pub use self::input::{
    Append, AppendError, ConnectionId, Effect, HostEvent, HostInput, Outgoing, Recipient, Task,
    Unavailable,
};
use self::presence::{Absence, Announced, Waking};
use self::trouble::Trouble;
use crate::clock::Millis;
use crate::cluster::{Announcement, Cluster};
use crate::event::{AccountId, Logged, Origin, RoomEvent};
use crate::room::{FoldError, Room};
use crate::wire::{MessageId, Rej, ServerMessage};

/// How often to poll the log of a followed room: while announcements are known to be lost, and otherwise, because one may
/// be lost undetected.
const LOOK_EVERY: (Millis, Millis) = (1_000, 10_000);

/// How long only the node that appended the last event may choose for the computer.
const THINK_AFTER: Millis = 2_000;

/// A room on one node.
#[allow(clippy::struct_excessive_bools)] // independent flags
pub struct Host {
    room: Room,
    audience: Audience,
    elsewhere: Elsewhere,
    /// Recent rejections, so that a resent message gets its first answer again.
    refused: VecDeque<(Origin, Rej)>,
    /// Inputs still to be decided.
    waiting: VecDeque<Waiting>,
    /// The database request in progress.
    doing: Option<Doing>,
    /// Set while the database is unreachable.
    trouble: Option<Trouble>,
    /// Whether the log is known to have newer events.
    is_behind: bool,
    /// Whether this node appended the last event. If so, this node runs the computer player.
    is_author: bool,
    /// When the log was last known to have been read to its end.
    looked: Millis,
    /// The delay between the start of the turn and this node learning of it. Its players could not choose earlier.
    late: Millis,
    absence: Both<Absence>,
    waking: Waking,
    /// The value of [`Cluster::gaps`] for which the log has been read.
    gaps: u64,
    was_partitioned: bool,
    was_alone: bool,
    /// The presence and number of watchers last sent to the followers.
    told: (Both<bool>, u32),
    announced: Announced,
    effects: Vec<Effect>,
}

/// An input still to be decided.
#[derive(Debug)]
struct Waiting {
    input: HostInput,
    /// How many append conflicts this input has met.
    conflicts: u32,
    /// Whether the sender's current account has been looked up.
    is_recognised: bool,
    /// Whether the log has been read for this input.
    is_caught_up: bool,
}

impl Waiting {
    const fn new(input: HostInput) -> Self {
        Self { input, conflicts: 0, is_recognised: false, is_caught_up: false }
    }

    /// Whether the input is a message that the log may already contain, unknown to this copy.
    fn may_miss_events(&self, cluster: &Cluster) -> bool {
        !cluster.is_alone && !self.is_caught_up && self.input.sender().is_some()
    }
}

/// A database request in progress.
#[derive(Debug)]
enum Doing {
    /// Appending events.
    Appending {
        after: u64,
        events: Vec<Logged>,
        waiting: Waiting,
        /// Whether the events were due anyway, so that the input must still be decided.
        is_due: bool,
    },
    /// Reading the events after a version.
    Reading {
        /// The last version that this copy has.
        after: u64,
    },
    /// Reading the whole log, because its account ids have changed.
    Reloading,
    /// Looking up the sender's current account.
    Recognising(Waiting),
}

impl Host {
    /// Creates a host for a room that this node has just read or created.
    #[must_use]
    pub fn new(mut room: Room, now: Millis, cluster: &Cluster) -> Self {
        // A folded room does not know who was connected.
        room.note_all_gone(now);
        let elsewhere = if cluster.is_alone {
            Elsewhere::default()
        } else {
            Elsewhere::assume(now, accounts(&room).map(|(_, account)| account).collect())
        };
        let told = (room.present(), 0);
        Self {
            room,
            audience: Audience::default(),
            elsewhere,
            refused: VecDeque::new(),
            waiting: VecDeque::new(),
            doing: None,
            trouble: None,
            is_behind: false,
            is_author: false,
            looked: now,
            late: 0,
            absence: Both::new(Absence::unknown(), Absence::unknown()),
            waking: Waking::default(),
            gaps: cluster.gaps,
            was_partitioned: cluster.is_partitioned,
            was_alone: cluster.is_alone,
            told,
            announced: Announced::default(),
            effects: Vec::new(),
        }
    }

    /// Creates a host for a room that this node has just created and no other node has read.
    #[must_use]
    pub fn created(room: Room, now: Millis, cluster: &Cluster) -> Self {
        let elsewhere = Elsewhere::default();
        Self { elsewhere, announced: Announced::to_nobody(), ..Self::new(room, now, cluster) }
    }

    /// Returns the room, up to the last event this node knows.
    #[must_use]
    pub const fn room(&self) -> &Room {
        &self.room
    }

    /// Returns the connections that follow the room on this node.
    pub fn followers(&self) -> impl Iterator<Item = ConnectionId> {
        self.audience.connections()
    }

    /// Returns the players' connections on this node.
    pub fn players(&self) -> impl Iterator<Item = ConnectionId> {
        self.audience.players(&self.room)
    }

    /// Whether a connection follows the room, or will as soon as the database can be reached.
    #[must_use]
    pub fn expects(&self, connection: ConnectionId) -> bool {
        let attaches = |waiting: &Waiting| matches!(waiting.input, HostInput::Attach { connection: other, .. } if other == connection);
        self.followers().any(|other| other == connection) || self.waiting.iter().any(attaches)
    }

    /// Returns the acknowledgement of a message, if it has already been carried out.
    #[must_use]
    pub fn answer_to(&self, input: &HostInput) -> Option<ServerMessage> {
        self.acknowledgement(input).map(|outgoing| outgoing.message)
    }

    /// Whether the database is unreachable.
    #[must_use]
    pub const fn is_in_trouble(&self) -> bool {
        self.trouble.is_some()
    }

    /// Returns when to enter [`HostInput::Tick`].
    #[must_use]
    pub fn due(&self, cluster: &Cluster) -> Option<Millis> {
        if let Some(trouble) = &self.trouble {
            return Some(trouble.again);
        }
        if self.is_unsure() {
            return self.waking.until();
        }
        let room = self.room.due().filter(|_| !self.may_miss_creator(cluster));
        let elsewhere = self.elsewhere.due().filter(|_| !cluster.is_partitioned);
        let look = self.look_due(cluster);
        let announce = self.announcement_due(cluster);
        let task = self.task_due(cluster).filter(|&at| at > self.room.last_event());
        [room, elsewhere, look, announce, task].into_iter().flatten().min()
    }

    /// Returns what the computer must do now, if this node is responsible.
    #[must_use]
    pub fn task(&self, now: Millis, cluster: &Cluster) -> Option<Task> {
        self.task_due(cluster).filter(|&at| at <= now)?;
        let fork = || self.room.table().map(Table::fork);
        if let Some(side) = self.room.asked_for_draw() {
            return Some(Task::AnswerDraw(side, fork()?));
        }
        Some(Task::Choose(self.room.asked_programs()?, fork()?))
    }

    /// Returns when this node should run the computer player. Seeds make every node choose alike, so two may safely do
    /// it.
    fn task_due(&self, cluster: &Cluster) -> Option<Millis> {
        if self.trouble.is_some() {
            return None;
        }
        self.room.asked_for_draw().or_else(|| self.room.asked_programs())?;
        let is_ours = self.is_author || cluster.is_alone;
        // Run it at once, even if another node's clock is ahead.
        Some(if is_ours { 0 } else { self.room.last_event() + THINK_AFTER })
    }

    /// Returns when to poll the log.
    fn look_due(&self, cluster: &Cluster) -> Option<Millis> {
        let every = if cluster.polls { LOOK_EVERY.0 } else { LOOK_EVERY.1 };
        (!cluster.is_alone && self.audience.len() > 0).then_some(self.looked + every)
    }

    /// Handles an event. The caller must carry out the effects in order.
    ///
    /// # Errors
    /// If an event in the log does not fit the room, which means that the log is damaged.
    pub fn handle(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        event: HostEvent,
    ) -> Result<Vec<Effect>, FoldError> {
        self.notice_waking(now, cluster);
        self.notice_silence(now, cluster);
        if std::mem::replace(&mut self.gaps, cluster.gaps) != cluster.gaps {
            self.is_behind |= self.audience.len() > 0;
        }
        // A node that has died may have appended events that it could not announce.
        if !std::mem::replace(&mut self.was_alone, cluster.is_alone) && cluster.is_alone {
            self.is_behind = true;
        }
        if !cluster.is_available && self.trouble.is_none() && self.doing.is_none() {
            self.note_trouble(now, cluster);
        }
        match event {
            HostEvent::Input(input) => self.receive(now, cluster, input),
            HostEvent::Appended(result) => self.appended(now, cluster, result)?,
            HostEvent::Read(log) => self.read(now, cluster, log)?,
            HostEvent::Recognised(account) => self.recognised(now, cluster, account),
            HostEvent::Announced(announcement) => self.hear(now, cluster, announcement),
            HostEvent::Unreadable => self.is_behind = true,
        }
        self.go_on(now, cluster);
        self.tell_presence(now, cluster);
        self.announce(now, cluster);
        Ok(std::mem::take(&mut self.effects))
    }

    /// Queues an input, or handles it without the database during an outage.
    fn receive(&mut self, now: Millis, cluster: &Cluster, input: HostInput) {
        if matches!(input, HostInput::Pause | HostInput::Drain) {
            self.waking.stop();
        }
        match &self.trouble {
            Some(trouble) if !trouble.is_past(cluster) => {
                self.receive_in_trouble(now, cluster, input);
            }
            Some(_) | None if matches!(input, HostInput::Reload) => {
                self.waiting.push_front(Waiting::new(input));
            }
            // The log is read before this input is decided.
            Some(_) | None => self.waiting.push_back(Waiting::new(input)),
        }
    }

    /// Decides queued inputs until one needs the database.
    fn go_on(&mut self, now: Millis, cluster: &Cluster) {
        while self.doing.is_none() {
            let is_time = match &self.trouble {
                Some(trouble) => trouble.again <= now || trouble.is_past(cluster),
                None => self.is_behind || self.look_due(cluster).is_some_and(|due| due <= now),
            };
            if is_time {
                return self.catch_up();
            }
            // Without a reload, an account that another node announces may be unknown here.
            let reloads =
                matches!(self.waiting.front(), Some(Waiting { input: HostInput::Reload, .. }));
            if self.trouble.is_some() || (self.is_unsure() && !reloads) {
                return;
            }
            let Some(waiting) = self.waiting.pop_front() else { return };
            // Presence goes out before the next decision, so that followers see every change.
            if !self.effects.is_empty() {
                self.tell_presence(now, cluster);
            }
            self.decide(now, cluster, waiting);
        }
    }

    /// Handles an announcement by another node. Applies events that continue this copy; otherwise reads the log.
    fn hear(&mut self, now: Millis, cluster: &Cluster, announcement: Announcement) {
        let Announcement { node, v, events, followers, asks } = announcement;
        if let Some(followers) = followers {
            self.elsewhere.note(now, node, followers);
            self.note_elsewhere(now, cluster);
        }
        if asks {
            self.announced.forget();
        }
        let own = self.room.version();
        if v <= own || self.trouble.is_some() {
            return;
        }
        // The full read in progress may miss these events.
        if matches!(self.doing, Some(Doing::Reloading)) {
            self.is_behind = true;
            return;
        }
        let first = v.checked_sub(events.len() as u64).filter(|_| !events.is_empty());
        let new = first
            .and_then(|first| own.checked_sub(first))
            .and_then(|known| events.get(usize::try_from(known).ok()?..));
        // The log replaces a guest's account with the one it was merged into; an announcement may still name the guest.
        let names_player = |logged: &&Logged| {
            let sits_down = |account| {
                events.iter().any(|other| {
                    matches!(&other.event, RoomEvent::Seated { person } if person.account == account)
                })
            };
            let by = logged.by.as_ref().map(|by| by.account);
            by.is_none_or(|account| self.room.side_of(account).is_some() || sits_down(account))
        };
        let new = new.filter(|new| new.iter().all(|logged| names_player(&logged)));
        match new.map(|new| self.learn(now, cluster, new)) {
            Some(Ok(())) => {
                self.is_author = false;
                self.looked = now;
            }
            // Some events may already have been applied: reload from the log.
            Some(Err(_)) => self.waiting.push_front(Waiting::new(HostInput::Reload)),
            None => self.is_behind = true,
        }
    }

    /// Applies events that another node has appended.
    fn learn(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        events: &[Logged],
    ) -> Result<(), FoldError> {
        self.note_acts(cluster, events);
        self.apply(now, cluster, events)
    }

    /// Applies durable events and informs the followers.
    fn apply(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        events: &[Logged],
    ) -> Result<(), FoldError> {
        let began = self.room.turn_began();
        let first = self.room.people().one.as_ref().map(|person| person.account);
        let send = self.audience.tell(&mut self.room, now, events)?;
        if first.and_then(|account| self.room.side_of(account)) == Some(Side::Two) {
            let Both { one, two } = &mut self.absence;
            std::mem::swap(one, two);
        }
        self.effects.extend(send.into_iter().map(Effect::from));
        if let Some(turn) = self.room.turn_began().filter(|turn| Some(*turn) != began) {
            self.late = now.saturating_sub(turn);
        }
        // The turn may have begun while this node hung: excuse its player before checking for a fallen flag.
        self.notice_silence(now, cluster);
        Ok(())
    }

    fn send_all(&mut self, message: ServerMessage) {
        self.effects.push(Outgoing { to: Recipient::All, message }.into());
    }

    fn send_to(&mut self, connection: ConnectionId, message: ServerMessage) {
        self.effects.push(Outgoing { to: Recipient::One(connection), message }.into());
    }

    /// Returns the acknowledgement of an input whose events are durable.
    fn acknowledgement(&self, input: &HostInput) -> Option<Outgoing> {
        let (account, id) = input.sender()?;
        let origin = origin(account, id)?;
        let v = self.room.answer_to(&origin)?;
        Some(acknowledge(&self.room, input.connection()?, origin.id, v))
    }
}

/// Returns the human players of a room.
fn accounts(room: &Room) -> impl Iterator<Item = (Side, AccountId)> {
    Side::ALL.into_iter().filter_map(|side| Some((side, room.people()[side].as_ref()?.account)))
}

fn origin(account: AccountId, id: Option<&MessageId>) -> Option<Origin> {
    id.map(|id| Origin { account, id: id.clone() })
}
