//! A room during a database outage: nothing is accepted or lost, and the room recovers by itself.

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

/// Delay before retrying to read the log: the first one, and the maximum.
const BACKOFF: (Millis, Millis) = (100, 500);

/// Maximum number of inputs that wait for the database.
const MOST_WAITING: usize = 64;

/// A period in which the database is unreachable.
pub(super) struct Trouble {
    /// When the database was last reached.
    since: Millis,
    /// When the last attempt failed.
    failed: Millis,
    /// When to retry.
    pub(super) again: Millis,
    backoff: Millis,
}

impl Trouble {
    /// Whether the node has reached the database since the last failure.
    pub(super) const fn is_past(&self, cluster: &Cluster) -> bool {
        cluster.is_available && cluster.reached > self.failed
    }
}

impl Host {
    /// Records that the database is unreachable, and informs the followers once.
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
        // A sender need not be a follower, and must not learn the clocks.
        let asking = self.waiting.iter().filter_map(|waiting| {
            waiting.input.sender()?;
            waiting.input.connection()
        });
        let strangers = asking.filter(|asking| self.followers().all(|other| other != *asking));
        for stranger in strangers.collect::<Vec<_>>() {
            self.send_to(stranger, ServerMessage::Rej(self.notice().with_clock(None)));
        }
    }

    /// Ends the outage once the log has been read. Informs the followers, unless an event already says that the game
    /// resumes.
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

    /// Handles inputs that need no database, and queues the others.
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
                // The client resends unanswered messages, perhaps to another node, whose answer then counts.
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
                    // A stranger's account cannot be looked up now.
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

    /// Keeps an input until the database is back, unless the queue is full.
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
            // It cannot be rejected, because another node may have carried it out. The client resends it after
            // reconnecting.
            Some(connection) if self.waiting.len() >= MOST_WAITING => {
                self.effects.push(Effect::Close(connection));
            }
            _ => self.waiting.push_back(Waiting::new(input)),
        }
    }

    /// Builds the notice about the outage, with stopped clocks.
    fn notice(&self) -> Rej {
        let room = &self.room;
        let since = self.trouble.as_ref().map_or(room.last_event(), |trouble| trouble.since);
        let text =
            if room.is_playing() { DATABASE_UNAVAILABLE } else { DATABASE_UNAVAILABLE_AT_REST };
        Rej::about(room.code(), RejectionCode::Storage, text).with_clock(room.stopped_clock(since))
    }
}
