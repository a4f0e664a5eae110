//! Queries on the list of rooms.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use skirmish_room::{AccountId, Millis, Origin};

use super::value::Value;
use super::{Backend, Result, Storage, StorageError, accounts, from_row, log, nodes, values};

/// Maximum number of rooms returned at once.
const LISTED: u32 = 200;

/// The stage of a room, as stored in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomStage {
    /// Waiting for the second player.
    Open,
    /// A game is being played.
    Playing,
    /// Finished or closed.
    Over,
}

/// A summary of a room's games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomGames {
    /// The room's stage.
    pub stage: RoomStage,
    /// Whether anybody may watch the games.
    pub watchable: bool,
    /// Number of finished games whose results are stored.
    pub finished: u32,
}

from_row!(RoomGames { stage, watchable, finished });

impl RoomStage {
    const ALL: [(Self, &str); 3] =
        [(Self::Open, "open"), (Self::Playing, "playing"), (Self::Over, "over")];
}

impl From<RoomStage> for Value {
    fn from(stage: RoomStage) -> Self {
        RoomStage::ALL[stage as usize].1.into()
    }
}

impl FromSql for RoomStage {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let found = Self::ALL.into_iter().find(|(_, word)| *word == text);
        found.map(|(stage, _)| stage).ok_or(FromSqlError::InvalidType)
    }
}

impl Storage {
    /// Whether a room with this code exists.
    pub async fn exists(&self, code: &str) -> Result<bool> {
        Ok(self.stage(code).await?.is_some())
    }

    /// Returns a summary of a room's games without reading its log; `None` if there is no such room.
    pub async fn games(&self, code: &str) -> Result<Option<RoomGames>> {
        let sql = "SELECT stage, watchable, finished FROM room WHERE code = $1";
        self.0.reader.first(sql, values![code]).await
    }

    /// Returns the stage of a room; `None` if there is no such room.
    pub async fn stage(&self, code: &str) -> Result<Option<RoomStage>> {
        Ok(self.games(code).await?.map(|games| games.stage))
    }

    /// Returns the account of a room's creator; `None` if there is no such room.
    pub async fn creator(&self, code: &str) -> Result<Option<AccountId>> {
        let sql = "SELECT account_1 FROM room WHERE code = $1";
        Ok(self.0.reader.first::<Option<_>>(sql, values![code]).await?.flatten())
    }

    /// Returns the account that this one was merged into, or the account itself, if it has a seat in the room.
    pub async fn seated(&self, code: &str, account: AccountId) -> Result<Option<AccountId>> {
        let sql = "SELECT now.id
            FROM (SELECT coalesce(merged_into, id) AS id FROM account WHERE id = $1) AS now
                JOIN room ON now.id = room.account_1 OR now.id = room.account_2
            WHERE code = $2";
        self.0.reader.first(sql, values![account, code]).await
    }

    /// Returns the numbers and codes of the next unfinished rooms after the room with this number, in order, a limited number
    /// at a time.
    pub async fn unfinished_after(&self, id: i64) -> Result<Vec<(i64, String)>> {
        let sql =
            "SELECT id, code FROM room WHERE stage <> 'over' AND id > $1 ORDER BY id LIMIT $2";
        self.heartbeats_or(&self.0.reader).query(sql, values![id, LISTED]).await
    }

    /// Stores when a room must act on its own, if ever.
    pub async fn note_due(&self, code: &str, due: Option<Millis>) -> Result<()> {
        let sql = "UPDATE room SET due = $1 WHERE code = $2 AND due IS DISTINCT FROM $1";
        self.0.writer.execute(sql, values![due, code]).await.map(drop)
    }

    /// Returns a limited number of unfinished rooms that must act now, earliest first.
    pub async fn due(&self, now: Millis) -> Result<Vec<String>> {
        let sql = "SELECT code FROM room WHERE stage <> 'over' AND due <= $1 ORDER BY due LIMIT $2";
        self.heartbeats_or(&self.0.reader).query(sql, values![now, LISTED]).await
    }

    /// Returns the unfinished rooms of this account, oldest first.
    pub async fn rooms_of(&self, account: AccountId) -> Result<Vec<String>> {
        let job = async move |backend: &Backend| {
            of(backend, accounts::current(backend, account).await?).await
        };
        self.read(job).await
    }

    /// Returns the unfinished room that this message created or, if `seeking`, found.
    pub async fn led_to(&self, origin: &Origin, seeking: bool) -> Result<Option<String>> {
        let (account, message) = (origin.account, log::json(&origin.id)?);
        let job = async move |backend: &Backend| {
            let account = accounts::current(backend, account).await?;
            Ok(room_of_message(backend, account, &message, seeking).await?.0)
        };
        self.read(job).await
    }
}

/// Returns the number of a room.
pub(super) async fn find(backend: &Backend, code: &str) -> Result<Option<i64>> {
    backend.first("SELECT id FROM room WHERE code = $1", values![code]).await
}

/// Writes and deletes a row, which fails if the disk is full or the database is read-only.
pub(super) async fn probe(backend: &Backend) -> Result<()> {
    if matches!(backend, Backend::Postgres(_)) {
        // A statement would only report that it cannot write at the moment, as when a standby has just taken over.
        let sql = "SELECT current_setting('transaction_read_only')::boolean";
        if backend.first(sql, vec![]).await? == Some(true) {
            return Err(StorageError::ReadOnly);
        }
    }
    // Larger than a database page. No account has the number 0.
    let text = " ".repeat(8192);
    let add = "INSERT INTO ban (account, at, reason) VALUES (0, 0, $1)";
    backend.execute(add, values![&text]).await?;
    backend.execute("DELETE FROM ban WHERE account = 0", vec![]).await?;
    Ok(())
}

/// Returns the time of the newest event in an unfinished room, or of the last heartbeat, on `SQLite`; 0 if there is none.
pub(super) async fn newest(backend: &Backend) -> Result<Millis> {
    let newest = backend.first::<Option<Millis>>(
        "SELECT max(CASE WHEN json_valid(body) THEN body ->> 'at' END)
         FROM room JOIN event ON event.room = room.id
            AND event.seq = (SELECT max(seq) FROM event WHERE event.room = room.id)
         WHERE stage <> 'over'",
        vec![],
    );
    Ok(newest.await?.flatten().unwrap_or(0).max(nodes::last_beat(backend).await?))
}

/// The unfinished rooms of account `$1`. Each half uses its own index, so that the ever-growing number of finished games
/// costs nothing.
macro_rules! unfinished {
    () => {
        "SELECT id, code FROM room WHERE account_1 = $1 AND stage <> 'over'
         UNION ALL
         SELECT id, code FROM room
         WHERE account_2 = $1 AND account_1 IS DISTINCT FROM $1 AND stage <> 'over'"
    };
}

/// Returns the unfinished room that an account's message created or, if `seeking`, joined as the second player. Also returns
/// the number of the account's unfinished rooms. The account was not merged into another.
pub(super) async fn room_of_message(
    backend: &Backend,
    account: AccountId,
    message: &str,
    seeking: bool,
) -> Result<(Option<String>, usize)> {
    // An account has few such rooms. The second player joins in the second event at the earliest, and only a message's first
    // event has its id. PostgreSQL cannot start from the subquery here; a join planned while the database was still empty
    // would have looked up the message in all rooms first.
    let rooms = backend.query(
        concat!(
            "WITH own AS (",
            unfinished!(),
            ") SELECT code,
                 (SELECT account FROM event WHERE room = own.id AND seq = 1 AND message = $2),
                 (SELECT account FROM event WHERE room = own.id AND seq = 2 AND message = $2)
               FROM own ORDER BY id"
        ),
        values![account, message],
    );
    let rooms: Vec<(String, Option<AccountId>, Option<AccountId>)> = rooms.await?;
    let count = rooms.len();
    for (code, creator, joiner) in rooms {
        for sender in creator.into_iter().chain(joiner.filter(|_| seeking)) {
            if accounts::current(backend, sender).await? == account {
                return Ok((Some(code), count));
            }
        }
    }
    Ok((None, count))
}

/// Returns the unfinished rooms of an account that was not merged into another.
pub(super) async fn of(backend: &Backend, account: AccountId) -> Result<Vec<String>> {
    let sql = concat!(unfinished!(), " ORDER BY id");
    let rooms: Vec<(i64, String)> = backend.query(sql, values![account]).await?;
    Ok(rooms.into_iter().map(|(_, code)| code).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Storage;

    #[test]
    fn games_that_are_over_are_not_looked_at() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Storage::open(folder.path()).expect("the database opens"));
        let database = rusqlite::Connection::open(folder.path().join("skirmish.db"));
        let database = database.expect("a database");
        let sql = concat!("EXPLAIN QUERY PLAN ", unfinished!(), " ORDER BY id");
        let mut statement = database.prepare(sql).expect("valid SQL");
        let steps = statement.query_map([1], |row| row.get::<_, String>(3)).expect("a plan");
        let plan = steps.map(|step| step.expect("a step")).collect::<Vec<_>>().join("\n");
        for index in ["room_unfinished_1", "room_unfinished_2"] {
            assert!(plan.contains(&format!("USING INDEX {index} ")), "{plan}");
        }
        assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}
