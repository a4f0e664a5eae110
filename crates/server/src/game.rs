//! The task of one live room. On the node that owns the room it validates a message, appends its events, and only then
//! answers and tells the others; on other nodes it follows the log.

mod away;
mod following;
mod forwarding;
mod mailbox;
mod outboxes;
mod owner;
mod settling;
#[cfg(test)]
mod tests;
mod thinking;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use skirmish_room::wire::{LobbyGame, Rej, ServerMessage};
use skirmish_room::{
    AccountId, Acquired, Bell, ConnectionId, DeskInput, FoldError, Forward, Lease, Millis, NodeId,
    Origin, RejectionCode, Replica, Reply, Report, Room, RoomEvent, Served,
};
use tokio::sync::oneshot;

use self::away::Away;
use self::following::Following;
pub(crate) use self::mailbox::{Mailbox, MailboxSender, mailbox};
use self::outboxes::Outboxes;
use self::owner::Owner;
use crate::hub::{Hub, RoomHandle, apology};
use crate::log::Entry;
use crate::outbox::{CloseReason, Outbox};
use crate::storage::StorageError;

/// How long a room without followers stays in memory.
const IDLE: Duration = Duration::from_secs(30);

/// What is said to whoever asks a room for something while the server stops.
const STOPPING: &str = "The server is stopping. The game goes on afterwards.";

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
    /// Time may have passed, or the owner may be gone.
    Wake { reply: oneshot::Sender<()> },
    /// Accounts have been merged: the log names others now.
    Reload,
    /// Another node passes a request on, to the owner with the lease of this epoch.
    Forwarded { epoch: i64, forward: Forward, reply: oneshot::Sender<Reply> },
    /// Another node says who follows the room there.
    Report { node: NodeId, report: Report, reply: oneshot::Sender<Reply> },
    /// The owner says that something has changed.
    Bell(Bell),
    /// The database cannot be reached.
    Away,
    /// The owner, with this lease, cannot reach the database: no clock has run since that time.
    OwnerAway(Lease, Millis),
    /// Another node has taken the room.
    Lost,
    /// Another node stops, on which a player is connected.
    Leaving,
    /// Whoever is connected here is sent to other nodes.
    SendAway,
    /// Whether living nodes do not get through.
    Deaf(bool),
    /// The operator closes the game.
    Shut,
    /// The room was removed from the database.
    Removed,
    /// The server stops.
    Stop { reply: oneshot::Sender<()> },
}

impl ToRoom {
    /// Whether it lets this connection follow the room.
    fn attaches(&self, connection: ConnectionId) -> bool {
        matches!(self, Self::Attach { input, .. } if input.connection() == Some(connection))
    }

    /// Whether a request was sent again on the same connection.
    fn repeats(&self, other: &Self) -> bool {
        let sent = |message: &Self| match message {
            Self::Input { input: DeskInput::Request { connection, id, .. }, .. } => {
                id.clone().map(|id| (*connection, id))
            }
            _ => None,
        };
        sent(self).is_some_and(|own| sent(other) == Some(own))
    }

    /// Whether this connection asks for something.
    fn comes_from(&self, connection: ConnectionId) -> bool {
        matches!(self, Self::Attach { input, .. } | Self::Input { input, .. }
            if input.connection() == Some(connection))
    }
}

/// What a room's task is doing.
enum Role {
    /// This node owns the room.
    Owner(Box<Owner>),
    /// Another one does.
    Following(Box<Following>),
    /// The database cannot be reached.
    Away(Box<Away>),
}

impl Role {
    fn hub(&self) -> &Hub {
        match self {
            Self::Owner(owner) => &owner.hub,
            Self::Following(following) => &following.hub,
            Self::Away(away) => &away.hub,
        }
    }
}

/// What waits while a task turns from one thing to another.
type Waiting = VecDeque<ToRoom>;

/// What a task turns to next; none if it ends. What waits is handled first.
type Next = Option<(Role, Waiting)>;

/// Runs a room that was just created.
pub(crate) fn begin(
    hub: Arc<Hub>,
    room: Room,
    handle: RoomHandle,
    lease: Option<Lease>,
    mailbox: Mailbox,
) {
    handle.version.store(room.version(), Relaxed);
    let mut owner = Owner::new(hub, room, handle, lease, Served::default());
    owner.offered = Some(true);
    tokio::spawn(run(Role::Owner(Box::new(owner)), mailbox));
}

async fn run(role: Role, mut mailbox: Mailbox) {
    let metrics = Arc::clone(&role.hub().metrics);
    let rooms = &metrics.rooms;
    let mut next: Next = Some((role, Waiting::new()));
    while let Some((role, waiting)) = next {
        next = match role {
            Role::Owner(owner) => {
                let _held = rooms.owned.hold();
                owner.run(&mut mailbox, waiting).await
            }
            Role::Following(following) => {
                let _held = rooms.followed.hold();
                following.run(&mut mailbox, waiting).await
            }
            Role::Away(away) => {
                let _held = rooms.away.hold();
                away.run(&mut mailbox, waiting).await
            }
        };
    }
}

/// Runs a room from the log, if it exists.
pub(crate) async fn load(hub: Arc<Hub>, code: String, handle: RoomHandle, mut mailbox: Mailbox) {
    match read(&hub, &code, &handle).await {
        Ok(role) => run(role, mailbox).await,
        Err(unread) => {
            hub.forget(&code, &handle);
            mailbox.close();
            while let Some(message) = mailbox.recv().await {
                match &unread {
                    Unread::Refused(RejectionCode::Storage, _)
                        if matches!(*message, ToRoom::Input { .. }) =>
                    {
                        give_up(*message);
                    }
                    Unread::Refused(code_word, text) => refuse(*message, *code_word, text),
                    Unread::Stopping(room) => turn_away(&hub, room, *message),
                }
            }
        }
    }
}

/// Why a room cannot be run.
enum Unread {
    Refused(RejectionCode, String),
    /// It has been paused, and goes on after the restart.
    Stopping(Box<Room>),
}

/// Reads a room, and finds out whether this node owns it.
async fn read(hub: &Arc<Hub>, code: &str, handle: &RoomHandle) -> Result<Role, Unread> {
    let unreadable = |error: StorageError| {
        // Whoever knows the code of a private game can join it: it does not get into the log.
        hub.log.storage_failed(&error);
        Unread::Refused(RejectionCode::Storage, apology(&error).to_owned())
    };
    // The lease comes first: nobody else appends to what is read then. A node that stops takes none.
    let acquired = match &hub.nodes {
        Some(_) if hub.is_pausing() => None,
        Some(nodes) => hub.storage.acquire(code, nodes.id, false).await.map_err(unreadable)?,
        None => None,
    };
    let log = match hub.storage.log(code).await {
        Ok(log) => log,
        Err(error) => {
            if let Some(Acquired::Mine { lease, .. }) = acquired {
                // Another node may be able to read it.
                let _ = hub.storage.release(code, lease).await;
            }
            return Err(unreadable(error));
        }
    };
    if log.is_empty() {
        return Err(Unread::Refused(RejectionCode::NotFound, missing(code)));
    }
    let room = Room::fold(hub.games, &log).map_err(|error| {
        let created = log.first().map(|first| &first.event);
        let is_public = matches!(created, Some(RoomEvent::Created { terms, .. }) if terms.public);
        let entry = Entry::error("game_damaged", "An event in the log of a game does not fit.");
        // The rest of the error could quote a choice.
        hub.log.write_damage(code, &entry.game(code, is_public).with("seq", error.v));
        Unread::Refused(RejectionCode::Storage, "The server cannot read this game.".to_owned())
    })?;
    if hub.is_pausing() {
        return Err(Unread::Stopping(Box::new(room)));
    }
    handle.version.store(room.version(), Relaxed);
    let (hub, handle) = (Arc::clone(hub), handle.clone());
    Ok(match acquired {
        Some(Acquired::HeldBy(owner)) => {
            let (replica, outboxes) = (Replica::new(room), Outboxes::default());
            Role::Following(Box::new(Following::new(hub, handle, replica, outboxes, owner)))
        }
        Some(Acquired::Mine { lease, stopped, beat }) => {
            // The room may have slept here while the database was away.
            let served = Served { stopped, outage: hub.reach.outage(&room), beat };
            Role::Owner(Box::new(Owner::new(hub, room, handle, Some(lease), served)))
        }
        None => Role::Owner(Box::new(Owner::new(hub, room, handle, None, Served::default()))),
    })
}

/// Deals with a message that comes while the server stops. What has been carried out before is acknowledged; the rest is
/// refused, unless another node may carry it out: clients connect to that, and send it again.
fn turn_away(hub: &Hub, room: &Room, message: ToRoom) {
    let known = match &message {
        ToRoom::Input { input: DeskInput::Request { account, id: Some(id), .. }, .. } => {
            let origin = Origin { account: *account, id: id.clone() };
            room.answer_to(&origin).map(|v| (origin.id, v))
        }
        _ => None,
    };
    match (message, known) {
        (ToRoom::Input { outbox, .. }, Some((id, v))) => {
            let code = Some(room.code().to_owned());
            outbox.send(&ServerMessage::Ack { id, code, v: Some(v) });
        }
        (ToRoom::Input { .. } | ToRoom::Attach { .. }, None) if hub.nodes.is_some() => {}
        (message, _) => refuse(message, RejectionCode::Paused, STOPPING),
    }
}

/// The error message for a game that does not exist.
pub(crate) fn missing(code: &str) -> String {
    format!("There is no game {code}. Check the code.")
}

/// Ends the task of a room that was removed from the database: notifies its followers and refuses pending requests.
fn end_removed(
    hub: &Hub,
    (code, handle): (&str, &RoomHandle),
    outboxes: &Outboxes,
    mailbox: &mut Mailbox,
) {
    const TEXT: &str = "The operator of this server has removed this game, because nobody had played on for a long time.";
    outboxes.notify_all(Rej::about(code, RejectionCode::NotFound, TEXT));
    hub.forget(code, handle);
    mailbox.close();
    while let Ok(message) = mailbox.try_recv() {
        refuse(*message, RejectionCode::NotFound, &missing(code));
    }
}

/// Why a connection is closed whose request may or may not have been carried out. The client sends it again.
fn lost() -> CloseReason {
    let text = "The server could not store the game. Connect again to go on.";
    CloseReason::bye(RejectionCode::Storage, 1011, text)
}

/// Closes the connection from which a message comes, if nobody knows whether it has been carried out.
fn give_up(message: ToRoom) {
    match message {
        ToRoom::Attach { outbox, .. } | ToRoom::Input { outbox, .. } => outbox.close(lost()),
        message => refuse(message, RejectionCode::Storage, ""),
    }
}

/// Refuses a message to a room that cannot take it.
fn refuse(message: ToRoom, code: RejectionCode, text: &str) {
    let (input, outbox) = match message {
        ToRoom::Attach { input, outbox, .. } | ToRoom::Input { input, outbox } => (input, outbox),
        ToRoom::Forwarded { reply, .. } | ToRoom::Report { reply, .. } => {
            let _ = reply.send(Reply::NotOwner);
            return;
        }
        _ => return,
    };
    let id = match input {
        DeskInput::Attach { id, .. } | DeskInput::Request { id, .. } => id,
        _ => None,
    };
    outbox.send(&ServerMessage::Rej(Rej::of(id, code, text)));
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn damaged(error: FoldError) -> StorageError {
    StorageError::Damaged { what: error.to_string() }
}
