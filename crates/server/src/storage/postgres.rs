//! `PostgreSQL`: addresses, connections and statements.

mod lane;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, NoTls, Row, Statement};

pub(super) use lane::{Sharing, work};

use super::error::{Place, StorageError};
use super::value::Value;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(3);

/// How long the server may take for a statement, how long it waits for a lock, and how long it leaves a transaction open in
/// which nothing happens: one of a node that hangs must not keep its locks.
const SETTINGS: &str = "SET statement_timeout = 3000; SET lock_timeout = 3000;
     SET idle_in_transaction_session_timeout = 3000; SET client_min_messages = warning;
     SELECT set_config('synchronous_commit', 'on', false)
     WHERE current_setting('synchronous_commit') = 'off'";

/// Where a database is, and how to get there.
#[derive(Clone)]
pub(super) struct Address {
    config: Config,
    place: Place,
}

impl Address {
    /// Reads an address of the form `postgres://user:password@host:port/name`.
    pub(super) fn parse(url: &str) -> Result<Self, StorageError> {
        let tls = StorageError::Address {
            why: "TLS to PostgreSQL is not supported: leave out sslmode, and connect over a private network or a tunnel",
        };
        // The parser's own error could quote a part of the password.
        let mut config: Config = match url.parse() {
            Ok(config) => config,
            Err(_) if url.contains("sslmode=verify") => return Err(tls),
            Err(_) => {
                let why = "expected postgres://user:password@host:port/name";
                return Err(StorageError::Address { why });
            }
        };
        if config.get_ssl_mode() == SslMode::Require {
            return Err(tls);
        }
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => return Err(StorageError::Address { why: "it names no host" }),
        };
        let name = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
        let place = Place::Database(format!("database {name} on {host}"));
        config.connect_timeout(CONNECT).tcp_user_timeout(Duration::from_secs(5));
        config.keepalives_idle(Duration::from_secs(5));
        if config.get_application_name().is_none() {
            config.application_name("skirmish");
        }
        Ok(Self { config, place })
    }

    /// The database, without a password.
    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    /// Connects.
    pub(super) async fn connect(&self) -> Result<Client, StorageError> {
        let connect = async {
            let (client, connection) = self.config.connect(NoTls).await?;
            let driver = tokio::spawn(async {
                // Whoever waits for an answer hears of an error.
                let _ = connection.await;
            });
            let client = Client::new(client, driver);
            client.inner.batch_execute(SETTINGS).await?;
            Ok::<_, tokio_postgres::Error>(client)
        };
        match timeout(CONNECT, connect).await {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(error)) => Err(match StorageError::from(error) {
                StorageError::Database { what } => StorageError::Unusable {
                    place: self.place.clone(),
                    source: Arc::new(io::Error::other(what)),
                },
                error => error,
            }),
            Err(_) => Err(StorageError::Away { why: "connecting takes too long".to_owned() }),
        }
    }
}

/// A connection.
pub(super) struct Client {
    inner: tokio_postgres::Client,
    driver: Driver,
    statements: RefCell<HashMap<&'static str, Statement>>,
    state: Cell<State>,
}

/// What became of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    /// A statement failed: until the transaction is rolled back, the server refuses others.
    Failed,
    /// It cannot be used any more.
    Broken,
}

impl Client {
    fn new(inner: tokio_postgres::Client, driver: JoinHandle<()>) -> Self {
        let driver = Driver(driver);
        Self { inner, driver, statements: RefCell::default(), state: Cell::new(State::Fine) }
    }

    /// Runs a statement, and returns its rows.
    pub(super) async fn query(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StorageError> {
        let statement = self.prepare(sql).await?;
        let result = self.inner.query(&statement, &parameters(values)).await;
        result.map_err(|error| self.failure(error))
    }

    /// Runs a statement, and returns how many rows it has changed.
    pub(super) async fn execute(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, StorageError> {
        let statement = self.prepare(sql).await?;
        let result = self.inner.execute(&statement, &parameters(values)).await;
        result.map_err(|error| self.failure(error))
    }

    /// Runs a statement that writes rows, and returns whether the constraints allow that.
    pub(super) async fn insert(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<bool, StorageError> {
        let statement = self.prepare(sql).await?;
        match self.inner.execute(&statement, &parameters(values)).await {
            Ok(_) => Ok(true),
            Err(error) if error.code().is_some_and(|code| code.code().starts_with("23")) => {
                self.failure(error);
                Ok(false)
            }
            Err(error) => Err(self.failure(error)),
        }
    }

    /// Runs several statements without parameters.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), StorageError> {
        self.inner.batch_execute(sql).await.map_err(|error| self.failure(error))
    }

    async fn prepare(&self, sql: &'static str) -> Result<Statement, StorageError> {
        if let Some(statement) = self.statements.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.inner.prepare(sql).await.map_err(|error| self.failure(error))?;
        self.statements.borrow_mut().insert(sql, statement.clone());
        Ok(statement)
    }

    /// Notes that something failed.
    fn failure(&self, error: tokio_postgres::Error) -> StorageError {
        let keeps = error.as_db_error().is_some_and(|error| is_collision(error.code()));
        let error = StorageError::from(error);
        let state = if error.is_away() && !keeps { State::Broken } else { State::Failed };
        if self.state.get() != State::Broken {
            self.state.set(state);
        }
        error
    }

    fn is_usable(&self) -> bool {
        self.state.get() != State::Broken && !self.inner.is_closed()
    }

    /// Says goodbye, and waits until it is said.
    pub(super) async fn close(self) {
        let Self { inner, mut driver, .. } = self;
        drop(inner);
        let _ = timeout(CONNECT, &mut driver.0).await;
    }
}

/// The task that moves the bytes of a connection. It ends with the connection, at the latest.
struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn parameters<'a>(values: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl From<tokio_postgres::Error> for StorageError {
    fn from(error: tokio_postgres::Error) -> Self {
        if let Some(error) = error.as_db_error() {
            let code = error.code();
            // The details would quote rows.
            let text = format!("{} ({})", error.message(), code.code());
            return if is_away(code) || is_collision(code) {
                Self::Away { why: text }
            } else {
                Self::Database { what: text }
            };
        }
        let text = match error.source() {
            Some(source) => format!("{source}"),
            None => error.to_string(),
        };
        let is_io = error.source().is_some_and(<dyn std::error::Error>::is::<io::Error>);
        let is_silent = ["timeout", "unexpected message"].iter().any(|kind| text.contains(kind));
        if error.is_closed() || is_io || is_silent {
            Self::Away { why: text }
        } else {
            Self::Database { what: text }
        }
    }
}

/// Whether the server is going away, or cannot do anything for us at the moment.
fn is_away(code: &SqlState) -> bool {
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

/// Whether two transactions were in each other's way.
fn is_collision(code: &SqlState) -> bool {
    [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ]
    .contains(code)
}
