//! What other nodes want of a room that this node owns, and whether it still does.

use skirmish_room::wire::ServerMessage;
use skirmish_room::{ConnectionId, DeskInput, Forward, Reply, Room, node_of};
use tokio::sync::oneshot;

use super::owner::{Owner, Trouble};
use super::{ToRoom, damaged};
use crate::outbox::outbox;
use crate::storage::StorageError;

impl Owner {
    /// Carries out a request that another node passes on. One that names an earlier epoch is late: whoever passed it on may
    /// have taken the lease since, and refused it.
    pub(super) async fn take_forwarded(
        &mut self,
        epoch: i64,
        forward: Forward,
        reply: oneshot::Sender<Reply>,
    ) -> Result<(), Trouble> {
        if self.lease.is_none_or(|lease| lease.epoch != epoch) {
            let _ = reply.send(Reply::NotOwner);
            return Ok(());
        }
        let connection = forward.connection;
        let (outbox, inbox) = outbox(None);
        self.outboxes.insert(connection, outbox);
        self.asking = Some(node_of(connection));
        let result = self.enter(forward.clone().into()).await;
        self.asking = None;
        self.outboxes.remove(connection);
        if let Err(error) = result {
            let again = Some(ToRoom::Forwarded { epoch, forward, reply });
            return Err(Trouble { error, again });
        }
        let mut answer = Vec::new();
        while let Some(Ok(frame)) = inbox.take() {
            answer.extend(serde_json::from_str(&frame).ok());
        }
        self.reply(reply, answer);
        Ok(())
    }

    pub(super) fn reply(&self, reply: oneshot::Sender<Reply>, answer: Vec<ServerMessage>) {
        let answer = match self.lease {
            Some(lease) => Reply::Handled { bell: self.desk.bell(lease), answer },
            None => Reply::NotOwner,
        };
        let _ = reply.send(answer);
    }

    /// Somebody who has seen more than this node has seen it on the node that owns the room now.
    pub(super) async fn check_is_newest(&mut self, input: &DeskInput) -> Result<(), StorageError> {
        let (v, seen) = (self.desk.room().version(), input.version());
        if self.lease.is_none() || seen <= v {
            return Ok(());
        }
        let code = self.desk.room().code().to_owned();
        let is_newest = self.hub.storage.version(&code).await? <= v;
        if is_newest { Ok(()) } else { Err(StorageError::Fenced) }
    }

    /// A node stops on which somebody plays: the clocks wait until they are back.
    pub(super) async fn wait_for_players(&mut self) -> Result<(), StorageError> {
        self.enter(DeskInput::Stop).await?;
        self.enter(DeskInput::Resume { until: self.hub.now() }).await
    }

    /// Finds out whether this node still owns the room.
    pub(super) async fn check_holds(&mut self) -> Result<(), StorageError> {
        let Some(lease) = self.lease else { return Ok(()) };
        let is_held = self.hub.storage.holds(self.desk.room().code(), lease).await?;
        if is_held { Ok(()) } else { Err(StorageError::Fenced) }
    }

    /// Reads the room again, since the log names other accounts.
    pub(super) async fn reload(&mut self) -> Result<(), StorageError> {
        let log = self.hub.storage.log(self.desk.room().code()).await?;
        let room = Room::fold(self.hub.games, &log).map_err(damaged)?;
        if room.version() != self.desk.room().version() {
            // Somebody else has appended to it.
            return Err(StorageError::Fenced);
        }
        let before: Vec<ConnectionId> = self.desk.players().collect();
        let send = self.desk.replace(self.hub.now(), room);
        self.outboxes.close_former(&before, self.desk.players());
        self.deliver(send);
        self.settle().await
    }

    /// Whoever has signed in may have a seat of which this node has not heard, or still speak as the guest whose seat it was.
    pub(super) async fn recognise(&mut self, input: DeskInput) -> Result<DeskInput, StorageError> {
        let Some(stranger) = input.stranger_in(self.desk.room()) else { return Ok(input) };
        let code = self.desk.room().code().to_owned();
        let Some(now) = self.hub.storage.seated(&code, stranger).await? else { return Ok(input) };
        if self.desk.room().side_of(now).is_none() {
            self.reload().await?;
        }
        Ok(input.with_account(now))
    }
}
