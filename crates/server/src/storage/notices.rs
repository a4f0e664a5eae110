//! What the operator asks of running servers, and what servers tell each other for certain.

use skirmish_room::{AccountId, Millis};

use super::secret::Hash;
use super::{Result, Row, Session, Storage, nodes, values};

/// How long a notice is there for servers to read.
const MEMORY: Millis = 10 * 60 * 1000;

/// How long one about a game is there. It stays longer if it has not been carried out.
const GAME_MEMORY: Millis = 10 * 1000;

/// Something that the operator asks of running servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its number.
    pub id: u64,
    /// What is asked.
    pub order: Order,
}

/// What the operator asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// To disconnect an account that was banned.
    Ban(AccountId),
    /// To disconnect the devices of an account, or the one with this credential.
    Revoke(AccountId, Option<Credential>),
    /// To read the names of accounts again.
    Rename(AccountId),
    /// To let a guest who was merged into an account connect again, and to read the account's rooms again.
    Merge(AccountId),
    /// To close a game.
    Close(String),
    /// To forget games that were removed from the database.
    Forget(Vec<String>),
}

/// Separates the codes of several games.
const SEPARATOR: &str = ",";

/// What tells a device of an account from others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Credential(pub(super) Hash);

impl std::fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Credential(…)")
    }
}

impl Order {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Ban(_) => "ban",
            Self::Revoke(..) => "revoke",
            Self::Rename(_) => "rename",
            Self::Merge(_) => "merge",
            Self::Close(_) => "close",
            Self::Forget(_) => "forget",
        }
    }
}

impl Storage {
    /// What the operator asks of running servers.
    pub async fn notices(&self) -> Result<Vec<Notice>> {
        let job = async |session: &Session| {
            let sql = "SELECT id, kind, account, credential, code FROM notice ORDER BY id";
            let notices = session.query(sql, [], notice).await?;
            // A newer version of the program may know others.
            Ok(notices.into_iter().flatten().collect())
        };
        self.read(job).await
    }

    /// Forgets what is old, or has been carried out.
    pub async fn clear_notices(&self) -> Result<()> {
        let job = async |session: &Session| {
            let now = nodes::now(session).await?;
            let sql = "DELETE FROM notice WHERE kind <> 'close' AND at < $1";
            session.execute(sql, values![now.saturating_sub(MEMORY)]).await?;
            let sql = "DELETE FROM notice WHERE kind = 'close' AND at < $1 AND NOT EXISTS
                (SELECT 1 FROM room WHERE room.code = notice.code AND stage <> 'over')";
            session.execute(sql, values![now.saturating_sub(GAME_MEMORY)]).await.map(drop)
        };
        self.write(job).await
    }
}

/// Asks something of running servers.
pub(super) async fn post(session: &Session, order: &Order) -> Result<()> {
    let (account, credential, code) = match order {
        Order::Ban(account) | Order::Rename(account) | Order::Merge(account) => {
            (Some(*account), None, None)
        }
        Order::Revoke(account, credential) => (Some(*account), credential.as_ref(), None),
        Order::Close(code) => (None, None, Some(code.clone())),
        Order::Forget(codes) => (None, None, Some(codes.join(SEPARATOR))),
    };
    let now = nodes::now(session).await?;
    let credential = credential.map(|credential| &credential.0);
    session
        .execute(
            "INSERT INTO notice (at, kind, account, credential, code) VALUES ($1, $2, $3, $4, $5)",
            values![now, order.kind(), account, credential, &code],
        )
        .await?;
    Ok(())
}

fn notice(row: &Row<'_>) -> Result<Option<Notice>> {
    let order = match row.get::<&str>(1)? {
        "ban" => Order::Ban(row.get(2)?),
        "revoke" => Order::Revoke(row.get(2)?, row.get::<Option<Hash>>(3)?.map(Credential)),
        "rename" => Order::Rename(row.get(2)?),
        "merge" => Order::Merge(row.get(2)?),
        "close" => Order::Close(row.get(4)?),
        "forget" => {
            Order::Forget(row.get::<&str>(4)?.split(SEPARATOR).map(str::to_owned).collect())
        }
        _ => return Ok(None),
    };
    Ok(Some(Notice { id: row.get(0)?, order }))
}
