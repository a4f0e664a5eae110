//! Changes that events make to the lists of rooms, in the transaction that stores the events.

use skirmish_room::{AccountId, Logged, RoomEvent};
use skirmish_rules::Both;

use super::pairing::Wish;
use super::{Backend, Result, RoomStage, Seats, values};

/// Changes that events make to the lists. They are stored together with the events, so that no crash can separate them: a
/// room missing from the lists would not be woken after a restart.
#[derive(Default)]
pub(super) struct Listing {
    public: bool,
    watchable: bool,
    creator: Option<AccountId>,
    wish: Option<Wish>,
    seated: Option<AccountId>,
    stage: Option<RoomStage>,
}

impl Listing {
    /// Derives the changes from events. Only the room knows which events end a game; [`finish`] records that later.
    pub(super) fn of(events: &[Logged]) -> Result<Self> {
        let mut listing = Self::default();
        let aborts = events.iter().any(|it| matches!(it.event, RoomEvent::Aborted { .. }));
        for logged in events {
            match &logged.event {
                RoomEvent::Created { terms, creator, .. } => {
                    listing.public = terms.public;
                    listing.watchable = terms.spectators;
                    listing.creator = Some(creator.account);
                    listing.wish = Wish::of(terms)?;
                }
                RoomEvent::Seated { person } => listing.seated = Some(person.account),
                RoomEvent::Began => listing.stage = Some(RoomStage::Playing),
                // After an aborted game, the room is over once the game's result has been stored.
                RoomEvent::Closed if aborts => {}
                RoomEvent::Closed => listing.stage = Some(RoomStage::Over),
                RoomEvent::Chose { .. }
                | RoomEvent::Offered { .. }
                | RoomEvent::Answered { .. }
                | RoomEvent::Resigned { .. }
                | RoomEvent::Claimed { .. }
                | RoomEvent::Flagged { .. }
                | RoomEvent::Aborted { .. }
                | RoomEvent::Said { .. }
                | RoomEvent::Paused
                | RoomEvent::Resumed => {}
            }
        }
        Ok(listing)
    }

    /// Returns the accounts added to lists.
    pub(super) const fn accounts(&self) -> Seats {
        Both::new(self.creator, self.seated)
    }

    /// Whether the list entry of an existing room changes.
    pub(super) const fn is_news(&self) -> bool {
        self.seated.is_some() || self.stage.is_some()
    }
}

/// Adds a room and returns its number; `None` if the code is taken. The caller has locked the creator's account.
pub(super) async fn add(
    backend: &Backend,
    code: &str,
    listing: &Listing,
    creator: Option<AccountId>,
) -> Result<Option<i64>> {
    let Listing { public, watchable, wish, .. } = listing;
    let (terms, seat) = (wish.as_ref().map(|wish| &wish.terms), wish.as_ref().map(Wish::seat));
    let add = backend.first(
        "INSERT INTO room (code, stage, public, watchable, account_1, terms, seat, offered)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (code) DO NOTHING RETURNING id",
        values![code, RoomStage::Open, *public, *watchable, creator, terms, seat, wish.is_some()],
    );
    add.await
}

/// Records the account that has taken a seat in a room, and the room's stage. The caller has locked the account. Returns
/// false if it already has the other seat, because two accounts were merged in the meantime.
pub(super) async fn list(
    backend: &Backend,
    room: i64,
    listing: &Listing,
    seated: Option<AccountId>,
) -> Result<bool> {
    if !listing.is_news() {
        return Ok(true);
    }
    // The creator is in the first seat column.
    let changed = backend.execute(
        "UPDATE room SET account_2 = coalesce($1, account_2), stage = coalesce($2, stage)
         WHERE id = $3 AND coalesce(account_1, 0) IS DISTINCT FROM $1",
        values![seated, listing.stage, room],
    );
    Ok(changed.await? > 0)
}

/// Records that a game of a room is finished, and whether the room is over with it. Returns whether that was not recorded
/// before.
pub(super) async fn finish(
    backend: &Backend,
    code: &str,
    number: u32,
    is_last: bool,
) -> Result<bool> {
    let stage = is_last.then_some(RoomStage::Over);
    let changed = backend.execute(
        "UPDATE room SET finished = $1, stage = coalesce($2, stage)
         WHERE code = $3 AND finished < $1",
        values![number, stage, code],
    );
    Ok(changed.await? > 0)
}
