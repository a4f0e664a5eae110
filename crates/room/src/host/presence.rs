//! Who follows a room, on this node and on others, and whose node does not answer.

use skirmish_rules::Both;

use super::audience::presence;
use super::elsewhere::ANNOUNCE_EVERY;
use super::{Effect, Host, HostInput, Outgoing, Recipient, Waiting, accounts};
use crate::clock::Millis;
use crate::cluster::{Announcement, Cluster, Followers, GRACE, Silence};
use crate::event::AccountId;
use crate::host::ConnectionId;
use crate::wire::MessageId;

/// How long spectators who come and go wait until they are announced.
const SPECTATORS_EVERY: Millis = 1_000;

/// How long a copy of a room does not know who was connected to other nodes before it was read: until those have announced
/// it, or it is known that they do not answer.
const UNKNOWN_FOR: Millis = 5_000;

/// What is known about a player who may be connected to a node that does not answer.
#[derive(Clone, Copy)]
pub(super) struct Absence {
    /// Until when it is unknown where the player was before the room was read here.
    unknown_until: Option<Millis>,
    is_unknown: bool,
    /// When the player was last connected here.
    here: Option<Millis>,
    /// Since when the player's node has not answered, and when the turn began in which that happened.
    silent: Option<(Millis, Millis)>,
}

impl Absence {
    pub(super) const fn unknown() -> Self {
        Self { unknown_until: None, is_unknown: true, here: None, silent: None }
    }
}

/// What the other nodes were told about the followers here.
#[derive(Default)]
pub(super) struct Announced {
    /// None if they were told nothing yet.
    last: Option<(Followers, Millis)>,
    has_asked: bool,
    /// Whether no other node has read the room yet. One that does asks.
    is_unread: bool,
}

impl Announced {
    pub(super) const fn to_nobody() -> Self {
        Self { last: None, has_asked: true, is_unread: true }
    }

    /// Somebody wants to be told again.
    pub(super) fn forget(&mut self) {
        (self.last, self.is_unread) = (None, false);
    }
}

impl Host {
    /// Lets a connection follow the room.
    pub(super) fn attach(
        &mut self,
        now: Millis,
        cluster: &Cluster,
        connection: ConnectionId,
        account: AccountId,
        id: Option<MessageId>,
        have: Option<u64>,
    ) {
        let is_new = self.follow(connection, account);
        self.elsewhere.note_left(account, cluster);
        self.note_presence(now);
        let send = self.audience.welcome(&self.room, now, connection, id, have);
        self.effects.extend(send.into_iter().map(Effect::from));
        let told = self.told;
        self.tell_presence(now, cluster);
        if is_new && self.told == told {
            let message = presence(&self.room, self.told.1);
            self.send_to(connection, message);
        }
        // The clock of a player who is back from a node that did not answer goes on from now.
        if self.silent_since(true).is_some() {
            self.waiting.push_front(Waiting::new(HostInput::Tick));
        }
    }

    /// Lets a connection follow the room. What the followers have been sent up to now is not for it. Returns whether it did
    /// not follow the room before.
    pub(super) fn follow(&mut self, connection: ConnectionId, account: AccountId) -> bool {
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Send(Outgoing { to: Recipient::All, message }) => {
                    let one = |other| {
                        Outgoing { to: Recipient::One(other), message: message.clone() }.into()
                    };
                    self.effects.extend(self.audience.connections().map(one));
                }
                other => self.effects.push(other),
            }
        }
        self.audience.follow(connection, account)
    }

    /// Notes in the room which players are there, on any node.
    fn note_presence(&mut self, now: Millis) {
        let there: Vec<_> = accounts(&self.room)
            .map(|(side, account)| {
                (side, self.audience.has(account) || self.elsewhere.has(account))
            })
            .collect();
        for (side, is_present) in there {
            self.room.note_presence(side, is_present, now);
        }
    }

    fn present_and_watching(&self) -> (Both<bool>, u32) {
        let here = self.audience.report(&self.room).watchers;
        (self.room.present(), here.saturating_add(self.elsewhere.watchers()))
    }

    /// Tells the followers who is there, unless they know.
    pub(super) fn tell_presence(&mut self, now: Millis, cluster: &Cluster) {
        self.elsewhere.forget_old(now, cluster);
        self.note_presence(now);
        if std::mem::replace(&mut self.was_partitioned, cluster.is_partitioned)
            && !cluster.is_partitioned
        {
            // Those who are gone may have been connected to a node that was not heard.
            self.room.note_absent_since(now);
        }
        let told = self.present_and_watching();
        if std::mem::replace(&mut self.told, told) != told {
            let message = presence(&self.room, told.1);
            self.effects.push(Outgoing { to: Recipient::All, message }.into());
        }
    }

    /// Announces who follows the room here, if the other nodes do not know.
    pub(super) fn announce(&mut self, now: Millis, cluster: &Cluster) {
        if cluster.is_alone {
            self.announced = Announced::default();
            return;
        }
        let followers = self.audience.report(&self.room);
        let is_due = match &self.announced.last {
            None => !followers.is_empty(),
            // Nobody is there to be told.
            Some(_) if followers.is_empty() && self.elsewhere.is_empty() => false,
            Some((last, _)) if last.players != followers.players => true,
            Some((last, at)) => {
                let pause = if *last == followers { ANNOUNCE_EVERY } else { SPECTATORS_EVERY };
                now.abs_diff(*at) >= pause && !(last.is_empty() && followers.is_empty())
            }
        };
        if !is_due {
            return;
        }
        self.announced.last = Some((followers.clone(), now));
        if std::mem::take(&mut self.announced.is_unread) {
            return;
        }
        let asks = !std::mem::replace(&mut self.announced.has_asked, true);
        let followers = Some(followers);
        let published = self.effects.iter_mut().rev().find_map(|effect| match effect {
            Effect::Publish(announcement) => Some(announcement),
            _ => None,
        });
        if let Some(announcement) = published {
            (announcement.followers, announcement.asks) = (followers, asks);
        } else {
            let (node, v) = (cluster.node, self.room.version());
            let announcement = Announcement { node, v, events: Vec::new(), followers, asks };
            self.effects.push(Effect::Publish(announcement));
        }
    }

    /// When the followers are to be announced even if nothing happens.
    pub(super) fn announcement_due(&self, cluster: &Cluster) -> Option<Millis> {
        let (last, at) = self.announced.last.as_ref().filter(|_| !cluster.is_alone)?;
        let followers = self.audience.report(&self.room);
        if followers.is_empty() && self.elsewhere.is_empty() {
            return None;
        }
        if *last != followers {
            return Some(at + SPECTATORS_EVERY);
        }
        (!followers.is_empty()).then_some(at + ANNOUNCE_EVERY)
    }

    /// Notes which players to act are connected to a node that does not answer, or did not lately: their clocks stand still
    /// until they are back, for a while.
    pub(super) fn notice_silence(&mut self, now: Millis, cluster: &Cluster) {
        let turn = self.room.turn_began();
        for (side, account) in accounts(&self.room).collect::<Vec<_>>() {
            let is_here = self.audience.has(account);
            let absence = &mut self.absence[side];
            if is_here {
                absence.here = Some(now);
            }
            if absence.is_unknown {
                let until = *absence.unknown_until.get_or_insert(now + UNKNOWN_FOR);
                absence.is_unknown = now < until;
            }
            let Some(turn) = turn.filter(|_| self.room.is_asked(side)) else {
                absence.silent = None;
                self.room.note_excused(side, false);
                continue;
            };
            // Nobody stays for longer with a node that does not answer.
            let matters = |silence: &Silence| {
                turn < silence.until.unwrap_or(now) && turn < silence.since + GRACE
            };
            // Whoever has left since this node hung may have done so because of that.
            let was_here = |silence: &Silence| absence.here.is_some_and(|at| silence.since <= at);
            let own = cluster.silence_of(cluster.node).filter(matters).filter(was_here);
            let new = if own.is_some() || is_here {
                own
            } else {
                let mut nodes = self.elsewhere.nodes_of(account).peekable();
                match nodes.peek() {
                    Some(_) => {
                        nodes.map(|node| cluster.silence_of(node).filter(matters)).min().flatten()
                    }
                    None if absence.is_unknown => {
                        cluster.silent.iter().copied().filter(matters).min()
                    }
                    None => None,
                }
            };
            let known = absence.silent.filter(|(_, began)| *began == turn);
            absence.silent = known.or(new.map(|silence| (silence.since, turn)));
            self.room.note_excused(side, absence.silent.is_some());
        }
    }

    /// Since when the node of a player has not answered, in this turn. None unless they are connected here now, if only those
    /// count who are back.
    pub(super) fn silent_since(&self, is_back: bool) -> Option<Millis> {
        let turn = self.room.turn_began();
        let players =
            accounts(&self.room).filter(|(_, account)| !is_back || self.audience.has(*account));
        let silent = players.filter_map(|(side, _)| self.absence[side].silent);
        silent.filter(|(_, began)| Some(*began) == turn).map(|(since, _)| since).min()
    }
}
