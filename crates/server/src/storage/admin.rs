//! What the operator changes in the database, while servers run or not.

use skirmish_room::AccountId;

use super::{
    Account, Credential, GAP, NameTaken, Order, Result, RoomStage, Secret, Session, Storage,
    accounts, nodes, notices, rooms, schema, values,
};
use crate::naming::NameKeys;

/// What a database holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// The version of its tables.
    pub schema: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Accounts with a name of their own.
    pub members: u64,
    /// Accounts of guests, without those that were merged into others.
    pub guests: u64,
    /// Accounts that were banned.
    pub banned: u64,
    /// Games that wait for a second player.
    pub open: u64,
    /// Games that are being played.
    pub playing: u64,
    /// Rooms that are over.
    pub over: u64,
    /// The names of the servers that use it at the moment, sorted; a server alone is not listed.
    pub nodes: Vec<String>,
}

impl Storage {
    /// The account that is registered with this name, or with one that looks like it. Two accounts from before such names were
    /// refused are told apart by the exact name.
    pub async fn member(&self, name: &str) -> Result<Option<Account>> {
        let name = name.to_owned();
        let job = async move |session: &Session| {
            let sql = "SELECT id FROM account WHERE name = $1 AND folded LIKE '#%'";
            let exact = session.first(sql, values![&name], |row| row.get(0)).await?;
            let account = match exact {
                None => accounts::with_name(session, &NameKeys::of(&name)).await?,
                exact => exact,
            };
            match account {
                Some(account) => accounts::find(session, account).await,
                None => Ok(None),
            }
        };
        self.read(job).await
    }

    /// Gives an account another name. Nobody registered may have the name, or one that looks like it.
    pub async fn rename(&self, account: AccountId, name: &str) -> Result<Result<(), NameTaken>> {
        let name = name.to_owned();
        let keys = NameKeys::of(&name);
        let job = async move |session: &Session| {
            let owner = accounts::with_name(session, &keys).await?;
            if owner.is_some_and(|owner| owner != account) {
                return Ok(Err(NameTaken));
            }
            let sql = "UPDATE account SET name = $1,
                    folded = CASE WHEN folded IS NULL THEN NULL ELSE $2 END,
                    looks = CASE WHEN folded IS NULL THEN NULL ELSE $3 END, renamed_from = name
                WHERE id = $4";
            if !session.insert(sql, values![&name, &keys.folded, &keys.looks, account]).await? {
                return Ok(Err(NameTaken));
            }
            notices::post(session, &Order::Rename(account)).await?;
            Ok(Ok(()))
        };
        self.write(job).await
    }

    /// Bans an account. Whoever uses it is told the reason, if there is one.
    pub async fn ban(&self, account: AccountId, reason: &str) -> Result<()> {
        let reason = reason.to_owned();
        let job = async move |session: &Session| {
            let now = nodes::now(session).await?;
            session
                .execute(
                    "INSERT INTO ban (account, at, reason) VALUES ($1, $2, $3)
                     ON CONFLICT (account) DO UPDATE SET at = excluded.at, reason = excluded.reason",
                    values![account, now, &reason],
                )
                .await?;
            notices::post(session, &Order::Ban(account)).await
        };
        self.write(job).await
    }

    /// Lets an account play again. Returns whether it was banned.
    pub async fn unban(&self, account: AccountId) -> Result<bool> {
        let job = async move |session: &Session| {
            let sql = "DELETE FROM ban WHERE account = $1";
            Ok(session.execute(sql, values![account]).await? > 0)
        };
        self.write(job).await
    }

    /// Signs out all devices of an account, and makes its link code invalid. Returns how many devices it had. Its recovery
    /// code stays valid.
    pub async fn revoke(&self, account: AccountId) -> Result<u64> {
        let job = async move |session: &Session| {
            let sql = "DELETE FROM credential WHERE account = $1";
            let devices = session.execute(sql, values![account]).await?;
            session.execute("DELETE FROM link WHERE account = $1", values![account]).await?;
            notices::post(session, &Order::Revoke(account, None)).await?;
            Ok(devices)
        };
        self.write(job).await
    }

    /// Signs out the device with this token. Returns the account; none if nobody has the token.
    pub async fn revoke_token(&self, token: &Secret) -> Result<Option<Account>> {
        let hash = token.hash();
        let job = async move |session: &Session| {
            let sql = "DELETE FROM credential WHERE hash = $1 RETURNING account";
            let account = session.first(sql, values![&hash], |row| row.get::<AccountId>(0)).await?;
            let Some(account) = account else { return Ok(None) };
            let order = Order::Revoke(account, Some(Credential(hash)));
            notices::post(session, &order).await?;
            accounts::find(session, account).await
        };
        self.write(job).await
    }

    /// How many devices an account has.
    pub async fn devices(&self, account: AccountId) -> Result<u64> {
        let job = async move |session: &Session| {
            let sql = "SELECT count(*) FROM credential WHERE account = $1";
            Ok(session.first(sql, values![account], |row| row.get(0)).await?.unwrap_or(0))
        };
        self.read(job).await
    }

    /// Asks servers to close a game, now or when one is started. Returns the stage of its room; none if there
    /// is no such room.
    pub async fn ask_to_close(&self, code: &str) -> Result<Option<RoomStage>> {
        let code = code.to_owned();
        let job = async move |session: &Session| {
            let stage = rooms::stage(session, &code).await?;
            if stage.is_some_and(|stage| stage != RoomStage::Over) {
                notices::post(session, &Order::Close(code.clone())).await?;
            }
            Ok(stage)
        };
        self.write(job).await
    }

    /// What the database holds.
    pub async fn holdings(&self) -> Result<Holdings> {
        let job = async |session: &Session| {
            let nodes = match session {
                Session::Sqlite(_) => Vec::new(),
                Session::Postgres(_) => {
                    let now = nodes::now(session).await?;
                    nodes::alive(session, now.saturating_sub(GAP)).await?
                }
            };
            let mut nodes: Vec<String> = nodes.into_iter().map(|node| node.name).collect();
            nodes.sort_unstable();
            let size = session.either(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                "SELECT pg_database_size(current_database())",
            );
            let bytes = session.first(size, [], |row| row.get(0)).await?.unwrap_or(0);
            let counted = session.first(
                "SELECT (SELECT count(*) FROM account WHERE folded IS NOT NULL),
                    (SELECT count(*) FROM account WHERE folded IS NULL AND merged_into IS NULL),
                    (SELECT count(*) FROM ban),
                    (SELECT count(*) FROM room WHERE stage = 'open'),
                    (SELECT count(*) FROM room WHERE stage = 'playing'),
                    (SELECT count(*) FROM room WHERE stage = 'over')",
                [],
                |row| {
                    let count = |column| row.get::<u64>(column);
                    Ok([count(0)?, count(1)?, count(2)?, count(3)?, count(4)?, count(5)?])
                },
            );
            let [members, guests, banned, open, playing, over] = counted.await?.unwrap_or_default();
            let schema = schema::NEWEST as u64;
            Ok(Holdings { schema, bytes, members, guests, banned, open, playing, over, nodes })
        };
        self.read(job).await
    }
}
