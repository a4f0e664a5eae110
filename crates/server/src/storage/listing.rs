//! What events change in the lists of rooms, in the transaction that stores them.

use skirmish_room::{AccountId, Logged, RoomEvent};
use skirmish_rules::Both;

use super::pairing::Wish;
use super::{Result, RoomStage, Seats, Session, values};

/// What events mean for lists. It is noted together with the events, so that no crash comes between them: a room that is
/// missing from the lists would not be woken when the server is back.
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
    /// What events mean for lists. Only the room knows which events end a game; [`finish`] notes that later.
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
                // With a game that is aborted the room is over when its result is stored.
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

    /// The accounts that it puts into lists.
    pub(super) const fn accounts(&self) -> Seats {
        Both::new(self.creator, self.seated)
    }

    /// Whether lists of a room that is not new change.
    pub(super) const fn is_news(&self) -> bool {
        self.seated.is_some() || self.stage.is_some()
    }
}

/// Adds a room, and returns its number; none if there is a room with this code already. Its creator is there: this
/// account, which the caller has locked.
pub(super) async fn add(
    session: &Session,
    code: &str,
    listing: &Listing,
    creator: Option<AccountId>,
) -> Result<Option<i64>> {
    let Listing { public, watchable, wish, .. } = listing;
    let (terms, seat) = (wish.as_ref().map(|wish| &wish.terms), wish.as_ref().map(Wish::seat));
    let add = session.first(
        "INSERT INTO room (code, stage, public, watchable, account_1, terms, seat, offered)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (code) DO NOTHING RETURNING id",
        values![code, RoomStage::Open, *public, *watchable, creator, terms, seat, wish.is_some()],
        |row| row.get(0),
    );
    add.await
}

/// Records which account has taken a seat in a room, and its stage. Returns false if that account, which the caller has
/// locked, already has the other seat: two accounts may have been merged in the meantime.
pub(super) async fn list(
    session: &Session,
    room: i64,
    listing: &Listing,
    seated: Option<AccountId>,
) -> Result<bool> {
    if !listing.is_news() {
        return Ok(true);
    }
    // The creator has the first place.
    let changed = session.execute(
        "UPDATE room SET account_2 = coalesce($1, account_2), stage = coalesce($2, stage)
         WHERE id = $3 AND coalesce(account_1, 0) IS DISTINCT FROM $1",
        values![seated, listing.stage, room],
    );
    Ok(changed.await? > 0)
}

/// Notes that a game of a room is finished, and whether the room is over with it. Returns whether that is news.
pub(super) async fn finish(
    session: &Session,
    code: &str,
    number: u32,
    is_last: bool,
) -> Result<bool> {
    let stage = is_last.then_some(RoomStage::Over);
    let changed = session.execute(
        "UPDATE room SET finished = $1, stage = coalesce($2, stage)
         WHERE code = $3 AND finished < $1",
        values![number, stage, code],
    );
    Ok(changed.await? > 0)
}
