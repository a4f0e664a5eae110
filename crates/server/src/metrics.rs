//! Prometheus metrics of the running server. The format is simple and the metrics are few, so no crate is needed. Counting on
//! a move's path is a single atomic addition.

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

/// Counters outside storage.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Time from a request to its acknowledgement, as measured by the connection.
    acknowledged: Histogram<Times>,
    rejections: Mutex<BTreeMap<String, u64>>,
    /// Total number of connections.
    pub(crate) connections: Counter,
    /// HTTP responses, by the first digit of their status.
    http: [Counter; 5],
    /// Whether the database is known to be unreachable.
    pub(crate) database_unavailable: Gauge,
}

/// Messages between nodes.
#[derive(Debug, Default)]
pub(crate) struct BusMetrics {
    pub(crate) sent: Counter,
    pub(crate) received: Counter,
    /// Messages that were dropped in either direction because a buffer was full.
    pub(crate) dropped: Counter,
    /// The incoming messages among [`Self::dropped`].
    pub(crate) missed: Counter,
}

impl Metrics {
    /// Records the time since a request that has been acknowledged.
    pub(crate) fn acknowledge(&self, since: Instant) {
        self.acknowledged.observe_time(since.elapsed());
    }

    /// Counts a refusal or a disconnection.
    pub(crate) fn reject(&self, code: RejectionCode) {
        let word = skirmish_present::json::text(&code);
        *lock(&self.rejections).entry(word.trim_matches('"').to_owned()).or_default() += 1;
    }

    /// Counts an HTTP response with this status.
    pub(crate) fn respond(&self, status: u16) {
        if let Some(counter) = self.http.get(usize::from(status / 100).wrapping_sub(1)) {
            counter.increase();
        }
    }
}

/// Renders all metrics in Prometheus' text format.
pub(crate) fn render(hub: &Hub) -> String {
    let mut text = Exposition::default();
    let version = env!("CARGO_PKG_VERSION");
    text.labelled("gauge", ("skirmish_info", "The version.", "version"), [(version, 1)]);
    text.gauge(
        "skirmish_start_time_seconds",
        "Start time of the server, in seconds since 1970.",
        hub.clock.boot() / 1000,
    );
    text.gauge("skirmish_draining", "1 while the server is stopping.", u64::from(hub.is_pausing()));
    write_storage(&mut text, hub);
    write_clients(&mut text, hub);
    write_nodes(&mut text, hub);
    text.into_text()
}

fn write_storage(text: &mut Exposition, hub: &Hub) {
    let meter = hub.storage.meter();
    text.counter("skirmish_moves_total", "Moves made durable.", meter.moves.get());
    text.counter("skirmish_events_total", "Events made durable.", meter.events.get());
    text.counter("skirmish_flags_total", "Games lost on time.", meter.flags.get());
    text.counter("skirmish_commits_total", "Committed transactions.", meter.commits.count());
    text.histogram("skirmish_commit_jobs", "Number of jobs per transaction.", &meter.commits);
    text.histogram("skirmish_append_seconds", "Time from an append to its commit.", &meter.appends);
    text.labelled(
        "counter",
        ("skirmish_append_failures_total", "Appends that failed.", "why"),
        [
            ("conflict", meter.conflicts.get()),
            ("stale", meter.stale.get()),
            ("unavailable", meter.unavailable.get()),
            ("other", meter.failures.get()),
        ],
    );
    text.gauge(
        "skirmish_database_unavailable",
        "1 while the database cannot be reached.",
        hub.metrics.database_unavailable.get(),
    );
}

fn write_clients(text: &mut Exposition, hub: &Hub) {
    let metrics = &hub.metrics;
    text.histogram(
        "skirmish_acknowledgement_seconds",
        "Time from a request to its acknowledgement.",
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
        ("skirmish_http_responses_total", "HTTP responses, by class of status.", "class"),
        classes.into_iter().zip(metrics.http.iter().map(Counter::get)),
    );
}

fn write_nodes(text: &mut Exposition, hub: &Hub) {
    let others = hub.nodes.others().count();
    text.gauge("skirmish_nodes", "Living nodes, including this one.", 1 + others as u64);
    text.gauge("skirmish_rooms", "Rooms in memory.", hub.live_rooms() as u64);
    text.gauge(
        "skirmish_bus_connected",
        "1 while connected to NATS; no value without --nats.",
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
