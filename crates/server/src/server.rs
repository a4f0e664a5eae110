//! Starting and stopping a server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::ServerConfig;
use skirmish_room::{Millis, NodeId};
use skirmish_rules::Catalog;
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio::runtime::LocalOptions;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::bus::{Bus, NatsAddress};
use crate::computer::Computers;
use crate::hub::{Clock, Hub};
use crate::limits::{Ledger, Limits};
use crate::listener::listen;
use crate::log::{self, Entry, Log};
use crate::metrics;
use crate::nodes::Nodes;
use crate::storage::{Place, Storage, StorageError};
use crate::tasks::spawn;
use crate::tls::tls_config;

/// Time limits for stopping: until no clock runs for players who have to reconnect, until all connections are closed, and
/// until the database is closed.
const GAMES: Duration = Duration::from_secs(7);
const CONNECTIONS: Duration = Duration::from_secs(5);
const DATABASE: Duration = Duration::from_secs(5);

/// Maximum number of connections waiting to be accepted. After a restart, all clients reconnect at once.
const BACKLOG: i32 = 1024;

/// The kernel's receive buffer of a connection, in bytes. By default, it grows to several MiB, so that a client sending
/// faster than the server reads would keep the kernel busy with only a few sockets. Messages are much smaller than this.
const RECEIVE_BUFFER: usize = 64 << 10;

/// Logged if a server has a `PostgreSQL` database but no NATS server.
const NO_BUS: &str = "Started without --nats: if other servers use this database, moves there are seen every second.";

/// Logged if the database is not available when a server starts.
const WAITING: &str = "The database cannot be reached: the server starts as soon as it can be.";

/// How often a starting server tries to reach its database.
const RETRY: Duration = Duration::from_secs(1);

/// Logged when the server starts to stop.
const DRAINING: &str =
    "The server is stopping: games continue on other nodes, or when the server is back.";

/// The configuration of a server.
pub struct Config {
    /// The games available on the server.
    pub games: Catalog,
    /// The address to listen on. Port 0 selects a free port.
    pub listen: SocketAddr,
    /// The database.
    pub database: Database,
    /// The public URL; by default, derived from the socket's address.
    pub url: Option<String>,
    /// The certificate, if the server uses TLS.
    pub tls: Option<TlsFiles>,
    /// Memory limit for solved boards, in bytes.
    pub memory: u64,
    /// The address for Prometheus metrics, if enabled. Port 0 selects a free port.
    pub metrics: Option<SocketAddr>,
    /// The limits on clients' requests.
    pub limits: Limits,
    /// The operator's log.
    pub log: Log,
}

/// The database of a server.
#[derive(Clone, Debug)]
pub enum Database {
    /// A folder, which no other server uses at the same time.
    Folder(PathBuf),
    /// A `PostgreSQL` database, which several servers can share as nodes.
    Postgres(Shared),
}

/// The services shared by the nodes of a server.
#[derive(Clone)]
pub struct Shared {
    /// The URL of the database: `postgres://…`.
    pub database: String,
    /// The NATS server for messages between nodes. Without one, nodes learn of each other's moves from the database.
    pub nats: Option<NatsAddress>,
}

impl Database {
    /// Returns the location of the database, without a password.
    fn place(&self) -> Result<Place, StorageError> {
        match self {
            Self::Folder(folder) => Ok(Place::File(folder.clone())),
            Self::Postgres(shared) => Storage::place(&shared.database),
        }
    }
}

impl std::fmt::Debug for Shared {
    /// Omits the database's URL, which may contain a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").field("nats", &self.nats).finish_non_exhaustive()
    }
}

/// A certificate and its key, in PEM files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, with its chain.
    pub cert: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("{path} cannot be used for TLS: {why}", path = path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// The problem.
        why: String,
    },
    /// The database cannot be opened.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A thread cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
}

/// A running server, with its own threads. Dropping it stops the server; [`Server::stop`] also waits for that.
pub struct Server {
    address: SocketAddr,
    metrics: Option<SocketAddr>,
    hub: Arc<Hub>,
    stop: oneshot::Sender<Option<&'static str>>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts a server, which is listening when this returns. If its `PostgreSQL` database cannot be reached, waits for it.
    ///
    /// # Errors
    /// If the address, the database or the certificate cannot be used.
    pub fn start(config: Config) -> Result<Self, StartError> {
        let tls = config.tls.as_ref().map(tls_config).transpose()?;
        if let Database::Postgres(shared) = &config.database {
            // Wait before binding: otherwise, clients could connect but would get no answer.
            wait_for(&shared.database, &config.log)?;
        }
        let (listener, address) = bind(config.listen)?;
        let metrics = config.metrics.map(bind).transpose()?;
        let (metrics, metrics_address) = metrics.unzip();
        let computers = Computers::start(config.memory).map_err(StartError::Threads)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = config.url.unwrap_or_else(|| format!("{scheme}://{address}"));
        let url = url.trim_end_matches('/').to_owned();
        let ledger = Ledger::new(config.limits);
        let prepare = async move || {
            let name = address.to_string();
            let (storage, bus, now) = match &config.database {
                Database::Folder(folder) => (Storage::open(folder)?, Bus::none(), None),
                Database::Postgres(shared) => {
                    ledger.share();
                    connect(shared, &config.log).await?
                }
            };
            let clock = Clock::start(now, storage.newest());
            let id = storage.join(&name, clock.asks()).await?;
            let is_shared = matches!(config.database, Database::Postgres(_));
            let node = is_shared.then_some(id);
            config.log.write(&started(node, address, &config.database.place()?));
            let nodes = (Nodes::new(id, name, bus), clock);
            let hub = Hub::new(config.games, storage, computers, ledger, config.log, url, nodes);
            hub.beat().await?;
            Ok::<_, StartError>(Arc::new(hub))
        };
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = oneshot::channel();
        // One thread runs sockets, rooms and connections to PostgreSQL: handing a move from thread to thread would cost more
        // than the move.
        let work = move || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            let runtime = builder.enable_all().build_local(LocalOptions::default());
            let runtime = runtime.map_err(StartError::Threads);
            let prepared = runtime.and_then(|runtime| Ok((runtime.block_on(prepare())?, runtime)));
            match prepared {
                Ok((hub, runtime)) => {
                    let _ = ready.send(Ok(Arc::clone(&hub)));
                    runtime.block_on(run(hub, (listener, metrics), tls, stopped));
                }
                Err(error) => drop(ready.send(Err(error))),
            }
        };
        let thread = thread::Builder::new().name("server".to_owned()).spawn(work);
        let thread = thread.map_err(StartError::Threads)?;
        let ended = |_| StartError::Threads(io::Error::other("the server's thread has ended"));
        let hub = started.blocking_recv().map_err(ended)??;
        Ok(Self { address, metrics: metrics_address, hub, stop, thread })
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the Prometheus metrics, if enabled.
    #[must_use]
    pub const fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Returns the public URL, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.hub.url
    }

    /// Sets the server's clock forward, to test behaviour that takes minutes. Running timers are not affected; the next
    /// message sees the new time.
    #[doc(hidden)]
    pub fn skip(&self, time: Duration) {
        self.hub.clock.skip(time);
    }

    /// Stops: pauses the games, tells the clients when to come back, and closes the database.
    pub fn stop(self) {
        self.stop_with(None);
    }

    /// Stops like [`Server::stop`], and sends the players a last message.
    pub fn stop_with(self, farewell: Option<&'static str>) {
        // If the thread has panicked, the panic has already been reported.
        let _ = self.stop.send(farewell);
        let _ = self.thread.join();
    }
}

/// Listens on an address.
fn bind(address: SocketAddr) -> Result<(std::net::TcpListener, SocketAddr), StartError> {
    let listen = |error| StartError::Listen { address, error };
    let listener = std::net::TcpListener::bind(address).map_err(listen)?;
    let socket = SockRef::from(&listener);
    socket.set_recv_buffer_size(RECEIVE_BUFFER).map_err(listen)?;
    socket.listen(BACKLOG).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    Ok((listener, address))
}

/// Returns the log entry for a server that has started.
fn started(node: Option<NodeId>, address: SocketAddr, database: &Place) -> Entry {
    let entry = Entry::info("started", "The server has started.")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("address", address.to_string())
        .with("database", database.to_string());
    match node {
        Some(node) => entry.with("node", node.to_string()),
        None => entry,
    }
}

/// Waits until a `PostgreSQL` database can be reached.
fn wait_for(url: &str, log: &Log) -> Result<(), StorageError> {
    let mut told = None;
    loop {
        match Storage::reach(url) {
            Err(StorageError::Unavailable(why)) => {
                if told.as_ref() != Some(&why) {
                    let entry = Entry::warn(log::UNAVAILABLE, WAITING).with("error", why.as_str());
                    log.write(&entry.with("database", Storage::place(url)?.to_string()));
                    told = Some(why);
                }
                thread::sleep(RETRY);
            }
            result => return result,
        }
    }
}

/// Connects to the services that the nodes share. Also returns the time that all nodes use.
async fn connect(
    shared: &Shared,
    log: &Log,
) -> Result<(Storage, Bus, Option<Millis>), StorageError> {
    let storage = Storage::connect_here(&shared.database)?;
    let bus = if let Some(address) = &shared.nats {
        Bus::connect(address, &storage.cluster().await?, log).await
    } else {
        log.write(&Entry::warn("bus_missing", NO_BUS));
        Bus::none()
    };
    let now = storage.now().await?;
    Ok((storage, bus, Some(now)))
}

/// Serves until the other end of `stopped` is dropped.
async fn run(
    hub: Arc<Hub>,
    (listener, metrics): (std::net::TcpListener, Option<std::net::TcpListener>),
    tls: Option<Arc<ServerConfig>>,
    stopped: oneshot::Receiver<Option<&'static str>>,
) {
    let done = hub.old_notices().await;
    let http = match TcpListener::from_std(listener) {
        Ok(listener) => spawn(listen(Arc::clone(&hub), listener, tls)),
        Err(error) => {
            let entry = Entry::error("listen_failed", "The server cannot listen.");
            return hub.log.write(&entry.with("error", error.to_string()));
        }
    };
    if let Some(Ok(listener)) = metrics.map(TcpListener::from_std) {
        spawn(metrics::serve(Arc::clone(&hub), listener));
    }
    spawn(Arc::clone(&hub).hear());
    spawn(Arc::clone(&hub).obey(done));
    spawn(Arc::clone(&hub).keep_nodes());
    let farewell = stopped.await.ok().flatten();
    hub.log.write(&Entry::info("draining", DRAINING));
    if timeout(GAMES, hub.pause(farewell)).await.is_err() {
        let text = "Not all games could be paused in time: they will resume as after a crash.";
        hub.log.write(&Entry::warn("drain_late", text));
    }
    hub.stopping.send_replace(true);
    let left = async {
        while hub.ledger.connections() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let _ = timeout(CONNECTIONS, left).await;
    http.abort();
    let _ = timeout(DATABASE, hub.storage.leave(hub.nodes.id)).await;
    let _ = timeout(DATABASE, hub.storage.clone().close()).await;
    hub.log.write(&Entry::info("stopped", "The server has stopped."));
}

#[cfg(test)]
mod tests {
    // Other systems may have lower limits.
    #[cfg(target_os = "linux")]
    #[test]
    fn many_clients_can_connect_at_once() {
        let (_listener, address) = super::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
        // The test accepts no connections: those beyond the backlog would time out.
        let connect = |_| std::net::TcpStream::connect_timeout(&address, super::GAMES);
        let clients: Result<Vec<_>, _> = (0..500).map(connect).collect();
        clients.expect("the backlog is long enough");
    }
}
