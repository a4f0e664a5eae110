//! Health checks for people, service managers and load balancers: whether the server runs, and whether it can take clients.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;
use skirmish_present::json;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::bus;
use crate::hub::Hub;
use crate::storage::{Storage, StorageError};

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a result is reused. Anyone may ask, and every check writes to the database.
const FRESH: Duration = Duration::from_secs(1);

pub(crate) fn router() -> Router<Arc<Hub>> {
    Router::new()
        .route("/health", get(health))
        .route("/health/live", get(live))
        .route("/health/ready", get(ready))
}

/// Response body of `/health`.
#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    connections: u32,
    games: usize,
    /// The number of nodes, if there are several. The other numbers are for this node alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<usize>,
}

async fn health(State(hub): State<Arc<Hub>>) -> Response {
    let others = hub.nodes.others().count();
    let health = Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        connections: hub.ledger.connections(),
        games: hub.live_rooms(),
        nodes: (others > 0).then_some(others + 1),
    };
    answer(StatusCode::OK, &health)
}

/// Response body of `/health/live` and `/health/ready`.
#[derive(Serialize)]
struct Condition {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Trouble>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

impl Condition {
    fn of(status: &'static str, why: Option<Trouble>) -> Self {
        Self { status, why, text: why.map(Trouble::text) }
    }
}

/// Why a server should get no clients, or can serve them only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trouble {
    Draining,
    Database,
    Full,
    ReadOnly,
    Bus,
}

impl Trouble {
    const fn text(self) -> &'static str {
        match self {
            Self::Draining => "The server is stopping.",
            Self::Database => "The server cannot reach its database.",
            Self::Full => "The server cannot store anything: the disk of its database is full.",
            Self::ReadOnly => "The server cannot store anything: its database is read-only.",
            Self::Bus => bus::DISCONNECTED,
        }
    }
}

/// A server that can answer is alive.
async fn live() -> Response {
    answer(StatusCode::OK, &Condition::of("live", None))
}

async fn ready(State(hub): State<Arc<Hub>>) -> Response {
    match readiness(&hub).await {
        Ok(trouble) => answer(StatusCode::OK, &Condition::of("ready", trouble)),
        Err(why) => {
            let condition = Condition::of("not_ready", Some(why));
            answer(StatusCode::SERVICE_UNAVAILABLE, &condition)
        }
    }
}

/// Checks whether the server can take clients, and with which limitation, if any. The error says why it cannot.
async fn readiness(hub: &Hub) -> Result<Option<Trouble>, Trouble> {
    if hub.is_pausing() || hub.is_stopping() {
        return Err(Trouble::Draining);
    }
    let bus = hub.nodes.bus.is_connected();
    hub.probe.ask(&hub.storage).await?;
    Ok((bus == Some(false)).then_some(Trouble::Bus))
}

/// The result of the last check whether the database can be written to.
#[derive(Default)]
pub(crate) struct Probe(Mutex<Option<(Instant, Result<(), Trouble>)>>);

impl Probe {
    async fn ask(&self, storage: &Storage) -> Result<(), Trouble> {
        // Concurrent requests wait for the same result.
        let mut last = self.0.lock().await;
        if let Some((at, result)) = *last
            && at.elapsed() < FRESH
        {
            return result;
        }
        let result = match timeout(PATIENCE, storage.check()).await {
            Ok(Ok(())) => Ok(()),
            // The database has been closed in the meantime.
            Ok(Err(StorageError::Closed)) => Err(Trouble::Draining),
            Ok(Err(StorageError::Full)) => Err(Trouble::Full),
            Ok(Err(StorageError::ReadOnly)) => Err(Trouble::ReadOnly),
            Ok(Err(_)) | Err(_) => Err(Trouble::Database),
        };
        *last = Some((Instant::now(), result));
        result
    }
}

fn answer(status: StatusCode, object: &impl Serialize) -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (status, headers, json::text(object)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::trial;

    #[tokio::test]
    async fn a_server_that_can_store_nothing_is_not_ready_and_says_why() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let storage = Storage::open(folder.path()).expect("the database opens");
        // Each hub checks the database once.
        let hub = async || {
            let log = crate::Log::new(crate::Level::Info, |entry| panic!("{entry:?}"));
            trial::hub(storage.clone(), log).await
        };
        let hubs = [hub().await, hub().await, hub().await];
        assert_eq!(answered(&hubs[0]).await, (200, r#"{"status":"ready"}"#.to_owned()));
        storage.fill_up().await;
        let full = r#"{"status":"not_ready","why":"full","text":"The server cannot store anything: the disk of its database is full."}"#;
        assert_eq!(answered(&hubs[1]).await, (503, full.to_owned()));
        storage.forbid_writing().await;
        let read_only = r#"{"status":"not_ready","why":"read_only","text":"The server cannot store anything: its database is read-only."}"#;
        assert_eq!(answered(&hubs[2]).await, (503, read_only.to_owned()));
    }

    async fn answered(hub: &Arc<Hub>) -> (u16, String) {
        let response = ready(State(Arc::clone(hub))).await;
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), 1 << 10).await.expect("a body");
        (status, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[test]
    fn a_server_that_stops_is_not_ready_from_the_first_moment() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let storage = Storage::open(folder.path()).expect("the database opens");
            let log = crate::Log::new(crate::Level::Info, |entry| panic!("{entry:?}"));
            let hub = trial::hub(storage.clone(), log).await;
            assert_eq!(readiness(&hub).await, Ok(None));
            hub.pause(None).await;
            assert_eq!(readiness(&hub).await, Err(Trouble::Draining));
        });
    }
}
