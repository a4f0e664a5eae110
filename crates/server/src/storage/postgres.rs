//! `PostgreSQL` addresses, connections and statements.

mod connection;
mod tls;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as _;
use std::io;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, NoTls, Socket, Statement};

pub(super) use connection::{Sharing, work};

use self::tls::Tls;
use super::value::Value;
use super::{Place, Result, Row, StorageError};
use crate::credentials;
use crate::tasks::spawn;

/// The default port of a server.
const PORT: u16 = 5432;

/// Maximum time to connect to a host.
const CONNECT: Duration = Duration::from_secs(3);

/// Time limits for a statement, for waiting on a lock, and for an idle transaction: a hung node must not hold its locks. The
/// lock timeout is shorter than the statement timeout, because it leaves the connection usable.
const SETTINGS: &str = "SET statement_timeout = 3000; SET lock_timeout = 1500;
     SET idle_in_transaction_session_timeout = 3000; SET client_min_messages = warning;
     SELECT set_config('synchronous_commit', 'on', false)
     WHERE current_setting('synchronous_commit') = 'off'";

/// The address of a database, and how to connect to it.
#[derive(Clone)]
pub(super) struct Address {
    config: Config,
    /// The TLS settings; `None` without encryption.
    tls: Option<Tls>,
    /// The host and port.
    server: String,
    place: Place,
}

impl Address {
    /// Parses a URL of the form `postgres://user:password@host:port/name`.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let unclear = || StorageError::Address(credentials::UNCLEAR);
        if !credentials::are_clear(url) {
            return Err(unclear());
        }
        let (url, tls) = tls::take(url)?;
        // The parser's error could quote part of the password.
        let why = "expected postgres://user:password@host:port/name";
        let mut config: Config = url.parse().map_err(|_| StorageError::Address(why))?;
        if tls.is_some() {
            config.ssl_mode(SslMode::Require);
        }
        let Some(server) = server(&config) else {
            return Err(StorageError::Address("it names no host"));
        };
        if server.contains('@') {
            return Err(unclear());
        }
        let name = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
        let place = Place::Database(format!("database {name} on {server}"));
        config.connect_timeout(CONNECT).tcp_user_timeout(Duration::from_secs(5));
        config.keepalives_idle(Duration::from_secs(5));
        if config.get_application_name().is_none() {
            config.application_name("skirmish");
        }
        Ok(Self { config, tls, server, place })
    }

    /// Returns the location of the database, without a password.
    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the time limit for connecting. Each host has its own share, even if an earlier one drops packets silently.
    fn patience(&self) -> Duration {
        let hosts = u32::try_from(self.config.get_hosts().len()).unwrap_or(u32::MAX);
        CONNECT.saturating_mul(hosts.max(1))
    }

    /// Opens a connection.
    pub(super) async fn connect(&self) -> Result<Client> {
        let connect = async {
            let client = match &self.tls {
                Some(tls) => open(&self.config, tls.clone()).await?,
                None => open(&self.config, NoTls).await?,
            };
            client.inner.batch_execute(SETTINGS).await?;
            Ok::<_, tokio_postgres::Error>(client)
        };
        match timeout(self.patience(), connect).await {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(error)) => Err(match StorageError::from(error) {
                StorageError::Database(what) => self.place.unusable(io::Error::other(what)),
                error => error,
            }),
            Err(_) => Err(StorageError::Unavailable("connecting takes too long".to_owned())),
        }
    }

    /// Opens the first connection. Its error names the server for the person who gave the address; later errors, which are
    /// logged, do not.
    pub(super) async fn connect_first(&self) -> Result<Client> {
        self.connect().await.map_err(|error| match error {
            StorageError::Unavailable(why) => {
                StorageError::Unavailable(format!("cannot connect to {}: {why}", self.server))
            }
            error => error,
        })
    }
}

/// Opens a connection, and starts the task that drives it.
async fn open<T>(config: &Config, tls: T) -> Result<Client, tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket, Stream: Send + 'static>,
{
    let (client, connection) = config.connect(tls).await?;
    let driver = spawn(async {
        // Pending requests report the error.
        let _ = connection.await;
    });
    Ok(Client::new(client, driver))
}

/// Lists the hosts and ports that are tried one after another, if any.
fn server(config: &Config) -> Option<String> {
    let ports = config.get_ports();
    let servers = config.get_hosts().iter().enumerate().map(|(number, host)| {
        let port = ports.get(number).or(ports.first()).copied().unwrap_or(PORT);
        match host {
            Host::Tcp(host) if host.contains(':') => format!("[{host}]:{port}"),
            Host::Tcp(host) => format!("{host}:{port}"),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        }
    });
    let servers: Vec<String> = servers.collect();
    (!servers.is_empty()).then(|| servers.join(", "))
}

/// A connection.
pub(super) struct Client {
    inner: tokio_postgres::Client,
    driver: AbortOnDrop,
    statements: RefCell<HashMap<String, Statement>>,
    state: Cell<State>,
}

/// The state of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    /// A statement failed: until a rollback, the server refuses further statements.
    Failed,
    /// The connection can no longer be used.
    Broken,
}

impl Client {
    fn new(inner: tokio_postgres::Client, driver: JoinHandle<()>) -> Self {
        let driver = AbortOnDrop(driver);
        Self { inner, driver, statements: RefCell::default(), state: Cell::new(State::Fine) }
    }

    /// Runs a statement and returns its rows.
    pub(super) async fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let statement = self.prepare(sql).await?;
        let rows = self.inner.query(&statement, &parameters(values)).await;
        rows.map_err(|error| self.failure(error))?.iter().map(Row::of_postgres).collect()
    }

    /// Runs a statement and returns the number of rows changed.
    pub(super) async fn execute(&self, sql: &str, values: &[Value]) -> Result<u64> {
        let statement = self.prepare(sql).await?;
        let result = self.inner.execute(&statement, &parameters(values)).await;
        result.map_err(|error| self.failure(error))
    }

    /// Runs several statements without parameters.
    pub(super) async fn batch(&self, sql: &str) -> Result<()> {
        self.inner.batch_execute(sql).await.map_err(|error| self.failure(error))
    }

    async fn prepare(&self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.inner.prepare(sql).await.map_err(|error| self.failure(error))?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Records a failure, and converts the error.
    fn failure(&self, error: tokio_postgres::Error) -> StorageError {
        let keeps = error.as_db_error().is_some_and(|error| is_collision(error.code()));
        let error = StorageError::from(error);
        let state = if error.is_unavailable() && !keeps { State::Broken } else { State::Failed };
        if self.state.get() != State::Broken {
            self.state.set(state);
        }
        error
    }

    /// Returns whether a statement outside a transaction has failed, and allows the next one.
    fn take_failure(&self) -> bool {
        let has_failed = self.state.get() == State::Failed;
        if has_failed {
            self.state.set(State::Fine);
        }
        has_failed
    }

    fn is_usable(&self) -> bool {
        self.state.get() != State::Broken && !self.inner.is_closed()
    }

    /// Closes the connection, and waits until it is closed.
    pub(super) async fn close(self) {
        let Self { inner, mut driver, .. } = self;
        drop(inner);
        let _ = timeout(CONNECT, &mut driver.0).await;
    }
}

/// The task that drives a connection. It ends no later than the connection.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl From<tokio_postgres::Error> for StorageError {
    fn from(error: tokio_postgres::Error) -> Self {
        if let Some(error) = error.as_db_error() {
            let code = error.code();
            // The error's details would quote rows.
            let text = format!("{} ({})", error.message(), code.code());
            return if is_unavailable(code) || is_collision(code) {
                Self::Unavailable(text)
            } else if *code == SqlState::DISK_FULL {
                Self::Full
            } else if code.code().starts_with("23") {
                Self::Constraint(text)
            } else {
                Self::Database(text)
            };
        }
        let text = match error.source() {
            Some(source) => format!("{source}"),
            None => error.to_string(),
        };
        let is_io = error.source().is_some_and(<dyn std::error::Error>::is::<io::Error>);
        let is_silent = ["timeout", "unexpected message"].iter().any(|kind| text.contains(kind));
        if error.is_closed() || is_io || is_silent {
            Self::Unavailable(text)
        } else {
            Self::Database(text)
        }
    }
}

/// Whether the server is shutting down or temporarily unable to work.
fn is_unavailable(code: &SqlState) -> bool {
    code.code().starts_with("08")
        || [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::QUERY_CANCELED,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            SqlState::READ_ONLY_SQL_TRANSACTION,
        ]
        .contains(code)
}

/// Whether two transactions were in conflict.
fn is_collision(code: &SqlState) -> bool {
    [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ]
    .contains(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_of_an_address_has_its_time() {
        for (hosts, count) in [("one", 1), ("one,two:5433", 2)] {
            let address = Address::parse(&format!("postgres://me@{hosts}/skirmish"));
            assert_eq!(address.expect("an address").patience(), CONNECT * count, "{hosts}");
        }
    }
}
