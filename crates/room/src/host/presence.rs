//! Presence of a room's followers on all nodes, including unresponsive ones.

use skirmish_rules::{Both, Side};

use super::audience::presence;
use super::elsewhere::ANNOUNCE_EVERY;
use super::{Effect, Host, HostInput, Outgoing, Recipient, Waiting, accounts};
use crate::clock::Millis;
use crate::cluster::{Announcement, Cluster, Followers, GAP, GRACE, Silence};
use crate::event::{AccountId, Logged};
use crate::host::ConnectionId;
use crate::wire::MessageId;

/// Minimum interval between announcements of changes in the audience of spectators.
const SPECTATORS_EVERY: Millis = 1_000;

/// How long a newly read room treats connections to other nodes as unknown. By then, those nodes have announced them or
/// are known to be unresponsive.
const UNKNOWN_FOR: Millis = 5_000;

/// How many of a player's connections to this node are remembered.
const STAYS: usize = 8;

/// How long a node that has hung waits for the other nodes to announce their followers.
const ANSWERS_WITHIN: Millis = 1_000;

/// What is known about a player who may be connected to an unresponsive node.
pub(super) struct Absence {
    /// When the player's earlier whereabouts stop counting as unknown.
    unknown_until: Option<Millis>,
    is_unknown: bool,
    is_here: bool,
    /// The last periods in which the player was connected here.
    stays: Vec<(Millis, Millis)>,
    /// When the player was last known to be connected to another node.
    elsewhere: Option<Millis>,
    silent: Option<Excuse>,
}

/// Why a player's clock stops.
#[derive(Clone, Copy)]
struct Excuse {
    /// When the player's node stopped responding.
    since: Millis,
    /// When the current turn began.
    turn: Millis,
    /// Whether this node stopped responding.
    is_own: bool,
}

impl Absence {
    pub(super) const fn unknown() -> Self {
        Self {
            unknown_until: None,
            is_unknown: true,
            is_here: false,
            stays: Vec::new(),
            elsewhere: None,
            silent: None,
        }
    }

    fn note_here(&mut self, now: Millis, is_here: bool) {
        let was_here = std::mem::replace(&mut self.is_here, is_here);
        match self.stays.last_mut() {
            _ if !is_here => {}
            Some((_, last)) if was_here => *last = now,
            _ => self.stays.push((now, now)),
        }
        if self.stays.len() > STAYS {
            self.stays.remove(0);
        }
    }

    /// Whether the player was connected here when this node fell silent, or has been since.
    fn was_here(&self, silence: &Silence) -> bool {
        let begins_in_time = |from| silence.until.is_none_or(|until| from <= until);
        self.stays.iter().any(|&(from, last)| begins_in_time(from) && silence.since <= last)
    }

    /// Whether the player has been connected to another node since then.
    fn was_elsewhere(&self, since: Millis) -> bool {
        self.elsewhere.is_some_and(|at| since < at)
    }
}

/// A node that has hung does not know which players have connected to other nodes meanwhile: it asks these.
#[derive(Default)]
pub(super) struct Waking {
    /// When the last silence of this node that it has noticed ended.
    noticed: Option<Millis>,
    /// Until when the other nodes may answer.
    until: Option<Millis>,
}

impl Waking {
    pub(super) const fn until(&self) -> Option<Millis> {
        self.until
    }

    /// Stops waiting for answers.
    pub(super) const fn stop(&mut self) {
        self.until = None;
    }
}

/// The last announcement of this node's followers.
#[derive(Default)]
pub(super) struct Announced {
    /// The followers announced and the time; `None` before the first announcement.
    last: Option<(Followers, Millis)>,
    has_asked: bool,
    /// Whether no other node has read the room yet. A node that reads it asks for an announcement.
    is_unread: bool,
}

impl Announced {
    pub(super) const fn to_nobody() -> Self {
        Self { last: None, has_asked: true, is_unread: true }
    }

    /// Forces a new announcement, because another node asked for one.
    pub(super) fn forget(&mut self) {
        (self.last, self.is_unread) = (None, false);
    }

    /// Asks the other nodes for their announcements.
    fn ask(&mut self) {
        self.forget();
        self.has_asked = false;
    }
}

impl Host {
    /// Adds a connection and sends it the current state.
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
        // The clock of a player who has left an unresponsive node resumes now.
        if self.silent_since(true).is_some() {
            self.waiting.push_front(Waiting::new(HostInput::Tick));
        }
    }

    /// Adds a follower, who does not receive messages queued earlier. Returns whether the connection is new.
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

    /// Records in the room which players are connected to any node.
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

    /// Sends the current presence to the followers, if it has changed.
    pub(super) fn tell_presence(&mut self, now: Millis, cluster: &Cluster) {
        self.elsewhere.forget_old(now, cluster);
        self.note_presence(now);
        if std::mem::replace(&mut self.was_partitioned, cluster.is_partitioned)
            && !cluster.is_partitioned
        {
            // Absent players may have been connected to an unreachable node.
            self.room.note_absent_since(now);
        }
        let told = self.present_and_watching();
        if std::mem::replace(&mut self.told, told) != told {
            let message = presence(&self.room, told.1);
            self.effects.push(Outgoing { to: Recipient::All, message }.into());
        }
    }

    /// Announces this node's followers, if the other nodes do not know them.
    pub(super) fn announce(&mut self, now: Millis, cluster: &Cluster) {
        if cluster.is_alone {
            self.announced = Announced::default();
            return;
        }
        let followers = self.audience.report(&self.room);
        let is_due = match &self.announced.last {
            None => !followers.is_empty(),
            // No node has followers to inform.
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

    /// Returns when to announce the followers even if nothing happens.
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

    /// If this node has hung, reads the log and asks the other nodes for their followers.
    pub(super) fn notice_waking(&mut self, now: Millis, cluster: &Cluster) {
        if self.waking.until.is_some_and(|until| until <= now) {
            self.waking.stop();
        }
        let woke = cluster.silence_of(cluster.node).and_then(|own| own.until);
        if woke.is_none() || woke == self.waking.noticed {
            return;
        }
        self.waking.noticed = woke;
        if !cluster.is_alone && self.audience.len() > 0 {
            self.waking.until = Some(now + ANSWERS_WITHIN);
            self.is_behind = true;
            self.announced.ask();
        }
    }

    /// Whether a player connected here is excused unless another node says that the player has been there.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        let is_excused = |(side, account): (Side, AccountId)| {
            let excuse = self.absence[side].silent;
            excuse.is_some_and(|excuse| excuse.is_own) && self.audience.has(account)
        };
        self.waking.until.is_some() && accounts(&self.room).any(is_excused)
    }

    /// Records which players are connected to another node.
    pub(super) fn note_elsewhere(&mut self, now: Millis, cluster: &Cluster) {
        for (side, account) in accounts(&self.room) {
            let elsewhere = &mut self.absence[side].elsewhere;
            *elsewhere = (*elsewhere).max(self.elsewhere.last_heard(account));
        }
        self.notice_silence(now, cluster);
    }

    /// Records which players have acted on another node while this one hung.
    pub(super) fn note_acts(&mut self, cluster: &Cluster, events: &[Logged]) {
        let Some(own) = cluster.silence_of(cluster.node) else { return };
        // This node could still append for a moment after its last heartbeat.
        for logged in events.iter().filter(|logged| own.since + GAP < logged.at) {
            let side = logged.by.as_ref().and_then(|by| self.room.side_of(by.account));
            if let Some(side) = side {
                let elsewhere = &mut self.absence[side].elsewhere;
                *elsewhere = (*elsewhere).max(Some(logged.at));
            }
        }
    }

    /// Records which players to move are, or recently were, connected to an unresponsive node. Their clocks stop for a
    /// while, until they return.
    pub(super) fn notice_silence(&mut self, now: Millis, cluster: &Cluster) {
        let turn = self.room.turn_began();
        for (side, account) in accounts(&self.room).collect::<Vec<_>>() {
            let is_here = self.audience.has(account);
            let absence = &mut self.absence[side];
            absence.note_here(now, is_here);
            if absence.is_unknown {
                let until = *absence.unknown_until.get_or_insert(now + UNKNOWN_FOR);
                absence.is_unknown = now < until;
            }
            let Some(turn) = turn.filter(|_| self.room.is_asked(side)) else {
                absence.silent = None;
                self.room.note_excused(side, false);
                continue;
            };
            // No client stays longer with an unresponsive node.
            let matters = |silence: &Silence| {
                turn < silence.until.unwrap_or(now) && turn < silence.since + GRACE
            };
            // A player who left after this node hung may have left because of that.
            let was_only_here = |silence: &Silence| {
                absence.was_here(silence) && !absence.was_elsewhere(silence.since)
            };
            let own = cluster.silence_of(cluster.node).filter(matters).filter(was_only_here);
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
            let known = absence.silent.filter(|excuse| {
                let is_over = excuse.is_own && absence.was_elsewhere(excuse.since);
                excuse.turn == turn && !is_over
            });
            let excuse = |Silence { since, node, .. }| {
                let is_own = node == cluster.node;
                Excuse { since, turn, is_own }
            };
            absence.silent = known.or(new.map(excuse));
            self.room.note_excused(side, absence.silent.is_some());
        }
    }

    /// Returns when a player's node stopped responding in this turn. If `is_back`, considers only players now connected
    /// here. This node's own silence counts once the other nodes have had time to answer.
    pub(super) fn silent_since(&self, is_back: bool) -> Option<Millis> {
        let turn = self.room.turn_began();
        let players =
            accounts(&self.room).filter(|(_, account)| !is_back || self.audience.has(*account));
        let silent = players.filter_map(|(side, _)| self.absence[side].silent);
        let counts = |excuse: &Excuse| {
            Some(excuse.turn) == turn && !(excuse.is_own && self.waking.until.is_some())
        };
        silent.filter(counts).map(|excuse| excuse.since).min()
    }
}
