//! The task of one live room, which carries out the decisions of the room's [`Host`] in order.

mod mailbox;
mod outboxes;
mod settling;
mod thinking;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use skirmish_room::wire::{LobbyGame, Rej};
use skirmish_room::{
    AccountId, Announcement, AppendError, ConnectionId, Effect, FoldError, Host, HostEvent,
    HostInput, Logged, Millis, RejectionCode, Room, RoomEvent, Unavailable,
};
use tokio::sync::oneshot;
use tokio::time::sleep;

pub(crate) use self::mailbox::{Mailbox, MailboxSender, mailbox};
use self::settling::LobbyState;
use self::thinking::Thinking;
use crate::computer::{Thought, Unplayable};
use crate::hub::{Hub, RoomHandle, apology};
use crate::log::Entry;
use crate::outbox::{CloseReason, Outbox};
use crate::storage::{GAP, StorageError};
use crate::tasks::spawn;

/// How long a room without followers stays in memory.
const IDLE: Duration = Duration::from_secs(30);

/// A room whose deadline is further away than this may leave memory.
const FAR: Millis = 10 * 60 * 1000;

/// The refusal of requests to a room while the server is stopping.
const STOPPING: &str = "The server is stopping. The game goes on afterwards.";

/// A message to a room's task.
pub(crate) enum ToRoom {
    /// A connection starts to follow the room. The outbox belongs to the connection.
    Attach { input: HostInput, outbox: Outbox, reply: oneshot::Sender<bool> },
    /// A request from a connection.
    Request { input: HostInput, outbox: Outbox },
    /// Any other input, which nobody waits for.
    Input(HostInput),
    /// Somebody asks for the room's line in the lobby.
    Describe { account: AccountId, reply: oneshot::Sender<LobbyGame> },
    /// The room may have something to do. The sender is notified when it is done.
    Wake { reply: oneshot::Sender<()> },
    /// Another node has announced a change.
    Announced(Announcement),
    /// Another node has announced a change in a form that this version cannot read.
    Behind,
    /// The room was removed from the database.
    Removed,
    /// The server is stopping. Its host may have a last message for the players.
    Stop { farewell: Option<&'static str>, reply: oneshot::Sender<()> },
}

/// The state of a live room.
struct LiveRoom {
    hub: Arc<Hub>,
    handle: RoomHandle,
    host: Host,
    /// The connections that the room can write to.
    outboxes: HashMap<ConnectionId, Outbox>,
    /// Connections that have sent requests but do not follow the room.
    visitors: Vec<ConnectionId>,
    /// The computer player's work, with the version of the room in which it was requested.
    thinking: Option<(u64, Thinking)>,
    /// How many times in a row the computer has had no answer.
    failures: u32,
    /// Whether the players have been told that the computer cannot play on the board. Players who come later are told on
    /// arrival.
    has_told: bool,
    /// The room's state as last shown in the lists.
    listed: Option<LobbyState>,
    /// Whether storage offers the open room to people who seek a game. `None` if unknown on this node.
    offered: Option<bool>,
}

/// An event that the task waits for.
enum Event {
    Message(ToRoom),
    Tick,
    Thought(Thought),
    Idle,
}

/// Runs a newly created room.
pub(crate) fn begin(hub: Arc<Hub>, room: Room, handle: RoomHandle, mailbox: Mailbox) {
    let host = Host::created(room, hub.now(), &hub.cluster());
    let mut live = LiveRoom::new(hub, host, handle);
    live.offered = Some(true);
    spawn(live.run(mailbox));
}

/// Runs a room from its log, if the room exists.
pub(crate) async fn load(hub: Arc<Hub>, code: String, handle: RoomHandle, mut mailbox: Mailbox) {
    match read(&hub, &code).await {
        // The room is paused, and resumes after the restart.
        Ok(room) if hub.is_pausing() => {
            let host = Host::new(room, hub.now(), &hub.cluster());
            let live = LiveRoom::new(Arc::clone(&hub), host, handle);
            hub.forget(&code, &live.handle);
            mailbox.close();
            while let Some(message) = mailbox.recv().await {
                live.turn_away(*message);
            }
        }
        Ok(room) => {
            let host = Host::new(room, hub.now(), &hub.cluster());
            LiveRoom::new(hub, host, handle).run(mailbox).await;
        }
        Err((code_word, text)) => {
            hub.forget(&code, &handle);
            mailbox.close();
            while let Some(message) = mailbox.recv().await {
                match *message {
                    message @ ToRoom::Request { .. } if code_word == RejectionCode::Storage => {
                        give_up(message);
                    }
                    message => refuse(message, code_word, &text),
                }
            }
        }
    }
}

/// Reads a room. The error says why the room cannot run.
async fn read(hub: &Hub, code: &str) -> Result<Room, (RejectionCode, String)> {
    let log = hub.storage.log(code).await.map_err(|error| {
        // Anyone who knows the code of a private game can join it: keep the code out of the operator's log.
        hub.log.storage_failed(&error);
        (RejectionCode::Storage, apology(&error).to_owned())
    })?;
    if log.is_empty() {
        return Err((RejectionCode::NotFound, missing(code)));
    }
    Room::fold(hub.games, &log).map_err(|error| {
        log_damage(hub, code, &log, &error);
        (RejectionCode::Storage, "The server cannot read this game.".to_owned())
    })
}

/// Reports to the operator that a room's log cannot be folded.
fn log_damage(hub: &Hub, code: &str, log: &[Logged], error: &FoldError) {
    let created = log.first().map(|first| &first.event);
    let is_public = matches!(created, Some(RoomEvent::Created { terms, .. }) if terms.public);
    let entry = Entry::error("game_damaged", "A game cannot be loaded: its log is damaged.");
    // The full error text could quote a choice.
    hub.log.write_damage(code, &entry.game(code, is_public).with("seq", error.v));
}

impl LiveRoom {
    fn new(hub: Arc<Hub>, host: Host, handle: RoomHandle) -> Box<Self> {
        handle.version.store(host.room().version(), Relaxed);
        Box::new(Self {
            hub,
            handle,
            host,
            outboxes: HashMap::new(),
            visitors: Vec::new(),
            thinking: None,
            failures: 0,
            has_told: false,
            listed: None,
            offered: None,
        })
    }

    /// Runs until the room is idle, the server stops, or the room can no longer be written to. Boxed, because a task stores
    /// its arguments twice.
    async fn run(mut self: Box<Self>, mut mailbox: Mailbox) {
        let ended = match Box::pin(self.enter(HostInput::Tick)).await {
            Ok(()) => self.serve(&mut mailbox).await,
            Err(error) => Err(error),
        };
        self.hub.board.remove(self.host.room().code());
        if let Err(error) = ended {
            self.fail(&error);
            mailbox.close();
            while let Some(message) = mailbox.recv().await {
                give_up(*message);
            }
        }
    }

    async fn serve(&mut self, mailbox: &mut Mailbox) -> Result<(), StorageError> {
        loop {
            match self.next(mailbox).await {
                Event::Message(ToRoom::Stop { farewell, reply }) => {
                    let input = if self.hub.cluster().is_alone {
                        HostInput::Pause
                    } else {
                        HostInput::Drain
                    };
                    let stopped = Box::pin(self.enter(input)).await;
                    if let Some(text) = farewell {
                        let code = self.host.room().code();
                        self.notify(Rej::about(code, RejectionCode::Paused, text), |_| true);
                    }
                    // Answer messages that have arrived in the meantime before the connections are closed.
                    mailbox.close();
                    while let Ok(message) = mailbox.try_recv() {
                        self.turn_away(*message);
                    }
                    let _ = reply.send(());
                    if let Err(error) = stopped {
                        self.log_failure(&error);
                    }
                    // The room may have no followers on other nodes, which then need its deadline.
                    Box::pin(self.note_due()).await;
                    return Ok(());
                }
                Event::Message(ToRoom::Removed) => {
                    self.end_removed(mailbox);
                    return Ok(());
                }
                // Boxed, so that an idle room does not reserve space for these futures.
                Event::Message(message) => Box::pin(self.take(message)).await?,
                Event::Tick => Box::pin(self.enter(HostInput::Tick)).await?,
                Event::Thought(answer) => Box::pin(self.take_thought(answer)).await?,
                Event::Idle => {
                    if Box::pin(self.retire(mailbox)).await {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Leaves memory if no messages are waiting for the room. Returns whether it did.
    async fn retire(&mut self, mailbox: &Mailbox) -> bool {
        self.note_due().await && self.hub.retire(self.host.room().code(), &self.handle, mailbox)
    }

    /// Stores the room's deadline, by which nodes find games that nobody follows. Returns whether the stored deadline is
    /// current.
    async fn note_due(&mut self) -> bool {
        let room = self.host.room();
        let (code, due) = (room.code().to_owned(), room.due());
        if room.is_over() {
            return true;
        }
        match self.hub.storage.note_due(&code, due).await {
            Ok(()) => true,
            Err(error) => {
                if !error.is_unavailable() {
                    self.log_failure(&error);
                }
                false
            }
        }
    }

    /// Waits for the next event.
    async fn next(&mut self, mailbox: &mut Mailbox) -> Event {
        let now = self.hub.now();
        let due = self.host.due(&self.hub.cluster());
        let is_far = due.is_none_or(|due| due.saturating_sub(now) > FAR);
        let (is_asked, again) = match &self.thinking {
            Some((_, Thinking::Asked(_))) => (true, None),
            Some((_, Thinking::Stuck(again, _))) => (false, Some(*again)),
            None => (false, None),
        };
        let is_idle = self.outboxes.is_empty() && is_far && !is_asked;
        let until = [due, again].into_iter().flatten().min().map(|due| due.saturating_sub(now));
        // Check a distant deadline again after a while.
        let wait = match until {
            Some(until) if !is_idle => Duration::from_millis(until.clamp(1, FAR)),
            _ => IDLE,
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

    async fn take(&mut self, message: ToRoom) -> Result<(), StorageError> {
        match message {
            ToRoom::Attach { input, outbox, reply } => {
                let HostInput::Attach { connection, .. } = input else { return Ok(()) };
                self.outboxes.insert(connection, outbox.clone());
                self.enter(input).await?;
                // A connection that was refused does not follow the room.
                let follows = self.host.expects(connection);
                if !follows {
                    self.outboxes.remove(&connection);
                }
                let _ = reply.send(follows);
                self.welcome(connection, &outbox);
            }
            ToRoom::Request { input, outbox } => {
                let HostInput::Request { connection, .. } = input else { return Ok(()) };
                let is_follower = self.outboxes.contains_key(&connection);
                if !is_follower {
                    self.outboxes.insert(connection, outbox);
                }
                self.enter(input).await?;
                if !is_follower {
                    self.visitors.push(connection);
                }
                if !self.host.is_in_trouble() && !self.host.is_unsure() {
                    for visitor in std::mem::take(&mut self.visitors) {
                        if !self.host.expects(visitor) {
                            self.outboxes.remove(&visitor);
                        }
                    }
                }
            }
            ToRoom::Input(input) => {
                if let HostInput::Detach { connection } | HostInput::Leave { connection, .. } =
                    input
                {
                    self.outboxes.remove(&connection);
                }
                self.enter(input).await?;
            }
            ToRoom::Describe { account, reply } => {
                let _ = reply.send(self.host.room().lobby_game(account));
            }
            ToRoom::Wake { reply } => {
                self.enter(HostInput::Tick).await?;
                let _ = reply.send(());
            }
            ToRoom::Announced(announcement) => {
                self.handle(HostEvent::Announced(announcement)).await?;
            }
            ToRoom::Behind => self.handle(HostEvent::Unreadable).await?,
            ToRoom::Stop { .. } | ToRoom::Removed => unreachable!("handled by the loop"),
        }
        Ok(())
    }

    /// Welcomes a connection that follows the room: records a player's network, and says whether the computer is stuck.
    fn welcome(&mut self, connection: ConnectionId, outbox: &Outbox) {
        if !self.host.players().any(|player| player == connection) {
            return;
        }
        if let Some(network) = outbox.network() {
            self.handle.note_network(network);
        }
        match &self.thinking {
            Some((_, Thinking::Stuck(..))) => self.tell_stuck(|to| to == connection),
            Some((_, Thinking::Asked(_))) | None => self.has_told = false,
        }
    }

    async fn enter(&mut self, input: HostInput) -> Result<(), StorageError> {
        self.handle(HostEvent::Input(input)).await
    }

    /// Passes an event to the host and carries out its decisions, until the host waits for the next event.
    async fn handle(&mut self, event: HostEvent) -> Result<(), StorageError> {
        let mut next = Some(event);
        while let Some(event) = next.take() {
            let cluster = self.hub.cluster();
            if cluster.is_available && cluster.reached + GAP < self.hub.now() {
                // The node has hung. A heartbeat shows whose clocks to excuse; if it fails, the host finds out.
                let _ = self.hub.beat().await;
            }
            let (now, cluster) = (self.hub.now(), self.hub.cluster());
            let mut question = None;
            for effect in self.host.handle(now, &cluster, event).map_err(damaged)? {
                match effect {
                    Effect::Send(outgoing) => self.deliver(outgoing),
                    Effect::Publish(announcement) => {
                        self.hub.nodes.bus.announce(self.host.room().code(), announcement);
                    }
                    Effect::Close(connection) => {
                        if let Some(outbox) = self.outboxes.get(&connection) {
                            outbox.close(CloseReason::signed_in());
                        }
                    }
                    // The host waits for one answer at a time.
                    Effect::Append { .. } | Effect::Read { .. } | Effect::Recognise(_) => {
                        question = Some(effect);
                    }
                }
            }
            self.handle.version.store(self.host.room().version(), Relaxed);
            if let Some(question) = question {
                next = Some(self.ask(question).await?);
            }
        }
        self.settle().await
    }

    /// Queries or updates the database for the host. On error, the room cannot go on.
    async fn ask(&mut self, question: Effect) -> Result<HostEvent, StorageError> {
        let code = self.host.room().code().to_owned();
        Ok(match question {
            Effect::Append { append, outage } => {
                let resumes = append.events.iter().any(Logged::is_resumption);
                let guard = Some(self.hub.guard(outage));
                HostEvent::Appended(match self.hub.storage.append(*append, guard).await {
                    Ok(()) => {
                        self.hub.resumed.fetch_add(resumes.into(), Relaxed);
                        Ok(())
                    }
                    Err(StorageError::Conflict(_)) => Err(AppendError::Conflict),
                    Err(StorageError::Stale) => match available(self.hub.beat().await)? {
                        Ok(()) => Err(AppendError::Stale),
                        Err(Unavailable) => Err(AppendError::Unavailable),
                    },
                    Err(error) => {
                        available::<()>(Err(error))?.map_err(|Unavailable| AppendError::Unavailable)
                    }
                })
            }
            Effect::Read { after } => HostEvent::Read({
                // A heartbeat shows whether an outage is over, since the database may only be readable, and for how long no
                // clock ran.
                let heartbeat = if self.host.is_in_trouble() {
                    available(self.hub.beat().await)?
                } else {
                    Ok(())
                };
                match heartbeat {
                    Ok(()) => available(self.hub.storage.log_after(&code, after).await)?,
                    Err(Unavailable) => Err(Unavailable),
                }
            }),
            Effect::Recognise(account) => {
                HostEvent::Recognised(available(self.hub.storage.seated(&code, account).await)?)
            }
            Effect::Publish(_) | Effect::Send(_) | Effect::Close(_) => {
                unreachable!("these ask nothing")
            }
        })
    }

    /// Handles a message that arrives while the server is stopping. A request carried out before is acknowledged. Any other
    /// is refused, unless another node may carry it out: clients connect to that node and resend it.
    fn turn_away(&self, message: ToRoom) {
        let is_alone = self.hub.cluster().is_alone;
        match message {
            ToRoom::Request { input, outbox } => match self.host.answer_to(&input) {
                Some(answer) => outbox.send(&answer),
                None if is_alone => {
                    refuse(ToRoom::Request { input, outbox }, RejectionCode::Paused, STOPPING);
                }
                None => {}
            },
            ToRoom::Attach { .. } if !is_alone => {}
            message => refuse(message, RejectionCode::Paused, STOPPING),
        }
    }

    /// The room was removed from the database: notifies its followers and refuses pending requests.
    fn end_removed(&self, mailbox: &mut Mailbox) {
        const TEXT: &str = "The operator of this server has removed this game, because nobody had played for a long time.";
        let code = self.host.room().code();
        self.notify(Rej::about(code, RejectionCode::NotFound, TEXT), |_| true);
        self.hub.forget(code, &self.handle);
        mailbox.close();
        while let Ok(message) = mailbox.try_recv() {
            refuse(*message, RejectionCode::NotFound, &missing(code));
        }
    }

    /// Ends after a failure. The last events may or may not be durable, so clients reconnect and the room is folded again
    /// from its log.
    fn fail(&self, error: &StorageError) {
        self.log_failure(error);
        self.hub.forget(self.host.room().code(), &self.handle);
        for outbox in self.outboxes.values() {
            outbox.close(lost());
        }
    }

    fn log_failure(&self, error: &StorageError) {
        if matches!(error, StorageError::Closed) {
            return self.hub.log.storage_failed(error);
        }
        let room = self.host.room();
        let entry = Entry::error("game_not_stored", "A game cannot be stored.");
        self.hub.log.write(&entry.game(room.code(), room.terms().public).failure(error));
    }
}

/// Distinguishes an unreachable database from one that fails.
fn available<T>(result: Result<T, StorageError>) -> Result<Result<T, Unavailable>, StorageError> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_unavailable() => Ok(Err(Unavailable)),
        Err(error) => Err(error),
    }
}

/// The error message for a game that does not exist.
pub(crate) fn missing(code: &str) -> String {
    format!("There is no game {code}. Check the code.")
}

/// Closes a connection whose request may or may not have been carried out. The client resends the request.
fn lost() -> CloseReason {
    let text = "The server could not store the game. Connect again to go on.";
    CloseReason::bye(RejectionCode::Storage, 1011, text)
}

/// Closes the connection that sent a message, if the message may or may not have been carried out.
fn give_up(message: ToRoom) {
    if let ToRoom::Attach { outbox, .. } | ToRoom::Request { outbox, .. } = message {
        outbox.close(lost());
    }
}

/// Refuses a message to a room that cannot take it.
fn refuse(message: ToRoom, code: RejectionCode, text: &str) {
    if let ToRoom::Attach { input, outbox, .. } | ToRoom::Request { input, outbox } = message {
        let id = match input {
            HostInput::Attach { id, .. } | HostInput::Request { id, .. } => id,
            _ => None,
        };
        outbox.send(&skirmish_room::wire::ServerMessage::Rej(Rej::of(id, code, text)));
    }
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn damaged(error: FoldError) -> StorageError {
    StorageError::Damaged(error.to_string())
}
