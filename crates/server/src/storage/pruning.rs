//! Removing games that guests have abandoned.

use skirmish_room::{Logged, Millis, RoomEvent};

use super::{Order, Result, Session, Storage, locking, notices, values};

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
    /// and the last thing that somebody did was before `since`. With `dry`, they are only counted. If this fails, some may
    /// have been removed.
    pub async fn prune(&self, since: Millis, dry: bool) -> Result<Pruned> {
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
) -> Result<Option<(i64, Pruned)>> {
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
    let mut rooms = Vec::new();
    for (room, code) in candidates {
        if let Some(events) = abandoned(session, room, since).await? {
            rooms.push((room, code, events));
        }
    }
    if !dry && !rooms.is_empty() {
        rooms = remove(session, rooms).await?;
    }
    let events = rooms.iter().map(|(_, _, events)| events).sum();
    Ok(Some((last, Pruned { rooms: rooms.len() as u64, events })))
}

/// Removes rooms whose logs still have so many events, and returns them. Those that somebody else changes now stay.
///
/// An append must not slip in: its statement reads the room and the previous event as they were when it began, and READ
/// COMMITTED does not make it look again before it inserts the next one, which no foreign key protects. Locking the room in
/// every append would prevent that, but costs a write each time. Instead the table of events is locked here. That waits for
/// the commit of all appends that have begun, and one that begins later takes its snapshot after it has got its own lock on
/// the table: it does not find the room any more. Appends wait only while rooms are removed, since which rooms those are is
/// known before.
async fn remove(
    session: &Session,
    rooms: Vec<(i64, String, u64)>,
) -> Result<Vec<(i64, String, u64)>> {
    if let Session::Postgres(client) = session {
        client.batch("LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE").await?;
    }
    let mut removed = Vec::new();
    for (room, code, events) in rooms {
        let sql = locking!(
            session,
            "SELECT 1 FROM room
             WHERE id = $1 AND (SELECT max(seq) FROM event WHERE event.room = room.id) = $2",
            "FOR UPDATE OF room SKIP LOCKED"
        );
        if session.first(sql, values![room, events], |_| Ok(())).await?.is_some() {
            session.execute("DELETE FROM event WHERE room = $1", values![room]).await?;
            session.execute("DELETE FROM room WHERE id = $1", values![room]).await?;
            removed.push((room, code, events));
        }
    }
    if !removed.is_empty() {
        let codes = removed.iter().map(|(_, code, _)| code.clone()).collect();
        notices::post(session, &Order::Forget(codes)).await?;
    }
    Ok(removed)
}

/// How many events a room has, if nobody has done anything in it since then. That the server stopped and went on is not
/// somebody's doing, and a log that cannot be read stays.
async fn abandoned(session: &Session, room: i64, since: Millis) -> Result<Option<u64>> {
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
