//! Nodes that share a database, and which of them owns which room.

use skirmish_room::{Acquired, Held, LEASE, Lease, Millis, NodeId, Stopped};

use super::Storage;
use super::error::StorageError;
use super::session::{Session, locking};
use super::value::values;

/// For how long a node that owns nothing is remembered.
const MEMORY: Millis = 60 * 60 * 1000;

/// How many rooms that nobody owns are listed at once.
const ORPHANS: u32 = 1000;

impl Storage {
    /// The database's time, by which nodes set their clocks.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn now(&self) -> Result<Millis, StorageError> {
        self.0.reader.run(now).await
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

    /// Notes that a node is running, which keeps its leases valid, and returns the database's time.
    ///
    /// # Errors
    /// [`StorageError::Fenced`] if the node has left, or has been forgotten.
    pub async fn renew(&self, node: NodeId) -> Result<Millis, StorageError> {
        self.0.writer.run(async move |session: &Session| renew(session, node).await).await
    }

    /// Whether a lease is still valid.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn holds(&self, code: &str, lease: Lease) -> Result<bool, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(async move |session: &Session| is_held(session, &code, lease).await).await
    }

    /// The rooms that others have taken from a node since this was last asked.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn lost(&self, node: NodeId) -> Result<Vec<String>, StorageError> {
        self.0.writer.run(async move |session: &Session| lost(session, node).await).await
    }

    /// The nodes that are running, with their names.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn nodes(&self) -> Result<Vec<(NodeId, String)>, StorageError> {
        self.0.reader.run(nodes).await
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
        let code = code.to_owned();
        let job = async move |session: &Session| acquire(session, &code, node, force).await;
        let acquired = self.0.writer.run(job).await?;
        self.0.meter.leased(acquired.as_ref(), force);
        Ok(acquired)
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
        self.0.writer.run(async move |session: &Session| release_all(session, node).await).await
    }

    /// Rooms, not over, that no running node owns, oldest first; a thousand at most.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn orphans(&self) -> Result<Vec<String>, StorageError> {
        self.0.reader.run(orphans).await
    }
}

/// The database's time.
pub(super) async fn now(session: &Session) -> Result<Millis, StorageError> {
    let sql = session.either(
        "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)",
    );
    session.first(sql, [], |row| row.get(0)).await?.ok_or(StorageError::Closed)
}

/// Adds a node.
pub(super) async fn join(session: &Session, name: &str) -> Result<NodeId, StorageError> {
    let now = now(session).await?;
    session
        .execute(
            "DELETE FROM node WHERE beat < $1
             AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.node = node.id)",
            values![now.saturating_sub(MEMORY)],
        )
        .await?;
    let add = session.first(
        "INSERT INTO node (name, beat) VALUES ($1, $2) RETURNING id",
        values![name, now],
        |row| row.get(0),
    );
    add.await?.ok_or(StorageError::Closed)
}

/// Notes that a node is running, and returns the database's time.
pub(super) async fn renew(session: &Session, node: NodeId) -> Result<Millis, StorageError> {
    let now = now(session).await?;
    let sql = "UPDATE node SET beat = $1 WHERE id = $2";
    if session.execute(sql, values![now, node]).await? == 0 {
        return Err(StorageError::Fenced);
    }
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

/// Acquires a room for a node, as [`skirmish_room::acquire`] decides.
pub(super) async fn acquire(
    session: &Session,
    code: &str,
    node: NodeId,
    force: bool,
) -> Result<Option<Acquired>, StorageError> {
    let sql = "SELECT id FROM room WHERE code = $1";
    let Some(room) = session.first(sql, values![code], |row| row.get::<i64>(0)).await? else {
        return Ok(None);
    };
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

/// The rooms that others have taken from a node since this was last asked.
async fn lost(session: &Session, node: NodeId) -> Result<Vec<String>, StorageError> {
    let sql = "DELETE FROM lost WHERE node = $1 RETURNING room";
    let rooms = session.query(sql, values![node], |row| row.get::<i64>(0)).await?;
    let mut codes = Vec::with_capacity(rooms.len());
    for room in rooms {
        let sql = "SELECT code FROM room WHERE id = $1";
        codes.extend(session.first(sql, values![room], |row| row.get::<String>(0)).await?);
    }
    Ok(codes)
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
    session.execute("UPDATE lease SET node = NULL WHERE node = $1", values![node]).await?;
    session.execute("DELETE FROM lost WHERE node = $1", values![node]).await?;
    session.execute("DELETE FROM node WHERE id = $1", values![node]).await?;
    Ok(())
}

/// Rooms, not over, that no running node owns, oldest first.
pub(super) async fn orphans(session: &Session) -> Result<Vec<String>, StorageError> {
    let alive = now(session).await?.saturating_sub(LEASE);
    session
        .query(
            "SELECT code FROM room LEFT JOIN lease ON lease.room = room.id
             WHERE stage <> 'over' AND NOT EXISTS
                (SELECT 1 FROM node WHERE node.id = lease.node AND beat > $1)
             ORDER BY room.id LIMIT $2",
            values![alive, ORPHANS],
            |row| row.get(0),
        )
        .await
}
