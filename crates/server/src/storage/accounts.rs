//! Accounts and their credentials.

use std::collections::BTreeMap;

use skirmish_room::{AccountId, Millis};
use skirmish_rules::Both;
use thiserror::Error;

use super::secret::Hash;
use super::{Backend, Result, Secret, Storage, StorageError, from_row, rooms, values};
use crate::naming::NameKeys;

/// How long a link code is valid, in seconds.
pub const LINK_SECONDS: u32 = 600;

/// The accounts in the two seats of a room. `None` for a free seat or the computer.
pub(super) type Seats = Both<Option<AccountId>>;

/// A player's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The number that identifies the account, also in logs.
    pub id: AccountId,
    /// The name.
    pub name: String,
    /// Whether the account has its own name and a recovery code. Otherwise it belongs to a guest.
    pub registered: bool,
    /// The reason for a ban, which may be empty. `None` if the account is not banned.
    pub ban: Option<String>,
}

/// The result of redeeming a link code or recovery code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redeemed {
    /// The account of the code, to which a token has been added.
    Account(Account),
    /// The guest is playing against the code's account in this game. Nothing has changed.
    Playing(String),
    /// The code does not exist or has expired.
    Invalid,
}

/// Another account has the name, or one that looks like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the name is taken, or looks like one that is: choose another one")]
pub struct NameTaken;

impl Storage {
    /// Creates a guest's account.
    pub async fn create_guest(&self, name: &str, token: &Secret, now: Millis) -> Result<Account> {
        let (name, token) = (name.to_owned(), token.hash());
        let job = async move |backend: &Backend| {
            let sql = "INSERT INTO account (name, created) VALUES ($1, $2) RETURNING id";
            let id = backend.first(sql, values![&name, now]).await?;
            let id = id.ok_or(StorageError::Closed)?;
            add_credential(backend, id, &token).await?;
            Ok(Account { id, name: name.clone(), registered: false, ban: None })
        };
        self.write(job).await
    }

    /// Returns the account with this token, and its unfinished rooms, oldest first.
    pub async fn sign_in(&self, token: &Secret) -> Result<Option<(Account, Vec<String>)>> {
        let token = token.hash();
        let job = async move |backend: &Backend| {
            let sql = "SELECT id, name, folded IS NOT NULL, reason
                FROM credential JOIN account ON id = credential.account
                    LEFT JOIN ban ON ban.account = account.id
                WHERE hash = $1";
            let found = backend.first::<Account>(sql, values![&token]).await?;
            let Some(account) = found else { return Ok(None) };
            let rooms = rooms::of(backend, account.id).await?;
            Ok(Some((account, rooms)))
        };
        self.read(job).await
    }

    /// Returns the account with this number, or the one that it was merged into.
    pub async fn account(&self, account: AccountId) -> Result<Option<Account>> {
        let job =
            async move |backend: &Backend| find(backend, current(backend, account).await?).await;
        self.read(job).await
    }

    /// Whether a registered account has this name or one that looks like it.
    pub async fn is_taken(&self, name: &str) -> Result<bool> {
        let keys = NameKeys::of(name);
        self.read(async move |backend: &Backend| Ok(with_name(backend, &keys).await?.is_some()))
            .await
    }

    /// Renames a guest. Names of registered accounts, and names given by the operator, do not change. Returns the resulting
    /// name.
    pub async fn rename_guest(&self, account: AccountId, name: &str) -> Result<String> {
        let name = name.to_owned();
        let job = async move |backend: &Backend| {
            let account = current(backend, account).await?;
            let sql = "UPDATE account SET name = $1
                       WHERE id = $2 AND folded IS NULL AND renamed_from IS NULL";
            backend.execute(sql, values![&name, account]).await?;
            let current = find(backend, account).await?;
            Ok(current.map_or_else(|| name.clone(), |current| current.name))
        };
        self.write(job).await
    }

    /// Registers an account under a name that no other account's name equals or resembles. An account that is already
    /// registered gets the new name and recovery code.
    ///
    /// # Errors
    /// If there is no such account.
    pub async fn register(
        &self,
        account: AccountId,
        name: &str,
        recovery: &Secret,
    ) -> Result<Result<Account, NameTaken>> {
        let (name, recovery) = (name.to_owned(), recovery.hash());
        let job = async move |backend: &Backend| {
            let id = current(backend, account).await?;
            let Some(before) = with_id(backend, id).await? else {
                return Err(StorageError::Damaged(format!("there is no account {id}")));
            };
            if before.registered && before.name == name {
                let sql = "UPDATE account SET recovery = $1 WHERE id = $2";
                backend.execute(sql, values![&recovery, id]).await?;
                return Ok(Ok(before));
            }
            let keys = NameKeys::of(&name);
            if with_name(backend, &keys).await?.is_some_and(|owner| owner != id) {
                return Ok(Err(NameTaken));
            }
            let sql = "UPDATE account SET name = $1, folded = $2, looks = $3, recovery = $4 WHERE id = $5";
            // Another account may have registered the name at the same moment.
            let values = values![&name, &keys.folded, &keys.looks, &recovery, id];
            let is_free = backend.insert(sql, values).await?;
            let account = Account { id, name: name.clone(), registered: true, ban: None };
            Ok(is_free.then_some(account).ok_or(NameTaken))
        };
        self.write(job).await
    }

    /// Stores a code with which one other device can join the account within [`LINK_SECONDS`]. The account's earlier link
    /// code becomes invalid.
    pub async fn create_link(&self, account: AccountId, code: &Secret, now: Millis) -> Result<()> {
        let code = code.hash();
        let job = async move |backend: &Backend| {
            let account = current(backend, account).await?;
            backend.execute("DELETE FROM link WHERE expires <= $1", values![now]).await?;
            let expires = now.saturating_add(u64::from(LINK_SECONDS) * 1000);
            let sql = "INSERT INTO link (account, hash, expires) VALUES ($1, $2, $3)
                ON CONFLICT (account) DO UPDATE
                SET hash = excluded.hash, expires = excluded.expires";
            backend.execute(sql, values![account, &code, expires]).await.map(drop)
        };
        self.write(job).await
    }
}

/// Returns the account registered under a name with these keys.
pub(super) async fn with_name(backend: &Backend, keys: &NameKeys) -> Result<Option<AccountId>> {
    let sql = "SELECT id FROM account WHERE folded = $1 OR looks = $2";
    backend.first(sql, values![&keys.folded, &keys.looks]).await
}

/// Selects the account with number `$1`.
const FIND: &str =
    "SELECT id, name, folded IS NOT NULL, (SELECT reason FROM ban WHERE account = $1)
     FROM account WHERE id = $1";

/// Returns the account with this number.
pub(super) async fn find(backend: &Backend, id: AccountId) -> Result<Option<Account>> {
    backend.first(FIND, values![id]).await
}

/// Returns the account with this number, and locks it until the commit.
pub(super) async fn with_id(backend: &Backend, id: AccountId) -> Result<Option<Account>> {
    let sql = backend.locking(FIND, "FOR UPDATE OF account");
    backend.first(&sql, values![id]).await
}

from_row!(Account { id, name, registered, ban });

/// Whether an account is registered. Locks the account until the commit.
pub(super) async fn is_registered(backend: &Backend, id: AccountId) -> Result<bool> {
    Ok(with_id(backend, id).await?.is_some_and(|account| account.registered))
}

pub(super) async fn add_credential(
    backend: &Backend,
    account: AccountId,
    token: &Hash,
) -> Result<()> {
    let sql = "INSERT INTO credential (hash, account) VALUES ($1, $2)";
    backend.execute(sql, values![token, account]).await.map(drop)
}

/// Returns the account that this one was merged into, or the account itself.
pub(super) async fn current(backend: &Backend, account: AccountId) -> Result<AccountId> {
    let sql = "SELECT merged_into FROM account WHERE id = $1";
    let merged = backend.first::<Option<_>>(sql, values![account]).await?;
    Ok(merged.flatten().unwrap_or(account))
}

/// Locks accounts, and those they were merged into, until the commit: no other transaction can merge them, or change their
/// ratings. Every transaction locks in the same order. Returns the current accounts.
pub(super) async fn lock(backend: &Backend, accounts: Seats) -> Result<Seats> {
    if accounts == Seats::default() {
        return Ok(accounts);
    }
    let sql = backend.locking(
        "SELECT id, merged_into FROM account
         WHERE id IN ($1, $2) OR id IN (SELECT merged_into FROM account WHERE id IN ($1, $2))
         ORDER BY id",
        "FOR UPDATE",
    );
    let merged = backend.query(&sql, values![accounts.one, accounts.two]).await?;
    let merged: BTreeMap<AccountId, Option<AccountId>> = merged.into_iter().collect();
    let current = |account| merged.get(&account).copied().flatten().unwrap_or(account);
    Ok(accounts.map(|account| account.map(current)))
}

/// Returns the current accounts of two players, except that no account gets both seats of a room.
pub(super) fn distinct(seats: Seats, now: Seats) -> Seats {
    if now.one.is_none() || now.one != now.two {
        now
    } else if seats.two == now.two {
        Both::new(seats.one, now.two)
    } else {
        Both::new(now.one, seats.two)
    }
}
