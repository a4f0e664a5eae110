//! The metrics endpoint: `/metrics` on a separate port, reachable only from this machine.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::render;
use crate::hub::Hub;
use crate::tasks::spawn;

/// Maximum duration of a scrape.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum number of simultaneous scrapes.
const MOST: usize = 16;

/// Serves metrics until the server stops.
pub(crate) async fn serve(hub: Arc<Hub>, listener: TcpListener) {
    let figures =
        async move || ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], render(&hub));
    let router = Router::new()
        .route("/metrics", get(figures))
        .fallback((StatusCode::NOT_FOUND, "The metrics are at /metrics.\n"));
    let permits = Arc::new(Semaphore::new(MOST));
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).keep_alive(false);
        let service = TowerToHyperService::new(router.clone());
        let answer = timeout(PATIENCE, http.serve_connection(TokioIo::new(stream), service));
        spawn(async move {
            let _ = answer.await;
            drop(permit);
        });
    }
}
