//! The task of one live room: it validates a message, appends its events, and only then answers and tells the others.

mod thinking;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use skirmish_room::wire::{LobbyGame, Rej, ServerMessage};
use skirmish_room::{
    AccountId, ConnectionId, Desk, DeskInput, Millis, Outgoing, Recipient, RejectionCode, Room,
    RoomEvent,
};
use skirmish_rules::{Both, History};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use self::thinking::Thinking;
use crate::codes;
use crate::computer::{Thought, Unplayable};
use crate::hub::{Hub, RoomHandle};
use crate::outbox::{CloseReason, Outbox, frame};
use crate::storage::{Append, FinishedGame, RoomIndex, RoomStage, StorageError};

/// How long a room without followers stays in memory.
const IDLE: Duration = Duration::from_secs(30);

/// A room whose deadline is further away than this can leave memory.
const FAR: Millis = 10 * 60 * 1000;

/// What is said to whoever asks a room for something while the server stops.
const STOPPING: &str = "The server is stopping. The game goes on afterwards.";

/// What waits for a room.
pub(crate) type Mailbox = mpsc::Receiver<Box<ToRoom>>;

/// What a room is told.
pub(crate) enum ToRoom {
    /// A connection follows the room; the outbox is its own.
    Attach { input: DeskInput, outbox: Outbox, reply: oneshot::Sender<bool> },
    /// Something else from a connection.
    Input { input: DeskInput, outbox: Outbox },
    /// A connection follows the room no longer.
    Detach { connection: ConnectionId },
    /// A player leaves: a room that nobody has joined is closed.
    Leave { close: DeskInput, connection: ConnectionId },
    /// Somebody asks for a line of the lobby.
    Describe { account: AccountId, reply: oneshot::Sender<LobbyGame> },
    /// Time may have passed.
    Wake { reply: oneshot::Sender<()> },
    /// Accounts have been merged: the log names others now.
    Reload,
    /// The server stops.
    Stop { reply: oneshot::Sender<()> },
}

/// Runs a room that was just created.
pub(crate) fn begin(hub: Arc<Hub>, room: Room, handle: RoomHandle, mailbox: Mailbox) {
    handle.version.store(room.version(), Relaxed);
    tokio::spawn(Box::new(Game::new(hub, room, handle)).run(mailbox));
}

/// Runs a room from the log, if it exists.
pub(crate) async fn load(hub: Arc<Hub>, code: String, handle: RoomHandle, mut mailbox: Mailbox) {
    let room = match hub.storage.log(&code).await {
        // The room has been paused, and goes on after the restart.
        Ok(_) if hub.is_pausing() => Err((RejectionCode::Paused, STOPPING.to_owned())),
        Ok(log) if log.is_empty() => {
            Err((RejectionCode::NotFound, format!("There is no game {code}. Check the code.")))
        }
        Ok(log) => Room::fold(hub.games, &log).map_err(|error| {
            let created = log.first().map(|first| &first.event);
            let is_public =
                matches!(created, Some(RoomEvent::Created { terms, .. }) if terms.public);
            let name = codes::name_in_log(&code, is_public);
            // The rest of the error could quote a choice.
            (hub.log)(&format!("{name} cannot be read: event {} of its log does not fit", error.v));
            (RejectionCode::Storage, "The server cannot read this game.".to_owned())
        }),
        Err(error) => {
            // Whoever knows the code of a private game can join it: it does not get into the log.
            (hub.log)(&format!("a game cannot be read: {error}"));
            let text = "The server cannot read this game. Try again later.";
            Err((RejectionCode::Storage, text.to_owned()))
        }
    };
    match room {
        Ok(room) => begin(hub, room, handle, mailbox),
        Err((code_word, text)) => {
            hub.forget(&code, &handle);
            mailbox.close();
            while let Some(message) = mailbox.recv().await {
                refuse(*message, code_word, &text);
            }
        }
    }
}

/// Refuses a message to a room that does not exist.
fn refuse(message: ToRoom, code: RejectionCode, text: &str) {
    let (ToRoom::Attach { input, outbox, .. } | ToRoom::Input { input, outbox }) = message else {
        return;
    };
    let id = match input {
        DeskInput::Attach { id, .. } | DeskInput::Request { id, .. } => id,
        _ => None,
    };
    let rej = Rej { id, code, text: text.to_owned(), legal: Vec::new(), seconds: None };
    outbox.send(&ServerMessage::Rej(rej));
}

/// A live room.
struct Game {
    hub: Arc<Hub>,
    handle: RoomHandle,
    desk: Desk,
    outboxes: HashMap<ConnectionId, Outbox>,
    /// What the computer does, with the version of the room in which it was asked.
    thinking: Option<(u64, Thinking)>,
    /// How often in a row it had no answer.
    failures: u32,
    /// Whether the players have been told that it cannot play on the board. Whoever comes later is told then.
    has_told: bool,
    /// What the lists show: the stage, whether they do, and which game of the room it is.
    listed: Option<(RoomStage, bool, u32)>,
    /// The last game of the room whose result is stored.
    finished: u32,
}

/// What the task waits for.
enum Next {
    Message(ToRoom),
    Tick,
    Thought(Thought),
    Idle,
}

impl Game {
    fn new(hub: Arc<Hub>, room: Room, handle: RoomHandle) -> Self {
        Self {
            hub,
            handle,
            desk: Desk::new(room),
            outboxes: HashMap::new(),
            thinking: None,
            failures: 0,
            has_told: false,
            listed: None,
            finished: 0,
        }
    }

    /// Runs until the room is idle or the server stops. The game is in a box, because a task holds its arguments twice.
    async fn run(mut self: Box<Self>, mut mailbox: Mailbox) {
        if let Err(error) = self.serve(&mut mailbox).await {
            self.fail(&error);
            mailbox.close();
            while let Some(message) = mailbox.recv().await {
                refuse(*message, RejectionCode::Storage, "The server could not store the game.");
            }
        }
        self.hub.board.remove(self.desk.room().code());
    }

    async fn serve(&mut self, mailbox: &mut Mailbox) -> Result<(), StorageError> {
        let room = self.desk.room();
        // The clocks stood still while the server was away. A room can be paused in the future: the calendar may have
        // been set back.
        let is_older = room.last_event() < self.hub.clock.boot();
        let was_away = room.is_paused() || (room.is_playing() && is_older);
        if was_away {
            Box::pin(self.enter(DeskInput::Resume { until: self.hub.ran_until })).await?;
        } else {
            Box::pin(self.settle()).await?;
        }
        loop {
            match self.next(mailbox).await {
                Next::Message(ToRoom::Stop { reply }) => {
                    let paused = Box::pin(self.enter(DeskInput::Stop)).await;
                    // What has come meanwhile is answered before the connections are closed.
                    mailbox.close();
                    while let Ok(message) = mailbox.try_recv() {
                        refuse(*message, RejectionCode::Paused, STOPPING);
                    }
                    let _ = reply.send(());
                    return paused;
                }
                // Futures of their own on the heap: an idle room does not need their room.
                Next::Message(message) => Box::pin(self.take(message)).await?,
                Next::Tick => Box::pin(self.enter(DeskInput::Tick)).await?,
                Next::Thought(answer) => Box::pin(self.take_thought(answer)).await?,
                Next::Idle => {
                    let code = self.desk.room().code().to_owned();
                    if self.hub.retire(&code, &self.handle, mailbox, self.desk.due()) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Waits for the next thing to do.
    async fn next(&mut self, mailbox: &mut Mailbox) -> Next {
        let now = self.hub.now();
        let due = self.desk.due();
        let is_far = due.is_none_or(|due| due.saturating_sub(now) > FAR);
        let (is_asked, again) = match &self.thinking {
            Some((_, Thinking::Asked(_))) => (true, None),
            Some((_, Thinking::Stuck(again, _))) => (false, Some(*again)),
            None => (false, None),
        };
        let is_idle = self.outboxes.is_empty() && is_far && !is_asked;
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
            message = mailbox.recv() => message.map_or(Next::Idle, |message| Next::Message(*message)),
            answer = thought => Next::Thought(answer),
            () = timer => if is_idle { Next::Idle } else { Next::Tick },
        }
    }

    async fn take(&mut self, message: ToRoom) -> Result<(), StorageError> {
        match message {
            ToRoom::Attach { input, outbox, reply } => {
                let DeskInput::Attach { connection, .. } = input else { return Ok(()) };
                self.outboxes.insert(connection, outbox);
                self.enter(input).await?;
                // Whoever was refused does not follow the room.
                let follows = self.desk.followers().any(|follower| follower == connection);
                if !follows {
                    self.outboxes.remove(&connection);
                }
                let _ = reply.send(follows);
                if self.desk.players().any(|player| player == connection) {
                    match &self.thinking {
                        Some((_, Thinking::Stuck(..))) => self.tell_stuck(|to| to == connection),
                        Some((_, Thinking::Asked(_))) | None => self.has_told = false,
                    }
                }
                Ok(())
            }
            ToRoom::Input { input, outbox } => {
                let DeskInput::Request { connection, .. } = input else { return Ok(()) };
                let is_follower = self.outboxes.contains_key(&connection);
                if !is_follower {
                    self.outboxes.insert(connection, outbox);
                }
                let result = self.enter(input).await;
                if !is_follower {
                    self.outboxes.remove(&connection);
                }
                result
            }
            ToRoom::Detach { connection } => {
                self.outboxes.remove(&connection);
                self.enter(DeskInput::Detach { connection }).await
            }
            ToRoom::Leave { close, connection } => {
                self.outboxes.remove(&connection);
                self.enter(close).await?;
                self.enter(DeskInput::Detach { connection }).await
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
                let log = self.hub.storage.log(self.desk.room().code()).await?;
                let damaged = |error: skirmish_room::FoldError| StorageError::Damaged {
                    what: error.to_string(),
                };
                let room = Room::fold(self.hub.games, &log).map_err(damaged)?;
                self.desk.replace(self.hub.now(), room);
                Ok(())
            }
            ToRoom::Stop { .. } => unreachable!("handled by the loop"),
        }
    }

    /// Validates, appends, and then answers and tells the others: in this order.
    async fn enter(&mut self, input: DeskInput) -> Result<(), StorageError> {
        let mut next = Some(input);
        while let Some(input) = next.take() {
            let step = self.desk.handle(self.hub.now(), input);
            self.deliver(step.send);
            if step.append.is_empty() {
                continue;
            }
            let room = self.desk.room();
            let append = Append {
                code: room.code().to_owned(),
                after: room.version(),
                lease: None,
                events: step.append,
            };
            self.hub.storage.append(append).await?;
            let committed = self.desk.commit(self.hub.now());
            let (send, again) =
                committed.map_err(|error| StorageError::Damaged { what: error.to_string() })?;
            self.handle.version.store(self.desk.room().version(), Relaxed);
            self.deliver(send);
            next = again;
        }
        self.settle().await
    }

    fn deliver(&self, send: Vec<Outgoing>) {
        for Outgoing { to, message } in send {
            match to {
                Recipient::One(connection) => {
                    if let Some(outbox) = self.outboxes.get(&connection) {
                        outbox.send(&message);
                    }
                }
                Recipient::All if self.outboxes.is_empty() => {}
                Recipient::All => {
                    // One text for all: nobody gets to see more than others.
                    let frame = frame(&message);
                    for connection in self.desk.followers() {
                        if let Some(outbox) = self.outboxes.get(&connection) {
                            outbox.send_frame(frame.clone());
                        }
                    }
                }
            }
        }
    }

    /// Brings what follows from the room up to date: lists, results, and what the computer has to do.
    async fn settle(&mut self) -> Result<(), StorageError> {
        self.list().await?;
        self.store_result().await?;
        self.think();
        Ok(())
    }

    async fn list(&mut self) -> Result<(), StorageError> {
        let room = self.desk.room();
        let stage = if room.is_open() {
            RoomStage::Open
        } else if room.is_over() {
            RoomStage::Over
        } else {
            RoomStage::Playing
        };
        let terms = room.terms();
        // An open room whose creator is gone keeps nobody waiting in the lobby.
        let present = room.present();
        let is_shown = match stage {
            RoomStage::Open => terms.public && (present.one || present.two),
            RoomStage::Playing => terms.public && terms.spectators,
            RoomStage::Over => false,
        };
        self.handle.turns.store(room.table().map_or(0, History::turns_played), Relaxed);
        if self.listed == Some((stage, is_shown, room.number())) {
            return Ok(());
        }
        let before = self.listed.replace((stage, is_shown, room.number()));
        let accounts =
            room.people().as_ref().map(|person| person.as_ref().map(|person| person.account));
        if is_shown {
            let creator = accounts.one.or(accounts.two).unwrap_or_default();
            let is_open = stage == RoomStage::Open;
            self.hub.board.show(room.lobby_game(0), creator, is_open, &self.handle);
        } else {
            self.hub.board.remove(room.code());
        }
        // The storage notes by itself that a room opens, that a game begins, and with a result that the room is over.
        if before.is_none() && stage == RoomStage::Over {
            let (public, watchable) = (terms.public, terms.spectators);
            let index = RoomIndex { stage, public, watchable, accounts };
            self.hub.storage.index(room.code(), index).await?;
        }
        Ok(())
    }

    async fn store_result(&mut self) -> Result<(), StorageError> {
        let room = self.desk.room();
        let (Some(end), Some(plan)) = (room.end(), room.plan()) else { return Ok(()) };
        if self.finished == room.number() {
            return Ok(());
        }
        self.finished = room.number();
        let accounts: Both<Option<AccountId>> =
            room.people().as_ref().map(|person| person.as_ref().map(|person| person.account));
        let game = FinishedGame {
            code: room.code().to_owned(),
            number: room.number(),
            game: plan.entry.id.to_owned(),
            names: plan.names.clone(),
            accounts,
            end,
            date: plan.date.clone(),
            rated: room.terms().rated,
            is_last: room.is_over(),
        };
        self.hub.storage.finish(game).await
    }

    /// Ends after a failure. Nobody can tell whether the last events are durable, so the clients connect again, and the
    /// room is folded from what is.
    fn fail(&self, error: &StorageError) {
        let code = self.desk.room().code();
        let name = codes::name_in_log(code, self.desk.room().terms().public);
        (self.hub.log)(&format!("{name} cannot be stored: {error}"));
        self.hub.board.remove(code);
        self.hub.forget(code, &self.handle);
        for outbox in self.outboxes.values() {
            let text = "The server could not store the game. Connect again to go on.";
            outbox.close(CloseReason::bye(RejectionCode::Storage, 1011, text));
        }
    }
}
