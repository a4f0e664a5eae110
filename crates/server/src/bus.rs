//! The bell between nodes: NATS core. What it carries may be lost, late or doubled; that costs a read of the log, never a
//! move. A server without one is alone, or hears of the others from the log.

use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event, Message, ServerAddr, Subscriber};
use futures_util::{FutureExt, StreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use skirmish_room::NodeId;
use tokio::time::timeout;

use crate::log::{Entry, Log};
use crate::metrics::BusMetrics;

/// How long an answer of another node may take. Its commit is part of that. A node that has ended is known to be gone at
/// once.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a server that starts waits for the connection.
const START: Duration = Duration::from_secs(1);

/// How many messages can wait for this node. More are dropped, and the log is read instead.
const CAPACITY: usize = 4096;

/// Of how many messages that were dropped the operator hears once.
const DROPS_TOLD: u64 = 1000;

/// The subject under which all servers with one database talk.
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    client: Option<Client>,
    prefix: String,
    metrics: Arc<BusMetrics>,
}

/// A node cannot be reached, or has not answered in time. Nobody knows whether it has heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable;

/// What comes in for this node.
pub(crate) struct Letters {
    own: Subscriber,
    all: Subscriber,
    metrics: Arc<BusMetrics>,
}

/// A letter, and to whom the answer goes.
pub(crate) struct Letter(Message);

/// Why an address cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("it is not the address of a NATS server: expected one such as nats://127.0.0.1:4222")]
pub struct NotNats;

/// The address of a NATS server.
#[derive(Clone)]
pub struct NatsAddress(ServerAddr);

impl std::str::FromStr for NatsAddress {
    type Err = NotNats;

    fn from_str(text: &str) -> Result<Self, NotNats> {
        let address: ServerAddr = text.parse().map_err(|_| NotNats)?;
        Ok(Self(address))
    }
}

impl std::fmt::Debug for NatsAddress {
    /// Without user and password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.0.host(), self.0.port())
    }
}

impl Bus {
    /// No bus at all.
    pub(crate) fn none() -> Self {
        Self { client: None, prefix: String::new(), metrics: Arc::default() }
    }

    /// A bus over this server, for all nodes of one cluster. It need not be there yet: the connection is made, and made
    /// again, in the background.
    pub(crate) async fn connect(address: &NatsAddress, cluster: &str, log: &Log) -> Self {
        let (metrics, log) = (Arc::<BusMetrics>::default(), log.clone());
        let counting = Arc::clone(&metrics);
        let options = ConnectOptions::new()
            .name("skirmish")
            .retry_on_initial_connect()
            .connection_timeout(Duration::from_secs(2))
            .ping_interval(Duration::from_secs(2))
            .reconnect_delay_callback(|attempts| Duration::from_millis(50 << attempts.min(5)))
            .request_timeout(Some(PATIENCE))
            .subscription_capacity(CAPACITY)
            .event_callback(move |event| {
                report(&event, &log, &counting);
                std::future::ready(())
            });
        let client = options.connect(address.0.clone()).await.ok();
        // If it is there, it is heard from the beginning.
        if let Some(client) = &client {
            let _ = timeout(START, client.flush()).await;
        }
        Self { client, prefix: format!("skirmish.{cluster}"), metrics }
    }

    /// What is counted here.
    pub(crate) fn metrics(&self) -> &BusMetrics {
        &self.metrics
    }

    fn connected(&self) -> Option<&Client> {
        self.client.as_ref().filter(|client| client.connection_state() == State::Connected)
    }

    /// Tells a node something. It may never hear it.
    pub(crate) fn tell(&self, node: NodeId, message: &impl Serialize) {
        self.publish(self.of(node), message);
    }

    /// Tells all nodes something, this one included.
    pub(crate) fn tell_all(&self, message: &impl Serialize) {
        self.publish(format!("{}.all", self.prefix), message);
    }

    fn publish(&self, subject: String, message: &impl Serialize) {
        let Some(client) = self.connected() else { return };
        let Ok(payload) = serde_json::to_vec(message) else { return };
        // If nothing more fits, the message is lost.
        match client.publish(subject, payload.into()).now_or_never() {
            Some(Ok(())) => self.metrics.sent.increase(),
            Some(Err(_)) | None => self.metrics.dropped.increase(),
        }
    }

    /// Asks a node.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        node: NodeId,
        question: &impl Serialize,
    ) -> Result<T, Unreachable> {
        let client = self.connected().ok_or(Unreachable)?;
        let payload = serde_json::to_vec(question).map_err(|_| Unreachable)?;
        self.metrics.sent.increase();
        let answer = client.request(self.of(node), payload.into()).await;
        let answer = answer.map_err(|_| {
            self.metrics.unanswered.increase();
            Unreachable
        })?;
        self.metrics.received.increase();
        serde_json::from_slice(&answer.payload).map_err(|_| Unreachable)
    }

    /// What comes in for this node; nothing without a bus.
    pub(crate) async fn listen(&self, node: NodeId) -> Option<Letters> {
        let client = self.client.as_ref()?;
        let own = client.subscribe(self.of(node)).await.ok()?;
        let all = client.subscribe(format!("{}.all", self.prefix)).await.ok()?;
        Some(Letters { own, all, metrics: Arc::clone(&self.metrics) })
    }

    /// Answers a letter.
    pub(crate) fn answer(&self, letter: &Letter, answer: &impl Serialize) {
        if let Some(reply) = &letter.0.reply {
            self.publish(reply.to_string(), answer);
        }
    }

    fn of(&self, node: NodeId) -> String {
        format!("{}.node.{node}", self.prefix)
    }
}

impl Letters {
    /// The next letter; none when the bus is closed.
    pub(crate) async fn next(&mut self) -> Option<Letter> {
        let message = tokio::select! {
            message = self.own.next() => message?,
            message = self.all.next() => message?,
        };
        self.metrics.received.increase();
        Some(Letter(message))
    }
}

impl Letter {
    /// What it says, if this version of the program understands it.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.0.payload).ok()
    }
}

/// Tells the operator what happened to the connection.
fn report(event: &Event, log: &Log, metrics: &BusMetrics) {
    match event {
        Event::Connected => log.write(&Entry::info("bus_connected", "Connected to NATS.")),
        Event::Disconnected => {
            let text = "No connection to NATS: moves on other nodes are seen when the log is read.";
            log.write(&Entry::warn("bus_disconnected", text));
        }
        // One for every message that does not fit.
        Event::SlowConsumer(_) => {
            let before = metrics.missed.get();
            metrics.missed.increase();
            metrics.dropped.increase();
            if before.is_multiple_of(DROPS_TOLD) {
                let text = "Messages from NATS were dropped, since this node does not keep up.";
                let entry = Entry::warn("bus_overflow", text);
                log.write(&entry.with("dropped", before + 1));
            }
        }
        _ => {}
    }
}
