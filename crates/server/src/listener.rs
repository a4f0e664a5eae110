//! The accept loop. Serves HTTP on every connection, within limits, until the connection is closed or becomes a WebSocket.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::http;
use crate::hub::Hub;
use crate::limits::Reached;
use crate::log::{Entry, Level};
use crate::metered::Metered;
use crate::proxy;
use crate::request_id::{self, RequestId};
use crate::tasks::spawn;

/// Delay after a failure to accept, for example if no file descriptors are left.
const PAUSE: Duration = Duration::from_millis(100);

/// Maximum size of a request's head in bytes. Browsers and proxies send one or two thousand.
const LONGEST_HEAD: usize = 16 << 10;

/// How long a connection may serve requests, as a multiple of [`Limits::request`](crate::Limits::request). This stops clients
/// that hold a connection by reading slowly.
const LONGEST_VISIT: u32 = 6;

/// Maximum number of refusals in progress. Beyond that, a connection is closed without a response.
const MOST_REFUSALS: usize = 256;

/// The delay before a refusal is sent, to slow down clients that reconnect at once.
const REFUSAL_DELAY: Duration = Duration::from_secs(1);

/// The interval between requests, and how far a burst may run ahead of it. Longer floods leave most of the CPU to the games.
const PACE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// The client that sent a request, as an extension of the request.
#[derive(Clone, Debug)]
pub(crate) struct ClientInfo {
    pub(crate) address: IpAddr,
    /// Whether the client uses HTTPS.
    pub(crate) is_secure: bool,
    /// The id of the request.
    pub(crate) request: RequestId,
}

/// A client's socket, with or without TLS. The type is erased, so that the code for HTTP exists once.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// State shared by the tasks that serve connections.
struct Door {
    hub: Arc<Hub>,
    http: http1::Builder,
    router: TowerToHyperService<Router>,
    tls: Option<TlsAcceptor>,
    handshakes: Semaphore,
    refusals: Semaphore,
    turns: Turns,
}

/// Schedules HTTP requests: one runs each time the runtime has run every ready task and polled all sockets. A flood of
/// requests, pipelined or on many sockets, therefore delays a player's move by one request at most.
struct Turns {
    queue: Semaphore,
    /// Held by the paced request whose turn is next, so that other requests queue here instead of ahead of players.
    pace: Mutex<Pace>,
}

impl Turns {
    fn new() -> Self {
        Self { queue: Semaphore::new(1), pace: Mutex::new(Pace { until: Instant::now() }) }
    }

    /// Waits for the next turn.
    async fn take(&self) {
        let _turn = self.queue.acquire().await;
        // Tokio resumes this task after polling its sockets; only then is the permit released to the next waiter.
        yield_now().await;
    }

    /// Waits for a request's turn. Players who open a WebSocket are not delayed; all other requests are paced.
    async fn take_for(&self, path: &str) {
        if path == http::SOCKET {
            return self.take().await;
        }
        let mut pace = self.pace.lock().await;
        if let Some(delay) = pace.delay(Instant::now()) {
            sleep(delay).await;
        }
        self.take().await;
    }
}

/// Limits the rate of requests to that of [`PACE`].
struct Pace {
    /// When the requests so far would have ended at that rate.
    until: Instant,
}

impl Pace {
    /// Counts a request and returns its delay, if any: bursts are not delayed.
    fn delay(&mut self, now: Instant) -> Option<Duration> {
        let (each, burst) = PACE;
        self.until = now.max(self.until) + each;
        (self.until - now).checked_sub(burst).filter(|delay| !delay.is_zero())
    }
}

/// An open socket that is not a WebSocket yet. Dropping it releases the socket in the limits.
struct Arrival {
    hub: Arc<Hub>,
    address: Option<IpAddr>,
    /// Maximum time to receive the head of a request.
    patience: Duration,
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
    http.timer(TokioTimer::new()).max_buf_size(LONGEST_HEAD);
    let door = Arc::new(Door {
        http,
        router: TowerToHyperService::new(http::router(Arc::clone(&hub))),
        tls: tls.map(TlsAcceptor::from),
        handshakes: Semaphore::new(limits.handshakes),
        refusals: Semaphore::new(MOST_REFUSALS),
        turns: Turns::new(),
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
            Ok(arrival) => spawn(door.serve(stream, peer.ip(), arrival)),
            Err(reached) => spawn(door.refuse(stream, reached)),
        };
        // Let all other ready tasks run before the next connection.
        yield_now().await;
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // With Nagle's algorithm, a move would wait 40 ms for an acknowledgement.
                let _ = stream.set_nodelay(true);
                return (stream, address);
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

impl Door {
    /// Counts a connection against the limits. A trusted proxy's connections carry many clients, so they count for no
    /// address.
    fn arrive(&self, peer: IpAddr) -> Result<Arrival, Reached> {
        let ledger = &self.hub.ledger;
        let is_proxy = proxy::is_trusted(&ledger.limits().proxies, peer);
        let address = (!is_proxy).then_some(peer);
        let patience = ledger.arrive(address, self.hub.now())?;
        Ok(Arrival { hub: Arc::clone(&self.hub), address, patience })
    }

    /// Serves a connection until it is closed or becomes a WebSocket.
    async fn serve(self: Arc<Self>, stream: TcpStream, peer: IpAddr, arrival: Arrival) {
        let stream = Metered::new(stream, self.hub.ledger.limits().bytes);
        match &self.tls {
            None => self.talk(Box::new(stream), peer, arrival.patience).await,
            Some(tls) => {
                let handshake = async {
                    let _permit = self.handshakes.acquire().await.map_err(io::Error::other)?;
                    tls.accept(stream).await
                };
                let limit = self.hub.ledger.limits().handshake.min(arrival.patience);
                if let Ok(Ok(stream)) = timeout(limit, handshake).await {
                    self.talk(Box::new(stream), peer, arrival.patience).await;
                }
            }
        }
        drop(arrival);
    }

    async fn talk(&self, stream: Box<dyn Stream>, peer: IpAddr, patience: Duration) {
        let limits = self.hub.ledger.limits();
        self.turns.take().await;
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            let (proxies, headers) = (&limits.proxies, request.headers());
            let id = RequestId::of(proxies, peer, headers);
            let is_secure = proxy::is_secure(proxies, peer, headers);
            let client = ClientInfo {
                address: proxy::client(proxies, peer, headers),
                is_secure: is_secure.unwrap_or(self.tls.is_some()),
                request: id.clone(),
            };
            request.extensions_mut().insert(client);
            async move {
                self.turns.take_for(request.uri().path()).await;
                let mut response = self.router.call(request).await?;
                if response.status() == StatusCode::TOO_MANY_REQUESTS {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
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
        // The timeout for the head of a request starts before its first byte, and thus also ends idle connections.
        let mut http = self.http.clone();
        http.header_read_timeout(patience);
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        let mut connection = pin!(connection);
        let mut stopping = self.hub.stopping.subscribe();
        tokio::select! {
            // After any error, the client has either closed the connection or received a response.
            _ = connection.as_mut() => return,
            () = sleep(limits.request * LONGEST_VISIT) => {}
            _ = stopping.wait_for(|&stops| stops) => {}
        }
        // Let a response in progress finish.
        connection.as_mut().graceful_shutdown();
        let _ = timeout(limits.request, connection).await;
    }

    /// Sends the reason for refusing a connection, unless that would take a TLS handshake.
    async fn refuse(self: Arc<Self>, stream: TcpStream, reached: Reached) {
        let Ok(_permit) = self.refusals.try_acquire() else { return };
        sleep(REFUSAL_DELAY).await;
        if self.tls.is_some() {
            return;
        }
        // Otherwise, clients refused at the same moment would all be answered at once.
        self.turns.take().await;
        let text = format!("{}\n", reached.text());
        let answer = format!(
            "HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: {}\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{text}",
            reached.seconds,
            text.len()
        );
        let mut stream = Metered::new(stream, self.hub.ledger.limits().bytes);
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn other_traffic_comes_between_two_requests() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build_local(tokio::runtime::LocalOptions::default())
            .expect("a runtime");
        let (turns, order) = (Rc::new(Turns::new()), Rc::new(RefCell::new(String::new())));
        runtime.block_on(async {
            let requests = (0..3).map(|_| {
                let (turns, order) = (Rc::clone(&turns), Rc::clone(&order));
                tokio::task::spawn_local(async move {
                    turns.take().await;
                    order.borrow_mut().push('r');
                })
            });
            let requests: Vec<_> = requests.collect();
            let player = Rc::clone(&order);
            let player = tokio::task::spawn_local(async move {
                for _ in 0..3 {
                    player.borrow_mut().push('m');
                    yield_now().await;
                }
            });
            for task in requests.into_iter().chain([player]) {
                task.await.expect("it ends");
            }
        });
        let order = order.borrow();
        let count = |text: &str, sign: char| text.matches(sign).count();
        let is_fair = |end: usize| count(&order[..end], 'm') >= count(&order[..end], 'r');
        assert!((0..=order.len()).all(is_fair), "{order}");
    }

    #[test]
    fn requests_are_delayed_only_after_a_burst() {
        let (each, burst) = PACE;
        let start = Instant::now();
        let mut pace = Pace { until: start };
        let in_burst = burst.as_millis() / each.as_millis();
        assert!((0..in_burst).all(|_| pace.delay(start).is_none()));
        assert_eq!([1, 2].map(|_| pace.delay(start)), [Some(each), Some(2 * each)]);
        // Requests at exactly the paced rate are not delayed further, and idle time allows another burst.
        assert_eq!(pace.delay(start + each), Some(2 * each));
        let later = start + 2 * burst;
        assert!((0..in_burst).all(|_| pace.delay(later).is_none()));
        assert_eq!(pace.delay(later), Some(each));
    }

    #[test]
    fn sockets_do_not_wait_behind_paced_requests() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build_local(tokio::runtime::LocalOptions::default())
            .expect("a runtime");
        runtime.block_on(async {
            let turns = Rc::new(Turns::new());
            turns.pace.lock().await.until += Duration::from_hours(1);
            let spawned = ["/", "/explore", http::SOCKET].map(|path| {
                let turns = Rc::clone(&turns);
                tokio::task::spawn_local(async move { turns.take_for(path).await })
            });
            // Wait far longer than a turn takes.
            for _ in 0..100 {
                yield_now().await;
            }
            assert_eq!(spawned.map(|task| task.is_finished()), [false, false, true]);
        });
    }
}
