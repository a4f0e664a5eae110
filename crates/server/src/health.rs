//! Whether the server runs, and whether it can take clients: for people, service managers and load balancers.

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
use tokio::time::timeout;

use crate::hub::Hub;
use crate::storage::StorageError;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn router() -> Router<Arc<Hub>> {
    Router::new()
        .route("/health", get(health))
        .route("/health/live", get(live))
        .route("/health/ready", get(ready))
}

/// The answer of `/health`.
#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    connections: u32,
    games: usize,
}

async fn health(State(hub): State<Arc<Hub>>) -> Response {
    let health = Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        connections: hub.ledger.connections(),
        games: hub.live_rooms(),
    };
    answer(StatusCode::OK, &health)
}

/// The answer of `/health/live` and `/health/ready`.
#[derive(Serialize)]
struct Condition {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Unready>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

/// Why a server should get no clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Unready {
    Draining,
    Database,
}

impl Unready {
    const fn text(self) -> &'static str {
        match self {
            Self::Draining => "The server is stopping.",
            Self::Database => "The server cannot reach its database.",
        }
    }
}

/// Whoever can answer is alive.
async fn live() -> Response {
    answer(StatusCode::OK, &Condition { status: "live", why: None, text: None })
}

async fn ready(State(hub): State<Arc<Hub>>) -> Response {
    match readiness(&hub).await {
        Ok(()) => answer(StatusCode::OK, &Condition { status: "ready", why: None, text: None }),
        Err(why) => {
            let state = Condition { status: "not_ready", why: Some(why), text: Some(why.text()) };
            answer(StatusCode::SERVICE_UNAVAILABLE, &state)
        }
    }
}

async fn readiness(hub: &Hub) -> Result<(), Unready> {
    if hub.is_pausing() || hub.is_stopping() {
        return Err(Unready::Draining);
    }
    match timeout(PATIENCE, hub.storage.check()).await {
        Ok(Ok(())) => Ok(()),
        // It has been closed meanwhile.
        Ok(Err(StorageError::Closed)) => Err(Unready::Draining),
        Ok(Err(_)) | Err(_) => Err(Unready::Database),
    }
}

fn answer(status: StatusCode, object: &impl Serialize) -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (status, headers, json::text(object)).into_response()
}

#[cfg(test)]
mod tests {
    use skirmish_rules::GAMES;

    use super::*;
    use crate::computer::Computers;
    use crate::limits::{Ledger, Limits};
    use crate::storage::Storage;

    #[test]
    fn a_server_that_stops_is_not_ready_from_the_first_moment() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let storage = Storage::open(folder.path()).expect("the database opens");
            let computers = Computers::start(0).expect("a thread");
            let ledger = Ledger::new(Limits::default());
            let log = crate::Log::new(crate::Level::Info, |entry| panic!("{entry:?}"));
            let url = String::new();
            let hub = Hub::new(GAMES, storage.clone(), computers, ledger, log, url, (None, None));
            assert_eq!(readiness(&hub).await, Ok(()));
            hub.pause().await;
            assert_eq!(readiness(&hub).await, Err(Unready::Draining));
        });
    }
}
