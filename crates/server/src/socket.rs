//! One connection: reads messages, answers them or passes them to a room, and writes outgoing messages.

mod account;
mod games;
mod request;

use std::net::IpAddr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use futures_util::SinkExt;
use serde::Deserialize;
use skirmish_room::wire::{ClientMessage, MessageId, Rej, ServerMessage};
use skirmish_room::{
    AccountId, ConnectionId, HostInput, Millis, Rejection, RejectionCode, TimeControl,
};
use skirmish_rules::alternatives;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tungstenite::Error as WsError;
use tungstenite::error::ProtocolError;

use self::request::MessageError;
use crate::game::ToRoom;
use crate::hub::{Hub, RoomHandle, millis};
use crate::limits::{Reached, TokenBucket, network};
use crate::log::{Entry, Level};
use crate::outbox::{CloseReason, Inbox, Outbox, frame, outbox};
use crate::request_id::RequestId;
use crate::storage::Account;

/// Cost of a message or request that is malformed or names no game. Guessing codes is thus expensive.
pub(crate) const WRONG: u32 = 10;

/// A connection.
pub(crate) struct Connection {
    hub: Arc<Hub>,
    id: ConnectionId,
    /// The connection's id in the log.
    request: RequestId,
    address: IpAddr,
    outbox: Outbox,
    bucket: TokenBucket,
    account: Option<Account>,
    /// Number of renames of accounts when this account was read.
    renames: u64,
    /// Whether the account existed before this connection.
    is_back: bool,
    /// Number of games that the account had at the start or has created since. Some may be over.
    games: usize,
    /// Whether the client has said `hello`.
    is_greeted: bool,
    /// A keyed hash of the client's device, if `hello` named one.
    device: Option<NonZeroU64>,
    /// The name requested by a guest.
    wanted_name: Option<String>,
    /// The rooms that the connection follows.
    follows: Vec<Followed>,
    heard: Millis,
    /// When the last unanswered ping was sent.
    pinged: Option<Millis>,
    /// The shortest round-trip time measured.
    round_trip: Option<Millis>,
}

/// Serves a connection until it ends. Boxed, because a task stores its arguments twice.
pub(crate) fn serve(
    hub: Arc<Hub>,
    (address, request): (IpAddr, RequestId),
    socket: WebSocket,
) -> impl Future<Output = ()> + Send {
    hub.metrics.connections.increase();
    let (outbox, inbox) = outbox(Some((network(address), Arc::clone(&hub.metrics))));
    let now = hub.now();
    let connection = Box::new(Connection {
        id: hub.next_connection(),
        bucket: TokenBucket::full(hub.ledger.limits().connection, now),
        address,
        request,
        outbox,
        account: None,
        renames: hub.people.renames(),
        is_back: false,
        games: 0,
        is_greeted: false,
        device: None,
        wanted_name: None,
        follows: Vec::new(),
        heard: now,
        pinged: None,
        round_trip: None,
        hub,
    });
    run(connection, Box::new(socket), inbox)
}

async fn run(mut connection: Box<Connection>, mut socket: Box<WebSocket>, inbox: Inbox) {
    connection.note(|| Entry::debug("connection_opened", "A client has connected."));
    let closed = connection.talk(&mut socket, &inbox).await;
    connection.note(|| {
        let entry = Entry::debug("connection_closed", "A connection has ended.");
        match &closed {
            Some(CloseReason::Bye { code, .. }) => {
                entry.with("why", skirmish_present::json::text(code).trim_matches('"'))
            }
            Some(CloseReason::Restart { .. }) => entry.with("why", "restart"),
            None => entry,
        }
    });
    Box::pin(connection.end(&mut socket, closed)).await;
}

/// A room that a connection follows.
struct Followed {
    code: String,
    handle: RoomHandle,
    /// The client's version when it joined. While the database cannot be reached, this node may be behind.
    have: u64,
}

impl Followed {
    /// Returns the room's version, if this node has read at least as far as the client.
    fn version(&self) -> Option<u64> {
        let v = self.handle.version.load(Relaxed);
        (v >= self.have).then_some(v)
    }
}

impl Connection {
    /// Runs until one side ends the connection. Returns the reason to give to the client, if any.
    async fn talk(&mut self, socket: &mut WebSocket, inbox: &Inbox) -> Option<CloseReason> {
        let limits = self.hub.ledger.limits();
        let (silence, hello, patience) =
            (millis(limits.silence), millis(limits.hello), limits.write);
        let mut pings = interval(limits.ping);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.reset();
        let opened = self.heard;
        let mut stopping = self.hub.stopping.subscribe();
        let mut cut_off = self.hub.nodes.is_cut_off.subscribe();
        loop {
            tokio::select! {
                () = inbox.wait() => {
                    if let Some(reason) = Box::pin(write_waiting(socket, inbox, patience)).await? {
                        return Some(reason);
                    }
                }
                received = socket.recv() => match received {
                    Some(Ok(message)) => {
                        self.heard = self.hub.now();
                        // Boxed, so that idle connections do not reserve space for the future.
                        if let Err(reason) = Box::pin(self.receive(message)).await {
                            return reason;
                        }
                    }
                    Some(Err(error)) => return why(error),
                    None => return None,
                },
                () = ends(&mut stopping, &mut cut_off) => {
                    // Send the events of the pause first.
                    Box::pin(write_waiting(socket, inbox, patience)).await?;
                    return Some(CloseReason::restart(self.id, !self.hub.cluster().is_alone));
                }
                _ = pings.tick() => {
                    let now = self.hub.now();
                    let is_late = !self.is_greeted && now.saturating_sub(opened) > hello;
                    if is_late || now.saturating_sub(self.heard) > silence {
                        let text = "Nothing was heard from you for too long.";
                        return Some(CloseReason::bye(RejectionCode::Gone, 1001, text));
                    }
                    self.pinged = Some(now);
                    let stamp = Bytes::copy_from_slice(&now.to_be_bytes());
                    Box::pin(write(socket, Message::Ping(stamp), patience)).await?;
                }
            }
        }
    }

    /// Logs routine activity, if debug entries are enabled.
    fn note(&self, entry: impl FnOnce() -> Entry) {
        if self.hub.log.takes(Level::Debug) {
            self.hub.log.write(&entry().request(&self.request));
        }
    }

    /// Leaves the rooms, and tells the client why the connection is closed.
    async fn end(&mut self, socket: &mut WebSocket, closed: Option<CloseReason>) {
        if let Some(account) = &self.account {
            self.hub.people.leave(account.id, self.id);
        }
        for Followed { code, .. } in std::mem::take(&mut self.follows) {
            self.hub.send(&code, ToRoom::Input(HostInput::Detach { connection: self.id })).await;
        }
        // A slow client was already counted by its outbox.
        if let Some(CloseReason::Bye { code, .. }) = &closed
            && *code != RejectionCode::Slow
        {
            self.hub.metrics.reject(*code);
        }
        if let Some(reason) = closed {
            let last = async {
                socket.send(Message::Text(frame(&reason.message()).text)).await?;
                socket.send(Message::Close(Some(reason.frame()))).await?;
                // Wait for the client to close, so that no sent data is lost in a reset.
                while socket.recv().await.is_some_and(|received| received.is_ok()) {}
                Ok::<(), axum::Error>(())
            };
            let _ = timeout(Duration::from_secs(2), last).await;
        }
        self.hub.ledger.leave(self.address);
    }

    /// Handles a frame. An error ends the connection.
    async fn receive(&mut self, message: Message) -> Result<(), Option<CloseReason>> {
        match message {
            Message::Text(text) => self.read(&text).await.map_err(Some),
            Message::Binary(_) => {
                let text = "Messages are JSON text, not binary.";
                Err(Some(CloseReason::bye(RejectionCode::Malformed, 1003, text)))
            }
            Message::Pong(stamp) => {
                // Only the answer to the last ping is free, and counts for the delay.
                let stamp = <[u8; 8]>::try_from(&stamp[..]).map(Millis::from_be_bytes).ok();
                if stamp.is_none() || stamp != self.pinged.take() {
                    return self.pay(1).map_err(Some);
                }
                let round_trip = self.heard.saturating_sub(stamp.unwrap_or(self.heard));
                let fastest = self.round_trip.map_or(round_trip, |before| before.min(round_trip));
                self.round_trip = Some(fastest);
                Ok(())
            }
            Message::Ping(_) => self.pay(1).map_err(Some),
            Message::Close(_) => Err(None),
        }
    }

    /// Parses and handles a message.
    async fn read(&mut self, text: &str) -> Result<(), CloseReason> {
        let message = match ClientMessage::from_json(text) {
            Ok(message) => message,
            Err(error) => {
                self.pay(WRONG)?;
                let (id, rejection) = wrong(text, &error);
                self.refuse(id, rejection);
                return Ok(());
            }
        };
        self.pay(message.cost())?;
        let id = message.id().cloned();
        if matches!(&id, Some(MessageId::Text(text)) if text.len() > MessageId::LONGEST) {
            let text = format!("An id has at most {} bytes.", MessageId::LONGEST);
            self.refuse(None, Rejection::new(RejectionCode::Malformed, text));
            return Ok(());
        }
        let handled = match message {
            ClientMessage::Request(sent) if self.is_greeted => self.request(sent).await,
            // Other messages are rare, and their future is large: box it.
            message => Box::pin(self.handle(message)).await,
        };
        match handled {
            Ok(()) => Ok(()),
            Err(MessageError::Refused(rejection)) => {
                self.refuse(id, rejection);
                Ok(())
            }
            Err(MessageError::Closed(reason)) => Err(reason),
            Err(MessageError::Storage(error)) => {
                self.hub.log.write(&Entry::of(&error).request(&self.request));
                let text = "The server cannot store anything at the moment. Try again later.";
                Err(CloseReason::bye(RejectionCode::Storage, 1011, text))
            }
        }
    }

    /// Takes credits for a message. If there are too few, the error disconnects the client and says for how long.
    fn pay(&mut self, cost: u32) -> Result<(), CloseReason> {
        let now = self.hub.now();
        let ledger = &self.hub.ledger;
        let own = self.bucket.take(ledger.limits().connection, cost, now);
        let own = own.map_err(|seconds| Reached { what: "messages", seconds });
        own.and_then(|()| ledger.take(self.address, self.account_id(), cost, now))
            .map_err(CloseReason::limit)
    }

    fn refuse(&self, id: Option<MessageId>, rejection: Rejection) {
        self.outbox.send(&ServerMessage::Rej(Rej::new(id, rejection)));
    }

    fn account_id(&self) -> Option<AccountId> {
        self.account.as_ref().map(|account| account.id)
    }

    /// Estimates how long a message was on its way, from the server's own pings.
    fn lag(&self) -> Millis {
        self.round_trip.map_or(0, |round_trip| round_trip / 2)
    }
}

/// Waits until the server stops, or sends its clients to other nodes.
async fn ends(stopping: &mut watch::Receiver<bool>, cut_off: &mut watch::Receiver<bool>) {
    tokio::select! {
        _ = stopping.wait_for(|&stops| stops) => {}
        _ = cut_off.wait_for(|&is_cut_off| is_cut_off) => {}
    }
}

/// Writes all queued messages. Returns the reason to close the connection, if any.
async fn write_waiting(
    socket: &mut WebSocket,
    inbox: &Inbox,
    patience: Duration,
) -> Option<Option<CloseReason>> {
    let write = async {
        loop {
            match inbox.take() {
                Some(Ok(frame)) => socket.feed(Message::Text(frame)).await?,
                Some(Err(reason)) => {
                    socket.flush().await?;
                    return Ok::<_, axum::Error>(Some(reason));
                }
                None => {
                    socket.flush().await?;
                    return Ok(None);
                }
            }
        }
    };
    timeout(patience, write).await.ok()?.ok()
}

/// Writes a message. `None` if the client does not read it in time.
async fn write(socket: &mut WebSocket, message: Message, patience: Duration) -> Option<()> {
    timeout(patience, socket.send(message)).await.ok()?.ok()
}

/// Returns the reason to give to a client whose frame cannot be read.
fn why(error: axum::Error) -> Option<CloseReason> {
    let error = error.into_inner();
    let (code, close, text) = match error.downcast_ref::<WsError>()? {
        WsError::Capacity(_) => (RejectionCode::TooLong, 1009, "A message has at most 4096 bytes."),
        // A client that disappears silently has done nothing wrong.
        WsError::Protocol(ProtocolError::ResetWithoutClosingHandshake) => return None,
        WsError::Utf8(_) => (RejectionCode::Malformed, 1007, "Messages are UTF-8 text."),
        WsError::Protocol(_) => {
            (RejectionCode::Malformed, 1002, "That is not the WebSocket protocol.")
        }
        _ => return None,
    };
    Some(CloseReason::bye(code, close, text))
}

/// Returns the id of an unreadable message, and the rejection that explains the problem.
fn wrong(text: &str, error: &serde_json::Error) -> (Option<MessageId>, Rejection) {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Any {
        r#type: Option<String>,
        id: serde_json::Value,
        clock: serde_json::Value,
    }
    let Any { r#type, id, clock } = serde_json::from_str(text).unwrap_or_default();
    // People type clocks themselves: explain an invalid clock in words for them, and not for their program.
    let clock = clock.as_str().and_then(|clock| clock.parse::<TimeControl>().err());
    let (code, text) = match (r#type.as_deref(), clock) {
        (None, _) => {
            let text = "A message is a JSON object with a field \"type\".";
            (RejectionCode::Malformed, text.to_owned())
        }
        (Some(kind), _) if !ClientMessage::TYPES.contains(&kind) => {
            let types = alternatives(ClientMessage::TYPES);
            (RejectionCode::Unknown, format!("There is no such message: expected {types}."))
        }
        (Some("create" | "seek"), Some(error)) => (RejectionCode::Terms, format!("{error}.")),
        (Some(kind), _) => {
            let text = format!("This is not a valid \"{kind}\" message: {error}.");
            (RejectionCode::Malformed, text)
        }
    };
    // An invalid id does not make the rest unreadable.
    (serde_json::from_value(id).ok(), Rejection::new(code, text))
}
