//! Figures about the running server, for Prometheus. The format is simple and the figures are few, so there is no crate for
//! them: what is counted on the way of a move is an atomic addition.

mod endpoint;
mod instruments;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use skirmish_room::RejectionCode;

pub(crate) use self::endpoint::serve;
use self::instruments::Exposition;
pub(crate) use self::instruments::{Counter, Gauge, Histogram, Sizes, Times};
use crate::hub::Hub;
use crate::lock::lock;

/// What is counted outside storage.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// From a request to its acknowledgement, as the connection sees it.
    acknowledged: Histogram<Times>,
    rejections: Mutex<BTreeMap<String, u64>>,
    /// Connections so far.
    pub(crate) connections: Counter,
    /// Answers over HTTP, by the first digit of their status.
    http: [Counter; 5],
    /// Rooms in memory.
    pub(crate) rooms: Gauge,
    /// Whether the database cannot be reached, as far as is known.
    pub(crate) database_unavailable: Gauge,
}

/// Messages between nodes.
#[derive(Debug, Default)]
pub(crate) struct BusMetrics {
    pub(crate) sent: Counter,
    pub(crate) received: Counter,
    /// Those that did not fit, coming or going.
    pub(crate) dropped: Counter,
    /// Those among them that were coming.
    pub(crate) missed: Counter,
}

impl Metrics {
    /// Notes that a request has been acknowledged.
    pub(crate) fn acknowledge(&self, since: Instant) {
        self.acknowledged.observe_time(since.elapsed());
    }

    /// Notes that somebody was refused something, or disconnected.
    pub(crate) fn reject(&self, code: RejectionCode) {
        let word = skirmish_present::json::text(&code);
        *lock(&self.rejections).entry(word.trim_matches('"').to_owned()).or_default() += 1;
    }

    /// Notes an answer with this status.
    pub(crate) fn respond(&self, status: u16) {
        if let Some(counter) = self.http.get(usize::from(status / 100).wrapping_sub(1)) {
            counter.increase();
        }
    }
}

/// All figures in Prometheus' text format.
pub(crate) fn render(hub: &Hub) -> String {
    let mut text = Exposition::default();
    let version = env!("CARGO_PKG_VERSION");
    text.labelled("gauge", ("skirmish_info", "The version.", "version"), [(version, 1)]);
    text.gauge(
        "skirmish_start_time_seconds",
        "When the server started, since 1970.",
        hub.clock.boot() / 1000,
    );
    text.gauge("skirmish_draining", "1 while the server stops.", u64::from(hub.is_pausing()));
    write_storage(&mut text, hub);
    write_clients(&mut text, hub);
    write_nodes(&mut text, hub);
    text.into_text()
}

fn write_storage(text: &mut Exposition, hub: &Hub) {
    let meter = hub.storage.meter();
    text.counter("skirmish_moves_total", "Moves that are durable.", meter.moves.get());
    text.counter("skirmish_events_total", "Events that are durable.", meter.events.get());
    text.counter("skirmish_flags_total", "Flags that fell.", meter.flags.get());
    text.counter("skirmish_commits_total", "Committed transactions.", meter.commits.count());
    text.histogram("skirmish_commit_jobs", "Jobs that share a transaction.", &meter.commits);
    text.histogram("skirmish_append_seconds", "From an append to its commit.", &meter.appends);
    text.labelled(
        "counter",
        ("skirmish_append_failures_total", "Appends that failed.", "why"),
        [
            ("conflict", meter.conflicts.get()),
            ("stale", meter.stale.get()),
            ("away", meter.unavailable.get()),
            ("other", meter.failures.get()),
        ],
    );
    text.gauge(
        "skirmish_database_away",
        "1 while the database cannot be reached.",
        hub.metrics.database_unavailable.get(),
    );
}

fn write_clients(text: &mut Exposition, hub: &Hub) {
    let metrics = &hub.metrics;
    text.histogram(
        "skirmish_acknowledgement_seconds",
        "From a request to its acknowledgement.",
        &metrics.acknowledged,
    );
    let rejections = lock(&metrics.rejections).clone();
    text.labelled(
        "counter",
        ("skirmish_rejections_total", "Refusals and closed connections, by code.", "code"),
        rejections.iter().map(|(code, count)| (code.as_str(), *count)),
    );
    text.gauge("skirmish_connections", "Open WebSockets.", u64::from(hub.ledger.connections()));
    text.counter("skirmish_connections_total", "WebSockets so far.", metrics.connections.get());
    let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
    text.labelled(
        "counter",
        ("skirmish_http_responses_total", "Answers over HTTP, by class of status.", "class"),
        classes.into_iter().zip(metrics.http.iter().map(Counter::get)),
    );
}

fn write_nodes(text: &mut Exposition, hub: &Hub) {
    let others = hub.nodes.others.count();
    text.gauge("skirmish_nodes", "Nodes that are alive, with this one.", 1 + others as u64);
    text.gauge("skirmish_rooms", "Rooms in memory.", hub.metrics.rooms.get());
    text.gauge(
        "skirmish_bus_connected",
        "1 while there is a connection to NATS; nothing without --nats.",
        hub.nodes.bus.is_connected().map(u64::from),
    );
    let bus = hub.nodes.bus.metrics();
    text.labelled(
        "counter",
        ("skirmish_bus_messages_total", "Messages between nodes.", "what"),
        [
            ("sent", bus.sent.get()),
            ("received", bus.received.get()),
            ("dropped", bus.dropped.get()),
        ],
    );
}
