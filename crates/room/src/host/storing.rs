//! Handles the database's answers.

use super::{AppendError, Doing, Effect, Host, HostInput, Unavailable, Waiting};
use crate::clock::Millis;
use crate::cluster::{Announcement, Cluster};
use crate::event::{AccountId, Logged};
use crate::rejection::{Rejection, RejectionCode};
use crate::room::{FoldError, Room};

/// How many append conflicts an input may meet before it is rejected. Each means that another node appended first.
const MOST_CONFLICTS: u32 = 16;

/// Sent when other nodes kept appending first.
const BUSY: &str = "Too much is happening in this game at the moment. Try again.";

impl Host {
    /// Reads the log after this copy's version.
    pub(super) fn catch_up(&mut self) {
        self.is_behind = false;
        let after = self.room.version();
        self.effects.push(Effect::Read { after });
        self.doing = Some(Doing::Reading { after });
    }

    /// Handles the result of an append.
    pub(super) fn appended(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        result: Result<(), AppendError>,
    ) -> Result<(), FoldError> {
        let Some(Doing::Appending { after, events, waiting, is_due }) = self.doing.take() else {
            return Ok(());
        };
        match result {
            Ok(()) => self.commit(now, cluster, &events, waiting, is_due),
            // The other append may already have been announced.
            Err(AppendError::Conflict) => {
                self.is_behind |= self.room.version() == after;
                self.try_again(waiting);
                Ok(())
            }
            Err(AppendError::Stale) => {
                self.try_again(waiting);
                Ok(())
            }
            Err(AppendError::Unavailable) => {
                self.waiting.push_front(waiting);
                self.note_trouble(now, cluster);
                Ok(())
            }
        }
    }

    fn try_again(&mut self, mut waiting: Waiting) {
        waiting.conflicts += 1;
        if waiting.conflicts <= MOST_CONFLICTS {
            self.waiting.push_front(waiting);
        } else {
            self.refuse(&waiting.input, Rejection::new(RejectionCode::Storage, BUSY));
        }
    }

    /// Applies durable events, acknowledges the message that led to them, and announces them.
    fn commit(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        events: &[Logged],
        waiting: Waiting,
        is_due: bool,
    ) -> Result<(), FoldError> {
        let is_handled = !is_due
            || match &waiting.input {
                HostInput::Attach { .. }
                | HostInput::Request { .. }
                | HostInput::Leave { .. }
                | HostInput::Shut
                | HostInput::Pause
                | HostInput::Drain
                | HostInput::Reload => false,
                // If the computer must still choose, the next task asks again.
                HostInput::Choice { .. }
                | HostInput::DrawAnswer { .. }
                | HostInput::Tick
                | HostInput::Detach { .. } => true,
            };
        if is_handled && let HostInput::Attach { connection, person, .. } = &waiting.input {
            self.follow(*connection, person.account);
        }
        let place = self.effects.len();
        self.apply(now, cluster, events)?;
        if is_handled && let Some(acknowledgement) = self.acknowledgement(&waiting.input) {
            self.effects.insert(place, acknowledgement.into());
        }
        (self.is_author, self.looked, self.late) = (true, now, 0);
        if !cluster.is_alone {
            let (node, v) = (cluster.node, self.room.version());
            let events = events.to_vec();
            let announcement = Announcement { node, v, events, followers: None, asks: false };
            self.effects.push(Effect::Publish(announcement));
        }
        if !is_handled {
            self.waiting.push_front(waiting);
        }
        Ok(())
    }

    /// Handles the result of a read.
    pub(super) fn read(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        log: Result<Vec<Logged>, Unavailable>,
    ) -> Result<(), FoldError> {
        let doing = self.doing.take();
        let Ok(log) = log else {
            if matches!(doing, Some(Doing::Reloading)) {
                self.waiting.push_front(Waiting::new(HostInput::Reload));
            }
            self.note_trouble(now, cluster);
            return Ok(());
        };
        let is_puzzled = self.waiting.front().is_some_and(|waiting| waiting.conflicts > 0);
        let own = usize::try_from(self.room.version()).unwrap_or(usize::MAX);
        let new = match doing {
            Some(Doing::Reloading) => {
                let known = own.min(log.len());
                self.replace(now, Room::fold(self.room.games(), &log[..known])?);
                // Other nodes may have announced accounts that were unknown here until now.
                self.note_elsewhere(now, cluster);
                &log[known..]
            }
            // Skip events that were announced during the read.
            Some(Doing::Reading { after }) => {
                let known = usize::try_from(self.room.version() - after).unwrap_or(usize::MAX);
                // The log has a message that this copy does not know, so accounts were merged.
                if is_puzzled && log.is_empty() {
                    self.waiting.push_front(Waiting::new(HostInput::Reload));
                }
                log.get(known..).unwrap_or_default()
            }
            _ => &[],
        };
        if !new.is_empty() {
            self.learn(now, cluster, new)?;
            self.is_author = false;
        }
        self.looked = now;
        self.end_trouble(now, cluster, &log);
        Ok(())
    }

    /// Replaces the room with a reloaded copy, in which account ids may differ.
    fn replace(&mut self, now: Millis, room: Room) {
        let players: Vec<_> = self.players().collect();
        let before = std::mem::replace(&mut self.room, room);
        self.room.keep_presence_of(&before);
        let send = self.audience.reseat(&before, &self.room, now);
        let now: Vec<_> = self.players().collect();
        let former = players.into_iter().filter(|player| !now.contains(player));
        self.effects.extend(former.map(Effect::Close));
        self.effects.extend(send.into_iter().map(Effect::from));
    }

    /// Handles the lookup of a sender's current account.
    pub(super) fn recognised(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        account: Result<Option<AccountId>, Unavailable>,
    ) {
        let Some(Doing::Recognising(mut waiting)) = self.doing.take() else { return };
        match account {
            Ok(Some(account)) => {
                let is_unknown = self.room.side_of(account).is_none();
                waiting.input.set_account(account);
                self.waiting.push_front(waiting);
                if is_unknown {
                    self.waiting.push_front(Waiting::new(HostInput::Reload));
                }
            }
            Ok(None) => self.waiting.push_front(waiting),
            Err(Unavailable) => {
                waiting.is_recognised = false;
                self.waiting.push_front(waiting);
                self.note_trouble(now, cluster);
            }
        }
    }
}
