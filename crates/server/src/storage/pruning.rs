//! Removing games that guests have abandoned.

use skirmish_room::{Logged, Millis, RoomEvent};

use super::Storage;
use super::error::StorageError;
use super::notices::{self, Order};
use super::session::Session;
use super::value::values;

/// How many rooms are looked at in one transaction, so that no move waits long.
const BATCH: u32 = 50;

/// What was removed, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Rooms.
    pub rooms: u64,
    /// Their events.
    pub events: u64,
}

impl Storage {
    /// Removes the rooms that guests have abandoned: no game in them was ever finished, no registered account has a seat,
    /// and the last thing that somebody did was before `since`. With `dry`, they are only counted.
    ///
    /// # Errors
    /// If the database fails. Some may have been removed then.
    pub async fn prune(&self, since: Millis, dry: bool) -> Result<Pruned, StorageError> {
        let mut pruned = Pruned::default();
        let mut after = 0;
        loop {
            let job = async move |session: &Session| prune(session, after, since, dry).await;
            let worker = if dry { &self.0.reader } else { &self.0.writer };
            let Some((last, batch)) = worker.run(job).await? else { return Ok(pruned) };
            after = last;
            pruned.rooms += batch.rooms;
            pruned.events += batch.events;
        }
    }
}

/// Looks at the next rooms. Returns the last one of them, and what was removed; none if there are no more.
async fn prune(
    session: &Session,
    after: i64,
    since: Millis,
    dry: bool,
) -> Result<Option<(i64, Pruned)>, StorageError> {
    let candidates = session.query(
        "SELECT id, code FROM room WHERE id > $1 AND stage <> 'over' AND finished = 0 AND NOT EXISTS
            (SELECT 1 FROM account WHERE folded IS NOT NULL
                AND (account.id = room.account_1 OR account.id = room.account_2))
         ORDER BY id LIMIT $2",
        values![after, BATCH],
        |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)),
    );
    let candidates = candidates.await?;
    let Some(last) = candidates.last().map(|(room, _)| *room) else { return Ok(None) };
    let mut pruned = Pruned::default();
    let mut codes = Vec::new();
    for (room, code) in candidates {
        if !dry && !lock(session, room).await? {
            continue;
        }
        let Some(events) = abandoned(session, room, since).await? else { continue };
        if !dry {
            for sql in [
                "DELETE FROM event WHERE room = $1",
                "DELETE FROM lease WHERE room = $1",
                "DELETE FROM room WHERE id = $1",
            ] {
                session.execute(sql, values![room]).await?;
            }
            codes.push(code);
        }
        pruned.rooms += 1;
        pruned.events += events;
    }
    if !codes.is_empty() {
        notices::post(session, &Order::Forget(codes)).await?;
    }
    Ok(Some((last, pruned)))
}

/// Locks a room until the end of the transaction, so that nobody appends to it or acquires it meanwhile. False if somebody
/// does so now: then it is not abandoned. On `SQLite` nobody else writes.
async fn lock(session: &Session, room: i64) -> Result<bool, StorageError> {
    if matches!(session, Session::Sqlite(_)) {
        return Ok(true);
    }
    // Rooms that were created by a server alone have no lease yet.
    let sql =
        "INSERT INTO lease (room, node, epoch) VALUES ($1, NULL, 0) ON CONFLICT (room) DO NOTHING";
    session.execute(sql, values![room]).await?;
    let sql = "SELECT room FROM lease WHERE room = $1 FOR UPDATE SKIP LOCKED";
    Ok(session.first(sql, values![room], |_| Ok(())).await?.is_some())
}

/// How many events a room has, if nobody has done anything in it since then. That the server stopped and went on is not
/// somebody's doing, and a log that cannot be read stays.
async fn abandoned(
    session: &Session,
    room: i64,
    since: Millis,
) -> Result<Option<u64>, StorageError> {
    let events = session.query(
        "SELECT body FROM event WHERE room = $1 ORDER BY seq",
        values![room],
        |row| Ok(serde_json::from_str::<Logged>(row.get(0)?).ok()),
    );
    let Some(events) = events.await?.into_iter().collect::<Option<Vec<Logged>>>() else {
        return Ok(None);
    };
    let is_deed =
        |logged: &&Logged| !matches!(logged.event, RoomEvent::Paused | RoomEvent::Resumed);
    let last = events.iter().rev().find(is_deed).map(|logged| logged.at);
    Ok(last.is_some_and(|last| last < since).then_some(events.len() as u64))
}
