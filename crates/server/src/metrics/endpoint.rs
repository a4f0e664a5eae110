//! Where the figures can be read: `/metrics` on a port of its own, which only this machine reaches.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::{PATIENCE, render};
use crate::hub::Hub;

const TEXT: &str = "text/plain; charset=utf-8";

/// How many scrapes can go on at the same time.
const MOST: usize = 16;

/// Answers until the server stops.
pub(crate) async fn serve(hub: Arc<Hub>, listener: TcpListener) {
    let permits = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(answer(Arc::clone(&hub), stream, permit))),
            Err(_) => sleep(std::time::Duration::from_millis(100)).await,
        }
    }
}

async fn answer(hub: Arc<Hub>, stream: TcpStream, _permit: OwnedSemaphorePermit) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = respond(&hub, &request);
        async move { Ok::<_, Infallible>(response) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).keep_alive(false);
    let _ = timeout(PATIENCE, http.serve_connection(TokioIo::new(stream), service)).await;
}

fn respond(hub: &Hub, request: &Request<Incoming>) -> Response<Body> {
    let plain = |status, kind, text: String| {
        let response = Response::builder().status(status).header(CONTENT_TYPE, kind);
        response.body(Body::from(text)).expect("a valid status and header")
    };
    if request.uri().path() != "/metrics" {
        let text = "The metrics are at /metrics.\n".to_owned();
        return plain(StatusCode::NOT_FOUND, TEXT, text);
    }
    if request.method() != Method::GET {
        return plain(StatusCode::METHOD_NOT_ALLOWED, TEXT, "Use GET.\n".to_owned());
    }
    plain(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", render(hub))
}
