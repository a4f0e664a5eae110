//! Accounts, their credentials, and merging a guest into another account.

use rusqlite::{Connection, OptionalExtension, Row};
use skirmish_room::{AccountId, Millis};
use skirmish_rules::Both;
use thiserror::Error;

use super::error::StorageError;
use super::secret::Hash;

/// For how long a link code is valid.
pub const LINK_SECONDS: u32 = 600;

/// Somebody who plays here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The number by which logs name it.
    pub id: AccountId,
    /// The name.
    pub name: String,
    /// Whether it has a name of its own and a recovery code. Otherwise it is a guest's.
    pub registered: bool,
}

/// Another account has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the name is taken: choose another one")]
pub struct NameTaken;

/// Creates the account of a guest.
pub(super) fn create(
    connection: &Connection,
    name: &str,
    token: Hash,
    now: Millis,
) -> Result<Account, StorageError> {
    let mut insert =
        connection.prepare_cached("INSERT INTO account (name, created) VALUES (?, ?)")?;
    insert.execute((name, time(now)))?;
    let id = connection.last_insert_rowid();
    add_credential(connection, id, token)?;
    Ok(Account { id, name: name.to_owned(), registered: false })
}

/// The account with this token.
pub(super) fn with_token(
    connection: &Connection,
    token: Hash,
) -> Result<Option<Account>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT id, name, folded IS NOT NULL FROM credential JOIN account ON id = account
         WHERE hash = ?",
    )?;
    Ok(query.query_row([token], account).optional()?)
}

/// Whether a registered account has this name.
pub(super) fn is_taken(connection: &Connection, name: &str) -> Result<bool, StorageError> {
    let mut query = connection.prepare_cached("SELECT 1 FROM account WHERE folded = ?")?;
    Ok(query.exists([name.to_lowercase()])?)
}

fn with_id(connection: &Connection, id: AccountId) -> Result<Option<Account>, StorageError> {
    let mut query = connection
        .prepare_cached("SELECT id, name, folded IS NOT NULL FROM account WHERE id = ?")?;
    Ok(query.query_row([id], account).optional()?)
}

fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account { id: row.get(0)?, name: row.get(1)?, registered: row.get(2)? })
}

/// Whether an account is registered.
pub(super) fn is_registered(connection: &Connection, id: AccountId) -> Result<bool, StorageError> {
    Ok(with_id(connection, id)?.is_some_and(|account| account.registered))
}

/// Renames a guest.
pub(super) fn rename(
    connection: &Connection,
    account: AccountId,
    name: &str,
) -> Result<(), StorageError> {
    let account = current(connection, account)?;
    let mut update =
        connection.prepare_cached("UPDATE account SET name = ? WHERE id = ? AND folded IS NULL")?;
    update.execute((name, account))?;
    Ok(())
}

/// Registers an account.
pub(super) fn register(
    connection: &Connection,
    account: AccountId,
    name: &str,
    recovery: Hash,
) -> Result<Result<Account, NameTaken>, StorageError> {
    let id = current(connection, account)?;
    let folded = name.to_lowercase();
    let mut query = connection.prepare_cached("SELECT id FROM account WHERE folded = ?")?;
    let owner: Option<AccountId> = query.query_row([&folded], |row| row.get(0)).optional()?;
    if owner.is_some_and(|owner| owner != id) {
        return Ok(Err(NameTaken));
    }
    let mut update = connection
        .prepare_cached("UPDATE account SET name = ?, folded = ?, recovery = ? WHERE id = ?")?;
    if update.execute((name, folded, recovery, id))? == 0 {
        return Err(StorageError::Damaged { what: format!("there is no account {id}") });
    }
    Ok(Ok(Account { id, name: name.to_owned(), registered: true }))
}

/// Notes a link code.
pub(super) fn link(
    connection: &Connection,
    account: AccountId,
    code: Hash,
    now: Millis,
) -> Result<(), StorageError> {
    let account = current(connection, account)?;
    connection.prepare_cached("DELETE FROM link WHERE expires <= ?")?.execute([time(now)])?;
    let expires = now.saturating_add(u64::from(LINK_SECONDS) * 1000);
    let mut insert = connection
        .prepare_cached("INSERT OR REPLACE INTO link (account, hash, expires) VALUES (?, ?, ?)")?;
    insert.execute((account, code, time(expires)))?;
    Ok(())
}

/// Adds a token to the account with this code, and merges the guest into it.
pub(super) fn redeem(
    connection: &Connection,
    code: Hash,
    token: Hash,
    guest: Option<AccountId>,
    now: Millis,
) -> Result<Option<Account>, StorageError> {
    let Some(id) = redeemed(connection, code, now)? else { return Ok(None) };
    add_credential(connection, id, token)?;
    if let Some(guest) = guest {
        let guest = current(connection, guest)?;
        if guest != id && !is_registered(connection, guest)? {
            merge(connection, guest, id)?;
        }
    }
    with_id(connection, id)
}

/// The account with this link code or recovery code.
fn redeemed(
    connection: &Connection,
    code: Hash,
    now: Millis,
) -> Result<Option<AccountId>, StorageError> {
    let mut take =
        connection.prepare_cached("DELETE FROM link WHERE hash = ? RETURNING account, expires")?;
    let linked: Option<(AccountId, i64)> =
        take.query_row([code], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some((account, expires)) = linked {
        return Ok((time(now) < expires).then_some(account));
    }
    let mut query = connection.prepare_cached("SELECT id FROM account WHERE recovery = ?")?;
    Ok(query.query_row([code], |row| row.get(0)).optional()?)
}

fn add_credential(
    connection: &Connection,
    account: AccountId,
    token: Hash,
) -> Result<(), StorageError> {
    let mut insert =
        connection.prepare_cached("INSERT INTO credential (hash, account) VALUES (?, ?)")?;
    insert.execute((token, account))?;
    Ok(())
}

/// Merges a guest into another account.
fn merge(connection: &Connection, guest: AccountId, into: AccountId) -> Result<(), StorageError> {
    for change in [
        "UPDATE credential SET account = ?2 WHERE account = ?1",
        // Nobody gets both seats of a room.
        "UPDATE room SET account_1 = ?2 WHERE account_1 = ?1 AND account_2 IS NOT ?2",
        "UPDATE room SET account_2 = ?2 WHERE account_2 = ?1 AND account_1 IS NOT ?2",
        "UPDATE finished SET account_1 = ?2 WHERE account_1 = ?1 AND account_2 IS NOT ?2",
        "UPDATE finished SET account_2 = ?2 WHERE account_2 = ?1 AND account_1 IS NOT ?2",
        // No chains: `current` looks once.
        "UPDATE account SET merged_into = ?2 WHERE merged_into = ?1",
        "UPDATE account SET merged_into = ?2 WHERE id = ?1",
    ] {
        connection.prepare_cached(change)?.execute((guest, into))?;
    }
    connection.prepare_cached("DELETE FROM link WHERE account = ?")?.execute([guest])?;
    Ok(())
}

/// The account that an account was merged into; itself if it was not.
pub(super) fn current(
    connection: &Connection,
    account: AccountId,
) -> Result<AccountId, StorageError> {
    let mut query = connection.prepare_cached("SELECT merged_into FROM account WHERE id = ?")?;
    let merged: Option<Option<AccountId>> =
        query.query_row([account], |row| row.get(0)).optional()?;
    Ok(merged.flatten().unwrap_or(account))
}

/// The accounts that two players were merged into. Nobody gets both seats of a room.
pub(super) fn current_pair(
    connection: &Connection,
    seats: Both<Option<AccountId>>,
) -> Result<Both<Option<AccountId>>, StorageError> {
    let find = |seat: Option<AccountId>| seat.map(|seat| current(connection, seat)).transpose();
    let pair = Both::new(find(seats.one)?, find(seats.two)?);
    if pair.one.is_none() || pair.one != pair.two {
        return Ok(pair);
    }
    let is_second_original = seats.two == pair.two;
    Ok(if is_second_original {
        Both::new(seats.one, pair.two)
    } else {
        Both::new(pair.one, seats.two)
    })
}

/// A time as `SQLite` stores it.
fn time(millis: Millis) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}
