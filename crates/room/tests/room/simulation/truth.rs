//! What nobody but the judge knows: since when no node could write, who was connected to a node that failed, and who was
//! there at all.

use std::collections::BTreeMap;

use skirmish_room::{AccountId, GRACE, Millis};
use skirmish_rules::Both;

use super::database::GAP;
use super::merging::{GUEST, MEMBER};
use super::model::Circumstances;
use super::world::{Connection, World, index};

/// The most by which a flag falls late if nothing goes wrong: rooms that nobody follows are looked at now and then.
const FLAG_SLACK: Millis = 5_000;

/// How long a fault may last without being noticed: its heartbeat was a second old, and the next comes within one.
pub(super) const UNNOTICED: Millis = GAP + 2_500;

/// How long it may take until all nodes know that a player is connected to another one.
const HEARSAY: Millis = 20_000;

/// How long the effects of a fault last at most: flags may fall late, and clocks are settled.
const AFTERMATH: Millis = 60_000;

/// Those who may sit down.
const PLAYERS: [AccountId; 4] = [1, GUEST, 3, MEMBER];

/// A time that may go on.
pub(super) type Span = (Millis, Option<Millis>);

/// What nobody but the judge knows.
#[derive(Default)]
pub(super) struct Truth {
    /// How many processes there have been.
    pub(super) processes: i64,
    /// How many messages have been refused.
    pub(super) refusals: u64,
    /// Whether each player is connected to a node, and since when.
    seen: BTreeMap<AccountId, Seen>,
    /// The last time in which no node could write.
    unserved: Option<Span>,
    /// The last time in which a player could only reach a node that had failed.
    stuck: BTreeMap<AccountId, Span>,
    /// The times in which something was wrong with a node or the database.
    troubles: Vec<Span>,
    /// When something last went wrong, or somebody came.
    pub(super) disturbed: Millis,
    /// When announcements were last lost.
    pub(super) bus_failed: Option<Millis>,
}

/// Whether somebody is connected.
#[derive(Clone, Copy, Debug)]
struct Seen {
    is_there: bool,
    since: Millis,
    /// Since when they were gone before.
    gone: Millis,
}

impl Truth {
    /// Whoever signs in was there as long as the guest was, and comes back.
    pub(super) fn note_signed_in(&mut self, now: Millis) {
        let left = Seen { is_there: false, since: now, gone: now };
        let guest = self.seen.get(&GUEST).copied().filter(|seen| !seen.is_there);
        self.seen.insert(MEMBER, guest.unwrap_or(left));
        self.stuck.remove(&GUEST);
    }

    /// For how long a player has been gone, as far as the nodes can know.
    fn gone_for(&self, account: AccountId, now: Millis) -> Option<Millis> {
        let Some(seen) = self.seen.get(&account) else { return Some(now) };
        let lasts = now.saturating_sub(seen.since);
        match seen.is_there {
            false => Some(lasts + HEARSAY),
            true if lasts < HEARSAY => Some(seen.since.saturating_sub(seen.gone) + HEARSAY),
            true => None,
        }
    }

    fn note_seen(&mut self, account: AccountId, is_there: bool, now: Millis) -> bool {
        let new = Seen { is_there, since: now, gone: now };
        let seen = self.seen.entry(account).or_insert(new);
        if seen.is_there == is_there {
            return false;
        }
        // Other nodes may never have heard of a short visit.
        let is_short = !is_there && now.saturating_sub(seen.since) < HEARSAY;
        *seen = match is_there {
            true => Seen { gone: seen.since, ..new },
            false if is_short => Seen { since: seen.gone, ..new },
            false => new,
        };
        true
    }

    fn note_trouble(&mut self, is_on: bool, now: Millis) {
        let last = self.troubles.last_mut().filter(|(_, until)| until.is_none());
        match (is_on, last) {
            (true, None) => self.troubles.push((now, None)),
            (false, Some((_, until))) => *until = Some(now),
            _ => {}
        }
        self.troubles.retain(|(_, until)| until.is_none_or(|until| until + 10 * AFTERMATH > now));
    }

    /// Something was wrong just now, and is over.
    pub(super) fn note_incident(&mut self, now: Millis) {
        if self.troubles.last().is_none_or(|(_, until)| until.is_some()) {
            self.troubles.push((now, Some(now)));
        }
    }

    /// Whether something was wrong lately.
    fn is_troubled(&self, now: Millis) -> bool {
        let is_recent = |(_, until): &Span| until.is_none_or(|until| until + AFTERMATH > now);
        self.troubles.iter().any(is_recent)
            || self.bus_failed.is_some_and(|at| at + AFTERMATH > now)
    }

    /// What matters for an event that becomes durable now.
    pub(super) fn circumstances(
        &self,
        now: Millis,
        accounts: Both<Option<AccountId>>,
        lag: Millis,
        is_shut: bool,
    ) -> Circumstances {
        let is_long = |(since, until): Span| {
            let until = until.unwrap_or(now);
            (until - since > UNNOTICED).then_some((since, until))
        };
        // Two faults at once are more than a node can tell apart.
        let is_single = |(_, until): &(Millis, Millis)| {
            self.unserved.is_none_or(|(_, over)| over.is_some_and(|over| over + UNNOTICED < *until))
        };
        let stuck = |account| self.stuck.get(&account).copied().and_then(is_long).filter(is_single);
        Circumstances {
            now,
            lag,
            slack: (!self.is_troubled(now)).then_some(FLAG_SLACK),
            gone_for: accounts.map(|account| self.gone_for(account?, now)),
            is_shut,
            calm_since: self.disturbed,
            unserved: self.unserved.and_then(is_long),
            stuck: accounts.map(|account| stuck(account?)),
            troubles: self
                .troubles
                .iter()
                .map(|(since, until)| (*since, until.unwrap_or(now)))
                .collect(),
        }
    }
}

fn open(span: &mut Option<Span>, is_on: bool, now: Millis) {
    match span {
        Some((_, until @ None)) if !is_on => *until = Some(now),
        Some((_, None)) => {}
        _ if is_on => *span = Some((now, None)),
        _ => {}
    }
}

impl World {
    /// Looks at who is connected and which nodes can write, after something has changed.
    pub(super) fn note_truth(&mut self) {
        let now = self.now;
        let serves = |slot: usize| self.nodes[slot].serves() && !self.database.is_away;
        let count = (0..self.nodes.len()).filter(|&slot| serves(slot)).count();
        let is_all = count == self.nodes.len();
        open(&mut self.truth.unserved, count == 0, now);
        self.truth.note_trouble(!is_all, now);
        if !is_all {
            self.truth.disturbed = now;
        }
        if self.nodes.iter().any(|node| node.is_cut[1]) {
            self.truth.bus_failed = Some(now);
        }
        let mut is_there = [false; PLAYERS.len()];
        let mut is_well = is_there;
        for slot in 0..self.nodes.len() {
            for connection in self.nodes[slot].followers() {
                let Connection { account, is_gone, .. } = self.connections[index(connection)];
                // A node that waits for the database detaches it later.
                if is_gone {
                    continue;
                }
                if let Some(place) = PLAYERS.iter().position(|player| *player == account) {
                    is_there[place] = true;
                    is_well[place] |= serves(slot);
                }
            }
        }
        for (place, account) in PLAYERS.into_iter().enumerate() {
            if self.truth.note_seen(account, is_there[place], now) {
                self.changed = now;
            }
            // Whoever is away for a reason of their own, or because all nodes are, is not excused.
            let stuck = self.truth.stuck.get(&account).copied();
            if is_well[place]
                && let Some((since, None)) = stuck
            {
                self.truth.stuck.insert(account, (since, Some(now.min(since + GRACE))));
            }
        }
    }

    /// A node fails: those who are connected only there are stuck, and the other nodes know that they were there.
    pub(super) fn note_stuck(&mut self, slot: usize) {
        let now = self.now;
        let is_sure = self.scenario.cluster.loss == 0
            && !self.scenario.faults.wild
            && self.nodes.iter().all(|node| !node.is_cut[1])
            && self.truth.bus_failed.is_none_or(|at| at + HEARSAY < now)
            && self.nodes.iter().filter(|node| node.serves()).count() > 1
            && !self.database.is_away;
        let here = self.nodes[slot].followers();
        for connection in here.into_iter().filter(|_| is_sure) {
            let account = self.connections[index(connection)].account;
            let has = |&other: &usize| {
                other != slot
                    && self.nodes[other]
                        .followers()
                        .iter()
                        .any(|it| self.connections[index(*it)].account == account)
            };
            let is_live = !self.connections[index(connection)].is_dead;
            let is_known =
                self.truth.seen.get(&account).is_some_and(|seen| seen.since + 10_000 < now);
            if is_live && is_known && !(0..self.nodes.len()).any(|other| has(&other)) {
                self.truth.stuck.insert(account, (now, None));
                self.judge.tally.count("player stuck");
            }
        }
    }

    /// A client goes away for a reason of its own.
    pub(super) fn note_own_absence(&mut self, client: usize) {
        let account = self.clients[client].account;
        if self.truth.stuck.get(&account).is_some_and(|(_, until)| until.is_none()) {
            self.truth.stuck.remove(&account);
        }
    }
}
