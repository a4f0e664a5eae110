//! Reading the log of a room that another node owns.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use skirmish_room::{ConnectionId, Logged, Room};
use tokio::time::timeout;

use super::Following;
use crate::game::damaged;
use crate::nodes::Letter;
use crate::storage::StorageError;

/// How long the database may take before the owner is asked as well.
const SLOW: Duration = Duration::from_millis(400);

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

    /// What the log has beyond a version. If this node cannot reach the database, or waits for it, the owner is asked too, lest
    /// players miss that their clocks run.
    pub(super) async fn read_after(&mut self, after: u64) -> Result<Read, StorageError> {
        let hub = Arc::clone(&self.hub);
        let code = self.replica.room().code().to_owned();
        let mut own = pin!(hub.storage.log_after(&code, after));
        let own_read = |log| Read { log, is_owners: false };
        if !hub.is_away()
            && let Ok(read) = timeout(SLOW, &mut own).await
        {
            return match read {
                Err(error) if error.is_away() => self.ask_to_read(after).await.ok_or(error),
                read => read.map(own_read),
            };
        }
        let asked = pin!(self.ask_to_read(after));
        match select(asked, own).await {
            Either::Left((Some(read), _)) => Ok(read),
            Either::Left((None, own)) => own.await.map(own_read),
            Either::Right((Err(error), asked)) if error.is_away() => asked.await.ok_or(error),
            Either::Right((read, _)) => read.map(own_read),
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

    /// Accounts have been merged. If the database is away, that waits, and no move with it.
    pub(super) async fn reload_or_wait(&mut self) {
        match self.reload().await {
            Ok(()) => self.is_outdated = false,
            Err(error) => {
                self.is_outdated |= error.is_away();
                self.complain(&error);
            }
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
