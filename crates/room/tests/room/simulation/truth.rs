//! Facts known only to the judge: when no node could write, which players were on a failed node, and who was connected at
//! all.

use std::collections::BTreeMap;

use skirmish_room::{AccountId, ConnectionId, GAP, GRACE, Millis};
use skirmish_rules::Both;

use super::merging::{GUEST, MEMBER};
use super::model::Circumstances;
use super::world::{Connection, World, index};

/// Maximum delay of a fallen flag without faults. Rooms without followers are checked only now and then.
const FLAG_SLACK: Millis = 5_000;

/// How long a fault may go unnoticed: the last heartbeat was a second old, and the next follows within another.
pub(super) const UNNOTICED: Millis = GAP + 2_500;

/// How long it may take until all nodes know that a player is connected to another one.
const HEARSAY: Millis = 20_000;

/// How long a fault may have effects: flags may fall late, and clocks are settled.
const AFTERMATH: Millis = 60_000;

/// The accounts that may take a seat.
const PLAYERS: [AccountId; 4] = [1, GUEST, 3, MEMBER];

/// A period, which may be unfinished.
pub(super) type Span = (Millis, Option<Millis>);

/// Facts known only to the judge.
#[derive(Default)]
pub(super) struct Truth {
    /// The number of processes started so far.
    pub(super) processes: i64,
    /// The number of refusals so far.
    pub(super) refusals: u64,
    /// Whether each player is connected to a node, and since when.
    seen: BTreeMap<AccountId, Seen>,
    /// The last time in which no node could write.
    unserved: Option<Span>,
    /// The last period in which a player could reach only a failed node.
    stuck: BTreeMap<AccountId, Span>,
    /// The connection of each player with one device to a node that works, and since when it lasts.
    well: BTreeMap<AccountId, (ConnectionId, Millis)>,
    /// The periods in which a node or the database was failing.
    troubles: Vec<Span>,
    /// When a fault last occurred, or a client connected.
    pub(super) disturbed: Millis,
    /// When announcements were last lost.
    pub(super) bus_failed: Option<Millis>,
}

/// A player's presence.
#[derive(Clone, Copy, Debug)]
struct Seen {
    is_there: bool,
    since: Millis,
    /// When the previous absence began.
    gone: Millis,
}

impl Truth {
    /// Gives the signed-in account the guest's presence. The client reconnects.
    pub(super) fn note_signed_in(&mut self, now: Millis) {
        let left = Seen { is_there: false, since: now, gone: now };
        let guest = self.seen.get(&GUEST).copied().filter(|seen| !seen.is_there);
        self.seen.insert(MEMBER, guest.unwrap_or(left));
        self.stuck.remove(&GUEST);
    }

    /// Returns how long a player may have been gone as far as any node can know.
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

    /// Records a fault without duration.
    pub(super) fn note_incident(&mut self, now: Millis) {
        if self.troubles.last().is_none_or(|(_, until)| until.is_some()) {
            self.troubles.push((now, Some(now)));
        }
    }

    /// Whether a fault occurred recently.
    fn is_troubled(&self, now: Millis) -> bool {
        let is_recent = |(_, until): &Span| until.is_none_or(|until| until + AFTERMATH > now);
        self.troubles.iter().any(is_recent)
            || self.bus_failed.is_some_and(|at| at + AFTERMATH > now)
    }

    /// Returns the facts that matter for an event that becomes durable now.
    pub(super) fn circumstances(
        &self,
        now: Millis,
        accounts: Both<Option<AccountId>>,
    ) -> Circumstances {
        let is_long = |(since, until): Span| {
            let until = until.unwrap_or(now);
            (until - since > UNNOTICED).then_some((since, until))
        };
        // A node cannot tell two simultaneous faults apart.
        let is_single = |(_, until): &(Millis, Millis)| {
            self.unserved.is_none_or(|(_, over)| over.is_some_and(|over| over + UNNOTICED < *until))
        };
        let stuck = |account| self.stuck.get(&account).copied().and_then(is_long).filter(is_single);
        Circumstances {
            now,
            slack: (!self.is_troubled(now)).then_some(FLAG_SLACK),
            gone_for: accounts.map(|account| self.gone_for(account?, now)),
            calm_since: self.disturbed,
            unserved_until: self.unserved.map(|(_, until)| until.unwrap_or(now)),
            unserved: self.unserved.and_then(is_long),
            stuck: accounts.map(|account| stuck(account?)),
            well_since: accounts.map(|account| Some(self.well.get(&account?)?.1)),
            troubles: self
                .troubles
                .iter()
                .map(|(since, until)| (*since, until.unwrap_or(now)))
                .collect(),
            ..Circumstances::default()
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
    /// Updates who is connected and whether any node can write, after a change.
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
        let mut live = [None; PLAYERS.len()];
        for slot in 0..self.nodes.len() {
            for connection in self.nodes[slot].followers() {
                let Connection { account, is_gone, is_dead, .. } =
                    self.connections[index(connection)];
                // A node that waits for the database detaches the connection later.
                if is_gone {
                    continue;
                }
                if let Some(place) = PLAYERS.iter().position(|player| *player == account) {
                    is_there[place] = true;
                    is_well[place] |= serves(slot);
                    if serves(slot) && !is_dead {
                        live[place] = Some(connection);
                    }
                }
            }
        }
        let is_sure = self.scenario.cluster.loss == 0
            && !self.scenario.faults.wild
            && !self.database.is_away
            && self.nodes.iter().all(|node| !node.is_cut[1]);
        for (place, account) in PLAYERS.into_iter().enumerate() {
            let devices = self.clients.iter().filter(|client| client.account == account).count();
            match live[place].filter(|_| is_sure && devices == 1) {
                Some(connection) => {
                    let known = self.truth.well.get(&account).copied();
                    let known = known.filter(|(other, _)| *other == connection);
                    self.truth.well.insert(account, known.unwrap_or((connection, now)));
                }
                None => {
                    self.truth.well.remove(&account);
                }
            }
            if self.truth.note_seen(account, is_there[place], now) {
                self.changed = now;
            }
            // A player who left deliberately, or because all nodes failed, is not excused.
            let stuck = self.truth.stuck.get(&account).copied();
            if is_well[place]
                && let Some((since, None)) = stuck
            {
                self.truth.stuck.insert(account, (since, Some(now.min(since + GRACE))));
            }
        }
    }

    /// Records that a node has failed: the other nodes know that clients connected only there are stuck.
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

    /// Records that a client leaves for a reason of its own.
    pub(super) fn note_own_absence(&mut self, client: usize) {
        let account = self.clients[client].account;
        if self.truth.stuck.get(&account).is_some_and(|(_, until)| until.is_none()) {
            self.truth.stuck.remove(&account);
        }
    }
}
