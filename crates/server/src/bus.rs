//! The bus between nodes: NATS core. Messages may be lost, delayed or duplicated; that costs a read of the log, never a move.
//! A server without a bus is alone, or learns about other nodes from the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ClientError, ConnectOptions, Event, ServerAddr, Subscriber};
use axum::body::Bytes;
use futures_util::{FutureExt, StreamExt};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use skirmish_room::Announcement;
use tokio::time::timeout;

use crate::credentials;
use crate::log::{Entry, Log};
use crate::metrics::BusMetrics;

/// How long a starting server waits for the connection.
const START: Duration = Duration::from_secs(1);

/// Maximum number of incoming messages that wait on this node. More are dropped, and rooms read the log instead.
const CAPACITY: usize = 4096;

/// Maximum size of an announcement in bytes. A larger one carries only the version, and the log is read.
const MOST_BYTES: usize = 64 << 10;

/// One log entry is written for each group of this many dropped messages.
const DROPS_TOLD: u64 = 1000;

/// Logged when NATS cannot be reached.
pub(crate) const DISCONNECTED: &str =
    "No connection to NATS: moves on other nodes are seen when the log is read.";

/// Accepted URL schemes for a NATS server.
const SCHEMES: [&str; 2] = ["nats", "tls"];

/// Connects the servers that share a database. They all use the same subject prefix.
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    client: Option<Client>,
    prefix: String,
    metrics: Arc<BusMetrics>,
}

/// Incoming messages from other nodes.
pub(crate) struct Messages {
    rooms: Subscriber,
    all: Subscriber,
    metrics: Arc<BusMetrics>,
    /// The part of a subject before the code of a room.
    prefix: String,
}

/// A message from another node.
pub(crate) enum Heard {
    /// An announcement about the room with this code.
    Announcement(String, Bytes),
    /// Any other message.
    Message(Bytes),
}

/// Why a text is not a usable NATS address.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotNats {
    /// The text is not the URL of a NATS server.
    #[error(
        "it is not the address of a NATS server: expected nats://HOST:PORT, such as nats://127.0.0.1:4222, or tls://HOST:PORT"
    )]
    Form,
    /// It is unclear where the password ends.
    #[error("it is not the address of a NATS server: {}", credentials::UNCLEAR)]
    Credentials,
}

/// The address of a NATS server.
#[derive(Clone)]
pub struct NatsAddress(ServerAddr);

impl std::str::FromStr for NatsAddress {
    type Err = NotNats;

    fn from_str(text: &str) -> Result<Self, NotNats> {
        // Without a scheme, almost any text would be a valid host name.
        let text = Some(text.trim()).filter(|text| text.contains("://")).ok_or(NotNats::Form)?;
        if !credentials::are_clear(text) {
            return Err(NotNats::Credentials);
        }
        let address: ServerAddr = text.parse().map_err(|_| NotNats::Form)?;
        let url = address.clone().into_inner();
        let has_more = !matches!(url.path(), "" | "/") || url.query().or(url.fragment()).is_some();
        let is_possible = SCHEMES.contains(&address.scheme())
            && !address.host().is_empty()
            && address.port() != 0
            && !has_more;
        if is_possible { Ok(Self(address)) } else { Err(NotNats::Form) }
    }
}

impl NatsAddress {
    /// Adds the credentials from the address, a user with a password or a token, to the options.
    fn sign_in(&self, options: ConnectOptions) -> ConnectOptions {
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        match (self.0.username().map(decoded), self.0.password().map(decoded)) {
            (None, None) => options,
            (Some(token), None) => options.token(token),
            (user, Some(password)) => options.user_and_password(user.unwrap_or_default(), password),
        }
    }
}

impl std::fmt::Debug for NatsAddress {
    /// Omits the user name and password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.0.host(), self.0.port())
    }
}

impl Bus {
    /// Returns a bus that sends and receives nothing.
    pub(crate) fn none() -> Self {
        Self { client: None, prefix: String::new(), metrics: Arc::default() }
    }

    /// Connects to a NATS server, as one node of a cluster. The server need not be available yet: the client connects, and
    /// reconnects, in the background.
    pub(crate) async fn connect(address: &NatsAddress, cluster: &str, log: &Log) -> Self {
        let metrics = Arc::<BusMetrics>::default();
        let reporter = Reporter {
            log: log.clone(),
            metrics: Arc::clone(&metrics),
            knows: AtomicBool::default(),
        };
        let options = address
            .sign_in(ConnectOptions::new())
            .name("skirmish")
            .retry_on_initial_connect()
            .connection_timeout(Duration::from_secs(2))
            .ping_interval(Duration::from_secs(2))
            .reconnect_delay_callback(|attempts| Duration::from_millis(50 << attempts.min(5)))
            .no_echo()
            .subscription_capacity(CAPACITY)
            .event_callback(move |event| {
                reporter.report(&event);
                std::future::ready(())
            });
        let client = options.connect(address.0.clone()).await.ok();
        // If the server is available, be connected before the first message.
        if let Some(client) = &client {
            let _ = timeout(START, client.flush()).await;
        }
        Self { client, prefix: format!("skirmish.{cluster}"), metrics }
    }

    /// Returns the counters of bus messages.
    pub(crate) fn metrics(&self) -> &BusMetrics {
        &self.metrics
    }

    /// Whether NATS is connected. `None` without a bus.
    pub(crate) fn is_connected(&self) -> Option<bool> {
        self.client.as_ref().map(|client| client.connection_state() == State::Connected)
    }

    fn connected(&self) -> Option<&Client> {
        self.client.as_ref().filter(|client| client.connection_state() == State::Connected)
    }

    /// Announces a change in a room to the nodes that have the room in memory. Delivery is not guaranteed.
    pub(crate) fn announce(&self, code: &str, mut announcement: Announcement) {
        let subject = || format!("{}.room.{code}", self.prefix);
        let Ok(payload) = serde_json::to_vec(&announcement) else { return };
        if payload.len() <= MOST_BYTES {
            return self.publish(subject(), payload);
        }
        announcement.events.clear();
        if let Ok(payload) = serde_json::to_vec(&announcement) {
            self.publish(subject(), payload);
        }
    }

    /// Sends a message to all other nodes.
    pub(crate) fn tell_all(&self, message: &impl Serialize) {
        if let Ok(payload) = serde_json::to_vec(message) {
            self.publish(format!("{}.all", self.prefix), payload);
        }
    }

    fn publish(&self, subject: String, payload: Vec<u8>) {
        let Some(client) = self.connected() else { return };
        // If the send buffer is full, the message is lost.
        match client.publish(subject, payload.into()).now_or_never() {
            Some(Ok(())) => self.metrics.sent.increase(),
            Some(Err(_)) | None => self.metrics.dropped.increase(),
        }
    }

    /// Subscribes to the messages of other nodes. `None` without a bus.
    pub(crate) async fn listen(&self) -> Option<Messages> {
        let client = self.client.as_ref()?;
        let prefix = format!("{}.room.", self.prefix);
        let rooms = client.subscribe(format!("{prefix}*")).await.ok()?;
        let all = client.subscribe(format!("{}.all", self.prefix)).await.ok()?;
        Some(Messages { rooms, all, metrics: Arc::clone(&self.metrics), prefix })
    }
}

impl Messages {
    /// Waits for the next message. `None` once the bus is closed.
    pub(crate) async fn next(&mut self) -> Option<Heard> {
        let heard = tokio::select! {
            message = self.rooms.next() => {
                let message = message?;
                let code = message.subject.strip_prefix(self.prefix.as_str()).unwrap_or_default();
                Heard::Announcement(code.to_owned(), message.payload)
            }
            message = self.all.next() => Heard::Message(message?.payload),
        };
        self.metrics.received.increase();
        Some(heard)
    }
}

/// Logs the state of the connection to NATS.
struct Reporter {
    log: Log,
    metrics: Arc<BusMetrics>,
    /// Whether the connection's current state has been logged.
    knows: AtomicBool,
}

impl Reporter {
    fn report(&self, event: &Event) {
        match event {
            Event::Connected => {
                self.knows.store(true, Relaxed);
                self.log.write(&Entry::info("bus_connected", "Connected to NATS."));
            }
            Event::Disconnected => {
                self.knows.store(true, Relaxed);
                self.log.write(&Entry::warn("bus_disconnected", DISCONNECTED));
            }
            // Connection attempts fail repeatedly: log only the first failure, with a cause that does not contain the
            // address.
            Event::ClientError(ClientError::Other(why)) if !self.knows.swap(true, Relaxed) => {
                let entry = Entry::warn("bus_disconnected", DISCONNECTED);
                self.log.write(&entry.with("error", why.as_str()));
            }
            // Reported for every message that does not fit.
            Event::SlowConsumer(_) => {
                let before = self.metrics.missed.get();
                self.metrics.missed.increase();
                self.metrics.dropped.increase();
                if before.is_multiple_of(DROPS_TOLD) {
                    let text =
                        "Messages from NATS were dropped because this node does not keep up.";
                    let entry = Entry::warn("bus_overflow", text);
                    self.log.write(&entry.with("dropped", before + 1));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn only_whole_addresses_of_nats_are_taken() {
        for text in [
            "nats://127.0.0.1",
            "nats://127.0.0.1:4222/",
            "tls://user:secret@nats.internal:4222",
            "nats://user:s%40c%2Fret@nats.internal",
            "nats://[::1]:4222",
        ] {
            assert!(text.parse::<NatsAddress>().is_ok(), "{text}");
        }
        for text in [
            "",
            "host",
            "host:4222",
            "nats//host",
            "nats:/host",
            "nats:host:4222",
            "nats://",
            "nats://:4222",
            "nats:///host",
            "nats://host:0",
            "nats://host:99999",
            "nats://host/path",
            "nats://host?x=1",
            "http://host:4222",
            "ws://host:4222",
            "postgres://user:secret@host/name",
            "nats://one:4222,nats://two:4222",
        ] {
            let refused =
                text.parse::<NatsAddress>().map(|_| ()).map_err(|error| error.to_string());
            let error = refused.expect_err(text);
            assert!(error.contains("expected nats://HOST:PORT"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    /// Returns the first message that a node with these credentials sends to a NATS server.
    async fn said(credentials: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let address = format!("nats://{credentials}127.0.0.1:{port}");
        let address: NatsAddress = address.parse().expect("an address");
        let bus = tokio::spawn(async move { Bus::connect(&address, "test", &Log::none()).await });
        let (mut socket, _) = listener.accept().await.expect("a client");
        let info = "INFO {\"server_id\":\"x\",\"max_payload\":1048576,\"headers\":true}\r\n";
        socket.write_all(info.as_bytes()).await.expect("sent");
        let mut line = String::new();
        BufReader::new(&mut socket).read_line(&mut line).await.expect("a line");
        bus.abort();
        line
    }

    #[tokio::test]
    async fn a_server_signs_in_as_its_address_says() {
        let line = said("club:s%40c%2Fret@").await;
        assert!(line.contains("\"user\":\"club\",\"pass\":\"s@c/ret\""), "{line}");
        let line = said("s%40cret@").await;
        assert!(line.contains("\"auth_token\":\"s@cret\""), "{line}");
        let line = said("").await;
        assert!(line.contains("\"pass\":null,\"auth_token\":null"), "{line}");
    }

    #[test]
    fn a_password_that_ends_too_early_is_not_shown() {
        for text in ["nats://u:s3@cret@host", "nats://u:s3/cret@host", "nats://u:1?cret@host:4222"]
        {
            let refused = text.parse::<NatsAddress>();
            let error = refused.map(|_| ()).expect_err(text).to_string();
            assert!(error.contains("%40, %2F and %3F"), "{error}");
            assert!(!error.contains("cret"), "{error}");
        }
    }
}
