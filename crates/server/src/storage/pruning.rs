//! Removes games that guests have abandoned.

use skirmish_room::{Logged, Millis, RoomEvent};

use super::{Backend, Order, Result, Storage, notices, values};

/// Maximum number of rooms examined in one transaction, so that no move waits long.
const BATCH: u32 = 50;

/// The number of rooms and events removed, or that would be removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Number of rooms.
    pub rooms: u64,
    /// Number of events in the rooms.
    pub events: u64,
}

impl Storage {
    /// Removes rooms that guests have abandoned: no game in them was ever finished, no registered account has a seat, and the
    /// last action was before `since`. With `dry`, only counts them. After an error, some rooms may have been removed.
    pub async fn prune(&self, since: Millis, dry: bool) -> Result<Pruned> {
        let mut pruned = Pruned::default();
        let mut after = 0;
        loop {
            let job = async move |backend: &Backend| prune_batch(backend, after, since, dry).await;
            let worker = if dry { &self.0.reader } else { &self.0.writer };
            let Some((last, batch)) = worker.run(job).await? else { return Ok(pruned) };
            after = last;
            pruned.rooms += batch.rooms;
            pruned.events += batch.events;
        }
    }
}

/// Examines the next rooms. Returns the number of the last one, and what was removed; `None` if there are no more.
async fn prune_batch(
    backend: &Backend,
    after: i64,
    since: Millis,
    dry: bool,
) -> Result<Option<(i64, Pruned)>> {
    let candidates = backend.query::<(i64, String)>(
        "SELECT id, code FROM room WHERE id > $1 AND stage <> 'over' AND finished = 0 AND NOT EXISTS
            (SELECT 1 FROM account WHERE folded IS NOT NULL
                AND (account.id = room.account_1 OR account.id = room.account_2))
         ORDER BY id LIMIT $2",
        values![after, BATCH]);
    let candidates = candidates.await?;
    let Some(last) = candidates.last().map(|(room, _)| *room) else { return Ok(None) };
    let mut rooms = Vec::new();
    for (room, code) in candidates {
        if let Some(events) = abandoned(backend, room, since).await? {
            rooms.push((room, code, events));
        }
    }
    if !dry && !rooms.is_empty() {
        rooms = remove(backend, rooms).await?;
    }
    let events = rooms.iter().map(|(_, _, events)| events).sum();
    Ok(Some((last, Pruned { rooms: rooms.len() as u64, events })))
}

/// Removes rooms whose logs still have the given numbers of events, and returns them. Skips rooms that another transaction is
/// changing.
///
/// An append must not slip in. Its statement sees the room and the previous event in a snapshot from when it began, and READ
/// COMMITTED does not check them again before the insert, which no foreign key protects. Locking the room in every append
/// would prevent that, but costs a write each time. Instead, this locks the table of events, which waits for the commit of
/// all appends in progress. A later append takes its snapshot after getting its own lock on the table, and no longer finds
/// the room. Appends wait only for the deletion itself, since the rooms were chosen before.
async fn remove(
    backend: &Backend,
    rooms: Vec<(i64, String, u64)>,
) -> Result<Vec<(i64, String, u64)>> {
    if let Backend::Postgres(client) = backend {
        client.batch("LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE").await?;
    }
    let mut removed = Vec::new();
    for (room, code, events) in rooms {
        let sql = backend.locking(
            "SELECT 1 FROM room
             WHERE id = $1 AND (SELECT max(seq) FROM event WHERE event.room = room.id) = $2",
            "FOR UPDATE OF room SKIP LOCKED",
        );
        if backend.first::<i64>(&sql, values![room, events]).await?.is_some() {
            backend.execute("DELETE FROM event WHERE room = $1", values![room]).await?;
            backend.execute("DELETE FROM room WHERE id = $1", values![room]).await?;
            removed.push((room, code, events));
        }
    }
    if !removed.is_empty() {
        let codes = removed.iter().map(|(_, code, _)| code.clone()).collect();
        notices::post(backend, &Order::Forget(codes)).await?;
    }
    Ok(removed)
}

/// Returns the number of a room's events, if nobody has acted in the room since the given time. Pauses and resumptions by the
/// server do not count as actions. A room whose log cannot be read counts as in use.
async fn abandoned(backend: &Backend, room: i64, since: Millis) -> Result<Option<u64>> {
    let sql = "SELECT body FROM event WHERE room = $1 ORDER BY seq";
    let events: Vec<String> = backend.query(sql, values![room]).await?;
    let events = events.iter().map(|event| Logged::from_json(event));
    let Ok(events) = events.collect::<Result<Vec<_>, _>>() else { return Ok(None) };
    let is_deed =
        |logged: &&Logged| !matches!(logged.event, RoomEvent::Paused | RoomEvent::Resumed);
    let last = events.iter().rev().find(is_deed).map(|logged| logged.at);
    Ok(last.is_some_and(|last| last < since).then_some(events.len() as u64))
}
