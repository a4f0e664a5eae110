//! A room that another node owns: this node reads the log, tells its connections what it says, and passes their requests on.
//! If the owner is gone, this node becomes the owner.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use skirmish_room::{
    Acquired, Bell, DeskInput, Forward, Lease, NodeId, Outgoing, RejectionCode, Replica, Reply,
    Report, Room, Served,
};
use tokio::time::sleep;

use super::outboxes::Outboxes;
use super::owner::Owner;
use super::{IDLE, Mailbox, Next, Role, STOPPING, ToRoom, Waiting, damaged, refuse};
use crate::bus::Unreachable;
use crate::hub::{AWAY, Hub, RoomHandle, apology};
use crate::nodes::{DEAF, Letter, Nodes};
use crate::storage::StorageError;

/// How often a request is passed on, since the owner may change meanwhile.
const ATTEMPTS: u32 = 3;

/// A room that another node owns.
pub(super) struct Following {
    pub(super) hub: Arc<Hub>,
    pub(super) handle: RoomHandle,
    pub(super) replica: Replica,
    pub(super) outboxes: Outboxes,
    /// Who owned it when we last heard.
    pub(super) owner: NodeId,
}

/// What a message has led to.
enum Taken {
    /// It is done.
    Done,
    /// This node has become the owner, and the message is still to be handled.
    Owned(Box<Mine>),
    /// The server stops, or nobody needs the room any more.
    Ended,
}

/// A lease that this node has got.
struct Mine {
    lease: Lease,
    /// Until when the room was known to be served.
    served: Served,
    first: Option<ToRoom>,
}

/// What came of passing a request on.
enum Passed {
    /// The owner has answered, and whoever asked has been told.
    Answered,
    /// This node is the owner now.
    Mine(Lease, Served),
    /// Nobody can answer at the moment.
    Failed(StorageError),
}

impl Following {
    /// Follows until nobody needs the room here any more, or this node becomes its owner.
    pub(super) async fn run(
        mut self: Box<Self>,
        mailbox: &mut Mailbox,
        mut waiting: Waiting,
    ) -> Next {
        self.hub.board.remove(self.replica.room().code());
        self.greet().await;
        let mut taken = Taken::Done;
        loop {
            match taken {
                Taken::Done => {}
                Taken::Owned(mine) => match Box::pin(self.own(*mine)).await {
                    Ok((role, first)) => {
                        if let Some(first) = first {
                            waiting.push_front(first);
                        }
                        return Some((role, waiting));
                    }
                    Err((following, error)) => {
                        self = following;
                        self.complain(&error);
                    }
                },
                Taken::Ended => return None,
            }
            let message = match waiting.pop_front() {
                Some(message) => Some(message),
                None => self.wait(mailbox).await,
            };
            taken = match message {
                Some(ToRoom::Stop { reply }) => {
                    mailbox.close();
                    while let Ok(message) = mailbox.try_recv() {
                        refuse(*message, RejectionCode::Paused, STOPPING);
                    }
                    let _ = reply.send(());
                    Taken::Ended
                }
                Some(message) => Box::pin(self.take(message)).await,
                None if self.is_idle() => {
                    let code = self.replica.room().code();
                    let ended = self.hub.retire(code, &self.handle, mailbox, None);
                    if ended { Taken::Ended } else { Taken::Done }
                }
                None => Box::pin(self.look()).await,
            };
        }
    }

    /// Asks the owner how things are: who is there is not in the log.
    async fn greet(&mut self) {
        let (node, code) = (self.nodes().id, self.replica.room().code().to_owned());
        let letter = Letter::Report { node, code, report: Report::default() };
        if let Ok(Reply::Handled { bell, .. }) = self.ask(&letter).await {
            self.hear(&bell).await;
        }
    }

    /// Asks the owner.
    async fn ask(&mut self, letter: &Letter) -> Result<Reply, Unreachable> {
        let nodes = self.nodes();
        if self.owner == nodes.id {
            // This node was the owner, and has not heard yet who is.
            return Ok(Reply::NotOwner);
        }
        nodes.bus.ask(self.owner, letter).await
    }

    fn is_idle(&self) -> bool {
        self.outboxes.is_empty()
    }

    /// The next message; none when it is time to look into the log, or the room is idle.
    async fn wait(&mut self, mailbox: &mut Mailbox) -> Option<ToRoom> {
        let now = self.hub.now();
        let wait = match self.replica.due() {
            _ if self.is_idle() => IDLE,
            Some(due) => Duration::from_millis(due.saturating_sub(now).max(10)),
            None => IDLE,
        };
        tokio::select! {
            message = mailbox.recv() => message.map(|message| *message),
            () = sleep(wait) => None,
        }
    }

    fn deliver(&self, send: Vec<Outgoing>) {
        self.outboxes.deliver(send, self.replica.followers());
    }

    async fn take(&mut self, message: ToRoom) -> Taken {
        match message {
            ToRoom::Attach { input, outbox, reply } => {
                let DeskInput::Attach { connection, .. } = input else { return Taken::Done };
                self.outboxes.insert(connection, outbox.clone());
                let passed = self.handle(&input).await;
                let follows = self.replica.followers().any(|follower| follower == connection);
                if !follows {
                    self.outboxes.remove(connection);
                }
                match passed {
                    Passed::Mine(lease, served) => {
                        let first = Some(ToRoom::Attach { input, outbox, reply });
                        return Taken::Owned(Box::new(Mine { lease, served, first }));
                    }
                    Passed::Failed(error) => {
                        let again = ToRoom::Input { input, outbox };
                        refuse(again, RejectionCode::Storage, apology(&error));
                    }
                    Passed::Answered => {}
                }
                // Whoever followed the room before still does.
                let _ = reply.send(follows);
                self.report().await
            }
            ToRoom::Input { input, outbox } => self.take_input(input, outbox).await,
            ToRoom::Detach { connection } => {
                self.outboxes.remove(connection);
                self.replica.handle(self.hub.now(), &DeskInput::Detach { connection });
                self.report().await
            }
            ToRoom::Leave { close, connection } => {
                self.outboxes.remove(connection);
                self.replica.handle(self.hub.now(), &DeskInput::Detach { connection });
                if let Passed::Mine(lease, served) = self.handle(&close).await {
                    let first = Some(ToRoom::Leave { close, connection });
                    return Taken::Owned(Box::new(Mine { lease, served, first }));
                }
                self.report().await
            }
            ToRoom::Describe { account, reply } => {
                let _ = reply.send(self.replica.room().lobby_game(account));
                Taken::Done
            }
            ToRoom::Wake { reply } => {
                let taken = self.ask_for_lease().await;
                let _ = reply.send(());
                taken
            }
            ToRoom::Reload => {
                if let Err(error) = self.reload().await {
                    self.complain(&error);
                }
                Taken::Done
            }
            ToRoom::Forwarded { reply, .. } | ToRoom::Report { reply, .. } => {
                let _ = reply.send(Reply::NotOwner);
                Taken::Done
            }
            ToRoom::Bell(bell) => {
                self.hear(&bell).await;
                self.report().await
            }
            // The owner reads the operator's notice too.
            ToRoom::Lost | ToRoom::Shut => Taken::Done,
            ToRoom::Away => {
                self.outboxes.notify(RejectionCode::Storage, AWAY, |_| true);
                Taken::Done
            }
            ToRoom::Deaf(is_deaf) => {
                if is_deaf {
                    self.outboxes.notify(RejectionCode::Storage, DEAF, |_| true);
                }
                Taken::Done
            }
            ToRoom::Stop { .. } => unreachable!("handled by the loop"),
        }
    }

    async fn take_input(&mut self, input: DeskInput, outbox: crate::outbox::Outbox) -> Taken {
        let DeskInput::Request { connection, .. } = input else { return Taken::Done };
        let is_follower = self.outboxes.contains(connection);
        if !is_follower {
            self.outboxes.insert(connection, outbox.clone());
        }
        let passed = self.handle(&input).await;
        if !is_follower {
            self.outboxes.remove(connection);
        }
        match passed {
            Passed::Answered => Taken::Done,
            Passed::Mine(lease, served) => {
                let first = Some(ToRoom::Input { input, outbox });
                Taken::Owned(Box::new(Mine { lease, served, first }))
            }
            Passed::Failed(error) => {
                let again = ToRoom::Input { input, outbox };
                refuse(again, RejectionCode::Storage, apology(&error));
                Taken::Done
            }
        }
    }

    /// Handles an input here, or passes it on to the owner.
    async fn handle(&mut self, input: &DeskInput) -> Passed {
        // Somebody who has seen more has seen it on another node.
        if input.version() > self.replica.room().version()
            && let Err(error) = self.read().await
        {
            return Passed::Failed(error);
        }
        let handled = self.replica.handle(self.hub.now(), input);
        self.deliver(handled.send);
        match handled.forward {
            Some(forward) => self.pass(input, &forward).await,
            None => Passed::Answered,
        }
    }

    /// Passes a request on to the owner.
    async fn pass(&mut self, input: &DeskInput, forward: &Forward) -> Passed {
        let code = self.replica.room().code().to_owned();
        let letter = Letter::Forward { code: code.clone(), forward: forward.clone() };
        for _ in 0..ATTEMPTS {
            let (answered, is_forced) = match self.ask(&letter).await {
                Ok(Reply::Handled { bell, answer }) => (Some((bell, answer)), false),
                Ok(Reply::NotOwner) => (None, false),
                // Nobody knows whether it has heard. A message that was carried out is recognised by its id.
                Err(_) => (None, true),
            };
            if let Some((bell, answer)) = answered {
                let after = self.replica.room().version();
                let log = match self.hub.storage.log_after(&code, after).await {
                    Ok(log) => log,
                    Err(error) => return Passed::Failed(error),
                };
                let now = self.hub.now();
                let heard = self.replica.hear(now, &bell);
                return match self.replica.answered(now, input, answer, after, &log) {
                    Ok(send) => {
                        self.note_version();
                        self.deliver(send);
                        self.deliver(heard.send);
                        Passed::Answered
                    }
                    Err(error) => Passed::Failed(damaged(error)),
                };
            }
            match self.hub.storage.acquire(&code, self.nodes().id, is_forced).await {
                Ok(Some(Acquired::Mine { lease, stopped, beat })) => {
                    return Passed::Mine(lease, Served { stopped, outage: None, beat });
                }
                Ok(Some(Acquired::HeldBy(owner))) => self.owner = owner,
                Ok(None) => break,
                Err(error) => return Passed::Failed(error),
            }
        }
        Passed::Failed(StorageError::Fenced)
    }

    /// Goes on as the owner. The log is read to its end first.
    async fn own(
        mut self: Box<Self>,
        mine: Mine,
    ) -> Result<(Role, Option<ToRoom>), (Box<Self>, StorageError)> {
        let Mine { lease, served, first } = mine;
        if let Err(error) = self.read().await {
            if let Some(first) = first {
                refuse(first, RejectionCode::Storage, apology(&error));
            }
            return Err((self, error));
        }
        let Self { hub, handle, replica, outboxes, .. } = *self;
        let now = hub.now();
        let outage = hub.reach.outage(replica.room());
        let resume = Served { outage, ..served }.resume(replica.room(), now);
        let (mut desk, send) = replica.into_desk(now);
        desk.note_deaf(now, hub.is_deaf());
        outboxes.deliver(send, desk.followers());
        let owner = Owner::with(hub, handle, desk, outboxes, Some(lease), resume);
        Ok((Role::Owner(Box::new(owner)), first))
    }

    /// Reads what the log has beyond what is known here.
    async fn read(&mut self) -> Result<(), StorageError> {
        let (code, after) = (self.replica.room().code().to_owned(), self.replica.room().version());
        let log = self.hub.storage.log_after(&code, after).await?;
        let send = self.replica.advance(self.hub.now(), after, &log).map_err(damaged)?;
        self.note_version();
        self.deliver(send);
        Ok(())
    }

    async fn reload(&mut self) -> Result<(), StorageError> {
        self.read().await?;
        let log = self.hub.storage.log(self.replica.room().code()).await?;
        let known = usize::try_from(self.replica.room().version()).unwrap_or(usize::MAX);
        let room = Room::fold(self.hub.games, &log[..known.min(log.len())]).map_err(damaged)?;
        self.replica.replace(self.hub.now(), room);
        Ok(())
    }

    /// Time has passed: something may have happened of which this node has not heard.
    async fn look(&mut self) -> Taken {
        let now = self.hub.now();
        if self.replica.looks(now) {
            // If it fails, it is tried again at the next look.
            self.replica.note_look(now);
            if let Err(error) = self.read().await {
                self.complain(&error);
            }
        }
        self.report().await
    }

    /// Takes in the owner's word.
    async fn hear(&mut self, bell: &Bell) {
        let heard = self.replica.hear(self.hub.now(), bell);
        self.deliver(heard.send);
        if self.replica.owner() == Some(bell.lease) {
            self.owner = bell.lease.node;
        }
        if heard.read
            && let Err(error) = self.read().await
        {
            self.complain(&error);
        }
    }

    /// Tells the owner who follows the room here, if it is time. If it does not answer, it may be gone.
    async fn report(&mut self) -> Taken {
        let now = self.hub.now();
        let Some(report) = self.replica.report(now) else { return Taken::Done };
        let code = self.replica.room().code().to_owned();
        let node = self.nodes().id;
        let letter = Letter::Report { node, code, report };
        match self.ask(&letter).await {
            Ok(Reply::Handled { bell, .. }) => {
                self.hear(&bell).await;
                Taken::Done
            }
            Ok(Reply::NotOwner) | Err(_) => self.ask_for_lease().await,
        }
    }

    /// Becomes the owner, if there is none.
    async fn ask_for_lease(&mut self) -> Taken {
        if self.hub.is_pausing() {
            return Taken::Done;
        }
        let code = self.replica.room().code();
        match self.hub.storage.acquire(code, self.nodes().id, false).await {
            Ok(Some(Acquired::Mine { lease, stopped, beat })) => {
                let served = Served { stopped, outage: None, beat };
                Taken::Owned(Box::new(Mine { lease, served, first: None }))
            }
            Ok(Some(Acquired::HeldBy(owner))) => {
                self.owner = owner;
                Taken::Done
            }
            Ok(None) => Taken::Done,
            Err(error) => {
                self.complain(&error);
                Taken::Done
            }
        }
    }

    /// A read that failed is tried again soon, by itself. The operator hears of what is worse.
    fn complain(&self, error: &StorageError) {
        if !error.is_away() {
            self.hub.log.storage_failed(error);
        }
    }

    fn note_version(&self) {
        let room = self.replica.room();
        self.handle.version.store(room.version(), Relaxed);
    }

    fn nodes(&self) -> &Nodes {
        self.hub.nodes.as_ref().expect("a server alone owns all its rooms")
    }
}
