//! Reading the log of a room that another node owns.

use skirmish_room::{ConnectionId, Logged, Room};

use super::Following;
use crate::game::damaged;
use crate::nodes::Letter;
use crate::storage::StorageError;

/// What the log has beyond a version.
pub(super) struct Read {
    pub(super) log: Vec<Logged>,
    /// Whether the owner has read it, since this node cannot reach the database.
    is_owners: bool,
}

impl Following {
    /// Reads what the log has beyond what is known here.
    pub(super) async fn read(&mut self) -> Result<(), StorageError> {
        let after = self.replica.room().version();
        let read = self.read_after(after).await?;
        let send = self.replica.advance(self.hub.now(), after, &read.log).map_err(damaged)?;
        self.note_version();
        self.deliver(send);
        self.note_read(&read);
        Ok(())
    }

    /// What the log has beyond a version. If only this node cannot reach the database, the owner reads it, lest players miss
    /// that their clocks run.
    pub(super) async fn read_after(&mut self, after: u64) -> Result<Read, StorageError> {
        let is_away = self.hub.is_away();
        if is_away && let Some(read) = self.ask_to_read(after).await {
            return Ok(read);
        }
        match self.hub.storage.log_after(self.replica.room().code(), after).await {
            Ok(log) => Ok(Read { log, is_owners: false }),
            Err(error) if error.is_away() && !is_away => self.ask_to_read(after).await.ok_or(error),
            Err(error) => Err(error),
        }
    }

    async fn ask_to_read(&mut self, after: u64) -> Option<Read> {
        let code = self.replica.room().code().to_owned();
        let answer = self.ask::<Option<Vec<Logged>>>(&Letter::Read { code, after }).await?;
        answer.ok().flatten().map(|log| Read { log, is_owners: true })
    }

    /// The log has been read: this node reaches the database again, unless the owner has read it.
    pub(super) fn note_read(&mut self, read: &Read) {
        if !read.is_owners || read.log.iter().any(Logged::is_resumption) {
            self.tell_back(&read.log);
        }
    }

    pub(super) async fn reload(&mut self) -> Result<(), StorageError> {
        self.read().await?;
        let log = self.hub.storage.log(self.replica.room().code()).await?;
        let known = usize::try_from(self.replica.room().version()).unwrap_or(usize::MAX);
        let room = Room::fold(self.hub.games, &log[..known.min(log.len())]).map_err(damaged)?;
        let before: Vec<ConnectionId> = self.replica.players().collect();
        let send = self.replica.replace(self.hub.now(), room);
        self.outboxes.close_former(&before, self.replica.players());
        self.deliver(send);
        Ok(())
    }
}
