//! Nodes that share a database: their heartbeats, and outages, during which no node wrote any.
//!
//! An append carries a [`Guard`] and is refused unless the node's heartbeat is fresh and the node knows the newest outage. An
//! outage is stored only while all heartbeats are locked. Hence every event was either written before the outage ended, or by
//! a node that knew of it.

use futures_util::future::try_join;
pub use skirmish_room::{Alive, Beat, GAP};
use skirmish_room::{Millis, NodeId, Outage};

use super::value::Value;
use super::{Backend, Result, Storage, StorageError, Worker, from_row, values};

/// Maximum age of the heartbeats of nodes listed by [`Storage::beat`].
const LISTED: Millis = 60 * 1000;

/// How long a dead node stays in the database.
const MEMORY: Millis = 60 * 60 * 1000;

/// The advisory lock held while nodes join and outages are stored.
const LOCK: i64 = 0x6f75_7461_6765;

/// The state of the appending node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The node's number.
    pub node: NodeId,
    /// The newest outage known to the node; 0 for none.
    pub outage: u64,
    /// The server's time, for `SQLite`. `PostgreSQL` uses its own clock.
    pub now: Millis,
}

impl Guard {
    /// Returns the condition under which the node may append, as SQL with these parameters, and their values: its heartbeat
    /// is fresh, and it knows the newest outage.
    pub(super) fn condition(
        &self,
        backend: &Backend,
        [node, limit, outage]: [&str; 3],
    ) -> (String, [Value; 3]) {
        let (fresh, time) = match backend {
            Backend::Sqlite(_) => (limit.to_owned(), self.now.saturating_sub(GAP)),
            Backend::Postgres(_) => (format!("{} - {limit}", backend.clock()), GAP),
        };
        let sql = format!(
            "EXISTS (SELECT 1 FROM node WHERE node.id = {node} AND NOT departed AND beat > {fresh}
                AND (SELECT coalesce(max(outage.id), 0) FROM outage) = {outage})"
        );
        (sql, [self.node.into(), time.into(), self.outage.into()])
    }

    /// Whether the node may append now.
    pub(super) async fn holds(&self, backend: &Backend) -> Result<bool> {
        let (condition, values) = self.condition(backend, ["$1", "$2", "$3"]);
        let sql = format!("SELECT {condition}");
        Ok(backend.first(&sql, values.into()).await?.unwrap_or(false))
    }
}

impl Storage {
    /// Returns the database's time, to which nodes set their clocks.
    pub async fn now(&self) -> Result<Millis> {
        self.heartbeats_or(&self.0.reader).run(now).await
    }

    /// Returns the id shared by all nodes of this database.
    pub async fn cluster(&self) -> Result<String> {
        let id = self.0.reader.first("SELECT id FROM cluster", vec![]).await?;
        id.ok_or_else(|| StorageError::Damaged("it has no id".to_owned()))
    }

    /// Adds a node with this name and a fresh heartbeat. If no other node is alive but one was, this stores an outage from
    /// the last heartbeat until now, however short.
    pub async fn join(&self, name: &str, now: Millis) -> Result<NodeId> {
        let name = name.to_owned();
        let job = async move |backend: &Backend| {
            let times = lock_heartbeats(backend, now).await?;
            if let Some(last) = times.last
                && times.living.is_none_or(|living| living.saturating_add(GAP) <= times.now)
            {
                store_outage(backend, last, times.now).await?;
            }
            let sql = "INSERT INTO node (name, beat) VALUES ($1, $2) RETURNING id";
            let id = backend.first(sql, values![&name, times.now]).await?;
            // The new node's own heartbeat is now the latest.
            let sql = "DELETE FROM node WHERE beat < $1";
            backend.execute(sql, values![times.now.saturating_sub(MEMORY)]).await?;
            id.ok_or(StorageError::Closed)
        };
        self.write(job).await
    }

    /// Writes a node's heartbeat. The first one after a gap without heartbeats from any node stores an outage. A node that
    /// was forgotten is added again.
    ///
    /// # Errors
    /// [`StorageError::Stale`] if the node has left.
    pub async fn beat(&self, node: NodeId, name: &str, now: Millis) -> Result<Beat> {
        let name = name.to_owned();
        let job = async move |backend: &Backend| {
            let sql = format!("SELECT {}, beat, departed FROM node WHERE id = $1", backend.clock());
            let own: Option<(Millis, Millis, bool)> = backend.first(&sql, values![node]).await?;
            if own.is_some_and(|(_, _, departed)| departed) {
                return Err(StorageError::Stale);
            }
            let before = own.map_or(0, |(_, before, _)| before);
            let mut now = match (backend, own) {
                (Backend::Postgres(_), Some((now, ..))) => now,
                _ => now,
            };
            let sql = "UPDATE node SET beat = $1
                       WHERE id = $2 AND NOT departed AND (SELECT max(beat) FROM node) > $3";
            if backend.execute(sql, values![now, node, now.saturating_sub(GAP)]).await? == 0 {
                now = beat_after_gap(backend, node, &name, now).await?;
            }
            let sql = "SELECT id, began, ended FROM outage ORDER BY id DESC LIMIT 1";
            let outage = backend.first::<Outage>(sql, vec![]);
            let (outage, nodes) =
                try_join(outage, alive(backend, now.saturating_sub(LISTED))).await?;
            Ok(Beat { now, outage: outage.unwrap_or_default(), before, nodes })
        };
        self.heartbeats_or(&self.0.writer).run(job).await
    }

    /// Returns recent outages before the one with this number, oldest first. Games are settled long before the limit omits an
    /// outage.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn outages_before(&self, id: u64) -> Result<Vec<Outage>> {
        let sql = "SELECT id, began, ended FROM outage WHERE id < $1 ORDER BY id DESC LIMIT 100";
        let mut outages = self.heartbeats_or(&self.0.reader).query(sql, values![id]).await?;
        outages.reverse();
        Ok(outages)
    }

    /// Marks a node as departed. Its last heartbeat stays stored.
    pub async fn leave(&self, node: NodeId) -> Result<()> {
        let sql = "UPDATE node SET departed = TRUE WHERE id = $1";
        self.heartbeats_or(&self.0.writer).execute(sql, values![node]).await.map(drop)
    }

    /// Returns the numbers and names of the running nodes.
    pub async fn nodes(&self) -> Result<Vec<(NodeId, String)>> {
        let job = async |backend: &Backend| {
            let nodes = alive(backend, now(backend).await?.saturating_sub(GAP)).await?;
            Ok(nodes.into_iter().map(|node| (node.id, node.name)).collect())
        };
        self.heartbeats_or(&self.0.reader).run(job).await
    }

    /// Returns the worker for the nodes' periodic jobs, or `other` if there is none.
    pub(super) fn heartbeats_or<'a>(&'a self, other: &'a Worker) -> &'a Worker {
        self.0.heartbeats.as_ref().unwrap_or(other)
    }
}

/// Returns the database's time.
pub(super) async fn now(backend: &Backend) -> Result<Millis> {
    let sql = format!("SELECT {}", backend.clock());
    backend.first(&sql, vec![]).await?.ok_or(StorageError::Closed)
}

/// Returns the nodes that have not departed and whose heartbeats are later than this.
pub(super) async fn alive(backend: &Backend, after: Millis) -> Result<Vec<Alive>> {
    let sql = "SELECT id, name, beat FROM node WHERE beat > $1 AND NOT departed ORDER BY id";
    backend.query(sql, values![after]).await
}

/// Returns the time of the last heartbeat of any node; 0 if there is none.
pub(super) async fn last_beat(backend: &Backend) -> Result<Millis> {
    let sql = "SELECT coalesce(max(beat), 0) FROM node";
    Ok(backend.first(sql, vec![]).await?.unwrap_or(0))
}

/// Writes a heartbeat that requires a lock because the node was forgotten, or no node has written one for too long. Returns
/// the time.
async fn beat_after_gap(
    backend: &Backend,
    node: NodeId,
    name: &str,
    now: Millis,
) -> Result<Millis> {
    let Heartbeats { now, last, .. } = lock_heartbeats(backend, now).await?;
    let sql = "INSERT INTO node (id, name, beat) VALUES ($1, $2, $3)
               ON CONFLICT (id) DO UPDATE SET beat = excluded.beat WHERE NOT node.departed";
    if backend.execute(sql, values![node, name, now]).await? == 0 {
        return Err(StorageError::Stale);
    }
    // Another node may have stored the outage first.
    if let Some(last) = last
        && last.saturating_add(GAP) <= now
    {
        store_outage(backend, last, now).await?;
    }
    Ok(now)
}

/// A summary of all heartbeats.
struct Heartbeats {
    now: Millis,
    /// The last heartbeat of any node.
    last: Option<Millis>,
    /// The last heartbeat of a node that may still be alive.
    living: Option<Millis>,
}

/// Locks all heartbeats until the commit: waits for those being written, and blocks others.
async fn lock_heartbeats(backend: &Backend, now: Millis) -> Result<Heartbeats> {
    if let Backend::Postgres(client) = backend {
        client.query("SELECT pg_advisory_xact_lock($1)", &[LOCK.into()]).await?;
    }
    let sql = backend.locking("SELECT beat, departed FROM node ORDER BY id", "FOR UPDATE");
    let beats: Vec<(Millis, bool)> = backend.query(&sql, vec![]).await?;
    let last = beats.iter().map(|(beat, _)| *beat).max();
    let (now, living) = match backend {
        // No other server uses the folder.
        Backend::Sqlite(_) => (now, None),
        Backend::Postgres(_) => {
            let living = beats.iter().filter(|(_, departed)| !departed).map(|(beat, _)| *beat);
            (self::now(backend).await?, living.max())
        }
    };
    Ok(Heartbeats { now, last, living })
}

async fn store_outage(backend: &Backend, began: Millis, now: Millis) -> Result<()> {
    let sql = "INSERT INTO outage (began, ended) VALUES ($1, $2)";
    backend.execute(sql, values![began, now.max(began)]).await.map(drop)
}

from_row!(Outage { id, began, ended });
from_row!(Alive { id, name, beat });
