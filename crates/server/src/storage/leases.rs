//! Nodes that share a database, and which of them owns which room.

use skirmish_room::{Acquired, Held, LEASE, Lease, Millis, NodeId, Stopped};

use super::Storage;
use super::error::StorageError;
use super::lost;
use super::rooms;
use super::session::{Session, locking};
use super::value::values;
use super::worker::Worker;

/// For how long a node that owns nothing is remembered.
const MEMORY: Millis = 60 * 60 * 1000;

/// How many rooms that nobody owns are listed at once.
pub(crate) const ORPHANS: u32 = 1000;

/// How many rooms of one node are listed at once.
pub(crate) const OWNED: u32 = 500;

/// A statement with the database's time in its middle.
macro_rules! with_time {
    ($session:expr, $before:literal, $after:literal) => {
        $session.either(
            concat!($before, " CAST(unixepoch('subsec') * 1000 AS INTEGER) ", $after),
            concat!(
                $before,
                " CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT) ",
                $after
            ),
        )
    };
}

impl Storage {
    /// The database's time, by which nodes set their clocks.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn now(&self) -> Result<Millis, StorageError> {
        self.keeper_or(&self.0.reader).run(now).await
    }

    /// What the nodes that share this database call each other by.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn cluster(&self) -> Result<String, StorageError> {
        let job = async move |session: &Session| {
            let id = session.first("SELECT id FROM cluster", [], |row| row.get(0)).await?;
            id.ok_or_else(|| StorageError::Damaged { what: "it has no id".to_owned() })
        };
        self.0.reader.run(job).await
    }

    /// Adds a node of this name.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn join(&self, name: &str) -> Result<NodeId, StorageError> {
        let name = name.to_owned();
        self.0.writer.run(async move |session: &Session| join(session, &name).await).await
    }

    /// Notes that a node is running, which keeps its leases valid, and returns the database's time. A node that has been
    /// forgotten is added again.
    ///
    /// # Errors
    /// [`StorageError::Fenced`] if the node has left.
    pub async fn renew(&self, node: NodeId, name: &str) -> Result<Millis, StorageError> {
        // Locked until it is done: a node that leaves meanwhile must not be added again after that.
        let departed = self.0.departed.lock().await;
        if departed.contains(&node) {
            return Err(StorageError::Fenced);
        }
        let name = name.to_owned();
        let job = async move |session: &Session| renew(session, node, &name).await;
        self.keeper_or(&self.0.writer).run(job).await
    }

    /// Whether a lease is still valid.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn holds(&self, code: &str, lease: Lease) -> Result<bool, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(async move |session: &Session| is_held(session, &code, lease).await).await
    }

    /// The nodes that are running, with their names.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn nodes(&self) -> Result<Vec<(NodeId, String)>, StorageError> {
        self.keeper_or(&self.0.reader).run(nodes).await
    }

    /// Acquires a room for a node: a free one, its own, or one whose node has not been known to run for [`LEASE`]. By
    /// `force`, from a node that is running as well: its appends are refused from then on. None if there is no such room.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn acquire(
        &self,
        code: &str,
        node: NodeId,
        force: bool,
    ) -> Result<Option<Acquired>, StorageError> {
        // Nearly always a living node has it. Then there is nothing to write.
        if !force && let Some(owner) = self.owner(code, node).await? {
            return Ok(Some(Acquired::HeldBy(owner)));
        }
        let code = code.to_owned();
        let job = async move |session: &Session| acquire(session, &code, node, force).await;
        let acquired = self.0.writer.run(job).await?;
        self.0.meter.leased(acquired.as_ref(), force);
        Ok(acquired)
    }

    /// The lease of the other node that would keep a room if this one asked for it.
    async fn owner(&self, code: &str, node: NodeId) -> Result<Option<Lease>, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(async move |session: &Session| owner(session, &code, node).await).await
    }

    /// Gives a room up. If the lease is not valid any more, nothing happens.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn release(&self, code: &str, lease: Lease) -> Result<(), StorageError> {
        let code = code.to_owned();
        self.0.writer.run(async move |session: &Session| release(session, &code, lease).await).await
    }

    /// Gives up all rooms of a node, which leaves.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn release_all(&self, node: NodeId) -> Result<(), StorageError> {
        let mut departed = self.0.departed.lock().await;
        departed.insert(node);
        self.0.writer.run(async move |session: &Session| release_all(session, node).await).await
    }

    /// The next rooms after this number, not over, that no running node owns, oldest first: their numbers and codes. Fewer
    /// than `ORPHANS` if there are no more.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn orphans(&self, after: i64) -> Result<Vec<(i64, String)>, StorageError> {
        let job = async move |session: &Session| orphans(session, after).await;
        self.keeper_or(&self.0.reader).run(job).await
    }

    /// The next rooms after this number, not over, that a node owns: their numbers, codes and epochs. Fewer than
    /// `OWNED` if there are no more.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn owned(
        &self,
        node: NodeId,
        after: i64,
    ) -> Result<Vec<(i64, String, i64)>, StorageError> {
        let job = async move |session: &Session| owned(session, node, after).await;
        self.keeper_or(&self.0.reader).run(job).await
    }

    /// The worker for what nodes do at regular times, or this one if there is none.
    pub(super) fn keeper_or<'a>(&'a self, other: &'a Worker) -> &'a Worker {
        self.0.keeper.as_ref().unwrap_or(other)
    }
}

/// The database's time.
pub(super) async fn now(session: &Session) -> Result<Millis, StorageError> {
    session
        .first(with_time!(session, "SELECT", ""), [], |row| row.get(0))
        .await?
        .ok_or(StorageError::Closed)
}

/// Adds a node. Others that are long dead are forgotten, unless it counts when they died: a game may still be theirs.
pub(super) async fn join(session: &Session, name: &str) -> Result<NodeId, StorageError> {
    let now = now(session).await?;
    session
        .execute(
            "DELETE FROM node WHERE beat < $1
             AND NOT EXISTS (SELECT 1 FROM room JOIN lease ON lease.room = room.id
                             WHERE stage <> 'over' AND lease.node = node.id)",
            values![now.saturating_sub(MEMORY)],
        )
        .await?;
    lost::forget(session, now.saturating_sub(MEMORY)).await?;
    let sql = "INSERT INTO node (name, beat) VALUES ($1, $2) RETURNING id";
    session.add(sql, values![name, now]).await?.ok_or(StorageError::Closed)
}

/// Notes that a node is running, and returns the database's time.
async fn renew(session: &Session, node: NodeId, name: &str) -> Result<Millis, StorageError> {
    let now = now(session).await?;
    let sql = "INSERT INTO node (id, name, beat) VALUES ($1, $2, $3)
               ON CONFLICT (id) DO UPDATE SET beat = excluded.beat";
    session.execute(sql, values![node, name, now]).await?;
    Ok(now)
}

/// The names of the nodes that are running.
pub(super) async fn alive(session: &Session, now: Millis) -> Result<Vec<String>, StorageError> {
    let sql = "SELECT name FROM node WHERE beat > $1 ORDER BY id";
    session.query(sql, values![now.saturating_sub(LEASE)], |row| row.get(0)).await
}

/// The nodes that are running, with their names.
pub(super) async fn nodes(session: &Session) -> Result<Vec<(NodeId, String)>, StorageError> {
    let alive = now(session).await?.saturating_sub(LEASE);
    let sql = "SELECT id, name FROM node WHERE beat > $1 ORDER BY id";
    session.query(sql, values![alive], |row| Ok((row.get(0)?, row.get(1)?))).await
}

/// Leases a new room to the node that creates it.
pub(super) async fn add(session: &Session, room: i64, lease: Lease) -> Result<(), StorageError> {
    let sql = "INSERT INTO lease (room, node, epoch) VALUES ($1, $2, $3)";
    session.execute(sql, values![room, lease.node, lease.epoch]).await?;
    Ok(())
}

/// Whether a lease is still valid.
pub(super) async fn is_held(
    session: &Session,
    code: &str,
    lease: Lease,
) -> Result<bool, StorageError> {
    let found = session.first(
        "SELECT 1 FROM lease JOIN room ON room.id = lease.room
         WHERE code = $1 AND node = $2 AND epoch = $3",
        values![code, lease.node, lease.epoch],
        |_| Ok(()),
    );
    Ok(found.await?.is_some())
}

/// The lease of the other node that keeps a room, as [`skirmish_room::acquire`] decides; none if that takes a transaction.
async fn owner(session: &Session, code: &str, node: NodeId) -> Result<Option<Lease>, StorageError> {
    let sql = with_time!(
        session,
        "SELECT node.id, epoch, beat,",
        "FROM room JOIN lease ON lease.room = room.id JOIN node ON node.id = lease.node
         WHERE code = $1"
    );
    let held = session.first(sql, values![code], |row| {
        let held = Held { node: row.get(0)?, epoch: row.get(1)?, beat: row.get(2)?, stopped: None };
        Ok((held, row.get(3)?))
    });
    Ok(held.await?.and_then(|(held, now)| {
        // What is decided by the version is not needed here.
        match skirmish_room::acquire(Some(held), node, false, 0, now) {
            Acquired::HeldBy(owner) => Some(owner),
            Acquired::Mine { .. } => None,
        }
    }))
}

/// Acquires a room for a node, as [`skirmish_room::acquire`] decides.
pub(super) async fn acquire(
    session: &Session,
    code: &str,
    node: NodeId,
    force: bool,
) -> Result<Option<Acquired>, StorageError> {
    let Some(room) = rooms::find(session, code).await? else { return Ok(None) };
    // Rooms that were created by a server alone have no lease yet.
    let sql =
        "INSERT INTO lease (room, node, epoch) VALUES ($1, NULL, 0) ON CONFLICT (room) DO NOTHING";
    session.execute(sql, values![room]).await?;
    let sql = locking!(
        session,
        "SELECT node, epoch, stopped_until, stopped_v FROM lease WHERE room = $1",
        "FOR UPDATE"
    );
    let held = session.first(sql, values![room], |row| {
        let until: Option<Millis> = row.get(2)?;
        let stopped = until.zip(row.get(3)?).map(|(until, v)| Stopped { until, v });
        Ok(Held { node: row.get(0)?, epoch: row.get(1)?, beat: 0, stopped })
    });
    let Some(mut held) = held.await? else { return Ok(None) };
    let other = held.node.filter(|owner| *owner != node);
    if let Some(owner) = other {
        // A node that has been forgotten has been dead for long.
        held.beat = last_beat(session, owner).await?.unwrap_or(0);
    }
    let sql = "SELECT coalesce(max(seq), 0) FROM event WHERE room = $1";
    let v: u64 = session.first(sql, values![room], |row| row.get(0)).await?.unwrap_or(0);
    let acquired = skirmish_room::acquire(Some(held), node, force, v, now(session).await?);
    if let Acquired::Mine { lease, stopped, .. } = acquired {
        if let Some(owner) = other {
            let sql = "INSERT INTO lost (node, room) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            session.execute(sql, values![owner, room]).await?;
        }
        let sql = "DELETE FROM lost WHERE node = $1 AND room = $2";
        session.execute(sql, values![node, room]).await?;
        let (until, v) = (stopped.map(|stopped| stopped.until), stopped.map(|stopped| stopped.v));
        let sql = "UPDATE lease SET node = $1, epoch = $2, stopped_until = $3, stopped_v = $4
                   WHERE room = $5";
        session.execute(sql, values![lease.node, lease.epoch, until, v, room]).await?;
    }
    Ok(Some(acquired))
}

/// When a node was last known to run; none if it has been forgotten.
async fn last_beat(session: &Session, node: NodeId) -> Result<Option<Millis>, StorageError> {
    let sql = "SELECT beat FROM node WHERE id = $1";
    session.first(sql, values![node], |row| row.get(0)).await
}

/// Gives a room up. If somebody else owns it, nothing happens.
pub(super) async fn release(
    session: &Session,
    code: &str,
    lease: Lease,
) -> Result<(), StorageError> {
    session
        .execute(
            "UPDATE lease SET node = NULL
             WHERE room = (SELECT id FROM room WHERE code = $1) AND node = $2 AND epoch = $3",
            values![code, lease.node, lease.epoch],
        )
        .await?;
    Ok(())
}

/// Gives up all rooms of a node, which stops.
pub(super) async fn release_all(session: &Session, node: NodeId) -> Result<(), StorageError> {
    // A game that could not be paused stands still from now on, or since the database was away.
    let now = now(session).await?;
    let beat = last_beat(session, node).await?.unwrap_or(now);
    let sql = "UPDATE lease SET stopped_until = $1, stopped_v = v
        FROM (SELECT room.id AS room, max(seq) AS v
            FROM lease JOIN room ON room.id = lease.room JOIN event ON event.room = room.id
            WHERE node = $2 AND stage = 'playing' GROUP BY room.id) AS playing
        WHERE lease.room = playing.room AND stopped_v IS DISTINCT FROM v";
    session.execute(sql, values![skirmish_room::released(beat, now), node]).await?;
    // A node keeps the leases of all games that have ended on it. They are free without its row.
    let sql = "UPDATE lease SET node = NULL
               WHERE node = $1 AND room IN (SELECT id FROM room WHERE stage <> 'over')";
    session.execute(sql, values![node]).await?;
    session.execute("DELETE FROM lost WHERE node = $1", values![node]).await?;
    session.execute("DELETE FROM node WHERE id = $1", values![node]).await?;
    Ok(())
}

/// The next rooms, not over, that no running node owns, oldest first: their numbers and codes.
async fn orphans(session: &Session, after: i64) -> Result<Vec<(i64, String)>, StorageError> {
    let alive = now(session).await?.saturating_sub(LEASE);
    session
        .query(
            "SELECT room.id, code FROM room LEFT JOIN lease ON lease.room = room.id
             WHERE stage <> 'over' AND room.id > $1 AND NOT EXISTS
                (SELECT 1 FROM node WHERE node.id = lease.node AND beat > $2)
             ORDER BY room.id LIMIT $3",
            values![after, alive, ORPHANS],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await
}

/// The next rooms, not over, that a node owns: their numbers, codes and epochs. The order is that of an index of the rooms
/// that are not over: a node keeps the leases of all others too.
async fn owned(
    session: &Session,
    node: NodeId,
    after: i64,
) -> Result<Vec<(i64, String, i64)>, StorageError> {
    session
        .query(
            "SELECT room.id, code, epoch FROM room JOIN lease ON lease.room = room.id
             WHERE stage <> 'over' AND room.id > $1 AND node = $2 ORDER BY room.id LIMIT $3",
            values![after, node, OWNED],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .await
}
