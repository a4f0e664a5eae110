//! The bus between nodes: NATS core. Messages may be lost, delayed or duplicated; that costs a read of the log, never a move.
//! A server without a bus is alone, or learns about other nodes from the log.

mod address;
mod link;
mod protocol;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use skirmish_room::Announcement;
use tokio::sync::mpsc;
use tokio::time::timeout;

pub use self::address::{NatsAddress, NotNats};
use self::link::{Keeper, Link};
use self::protocol::Failure;
use crate::lock::lock;
use crate::log::{Entry, Log};
use crate::metrics::BusMetrics;

/// How long a starting server waits for the connection.
const START: Duration = Duration::from_secs(1);

/// Maximum number and size of the incoming messages that wait on this node. More are dropped, and rooms read the log instead.
const CAPACITY: usize = 4096;
const MOST_WAITING: usize = 16 << 20;

/// One log entry is written for each group of this many dropped messages.
const DROPS_TOLD: u64 = 1000;

/// Logged when NATS cannot be reached.
pub(crate) const DISCONNECTED: &str =
    "No connection to NATS: moves on other nodes are seen when the log is read.";

/// Connects the servers that share a database. They all use the same subject prefix.
#[derive(Debug)]
pub(crate) struct Bus {
    link: Option<Arc<Link>>,
    prefix: String,
    metrics: Arc<BusMetrics>,
    /// Taken by the first listener.
    messages: Mutex<Option<Messages>>,
}

/// Incoming messages from other nodes.
#[derive(Debug)]
pub(crate) struct Messages {
    incoming: mpsc::Receiver<(String, Vec<u8>)>,
    /// The size of all waiting messages.
    waiting: Arc<AtomicUsize>,
    metrics: Arc<BusMetrics>,
    /// The part of a subject before the code of a room.
    prefix: String,
}

/// A message from another node.
pub(crate) enum Heard {
    /// An announcement about the room with this code.
    Announcement(String, Vec<u8>),
    /// Any other message.
    Message(Vec<u8>),
}

impl Bus {
    /// Returns a bus that sends and receives nothing.
    pub(crate) fn none() -> Self {
        let (prefix, metrics) = (String::new(), Arc::default());
        Self { link: None, prefix, metrics, messages: Mutex::default() }
    }

    /// Connects to a NATS server, as one node of a cluster. The server need not be available yet: a task connects, and
    /// reconnects, in the background.
    pub(crate) async fn connect(address: &NatsAddress, cluster: &str, log: &Log) -> Self {
        let prefix = format!("skirmish.{cluster}");
        let (metrics, waiting) = (Arc::<BusMetrics>::default(), Arc::<AtomicUsize>::default());
        let (sender, incoming) = mpsc::channel(CAPACITY);
        let listener = Listener {
            log: log.clone(),
            metrics: Arc::clone(&metrics),
            told: None,
            sender,
            waiting: Arc::clone(&waiting),
        };
        let link = Arc::new(Link::new());
        let keeper = Keeper {
            link: Arc::clone(&link),
            address: address.clone(),
            subjects: vec![format!("{prefix}.room.*"), format!("{prefix}.all")],
            listener,
            tls: None,
        };
        tokio::spawn(keeper.run());
        // If the server is available, be connected before the first message.
        let _ = timeout(START, link.connected()).await;
        let messages = Messages {
            incoming,
            waiting,
            metrics: Arc::clone(&metrics),
            prefix: format!("{prefix}.room."),
        };
        Self { link: Some(link), prefix, metrics, messages: Mutex::new(Some(messages)) }
    }

    /// Returns the counters of bus messages.
    pub(crate) fn metrics(&self) -> &BusMetrics {
        &self.metrics
    }

    /// Whether NATS is connected. `None` without a bus.
    pub(crate) fn is_connected(&self) -> Option<bool> {
        self.link.as_ref().map(|link| link.is_connected())
    }

    /// Returns the number of connections so far. When it changes, messages may have been lost in both directions.
    pub(crate) fn connections(&self) -> u64 {
        self.link.as_ref().map_or(0, |link| link.connections())
    }

    /// Announces a change in a room to the nodes that have the room in memory. Delivery is not guaranteed.
    pub(crate) fn announce(&self, code: &str, announcement: Announcement) {
        self.publish(&format!("{}.room.{code}", self.prefix), &announcement.into_bytes());
    }

    /// Sends a message to all other nodes.
    pub(crate) fn tell_all(&self, message: &impl Serialize) {
        if let Ok(payload) = serde_json::to_vec(message) {
            self.publish(&format!("{}.all", self.prefix), &payload);
        }
    }

    fn publish(&self, subject: &str, payload: &[u8]) {
        let Some(link) = self.link.as_ref().filter(|link| link.is_connected()) else { return };
        let is_sent = link.publish(subject, payload);
        if is_sent { self.metrics.sent.increase() } else { self.metrics.dropped.increase() }
    }

    /// Returns the messages of other nodes. `None` without a bus, and to all callers but the first.
    pub(crate) fn listen(&self) -> Option<Messages> {
        lock(&self.messages).take()
    }
}

impl Messages {
    /// Waits for the next message. `None` once the bus is closed.
    pub(crate) async fn next(&mut self) -> Option<Heard> {
        let (subject, payload) = self.incoming.recv().await?;
        self.waiting.fetch_sub(subject.len() + payload.len(), Relaxed);
        self.metrics.received.increase();
        Some(match subject.strip_prefix(self.prefix.as_str()) {
            Some(code) => Heard::Announcement(code.to_owned(), payload),
            None => Heard::Message(payload),
        })
    }
}

/// Receives the messages, and logs the state of the connection.
struct Listener {
    log: Log,
    metrics: Arc<BusMetrics>,
    /// Why there is no connection, as last logged.
    told: Option<String>,
    sender: mpsc::Sender<(String, Vec<u8>)>,
    waiting: Arc<AtomicUsize>,
}

impl Listener {
    fn connected(&mut self) {
        self.told = None;
        self.log.write(&Entry::info("bus_connected", "Connected to NATS."));
    }

    /// Logs a lost connection or a failed attempt, unless the previous attempt failed for the same reason.
    fn failed(&mut self, why: &Failure) {
        let why = Some(why.to_string());
        if self.told != why {
            let entry = Entry::warn("bus_disconnected", DISCONNECTED);
            self.log.write(&entry.with("error", why.clone()));
            self.told = why;
        }
    }

    /// Queues a message, or counts it as dropped.
    fn message(&self, subject: String, payload: Vec<u8>) {
        let size = subject.len() + payload.len();
        let fits = self.waiting.fetch_add(size, Relaxed) + size <= MOST_WAITING;
        if fits && self.sender.try_send((subject, payload)).is_ok() {
            return;
        }
        self.waiting.fetch_sub(size, Relaxed);
        let before = self.metrics.missed.get();
        self.metrics.missed.increase();
        self.metrics.dropped.increase();
        if before.is_multiple_of(DROPS_TOLD) {
            let text = "Messages from NATS were dropped because this node does not keep up.";
            let entry = Entry::warn("bus_overflow", text);
            self.log.write(&entry.with("dropped", before + 1));
        }
    }
}

#[cfg(test)]
mod tests;
