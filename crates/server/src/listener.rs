//! The accept loop: serves HTTP on every connection, within limits, until it is closed or becomes a WebSocket.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::http;
use crate::hub::Hub;
use crate::limits::Reached;
use crate::log::{Entry, Level};
use crate::metered::Metered;
use crate::proxy;
use crate::request_id::{self, RequestId};

/// How long to wait after a failure to accept, for example if there are no file descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// The most bytes of a request's head. Browsers and proxies send one or two thousand.
const LONGEST_HEAD: usize = 16 << 10;

/// How long a connection may serve requests, as a multiple of [`Limits::request`](crate::Limits::request): nobody keeps one
/// by reading slowly.
const LONGEST_VISIT: u32 = 6;

/// How many refusals can be on their way. Beyond that, a connection is closed without a word.
const MOST_REFUSALS: usize = 64;

/// How long to wait for the end of a connection that was refused.
const REFUSAL: Duration = Duration::from_secs(2);

/// The address of the client, in a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

/// What serves connections.
struct Door {
    hub: Arc<Hub>,
    http: http1::Builder,
    router: TowerToHyperService<Router>,
    tls: Option<TlsAcceptor>,
    handshakes: Semaphore,
    refusals: Semaphore,
}

/// A connection that is not a WebSocket yet is counted until this is dropped.
struct Arrival {
    hub: Arc<Hub>,
    address: Option<IpAddr>,
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.hub.ledger.depart(self.address);
    }
}

/// Accepts connections until the server stops.
pub(crate) async fn listen(hub: Arc<Hub>, listener: TcpListener, tls: Option<Arc<ServerConfig>>) {
    let limits = hub.ledger.limits();
    let mut http = http1::Builder::new();
    // The time for the head of a request begins before its first byte, and thus ends idle connections too.
    http.timer(TokioTimer::new()).header_read_timeout(limits.request).max_buf_size(LONGEST_HEAD);
    let door = Arc::new(Door {
        http,
        router: TowerToHyperService::new(http::router(Arc::clone(&hub))),
        tls: tls.map(TlsAcceptor::from),
        handshakes: Semaphore::new(limits.handshakes),
        refusals: Semaphore::new(MOST_REFUSALS),
        hub: Arc::clone(&hub),
    });
    let mut stopping = hub.stopping.subscribe();
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => accepted,
            _ = stopping.wait_for(|&stops| stops) => return,
        };
        let door = Arc::clone(&door);
        match door.arrive(peer.ip()) {
            Ok(arrival) => tokio::spawn(door.serve(stream, peer.ip(), arrival)),
            Err(reached) => tokio::spawn(door.refuse(stream, reached)),
        };
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // With Nagle's algorithm a move would wait 40 ms for an acknowledgement.
                let _ = stream.set_nodelay(true);
                return (stream, address);
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

impl Door {
    /// Counts a connection. Those of a proxy are many people's.
    fn arrive(&self, peer: IpAddr) -> Result<Arrival, Reached> {
        let ledger = &self.hub.ledger;
        let is_proxy = proxy::is_trusted(&ledger.limits().proxies, peer);
        let address = (!is_proxy).then_some(peer);
        ledger.arrive(address, self.hub.now())?;
        Ok(Arrival { hub: Arc::clone(&self.hub), address })
    }

    /// Serves a connection until it is closed or becomes a WebSocket.
    async fn serve(self: Arc<Self>, stream: TcpStream, peer: IpAddr, arrival: Arrival) {
        let stream = Metered::new(stream, self.hub.ledger.limits().bytes);
        match &self.tls {
            None => self.talk(stream, peer).await,
            Some(tls) => {
                let handshake = async {
                    let _permit = self.handshakes.acquire().await.map_err(io::Error::other)?;
                    tls.accept(stream).await
                };
                let limit = self.hub.ledger.limits().handshake;
                if let Ok(Ok(stream)) = timeout(limit, handshake).await {
                    self.talk(stream, peer).await;
                }
            }
        }
        drop(arrival);
    }

    async fn talk<S>(&self, stream: S, peer: IpAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let limits = self.hub.ledger.limits();
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            let address = proxy::client(&limits.proxies, peer, request.headers());
            let id = RequestId::of(&limits.proxies, peer, request.headers());
            request.extensions_mut().insert(ClientAddress(address));
            request.extensions_mut().insert(id.clone());
            let response = self.router.call(request);
            async move {
                let mut response = response.await?;
                let status = response.status().as_u16();
                self.hub.metrics.respond(status);
                if self.hub.log.takes(Level::Debug) {
                    let entry = Entry::debug("http_answered", "A request was answered.");
                    self.hub.log.write(&entry.request(&id).with("status", u64::from(status)));
                }
                response.headers_mut().insert(request_id::HEADER, id.value());
                Ok::<_, Infallible>(response)
            }
        });
        let connection = self.http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        let mut connection = pin!(connection);
        let mut stopping = self.hub.stopping.subscribe();
        tokio::select! {
            // Whatever went wrong, the client has closed the connection or is told.
            _ = connection.as_mut() => return,
            () = sleep(limits.request * LONGEST_VISIT) => {}
            _ = stopping.wait_for(|&stops| stops) => {}
        }
        // An answer that is on its way is finished.
        connection.as_mut().graceful_shutdown();
        let _ = timeout(limits.request, connection).await;
    }

    /// Says why a connection is refused. Without TLS there is a language for that.
    async fn refuse(self: Arc<Self>, mut stream: TcpStream, reached: Reached) {
        let Ok(_permit) = self.refusals.try_acquire() else { return };
        if self.tls.is_some() {
            return;
        }
        let text = format!("{}\n", reached.text());
        let answer = format!(
            "HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: {}\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{text}",
            reached.seconds,
            text.len()
        );
        let answered = async {
            stream.write_all(answer.as_bytes()).await?;
            stream.shutdown().await?;
            // What is not read would make the system reset the connection, and the answer would be lost.
            let mut rest = [0; 512];
            while stream.read(&mut rest).await? > 0 {}
            Ok::<(), io::Error>(())
        };
        let _ = timeout(REFUSAL, answered).await;
    }
}
