//! What lists say about rooms.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};
use skirmish_room::{AccountId, Logged, Millis, RoomEvent};
use skirmish_rules::Both;

use super::accounts;
use super::error::StorageError;

/// What stage a room is in, as far as lists are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomStage {
    /// It waits for the second player.
    Open,
    /// It is being played.
    Playing,
    /// It is over, or was closed.
    Over,
}

/// What lists say about a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomIndex {
    /// Its stage.
    pub stage: RoomStage,
    /// Whether anybody may join it.
    pub public: bool,
    /// Whether anybody may watch it.
    pub watchable: bool,
    /// The players; none for a free seat or the computer.
    pub accounts: Both<Option<AccountId>>,
}

impl RoomStage {
    const ALL: [(Self, &str); 3] =
        [(Self::Open, "open"), (Self::Playing, "playing"), (Self::Over, "over")];
}

impl ToSql for RoomStage {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(Self::ALL[*self as usize].1.into())
    }
}

impl FromSql for RoomStage {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let found = Self::ALL.into_iter().find(|(_, word)| *word == text);
        found.map(|(stage, _)| stage).ok_or(FromSqlError::InvalidType)
    }
}

/// What events mean for lists. It is noted together with the events, so that no crash comes between them: a room that is
/// missing from the lists would not be woken when the server is back.
#[derive(Default)]
pub(super) struct Listing {
    public: bool,
    watchable: bool,
    creator: Option<AccountId>,
    seated: Option<AccountId>,
    stage: Option<RoomStage>,
}

impl Listing {
    /// What events mean for lists. Only the room knows which events end a game; [`finish`] notes that later.
    pub(super) fn of(events: &[Logged]) -> Self {
        let mut listing = Self::default();
        for logged in events {
            match &logged.event {
                RoomEvent::Created { terms, creator, .. } => {
                    listing.public = terms.public;
                    listing.watchable = terms.spectators;
                    listing.creator = Some(creator.account);
                }
                RoomEvent::Seated { person } => listing.seated = Some(person.account),
                RoomEvent::Began => listing.stage = Some(RoomStage::Playing),
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
        listing
    }
}

/// Adds a room, and returns its number; none if there is a room with this code already.
pub(super) fn add(
    connection: &Connection,
    code: &str,
    listing: &Listing,
) -> Result<Option<i64>, StorageError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO room (code, stage, public, watchable, account_1) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (code) DO NOTHING",
    )?;
    let Listing { public, watchable, creator, .. } = listing;
    let creator = current(connection, *creator)?;
    let added = insert.execute((code, RoomStage::Open, public, watchable, creator))? > 0;
    Ok(added.then(|| connection.last_insert_rowid()))
}

/// Notes who has sat down in a room, and its stage.
pub(super) fn list(
    connection: &Connection,
    room: i64,
    listing: &Listing,
) -> Result<(), StorageError> {
    let Listing { seated, stage, .. } = listing;
    if seated.is_none() && stage.is_none() {
        return Ok(());
    }
    // The creator has the first place.
    let mut update = connection.prepare_cached(
        "UPDATE room SET account_2 = coalesce(?2, account_2), stage = coalesce(?3, stage)
         WHERE id = ?1",
    )?;
    update.execute((room, current(connection, *seated)?, stage))?;
    Ok(())
}

/// Notes that a game of a room is finished, and whether the room is over with it. Returns whether that is news.
pub(super) fn finish(
    connection: &Connection,
    code: &str,
    number: u32,
    is_last: bool,
) -> Result<bool, StorageError> {
    let mut update = connection.prepare_cached(
        "UPDATE room SET finished = ?2, stage = coalesce(?3, stage)
         WHERE code = ?1 AND finished < ?2",
    )?;
    Ok(update.execute((code, number, is_last.then_some(RoomStage::Over)))? > 0)
}

fn current(
    connection: &Connection,
    account: Option<AccountId>,
) -> Result<Option<AccountId>, StorageError> {
    account.map(|account| accounts::current(connection, account)).transpose()
}

/// Whether there is such a room.
pub(super) fn exists(connection: &Connection, code: &str) -> Result<bool, StorageError> {
    Ok(connection.prepare_cached("SELECT 1 FROM room WHERE code = ?")?.exists([code])?)
}

/// Notes when the server was running.
pub(super) fn beat(connection: &Connection, now: Millis) -> Result<(), StorageError> {
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let mut upsert = connection.prepare_cached(
        "INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
    )?;
    upsert.execute([now])?;
    Ok(())
}

/// Until when the server was running; 0 if it never was.
pub(super) fn ran_until(connection: &Connection) -> Result<Millis, StorageError> {
    let query = "SELECT coalesce(max(at), 0) FROM heartbeat";
    let at: i64 = connection.query_row(query, [], |row| row.get(0))?;
    Ok(Millis::try_from(at).unwrap_or(0))
}

/// Notes what lists say about a room.
pub(super) fn index(
    connection: &Connection,
    code: &str,
    index: RoomIndex,
) -> Result<(), StorageError> {
    // A game that is going on may still name an account that was merged meanwhile.
    let accounts = accounts::current_pair(connection, index.accounts)?;
    let mut upsert = connection.prepare_cached(
        "INSERT INTO room (code, stage, public, watchable, account_1, account_2)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (code) DO UPDATE SET stage = excluded.stage, public = excluded.public,
            watchable = excluded.watchable, account_1 = excluded.account_1,
            account_2 = excluded.account_2",
    )?;
    let RoomIndex { stage, public, watchable, accounts: _ } = index;
    upsert.execute((code, stage, public, watchable, accounts.one, accounts.two))?;
    Ok(())
}

/// The rooms that are not over.
pub(super) fn unfinished(
    connection: &Connection,
) -> Result<Vec<(String, RoomIndex)>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT code, stage, public, watchable, account_1, account_2 FROM room
         WHERE stage <> 'over' ORDER BY id",
    )?;
    let rooms = query.query_map([], |row| {
        let index = RoomIndex {
            stage: row.get(1)?,
            public: row.get(2)?,
            watchable: row.get(3)?,
            accounts: Both::new(row.get(4)?, row.get(5)?),
        };
        Ok((row.get(0)?, index))
    })?;
    Ok(rooms.collect::<Result<_, _>>()?)
}

/// The room, not over yet, to which a message of this account led: as its creator, or by `seeking` as the second player.
pub(super) fn led_to(
    connection: &Connection,
    account: AccountId,
    message: &str,
    seeking: bool,
) -> Result<Option<String>, StorageError> {
    let account = accounts::current(connection, account)?;
    // An account has few such rooms. Somebody sits down in the second event of a room at the earliest, and a message is
    // noted at its first event only.
    let mut query = connection.prepare_cached(
        "SELECT code, event.account FROM room JOIN event ON event.room = room.id
         WHERE (account_1 = ?1 OR account_2 = ?1) AND stage <> 'over' AND seq <= ?2 AND message = ?3
         ORDER BY id",
    )?;
    let mut rows = query.query((account, if seeking { 2 } else { 1 }, message))?;
    while let Some(row) = rows.next()? {
        if accounts::current(connection, row.get(1)?)? == account {
            return Ok(Some(row.get(0)?));
        }
    }
    Ok(None)
}

/// The rooms with this account that are not over.
pub(super) fn of(connection: &Connection, account: AccountId) -> Result<Vec<String>, StorageError> {
    let account = accounts::current(connection, account)?;
    let mut query = connection.prepare_cached(
        "SELECT code FROM room WHERE (account_1 = ?1 OR account_2 = ?1) AND stage <> 'over'
         ORDER BY id",
    )?;
    let codes = query.query_map([account], |row| row.get(0))?;
    Ok(codes.collect::<Result<_, _>>()?)
}
