//! A room that another node owns. This node's connections follow it here: they are sent what the log has, as the owner's
//! [`Desk`] sends it to its own. Whatever changes the room goes to the owner.

use skirmish_rules::{Both, Side};

use crate::audience::{Admission, Audience, acknowledge, presence};
use crate::clock::Millis;
use crate::desk::{ConnectionId, Desk, DeskInput, Outgoing, Recipient, origin};
use crate::elsewhere::{Elsewhere, REPORT_EVERY};
use crate::event::{AccountId, Logged};
use crate::lease::Lease;
use crate::node::{Attendance, Attending, Bell, Forward, Report};
use crate::room::{FoldError, Room};
use crate::wire::{MessageId, Rej, ServerMessage};

/// How often a node looks into the log, whether or not it was told that there is something new.
const LOOK_EVERY: Millis = 2_000;

/// What an input leads to on a node that does not own the room.
#[derive(Debug, Default)]
pub struct Handled {
    /// What to send now.
    pub send: Vec<Outgoing>,
    /// What to ask the owner. Its answer goes to [`Replica::answered`]. If there is none, a node can become the owner
    /// itself ([`Replica::into_desk`]) and enter the input again.
    pub forward: Option<Forward>,
}

/// What the owner's word leads to.
#[derive(Debug, Default)]
pub struct Heard {
    /// What to send now.
    pub send: Vec<Outgoing>,
    /// Whether the log has something new.
    pub read: bool,
}

/// A room that another node owns.
pub struct Replica {
    room: Room,
    audience: Audience,
    /// Whether nothing has come in yet. A folded room does not know who was there.
    is_new: bool,
    /// The owner that was last heard of.
    owner: Option<Lease>,
    /// Who is there on all nodes, as the owner told it.
    attendance: Attendance,
    /// What the followers know about who is there.
    told: Option<(Both<bool>, u32)>,
    /// When the log was last looked into.
    looked: Option<Millis>,
    /// What the owner was told last, and when.
    reported: Option<(Report, Millis)>,
}

impl Replica {
    /// A room as the log has it, which nobody follows here yet.
    #[must_use]
    pub fn new(room: Room) -> Self {
        Self { is_new: true, ..Self::with(room, Audience::default(), 0) }
    }

    /// A room that this node has owned until now.
    pub(crate) fn with(room: Room, audience: Audience, watchers: u32) -> Self {
        let attendance = Attendance { players: Vec::new(), watchers };
        let (owner, told, looked, reported) = (None, None, None, None);
        Self { room, audience, is_new: false, owner, attendance, told, looked, reported }
    }

    /// The room, as far as this node has read its log.
    #[must_use]
    pub const fn room(&self) -> &Room {
        &self.room
    }

    /// Goes on with the same room, read from the log again, which may name other accounts. Returns what to send.
    pub fn replace(&mut self, now: Millis, room: Room) -> Vec<Outgoing> {
        let before = std::mem::replace(&mut self.room, room);
        self.room.keep_presence_of(&before);
        self.note_attendance(now);
        let mut send = self.audience.reseat(&before, &self.room, now);
        send.extend(self.news_of_presence());
        send
    }

    /// The connections that follow the room here.
    pub fn followers(&self) -> impl Iterator<Item = ConnectionId> {
        self.audience.connections()
    }

    /// The connections of players here.
    pub fn players(&self) -> impl Iterator<Item = ConnectionId> {
        self.audience.players(&self.room)
    }

    /// The owner that was last heard of.
    #[must_use]
    pub const fn owner(&self) -> Option<Lease> {
        self.owner
    }

    /// Whether an input takes the free seat, which only the owner can give: its answer tells also who is there.
    #[must_use]
    pub fn sits_down(&self, input: &DeskInput) -> bool {
        matches!(input, DeskInput::Attach { person, watch, .. }
            if matches!(Admission::of(&self.room, person, *watch), Admission::Sit))
    }

    /// Handles an input. What is nobody's message is the owner's business, and leads to nothing.
    pub fn handle(&mut self, now: Millis, input: &DeskInput) -> Handled {
        self.wake(now);
        match input {
            DeskInput::Attach { connection, person, id, have, watch } => {
                match Admission::of(&self.room, person, *watch) {
                    Admission::Sit => Handled { send: Vec::new(), forward: Forward::of(input) },
                    Admission::Follow => {
                        self.attach(now, *connection, person.account, id.clone(), *have).into()
                    }
                    Admission::Refuse(rejection) => {
                        let message = ServerMessage::Rej(Rej::new(id.clone(), rejection));
                        vec![Outgoing { to: Recipient::One(*connection), message }].into()
                    }
                }
            }
            // The owner says when nobody is left of a player's connections.
            DeskInput::Detach { connection } => {
                self.audience.leave(*connection);
                Handled::default()
            }
            DeskInput::Request { connection, account, id, .. } => {
                let origin = origin(*account, id.as_ref());
                let known = origin.and_then(|origin| {
                    let v = self.room.answer_to(&origin)?;
                    Some(acknowledge(&self.room, *connection, origin.id, v))
                });
                match known {
                    Some(ack) => vec![ack].into(),
                    None => Handled { send: Vec::new(), forward: Forward::of(input) },
                }
            }
            DeskInput::Tick
            | DeskInput::Choice { .. }
            | DeskInput::DrawAnswer { .. }
            | DeskInput::Shut
            | DeskInput::Stop
            | DeskInput::Resume { .. } => Handled::default(),
        }
    }

    /// The owner has answered what was forwarded of an input. `log` is what the log has after version `after`, at least up
    /// to the version in the answer. Returns what to send.
    ///
    /// # Errors
    /// If an event does not fit the room, which is a bug.
    pub fn answered(
        &mut self,
        now: Millis,
        input: &DeskInput,
        answer: Vec<ServerMessage>,
        after: u64,
        log: &[Logged],
    ) -> Result<Vec<Outgoing>, FoldError> {
        let (DeskInput::Attach { connection, .. } | DeskInput::Request { connection, .. }) = input
        else {
            return self.advance(now, after, log);
        };
        let to = Recipient::One(*connection);
        let mut send: Vec<Outgoing> =
            answer.into_iter().map(|message| Outgoing { to, message }).collect();
        if let DeskInput::Attach { person, id, have, watch, .. } = input {
            let is_refused =
                send.iter().any(|outgoing| matches!(outgoing.message, ServerMessage::Rej(_)));
            if is_refused {
                let told = self.advance(now, after, log)?;
                // Whoever watches from now on is sent a snapshot instead.
                let mut told = self.audience.address(told);
                // The seat is theirs already, or somebody else's: then they watch.
                if matches!(Admission::of(&self.room, person, *watch), Admission::Follow) {
                    send = self.attach(now, *connection, person.account, id.clone(), *have);
                }
                told.append(&mut send);
                return Ok(told);
            }
            self.audience.follow(*connection, person.account);
            send.extend(self.advance(now, after, log)?);
            send.extend(self.presence_for(*connection));
            self.note_known(now, person.account);
            return Ok(send);
        }
        send.extend(self.advance(now, after, log)?);
        Ok(send)
    }

    /// Takes in what the log has after version `after`, and returns what the followers are sent: just what a desk sends
    /// when it commits. What is known already is skipped.
    ///
    /// # Errors
    /// If events are missing or do not fit the room, which is a bug.
    pub fn advance(
        &mut self,
        now: Millis,
        after: u64,
        log: &[Logged],
    ) -> Result<Vec<Outgoing>, FoldError> {
        self.wake(now);
        self.looked = Some(now);
        let v = self.room.version();
        let Some(known) = v.checked_sub(after) else {
            return Err(FoldError { v: v + 1, why: "it is missing".to_owned() });
        };
        let known = usize::try_from(known).unwrap_or(usize::MAX).min(log.len());
        let send = self.audience.tell(&mut self.room, now, &log[known..])?;
        // A snapshot tells who is there, and seats may have been swapped.
        if let Some((present, _)) = &mut self.told {
            *present = self.room.present();
        }
        Ok(send)
    }

    /// Takes in the owner's word.
    pub fn hear(&mut self, now: Millis, bell: &Bell) -> Heard {
        self.wake(now);
        let read = bell.v > self.room.version();
        if self.owner.is_some_and(|lease| lease.epoch > bell.lease.epoch) {
            // It does not know yet that it is not the owner any more.
            return Heard { send: Vec::new(), read };
        }
        if self.owner != Some(bell.lease) {
            // A new owner knows nobody here.
            self.reported = None;
        }
        self.owner = Some(bell.lease);
        self.attendance.clone_from(&bell.attendance);
        self.note_attendance(now);
        Heard { send: self.news_of_presence(), read }
    }

    /// Notes in the room who is there, as the owner told it and as it is here.
    fn note_attendance(&mut self, now: Millis) {
        for player in &self.attendance.players {
            if let Some(side) = self.room.side_of(player.account) {
                self.room.note_gone(side, player.gone);
            }
        }
        self.audience.note_here(&mut self.room, now);
    }

    /// What to report to the owner now, if there is something. It counts as reported.
    pub fn report(&mut self, now: Millis) -> Option<Report> {
        let report = self.audience.report(&self.room);
        let is_known = self.reported.as_ref().map_or(report.is_empty(), |(last, at)| {
            *last == report && (report.is_empty() || now.abs_diff(*at) < REPORT_EVERY)
        });
        if is_known { None } else { Some(self.report_anyway(now)) }
    }

    /// The same for an owner that may not know it.
    pub fn report_anyway(&mut self, now: Millis) -> Report {
        let report = self.audience.report(&self.room);
        self.reported = Some((report.clone(), now));
        report
    }

    /// Somebody has sat down from here. If the owner has noted that, it need not be reported.
    fn note_known(&mut self, now: Millis, account: AccountId) {
        let here = Attending { account, gone: None };
        if self.attendance.players.contains(&here) {
            let mut report = self.reported.take().map_or_else(Report::default, |(last, _)| last);
            report.arrive(account);
            self.reported = Some((report, now));
        }
    }

    /// When to look into the log, and call [`Replica::report`], even if nothing comes in.
    #[must_use]
    pub fn due(&self) -> Option<Millis> {
        let look = self.looked.map_or(0, |at| at + LOOK_EVERY);
        let report = self.reported.as_ref().map_or(0, |(_, at)| at + REPORT_EVERY);
        (self.audience.len() > 0).then_some(look.min(report))
    }

    /// Notes that somebody looks into the log, even if that should fail.
    pub const fn note_look(&mut self, now: Millis) {
        self.looked = Some(now);
    }

    /// Whether it is time to look into the log.
    #[must_use]
    pub fn looks(&self, now: Millis) -> bool {
        self.looked.is_none_or(|at| now.abs_diff(at) >= LOOK_EVERY)
    }

    /// Goes on as the owner. The caller has the lease, and [`Replica::advance`] has been called with all that the log had
    /// after it was granted. Returns also what to send.
    #[must_use]
    pub fn into_desk(mut self, now: Millis) -> (Desk, Vec<Outgoing>) {
        self.wake(now);
        self.room.note_absent_since(now);
        // Whoever was there on another node is there until that node has had time to report.
        let there = Side::ALL.into_iter().filter(|&side| self.room.gone_since(side).is_none());
        let accounts = there.filter_map(|side| Some(self.room.people()[side].as_ref()?.account));
        let players = accounts.filter(|&account| !self.audience.has(account)).collect();
        let mut elsewhere = Elsewhere::default();
        elsewhere.note(now, None, Report { players, watchers: 0 });
        let desk = Desk::with(self.room, self.audience, elsewhere);
        let send = if self.told == Some(desk.present_and_watching()) {
            Vec::new()
        } else {
            vec![desk.presence()]
        };
        (desk, send)
    }

    fn wake(&mut self, now: Millis) {
        if std::mem::take(&mut self.is_new) {
            self.room.note_all_gone(now);
        }
    }

    fn attach(
        &mut self,
        now: Millis,
        connection: ConnectionId,
        account: AccountId,
        id: Option<MessageId>,
        have: Option<u64>,
    ) -> Vec<Outgoing> {
        self.audience.follow(connection, account);
        self.audience.note_here(&mut self.room, now);
        let mut send = self.audience.welcome(&self.room, now, connection, id, have);
        send.extend(self.presence_for(connection));
        send
    }

    /// Tells a newcomer who is there, and the others if that is news.
    fn presence_for(&mut self, connection: ConnectionId) -> Vec<Outgoing> {
        let news = self.news_of_presence();
        if !news.is_empty() {
            return news;
        }
        let message = presence(&self.room, self.watchers());
        vec![Outgoing { to: Recipient::One(connection), message }]
    }

    /// How many watch, as far as this node knows.
    fn watchers(&self) -> u32 {
        self.attendance.watchers.max(self.audience.report(&self.room).watchers)
    }

    /// Tells the followers who is there, unless they know.
    fn news_of_presence(&mut self) -> Vec<Outgoing> {
        let now = (self.room.present(), self.watchers());
        if self.told.replace(now) == Some(now) {
            return Vec::new();
        }
        vec![Outgoing { to: Recipient::All, message: presence(&self.room, now.1) }]
    }
}

impl From<Vec<Outgoing>> for Handled {
    fn from(send: Vec<Outgoing>) -> Self {
        Self { send, forward: None }
    }
}
