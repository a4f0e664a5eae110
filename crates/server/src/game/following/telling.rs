//! What players of a room that another node owns are told about the database and the nodes.

use skirmish_room::wire::{Rej, ServerMessage};
use skirmish_room::{Logged, Millis, Outgoing, Recipient};

use super::Following;
use crate::game::away::{back, stopped, waiting};
use crate::game::outboxes::hearing;

/// What players are told while this node cannot reach the database. The owner may still reach it.
const LATE: &str = "The server cannot reach its database: moves may have to wait at the moment. Nothing is lost, and the game \
                    goes on by itself.";

/// What players know of the database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// It can be reached, or nobody knows that it cannot.
    Nothing,
    /// This node cannot reach it. The owner may, and let the clocks run.
    Late,
    /// The owner cannot reach it either: no clock has run since that time.
    Stopped(Millis),
}

impl Following {
    /// What players are told if only this node cannot reach the database, as far as it knows.
    pub(super) fn late(&self) -> Rej {
        waiting(self.replica.room(), LATE)
    }

    /// What players have been told who came earlier, if it still holds.
    pub(super) fn trouble(&self) -> Option<Rej> {
        match self.told {
            Told::Nothing => None,
            Told::Late => Some(self.late()),
            Told::Stopped(since) => Some(stopped(self.replica.room(), since)),
        }
    }

    /// Tells everybody who follows the room. Whoever only asks for something may not know its clocks.
    fn notify(&self, notice: Rej) {
        let message = ServerMessage::Rej(notice);
        self.deliver(vec![Outgoing { to: Recipient::All, message }]);
    }

    /// Tells everybody, once, that the database is away.
    pub(super) fn tell_late(&mut self) {
        if self.told == Told::Nothing {
            self.told = Told::Late;
            self.notify(self.late());
        }
    }

    /// Tells everybody, once, that the owner cannot reach the database either, and no clock runs.
    pub(super) fn tell_stopped(&mut self) {
        self.tell_stopped_since(self.hub.reach.last());
    }

    /// The same, if it is known when the owner has last reached it.
    pub(super) fn tell_stopped_since(&mut self, since: Millis) {
        if !matches!(self.told, Told::Stopped(_)) {
            self.told = Told::Stopped(since);
            self.trouble().into_iter().for_each(|notice| self.notify(notice));
        }
    }

    /// The owner serves the room, and lets the clocks run. Unless the log says so, players are told that only this node cannot
    /// reach the database, and nearly how the clocks are: the owner has let them go on from where they stood.
    pub(super) async fn tell_owner_is_back(&mut self) {
        let Told::Stopped(since) = self.told else { return };
        self.told = Told::Late;
        if let Err(error) = self.read().await {
            self.complain(&error);
        }
        if self.told == Told::Late {
            let clock = self.replica.room().clock_at(since);
            self.notify(self.late().with_clock(clock));
        }
    }

    /// This node has read the log again. Everybody is told, unless what was read says that the game goes on. If the clocks
    /// stand still, only the owner lets them run again.
    pub(super) fn tell_back(&mut self, log: &[Logged]) {
        let room = self.replica.room();
        let goes_on = log.iter().any(Logged::is_resumption);
        if matches!(self.told, Told::Stopped(_)) && room.is_playing() && !goes_on {
            return;
        }
        if std::mem::replace(&mut self.told, Told::Nothing) == Told::Nothing {
            return;
        }
        if !goes_on {
            self.notify(back(self.replica.room(), self.hub.now()));
        }
        if self.hub.is_deaf() {
            self.tell_hearing(true);
        }
    }

    /// Everybody has been told that no clock has run since a time.
    pub(in crate::game) fn stopped_since(mut self, since: Millis) -> Self {
        self.told = Told::Stopped(since);
        self
    }

    /// Everybody has been told that no clock has run since a time, and this node has read the log again.
    pub(in crate::game) fn go_on(self, since: Millis, log: &[Logged]) -> Self {
        let mut following = self.stopped_since(since);
        following.tell_back(log);
        following
    }

    /// The nodes cannot hear each other, or can again. Clients show the last notice: that the database is away matters more, and
    /// this is told after it.
    pub(super) fn tell_hearing(&self, is_deaf: bool) {
        if self.told == Told::Nothing {
            self.notify(hearing(self.replica.room(), is_deaf));
        }
    }
}
