//! Who owns a room, if several nodes serve it: a lease with an epoch, and what a new owner has to do first. The rules are
//! here, so that the database's transactions and the simulation follow the same ones.

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::desk::DeskInput;
use crate::room::Room;

/// A running server process. One that starts again is another node, with a number of its own.
pub type NodeId = u32;

/// How often a node notes that it is alive.
pub const BEAT: Millis = 2_000;

/// A node that has not noted for so long that it is alive has lost its leases.
pub const LEASE: Millis = 6_000;

/// The right to append to the log of a room. Each epoch of a room has one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lease {
    /// The owner.
    pub node: NodeId,
    /// Counts the owners of the room, from 1.
    pub epoch: u64,
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
    pub epoch: u64,
    /// When the owner last noted that it was alive, by the database's clock.
    pub beat: Millis,
}

/// What comes of asking for a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// It is granted.
    Mine {
        /// The lease, in a new epoch.
        lease: Lease,
        /// When the last owner was last known to be alive, if it is dead.
        until: Option<Millis>,
    },
    /// A living node has it.
    HeldBy(NodeId),
}

/// Whether `node` gets the lease of a room at `now`, by the database's clock. A living owner loses it only by `force`: if
/// it cannot be reached. It is fenced by the epoch, and finds out at its next append.
#[must_use]
pub fn acquire(held: Option<Held>, node: NodeId, force: bool, now: Millis) -> Acquired {
    let mine = |epoch: u64, until: Option<Millis>| Acquired::Mine {
        lease: Lease { node, epoch: epoch + 1 },
        until,
    };
    match held {
        None => mine(0, None),
        Some(Held { node: None, epoch, .. }) => mine(epoch, None),
        Some(Held { node: Some(owner), epoch, .. }) if owner == node => mine(epoch, None),
        Some(Held { epoch, beat, .. }) if now.saturating_sub(beat) > LEASE => {
            mine(epoch, Some(beat))
        }
        Some(Held { epoch, .. }) if force => mine(epoch, None),
        Some(Held { node: Some(owner), .. }) => Acquired::HeldBy(owner),
    }
}

/// What a new owner enters before anything else, so that nobody's clock is charged for the change. `until` is from
/// [`Acquired::Mine`]; `heard` is when the last owner was last heard of, if this node followed it.
#[must_use]
pub fn resume(
    room: &Room,
    now: Millis,
    until: Option<Millis>,
    heard: Option<Millis>,
) -> Option<DeskInput> {
    if room.is_paused() {
        return Some(DeskInput::Resume { until: room.last_event() });
    }
    if !room.is_playing() {
        return None;
    }
    // An owner that was alive would have called time by itself. Nobody loses a game because it was not.
    let is_overdue = room.due().is_some_and(|due| due <= now);
    let until = until.or(heard.filter(|_| is_overdue))?;
    Some(DeskInput::Resume { until })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 100_000;

    fn held(node: Option<NodeId>, ago: Millis) -> Held {
        Held { node, epoch: 4, beat: NOW - ago }
    }

    fn asked(held: Held, force: bool) -> Acquired {
        acquire(Some(held), 1, force, NOW)
    }

    fn mine(epoch: u64, until: Option<Millis>) -> Acquired {
        Acquired::Mine { lease: Lease { node: 1, epoch }, until }
    }

    #[test]
    fn a_living_owner_keeps_its_lease_unless_forced() {
        assert_eq!(asked(held(Some(2), LEASE), false), Acquired::HeldBy(2));
        assert_eq!(asked(held(Some(2), LEASE), true), mine(5, None));
    }

    #[test]
    fn a_dead_owner_loses_its_lease_and_was_alive_until_its_last_beat() {
        let until = Some(NOW - LEASE - 1);
        assert_eq!(asked(held(Some(2), LEASE + 1), false), mine(5, until));
        assert_eq!(asked(held(Some(2), LEASE + 1), true), mine(5, until));
    }

    #[test]
    fn a_free_lease_and_ones_own_are_granted_in_a_new_epoch() {
        assert_eq!(acquire(None, 1, false, NOW), mine(1, None));
        assert_eq!(asked(held(None, 60_000), false), mine(5, None));
        assert_eq!(asked(held(Some(1), 60_000), false), mine(5, None));
    }

    #[test]
    fn a_clock_that_is_behind_kills_nobody() {
        let ahead = Held { node: Some(2), epoch: 4, beat: NOW + 60_000 };
        assert_eq!(asked(ahead, false), Acquired::HeldBy(2));
    }
}
