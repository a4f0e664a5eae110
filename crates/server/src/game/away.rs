//! A room whose database cannot be reached: nothing is accepted, nothing is lost, and it goes on by itself.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use skirmish_room::{
    Acquired, ConnectionId, DeskInput, Millis, Outage, RejectionCode, Replica, Served,
};
use tokio::time::{Instant, sleep_until};

use super::following::Following;
use super::outboxes::{Outboxes, notice};
use super::owner::Owner;
use super::{Mailbox, Next, Role, ToRoom, Waiting, damaged, refuse};
use crate::hub::{AWAY, Hub, RoomHandle};
use crate::outbox::Outbox;
use crate::storage::StorageError;

/// How long to wait before the log is read again: first, and at most.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// A room whose database cannot be reached. Nobody knows whether the last events are durable.
pub(super) struct Away {
    pub(super) hub: Arc<Hub>,
    pub(super) handle: RoomHandle,
    pub(super) replica: Replica,
    pub(super) outboxes: Outboxes,
    /// When it was last reached, and when that failed first.
    pub(super) since: (Millis, Millis),
}

impl Away {
    /// Waits until the database is back. The request that found it away is carried out then, unless it was already.
    pub(super) async fn run(
        mut self: Box<Self>,
        mailbox: &mut Mailbox,
        mut waiting: Waiting,
    ) -> Next {
        let _counted = self.hub.reach.wait();
        self.outboxes.notify(RejectionCode::Storage, AWAY, |_| true);
        let mut backoff = BACKOFF.0;
        let mut again = Instant::now() + backoff;
        loop {
            tokio::select! {
                message = mailbox.recv() => match message.map(|message| *message) {
                    None => return None,
                    Some(ToRoom::Stop { reply }) => {
                        let _ = reply.send(());
                        return None;
                    }
                    Some(message) => waiting.extend(self.take(message)),
                },
                () = sleep_until(again) => match Box::pin(self.try_again()).await {
                    Ok(acquired) => return Some((self.go_on(acquired), waiting)),
                    Err(error) => {
                        if !error.is_away() {
                            self.hub.log.storage_failed(&error);
                        }
                        backoff = (backoff * 2).min(BACKOFF.1);
                        again = Instant::now() + backoff;
                    }
                },
            }
        }
    }

    /// Asks whose the room is, and reads what the log has beyond what is known here.
    async fn try_again(&mut self) -> Result<Acquired, StorageError> {
        let code = self.replica.room().code().to_owned();
        let after = self.replica.room().version();
        let node = self.hub.nodes.as_ref().map_or(0, |nodes| nodes.id);
        let gone = || StorageError::Damaged { what: "a room is missing".to_owned() };
        let acquired = self.hub.storage.acquire(&code, node, false).await?.ok_or_else(gone)?;
        let log = self.hub.storage.log_after(&code, after).await?;
        let send = self.replica.advance(self.hub.now(), after, &log).map_err(damaged)?;
        self.handle.version.store(self.replica.room().version(), Relaxed);
        self.outboxes.deliver(send, self.replica.followers());
        Ok(acquired)
    }

    /// Goes on, as the owner or not. Nobody's clock is charged for the time without a database.
    fn go_on(self: Box<Self>, acquired: Acquired) -> Role {
        let Self { hub, handle, replica, outboxes, since } = *self;
        match acquired {
            Acquired::Mine { lease, stopped, beat } => {
                let now = hub.now();
                let outage = Outage::noted(replica.room(), since.0, since.1, now);
                let resume = Served { stopped, outage, beat }.resume(replica.room(), now);
                let (mut desk, send) = replica.into_desk(now);
                desk.note_deaf(now, hub.is_deaf());
                outboxes.deliver(send, desk.followers());
                let lease = Some(lease);
                Role::Owner(Box::new(Owner::with(hub, handle, desk, outboxes, lease, resume)))
            }
            Acquired::HeldBy(owner) => {
                Role::Following(Box::new(Following { hub, handle, replica, outboxes, owner }))
            }
        }
    }

    /// Does what needs no database. Returns what has to wait: nobody knows whether it has been carried out before.
    fn take(&mut self, message: ToRoom) -> Option<ToRoom> {
        match message {
            // It is known already.
            ToRoom::Away | ToRoom::Lost | ToRoom::Deaf(_) => {}
            ToRoom::Detach { connection } | ToRoom::Leave { connection, .. } => {
                self.leave(connection);
            }
            ToRoom::Describe { account, reply } => {
                let _ = reply.send(self.replica.room().lobby_game(account));
            }
            // A connection that is answered only when the database is back could not even be told so.
            ToRoom::Attach { input, outbox, reply } => {
                let follows = self.attach(&input, &outbox);
                if !follows {
                    refuse(ToRoom::Input { input, outbox }, RejectionCode::Storage, AWAY);
                }
                let _ = reply.send(follows);
            }
            ToRoom::Input { input, outbox } => {
                outbox.send(&notice(RejectionCode::Storage, AWAY));
                return Some(ToRoom::Input { input, outbox });
            }
            message => refuse(message, RejectionCode::Storage, AWAY),
        }
        None
    }

    /// Whoever has seen no more than this node can follow the room: it will go on for them as well.
    fn attach(&mut self, input: &DeskInput, outbox: &Outbox) -> bool {
        let DeskInput::Attach { connection, .. } = *input else { return false };
        if input.version() <= self.replica.room().version() {
            self.outboxes.insert(connection, outbox.clone());
            let handled = self.replica.handle(self.hub.now(), input);
            self.outboxes.deliver(handled.send, self.replica.followers());
        }
        let follows = self.replica.followers().any(|follower| follower == connection);
        if follows {
            self.outboxes.notify(RejectionCode::Storage, AWAY, |to| to == connection);
        } else {
            self.outboxes.remove(connection);
        }
        follows
    }

    fn leave(&mut self, connection: ConnectionId) {
        self.outboxes.remove(connection);
        let handled = self.replica.handle(self.hub.now(), &DeskInput::Detach { connection });
        self.outboxes.deliver(handled.send, self.replica.followers());
    }
}
