//! Rooms that a node has lost to others, until it knows.

use futures_util::future::try_join_all;
use skirmish_room::{Millis, NodeId};

use super::Storage;
use super::error::StorageError;
use super::session::Session;
use super::value::values;

/// How many are listed at once.
const LOST: u32 = 500;

impl Storage {
    /// Some of the rooms that others have taken from a node, until [`Storage::note_told`]: their numbers, and codes unless
    /// the node has got them back.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn lost(&self, node: NodeId) -> Result<Vec<(i64, Option<String>)>, StorageError> {
        let job = async move |session: &Session| lost(session, node).await;
        self.keeper_or(&self.0.reader).run(job).await
    }

    /// Notes that a node knows that it has lost these rooms.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn note_told(
        &self,
        node: NodeId,
        lost: Vec<(i64, Option<String>)>,
    ) -> Result<(), StorageError> {
        let gone = lost.iter().filter(|(_, code)| code.is_some()).count() as u64;
        let job = async move |session: &Session| note_told(session, node, &lost).await;
        self.keeper_or(&self.0.writer).run(job).await?;
        self.0.meter.lost.add(gone);
        Ok(())
    }
}

/// Some of the rooms that others have taken from a node, with codes unless it has got them back.
async fn lost(session: &Session, node: NodeId) -> Result<Vec<(i64, Option<String>)>, StorageError> {
    let sql = "SELECT room,
                (SELECT code FROM room WHERE room.id = lost.room AND NOT EXISTS
                    (SELECT 1 FROM lease WHERE lease.room = lost.room AND lease.node = lost.node))
               FROM lost WHERE node = $1 ORDER BY room LIMIT $2";
    session.query(sql, values![node, LOST], |row| Ok((row.get(0)?, row.get(1)?))).await
}

async fn note_told(
    session: &Session,
    node: NodeId,
    lost: &[(i64, Option<String>)],
) -> Result<(), StorageError> {
    let sql = "DELETE FROM lost WHERE node = $1 AND room = $2";
    let told = lost.iter().map(|(room, _)| session.execute(sql, values![node, *room]));
    // None needs the answer to another: they are sent together.
    try_join_all(told).await?;
    Ok(())
}

/// Forgets those of nodes that have not been known to run since then. A node that comes back after so long has had no
/// database, and reads every game again.
pub(super) async fn forget(session: &Session, since: Millis) -> Result<(), StorageError> {
    let sql = "DELETE FROM lost WHERE NOT EXISTS
        (SELECT 1 FROM node WHERE node.id = lost.node AND beat >= $1)";
    session.execute(sql, values![since]).await?;
    Ok(())
}
