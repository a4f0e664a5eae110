//! A room whose database cannot be reached: nothing is accepted, nothing is lost, and it goes on by itself.

use super::audience::Admission;
use super::{Effect, Host, HostInput, Waiting};
use crate::clock::Millis;
use crate::cluster::Cluster;
use crate::event::Logged;
use crate::rejection::RejectionCode;
use crate::wire::{Rej, ServerMessage};
use crate::words::{
    DATABASE_BACK, DATABASE_BACK_AT_REST, DATABASE_UNAVAILABLE, DATABASE_UNAVAILABLE_AT_REST,
};

/// How long to wait before the log is read again: first, and at most.
const BACKOFF: (Millis, Millis) = (100, 500);

/// How many inputs wait for the database at most.
const MOST_WAITING: usize = 64;

/// The database cannot be reached.
pub(super) struct Trouble {
    /// When it was last reached.
    since: Millis,
    /// When that failed last.
    failed: Millis,
    /// When to try again.
    pub(super) again: Millis,
    backoff: Millis,
}

impl Trouble {
    /// Whether the node has reached the database since.
    pub(super) const fn is_past(&self, cluster: &Cluster) -> bool {
        cluster.is_available && cluster.reached > self.failed
    }
}

impl Host {
    /// Notes that the database cannot be reached, and tells the followers once.
    pub(super) fn note_trouble(&mut self, now: Millis, cluster: &Cluster) {
        if let Some(trouble) = &mut self.trouble {
            trouble.failed = now;
            trouble.backoff = (trouble.backoff * 2).min(BACKOFF.1);
            trouble.again = now + trouble.backoff;
            return;
        }
        let (since, backoff) = (cluster.reached, BACKOFF.0);
        self.trouble = Some(Trouble { since, failed: now, again: now + backoff, backoff });
        self.send_all(ServerMessage::Rej(self.notice()));
        // Whoever has asked for something need not follow the room, and may not know its clocks.
        let asking = self.waiting.iter().filter_map(|waiting| {
            waiting.input.sender()?;
            waiting.input.connection()
        });
        let strangers = asking.filter(|asking| self.followers().all(|other| other != *asking));
        for stranger in strangers.collect::<Vec<_>>() {
            self.send_to(stranger, ServerMessage::Rej(self.notice().with_clock(None)));
        }
    }

    /// The log has been read: the database is back. Followers are told, unless an event says that the game goes on.
    pub(super) fn end_trouble(&mut self, now: Millis, cluster: &Cluster, log: &[Logged]) {
        if self.trouble.take().is_none() {
            return;
        }
        if self.stood_still_since(now, cluster).is_some() {
            self.waiting.push_front(Waiting::new(HostInput::Tick));
        } else if !log.iter().any(Logged::is_resumption) {
            let room = &self.room;
            let text = if room.is_playing() { DATABASE_BACK } else { DATABASE_BACK_AT_REST };
            let notice = Rej::about(room.code(), RejectionCode::Storage, text);
            self.send_all(ServerMessage::Rej(notice.with_clock(room.clock(now)).as_over()));
        }
    }

    /// Does what needs no database, and keeps what has to wait.
    pub(super) fn receive_in_trouble(&mut self, now: Millis, cluster: &Cluster, input: HostInput) {
        match &input {
            HostInput::Tick
            | HostInput::Choice { .. }
            | HostInput::DrawAnswer { .. }
            | HostInput::Pause
            | HostInput::Drain => {}
            HostInput::Detach { connection } => {
                self.audience.leave(*connection);
                self.tell_presence(now, cluster);
                // It sends again what was not answered, perhaps on another node, and that answer counts.
                self.waiting.retain(|waiting| waiting.input.connection() != Some(*connection));
            }
            HostInput::Leave { connection, .. } => {
                self.audience.leave(*connection);
                self.keep(input);
            }
            HostInput::Attach { connection, person, id, have, watch } => {
                let admission = Admission::of(&self.room, person, *watch);
                let (connection, account) = (*connection, person.account);
                match admission {
                    // Nobody can tell now who a stranger is.
                    Admission::Follow
                        if input.version() <= self.room.version()
                            && input.stranger_in(&self.room).is_none() =>
                    {
                        self.attach(now, cluster, connection, account, id.clone(), *have);
                        self.send_to(connection, ServerMessage::Rej(self.notice()));
                    }
                    Admission::Refuse(rejection) => self.refuse(&input, rejection),
                    Admission::Sit | Admission::Follow => self.keep(input),
                }
            }
            HostInput::Request { .. } | HostInput::Shut | HostInput::Reload => self.keep(input),
        }
    }

    /// Keeps an input until the database is back, if not too many wait already.
    fn keep(&mut self, input: HostInput) {
        if let (Some(connection), Some(_)) = (input.connection(), input.sender()) {
            let follows = self.followers().any(|other| other == connection);
            let notice = self.notice();
            // Only followers may know the clocks.
            let notice = if follows { notice } else { notice.with_clock(None) };
            self.send_to(connection, ServerMessage::Rej(notice));
        }
        if self.waiting.iter().any(|waiting| waiting.input.repeats(&input)) {
            return;
        }
        match input.connection() {
            // It cannot be refused: another node may have carried it out. It is sent again on the next connection.
            Some(connection) if self.waiting.len() >= MOST_WAITING => {
                self.effects.push(Effect::Close(connection));
            }
            _ => self.waiting.push_back(Waiting::new(input)),
        }
    }

    /// What people are told while the database cannot be reached. Its clocks stand still.
    fn notice(&self) -> Rej {
        let room = &self.room;
        let since = self.trouble.as_ref().map_or(room.last_event(), |trouble| trouble.since);
        let text =
            if room.is_playing() { DATABASE_UNAVAILABLE } else { DATABASE_UNAVAILABLE_AT_REST };
        Rej::about(room.code(), RejectionCode::Storage, text).with_clock(room.stopped_clock(since))
    }
}
