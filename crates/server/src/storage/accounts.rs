//! Accounts, their credentials, and merging a guest into another account.

use futures_util::future::try_join;
use skirmish_room::wire::Offer;
use skirmish_room::{AccountId, Logged, Millis, RoomEvent};
use skirmish_rules::Both;
use thiserror::Error;

use super::error::StorageError;
use super::log;
use super::notices::{self, Order};
use super::secret::Hash;
use super::session::{Row, Session, locking};
use super::value::values;
use crate::naming::NameKeys;

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
    /// Why it may not be used, if it was banned; empty without a reason.
    pub ban: Option<String>,
}

/// The result of redeeming a link code or recovery code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redeemed {
    /// The code's account, which has another token now.
    Account(Account),
    /// The guest plays against the code's account in this game. Nothing has changed.
    Playing(String),
    /// There is no such code, or it has expired.
    Invalid,
}

/// Another account has the name, or one that looks like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the name is taken, or looks like one that is: choose another one")]
pub struct NameTaken;

/// Creates the account of a guest.
pub(super) async fn create(
    session: &Session,
    name: &str,
    token: &Hash,
    now: Millis,
) -> Result<Account, StorageError> {
    let sql = "INSERT INTO account (name, created) VALUES ($1, $2) RETURNING id";
    let id = session.add(sql, values![name, now]).await?.ok_or(StorageError::Closed)?;
    add_credential(session, id, token).await?;
    Ok(Account { id, name: name.to_owned(), registered: false, ban: None })
}

/// The account with this token.
pub(super) async fn with_token(
    session: &Session,
    token: &Hash,
) -> Result<Option<Account>, StorageError> {
    let found = session.first(
        "SELECT id, name, folded IS NOT NULL, reason
         FROM credential JOIN account ON id = credential.account
            LEFT JOIN ban ON ban.account = account.id
         WHERE hash = $1",
        values![token],
        account,
    );
    found.await
}

/// Whether a registered account has this name, or one that looks like it.
pub(super) async fn is_taken(session: &Session, name: &str) -> Result<bool, StorageError> {
    Ok(with_name(session, &NameKeys::of(name)).await?.is_some())
}

/// The account that is registered with such a name.
pub(super) async fn with_name(
    session: &Session,
    keys: &NameKeys,
) -> Result<Option<AccountId>, StorageError> {
    let sql = "SELECT id FROM account WHERE folded = $1 OR looks = $2";
    session.first(sql, values![&keys.folded, &keys.looks], |row| row.get(0)).await
}

/// The account with this number.
pub(super) async fn find(
    session: &Session,
    id: AccountId,
) -> Result<Option<Account>, StorageError> {
    let sql = "SELECT id, name, folded IS NOT NULL, (SELECT reason FROM ban WHERE account = $1)
         FROM account WHERE id = $1";
    session.first(sql, values![id], account).await
}

async fn with_id(session: &Session, id: AccountId) -> Result<Option<Account>, StorageError> {
    let sql = locking!(
        session,
        "SELECT id, name, folded IS NOT NULL, (SELECT reason FROM ban WHERE account = $1)
         FROM account WHERE id = $1",
        "FOR UPDATE OF account"
    );
    session.first(sql, values![id], account).await
}

fn account(row: &Row<'_>) -> Result<Account, StorageError> {
    Ok(Account { id: row.get(0)?, name: row.get(1)?, registered: row.get(2)?, ban: row.get(3)? })
}

/// Whether an account is registered. It is locked until the commit.
pub(super) async fn is_registered(session: &Session, id: AccountId) -> Result<bool, StorageError> {
    Ok(with_id(session, id).await?.is_some_and(|account| account.registered))
}

/// Renames a guest, unless the operator has. Returns the name that the account has now.
pub(super) async fn rename(
    session: &Session,
    account: AccountId,
    name: &str,
) -> Result<String, StorageError> {
    let account = current(session, account).await?;
    let sql =
        "UPDATE account SET name = $1 WHERE id = $2 AND folded IS NULL AND renamed_from IS NULL";
    session.execute(sql, values![name, account]).await?;
    let current = find(session, account).await?;
    Ok(current.map_or_else(|| name.to_owned(), |current| current.name))
}

/// Registers an account.
pub(super) async fn register(
    session: &Session,
    account: AccountId,
    name: &str,
    recovery: &Hash,
) -> Result<Result<Account, NameTaken>, StorageError> {
    let id = current(session, account).await?;
    let Some(before) = with_id(session, id).await? else {
        return Err(StorageError::Damaged { what: format!("there is no account {id}") });
    };
    if before.registered && before.name == name {
        let sql = "UPDATE account SET recovery = $1 WHERE id = $2";
        session.execute(sql, values![recovery, id]).await?;
        return Ok(Ok(before));
    }
    let keys = NameKeys::of(name);
    if with_name(session, &keys).await?.is_some_and(|owner| owner != id) {
        return Ok(Err(NameTaken));
    }
    let sql = "UPDATE account SET name = $1, folded = $2, looks = $3, recovery = $4 WHERE id = $5";
    // Somebody else may have registered the name at the same moment.
    let values = values![name, &keys.folded, &keys.looks, recovery, id];
    let is_free = session.insert(sql, values).await?;
    let account = Account { id, name: name.to_owned(), registered: true, ban: None };
    Ok(is_free.then_some(account).ok_or(NameTaken))
}

/// Notes a link code.
pub(super) async fn link(
    session: &Session,
    account: AccountId,
    code: &Hash,
    now: Millis,
) -> Result<(), StorageError> {
    let account = current(session, account).await?;
    session.execute("DELETE FROM link WHERE expires <= $1", values![now]).await?;
    let expires = now.saturating_add(u64::from(LINK_SECONDS) * 1000);
    session
        .execute(
            "INSERT INTO link (account, hash, expires) VALUES ($1, $2, $3)
             ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, expires = excluded.expires",
            values![account, code, expires],
        )
        .await?;
    Ok(())
}

/// Adds a token to the account with this code, and merges the guest into it, unless they play each other.
pub(super) async fn redeem(
    session: &Session,
    code: &Hash,
    token: &Hash,
    guest: Option<AccountId>,
    now: Millis,
) -> Result<Redeemed, StorageError> {
    if let Some(guest) = guest
        && let Some(game) = game_against(session, code, guest).await?
    {
        return Ok(Redeemed::Playing(game));
    }
    let Some(id) = redeemed(session, code, now).await? else { return Ok(Redeemed::Invalid) };
    add_credential(session, id, token).await?;
    if let Some(guest) = guest {
        let guest = current(session, guest).await?;
        if guest != id && !is_registered(session, guest).await? {
            decline_rematches(session, guest, id, now).await?;
            merge(session, guest, id).await?;
        }
    }
    Ok(with_id(session, id).await?.map_or(Redeemed::Invalid, Redeemed::Account))
}

/// A game, not over yet, of the guest against the account with this code. Neither takes a seat anywhere before the commit.
async fn game_against(
    session: &Session,
    code: &Hash,
    guest: AccountId,
) -> Result<Option<String>, StorageError> {
    let guest = current(session, guest).await?;
    let lock = locking!(
        session,
        "SELECT id FROM account
         WHERE id = $1 OR recovery = $2 OR id IN (SELECT account FROM link WHERE hash = $2) ORDER BY id",
        "FOR UPDATE"
    );
    session.query(lock, values![guest, code], |row| row.get::<AccountId>(0)).await?;
    let game = session.first(
        "SELECT code FROM (SELECT account AS id FROM link WHERE hash = $1
                           UNION ALL SELECT id FROM account WHERE recovery = $1) AS holder
            JOIN room ON (account_1 = holder.id AND account_2 = $2)
                OR (account_1 = $2 AND account_2 = holder.id)
         WHERE stage <> 'over'",
        values![code, guest],
        |row| row.get(0),
    );
    game.await
}

/// The account with this link code or recovery code.
async fn redeemed(
    session: &Session,
    code: &Hash,
    now: Millis,
) -> Result<Option<AccountId>, StorageError> {
    let linked = session.first(
        "DELETE FROM link WHERE hash = $1 RETURNING account, expires",
        values![code],
        |row| Ok((row.get::<AccountId>(0)?, row.get::<Millis>(1)?)),
    );
    if let Some((account, expires)) = linked.await? {
        return Ok((now < expires).then_some(account));
    }
    let sql = "SELECT id FROM account WHERE recovery = $1";
    session.first(sql, values![code], |row| row.get(0)).await
}

async fn add_credential(
    session: &Session,
    account: AccountId,
    token: &Hash,
) -> Result<(), StorageError> {
    let sql = "INSERT INTO credential (hash, account) VALUES ($1, $2)";
    session.execute(sql, values![token, account]).await?;
    Ok(())
}

/// Declines the rematches that a guest and an account have offered each other: nobody could play the guest's seat.
async fn decline_rematches(
    session: &Session,
    guest: AccountId,
    account: AccountId,
    now: Millis,
) -> Result<(), StorageError> {
    let codes = session.query(
        "SELECT code FROM room
         WHERE (account_1 = $1 AND account_2 = $2) OR (account_1 = $2 AND account_2 = $1)",
        values![guest, account],
        |row| row.get::<String>(0),
    );
    for code in codes.await? {
        let events = log::read(session, &code, 0).await?;
        let is_news = |logged: &&Logged| !matches!(logged.event, RoomEvent::Said { .. });
        let Some(last) = events.iter().rfind(is_news) else { continue };
        if let RoomEvent::Offered { side, what: Offer::Rematch } = last.event {
            let event =
                RoomEvent::Answered { side: side.other(), what: Offer::Rematch, yes: false };
            let answer = Logged { at: now.max(last.at), by: None, left: None, event };
            let add = "INSERT INTO event (room, seq, body)
                SELECT id, $1, $2 FROM room WHERE code = $3 ON CONFLICT DO NOTHING";
            let (seq, body) = (events.len() as u64 + 1, log::json(&answer)?);
            session.execute(add, values![seq, &body, &code]).await?;
        }
    }
    Ok(())
}

/// Merges a guest, whose account is locked, into another account.
async fn merge(session: &Session, guest: AccountId, into: AccountId) -> Result<(), StorageError> {
    for change in [
        // No chains: `current` looks once.
        "UPDATE account SET merged_into = $1 WHERE merged_into = $2",
        "UPDATE account SET merged_into = $1 WHERE id = $2",
        "UPDATE credential SET account = $1 WHERE account = $2",
        // Nobody gets both seats of a room.
        "UPDATE room SET account_1 = $1 WHERE account_1 = $2 AND account_2 IS DISTINCT FROM $1",
        "UPDATE room SET account_2 = $1 WHERE account_2 = $2 AND account_1 IS DISTINCT FROM $1",
        "UPDATE finished SET account_1 = $1 WHERE account_1 = $2 AND account_2 IS DISTINCT FROM $1",
        "UPDATE finished SET account_2 = $1 WHERE account_2 = $2 AND account_1 IS DISTINCT FROM $1",
    ] {
        session.execute(change, values![into, guest]).await?;
    }
    session.execute("DELETE FROM link WHERE account = $1", values![guest]).await?;
    // The guest's connections come back as the account's, and every node reads its rooms again.
    notices::post(session, &Order::Merge(guest)).await
}

/// The account that an account was merged into; itself if it was not.
pub(super) async fn current(
    session: &Session,
    account: AccountId,
) -> Result<AccountId, StorageError> {
    let sql = "SELECT merged_into FROM account WHERE id = $1";
    let merged = session.first(sql, values![account], |row| row.get::<Option<AccountId>>(0));
    Ok(merged.await?.flatten().unwrap_or(account))
}

/// The same, and nobody merges the account before the commit.
pub(super) async fn current_locked(
    session: &Session,
    account: AccountId,
) -> Result<AccountId, StorageError> {
    let sql = locking!(session, "SELECT merged_into FROM account WHERE id = $1", "FOR SHARE");
    let merged = session.first(sql, values![account], |row| row.get::<Option<AccountId>>(0));
    Ok(merged.await?.flatten().unwrap_or(account))
}

/// The accounts that two players were merged into. Nobody gets both seats of a room.
pub(super) async fn current_pair(
    session: &Session,
    seats: Both<Option<AccountId>>,
) -> Result<Both<Option<AccountId>>, StorageError> {
    let find = async |seat: Option<AccountId>| match seat {
        Some(seat) => current(session, seat).await.map(Some),
        None => Ok(None),
    };
    let (one, two) = try_join(find(seats.one), find(seats.two)).await?;
    let pair = Both::new(one, two);
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
