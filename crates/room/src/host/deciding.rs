//! Decides the inputs of a room.

use super::audience::Admission;
use super::{Append, Doing, Effect, Host, Waiting, origin};
use crate::HostInput;
use crate::clock::Millis;
use crate::cluster::{Cluster, GRACE};
use crate::event::{Logged, Origin};
use crate::rejection::{Rejection, RejectionCode};
use crate::room::Request;
use crate::wire::{Rej, ServerMessage};

/// Maximum number of remembered rejections.
const MOST_REFUSALS: usize = 64;

impl Host {
    /// Decides an input on this copy of the room.
    pub(super) fn decide(&mut self, now: Millis, cluster: &Cluster, mut waiting: Waiting) {
        if !waiting.is_recognised
            && let Some(stranger) = waiting.input.stranger_in(&self.room)
        {
            waiting.is_recognised = true;
            self.effects.push(Effect::Recognise(stranger));
            self.doing = Some(Doing::Recognising(waiting));
            return;
        }
        if !waiting.is_caught_up && waiting.input.version() > self.room.version() {
            return self.catch_up_for(waiting);
        }
        let due = self.happened(now, cluster, &waiting.input);
        if !due.is_empty() {
            return self.append(cluster, due, waiting, true);
        }
        let decided = match &waiting.input {
            HostInput::Attach { connection, person, id, have, watch } => {
                match Admission::of(&self.room, person, *watch) {
                    Admission::Sit => {
                        let origin = origin(person.account, id.as_ref());
                        let request = Request::Sit(person.clone());
                        self.room.decide(now, 0, person.account, origin, &request)
                    }
                    Admission::Follow => {
                        let (connection, account) = (*connection, person.account);
                        return self.attach(now, cluster, connection, account, id.clone(), *have);
                    }
                    Admission::Refuse(rejection) => Err(rejection),
                }
            }
            HostInput::Detach { connection } => {
                self.audience.leave(*connection);
                return self.tell_presence(now, cluster);
            }
            HostInput::Leave { connection, account } => {
                self.audience.leave(*connection);
                // A game that has begun stays open.
                let closed = self.room.decide(now, 0, *account, None, &Request::Close);
                Ok(closed.unwrap_or_default())
            }
            HostInput::Request { connection, account, id, seen, lag, request } => {
                let origin = origin(*account, id.as_ref());
                if let Some(answer) = self.acknowledgement(&waiting.input) {
                    return self.effects.push(answer.into());
                }
                if let Some(rej) = origin.as_ref().and_then(|by| self.first_refusal(by)) {
                    if waiting.may_miss_events(cluster) {
                        return self.catch_up_for(waiting);
                    }
                    return self.send_to(*connection, ServerMessage::Rej(rej));
                }
                let basis = self.room.basis_of(*account, request);
                match *seen {
                    _ if *request == Request::Claim && cluster.is_partitioned => Err(cannot_tell()),
                    Some(seen) if seen < basis => Err(self.room.outdated(seen)),
                    _ => self.room.decide(now, lag + self.late, *account, origin, request),
                }
            }
            HostInput::Choice { side, text } => self.room.let_choose(now, *side, text),
            HostInput::DrawAnswer { side, yes } => self.room.let_answer(now, *side, *yes),
            HostInput::Shut => Ok(self.room.shut(now)),
            HostInput::Pause => Ok(self.room.pause(now)),
            HostInput::Drain if self.players().next().is_some() => Ok(self.room.wait(now)),
            HostInput::Drain | HostInput::Tick => Ok(Vec::new()),
            HostInput::Reload => {
                self.effects.push(Effect::Read { after: 0 });
                self.doing = Some(Doing::Reloading);
                return;
            }
        };
        match decided {
            Ok(events) if events.is_empty() => {}
            Ok(events) => {
                // A late choice makes the flag fall, and is then rejected.
                let is_due = events.iter().all(Logged::is_out_of_time);
                self.append(cluster, events, waiting, is_due);
            }
            // Another node may have carried out the message and died before acknowledging it.
            Err(_) if waiting.may_miss_events(cluster) => self.catch_up_for(waiting),
            Err(rejection) => self.refuse(&waiting.input, rejection),
        }
    }

    /// Reads the log before an input is decided.
    fn catch_up_for(&mut self, mut waiting: Waiting) {
        waiting.is_caught_up = true;
        self.waiting.push_front(waiting);
        self.catch_up();
    }

    /// Returns the events that precede an input, such as a fallen flag. An outage comes first, because no clock ran
    /// during it.
    fn happened(&self, now: Millis, cluster: &Cluster, input: &HostInput) -> Vec<Logged> {
        match input {
            HostInput::Detach { .. } | HostInput::Reload => return Vec::new(),
            HostInput::Pause | HostInput::Drain if self.room.is_paused() => return Vec::new(),
            _ => {}
        }
        if let Some(until) = self.stood_still_since(now, cluster) {
            // Otherwise, a node whose clock is slow would settle the same outage again.
            return self.room.resume(now.max(cluster.outage.ended), until);
        }
        if self.may_miss_creator(cluster) { Vec::new() } else { self.room.expire(now) }
    }

    /// Returns when the clocks stopped, if not logged yet: no node could write, or a player's node hung.
    pub(super) fn stood_still_since(&self, now: Millis, cluster: &Cluster) -> Option<Millis> {
        let room = &self.room;
        if room.is_paused() {
            return Some(room.last_event());
        }
        if !room.is_playing() {
            return None;
        }
        // An outage settles all clocks, including those of players whose node had failed before it.
        let mut outages = cluster.earlier.iter().chain([&cluster.outage]);
        let first = outages.find(|outage| room.last_event() < outage.ended);
        let lasted = first.map(|outage| outage.began);
        let silent = self.silent_since(lasted.is_none());
        let silent = silent.map(|since| since.max(now.saturating_sub(GRACE)));
        [silent, lasted].into_iter().flatten().min()
    }

    /// Whether the creator of an open room may be connected to an unreachable node. If so, the invitation stays open.
    pub(super) fn may_miss_creator(&self, cluster: &Cluster) -> bool {
        cluster.is_partitioned && self.room.is_open()
    }

    fn append(&mut self, cluster: &Cluster, events: Vec<Logged>, waiting: Waiting, is_due: bool) {
        let (code, finished) = (self.room.code().to_owned(), self.room.finished_after(&events));
        let after = self.room.version();
        let outage = cluster.outage.id;
        let append = Box::new(Append { code, after, events: events.clone(), finished });
        self.effects.push(Effect::Append { append, outage });
        self.doing = Some(Doing::Appending { after, events, waiting, is_due });
    }

    /// Returns the earlier rejection of the same message, if any.
    fn first_refusal(&self, origin: &Origin) -> Option<Rej> {
        let refused = self.refused.iter().find(|(other, _)| other == origin);
        refused.map(|(_, rej)| rej.clone())
    }

    /// Rejects an input if it is a client's message.
    pub(super) fn refuse(&mut self, input: &HostInput, rejection: Rejection) {
        let (Some(connection), Some((account, id))) = (input.connection(), input.sender()) else {
            return;
        };
        let rej = Rej::new(id.cloned(), rejection);
        if let Some(origin) = origin(account, id) {
            if self.refused.len() == MOST_REFUSALS {
                self.refused.pop_front();
            }
            self.refused.push_back((origin, rej.clone()));
        }
        self.send_to(connection, ServerMessage::Rej(rej));
    }
}

/// Returns the rejection of a claim while some nodes are unreachable.
fn cannot_tell() -> Rejection {
    let text =
        "The server cannot tell now whether your opponent is connected. Try again in a minute.";
    Rejection { seconds: Some(60), ..Rejection::new(RejectionCode::NotGone, text) }
}
