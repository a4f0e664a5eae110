//! A room that another node owns: this node reads the log, tells its connections what it says, and passes their requests on.
//! If the owner is gone, this node becomes the owner.

mod passing;
mod reading;
mod reporting;
mod telling;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use skirmish_room::wire::ServerMessage;
use skirmish_room::{Acquired, DeskInput, Lease, Outgoing, RejectionCode, Replica, Reply, Served};
use tokio::time::sleep;

use self::telling::Told;
use super::away::keep;
use super::outboxes::Outboxes;
use super::{
    IDLE, Mailbox, Next, ToRoom, Waiting, end_removed, give_up, missing, refuse, turn_away,
};
use crate::hub::{Hub, RoomHandle};
use crate::nodes::{Letter, Nodes};
use crate::storage::StorageError;

/// How long to wait before trying again to pass a request on.
const RETRY: Duration = Duration::from_millis(500);

/// A room that another node owns. Without the database its requests are still passed on; those that cannot be wait.
pub(super) struct Following {
    pub(super) hub: Arc<Hub>,
    handle: RoomHandle,
    replica: Replica,
    outboxes: Outboxes,
    /// The owner's lease, as far as this node knows. Its own if it was the owner, and has not heard yet who is.
    pub(super) owner: Lease,
    /// Requests that may or may not have been carried out, and those that came after them.
    kept: Waiting,
    /// Whether one of these is being tried again.
    is_retrying: bool,
    /// What players know of the database.
    told: Told,
    /// Whether the log names other accounts by now, and could not be read.
    is_outdated: bool,
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
    /// There is no such room any more.
    Missing,
    /// It cannot be passed on, or nobody knows what came of it.
    Failed(StorageError),
}

impl Following {
    pub(super) fn new(
        hub: Arc<Hub>,
        handle: RoomHandle,
        replica: Replica,
        outboxes: Outboxes,
        owner: Lease,
    ) -> Self {
        let (kept, is_retrying, told, is_outdated) = (Waiting::new(), false, Told::Nothing, false);
        Self { hub, handle, replica, outboxes, owner, kept, is_retrying, told, is_outdated }
    }

    /// Follows until nobody needs the room here any more, or this node becomes its owner.
    pub(super) async fn run(
        mut self: Box<Self>,
        mailbox: &mut Mailbox,
        mut waiting: Waiting,
    ) -> Next {
        self.hub.board.remove(self.replica.room().code());
        let mut is_known = false;
        let mut taken = Taken::Done;
        loop {
            match taken {
                Taken::Done => {}
                Taken::Owned(mine) => match Box::pin(self.own(*mine)).await {
                    Ok((role, mut first)) => {
                        first.append(&mut waiting);
                        return Some((role, first));
                    }
                    Err(following) => self = following,
                },
                Taken::Ended => return None,
            }
            let message = match waiting.pop_front() {
                Some(message) => Some(message),
                None => self.wait(mailbox).await,
            };
            taken = match message {
                Some(ToRoom::Stop { reply }) => {
                    self.take_leave();
                    mailbox.close();
                    while let Ok(message) = mailbox.try_recv() {
                        turn_away(&self.hub, self.replica.room(), *message);
                    }
                    let _ = reply.send(());
                    Taken::Ended
                }
                Some(ToRoom::Removed) => {
                    let room = (self.replica.room().code(), &self.handle);
                    end_removed(&self.hub, room, &self.outboxes, mailbox);
                    Taken::Ended
                }
                Some(message) => {
                    // What happened while nobody followed the room here is not known.
                    is_known &= !self.is_idle();
                    if !is_known && (!self.is_idle() || matches!(message, ToRoom::Attach { .. })) {
                        self.ask_how_it_is(&message).await;
                        is_known = true;
                    }
                    Box::pin(self.take(message)).await
                }
                None if !self.kept.is_empty() => Box::pin(self.try_again()).await,
                None if self.is_idle() => {
                    let code = self.replica.room().code();
                    let ended = self.hub.retire(code, &self.handle, mailbox, None);
                    if ended { Taken::Ended } else { Taken::Done }
                }
                None => Box::pin(self.look()).await,
            };
        }
    }

    fn is_idle(&self) -> bool {
        self.outboxes.is_empty()
    }

    /// The next message; none when it is time to look into the log, or the room is idle.
    async fn wait(&mut self, mailbox: &mut Mailbox) -> Option<ToRoom> {
        let now = self.hub.now();
        let wait = match self.replica.due() {
            _ if !self.kept.is_empty() => RETRY,
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

    /// The players here have to connect to other nodes. The owner lets the clocks wait until they are back.
    fn take_leave(&self) {
        if self.replica.room().is_playing() && self.replica.players().next().is_some() {
            let code = self.replica.room().code().to_owned();
            self.nodes().bus.tell(self.owner.node, &Letter::Leaving { code });
        }
    }

    /// Tries the requests that wait again, oldest first, until one fails.
    async fn try_again(&mut self) -> Taken {
        while let Some(message) = self.kept.pop_front() {
            let left = self.kept.len();
            self.is_retrying = true;
            let taken = Box::pin(self.take(message)).await;
            self.is_retrying = false;
            if !matches!(taken, Taken::Done) || self.kept.len() > left {
                return taken;
            }
        }
        Box::pin(self.look()).await
    }

    /// Keeps a message until it can be passed on.
    fn keep(&mut self, message: ToRoom) -> Taken {
        if self.is_retrying {
            self.kept.push_front(message);
            return Taken::Done;
        }
        self.tell_late();
        if let ToRoom::Attach { input, outbox, .. } | ToRoom::Input { input, outbox } = &message
            && !input.connection().is_some_and(|connection| self.outboxes.contains(connection))
            && let Some(notice) = self.trouble()
        {
            outbox.send(&ServerMessage::Rej(notice.with_clock(None)));
        }
        keep(message, &mut self.kept);
        Taken::Done
    }

    async fn take(&mut self, message: ToRoom) -> Taken {
        match message {
            ToRoom::Attach { input, outbox, reply } => {
                let DeskInput::Attach { connection, .. } = input else { return Taken::Done };
                self.outboxes.insert(connection, outbox.clone());
                let passed = match self.recognise(input.clone()).await {
                    Ok(input) => self.handle(&input).await,
                    Err(error) => Passed::Failed(error),
                };
                let follows = self.replica.followers().any(|follower| follower == connection);
                if !follows {
                    self.outboxes.remove(connection);
                }
                if !matches!(passed, Passed::Answered) {
                    return self.conclude(passed, ToRoom::Attach { input, outbox, reply });
                }
                if let Some(notice) = self.trouble().filter(|_| follows) {
                    outbox.send(&ServerMessage::Rej(notice));
                }
                // Whoever followed the room before still does.
                let _ = reply.send(follows);
                self.report().await
            }
            ToRoom::Input { input, outbox } => self.take_input(input, outbox).await,
            ToRoom::Detach { connection } => {
                self.outboxes.remove(connection);
                // What was not answered is sent again, perhaps on another node, whose word counts then.
                self.kept.retain(|message| !message.comes_from(connection));
                self.replica.handle(self.hub.now(), &DeskInput::Detach { connection });
                self.report().await
            }
            ToRoom::Leave { close, connection } => {
                self.outboxes.remove(connection);
                self.replica.handle(self.hub.now(), &DeskInput::Detach { connection });
                match self.handle(&close).await {
                    Passed::Answered => self.report().await,
                    passed => self.conclude(passed, ToRoom::Leave { close, connection }),
                }
            }
            ToRoom::Describe { account, reply } => {
                let _ = reply.send(self.replica.room().lobby_game(account));
                Taken::Done
            }
            ToRoom::Wake { reply } => {
                let taken = self.ask_for_lease(false).await;
                let _ = reply.send(());
                taken
            }
            ToRoom::Reload => {
                self.reload_or_wait().await;
                self.report().await
            }
            ToRoom::Forwarded { reply, .. } | ToRoom::Report { reply, .. } => {
                let _ = reply.send(Reply::NotOwner);
                Taken::Done
            }
            ToRoom::Bell(bell) => {
                self.hear(&bell).await;
                self.report().await
            }
            ToRoom::Lost | ToRoom::Leaving => Taken::Done,
            ToRoom::SendAway => {
                self.take_leave();
                Taken::Done
            }
            // The owner knows of the operator's order too, and may have carried it out.
            ToRoom::Shut => {
                if let Err(error) = self.read().await {
                    self.complain(&error);
                }
                Taken::Done
            }
            ToRoom::Away => {
                // It may be back already.
                if self.hub.is_away() {
                    self.tell_late();
                }
                Taken::Done
            }
            ToRoom::OwnerAway(owner, since) => {
                if owner == self.owner {
                    self.tell_stopped_since(since);
                }
                Taken::Done
            }
            ToRoom::Deaf(is_deaf) => {
                self.tell_hearing(is_deaf);
                Taken::Done
            }
            ToRoom::Stop { .. } | ToRoom::Removed => unreachable!("handled by the loop"),
        }
    }

    async fn take_input(&mut self, input: DeskInput, outbox: crate::outbox::Outbox) -> Taken {
        let DeskInput::Request { connection, .. } = input else { return Taken::Done };
        // Nobody's request overtakes another.
        if !self.kept.is_empty() && !self.is_retrying {
            return self.keep(ToRoom::Input { input, outbox });
        }
        let is_follower = self.outboxes.contains(connection);
        if !is_follower {
            self.outboxes.insert(connection, outbox.clone());
        }
        let passed = self.handle(&input).await;
        if !is_follower {
            self.outboxes.remove(connection);
        }
        self.conclude(passed, ToRoom::Input { input, outbox })
    }

    /// Deals with a message that may not have been answered.
    fn conclude(&mut self, passed: Passed, message: ToRoom) -> Taken {
        match passed {
            Passed::Answered => Taken::Done,
            Passed::Mine(lease, served) => {
                Taken::Owned(Box::new(Mine { lease, served, first: Some(message) }))
            }
            Passed::Missing => {
                let text = missing(self.replica.room().code());
                refuse(message, RejectionCode::NotFound, &text);
                Taken::Done
            }
            Passed::Failed(error) if error.is_away() => self.keep(message),
            Passed::Failed(error) => {
                self.complain(&error);
                give_up(message);
                Taken::Done
            }
        }
    }

    /// Time has passed: something may have happened of which this node has not heard.
    async fn look(&mut self) -> Taken {
        let now = self.hub.now();
        if self.replica.looks(now) {
            // If it fails, it is tried again at the next look.
            self.replica.note_look(now);
            if self.is_outdated && !self.hub.is_away() {
                self.reload_or_wait().await;
            } else if let Err(error) = self.read().await {
                self.complain(&error);
            }
            if self.told != Told::Nothing {
                // Players want to know whether the owner lets the clocks run.
                let report = self.replica.report_anyway(now);
                return self.send_report(report).await;
            }
        }
        self.report().await
    }

    /// Becomes the owner, if there is none. The last one may have said that it cannot reach the database.
    async fn ask_for_lease(&mut self, is_owner_away: bool) -> Taken {
        if self.hub.is_pausing() {
            return Taken::Done;
        }
        let code = self.replica.room().code();
        let acquired = if is_owner_away && !self.hub.is_settled() {
            // It is alive, and goes on by itself as soon as it reaches the database.
            let read = self.hub.storage.version(code).await;
            read.map(|_| Some(Acquired::HeldBy(self.owner)))
        } else {
            self.hub.storage.acquire(code, self.nodes().id, false).await
        };
        match acquired {
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
                match error.is_away() {
                    true if is_owner_away => self.tell_stopped(),
                    // The owner does not answer, and nobody here can take its place.
                    true => self.tell_late(),
                    false => self.complain(&error),
                }
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
