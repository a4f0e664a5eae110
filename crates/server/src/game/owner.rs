//! A room that this node owns: a message is validated, its events are appended, and only then is it answered and are the
//! others told.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use skirmish_room::{
    Bell, Desk, DeskInput, Lease, Millis, NodeId, Outgoing, Replica, Room, Served,
};
use tokio::time::sleep;

use super::away::{Away, back};
use super::following::Following;
use super::outboxes::{Outboxes, hearing};
use super::thinking::Thinking;
use super::{
    IDLE, Mailbox, Next, Role, ToRoom, Waiting, damaged, end_removed, give_up, lost, turn_away,
};
use crate::computer::{Thought, Unplayable};
use crate::hub::{Hub, RoomHandle};
use crate::log::Entry;
use crate::storage::{Append, RoomStage, StorageError};

/// A room whose deadline is further away than this can leave memory.
const FAR: Millis = 10 * 60 * 1000;

/// A room that this node owns.
pub(super) struct Owner {
    pub(super) hub: Arc<Hub>,
    pub(super) handle: RoomHandle,
    pub(super) desk: Desk,
    pub(super) outboxes: Outboxes,
    /// The right to append to the log; none if the server is alone.
    pub(super) lease: Option<Lease>,
    /// What is entered before anything else, so that no clock is charged for the time without an owner.
    resume: Option<DeskInput>,
    /// What the computer does, with the version of the room in which it was asked.
    pub(super) thinking: Option<(u64, Thinking)>,
    /// How often in a row it had no answer.
    pub(super) failures: u32,
    /// Whether the players have been told that it cannot play on the board. Whoever comes later is told then.
    pub(super) has_told: bool,
    /// What the lists show: the stage, whether they do, and which game of the room it is.
    pub(super) listed: Option<(RoomStage, bool, u32)>,
    /// Whether somebody who seeks a game can find the room while it is open, as far as the storage knows; none if that is not
    /// known here.
    pub(super) offered: Option<bool>,
    /// The last game of the room whose result is stored.
    pub(super) finished: u32,
    /// What the other nodes were told last.
    pub(super) rung: Option<Bell>,
    /// The node that has asked for something. Its answer tells it what the others are told.
    pub(super) asking: Option<NodeId>,
}

/// What the task waits for.
enum Event {
    Message(ToRoom),
    Tick,
    Thought(Thought),
    Idle,
}

/// Why a message could not be carried out. It is carried out again later, here or by the owner: if it has an id, that is
/// harmless.
pub(super) struct Trouble {
    pub(super) error: StorageError,
    pub(super) again: Option<ToRoom>,
}

impl From<StorageError> for Trouble {
    fn from(error: StorageError) -> Self {
        Self { error, again: None }
    }
}

impl Owner {
    /// A room from the log, and until when it was known to be served.
    pub(super) fn new(
        hub: Arc<Hub>,
        room: Room,
        handle: RoomHandle,
        lease: Option<Lease>,
        served: Served,
    ) -> Self {
        let resume = if lease.is_some() {
            served.resume(&room, hub.now())
        } else {
            // The clocks stood still while the server was away. A room can be paused in the future: the calendar may have
            // been set back.
            let is_older = room.last_event() < hub.clock.boot();
            let was_away = room.is_paused() || (room.is_playing() && is_older);
            was_away.then_some(DeskInput::Resume { until: hub.ran_until })
        };
        let mut desk = Desk::new(room);
        desk.note_deaf(hub.now(), hub.is_deaf());
        Self::with(hub, handle, desk, Outboxes::default(), lease, resume)
    }

    /// A room that this node has followed, or could not reach the log of: it goes on here with its followers, who may have been
    /// told to wait.
    pub(super) fn go_on(
        hub: Arc<Hub>,
        handle: RoomHandle,
        replica: Replica,
        outboxes: Outboxes,
        (lease, served): (Lease, Served),
        is_waiting: bool,
    ) -> Self {
        let now = hub.now();
        let resume = served.resume(replica.room(), now);
        let (mut desk, send) = replica.into_desk(now);
        desk.note_deaf(now, hub.is_deaf());
        outboxes.deliver(send, desk.followers());
        if is_waiting && resume.is_none() {
            outboxes.notify_all(back(desk.room(), now));
        }
        Self::with(hub, handle, desk, outboxes, Some(lease), resume)
    }

    fn with(
        hub: Arc<Hub>,
        handle: RoomHandle,
        desk: Desk,
        outboxes: Outboxes,
        lease: Option<Lease>,
        resume: Option<DeskInput>,
    ) -> Self {
        Self {
            hub,
            handle,
            desk,
            outboxes,
            lease,
            resume,
            thinking: None,
            failures: 0,
            has_told: false,
            listed: None,
            offered: None,
            finished: 0,
            rung: None,
            asking: None,
        }
    }

    /// Runs until the room is idle, the server stops, or the room cannot be written to any more. The owner is in a box,
    /// because a task holds its arguments twice.
    pub(super) async fn run(
        mut self: Box<Self>,
        mailbox: &mut Mailbox,
        mut waiting: Waiting,
    ) -> Next {
        let ended = match Box::pin(self.start(&mut waiting)).await {
            Ok(()) => self.serve(mailbox).await,
            Err(trouble) => Err(trouble),
        };
        self.hub.board.remove(self.desk.room().code());
        match ended {
            Ok(()) => None,
            Err(trouble) => self.hand_over(trouble, waiting, mailbox).await,
        }
    }

    async fn start(&mut self, waiting: &mut Waiting) -> Result<(), Trouble> {
        match self.resume.take() {
            Some(resume) => {
                self.enter(resume).await?;
                self.hub.resumed.fetch_add(1, Relaxed);
            }
            None => self.settle().await?,
        }
        while let Some(message) = waiting.pop_front() {
            self.take(message).await?;
        }
        Ok(())
    }

    async fn serve(&mut self, mailbox: &mut Mailbox) -> Result<(), Trouble> {
        loop {
            match self.next(mailbox).await {
                Event::Message(ToRoom::Stop { reply }) => {
                    let paused = Box::pin(self.enter(DeskInput::Stop)).await;
                    // What has come meanwhile is answered before the connections are closed.
                    mailbox.close();
                    while let Ok(message) = mailbox.try_recv() {
                        turn_away(&self.hub, self.desk.room(), *message);
                    }
                    let _ = reply.send(());
                    if let Err(error) = paused {
                        self.log_failure(&error);
                    }
                    return Ok(());
                }
                Event::Message(ToRoom::Removed) => {
                    let room = (self.desk.room().code(), &self.handle);
                    end_removed(&self.hub, room, &self.outboxes, mailbox);
                    return Ok(());
                }
                // Futures of their own on the heap: an idle room does not need their room.
                Event::Message(message) => Box::pin(self.take(message)).await?,
                Event::Tick => Box::pin(self.enter(DeskInput::Tick)).await?,
                Event::Thought(answer) => Box::pin(self.take_thought(answer)).await?,
                Event::Idle => {
                    let code = self.desk.room().code().to_owned();
                    if self.hub.retire(&code, &self.handle, mailbox, self.desk.due()) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The room cannot be written to. Another node may have taken it over, or the database may be away; otherwise the task
    /// ends.
    async fn hand_over(
        mut self: Box<Self>,
        Trouble { error, again }: Trouble,
        mut waiting: Waiting,
        mailbox: &mut Mailbox,
    ) -> Next {
        self.desk.abandon();
        let lease = self.lease.filter(|_| error.is_away() || matches!(error, StorageError::Fenced));
        let Some(lease) = lease else {
            self.fail(&error, again);
            if let Some(lease) = self.lease {
                // Whoever comes next, here or on another node, reads it anew. If this fails too, that is known already.
                let _ = self.hub.storage.release(self.desk.room().code(), lease).await;
            }
            mailbox.close();
            waiting.into_iter().for_each(give_up);
            while let Some(message) = mailbox.recv().await {
                give_up(*message);
            }
            return None;
        };
        // If the new owner has not said who it is, the first request finds that out.
        let owner = match &again {
            Some(ToRoom::Bell(bell)) => bell.lease,
            _ => lease,
        };
        if let Some(again) = again {
            waiting.push_front(again);
        }
        if error.is_away() {
            self.tell_stopped(lease);
        }
        let Self { hub, handle, desk, outboxes, .. } = *self;
        let replica = desk.into_replica();
        if error.is_away() {
            let away = Away::new(hub, handle, replica, outboxes, lease);
            return Some((Role::Away(Box::new(away)), waiting));
        }
        let following = Following::new(hub, handle, replica, outboxes, owner);
        Some((Role::Following(Box::new(following)), waiting))
    }

    /// Waits for the next thing to do.
    async fn next(&mut self, mailbox: &mut Mailbox) -> Event {
        let now = self.hub.now();
        let due = self.desk.due();
        let is_far = due.is_none_or(|due| due.saturating_sub(now) > FAR);
        let (is_asked, again) = match &self.thinking {
            Some((_, Thinking::Asked(_))) => (true, None),
            Some((_, Thinking::Stuck(again, _))) => (false, Some(*again)),
            None => (false, None),
        };
        let is_followed = !self.outboxes.is_empty() || self.desk.nodes().next().is_some();
        let is_idle = !is_followed && is_far && !is_asked;
        let until = [due, again].into_iter().flatten().min().map(|due| due.saturating_sub(now));
        // Deadlines that are far away are kept by the hub, or looked at again in a while.
        let wait = match until {
            _ if is_idle => IDLE,
            Some(until) => Duration::from_millis(until.min(FAR)),
            None => IDLE,
        };
        let thought = async {
            match &mut self.thinking {
                Some((_, Thinking::Asked(answer))) => answer.await.unwrap_or(Err(Unplayable::Busy)),
                Some((_, Thinking::Stuck(..))) | None => std::future::pending().await,
            }
        };
        let timer = async {
            if is_idle || until.is_some() {
                sleep(wait).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            message = mailbox.recv() => message.map_or(Event::Idle, |message| Event::Message(*message)),
            answer = thought => Event::Thought(answer),
            () = timer => if is_idle { Event::Idle } else { Event::Tick },
        }
    }

    async fn take(&mut self, message: ToRoom) -> Result<(), Trouble> {
        match message {
            ToRoom::Attach { input, outbox, reply } => {
                let DeskInput::Attach { connection, .. } = input else { return Ok(()) };
                self.outboxes.insert(connection, outbox.clone());
                let entered = self.enter(input.clone()).await;
                // Whoever was refused does not follow the room.
                let follows = self.desk.followers().any(|follower| follower == connection);
                if !follows {
                    self.outboxes.remove(connection);
                }
                if let Err(error) = entered {
                    let again = Some(ToRoom::Attach { input, outbox, reply });
                    return Err(Trouble { error, again });
                }
                let _ = reply.send(follows);
                if self.desk.players().any(|player| player == connection) {
                    if let Some(network) = outbox.network() {
                        self.handle.note_network(network);
                    }
                    match &self.thinking {
                        Some((_, Thinking::Stuck(..))) => self.tell_stuck(|to| to == connection),
                        Some((_, Thinking::Asked(_))) | None => self.has_told = false,
                    }
                }
                Ok(())
            }
            ToRoom::Input { input, outbox } => {
                let DeskInput::Request { connection, .. } = input else { return Ok(()) };
                let is_follower = self.outboxes.contains(connection);
                if !is_follower {
                    self.outboxes.insert(connection, outbox.clone());
                }
                let result = self.enter(input.clone()).await;
                if !is_follower {
                    self.outboxes.remove(connection);
                }
                result.map_err(|error| Trouble {
                    error,
                    again: Some(ToRoom::Input { input, outbox }),
                })
            }
            ToRoom::Detach { connection } => {
                self.outboxes.remove(connection);
                Ok(self.enter(DeskInput::Detach { connection }).await?)
            }
            ToRoom::Leave { close, connection } => {
                self.outboxes.remove(connection);
                let mut left = self.enter(DeskInput::Detach { connection }).await;
                if left.is_ok() {
                    left = self.enter(close.clone()).await;
                }
                let again = || Some(ToRoom::Leave { close, connection });
                left.map_err(|error| Trouble { error, again: again() })
            }
            ToRoom::Describe { account, reply } => {
                let _ = reply.send(self.desk.room().lobby_game(account));
                Ok(())
            }
            ToRoom::Wake { reply } => {
                self.enter(DeskInput::Tick).await?;
                let _ = reply.send(());
                Ok(())
            }
            ToRoom::Reload => {
                self.reload().await.map_err(|error| Trouble { error, again: Some(ToRoom::Reload) })
            }
            ToRoom::Forwarded { epoch, forward, reply } => {
                self.take_forwarded(epoch, forward, reply).await
            }
            ToRoom::Report { node, report, reply } => {
                let send = self.desk.note_elsewhere(self.hub.now(), node, report);
                self.deliver(send);
                self.asking = Some(node);
                self.settle().await?;
                self.asking = None;
                self.reply(reply, Vec::new());
                Ok(())
            }
            ToRoom::Leaving => Ok(self.wait_for_players().await?),
            ToRoom::Shut => {
                let shut = self.enter(DeskInput::Shut).await;
                shut.map_err(|error| Trouble { error, again: Some(ToRoom::Shut) })
            }
            ToRoom::Bell(bell) if self.is_newer(bell.lease) => {
                Err(Trouble { error: StorageError::Fenced, again: Some(ToRoom::Bell(bell)) })
            }
            // An owner before us does not know that it has been replaced. Whoever takes the room over lets the clocks wait.
            ToRoom::Bell(_) | ToRoom::OwnerAway(..) | ToRoom::SendAway => Ok(()),
            // It may have been taken back since.
            ToRoom::Lost => Ok(self.check_holds().await?),
            ToRoom::Away => self.hub.check_reached().map_err(Trouble::from),
            ToRoom::Deaf(is_deaf) => {
                self.desk.note_deaf(self.hub.now(), is_deaf);
                if self.desk.nodes().next().is_some() {
                    self.outboxes.notify_all(hearing(self.desk.room(), is_deaf));
                    // The computer is another matter, and matters more.
                    self.tell_players_stuck();
                }
                Ok(())
            }
            ToRoom::Stop { .. } | ToRoom::Removed => unreachable!("handled by the loop"),
        }
    }

    /// Whether another lease of the room was granted after this node's.
    fn is_newer(&self, other: Lease) -> bool {
        self.lease.is_some_and(|lease| other.epoch > lease.epoch)
    }

    /// Validates, appends, and then answers and tells the others: in this order.
    pub(super) async fn enter(&mut self, input: DeskInput) -> Result<(), StorageError> {
        self.check_is_newest(&input).await?;
        let input = self.recognise(input).await?;
        if self.lease.is_some() {
            self.desk.note_deaf(self.hub.now(), self.hub.is_deaf());
        }
        let mut next = Some(input);
        while let Some(input) = next.take() {
            let step = self.desk.handle(self.hub.now(), input);
            // Another owner may have carried out what would be refused here.
            if step.refuses() {
                self.check_holds().await?;
            }
            self.deliver(step.send);
            if step.append.is_empty() {
                continue;
            }
            let room = self.desk.room();
            let append = Append {
                code: room.code().to_owned(),
                after: room.version(),
                events: step.append,
                lease: self.lease,
            };
            self.hub.storage.append(append).await?;
            let committed = self.desk.commit(self.hub.now());
            let (send, again) = committed.map_err(damaged)?;
            self.handle.version.store(self.desk.room().version(), Relaxed);
            self.deliver(send);
            next = again;
        }
        self.settle().await
    }

    pub(super) fn deliver(&self, send: Vec<Outgoing>) {
        self.outboxes.deliver(send, self.desk.followers());
    }

    /// Ends after a failure. Nobody can tell whether the last events are durable, so the clients connect again, and the
    /// room is folded from what is.
    fn fail(&self, error: &StorageError, again: Option<ToRoom>) {
        self.log_failure(error);
        let code = self.desk.room().code();
        self.hub.board.remove(code);
        self.hub.forget(code, &self.handle);
        self.outboxes.close(&lost());
        again.into_iter().for_each(give_up);
    }

    fn log_failure(&self, error: &StorageError) {
        if matches!(error, StorageError::Closed) {
            return self.hub.log.storage_failed(error);
        }
        let room = self.desk.room();
        let entry = Entry::error("game_not_stored", "A game cannot be stored.");
        self.hub.log.write(&entry.game(room.code(), room.terms().public).failure(error));
    }
}
