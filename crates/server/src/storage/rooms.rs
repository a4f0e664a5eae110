//! What lists say about rooms.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};
use skirmish_room::AccountId;
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
