//! A room whose database cannot be reached: nothing is accepted, nothing is lost, and it goes on by itself.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures_util::future::BoxFuture;
use skirmish_room::wire::{Rej, ServerMessage};
use skirmish_room::{
    Acquired, Bell, ConnectionId, DeskInput, Lease, Logged, Millis, Outage, RejectionCode, Replica,
    Reply, Room, Served,
};
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::following::Following;
use super::outboxes::Outboxes;
use super::owner::Owner;
use super::{Mailbox, Next, Role, ToRoom, Waiting, damaged, give_up, lost, refuse};
use crate::hub::{AWAY, Hub, RoomHandle};
use crate::outbox::Outbox;
use crate::storage::StorageError;

/// How long to wait before the log is read again: first, and at most.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// How many requests wait for the database at most. More are refused: they have not been tried.
const MOST_WAITING: usize = 64;

/// What somebody is told whose request cannot even wait.
const TOO_MANY: &str = "The server cannot reach its database, and too many requests for this game wait for it already. Try \
                        again when the game goes on.";

/// What people are told while the database is away if they do not play: the game is over, or has not begun.
const AWAY_AT_REST: &str = "The server cannot reach its database at the moment: what you enter has to wait. Nothing is lost.";

/// What players are told when the database is back and no event says that the game goes on.
const BACK: &str = "The server reaches its database again, and the game goes on.";

/// What people are told then if they do not play.
const BACK_AT_REST: &str = "The server reaches its database again.";

/// What players are told while the database is away. The clocks have stood still since that time.
pub(super) fn stopped(room: &Room, since: Millis) -> Rej {
    let clock = room.stopped_clock(since);
    waiting(room, AWAY).with_clock(clock)
}

/// What is said while something has to wait for the database: this sentence to players.
pub(super) fn waiting(room: &Room, playing: &str) -> Rej {
    let text = if room.is_playing() { playing } else { AWAY_AT_REST };
    Rej::about(room.code(), RejectionCode::Storage, text)
}

/// What players are told when the database is back.
pub(super) fn back(room: &Room, now: Millis) -> Rej {
    let text = if room.is_playing() { BACK } else { BACK_AT_REST };
    Rej::about(room.code(), RejectionCode::Storage, text).with_clock(room.clock(now)).as_over()
}

/// Whose a room is, and what its log has beyond what is known here.
type Reached = (Acquired, Vec<Logged>);

/// A room whose database cannot be reached. Nobody knows whether the last events are durable.
pub(super) struct Away {
    pub(super) hub: Arc<Hub>,
    pub(super) handle: RoomHandle,
    pub(super) replica: Replica,
    pub(super) outboxes: Outboxes,
    /// The lease that this node had when the database was last reached. Another node may have taken the room since.
    lease: Lease,
    /// When it was last reached, and when that failed first.
    since: (Millis, Millis),
}

impl Away {
    /// An owner finds out that the database is away.
    pub(super) fn new(
        hub: Arc<Hub>,
        handle: RoomHandle,
        replica: Replica,
        outboxes: Outboxes,
        lease: Lease,
    ) -> Self {
        let since = (hub.reach.last(), hub.now());
        Self { hub, handle, replica, outboxes, lease, since }
    }

    /// Waits until the database is back. The request that found it away, and those that come meanwhile, are carried out then,
    /// unless they were already.
    pub(super) async fn run(mut self: Box<Self>, mailbox: &mut Mailbox, before: Waiting) -> Next {
        let _counted = self.hub.reach.wait();
        self.outboxes.notify_all(self.notice());
        let mut waiting = Waiting::new();
        for message in before {
            match message {
                // They have just been told.
                ToRoom::Input { input, outbox } if self.follows(&input) => {
                    keep(ToRoom::Input { input, outbox }, &mut waiting);
                }
                message => self.take(message, &mut waiting),
            }
        }
        let mut backoff = BACKOFF.0;
        let mut attempt = self.attempt(backoff);
        loop {
            tokio::select! {
                message = mailbox.recv() => match message.map(|message| *message) {
                    None => return None,
                    Some(ToRoom::Stop { reply }) => {
                        // Whoever waits sends the request again to the next server.
                        let _ = reply.send(());
                        return None;
                    }
                    Some(ToRoom::Bell(bell)) if bell.lease.epoch > self.lease.epoch => {
                        return Some(self.follow(bell, waiting));
                    }
                    Some(message) => self.take(message, &mut waiting),
                },
                reached = &mut attempt => match reached.and_then(|reached| self.catch_up(reached)) {
                    Ok((acquired, log)) => return Some((self.go_on(acquired, &log), waiting)),
                    Err(error) if error.is_away() => {
                        backoff = (backoff * 2).min(BACKOFF.1);
                        attempt = self.attempt(backoff);
                    }
                    Err(error) => {
                        self.hub.log.storage_failed(&error);
                        self.hub.forget(self.replica.room().code(), &self.handle);
                        self.outboxes.close(&lost());
                        mailbox.close();
                        waiting.into_iter().for_each(give_up);
                        while let Some(message) = mailbox.recv().await {
                            give_up(*message);
                        }
                        return None;
                    }
                },
            }
        }
    }

    /// Finds out after a while whose the room is, and reads what the log has beyond what is known here. A database that does
    /// not answer keeps nobody waiting meanwhile.
    fn attempt(&self, wait: Duration) -> BoxFuture<'static, Result<Reached, StorageError>> {
        let hub = Arc::clone(&self.hub);
        let code = self.replica.room().code().to_owned();
        let after = self.replica.room().version();
        Box::pin(async move {
            sleep(wait).await;
            let node = hub.nodes.as_ref().map_or(0, |nodes| nodes.id);
            let gone = || StorageError::Damaged { what: "a room is missing".to_owned() };
            let acquired = hub.storage.acquire(&code, node, false).await?.ok_or_else(gone)?;
            let log = hub.storage.log_after(&code, after).await?;
            Ok((acquired, log))
        })
    }

    /// Tells everybody what was read.
    fn catch_up(&mut self, (acquired, log): Reached) -> Result<Reached, StorageError> {
        let after = self.replica.room().version();
        let send = self.replica.advance(self.hub.now(), after, &log).map_err(damaged)?;
        self.handle.version.store(self.replica.room().version(), Relaxed);
        self.outboxes.deliver(send, self.replica.followers());
        Ok((acquired, log))
    }

    /// Another node has taken the room, and lets its clocks run: players here go on as well, with its help.
    fn follow(self: Box<Self>, bell: Bell, mut waiting: Waiting) -> (Role, Waiting) {
        let Self { hub, handle, replica, outboxes, since: (reached, _), .. } = *self;
        let following = Following::new(hub, handle, replica, outboxes, bell.lease);
        let following = following.stopped_since(reached);
        waiting.push_front(ToRoom::Bell(bell));
        (Role::Following(Box::new(following)), waiting)
    }

    /// Goes on, as the owner or not. Nobody's clock is charged for the time without a database. `log` has been delivered.
    fn go_on(self: Box<Self>, acquired: Acquired, log: &[Logged]) -> Role {
        let Self { hub, handle, replica, outboxes, since: (reached, failed), .. } = *self;
        let is_waiting = !log.iter().any(Logged::is_resumption);
        match acquired {
            Acquired::Mine { lease, stopped, beat } => {
                let outage = Outage::noted(replica.room(), reached, failed, hub.now());
                let served = Served { stopped, outage, beat };
                let owner =
                    Owner::go_on(hub, handle, replica, outboxes, (lease, served), is_waiting);
                Role::Owner(Box::new(owner))
            }
            Acquired::HeldBy(owner) => {
                let following = Following::new(hub, handle, replica, outboxes, owner);
                Role::Following(Box::new(following.go_on(reached, log)))
            }
        }
    }

    /// Does what needs no database, and keeps what has to wait: nobody knows whether it has been carried out before.
    fn take(&mut self, message: ToRoom, waiting: &mut Waiting) {
        match message {
            // Somebody looks at the room again as soon as the database is back.
            ToRoom::Away
            | ToRoom::OwnerAway(..)
            | ToRoom::Leaving
            | ToRoom::SendAway
            | ToRoom::Lost
            | ToRoom::Deaf(_)
            | ToRoom::Removed
            | ToRoom::Bell(_)
            | ToRoom::Wake { .. } => {}
            ToRoom::Detach { connection } => {
                self.leave(connection);
                // It does not follow the room any more. If it comes back on another node, it sends again what was not answered:
                // what is refused there must not be carried out here later.
                let is_alone = self.hub.nodes.is_none();
                waiting.retain(|message| {
                    !message.attaches(connection) && (is_alone || !message.comes_from(connection))
                });
            }
            ToRoom::Leave { close, connection } => {
                self.leave(connection);
                keep(ToRoom::Leave { close, connection }, waiting);
            }
            ToRoom::Describe { account, reply } => {
                let _ = reply.send(self.replica.room().lobby_game(account));
            }
            ToRoom::Attach { input, outbox, reply } => match self.attach(&input, &outbox) {
                Some(follows) => drop(reply.send(follows)),
                None => keep(ToRoom::Attach { input, outbox, reply }, waiting),
            },
            ToRoom::Input { input, outbox } => {
                self.tell(&outbox, self.follows(&input));
                keep(ToRoom::Input { input, outbox }, waiting);
            }
            // The node that has asked keeps the request.
            ToRoom::Forwarded { reply, .. } | ToRoom::Report { reply, .. } => {
                let _ = reply.send(Reply::Away);
            }
            ToRoom::Reload | ToRoom::Shut => keep(message, waiting),
            ToRoom::Stop { .. } => unreachable!("handled by the loop"),
        }
    }

    /// Lets a connection follow the room, if it may: it will go on for them as well. None if that has to wait, because they
    /// take a seat or have seen more than this node.
    fn attach(&mut self, input: &DeskInput, outbox: &Outbox) -> Option<bool> {
        let DeskInput::Attach { connection, .. } = *input else { return Some(false) };
        let mut waits = true;
        if input.version() <= self.replica.room().version() {
            self.outboxes.insert(connection, outbox.clone());
            let handled = self.replica.handle(self.hub.now(), input);
            self.outboxes.deliver(handled.send, self.replica.followers());
            waits = handled.forward.is_some();
        }
        let follows = self.follows(input);
        if !follows {
            self.outboxes.remove(connection);
        }
        self.tell(outbox, follows);
        (!waits).then_some(follows)
    }

    fn notice(&self) -> Rej {
        stopped(self.replica.room(), self.since.0)
    }

    /// Tells a connection how things are. Only those who follow the room may know its clocks.
    fn tell(&self, outbox: &Outbox, follows: bool) {
        let notice = self.notice();
        let notice = if follows { notice } else { notice.with_clock(None) };
        outbox.send(&ServerMessage::Rej(notice));
    }

    /// Whether the connection that an input comes from follows the room.
    fn follows(&self, input: &DeskInput) -> bool {
        input.connection().is_some_and(|own| self.replica.followers().any(|other| other == own))
    }

    fn leave(&mut self, connection: ConnectionId) {
        self.outboxes.remove(connection);
        let handled = self.replica.handle(self.hub.now(), &DeskInput::Detach { connection });
        self.outboxes.deliver(handled.send, self.replica.followers());
    }
}

/// Keeps a message until the database is back, if not too many wait already.
pub(super) fn keep(mut message: ToRoom, waiting: &mut Waiting) {
    if let ToRoom::Attach { reply, .. } = &mut message {
        // A connection that is not answered cannot be told anything: it follows the room from now on.
        let (unheard, _) = oneshot::channel();
        let _ = std::mem::replace(reply, unheard).send(true);
    }
    if waiting.iter().any(|other| message.repeats(other)) {
        return;
    }
    if waiting.len() < MOST_WAITING {
        waiting.push_back(message);
    } else {
        refuse(message, RejectionCode::Storage, TOO_MANY);
    }
}
