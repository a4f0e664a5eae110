//! Several nodes that share a database and a bus over connections that tests can cut.

use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;

use skirmish_rules::GAMES;
use skirmish_server::{Config, Database, Server, Shared};

pub(crate) use crate::line::Line;
use crate::lines::Lines;
use crate::support::{Client, apart, get_from};

/// The environment variables with the addresses of `PostgreSQL` and NATS test servers; `scripts/with-databases` starts
/// both.
const POSTGRES: &str = "SKIRMISH_POSTGRES";
const NATS: &str = "SKIRMISH_NATS";

/// The number of databases that this process has created so far.
static DATABASES: AtomicU64 = AtomicU64::new(0);

/// A dedicated database and a bus, if test servers are available.
pub(crate) struct Ground {
    nats: SocketAddr,
    postgres: SocketAddr,
    name: String,
}

impl Ground {
    /// Creates a database, or prints a conspicuous message that there is no database server.
    pub(crate) fn new() -> Option<Self> {
        let (Ok(postgres), Ok(nats)) = (std::env::var(POSTGRES), std::env::var(NATS)) else {
            println!(
                "NODES ARE NOT TESTED: there is no {POSTGRES} and {NATS}; see scripts/with-databases"
            );
            return None;
        };
        let name = format!("nodes_{}_{}", std::process::id(), DATABASES.fetch_add(1, SeqCst));
        execute(&postgres, &format!("CREATE DATABASE {name}"));
        let host = |url: &str| -> SocketAddr {
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            let rest = rest.split('/').next().unwrap_or(rest);
            rest.rsplit('@').next().unwrap_or(rest).parse().expect("an address and a port")
        };
        let (at, nats) = (host(&postgres), host(&nats));
        Some(Self { nats, postgres: at, name })
    }

    /// Runs a statement in the database.
    pub(crate) fn execute(&self, sql: &str) {
        execute(&format!("postgres://postgres@{}/{}", self.postgres, self.name), sql);
    }

    /// Makes the database refuse changes, like a standby.
    pub(crate) fn forbid_writing(&self) {
        let trigger = |table| {
            format!(
                "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON {table} EXECUTE FUNCTION refuse();"
            )
        };
        self.execute(&format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'read-only' USING ERRCODE = 'read_only_sql_transaction'; END $$;
             {} {}",
            trigger("event"),
            trigger("node"),
        ));
    }

    pub(crate) fn allow_writing(&self) {
        self.execute("DROP FUNCTION refuse CASCADE");
    }

    /// A proxied connection to the database, and the address that leads through it.
    pub(crate) fn database_line(&self) -> (Line, String) {
        let line = Line::to(self.postgres);
        let url = format!("postgres://postgres@{}/{}", line.address(), self.name);
        (line, url)
    }

    /// A proxied connection to the bus, and the address that leads through it.
    pub(crate) fn bus_line(&self) -> (Line, String) {
        let line = Line::to(self.nats);
        let url = format!("nats://{}", line.address());
        (line, url)
    }
}

fn execute(url: &str, sql: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
        let (client, connection) = connected.expect("the database is there");
        tokio::spawn(connection);
        client.batch_execute(sql).await.expect("valid SQL");
    });
}

/// A node that runs in this process.
pub(crate) struct Node {
    server: Option<Server>,
    pub(crate) database: Line,
    pub(crate) bus: Line,
    pub(crate) log: Lines,
}

impl Node {
    pub(crate) fn start(ground: &Ground) -> Self {
        let (bus, url) = ground.bus_line();
        Self::with(bus, Some(&url), ground.database_line())
    }

    /// Starts a node while its database is unreachable. The database comes back once the node has logged the outage.
    pub(crate) fn start_before_database(ground: &Ground) -> Self {
        let (bus, url) = ground.bus_line();
        let (database, database_url) = ground.database_line();
        database.cut();
        Self::with(bus, Some(&url), (database, database_url))
    }

    /// Starts a node while its bus is unreachable.
    pub(crate) fn start_cut_off(ground: &Ground) -> Self {
        let (bus, url) = ground.bus_line();
        bus.cut();
        Self::with(bus, Some(&url), ground.database_line())
    }

    /// Starts a node without a bus.
    pub(crate) fn start_without_bus(ground: &Ground) -> Self {
        Self::with(ground.bus_line().0, None, ground.database_line())
    }

    fn with(bus: Line, nats: Option<&str>, (database, database_url): (Line, String)) -> Self {
        let nats = nats.map(|url| url.parse().expect("an address"));
        let log = Lines::default();
        let config = Config {
            games: GAMES,
            listen: "127.0.0.1:0".parse().expect("an address"),
            database: Database::Postgres(Shared { database: database_url, nats }),
            url: None,
            tls: None,
            memory: 16 << 20,
            limits: apart(),
            metrics: Some("127.0.0.1:0".parse().expect("an address")),
            log: log.log(),
        };
        if database.is_cut() {
            let (log, database) = (log.clone(), database.clone());
            thread::spawn(move || {
                log.wait_for("database_unavailable");
                database.mend();
            });
        }
        let server = Some(Server::start(config).expect("the node starts"));
        Self { server, database, bus, log }
    }

    /// The metrics that Prometheus would read.
    pub(crate) fn metrics(&self) -> String {
        let address = self.server.as_ref().and_then(Server::metrics).expect("an address");
        get_from(address, "/metrics", "").1
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.as_ref().expect("the node runs").address()
    }

    /// Opens a connection that has not sent `hello` yet.
    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address()).expect("the node listens");
        Client::over(stream, format!("ws://{}/ws", self.address()))
    }

    /// Connects a guest with this name.
    pub(crate) fn guest(&self, name: &str) -> Client {
        let mut client = self.connect();
        client.hello(&serde_json::json!({"name": name}));
        client
    }

    pub(crate) fn stop(&mut self) {
        self.server.take().expect("the node runs").stop();
    }
}

/// Reconnects nodes to the database once all of them have noticed the outage. If one did so earlier, others could have
/// written heartbeats too recently for it to count as an outage.
pub(crate) fn mend_all(nodes: &[Node]) {
    for node in nodes {
        node.log.wait_for("database_unavailable");
    }
    for node in nodes {
        node.database.mend();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}
