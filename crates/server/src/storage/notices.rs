//! Requests of the operator to running servers, and messages between servers that must not be lost.

use skirmish_room::{AccountId, Millis};

use super::secret::Hash;
use super::{Backend, FromRow, Result, Row, Storage, nodes, values};

/// How long servers can read a notice.
const MEMORY: Millis = 10 * 60 * 1000;

/// How long servers can read a notice about a game. The notice stays longer if it has not been carried out.
const GAME_MEMORY: Millis = 10 * 1000;

/// A request to running servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The notice's number.
    pub id: u64,
    /// The action to take.
    pub order: Order,
}

/// An action requested of running servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Disconnect a banned account.
    Ban(AccountId),
    /// Disconnect the devices of an account, or only the one with this credential.
    Revoke(AccountId, Option<Credential>),
    /// Read the names of accounts again.
    Rename(AccountId),
    /// Let a guest who was merged into an account reconnect, and reload the account's rooms.
    Merge(AccountId),
    /// Close a game.
    Close(String),
    /// Forget games that were removed from the database.
    Forget(Vec<String>),
}

/// Separates codes if there are several games.
const SEPARATOR: &str = ",";

/// Identifies one device of an account.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Credential(pub(super) Hash);

impl std::fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Credential(…)")
    }
}

impl Storage {
    /// Returns the current notices.
    pub async fn notices(&self) -> Result<Vec<Notice>> {
        let job = async |backend: &Backend| {
            let sql = "SELECT id, kind, account, credential, code FROM notice ORDER BY id";
            let notices: Vec<Option<Notice>> = backend.query(sql, vec![]).await?;
            // A newer version of the program may have posted unknown kinds.
            Ok(notices.into_iter().flatten().collect())
        };
        self.read(job).await
    }

    /// Deletes notices that are old or have been carried out.
    pub async fn clear_notices(&self) -> Result<()> {
        let job = async |backend: &Backend| {
            let now = nodes::now(backend).await?;
            let sql = "DELETE FROM notice WHERE kind <> 'close' AND at < $1";
            backend.execute(sql, values![now.saturating_sub(MEMORY)]).await?;
            let sql = "DELETE FROM notice WHERE kind = 'close' AND at < $1 AND NOT EXISTS
                (SELECT 1 FROM room WHERE room.code = notice.code AND stage <> 'over')";
            backend.execute(sql, values![now.saturating_sub(GAME_MEMORY)]).await.map(drop)
        };
        self.write(job).await
    }
}

/// Posts a notice to running servers.
pub(super) async fn post(backend: &Backend, order: &Order) -> Result<()> {
    let (kind, account, credential, code) = match order {
        Order::Ban(account) => ("ban", Some(*account), None, None),
        Order::Revoke(account, credential) => {
            ("revoke", Some(*account), credential.as_ref().map(|credential| &credential.0), None)
        }
        Order::Rename(account) => ("rename", Some(*account), None, None),
        Order::Merge(account) => ("merge", Some(*account), None, None),
        Order::Close(code) => ("close", None, None, Some(code.clone())),
        Order::Forget(codes) => ("forget", None, None, Some(codes.join(SEPARATOR))),
    };
    let now = nodes::now(backend).await?;
    backend
        .execute(
            "INSERT INTO notice (at, kind, account, credential, code) VALUES ($1, $2, $3, $4, $5)",
            values![now, kind, account, credential, &code],
        )
        .await?;
    Ok(())
}

/// `None` if the kind is unknown.
impl FromRow for Option<Notice> {
    fn from_row(row: &Row) -> Result<Self> {
        let order = match row.get::<String>(1)?.as_str() {
            "ban" => Order::Ban(row.get(2)?),
            "revoke" => Order::Revoke(row.get(2)?, row.get::<Option<Hash>>(3)?.map(Credential)),
            "rename" => Order::Rename(row.get(2)?),
            "merge" => Order::Merge(row.get(2)?),
            "close" => Order::Close(row.get(4)?),
            "forget" => {
                Order::Forget(row.get::<String>(4)?.split(SEPARATOR).map(str::to_owned).collect())
            }
            _ => return Ok(None),
        };
        Ok(Some(Notice { id: row.get(0)?, order }))
    }
}
