//! Changes to the database by the operator, whether or not servers are running.

use skirmish_room::AccountId;

use super::{
    Account, Backend, Credential, GAP, NameTaken, Order, Result, RoomStage, Secret, Storage,
    accounts, nodes, notices, schema, values,
};
use crate::naming::NameKeys;

/// A summary of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Schema version.
    pub schema: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of registered accounts.
    pub members: u64,
    /// Number of guests' accounts, not counting merged ones.
    pub guests: u64,
    /// Number of banned accounts.
    pub banned: u64,
    /// Number of games waiting for a second player.
    pub open: u64,
    /// Number of games being played.
    pub playing: u64,
    /// Number of finished rooms.
    pub over: u64,
    /// Names of the running nodes, sorted. A server with a data folder is not listed.
    pub nodes: Vec<String>,
}

impl Storage {
    /// Returns the account registered under this name, or under one that looks like it. If two old accounts have names that
    /// look alike, the exact name decides.
    pub async fn member(&self, name: &str) -> Result<Option<Account>> {
        let name = name.to_owned();
        let job = async move |backend: &Backend| {
            let sql = "SELECT id FROM account WHERE name = $1 AND folded LIKE '#%'";
            let exact = backend.first(sql, values![&name]).await?;
            let account = match exact {
                None => accounts::with_name(backend, &NameKeys::of(&name)).await?,
                exact => exact,
            };
            match account {
                Some(account) => accounts::find(backend, account).await,
                None => Ok(None),
            }
        };
        self.read(job).await
    }

    /// Renames an account. Fails if another registered account has the name, or one that looks like it.
    pub async fn rename(&self, account: AccountId, name: &str) -> Result<Result<(), NameTaken>> {
        let name = name.to_owned();
        let keys = NameKeys::of(&name);
        let job = async move |backend: &Backend| {
            let owner = accounts::with_name(backend, &keys).await?;
            if owner.is_some_and(|owner| owner != account) {
                return Ok(Err(NameTaken));
            }
            let sql = "UPDATE account SET name = $1,
                    folded = CASE WHEN folded IS NULL THEN NULL ELSE $2 END,
                    looks = CASE WHEN folded IS NULL THEN NULL ELSE $3 END, renamed_from = name
                WHERE id = $4";
            if !backend.insert(sql, values![&name, &keys.folded, &keys.looks, account]).await? {
                return Ok(Err(NameTaken));
            }
            notices::post(backend, &Order::Rename(account)).await?;
            Ok(Ok(()))
        };
        self.write(job).await
    }

    /// Bans an account. Anyone who uses the account is told the reason, if there is one.
    pub async fn ban(&self, account: AccountId, reason: &str) -> Result<()> {
        let reason = reason.to_owned();
        let job = async move |backend: &Backend| {
            let now = nodes::now(backend).await?;
            backend
                .execute(
                    "INSERT INTO ban (account, at, reason) VALUES ($1, $2, $3)
                     ON CONFLICT (account) DO UPDATE SET at = excluded.at, reason = excluded.reason",
                    values![account, now, &reason],
                )
                .await?;
            notices::post(backend, &Order::Ban(account)).await
        };
        self.write(job).await
    }

    /// Lifts the ban on an account. Returns whether the account was banned.
    pub async fn unban(&self, account: AccountId) -> Result<bool> {
        let sql = "DELETE FROM ban WHERE account = $1";
        Ok(self.0.writer.execute(sql, values![account]).await? > 0)
    }

    /// Signs out all devices of an account, and invalidates its link code but not its recovery code. Returns the number of
    /// devices.
    pub async fn revoke(&self, account: AccountId) -> Result<u64> {
        let job = async move |backend: &Backend| {
            let sql = "DELETE FROM credential WHERE account = $1";
            let devices = backend.execute(sql, values![account]).await?;
            backend.execute("DELETE FROM link WHERE account = $1", values![account]).await?;
            notices::post(backend, &Order::Revoke(account, None)).await?;
            Ok(devices)
        };
        self.write(job).await
    }

    /// Signs out the device with this token. Returns its account; `None` if the token is unknown.
    pub async fn revoke_token(&self, token: &Secret) -> Result<Option<Account>> {
        let hash = token.hash();
        let job = async move |backend: &Backend| {
            let sql = "DELETE FROM credential WHERE hash = $1 RETURNING account";
            let account = backend.first(sql, values![&hash]).await?;
            let Some(account) = account else { return Ok(None) };
            let order = Order::Revoke(account, Some(Credential(hash)));
            notices::post(backend, &order).await?;
            accounts::find(backend, account).await
        };
        self.write(job).await
    }

    /// Returns the number of an account's devices.
    pub async fn devices(&self, account: AccountId) -> Result<u64> {
        let sql = "SELECT count(*) FROM credential WHERE account = $1";
        Ok(self.0.reader.first(sql, values![account]).await?.unwrap_or(0))
    }

    /// Asks the servers, or the next one to start, to close a game. Returns the stage of the room; `None` if there is no such
    /// room.
    pub async fn ask_to_close(&self, code: &str) -> Result<Option<RoomStage>> {
        let code = code.to_owned();
        let job = async move |backend: &Backend| {
            let sql = "SELECT stage FROM room WHERE code = $1";
            let stage = backend.first(sql, values![&code]).await?;
            if stage.is_some_and(|stage| stage != RoomStage::Over) {
                notices::post(backend, &Order::Close(code.clone())).await?;
            }
            Ok(stage)
        };
        self.write(job).await
    }

    /// Summarises the contents of the database.
    pub async fn holdings(&self) -> Result<Holdings> {
        let job = async |backend: &Backend| {
            let nodes = match backend {
                Backend::Sqlite(_) => Vec::new(),
                Backend::Postgres(_) => {
                    let now = nodes::now(backend).await?;
                    nodes::alive(backend, now.saturating_sub(GAP)).await?
                }
            };
            let mut nodes: Vec<String> = nodes.into_iter().map(|node| node.name).collect();
            nodes.sort_unstable();
            let size = backend.either(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                "SELECT pg_database_size(current_database())",
            );
            let sql = format!(
                "SELECT ({size}), (SELECT count(*) FROM account WHERE folded IS NOT NULL),
                    (SELECT count(*) FROM account WHERE folded IS NULL AND merged_into IS NULL),
                    (SELECT count(*) FROM ban),
                    (SELECT count(*) FROM room WHERE stage = 'open'),
                    (SELECT count(*) FROM room WHERE stage = 'playing'),
                    (SELECT count(*) FROM room WHERE stage = 'over')"
            );
            let rows = backend.rows(&sql, vec![]).await?;
            let count = |column| rows.first().map_or(Ok(0), |row| row.get(column));
            Ok(Holdings {
                schema: schema::NEWEST as u64,
                bytes: count(0)?,
                members: count(1)?,
                guests: count(2)?,
                banned: count(3)?,
                open: count(4)?,
                playing: count(5)?,
                over: count(6)?,
                nodes,
            })
        };
        self.read(job).await
    }
}
