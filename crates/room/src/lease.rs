//! Who owns a room, if several nodes serve it: a lease with an epoch, and what a new owner has to do first. The rules are
//! here, so that the database's transactions and the simulation follow the same ones.

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::desk::DeskInput;
use crate::room::Room;

/// A running server process. One that starts again is another node, with a number of its own.
pub type NodeId = i64;

/// How often a node notes that it is alive.
pub const BEAT: Millis = 2_000;

/// A node that has not noted for so long that it is alive has lost its leases.
pub const LEASE: Millis = 6_000;

/// A node that has not noted for so long that it is alive is likely to be dead.
const LATE: Millis = 3_000;

/// The right to append to the log of a room. Each epoch of a room has one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lease {
    /// The owner.
    pub node: NodeId,
    /// Counts the owners of the room, from 1.
    pub epoch: i64,
}

impl Lease {
    /// The lease with which a node creates a room.
    #[must_use]
    pub const fn first(node: NodeId) -> Self {
        Self { node, epoch: 1 }
    }
}

/// What is known of a room's lease when somebody asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The owner; none if it has released the lease.
    pub node: Option<NodeId>,
    /// The last epoch.
    pub epoch: i64,
    /// When the owner last noted that it was alive, by the database's clock.
    pub beat: Millis,
    /// What the last takeover found out.
    pub stopped: Option<Stopped>,
}

/// Since when the clocks of a room stand still, because its owner died. It counts until something is appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// When the owner was last known to be alive.
    pub until: Millis,
    /// The version of the log.
    pub v: u64,
}

/// What comes of asking for a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// It is granted. All three are stored with it.
    Mine {
        /// The lease, in a new epoch.
        lease: Lease,
        /// Since when the clocks stand still, if they do.
        stopped: Option<Stopped>,
        /// When the last owner was last known to be alive, if there was another one.
        beat: Option<Millis>,
    },
    /// A living node has it, with this lease.
    HeldBy(Lease),
}

/// Whether `node` gets the lease of a room whose log has reached `v`, at `now` by the database's clock. A living owner
/// loses it only by `force`: if it cannot be reached. It is fenced by the epoch, and finds out at its next append.
#[must_use]
pub fn acquire(held: Option<Held>, node: NodeId, force: bool, v: u64, now: Millis) -> Acquired {
    let Some(Held { node: owner, epoch, beat, stopped }) = held else {
        return Acquired::Mine { lease: Lease { node, epoch: 1 }, stopped: None, beat: None };
    };
    let lease = Lease { node, epoch: epoch + 1 };
    // The last owner died as well before it could let the clocks run again.
    let stopped = stopped.filter(|stopped| stopped.v == v);
    match owner.filter(|&owner| owner != node) {
        None => Acquired::Mine { lease, stopped, beat: None },
        Some(owner) => {
            let silence = now.saturating_sub(beat);
            if silence <= LEASE && !force {
                return Acquired::HeldBy(Lease { node: owner, epoch });
            }
            // It is dead, or cannot be reached: nobody pays for the time until somebody else has found that out.
            let stopped = stopped.or(Some(Stopped { until: beat, v }));
            Acquired::Mine { lease, stopped, beat: Some(beat) }
        }
    }
}

/// Since when the clocks of games stand still that an owner releases, at `now` by the database's clock, although they could
/// not be paused. An owner that has not noted for long that it is alive could not reach the database.
#[must_use]
pub const fn released(beat: Millis, now: Millis) -> Millis {
    if now.saturating_sub(beat) > LATE { beat } else { now }
}

/// What a node knows of a time in which it could not reach the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    stopped: Stopped,
    failed: Millis,
    back: Millis,
}

impl Outage {
    /// What a node notes when it has read the log again, at `back`. It reached the database at `reached` for the last time,
    /// and failed at `failed` for the first time. None if something has been appended since: the clocks run already.
    #[must_use]
    pub fn noted(room: &Room, reached: Millis, failed: Millis, back: Millis) -> Option<Self> {
        let last = room.last_event();
        let stopped = Stopped { until: reached.max(last), v: room.version() };
        (last <= failed).then_some(Self { stopped, failed, back })
    }

    /// Since when the clocks of a room stand still. If it was another node's, that has let them run as soon as it could,
    /// unless it has not noticed anything. One that has released the room later has served it until then.
    fn stopped(self, served: Served, now: Millis) -> Option<Stopped> {
        let is_recent = now.abs_diff(self.back) <= LEASE;
        let is_noticed = self.back.saturating_sub(self.failed) >= 2 * BEAT;
        let is_over = served
            .stopped
            .is_some_and(|stopped| stopped.v == self.stopped.v && stopped.until > self.back);
        let counts = is_recent && (served.beat.is_none() || is_noticed) && !is_over;
        counts.then_some(self.stopped)
    }
}

/// Until when a room was known to be served, for a node that begins to serve it or goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// As the lease says ([`Acquired::Mine`]).
    pub stopped: Option<Stopped>,
    /// If the node could not reach the database.
    pub outage: Option<Outage>,
    /// When another owner, from whom the lease was taken, was last known to be alive.
    pub beat: Option<Millis>,
}

impl Served {
    /// What an owner enters before anything else, so that nobody's clock is charged for the time without one.
    #[must_use]
    pub fn resume(self, room: &Room, now: Millis) -> Option<DeskInput> {
        if room.is_paused() {
            return Some(DeskInput::Resume { until: room.last_event() });
        }
        if !room.is_playing() {
            return None;
        }
        let is_valid = |stopped: &Stopped| stopped.v == room.version();
        let outage = self.outage.and_then(|outage| outage.stopped(self, now));
        let stopped = [self.stopped, outage].into_iter().flatten().filter(is_valid);
        // An owner that was alive would have called time by itself. Nobody loses a game because it was not.
        let is_overdue = room.due().is_some_and(|due| due <= now);
        let beat = self.beat.filter(|_| is_overdue);
        let until = stopped.map(|stopped| stopped.until).chain(beat).min()?;
        Some(DeskInput::Resume { until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 100_000;

    const V: u64 = 9;

    /// The lease of the other node in these tests.
    const THEIRS: Acquired = Acquired::HeldBy(Lease { node: 2, epoch: 4 });

    fn held(node: Option<NodeId>, ago: Millis) -> Held {
        Held { node, epoch: 4, beat: NOW - ago, stopped: None }
    }

    fn asked(held: Held, force: bool) -> Acquired {
        acquire(Some(held), 1, force, V, NOW)
    }

    fn mine(until: Option<Millis>, ago: Option<Millis>) -> Acquired {
        Acquired::Mine {
            lease: Lease { node: 1, epoch: 5 },
            stopped: until.map(|until| Stopped { until, v: V }),
            beat: ago.map(|ago| NOW - ago),
        }
    }

    #[test]
    fn a_living_owner_keeps_its_lease_unless_forced() {
        assert_eq!(asked(held(Some(2), LEASE), false), THEIRS);
        assert_eq!(asked(held(Some(2), 5), true), mine(Some(NOW - 5), Some(5)));
    }

    #[test]
    fn a_dead_owner_loses_its_lease_and_was_alive_until_its_last_beat() {
        let dead = mine(Some(NOW - LEASE - 1), Some(LEASE + 1));
        assert_eq!(asked(held(Some(2), LEASE + 1), false), dead);
        assert_eq!(asked(held(Some(2), LEASE + 1), true), dead);
        assert_eq!(
            asked(held(Some(2), LATE + 1), true),
            mine(Some(NOW - LATE - 1), Some(LATE + 1))
        );
    }

    #[test]
    fn a_free_lease_and_ones_own_are_granted_in_a_new_epoch() {
        assert!(matches!(acquire(None, 1, false, V, NOW), Acquired::Mine { .. }));
        assert_eq!(asked(held(None, 60_000), false), mine(None, None));
        assert_eq!(asked(held(Some(1), 60_000), false), mine(None, None));
    }

    #[test]
    fn an_owner_that_gets_its_lease_back_is_not_the_one_that_was_asked_before() {
        let Acquired::HeldBy(first) = asked(held(Some(2), 0), false) else { panic!("it is held") };
        let Acquired::Mine { lease: mine, .. } = asked(held(Some(2), 0), true) else {
            panic!("it is taken")
        };
        let taken = Held { node: Some(mine.node), epoch: mine.epoch, ..held(None, 0) };
        let back = acquire(Some(taken), first.node, true, V, NOW);
        let again = Lease { node: first.node, epoch: first.epoch + 2 };
        assert!(matches!(back, Acquired::Mine { lease, .. } if lease == again), "{back:?}");
    }

    #[test]
    fn clocks_stand_still_until_something_is_appended_even_if_the_next_owner_dies_too() {
        let stopped = |v| Some(Stopped { until: 5, v });
        let again = Held { stopped: stopped(V), ..held(Some(2), LEASE + 1) };
        assert_eq!(asked(again, false), mine(Some(5), Some(LEASE + 1)));
        let later = Held { stopped: stopped(V - 1), ..held(Some(2), LEASE + 1) };
        assert_eq!(asked(later, false), mine(Some(NOW - LEASE - 1), Some(LEASE + 1)));
    }

    #[test]
    fn a_game_that_is_released_unpaused_stands_still_since_it_was_last_served() {
        assert_eq!(released(NOW - LATE, NOW), NOW);
        // The database was away before.
        assert_eq!(released(NOW - LATE - 1, NOW), NOW - LATE - 1);
    }

    #[test]
    fn a_clock_that_is_behind_kills_nobody() {
        let ahead = Held { beat: NOW + 60_000, ..held(Some(2), 0) };
        assert_eq!(asked(ahead, false), THEIRS);
    }
}
