//! What other nodes want of a room that this node owns.

use skirmish_room::wire::ServerMessage;
use skirmish_room::{DeskInput, Forward, Reply, node_of};
use tokio::sync::oneshot;

use super::ToRoom;
use super::owner::{Owner, Trouble};
use crate::outbox::outbox;
use crate::storage::StorageError;

impl Owner {
    /// Carries out a request that another node passes on.
    pub(super) async fn take_forwarded(
        &mut self,
        forward: Forward,
        reply: oneshot::Sender<Reply>,
    ) -> Result<(), Trouble> {
        let connection = forward.connection;
        let (outbox, inbox) = outbox(None);
        self.outboxes.insert(connection, outbox);
        self.asking = Some(node_of(connection));
        let result = self.enter(forward.clone().into()).await;
        self.asking = None;
        self.outboxes.remove(connection);
        if let Err(error) = result {
            return Err(Trouble { error, again: Some(ToRoom::Forwarded { forward, reply }) });
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
}
